/**
 * How much of their texts two pages share: blocks that are equal, in whatever order, and the words of the other blocks that stand in
 * the same order in both (longest common subsequence; Myers, An O(ND) Difference Algorithm and Its Variations, 1986).
 *
 * A sketch estimates the share of runs of words. It cannot distinguish a text in which one name is another one everywhere from a text with
 * other paragraphs, and estimates with a standard error of 0.05. So sketches find the pairs, and this judges them.
 */
import type { OwnText } from './own-text.ts';

/** Two texts are nearly the same from this similarity on. Chosen by the labelled pairs (`test/core/alike/labelled-pairs.ts`). */
export const ALIKE = 0.895;
/** The words of a sentence that differs count less, even those that both have: it says something else. */
const COST_OF_ANOTHER_BLOCK = 0.1;
/** Texts with more differences are judged without the order of their words: the time grows by the square. */
const MAX_DIFFERENCES = 2_000;

/**
 * Returns the share of the longer text that the other one has, too, from `least` to 1; 0 if it is less than `least`.
 * Takes 0.1 ms for texts of some hundred words, and at most some 50 ms.
 */
export function sharedText(a: OwnText, b: OwnText, least = ALIKE): number {
  if (!mayShare(a.words.length, b.words.length, least)) return 0;
  const restA = withoutEqual(a, b);
  const restB = withoutEqual(b, a);
  const equal = a.words.length - restA.length;
  const rest = Math.max(restA.length, restB.length);
  if (rest === 0) return 1;
  const scoreOf = (common: number) => (equal + common - COST_OF_ANOTHER_BLOCK * rest) / (equal + rest);
  const most = commonWords(restA, restB);
  if (scoreOf(most) < least) return 0;
  const differences = restA.length + restB.length;
  // Each word that both have saves two differences.
  const needed = Math.ceil(least * (equal + rest) + COST_OF_ANOTHER_BLOCK * rest - equal);
  const allowed = Math.max(0, differences - 2 * needed);
  const found = leastDifferences(restA, restB, Math.min(allowed, MAX_DIFFERENCES));
  if (found === undefined) return allowed > MAX_DIFFERENCES ? scoreOf(most) : 0;
  const score = scoreOf((differences - found) / 2);
  return score >= least ? score : 0;
}

/** Whether texts with these numbers of words can share at least `least`. */
export const mayShare = (words: number, others: number, least = ALIKE): boolean =>
  Math.min(words, others) >= least * Math.max(words, others);

/** The words of the blocks that the other text lacks, each as often as it lacks them. */
function withoutEqual({ blocks, ends, words }: OwnText, other: OwnText): Uint16Array {
  const lacking = new Map<number, number>();
  for (const block of blocks) lacking.set(block, (lacking.get(block) ?? 0) + 1);
  for (const block of other.blocks) lacking.set(block, (lacking.get(block) ?? 0) - 1);
  const rest = new Uint16Array(words.length);
  let count = 0;
  let from = 0;
  for (let n = 0; n < blocks.length; n++) {
    const block = blocks[n] as number;
    const end = ends[n] as number;
    const more = lacking.get(block) as number;
    if (more > 0) {
      lacking.set(block, more - 1);
      rest.set(words.subarray(from, end), count);
      count += end - from;
    }
    from = end;
  }
  return rest.subarray(0, count);
}

/** How often each word is, during a call of {@link commonWords}; otherwise zeros. */
const counts = new Int32Array(1 << 16);

/** The number of words that both have, in whatever order. */
function commonWords(a: Uint16Array, b: Uint16Array): number {
  for (let i = 0; i < a.length; i++) counts[a[i]!]!++;
  let common = 0;
  for (let i = 0; i < b.length; i++) if (counts[b[i]!]!-- > 0) common++;
  for (let i = 0; i < a.length; i++) counts[a[i]!] = 0;
  for (let i = 0; i < b.length; i++) counts[b[i]!] = 0;
  return common;
}

/** The least number of words to delete and to insert that make `b` of `a`; undefined if it is more than `most`. */
function leastDifferences(a: Uint16Array, b: Uint16Array, most: number): number | undefined {
  const offset = most + 1;
  // The furthest index in `a` on each diagonal.
  const furthest = new Int32Array(2 * offset + 1);
  for (let differences = 0; differences <= most; differences++) {
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      const left = furthest[offset + diagonal - 1] as number;
      const above = furthest[offset + diagonal + 1] as number;
      const isDown = diagonal === -differences || (diagonal !== differences && left < above);
      let x = isDown ? above : left + 1;
      let y = x - diagonal;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      if (x >= a.length && y >= b.length) return differences;
      furthest[offset + diagonal] = x;
    }
  }
  return undefined;
}
