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

/** Numbers of an inner node. */
const NODE = 3;
const FOREST = forestOf(model.trees);

/** All trees as lists of numbers of one kind, which are read in a third of the time. */
interface Forest {
  /**
   * Three numbers for each inner node, one tree after the other: its feature, and its children at most and above
   * the threshold. A child is a node's index in this list, or `-1 - n` for a leaf.
   */
  readonly nodes: Int16Array;
  /** At the index of the inner node. */
  readonly thresholds: Float64Array;
  readonly leaves: Float64Array;
  readonly roots: Uint16Array;
}

function forestOf(trees: readonly Tree[]): Forest {
  const roots = startsOf(trees.map(({ feature }) => feature.length));
  const firstLeaves = startsOf(trees.map(({ leaf }) => leaf.length));
  const placeOf = (child: number, tree: number) =>
    child < 0 ? child - firstLeaves[tree]! : NODE * (child + roots[tree]!);
  return {
    nodes: Int16Array.from(
      trees.flatMap(({ feature, left, right }, tree) =>
        feature.flatMap((one, i) => [one, placeOf(left[i]!, tree), placeOf(right[i]!, tree)]),
      ),
    ),
    thresholds: Float64Array.from(trees.flatMap(({ threshold }) => threshold.flatMap((one) => [one, 0, 0]))),
    leaves: Float64Array.from(trees.flatMap(({ leaf }) => leaf)),
    roots: Uint16Array.from(roots, (root) => NODE * root),
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
  const { nodes, thresholds, leaves, roots } = FOREST;
  let sum = 0;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree]!;
    do node = nodes[row[nodes[node]!]! <= thresholds[node]! ? node + 1 : node + 2]!;
    while (node >= 0);
    sum += leaves[-1 - node]!;
  }
  return 1 / (1 + Math.exp(-sum));
}
