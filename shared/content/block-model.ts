/**
 * Estimates how likely a block of text is main content, by gradient-boosted decision trees over its features.
 * How they were trained is in `bench/content/README.md`.
 */
import model from './block-model.json' with { type: 'json' };

interface Tree {
  /**
   * For each inner node: the feature's index, the threshold, and where to go at most and above it; below 0:
   * leaf `-1 - n`.
   */
  readonly feature: readonly number[];
  readonly threshold: readonly number[];
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly leaf: readonly number[];
}

/** The features that the model was trained with, in their order. */
export const MODEL_FEATURES: readonly string[] = model.features;

/** All inner nodes, one tree after the other; a child is a node's place in these lists, or `-1 - n` for a leaf. */
const FEATURE: number[] = [];
const THRESHOLD: number[] = [];
const LEFT: number[] = [];
const RIGHT: number[] = [];
const LEAF: number[] = [];
const ROOT: number[] = [];

for (const { feature, threshold, left, right, leaf } of model.trees as readonly Tree[]) {
  const root = FEATURE.length;
  const firstLeaf = LEAF.length;
  const placeOf = (child: number) => (child < 0 ? child - firstLeaf : root + child);
  ROOT.push(root);
  FEATURE.push(...feature);
  THRESHOLD.push(...threshold);
  LEFT.push(...left.map(placeOf));
  RIGHT.push(...right.map(placeOf));
  LEAF.push(...leaf);
}

/** Lists of numbers of one kind are read in a third of the time. */
const features = Uint16Array.from(FEATURE);
const thresholds = Float64Array.from(THRESHOLD);
const lefts = Int16Array.from(LEFT);
const rights = Int16Array.from(RIGHT);
const leaves = Float64Array.from(LEAF);
const roots = Uint16Array.from(ROOT);

/** Between 0 and 1. `row`: one number for each of {@link MODEL_FEATURES}. */
export function contentProbability(row: Float64Array): number {
  let sum = 0;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree]!;
    do node = row[features[node]!]! <= thresholds[node]! ? lefts[node]! : rights[node]!;
    while (node >= 0);
    sum += leaves[-1 - node]!;
  }
  return 1 / (1 + Math.exp(-sum));
}
