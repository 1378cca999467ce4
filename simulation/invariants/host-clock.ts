/**
 * A host's failures in a row as the web has seen them, by simple rules of the tests' own (README,
 * "Politeness").
 */
import { origin } from '../../shared/core/url/host-key.ts';
import { isOwnRequest } from '../../shared/core/url/request-url.ts';
import type { WebRequest } from '../worlds/spec.ts';
import type { CrawlFacts } from './facts.ts';
import { stateOf } from './final-state.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits, Visit } from './visits.ts';

/** The effect of a request on its host. */
export interface Effect {
  /** Failures that it counts for: 0 for one that says nothing about the host. */
  readonly weight: number;
  /** It halves the failures so far. */
  readonly isGood: boolean;
  /**
   * Unknown from outside: robots.txt of a host with two origins counts against the host only where the other
   * origin's could not be fetched.
   */
  readonly isUncertain?: boolean;
  /** Though it is not known whether it counts as a failure, it forgives none. */
  readonly forgivesNothing?: boolean;
}

/** The host asks to be left alone, or could not do better: worth another try. */
const OF_HOST = new Set([408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524, 598, 599]);

export interface Step {
  readonly request: WebRequest;
  readonly effect: Effect;
  /** The failures that may have been counted after it. */
  readonly failures: readonly number[];
}

/** The failures after each request of a visit, beginning with those of the head before. */
export function stepsOf(visit: Visit, { crawl, requests }: HostVisits, robots: RobotsLog): Step[] {
  const origins = new Set(requests.map((request) => robots.askedFor(request) ?? origin(request.url)));
  let possible = new Set(startOf(visit));
  return visit.requests.map((request) => {
    const isTied = crawl.config.perHost > 1 && visit.requests.some((other) => isTie(request, other));
    const known = effectOf(request, robots, origins.size > 1);
    const isSpared = mayBeSpared(request, robots) && possible.has(0);
    const effect = isTied
      ? { ...known, isUncertain: true, forgivesNothing: false }
      : isSpared
        ? { ...known, isUncertain: true, forgivesNothing: true }
        : known;
    possible = new Set([...possible].flatMap((failures) => after(failures, effect)));
    return { request, effect, failures: [...possible] };
  });
}

/** A connection that breaks is no failure of a host without failures if there is time to request the page once more. */
const mayBeSpared = (request: WebRequest, robots: RobotsLog): boolean =>
  request.failure === 'reset' && !robots.isOfRobots(request) && !isOwnRequest(request.url);

/** If two requests end at the same time, either may have been counted first. */
const isTie = (a: WebRequest, b: WebRequest): boolean => a !== b && Math.abs(a.endedAt - b.endedAt) <= TIE_MS;
const TIE_MS = 10;

/** A host that was given up begins again when its crawl is resumed. */
function startOf({ before, requests }: Visit): number[] {
  const failures = before?.head.clock.failures ?? 0;
  if (!before?.head.setAside) return [failures];
  return requests.length > 0 ? [0] : [failures, 0];
}

function after(failures: number, { weight, isGood, isUncertain, forgivesNothing }: Effect): number[] {
  const counted = isGood ? failures >> 1 : failures + weight;
  if (isUncertain && forgivesNothing) return [counted, failures];
  // A good response that ended at the same time may have been counted before it, or after it.
  return isUncertain ? [counted, failures, failures >> 1, counted >> 1] : [counted];
}

function effectOf(request: WebRequest, robots: RobotsLog, hasOrigins: boolean): Effect {
  const { failure, httpStatus = 0, isCut = false } = request;
  const nothing = { weight: 0, isGood: false };
  if (failure === 'stale' || failure === 'aborted') {
    // For robots.txt this is a failed connection.
    return robots.isOfRobots(request) && failure === 'stale'
      ? { weight: 1, isGood: false, isUncertain: hasOrigins, forgivesNothing: true }
      : nothing;
  }
  // A challenge that only its page shows is an answer like others.
  if (request.refusal && !request.refusal.isPlain)
    return { weight: 0, isGood: !robots.isOfRobots(request) && httpStatus === 200 };
  const bad: Effect = { weight: failure === 'dns' ? 2 : 1, isGood: false };
  if (!robots.isOfRobots(request)) {
    if (failure !== undefined || OF_HOST.has(httpStatus)) return bad;
    // A body that breaks off at another byte than before says nothing of the host.
    return { weight: 0, isGood: true, isUncertain: isCut && stateOf(httpStatus) === 'fetched' };
  }
  if (failure === undefined && httpStatus >= 300 && httpStatus < 400)
    // It forgives nothing, and where there is no time left to follow it, it counts as a failure.
    return { weight: 1, isGood: false, isUncertain: true };
  const isAnswered =
    failure === undefined &&
    ((httpStatus >= 200 && httpStatus < 300 && !isCut) ||
      (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 429));
  if (isAnswered) return { weight: 0, isGood: true };
  // A robots.txt that breaks off is asked for again at once, and counts then.
  const isBreak = failure === undefined && isCut && httpStatus < 300;
  return { ...bad, isUncertain: hasOrigins || isBreak, forgivesNothing: !isBreak };
}

/** The least rest after a failure, ms. */
export function leastRestMs(
  { request, effect, failures }: Step,
  { config }: Pick<CrawlFacts, 'config'>,
): number {
  if (effect.weight === 0 || effect.isUncertain) return 0;
  const doubled = config.backoffMs * 2 ** (Math.min(...failures) - 1);
  const backoffMs = 0.75 * Math.min(doubled, config.maxBackoffMs);
  return Math.max(backoffMs, Math.min(request.retryAfterMs ?? 0, config.maxRetryAfterMs));
}
