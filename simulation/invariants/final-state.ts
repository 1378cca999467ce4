/** The states that answers of the web give the URLs. */
import type { WebRequest } from '../worlds/spec.ts';

/** Statuses worth another try (README, "Politeness"; RFC 9110 and RFC 6585). */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 598, 599]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Returns the state that a single answer gives the URL; undefined: it is tried again. */
export function finalStateOf({ failure, httpStatus = 0, isCut, refusal }: WebRequest): string | undefined {
  if (failure !== undefined || PASSING.has(httpStatus) || (refusal && !refusal.isPlain)) return undefined;
  const state = stateOf(httpStatus);
  // Other answers say all in their header.
  return isCut && state === 'fetched' ? undefined : state;
}

/** The state that a final answer with that status gives. */
export function stateOf(httpStatus = 0): string {
  if ((httpStatus >= 200 && httpStatus <= 300) || httpStatus === 304) return 'fetched';
  if (REDIRECTS.has(httpStatus)) return 'redirect';
  return httpStatus === 404 || httpStatus === 410 ? 'gone' : 'failed';
}
