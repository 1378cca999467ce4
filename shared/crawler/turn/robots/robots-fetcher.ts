/** Fetches a host's robots.txt: one exchange for each redirect within the host, at the host's pace, all archived. */
import { type Cause, isRefusal, type RefusalCause } from '../../../core/causes/cause.ts';
import type { HostFailure } from '../../../core/frontier/politeness.ts';
import { causeOfFailure, hostFailureOf } from '../../../core/frontier/verdict.ts';
import {
  type FetchedResponse,
  type FetchFailure,
  type FetchOutcome,
  sentRequest,
} from '../../../core/outcome/fetch-outcome.ts';
import { MAX_ROBOTS_BYTES } from '../../../core/robots/parse-robots.ts';
import { isOriginKey, type RobotsVerdict, robotsUrl, robotsVerdict } from '../../../core/robots/policy.ts';
import { hostKey, origin as originOf } from '../../../core/url/host-key.ts';
import type { HostPace } from '../pace/host-pace.ts';
import { decodedBody } from '../page/decoded-body.ts';
import type { Refusals } from '../refusal/refusals.ts';
import { refusalInFile } from '../refusal/response-signs.ts';
import { headersOf, retryAfterOf } from '../response-headers.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { TurnOutput } from '../turn-output.ts';
import type { KnownRobots } from './known-robots.ts';

/** A byte more than is read. */
const MAX_BODY_BYTES = MAX_ROBOTS_BYTES + 1;

/** The result of fetching robots.txt. */
export type FetchedRobots =
  /** The host's address or port is blocked; no request was made. */
  | { readonly kind: 'blocked'; readonly cause: Cause }
  /** It redirects to a URL of another host. `at`: when it was requested. */
  | {
      readonly kind: 'moved';
      readonly to: string;
      readonly at: number;
      readonly cacheControl: readonly string[];
    }
  | JudgedRobots;

export interface JudgedRobots {
  readonly kind: 'judged';
  readonly verdict: RobotsVerdict;
  readonly outcome: FetchOutcome;
  /** The content to be read, if the verdict is `rules`. */
  readonly content?: Uint8Array | undefined;
}

interface JudgedTry extends Pick<JudgedRobots, 'verdict' | 'outcome'> {
  readonly isBeside: boolean;
  /** It is requested again at once. */
  readonly isTriedAgain: boolean;
}

export interface RobotsFetcherOptions {
  readonly crawl: TurnCrawl;
  readonly pace: HostPace;
  readonly output: TurnOutput;
  readonly known: KnownRobots;
  readonly refusals: Pick<Refusals, 'count'>;
}

export class RobotsFetcher {
  readonly #services: TurnServices;
  readonly #options: RobotsFetcherOptions;

  constructor(services: TurnServices, options: RobotsFetcherOptions) {
    this.#services = services;
    this.#options = options;
  }

