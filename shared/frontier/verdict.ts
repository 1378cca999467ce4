/** What the outcome of a fetch means for the URL and for its host. */
import type { CrawlConfig } from '../crawl/config.ts';
import type { FetchOutcome } from '../ports.ts';
import type { HostFailure } from './politeness.ts';
import type { UrlState } from './url-record.ts';

export interface Verdict {
  /** The URL's state; `waiting`: to be tried again. */
  readonly state: UrlState;
  /** In words, where the state alone does not say it. */
  readonly cause?: string;
  /** The host, not the URL, is in trouble, and rests. */
  readonly hostFailure?: HostFailure;
  /** The try counts against the URL's attempts. */
  readonly isAttempt: boolean;
  /** The response is archived and announced: it is final. */
  readonly isFinal: boolean;
}

/** Worth another try: the request itself may have been fine. RFC 9110, 15.5.9, 15.6.3 to 15.6.5; Cloudflare's 52x. */
const PASSING = new Set([408, 425, 502, 504, 520, 521, 522, 523, 524, 598, 599]);
/** The host asks to be left alone: RFC 6585, section 4; RFC 9110, 15.6.4. */
const OVERLOADED = new Set([429, 503]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** `attempts`: how often the URL was tried before. `retryAfterMs`: what the response asks for, if it does. */
export function judge(
  outcome: FetchOutcome,
  attempts: number,
  config: Pick<CrawlConfig, 'maxAttempts'>,
  retryAfterMs?: number,
): Verdict {
  const isLastTry = attempts + 1 >= config.maxAttempts;
  const trouble = (cause: string, weight: number, finally_: UrlState): Verdict => ({
    state: isLastTry ? finally_ : 'waiting',
    cause,
    hostFailure: { cause, weight, retryAfterMs },
    isAttempt: true,
    isFinal: isLastTry,
  });

  if (outcome.status === 'failed') {
    const { reason, message } = outcome;
    if (reason === 'aborted') return { state: 'waiting', isAttempt: false, isFinal: false };
    if (outcome.isStaleConnection && !isLastTry)
      return { state: 'waiting', cause: message, isAttempt: true, isFinal: false };
    if (reason === 'blockedAddress') return final('skipped', message);
    // A name that does not resolve rarely comes back: fewer tries.
    return trouble(message, reason === 'dns' ? 2 : 1, 'failed');
  }

  const { httpStatus, truncated } = outcome;
  if (OVERLOADED.has(httpStatus) || PASSING.has(httpStatus))
    return trouble(`HTTP ${httpStatus}`, 1, 'failed');
  if (truncated === 'disconnect' || truncated === 'time')
    return trouble(`the body broke off (${truncated})`, 1, stateOf(httpStatus));
  if (REDIRECTS.has(httpStatus)) return final('redirect');
  return final(stateOf(httpStatus));
}

const final = (state: UrlState, cause?: string): Verdict => ({
  state,
  cause,
  isAttempt: true,
  isFinal: true,
});

function stateOf(httpStatus: number): UrlState {
  if (httpStatus >= 200 && httpStatus <= 300) return 'fetched';
  if (REDIRECTS.has(httpStatus)) return 'redirect';
  if (httpStatus === 404 || httpStatus === 410) return 'gone';
  return 'failed';
}
