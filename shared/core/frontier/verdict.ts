/** Judges the outcome of a fetch: the next state of the URL, and the consequences for its host. */
import { boundedText, type Cause, detailOfBreak } from '../causes/cause.ts';
import type { CrawlConfig } from '../crawl/config.ts';
import type { FetchedResponse, FetchFailure, FetchOutcome } from '../outcome/fetch-outcome.ts';
import type { HostFailure } from './politeness.ts';
import type { UrlRecord, UrlState } from './url-record.ts';

export interface Verdict {
  /** The URL's state; `waiting`: to be tried again. */
  readonly state: UrlState;
  /** Where the state alone does not say it. */
  readonly cause?: Cause;
  /** The host, not the URL, is in trouble, and rests. */
  readonly hostFailure?: HostFailure;
  /** The try counts against the URL's attempts. */
  readonly isAttempt: boolean;
  /** The response is archived and announced: it is final. */
  readonly isFinal: boolean;
  /** For a URL to be tried again: the least time until then, in ms. */
  readonly retryMs: number;
}

/**
 * Worth another try: the request itself may have been fine. RFC 9110, 15.5.9, 15.6.3 to 15.6.5; Cloudflare's
 * 52x.
 */
const PASSING = new Set([408, 425, 502, 504, 520, 521, 522, 523, 524, 598, 599]);
const OVERLOADED = new Set([429, 503]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Whether the host refuses further requests for a time: RFC 6585, section 4; RFC 9110, 15.6.4. */
export const isOverloaded = (httpStatus: number): boolean => OVERLOADED.has(httpStatus);

/** Whether the response says nothing lasting of the URL, so that no later crawl should go by it. */
export const isPassing = (httpStatus: number): boolean => httpStatus >= 500 || countsAgainstHost(httpStatus);

/** Whether the host, not the URL, is in trouble. */
export const countsAgainstHost = (httpStatus: number): boolean =>
  isOverloaded(httpStatus) || PASSING.has(httpStatus);

/** `record`: the URL as it was before. `retryAfterMs`: of the response's Retry-After, if it has one. */
export function judge(
  outcome: FetchOutcome,
  record: Pick<UrlRecord, 'attempts' | 'result'>,
  config: Pick<CrawlConfig, 'maxAttempts' | 'retryMs' | 'backoffMs' | 'maxBackoffMs'>,
  retryAfterMs?: number,
): Verdict {
  const { attempts } = record;
  const isLastTry = attempts + 1 >= config.maxAttempts;
  const again = (cause: Cause, finally_: UrlState, firstMs: number, hostFailure?: HostFailure): Verdict => ({
    state: isLastTry ? finally_ : 'waiting',
    cause,
    hostFailure,
    isAttempt: true,
    isFinal: isLastTry,
    retryMs: Math.min(firstMs * 2 ** attempts, config.maxBackoffMs),
  });
  // The host rests, and the URL longer than that, so that another one of the host's is tried before it.
  const trouble = (cause: Cause, finally_: UrlState): Verdict =>
    again(cause, finally_, config.backoffMs, { cause, weight: 1, retryAfterMs });

  if (outcome.status === 'failed') {
    const { reason } = outcome;
    const cause = causeOfFailure(outcome);
    if (reason === 'aborted') return NOTHING_TRIED;
    if (outcome.isStaleConnection) return again(cause, 'failed', 0);
    if (reason === 'blockedAddress' || reason === 'blockedPort') return final('skipped', cause);
    // Its host has done nothing; its proxy may be back soon.
    if (reason === 'proxy') return { ...NOTHING_TRIED, hostFailure: hostFailureOf(outcome, cause) };
    // The project's own code, which may break at this page alone.
    if (reason === 'middleware') return again(cause, 'failed', config.retryMs);
    return again(cause, 'failed', config.backoffMs, hostFailureOf(outcome, cause));
  }

  const { httpStatus } = outcome;
  const status: Cause = { code: 'httpStatus', httpStatus };
  if (countsAgainstHost(httpStatus)) return trouble(status, 'failed');
  // Mostly the page's fault, sometimes a passing one; no reason to rest.
  if (httpStatus === 500) return again(status, 'failed', config.retryMs);
  const state = stateOf(httpStatus);
  const cause = state === 'fetched' ? causeOfBreak(outcome) : undefined;
  if (cause === undefined) return final(state);
  // Nothing is there to be a page.
  const finally_ = outcome.body.size === 0 ? 'failed' : state;
  // At the same byte again: the server sends it so, and is in no trouble.
  if (outcome.body.size === brokeOffAt(record)) return again(cause, finally_, config.retryMs);
  // The host rests, but it has answered: it is not given up for that.
  return again(cause, finally_, config.backoffMs, { cause, weight: 0, retryAfterMs });
}

/** Returns why the body is not whole, if it broke off. */
function causeOfBreak({ truncated, bodyFailure, body }: FetchedResponse): Cause | undefined {
  if (truncated !== 'disconnect' && truncated !== 'time') return undefined;
  if (body.size === 0) return causeOfFailure(bodyFailure ?? { message: 'the body did not come' });
  return { code: 'bodyBrokeOff', truncated, ...detailOfBreak(bodyFailure) };
}

/** Returns how many bytes the URL's last try brought of a body that broke off. */
function brokeOffAt({ result }: Pick<UrlRecord, 'result'>): number | undefined {
  const code = result?.cause?.code;
  return code === 'bodyBrokeOff' || code === 'fetchFailed' ? result?.bodyBytes : undefined;
}

/** The URL waits as before. */
const NOTHING_TRIED: Verdict = { state: 'waiting', isAttempt: false, isFinal: false, retryMs: 0 };

/** Why the exchange failed. */
export function causeOfFailure({ code, message }: Pick<FetchFailure, 'code' | 'message'>): Cause {
  return { code: 'fetchFailed', ...(code !== undefined && { failure: code }), detail: boundedText(message) };
}

/**
 * Returns the consequences of a failed exchange for its host. A name that does not resolve rarely comes back:
 * fewer tries. If a proxy cannot be used, the host rests, and is not to blame.
 */
export function hostFailureOf({ reason, code }: FetchFailure, cause: Cause): HostFailure {
  return {
    cause,
    weight: reason === 'proxy' ? 0 : reason === 'dns' ? 2 : 1,
    ...(code !== undefined && { code }),
  };
}

const final = (state: UrlState, cause?: Cause): Verdict => ({
  state,
  cause,
  isAttempt: true,
  isFinal: true,
  retryMs: 0,
});

/** Whether such a response has the page that was asked for: also one that names several to choose from (300). */
export const hasPage = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus <= 300;

function stateOf(httpStatus: number): UrlState {
  if (hasPage(httpStatus)) return 'fetched';
  if (REDIRECTS.has(httpStatus)) return 'redirect';
  if (httpStatus === 404 || httpStatus === 410) return 'gone';
  return 'failed';
}
