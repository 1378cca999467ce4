import type { ArchivedPayload } from '../../../core/archive/archived-payload.ts';
import { mixHash } from '../../../core/base/mix-hash.ts';
import { isRecrawling } from '../../../core/crawl/config.ts';
import type { HostRecrawl } from '../../../core/frontier/head.ts';
import {
  isRefetch,
  type RecrawlState,
  UNKNOWN_CAPTURE,
  type UrlRecord,
} from '../../../core/frontier/url-record.ts';
import type { Verdict } from '../../../core/frontier/verdict.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { observePacked, unpackHistory } from '../../../core/recrawl/change-history.ts';
import { changeRate, rateCode } from '../../../core/recrawl/change-rate.ts';
import type { RefetchOutcome } from '../../../core/recrawl/due-time.ts';
import { MIN_INTERVAL_DAYS } from '../../../core/recrawl/fetch-interval.ts';
import { factorCode, withNewLinks } from '../../../core/recrawl/page-importance.ts';
import { isOwnRequest } from '../../../core/url/request-url.ts';
import type { TurnCounters } from '../counters.ts';
import { hashOfUrl } from '../links/hash-of-url.ts';
import { HintWatch } from '../page/hint-watch.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import { ChangeWatch, changedShareOf } from './change-watch.ts';
import { FetchTimes, isOfClockAhead } from './fetch-times.ts';
import { HostDemand, objectiveOf } from './host-demand.ts';
import { HostRates } from './host-rates.ts';
import { ValidatorWatch } from './validator-watch.ts';
import { VanishingWatch } from './vanishing-watch.ts';

const DAY_MS = 86_400_000;
/** As long after its failures a host that was given up is tried again. */
export const RETRY_HOST_MS = DAY_MS;

/** A response, and what it has shown of its URL. */
export interface Sighting {
  readonly response: FetchedResponse;
  readonly facts?: DocumentFacts | undefined;
  readonly textDigest?: Uint8Array | undefined;
  /** Whether the page was rendered. */
  readonly isRendered?: boolean | undefined;
  /** Where the payload is archived: WARC-Date, and the URL if it is another one's. */
  readonly capturedAt: number;
  readonly capturedUrl?: string | undefined;
  /** Links to URLs that were new to the host; undefined: not counted. */
  readonly newLinks?: number | undefined;
  /** The factor of the page's importance that the project's hook has set; undefined: it stays as it is. */
  readonly importance?: number | undefined;
}

export interface RecrawlPlanOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  /** As it stands in the host's head. */
  readonly recrawl: HostRecrawl | undefined;
}

/** Keeps what the fetches of a host's pages have shown, in the pages' records, with the times of the next ones. */
export class RecrawlPlan {
  readonly validators: ValidatorWatch;
  readonly changes: ChangeWatch;
  readonly hints: HintWatch;
  readonly demand: HostDemand;
  readonly times: FetchTimes;
  readonly #vanishing: VanishingWatch;
  readonly #rates: HostRates;
  readonly #options: RecrawlPlanOptions;
  /** Recrawl was switched on, and known pages may have no due time (`known-pages.ts`). */
  isStarting: boolean;

  constructor(engine: Pick<TurnServices['engine'], 'registry'>, options: RecrawlPlanOptions) {
    const { crawl, counters, recrawl } = options;
    this.#options = options;
    this.#vanishing = new VanishingWatch(recrawl?.vanishing);
    this.validators = new ValidatorWatch(recrawl);
    this.changes = new ChangeWatch(recrawl?.blocks);
    this.hints = new HintWatch(recrawl?.hints);
    this.demand = new HostDemand(crawl, counters, recrawl?.demand);
    this.times = new FetchTimes(engine, crawl, { demand: this.demand, hints: this.hints });
    this.#rates = new HostRates(recrawl);
    this.isStarting = this.isOn && (recrawl === undefined || Boolean(recrawl.isOff ?? recrawl.isStarting));
  }

