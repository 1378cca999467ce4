import { printable } from '../shared/core/text/printable.ts';

/** More are only counted. */
const MAX_NAMED = 10;

export interface Skips {
  readonly count: number;
  skip(url: string, reason: string): void;
}

/** Names the first pages that something could not be made of on standard error, and counts all of them. */
export function createSkips(sentence: (url: string) => string): Skips {
  let count = 0;
  return {
    get count() {
      return count;
    },
    skip(url, reason) {
      if (count++ < MAX_NAMED)
        process.stderr.write(`strand: ${sentence(printable(url))}: ${printable(reason)}\n`);
    },
  };
}
