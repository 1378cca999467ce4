import { unlessStopped } from '../../../core/base/unless-stopped.ts';
import { isRefusal, REFUSAL_KINDS, type RefusalCause } from '../../../core/causes/cause.ts';
import { causeText } from '../../../core/causes/cause-text.ts';
import type { CookieOptions } from '../../../core/crawl/network-options.ts';
import type { Head } from '../../../core/frontier/head.ts';
import {
  afterRefusal,
  afterResume,
  type HostRefusal,
  type RefusedHost,
  refusingCause,
  withCookies,
} from '../../../core/frontier/host-refusal.ts';
import type { HostLedger } from '../../../core/frontier/ledger.ts';
import { isRefetch, type UrlRecord } from '../../../core/frontier/url-record.ts';
import type { Verdict } from '../../../core/frontier/verdict.ts';
import type { FetchedResponse, FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { type HostKey, hostKey } from '../../../core/url/host-key.ts';
import { isOwnRequest } from '../../../core/url/request-url.ts';
import type { TurnAccess } from '../access/turn-access.ts';
import type { TurnCounters } from '../counters.ts';
import type { HostPace } from '../pace/host-pace.ts';
import type { RefusalAnswer } from '../page-hooks.ts';
import { retryAfterOf } from '../response-headers.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { TurnOutput } from '../turn-output.ts';
import { refusalEventOf } from '../work-events.ts';
import { challengeIn, mayBeChallenge, mayRefuse, refusalIn } from './response-signs.ts';

export interface RefusalsOptions {
  readonly crawl: TurnCrawl;
  readonly ledger: Pick<HostLedger, 'counts'>;
  readonly counters: TurnCounters;
  readonly pace: HostPace;
  readonly output: Pick<TurnOutput, 'addRefusal'>;
  readonly access: Pick<TurnAccess, 'give'>;
  /** As it stands in the host's head. */
  readonly refusal: Head['refusal'];
}

/** A refusal, besides its cause. */
export interface CountOptions {
  /** Only the status says so. */
  readonly isPlain?: boolean;
  /** The URL was not refused before. */
  readonly isFirst: boolean;
  readonly url: string;
}

/** A response whose page was read, as far as it has one. */
interface ReadPage {
  readonly facts: DocumentFacts | undefined;
  readonly isPage: boolean;
  /** Its status alone may be a refusal. */
  readonly isPlain: boolean;
}

/** The facts of a response whose body is not parsed. */
const NO_FACTS: DocumentFacts = {
  ...{ type: 'other', links: [], droppedLinks: 0, decodedBytes: 0, isWhole: false },
  robots: { nofollow: false, noindex: false },
};
/** A URL that is refused, though others of its host are not, is tried again after this. */
const AGAIN_MS = 30_000;
/** Statuses by which a site may refuse one page, or the crawler. */
const PLAIN = new Set([403, 999]);
/** With more hosts of seeds it is not looked at whether all of them refuse. */
const MAX_HOSTS = 10;

/** The refusals of the turn's host: when the host rests for them, and when the crawl goes on without it. */
export class Refusals {
  readonly #services: TurnServices;
  readonly #options: RefusalsOptions;
  #state: HostRefusal | undefined;
  /** A refusal before this time is of a request that was in flight. */
  #restUntil: number;
  /** The last refusal by which the host was to rest in this turn, or was given up. */
  #news: HostRefusal | undefined;

  constructor(services: TurnServices, options: RefusalsOptions) {
    this.#services = services;
    this.#options = options;
    this.#state = options.refusal;
    this.#restUntil = options.refusal?.restUntil ?? 0;
  }

  /** As the head keeps it. */
  state(): HostRefusal | undefined {
    return this.#state;
  }

  /** The last answers were refusals: URLs that were not tried yet show whether they are of the host. */
  get isSuspected(): boolean {
    return this.#state !== undefined;
  }

  /** The operator has resumed the crawl. */
  resume(): void {
    this.#state = afterResume(this.#state);
    this.#restUntil = 0;
  }

  /** Judges a response to the request for a URL. Undefined: it does not refuse the crawler, as far as it is known without its page. */
  judge(record: UrlRecord, outcome: FetchOutcome): Promise<Verdict | undefined> | undefined {
    return outcome.status === 'response' && mayRefuse(outcome) ? this.#judgeHead(record, outcome) : undefined;
  }

  async #judgeHead(record: UrlRecord, response: FetchedResponse): Promise<Verdict | undefined> {
    const cause = await refusalIn(response);
    return cause && this.#refused(record, cause, response);
  }

  /** Judges a response whose page was read, after its other `verdict`. Undefined: that holds. */
  judgePage(
    record: UrlRecord,
    outcome: FetchOutcome,
    verdict: Verdict,
    facts: DocumentFacts | undefined,
  ): Promise<Verdict> | undefined {
    if (outcome.status !== 'response' || !verdict.isFinal || isRefusal(verdict.cause)) return undefined;
    const { state } = verdict;
    const isPage = record.kind === undefined && !isOwnRequest(record.url);
    const isPlain = state === 'failed' && isPage && PLAIN.has(outcome.httpStatus);
    const mayBe = state === 'fetched' && facts !== undefined && mayBeChallenge(facts);
    if (isPlain || mayBe || this.#services.hooks?.isChallenge !== undefined)
      return this.#judgeContent(record, outcome, verdict, { facts, isPage, isPlain });
    if (state === 'fetched' && facts !== undefined && isPage) this.#state = undefined;
    return undefined;
  }

  async #judgeContent(
    record: UrlRecord,
    response: FetchedResponse,
    verdict: Verdict,
    { facts, isPage, isPlain }: ReadPage,
  ): Promise<Verdict> {
    const { httpStatus } = response;
    if (isPlain)
      await this.count({ code: 'blocked', httpStatus }, { isPlain: true, isFirst: true, url: record.url });
    const own = await this.#ownSign(record, response, facts);
    if (own !== undefined) return this.#refused(record, own, response);
    if (verdict.state !== 'fetched' || facts === undefined) return verdict;
    const cause = mayBeChallenge(facts) ? await challengeIn(response, facts.content) : undefined;
    if (cause !== undefined) return this.#refused(record, cause, response);
    if (isPage) this.#state = undefined;
    return verdict;
  }

  /** Returns the challenge that the response is by a sign of the project. */
  async #ownSign(
    { url, depth }: UrlRecord,
    response: FetchedResponse,
    facts: DocumentFacts = NO_FACTS,
  ): Promise<RefusalCause | undefined> {
    const { hooks, work } = this.#services;
    if (hooks?.isChallenge === undefined) return undefined;
    const { id, config } = this.#options.crawl;
    const around = <T>(part: () => T) => work.run(id, url, 'hook', part);
    const { httpStatus } = response;
    return (await hooks.isChallenge({ url, depth, response, facts, around, crawl: { id, config } }))
      ? { code: 'challenged', vendor: 'a sign of the project', httpStatus }
      : undefined;
  }

  /** The URL waits if the host refuses. Otherwise it is tried once more. */
  async #refused(record: UrlRecord, cause: RefusalCause, outcome: FetchOutcome): Promise<Verdict> {
    const retryAfterMs = retryAfterOf(outcome, this.#services.engine.clock.now());
    const hostFailure = { cause, weight: 0, retryAfterMs };
    const waits = { state: 'waiting', cause, hostFailure, isAttempt: true, isFinal: false } as const;
    const wasRefused = isRefetch(record) || isRefusal(record.result?.cause);
    const isFirst = record.attempts === 0 || !wasRefused;
    if ((await this.count(cause, { isFirst, url: record.url })) === 'host') return { ...waits, retryMs: 0 };
    if (isFirst) return { ...waits, retryMs: AGAIN_MS };
    this.#options.counters.count('refused', 'pages');
    return { ...waits, state: 'failed', isFinal: true, retryMs: 0 };
  }

  /** Counts a refusal. Returns whether it is of its URL alone, or of the host, which then rests or is set aside. */
  async count(cause: RefusalCause, { isPlain = false, isFirst, url }: CountOptions): Promise<'url' | 'host'> {
    const { ledger, pace, crawl } = this.#options;
    const { clock } = this.#services.engine;
    const now = clock.now();
    // A request that was in flight when the host began to rest.
    if (pace.givenUp !== undefined || this.#restUntil > now) return isPlain ? 'url' : 'host';
    const hasAnswered = ledger.counts.fetched > 0;
    const facts = { isPlain, isFirst, hasAnswered, now, random: clock.random() };
    const before = this.#state;
    const { state, of } = afterRefusal(before, cause, facts);
    // A URL that is refused once more says nothing of its host.
    this.#state = state.row + state.rests > 0 ? state : undefined;
    if (of === 'url') return 'url';
    // Refusals of requests in flight meanwhile change nothing.
    this.#restUntil = Number.POSITIVE_INFINITY;
    const answer = of === 'over' ? 'giveUp' : await this.#answerOf(url, cause);
    this.#restUntil = state.restUntil ?? 0;
    if (typeof answer === 'object' && (await this.#hasTaken(answer.cookies, before, state))) return 'host';
    const isOver =
      answer === 'giveUp' || answer === 'ask' || (!hasAnswered && (await this.#isRefusedEverywhere()));
    const shown: HostRefusal = answer === 'ask' ? { ...state, cause: { ...cause, asks: true } } : state;
    if (isOver) {
      pace.giveUp(shown.cause);
      // At its robots.txt: the turn would go on by the rules of before.
      pace.end();
    } else if (state.restUntil !== undefined) pace.restForRefusal(state.restUntil);
    this.#news = shown;
    this.#services.onEvent?.(refusalEventOf(crawl.host, shown, isOver));
    return 'host';
  }

  /** Takes the project's cookies for the host. Returns whether it is tried with them, soon. */
  async #hasTaken(
    cookies: readonly CookieOptions[],
    before: HostRefusal | undefined,
    state: HostRefusal,
  ): Promise<boolean> {
    const { pace, access } = this.#options;
    await access.give(cookies);
    const next = withCookies(before, state);
    if (next === undefined) return false;
    this.#state = next;
    this.#restUntil = this.#services.engine.clock.now() + AGAIN_MS;
    pace.postponeTo(this.#restUntil);
    pace.end();
    return true;
  }

  /** For the totals and the operator's programs, before the turn's commit. */
  report(): void {
    const { ledger, counters, pace, output, crawl } = this.#options;
    const isGivenUp = pace.givenUp !== undefined;
    if (this.#news) output.addRefusal(refusedHost(crawl.host, this.#news, ledger.counts.waiting, isGivenUp));
    const cause = refusingCause({ setAside: pace.givenUp, refusal: this.#state });
    const before = counters.totals.refused;
    if (cause === undefined && before === undefined) return;
    const hosts = cause === undefined ? 0 : 1;
    const ofKinds = REFUSAL_KINDS.filter((kind) => kind === cause?.code || before?.[kind] !== undefined);
    counters.set('refused', {
      hosts,
      urls: hosts * ledger.counts.waiting,
      ...Object.fromEntries(ofKinds.map((kind) => [kind, kind === cause?.code ? 1 : 0])),
    });
  }

  async #answerOf(url: string, cause: RefusalCause): Promise<RefusalAnswer | undefined> {
    const { hooks, stopping, engine } = this.#services;
    if (hooks?.onChallenge === undefined) return 'rest';
    const { code: refusal, httpStatus } = cause;
    const rests = this.#options.refusal?.rests ?? 0;
    const vendor = cause.code === 'challenged' ? { vendor: cause.vendor } : {};
    const seen = { url, refusal, httpStatus, ...vendor, cause: causeText(cause), rests };
    const { id, config } = this.#options.crawl;
    return unlessStopped(hooks.onChallenge(seen, { id, config }), stopping, engine.clock);
  }

  /** Whether all hosts of seeds refuse, and no page of the crawl was there: then nothing is worth waiting for. */
  async #isRefusedEverywhere(): Promise<boolean> {
    const { crawl } = this.#options;
    const { registry, ledgers } = this.#services.engine;
    if (crawl.config.keepTrying || crawl.sites !== undefined) return false;
    const { scopeSeeds = [] } = (await registry.load(crawl.id)) ?? {};
    const hosts = new Set(scopeSeeds.map(hostKey));
    hosts.delete(crawl.host);
    if (hosts.size >= MAX_HOSTS || (await registry.totals(crawl.id)).urls.fetched > 0) return false;
    const heads = await Promise.all([...hosts].map((host) => ledgers.loadHead(crawl.id, host)));
    return heads.every((head) => head && (head.ledger.counts.waiting === 0 || refusingCause(head)));
  }
}

function refusedHost(
  host: HostKey,
  { cause, since, rests, restUntil }: HostRefusal,
  urls: number,
  isGivenUp: boolean,
): RefusedHost {
  const timeOf = (at: number): string => new Date(at).toISOString();
  return {
    id: `${timeOf(since)} ${isGivenUp ? 'given up' : rests} ${host}`,
    host,
    refusal: cause.code,
    cause: causeText(cause),
    since: timeOf(since),
    urls,
    ...(!isGivenUp && restUntil !== undefined && { nextTryAt: timeOf(restUntil) }),
    ...(cause.asks && { asks: cause.asks }),
  };
}
