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

const FOREST = forestOf(model.trees);

/** All trees as lists of numbers of one kind, which are read in a third of the time. */
interface Forest {
  /** The inner nodes' features, one tree after the other; so the next three lists. A child is a node's place in these lists, or `-1 - n` for a leaf. */
  readonly features: Uint16Array;
  readonly thresholds: Float64Array;
  readonly lefts: Int16Array;
  readonly rights: Int16Array;
  readonly leaves: Float64Array;
  readonly roots: Uint16Array;
}

function forestOf(trees: readonly Tree[]): Forest {
  const roots = startsOf(trees.map(({ feature }) => feature.length));
  const firstLeaves = startsOf(trees.map(({ leaf }) => leaf.length));
  const placesOf = (children: readonly number[], tree: number) =>
    children.map((child) => (child < 0 ? child - firstLeaves[tree]! : child + roots[tree]!));
  return {
    features: Uint16Array.from(trees.flatMap(({ feature }) => feature)),
    thresholds: Float64Array.from(trees.flatMap(({ threshold }) => threshold)),
    lefts: Int16Array.from(trees.flatMap(({ left }, i) => placesOf(left, i))),
    rights: Int16Array.from(trees.flatMap(({ right }, i) => placesOf(right, i))),
    leaves: Float64Array.from(trees.flatMap(({ leaf }) => leaf)),
    roots: Uint16Array.from(roots),
  };
}

/** Where each of some lists begins if they follow one another. */
function startsOf(lengths: readonly number[]): number[] {
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return start - length;
  });
}

/** Between 0 and 1. `row`: one number for each of {@link MODEL_FEATURES}. */
export function contentProbability(row: Float64Array): number {
  const { features, thresholds, lefts, rights, leaves, roots } = FOREST;
  let sum = 0;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree]!;
    do node = row[features[node]!]! <= thresholds[node]! ? lefts[node]! : rights[node]!;
    while (node >= 0);
    sum += leaves[-1 - node]!;
  }
  return 1 / (1 + Math.exp(-sum));
}