  /** Whether the crawl fetches pages again. */
  get isOn(): boolean {
    return isRecrawling(this.#options.crawl.config);
  }

  /** Whether lists of changes move fetches forward: where intervals are not fixed. */
  get usesHints(): boolean {
    return objectiveOf(this.#options.crawl.config) !== undefined;
  }

  /** The fields of the next head; undefined for a crawl that fetches each page once. */
  state(): HostRecrawl | undefined {
    const { recrawl: stored } = this.#options;
    if (!this.isOn) return stored && { ...stored, isOff: true };
    const { trust } = this.validators;
    const { state: vanishing } = this.#vanishing;
    const { pool, templates } = this.#rates.state();
    const hints = this.hints.state();
    return {
      pool,
      ...(this.usesHints && { demand: this.demand.curve }),
      blocks: this.changes.state(),
      ...(templates !== undefined && { templates }),
      ...(hints && { hints }),
      ...(vanishing && { vanishing }),
      ...(this.isStarting && { isStarting: true }),
      ...(trust && { validators: trust }),
    };
  }

  /** Reads what a response has shown of its URL. `payload`: where its payload is archived. */
  sightingOf(
    response: FetchedResponse,
    facts: DocumentFacts | undefined,
    { url, date }: ArchivedPayload,
  ): Sighting {
    const capturedUrl = url === response.url ? undefined : url;
    return {
      response,
      facts,
      textDigest: this.changes.digestOf(facts),
      capturedAt: Date.parse(date),
      capturedUrl,
    };
  }

  /**
   * The record of a page of which a list says that it was modified at `modifiedAt`: due sooner, as far as the host's
   * lists have proved true. Undefined: that says nothing new, or a try is being repeated.
   */
  hinted(record: UrlRecord, modifiedAt: number, now: number): UrlRecord | undefined {
    if (record.state !== 'fetched' || record.attempts > 0) return undefined;
    const recrawl = this.hints.noted(record, modifiedAt, now);
    if (!recrawl) return undefined;
    const older = this.hints.daysOf(recrawl) - (record.recrawl ? this.hints.daysOf(record.recrawl) : 0);
    const earliest = Math.max(now, (record.result?.fetchedAt ?? now) + MIN_INTERVAL_DAYS * DAY_MS);
    const dueAt = Math.ceil(Math.max(earliest, record.dueAt - older * DAY_MS) / 1000) * 1000;
    return { ...record, recrawl, dueAt: Math.min(record.dueAt, dueAt) };
  }

  /**
   * The record of a URL that was fetched while the crawl did not recrawl: due within the first round, at a time by its
   * hash, so that the round keeps to the budget. Undefined: it is not fetched again.
   */
  adopted(record: UrlRecord, now: number): UrlRecord | undefined {
    const { url, state, result, recrawl: known } = record;
    if (!result || state === 'waiting' || isOwnRequest(url)) return undefined;
    if (isRefetch(record) && !isOfClockAhead(record, now)) return undefined;
    if (state === 'skipped' || state === 'deniedByRobots' || (state === 'gone' && known)) return undefined;
    const dueAt = this.times.firstDueAt(url, now);
    const recrawl: RecrawlState = known ?? {
      history: 0,
      rate: rateCode(changeRate(unpackHistory(0), this.#rates.priorOf(url))),
      changedAt: result.fetchedAt,
      misses: state === 'gone' ? 1 : 0,
      capturedAt: UNKNOWN_CAPTURE,
    };
    return { ...record, attempts: 0, dueAt, ...(state !== 'failed' && { recrawl }) };
  }

  /**
   * The record of a URL that was just fetched, with the time of its next fetch. `before`: as it was taken. A request
   * of the project is not repeated.
   */
  schedule(before: UrlRecord, after: UrlRecord, sighting: Sighting | undefined): UrlRecord {
    const { state, result } = after;
    if (!this.isOn || result === undefined || isOwnRequest(after.url)) return after;
    if (state === 'waiting' || state === 'skipped' || state === 'deniedByRobots') return after;
    if (state === 'failed' || sighting === undefined) return this.afterFailure(after, result.fetchedAt);
    if (this.#vanishing.isVanished(before, after)) return this.afterFailure(before, result.fetchedAt);
    const { textDigest, isRendered } = sighting;
    const hasChanged = this.changes.hasChanged(before, after, textDigest, isRendered);
    if (hasChanged || !isRefetch(before)) this.changes.count(after.url, sighting.facts);
    if (isRefetch(before)) this.#count(state === 'gone' ? 'gone' : hasChanged ? 'changed' : 'unchanged');
    const observed = {
      ...this.#observed(before, result.fetchedAt, hasChanged, sighting),
      ...this.#measured(before, hasChanged, sighting),
    };
    const misses = state === 'gone' ? (before.recrawl?.misses ?? 0) + 1 : 0;
    const { newLinks } = sighting;
    // Links of the first fetch say nothing of its changes.
    const isCounted = isRefetch(before) && hasChanged && newLinks !== undefined;
    const brings = isCounted ? withNewLinks(observed.newLinks, newLinks) : observed.newLinks;
    return this.#planned(after, { ...observed, misses, newLinks: brings });
  }

  /** The record of a URL whose fetch at `fetchedAt` has shown the archived content again. */
  unchanged(before: UrlRecord, fetchedAt: number, response: FetchedResponse): UrlRecord {
    const { recrawl, result } = before;
    if (!recrawl || !result) throw new Error(`${before.url} was never fetched`);
    const isNotModified = response.httpStatus === 304;
    this.#vanishing.count(false, fetchedAt);
    this.#count(isNotModified ? 'notModified' : 'unchanged');
    const { capturedAt, capturedUrl, textDigest, isRendered, textSketch, changedShare } = recrawl;
    const known = { response, capturedAt, capturedUrl, textDigest, isRendered };
    const observed = { ...this.#observed(before, fetchedAt, false, known), textSketch, changedShare };
    const { etag, lastModified } = isNotModified ? recrawl : observed;
    const after = { ...before, result: { ...result, fetchedAt } };
    return this.#planned(after, { ...observed, etag, lastModified, misses: 0 });
  }

  /** The record of a URL whose fetch has failed: that shows nothing of the page, and the copy stays. */
  afterFailure(record: UrlRecord, now: number, verdict?: Verdict): UrlRecord {
    if (isRefetch(record)) this.#count('failed');
    const attempts = record.attempts + (verdict ? 1 : 0);
    const { maxAttempts } = this.#options.crawl.config;
    if (verdict?.state === 'waiting')
      return { ...record, attempts, dueAt: now + Math.max(1, verdict.retryMs) };
    const failures = Math.max(1, attempts - maxAttempts + 1);
    const days = record.recrawl ? this.times.intervalDays(record, record.recrawl) : 1;
    return this.times.dueIn({ ...record, attempts }, { kind: 'failed', failures }, days, now);
  }

  #observed(before: UrlRecord, fetchedAt: number, hasChanged: boolean, sighting: Sighting): RecrawlState {
    const { recrawl, result, url } = before;
    const { response, capturedAt, capturedUrl, textDigest, isRendered } = sighting;
    let history = recrawl?.history ?? 0;
    if (recrawl && result && isRefetch(before)) {
      const days = Math.max(0, fetchedAt - result.fetchedAt) / DAY_MS;
      history = observePacked(history, days, hasChanged, mixHash(hashOfUrl(url) ^ (fetchedAt >>> 0)));
      this.#rates.observe(url, days, hasChanged);
      this.hints.count(before, hasChanged);
      if (before.attempts === 0 && this.times.isLate(before, result.fetchedAt, fetchedAt))
        this.#count('late');
    }
    return {
      history,
      rate: rateCode(changeRate(unpackHistory(history), this.#rates.priorOf(url))),
      changedAt: hasChanged || !recrawl ? fetchedAt : recrawl.changedAt,
      isBack: hasChanged ? before.state === 'gone' || undefined : recrawl?.isBack,
      misses: 0,
      capturedAt,
      capturedUrl,
      textDigest,
      isRendered,
      hints: undefined,
      hintedAt: recrawl?.hintedAt,
      newLinks: recrawl?.newLinks,
      factor: sighting.importance === undefined ? recrawl?.factor : factorCode(sighting.importance),
      textSketch: undefined,
      changedShare: undefined,
      etag: undefined,
      lastModified: undefined,
      ...this.validators.validatorsOf(response, fetchedAt),
    };
  }

  /** A page that has not changed keeps its sketch, or small changes would never add up. */
  #measured({ recrawl }: UrlRecord, hasChanged: boolean, { facts, isRendered }: Sighting) {
    const { textSketch: old, changedShare } = recrawl ?? {};
    if (!hasChanged && old && recrawl?.isRendered === isRendered) return { textSketch: old, changedShare };
    const textSketch = this.changes.sketchOf(facts);
    return { textSketch, changedShare: hasChanged ? changedShareOf(old, textSketch) : changedShare };
  }

  #planned(after: UrlRecord, recrawl: RecrawlState): UrlRecord {
    const record = { ...after, recrawl, attempts: 0 };
    const fetchedAt = record.result?.fetchedAt ?? 0;
    const days = this.times.intervalDays(record, recrawl);
    return this.times.dueIn(record, outcomeOf(record, recrawl.misses), days, fetchedAt);
  }

  #count(kind: 'notModified' | 'unchanged' | 'changed' | 'gone' | 'failed' | 'late'): void {
    this.#options.counters.count('recrawl', kind);
  }
}

function outcomeOf({ state, result }: UrlRecord, misses: number): RefetchOutcome {
  const { httpStatus } = result ?? {};
  if (state === 'gone') return { kind: httpStatus === 410 ? 'gone' : 'missing', misses };
  if (state === 'redirect' && (httpStatus === 301 || httpStatus === 308)) return { kind: 'moved' };
  return { kind: 'fetched' };
}
