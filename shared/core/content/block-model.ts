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

/**
 * The inner nodes of all trees by feature, and their thresholds ascending: a walk through them finds the nodes at which a block
 * goes to the right, without a look at the others (Lucchese et al., QuickScorer, SIGIR 2015).
 */
interface Forest {
  /** The features that have nodes, and the first node of each. */
  readonly features: Int32Array;
  readonly starts: Int32Array;
  /** The threshold of each node. Infinity follows a feature's last one. */
  readonly thresholds: Float64Array;
  readonly trees: Uint16Array;
  /** A bit for each leaf of the tree: 0 for those to the left of the node. */
  readonly masks: Int32Array;
  /** The leaves of each tree from left to right, 32 places for each. */
  readonly leaves: Float64Array;
}

/** Leaves of a tree: a bit for each. */
const MAX_LEAVES = 32;

interface FlatNode {
  readonly feature: number;
  readonly threshold: number;
  readonly tree: number;
  readonly mask: number;
}

function forestOf(trees: readonly Tree[]): Forest {
  const nodes: FlatNode[] = [];
  const leaves = new Float64Array(MAX_LEAVES * trees.length);
  for (const [tree, { feature, threshold, left, right, leaf }] of trees.entries()) {
    let placed = 0;
    /** Places the leaves below a node from left to right, and returns their bits. */
    const place = (node: number): number => {
      if (node < 0) {
        leaves[MAX_LEAVES * tree + placed] = leaf[-1 - node]!;
        return 1 << placed++;
      }
      const below = place(left[node]!);
      nodes.push({ feature: feature[node]!, threshold: threshold[node]!, tree, mask: ~below });
      return below | place(right[node]!);
    };
    place(0);
  }
  const byFeature = Map.groupBy(nodes, ({ feature }) => feature);
  const END = { threshold: Number.POSITIVE_INFINITY, tree: 0, mask: -1 };
  const flat: Omit<FlatNode, 'feature'>[] = [];
  const starts: number[] = [];
  for (const own of byFeature.values()) {
    starts.push(flat.length);
    flat.push(...own.sort((a, b) => a.threshold - b.threshold), END);
  }
  return {
    features: Int32Array.from(byFeature.keys()),
    starts: Int32Array.from(starts),
    thresholds: Float64Array.from(flat, ({ threshold }) => threshold),
    trees: Uint16Array.from(flat, ({ tree }) => tree),
    masks: Int32Array.from(flat, ({ mask }) => mask),
    leaves,
  };
}

const FOREST = forestOf(model.trees);
/** The leaves that are still possible in each tree. */
const possible = new Int32Array(model.trees.length);

/** Between 0 and 1. `row`: one finite number for each of {@link MODEL_FEATURES}. */
export function contentProbability(row: Float64Array): number {
  const { features, starts, thresholds, trees, masks, leaves } = FOREST;
  possible.fill(-1);
  for (let i = 0; i < features.length; i++) {
    const value = row[features[i]!]!;
    for (let node = starts[i]!; value > thresholds[node]!; node++) possible[trees[node]!]! &= masks[node]!;
  }
  let sum = 0;
  for (let tree = 0; tree < possible.length; tree++) {
    const bits = possible[tree]!;
    // The lowest bit: the leaf furthest to the left.
    sum += leaves[MAX_LEAVES * tree + 31 - Math.clz32(bits & -bits)]!;
  }
  return 1 / (1 + Math.exp(-sum));
}
