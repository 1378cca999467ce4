import type { ArchivedPayload } from '../../../core/archive/archived-payload.ts';
import { mixHash } from '../../../core/base/mix-hash.ts';
import { isRecrawling } from '../../../core/crawl/config.ts';
import { allowedShare } from '../../../core/crawl/host-hours.ts';
import { parseSchedule, type Schedule } from '../../../core/crawl/schedule.ts';
import type { HostRecrawl } from '../../../core/frontier/head.ts';
import { importanceOf } from '../../../core/frontier/importance-of.ts';
import { budgetPerDay, knownPages } from '../../../core/frontier/recrawl-budget.ts';
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
import {
  type ChangePool,
  changeRate,
  EMPTY_POOL,
  observePool,
  priorRate,
  rateCode,
  rateOfCode,
} from '../../../core/recrawl/change-rate.ts';
import {
  addDemand,
  capDemand,
  curveOf,
  type DemandCurve,
  demandOf,
  hostPrice,
  NO_DEMAND,
  PRICES,
  perDayOf,
  priceFor,
  subtractDemand,
  UNITS,
} from '../../../core/recrawl/demand-curve.ts';
import {
  daysUntilDue,
  firstIntervalDays,
  MAX_WAIT_DAYS,
  type RefetchOutcome,
} from '../../../core/recrawl/due-time.ts';
import {
  fetchIntervalDays,
  MIN_INTERVAL_DAYS,
  NEARLY,
  type RecrawlObjective,
} from '../../../core/recrawl/fetch-interval.ts';
import { factorCode, withNewLinks } from '../../../core/recrawl/page-importance.ts';
import { createTemplatePools, type TemplatePools } from '../../../core/recrawl/template-pools.ts';
import {
  countVanishing,
  isVanished,
  NOTHING_VANISHED,
  type Vanishing,
} from '../../../core/recrawl/vanished-site.ts';
import { isOwnRequest } from '../../../core/url/request-url.ts';
import { templateOf } from '../../../core/url/template-of.ts';
import type { TurnCounters } from '../counters.ts';
import { hashOfUrl } from '../links/hash-of-url.ts';
import { HintWatch } from '../page/hint-watch.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import { ChangeWatch, changedShareOf } from './change-watch.ts';
import { ValidatorWatch } from './validator-watch.ts';

const DAY_MS = 86_400_000;
/** As long after its failures a host that was given up is tried again. */
export const RETRY_HOST_MS = DAY_MS;
/** Clocks of several machines may differ by this. */
const CLOCK_SLACK_MS = 60_000;
/** The share of a host's requests that its known pages may have. */
const HOST_SHARE = 0.8;
/** A page that is to be tried after a week is tried at the time of the schedule that is a week later, not at the next. */
const SOONER = 0.9;

/** Fewer pages that are gone are not kept in the head. */
const LEAST_GONE = 0.1;

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

/** Whether the page was fetched, or its next fetch planned, by a clock that was ahead: it would wait until that time. */
const isOfClockAhead = ({ result, dueAt }: UrlRecord, now: number): boolean =>
  (result?.fetchedAt ?? 0) - now > CLOCK_SLACK_MS || dueAt - now > (MAX_WAIT_DAYS + 1) * DAY_MS;

export interface RecrawlPlanOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  /** As it stands in the host's head. */
  readonly recrawl: HostRecrawl | undefined;
}

/**
 * Decides when the URLs of a host are fetched again, and keeps what their fetches have shown. By the price of a fetch,
 * one number for the whole crawl that follows from the demand of all its pages (docs/recrawl.md), or after a fixed
 * time.
 */
export class RecrawlPlan {
  readonly validators: ValidatorWatch;
  readonly changes: ChangeWatch;
  readonly hints: HintWatch;
  readonly #templates: TemplatePools;
  readonly #engine: Pick<TurnServices['engine'], 'registry'>;
  readonly #options: RecrawlPlanOptions;
  #pool: ChangePool;
  /** The demand of the host's pages, in {@link UNITS}. */
  #demand: DemandCurve;
  #price = 0;
  #vanishing: Vanishing | undefined;
  #schedule: Schedule | undefined;
  /** As above, with a cache of its own. */
  #timeAfter: Schedule | undefined;
  /** In this time all known pages can be fetched once. */
  #roundDays = 1;
  /** Recrawl was switched on, and known pages may have no due time (`known-pages.ts`). */
  isStarting: boolean;

