/**
 * Finds the texts of a large set that are nearly the same. Pairs that may be are found by their sketches (`text-sketch.ts`):
 * locality-sensitive hashing by bands (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, section 3.4). Each band
 * of a sketch is sorted by itself, so that no look-up is made, and the texts that share one are compared.
 *
 * Takes 52 bytes of memory a text: 52 MB for a million.
 */
import { SKETCH_BYTES, similarity } from '../recrawl/text-sketch.ts';

/** Texts are compared from this similarity of their sketches on. */
const MAY_BE_ALIKE = 0.5;
/**
 * 36 bands of 5 bins: two texts whose sketches have a similarity of 0.6 share one of them with a probability of 0.97, unrelated
 * ones with one of 1 in 29,000. Each bin is in three bands.
 */
const BINS = 64;
const BINS_OF_BAND = 5;
const BANDS_OF_ORDER = 12;
/** The bins are taken in these orders: each n-th one. */
const ORDERS = [1, 19, 27];
/** Members of a band that are compared with each further text. Texts that are alike are compared with one of them. */
const MAX_COMPARED = 32;
/** Texts of a group that are compared with each of its texts. The rest of a longer chain is one cluster. */
const MAX_STARS = 50;
/** Pairs that are not copies; they are remembered as such. */
const MAX_KNOWN_PAIRS = 500_000;

/** Texts by their places in the set. */
export interface AlikeCluster {
  /** The one that comes first in the set. */
  readonly original: number;
  /** The texts that are nearly the same as that text, each with its similarity, in the order of the set. */
  readonly others: readonly { readonly at: number; readonly similarity: number }[];
}

/** Returns the similarity of two texts of the set, given by their places; 0 if they are not nearly the same. */
export type CompareTexts = (a: number, b: number) => number;

/**
 * Returns the clusters of a set of sketches, which are in `sketches` one after the other, the largest cluster first. Each
 * text is in one cluster at most: with the first text that it is nearly the same as.
 */
export function alikeClusters(sketches: Uint8Array, compare: CompareTexts): AlikeCluster[] {
  const count = sketches.length / SKETCH_BYTES;
  const sketchAt = (at: number) => sketches.subarray(at * SKETCH_BYTES, (at + 1) * SKETCH_BYTES);
  const compared = remembered(
    (a, b) => (similarity(sketchAt(a), sketchAt(b)) < MAY_BE_ALIKE ? 0 : compare(a, b)),
    count,
  );
  const groups = new Groups(count);
  const keyed = new Float64Array(count);
  for (const bins of bands()) {
    for (let at = 0; at < count; at++) keyed[at] = keyOf(sketches, at, bins) * 2 ** 32 + at;
    keyed.sort();
    let earlier: number[] = [];
    for (let n = 0; n < count; n++) {
      const value = keyed[n] as number;
      const at = value % 2 ** 32;
      if (n === 0 || Math.floor(value / 2 ** 32) !== Math.floor((keyed[n - 1] as number) / 2 ** 32))
        earlier = [];
      if (earlier.some((other) => groups.areTogether(at, other))) continue;
      const alike = earlier.find((other) => compared(other, at) > 0);
      if (alike !== undefined) groups.join(at, alike);
      else if (earlier.length < MAX_COMPARED) earlier.push(at);
    }
  }
  return groups
    .all()
    .flatMap((group) => starsOf(group, compared, (a, b) => similarity(sketchAt(a), sketchAt(b))))
    .sort((a, b) => b.others.length - a.others.length || a.original - b.original);
}

/** A pair can meet in several bands. */
function remembered(compare: CompareTexts, count: number): CompareTexts {
  const different = new Set<number>();
  return (a, b) => {
    const pair = a * count + b;
    if (different.has(pair)) return 0;
    const found = compare(a, b);
    if (found === 0 && different.size < MAX_KNOWN_PAIRS) different.add(pair);
    return found;
  };
}

/** The bins of each band. */
const bands = (): number[][] =>
  ORDERS.flatMap((step) =>
    Array.from({ length: BANDS_OF_ORDER }, (_, band) =>
      Array.from({ length: BINS_OF_BAND }, (_, n) => ((band * BINS_OF_BAND + n) * step) % BINS),
    ),
  );

/** The bins of a band as a number of 20 bits. */
function keyOf(sketches: Uint8Array, at: number, bins: readonly number[]): number {
  let key = 0;
  for (const bin of bins) {
    const byte = sketches[at * SKETCH_BYTES + (bin >>> 1)] as number;
    key = (key << 4) | (bin & 1 ? byte >>> 4 : byte & 0x0f);
  }
  return key;
}

/**
 * Splits a group into clusters around their first texts: a chain of texts, each nearly the same as the next one, may
 * lead far.
 */
function starsOf(group: readonly number[], compare: CompareTexts, estimate: CompareTexts): AlikeCluster[] {
  const clusters: AlikeCluster[] = [];
  let rest = group;
  for (let star = 0; rest.length > 1; star++) {
    const original = rest[0] as number;
    const others: { at: number; similarity: number }[] = [];
    const left: number[] = [];
    for (const at of rest.slice(1)) {
      const value = star < MAX_STARS ? compare(original, at) : estimate(original, at);
      if (value > 0 || star === MAX_STARS) others.push({ at, similarity: value });
      else left.push(at);
    }
    if (others.length > 0) clusters.push({ original, others });
    rest = left;
  }
  return clusters;
}

/** Disjoint sets (union-find with path halving). */
class Groups {
  readonly #parent: Uint32Array;

  constructor(count: number) {
    this.#parent = Uint32Array.from({ length: count }, (_, at) => at);
  }

  areTogether(a: number, b: number): boolean {
    return this.#rootOf(a) === this.#rootOf(b);
  }

  /** The first of both stands for them. */
  join(a: number, b: number): void {
    const [x, y] = [this.#rootOf(a), this.#rootOf(b)];
    this.#parent[Math.max(x, y)] = Math.min(x, y);
  }

  /** The groups of more than one, each in order. */
  all(): number[][] {
    const groups = new Map<number, number[]>();
    for (let at = 0; at < this.#parent.length; at++) {
      const root = this.#rootOf(at);
      if (root === at) continue;
      const group = groups.get(root);
      if (group) group.push(at);
      else groups.set(root, [root, at]);
    }
    return [...groups.values()];
  }

  #rootOf(at: number): number {
    const parent = this.#parent;
    let root = at;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root] as number] as number;
      root = parent[root] as number;
    }
    return root;
  }
}
