/**
 * Finds the texts of a large set that are nearly the same, by their sketches (`text-sketch.ts`): locality-sensitive
 * hashing by bands (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, section 3.4). Each band of a sketch is
 * sorted by itself, so that no look-up is made, and the sketches that share one are compared as a whole.
 *
 * Takes 52 bytes of memory a text: 52 MB for a million.
 */
import { SKETCH_BYTES, similarity } from '../recrawl/text-sketch.ts';

/** Texts are nearly the same from this similarity on. */
export const ALIKE = 0.8;
/**
 * 12 bands of 5 bins: two texts of similarity 0.8 share one of them with a probability of 0.995, of 0.5 with one of
 * 0.4, unrelated ones with one of 1 in 90,000.
 */
const BANDS = 12;
const BINS_OF_BAND = 5;
/** Those of a band that are compared with each further one. Texts that are alike are compared with one of them. */
const MAX_COMPARED = 32;
/** In a larger group, its texts are not compared with one another again. */
const MAX_COMPARED_GROUP = 20_000;

/** Texts by their places in the set. */
export interface AlikeCluster {
  /** The one that comes first in the set. */
  readonly original: number;
  /** Those that are nearly the same as that one, each with its similarity, in the order of the set. */
  readonly others: readonly { readonly at: number; readonly similarity: number }[];
}

/**
 * Returns the clusters of a set of sketches, which are in `sketches` one after the other, the largest cluster first. Each
 * text is in one cluster at most: with the first text that it is nearly the same as.
 */
export function alikeClusters(sketches: Uint8Array): AlikeCluster[] {
  const count = sketches.length / SKETCH_BYTES;
  const sketchAt = (at: number) => sketches.subarray(at * SKETCH_BYTES, (at + 1) * SKETCH_BYTES);
  const areAlike = (a: number, b: number) => similarity(sketchAt(a), sketchAt(b)) >= ALIKE;
  const groups = new Groups(count);
  const keyed = new Float64Array(count);
  for (let band = 0; band < BANDS; band++) {
    for (let at = 0; at < count; at++) keyed[at] = keyOf(sketches, at, band) * 2 ** 32 + at;
    keyed.sort();
    let compared: number[] = [];
    for (let n = 0; n < count; n++) {
      const value = keyed[n] as number;
      const at = value % 2 ** 32;
      if (n === 0 || Math.floor(value / 2 ** 32) !== Math.floor((keyed[n - 1] as number) / 2 ** 32))
        compared = [];
      if (compared.some((other) => groups.areTogether(at, other))) continue;
      const alike = compared.find((other) => areAlike(at, other));
      if (alike !== undefined) groups.join(at, alike);
      else if (compared.length < MAX_COMPARED) compared.push(at);
    }
  }
  return groups
    .all()
    .flatMap((group) => starsOf(group, sketchAt))
    .sort((a, b) => b.others.length - a.others.length || a.original - b.original);
}

/** The bins of a band as a number of 20 bits. */
function keyOf(sketches: Uint8Array, at: number, band: number): number {
  let key = 0;
  for (let bin = band * BINS_OF_BAND; bin < (band + 1) * BINS_OF_BAND; bin++) {
    const byte = sketches[at * SKETCH_BYTES + (bin >>> 1)] as number;
    key = (key << 4) | (bin & 1 ? byte >>> 4 : byte & 0x0f);
  }
  return key;
}

/**
 * Splits a group into clusters around their first texts: a chain of texts, each nearly the same as the next one, may
 * lead far.
 */
function starsOf(group: readonly number[], sketchAt: (at: number) => Uint8Array): AlikeCluster[] {
  const clusters: AlikeCluster[] = [];
  let rest = group;
  while (rest.length > 1) {
    const original = rest[0] as number;
    const others: { at: number; similarity: number }[] = [];
    const left: number[] = [];
    for (const at of rest.slice(1)) {
      const value = similarity(sketchAt(original), sketchAt(at));
      if (value >= ALIKE || group.length > MAX_COMPARED_GROUP) others.push({ at, similarity: value });
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