  constructor(engine: Pick<TurnServices['engine'], 'registry'>, options: RecrawlPlanOptions) {
    const { recrawl } = options;
    this.#engine = engine;
    this.#vanishing = recrawl?.vanishing;
    this.#options = options;
    this.validators = new ValidatorWatch(recrawl);
    this.changes = new ChangeWatch(recrawl?.blocks);
    this.hints = new HintWatch(recrawl?.hints);
    const { templates } = recrawl ?? {};
    this.#templates = createTemplatePools(
      templates === undefined ? undefined : Buffer.from(templates, 'base64'),
    );
    const [changes = 0, changedDays = 0, unchangedDays = 0] = recrawl?.pool ?? [];
    this.#pool = recrawl ? { changes, changedDays, unchangedDays } : EMPTY_POOL;
    this.isStarting = this.isOn && (recrawl === undefined || Boolean(recrawl.isOff ?? recrawl.isStarting));
    this.#demand = PRICES.map((_, i) => recrawl?.demand?.[i] ?? 0);
  }

  /** Whether the crawl fetches pages again. */
  get isOn(): boolean {
    return isRecrawling(this.#options.crawl.config);
  }

  /** Whether lists of changes move fetches forward: where intervals are not fixed. */
  get usesHints(): boolean {
    return this.#objective !== undefined;
  }

  /** Finds the price by which this turn decides. */
  async load(): Promise<void> {
    const { crawl } = this.#options;
    const { recrawlSchedule, recrawlTimeZone = 'UTC' } = crawl.config;
    if (recrawlSchedule !== undefined) {
      const schedule = parseSchedule(recrawlSchedule, recrawlTimeZone);
      this.#schedule = remembered(schedule);
      this.#timeAfter = remembered(schedule);
    }
    const objective = this.#objective;
    if (objective === undefined) return;
    const { registry } = this.#engine;
    const { demand, urls } = registry.isShared ? crawl.budget.used() : await registry.totals(crawl.id);
    const perDay = budgetPerDay(crawl.config, urls);
    this.#roundDays = Math.max(1, knownPages(urls) / perDay);
    const price = priceFor(curveOf(demand), perDay);
    this.#price = hostPrice(price, perDayOf(this.#demand), this.#hostPerDay);
  }

  /** The fields of the next head; undefined for a crawl that fetches each page once. */
  state(): HostRecrawl | undefined {
    const { recrawl: stored } = this.#options;
    if (!this.isOn) return stored && { ...stored, isOff: true };
    const { changes, changedDays, unchangedDays } = this.#pool;
    const { trust } = this.validators;
    const hints = this.hints.state();
    const templates = Buffer.from(this.#templates.bytes).toString('base64');
    return {
      pool: [rounded(changes), rounded(changedDays), rounded(unchangedDays)],
      ...(this.#objective !== undefined && { demand: this.#demand }),
      blocks: this.changes.state(),
      ...(templates !== '' && { templates }),
      ...(hints && { hints }),
      ...(this.#vanishing && { vanishing: this.#vanishing }),
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

  /** Whether a URL that is due is worth a fetch by the price as it is now, or by its fixed interval. */
  isWorthFetch(record: UrlRecord, now: number): boolean {
    const { state, result, recrawl, dueAt } = record;
    if (state !== 'fetched' || !result || !recrawl || dueAt === 0) return true;
    if (isOfClockAhead(record, now)) return true;
    if (this.#schedule) return (this.#schedule.next(result.fetchedAt) ?? Number.POSITIVE_INFINITY) <= now;
    return (now - result.fetchedAt) / DAY_MS >= NEARLY * this.#waitDays(record, recrawl);
  }

  /**
   * When the pass over the host's pages begins that follows one begun at `since`; `at` undefined: there is none.
   * `isPartial`: a pass does not fetch all pages, as each has an interval of its own.
   */
  nextPassAt(since: number): { readonly at: number | undefined; readonly isPartial: boolean } {
    const { recrawlEveryMs } = this.#options.crawl.config;
    if (!this.isOn) return { at: undefined, isPartial: false };
    if (this.#schedule) return { at: this.#schedule.next(since), isPartial: false };
    return { at: since + (recrawlEveryMs ?? DAY_MS), isPartial: recrawlEveryMs === undefined };
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

  /** The record of a URL that is due and not worth its fetch: due when it will be, or looked at again. */
  putOff(record: UrlRecord, now: number): UrlRecord {
    const { result, recrawl } = record;
    const days = recrawl ? this.#waitDays(record, recrawl) : 1;
    const waited = result ? (now - result.fetchedAt) / DAY_MS : 0;
    return this.#dueIn(record, { kind: 'fetched' }, Math.max(0, days - waited), now);
  }

  /** The record of a URL that was due and could not be fetched: looked at again after a day. */
  postpone(record: UrlRecord, now: number): UrlRecord {
    return { ...record, dueAt: this.#schedule ? this.#scheduledAfter(now) : now + DAY_MS };
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
    const { recrawlEveryMs } = this.#options.crawl.config;
    const days = recrawlEveryMs === undefined ? this.#roundDays : recrawlEveryMs / DAY_MS;
    const part = mixHash(hashOfUrl(url)) / 2 ** 32;
    const spread = Math.ceil((now + Math.min(days, MAX_WAIT_DAYS) * part * DAY_MS) / 1000) * 1000;
    const dueAt = this.#schedule ? this.#scheduledAfter(now) : spread;
    const prior = priorRate(this.#pool, this.#templates.of(hashOfUrl(templateOf(url))) ?? EMPTY_POOL);
    const recrawl: RecrawlState = known ?? {
      history: 0,
      rate: rateCode(changeRate(unpackHistory(0), prior)),
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
    if (this.#isVanished(before, after)) return this.afterFailure(before, result.fetchedAt);
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
    this.#countVanishing(false, fetchedAt);
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
    const days = record.recrawl ? this.#intervalDays(record, record.recrawl) : 1;
    return this.#dueIn({ ...record, attempts }, { kind: 'failed', failures }, days, now);
  }

  /** Whether a page is not there, like most of its host, so that this shows nothing of it. 410 is meant. */
  #isVanished(before: UrlRecord, { state, result }: UrlRecord): boolean {
    if (!isRefetch(before) || before.state !== 'fetched' || !result || result.httpStatus === 410)
      return false;
    this.#countVanishing(state === 'gone', result.fetchedAt);
    return state === 'gone' && isVanished(this.#vanishing ?? NOTHING_VANISHED, result.fetchedAt);
  }

  /** Until a page is gone, nothing is kept. */
  #countVanishing(isGone: boolean, now: number): void {
    if (!isGone && !this.#vanishing) return;
    const { gone, there, since } = countVanishing(this.#vanishing ?? NOTHING_VANISHED, isGone, now);
    this.#vanishing =
      gone < LEAST_GONE
        ? undefined
        : { gone: rounded(gone), there: rounded(there), ...(since !== undefined && { since }) };
  }

  /** Counts the host's demand after a record was replaced. */
  replace(before: UrlRecord | undefined, after: UrlRecord): void {
    const objective = this.#objective;
    if (objective === undefined || (before?.recrawl === undefined && after.recrawl === undefined)) return;
    const removed = before ? this.#demandOf(objective, before) : NO_DEMAND;
    const added = this.#demandOf(objective, after);
    this.#demand = addDemand(subtractDemand(this.#demand, removed), added);
    const possible = capDemand(this.#demand, UNITS * this.#hostPerDay).map(Math.round);
    this.#options.counters.set('demand', Object.fromEntries(possible.map((value, i) => [i, value])));
  }

  /** Fetches of known pages that the host's pace allows, per day. */
  get #hostPerDay(): number {
    const { config } = this.#options.crawl;
    const perDay = (config.perHost * DAY_MS) / Math.max(1, config.delayMs);
    return HOST_SHARE * allowedShare(config) * perDay;
  }

  get #objective(): RecrawlObjective | undefined {
    const { recrawl, recrawlEveryMs, recrawlSchedule } = this.#options.crawl.config;
    const isFixed = recrawlEveryMs !== undefined || recrawlSchedule !== undefined;
    return recrawl === 'off' || isFixed ? undefined : recrawl;
  }

  /** In {@link UNITS}, whole. */
  #demandOf(objective: RecrawlObjective, record: UrlRecord): DemandCurve {
    const { recrawl } = record;
    if (!recrawl || !isRefetch(record) || record.state === 'gone') return NO_DEMAND;
    return demandOf(objective, this.#valueOf(record, recrawl)).map((value) => Math.round(UNITS * value));
  }

  #valueOf(record: UrlRecord, { rate }: RecrawlState) {
    const { importance } = this.#options.crawl.config;
    return { importance: importance * importanceOf(record), changeRate: rateOfCode(rate) };
  }

  #intervalDays(record: UrlRecord, recrawl: RecrawlState): number {
    const objective = this.#objective;
    const { recrawlEveryMs } = this.#options.crawl.config;
    const time = this.#schedule?.next(record.result?.fetchedAt ?? 0);
    if (time !== undefined) return ((this.#timeAfter?.next(time) ?? time + DAY_MS) - time) / DAY_MS;
    if (objective === undefined) return (recrawlEveryMs ?? DAY_MS) / DAY_MS;
    const days = fetchIntervalDays(objective, this.#valueOf(record, recrawl), this.#price);
    // Pages of a site that were never fetched again have one interval, and would come in a wave.
    return recrawl.history === 0 ? firstIntervalDays(days, mixHash(hashOfUrl(record.url))) : days;
  }

  /** The days from a page's last fetch to its next one: its interval, without those that hints make it older. */
  #waitDays(record: UrlRecord, recrawl: RecrawlState): number {
    const days = this.#intervalDays(record, recrawl);
    const hinted = this.usesHints ? this.hints.daysOf(recrawl) : 0;
    return Math.min(days, Math.max(MIN_INTERVAL_DAYS, days - hinted));
  }

  #observed(before: UrlRecord, fetchedAt: number, hasChanged: boolean, sighting: Sighting): RecrawlState {
    const { recrawl, result, url } = before;
    const { response, capturedAt, capturedUrl, textDigest, isRendered } = sighting;
    const template = hashOfUrl(templateOf(url));
    let history = recrawl?.history ?? 0;
    if (recrawl && result && isRefetch(before)) {
      const days = Math.max(0, fetchedAt - result.fetchedAt) / DAY_MS;
      history = observePacked(history, days, hasChanged, mixHash(hashOfUrl(url) ^ (fetchedAt >>> 0)));
      this.#pool = observePool(this.#pool, days, hasChanged);
      this.#templates.observe(template, days, hasChanged);
      this.hints.count(before, hasChanged);
      if (before.attempts === 0 && this.#isLate(before, result.fetchedAt, fetchedAt)) this.#count('late');
    }
    const prior = priorRate(this.#pool, this.#templates.of(template) ?? EMPTY_POOL);
    return {
      history,
      rate: rateCode(changeRate(unpackHistory(history), prior)),
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
    const days = this.#intervalDays(record, recrawl);
    return this.#dueIn(record, outcomeOf(record, recrawl.misses), days, fetchedAt);
  }

  /** Due times are whole seconds, as the lists of a ledger keep them. */
  #dueIn(record: UrlRecord, outcome: RefetchOutcome, days: number, from: number): UrlRecord {
    const until = daysUntilDue(outcome, days);
    if (until === undefined) return { ...record, dueAt: 0 };
    if (this.#schedule) return { ...record, dueAt: this.#scheduledAfter(from, outcome, until) };
    return { ...record, dueAt: Math.ceil((from + until * DAY_MS) / 1000) * 1000 };
  }

  /**
   * The next time of the schedule; for a page that has failed again or is not there, the first one after about as many
   * days. 0: none.
   */
  #scheduledAfter(from: number, outcome?: RefetchOutcome, days = 0): number {
    const isNext =
      outcome === undefined ||
      outcome.kind === 'fetched' ||
      (outcome.kind === 'failed' && outcome.failures <= 1);
    const next = this.#schedule?.next(isNext ? from : from + SOONER * days * DAY_MS);
    return next === undefined ? 0 : Math.min(next, Math.ceil(from / 1000) * 1000 + MAX_WAIT_DAYS * DAY_MS);
  }

  /** Whether the page waited for one time of the schedule until the next one came, which it skips. */
  #isLate({ state }: UrlRecord, fetchedBefore: number, now: number): boolean {
    const time = state === 'fetched' ? this.#schedule?.next(fetchedBefore) : undefined;
    return time !== undefined && (this.#timeAfter?.next(time) ?? Number.POSITIVE_INFINITY) <= now;
  }

  #count(kind: 'notModified' | 'unchanged' | 'changed' | 'gone' | 'failed' | 'late'): void {
    this.#options.counters.count('recrawl', kind);
  }
}

/** Most pages of a turn are fetched between the same two times. */
function remembered(schedule: Schedule): Schedule {
  let from = Number.POSITIVE_INFINITY;
  let until: number | undefined;
  return {
    next(at) {
      if (at < from || at >= (until ?? 0)) [from, until] = [at, schedule.next(at)];
      return until;
    },
  };
}

function outcomeOf({ state, result }: UrlRecord, misses: number): RefetchOutcome {
  const { httpStatus } = result ?? {};
  if (state === 'gone') return { kind: httpStatus === 410 ? 'gone' : 'missing', misses };
  if (state === 'redirect' && (httpStatus === 301 || httpStatus === 308)) return { kind: 'moved' };
  return { kind: 'fetched' };
}

const rounded = (value: number): number => Number(value.toPrecision(6));
