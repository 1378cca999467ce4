/**
 * V8's engine for regular expressions whose work grows no faster than the text
 * (v8.dev/blog/non-backtracking-regexp). The flags hold for a whole process: a program sets them once, when
 * it starts (decision 0024).
 */
import { setFlagsFromString } from 'node:v8';

/**
 * Makes the flag `l` of regular expressions known, by which `control/pattern-cost.ts` judges patterns.
 * Changes nothing else.
 */
export function allowLinearFlag(): void {
  setFlagsFromString('--enable-experimental-regexp-engine');
}

/**
 * From here on, a regular expression that has gone back 50,000 times on a text is matched by that engine: the patterns
 * of a crawl come with a request, and a pattern such as `(a+)+$` would block a function until its time-out, again and
 * again. The engine counts as experimental, but is used only for matches that would otherwise not end. It does not take
 * every pattern: the others are judged when a crawl begins (`control/pattern-cost.ts`).
 */
export function matchInLinearTime(): void {
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
}
