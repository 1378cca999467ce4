/**
 * The candidate that `word` was most likely meant to be, or undefined where none is near: within a third of
 * its letters (three at most) by insertions, deletions, replacements and swaps of neighbours; failing that,
 * one that has all parts of `word`, or their begins, among its own (`depth`: `max-depth`; `allow-priv`:
 * `allow-private-addresses`). The earlier of two equally near ones.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? candidates.find((candidate) => hasParts(candidate.split('-'), word.split('-')));
}

const hasParts = (parts: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((begin) =>
    parts.some((part) => part === begin || (begin.length > 2 && part.startsWith(begin))),
  );

/** `did you mean --max-pages?`, or `otherwise` where no candidate is near. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  otherwise: string,
  dashes = '',
): string {
  // A much longer word cannot be a misspelling of an option, and the search takes time by its length.
  const meant = word.length <= 60 ? nearest(word, candidates) : undefined;
  return meant ? `did you mean ${dashes}${meant}?` : otherwise;
}

/** Optimal string alignment distance; its cost is the product of the lengths, so the caller bounds them. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
