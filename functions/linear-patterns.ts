import { setFlagsFromString } from 'node:v8';

/**
 * From here on, a regular expression that has gone back 50,000 times on a text is matched by V8's other engine, whose
 * work grows no faster than the text (v8.dev/blog/non-backtracking-regexp): the patterns of a crawl come with a request,
 * and one such as `(a+)+$` would hold up all that a function does, until its time-out, again and again. The engine counts
 * as experimental, but is met only by what would else not end. It does not take every pattern: the others are judged when
 * a crawl begins (`shared/control/pattern-cost.ts`).
 */
export function matchInLinearTime(): void {
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
}
