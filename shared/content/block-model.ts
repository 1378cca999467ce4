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

const TREES: readonly Tree[] = model.trees;

/** The features that the model was trained with, in their order. */
export const MODEL_FEATURES: readonly string[] = model.features;

/** Between 0 and 1. `row`: one number for each of {@link MODEL_FEATURES}. */
export function contentProbability(row: ArrayLike<number>): number {
  let sum = 0;
  for (const { feature, threshold, left, right, leaf } of TREES) {
    let node = 0;
    while (node >= 0) node = row[feature[node]!]! <= threshold[node]! ? left[node]! : right[node]!;
    sum += leaf[-1 - node]!;
  }
  return 1 / (1 + Math.exp(-sum));
}