  /**
   * Follows redirects within the host, and repeats the request once if a body broke off. The response of `judged`, if
   * any, is not disposed of. `isBeside`: a file beside robots.txt, whose failures are the host's like those of pages,
   * though its robots.txt could be fetched.
   */
  async fetch(key: string, { isBeside = false } = {}): Promise<FetchedRobots> {
    const { crawl, pace, known } = this.#options;
    let url = urlOf(key);
    const cache = known.isArchived(key) ? ('bypass' as const) : undefined;
    let redirects = 0;
    /** Bytes of the try before, whose body broke off. */
    let brokeOffAt: number | undefined;
    for (;;) {
      const crawlDelayMs = this.#crawlDelayOf(key, url);
      // The gap before it: a longer one could end each turn on the way.
      const beforeMs = known.of(isOriginKey(key) ? key : originOf(url))?.crawlDelayMs;
      const request = { url, maxBodyBytes: MAX_BODY_BYTES, cache };
      const outcome = await pace.exchange(request, beforeMs, crawlDelayMs);
      if (redirects === 0 && isBlocked(outcome)) return { kind: 'blocked', cause: causeOfFailure(outcome) };
      const bytes = bytesOfBreak(outcome);
      const isSameBreak = bytes !== undefined && bytes === brokeOffAt;
      const content = isFile(outcome) ? await decodedBody(outcome) : undefined;
      const refusal = await refusalOf(outcome, content?.bytes);
      const verdict: RobotsVerdict = refusal
        ? { kind: 'unreachable', cause: refusal }
        : robotsVerdict(outcome, redirects, { isSameBreak, undecoded: content?.fault });
      const isTriedAgain = refusal === undefined && bytes !== undefined && brokeOffAt === undefined;
      const failure = this.#hostFailureOf(key, { verdict, outcome, isBeside, isTriedAgain });
      const before = pace.clock;
      pace.record(outcome, failure, crawlDelayMs);
      // A redirect answers nothing yet, and an origin that does not give its rules nothing that helps.
      if (verdict.kind === 'redirect' || (verdict.kind === 'unreachable' && failure === undefined))
        pace.restoreFailures(before);
      if (refusal && !isBeside && !known.isOtherOriginOpen(key, this.#now()))
        await this.#options.refusals.count(refusal, { isFirst: true, url });
      if (outcome.status === 'response') await this.#archive(outcome);
      if (verdict.kind !== 'redirect' && !isTriedAgain)
        return { kind: 'judged', verdict, outcome, content: content?.bytes };
      const cacheControl = outcome.status === 'response' ? headersOf(outcome, 'cache-control') : [];
      if (outcome.status === 'response') await outcome.body.dispose();
      if (verdict.kind === 'redirect') {
        url = verdict.location;
        redirects++;
        const at = sentRequest(outcome) ? outcome.startedAt : this.#now();
        if (hostKey(url) !== crawl.host) return { kind: 'moved', to: url, at, cacheControl };
      }
      brokeOffAt = bytes;
      const late: Cause = verdict.kind === 'unreachable' ? verdict.cause : { code: 'robotsRedirectsTooSlow' };
      const cause = await this.#waitForNext(key, late);
      if (cause !== undefined) return { kind: 'judged', verdict: { kind: 'unreachable', cause }, outcome };
    }
  }

  /** The longer one of the delays known of the requested origin and of the origin whose robots.txt this is. */
  #crawlDelayOf(key: string, url: string): number | undefined {
    const { known } = this.#options;
    const delays = [key, originOf(url)].flatMap((one) => known.of(one)?.crawlDelayMs ?? []);
    return delays.sort((a, b) => b - a)[0];
  }

  /** Returns the failure of the host that the exchange shows. Undefined if the host's other origin answers. */
  #hostFailureOf(
    key: string,
    { verdict, outcome, isBeside, isTriedAgain }: JudgedTry,
  ): HostFailure | undefined {
    if (verdict.kind !== 'unreachable' || isOurOwn(outcome)) return undefined;
    const now = this.#now();
    if (!isBeside && this.#options.known.isOtherOriginOpen(key, now)) return undefined;
    return outcome.status === 'failed'
      ? hostFailureOf(outcome, verdict.cause)
      : {
          cause: verdict.cause,
          weight: isTriedAgain || isRefusal(verdict.cause) ? 0 : 1,
          retryAfterMs: retryAfterOf(outcome, now),
        };
  }

  async #archive(response: FetchedResponse): Promise<void> {
    if (sentRequest(response)) this.#options.crawl.budget.receive(response.body.size);
    await this.#options.output.archiveRobots(response);
  }

  /** Waits until the next request may be made. Returns the reason if it may not; `late`: that is too late for the turn. */
  async #waitForNext(key: string, late: Cause): Promise<Cause | undefined> {
    const { crawl, pace, known } = this.#options;
    const { engine, stopping } = this.#services;
    const now = engine.clock.now();
    const at = Math.max(now, pace.nextFetchAt);
    if (at > pace.lastRequestAt) {
      if (!known.isOtherOriginOpen(key, now)) pace.fail(late);
      return late;
    }
    await engine.clock.sleep(at - now, stopping);
    return (await crawl.isRunning()) ? undefined : { code: 'crawlNotRunning' };
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}

/** Returns the URL that is requested first for a key of rules: robots.txt of an origin, or the URL that the key is. */
export const urlOf = (key: string): string => (isOriginKey(key) ? (robotsUrl(key) as string) : key);

/** Returns how the site refuses the crawler instead of an answer. A file that it keeps from the crawler is not one that is not there. */
async function refusalOf(
  outcome: FetchOutcome,
  content: Uint8Array | undefined,
): Promise<RefusalCause | undefined> {
  const cause = outcome.status === 'response' ? await refusalInFile(outcome, content) : undefined;
  return cause && { ...cause, at: 'robots' };
}

/** Returns how many bytes of a robots.txt came that broke off, if the server may have no more of it. */
function bytesOfBreak(outcome: FetchOutcome): number | undefined {
  if (!isFile(outcome)) return undefined;
  const { truncated, bodyFailure, body } = outcome;
  const isBroken = truncated === 'disconnect' || truncated === 'time';
  return isBroken && bodyFailure?.code !== 'malformedResponse' && body.size > 0 ? body.size : undefined;
}

/** Whether the response is the file that was requested. */
const isFile = (outcome: FetchOutcome): outcome is FetchedResponse =>
  outcome.status === 'response' && outcome.httpStatus >= 200 && outcome.httpStatus < 300;
const isBlocked = (outcome: FetchOutcome): outcome is FetchFailure =>
  outcome.status === 'failed' && (outcome.reason === 'blockedAddress' || outcome.reason === 'blockedPort');
export const isAborted = (outcome: FetchOutcome) =>
  outcome.status === 'failed' && outcome.reason === 'aborted';
export const isByMiddleware = (outcome: FetchOutcome) =>
  outcome.status === 'failed' && outcome.reason === 'middleware';
const isOurOwn = (outcome: FetchOutcome) => isAborted(outcome) || isByMiddleware(outcome);
