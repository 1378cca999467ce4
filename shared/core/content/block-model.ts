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
  /** The features that have nodes, those of the page before those of the block, and the first node of each. */
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

/** Features that all blocks of a page have in common. */
const OF_PAGE = /^(?:page|has|is)[A-Z]|^(?:articles|bestShare)$/;

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
  const isOfPage = ({ feature }: FlatNode): boolean => OF_PAGE.test(MODEL_FEATURES[feature]!);
  nodes.sort((a, b) => Number(isOfPage(b)) - Number(isOfPage(a)));
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
const PAGE_FEATURES = Array.from(FOREST.features).filter((at) => OF_PAGE.test(MODEL_FEATURES[at]!)).length;
/** The leaves that are still possible in each tree. */
const possible = new Int32Array(model.trees.length);
/** The leaves that the features of the last block's page leave, and these features: a quarter of the work. */
const possibleOnPage = new Int32Array(model.trees.length);
const page = new Float64Array(PAGE_FEATURES).fill(Number.NaN);

/** Between 0 and 1. `row`: one finite number for each of {@link MODEL_FEATURES}. */
export function contentProbability(row: Float64Array): number {
  const { features, leaves } = FOREST;
  if (!isOfLastPage(row)) {
    possibleOnPage.fill(-1);
    exclude(possibleOnPage, row, 0, PAGE_FEATURES);
  }
  possible.set(possibleOnPage);
  exclude(possible, row, PAGE_FEATURES, features.length);
  let sum = 0;
  for (let tree = 0; tree < possible.length; tree++) {
    const bits = possible[tree]!;
    // The lowest bit: the leaf furthest to the left.
    sum += leaves[MAX_LEAVES * tree + 31 - Math.clz32(bits & -bits)]!;
  }
  return 1 / (1 + Math.exp(-sum));
}

/** Notes the features of the page for the next block, too. */
function isOfLastPage(row: Float64Array): boolean {
  let isSame = true;
  for (let i = 0; i < PAGE_FEATURES; i++) {
    const value = row[FOREST.features[i]!]!;
    if (page[i] === value) continue;
    page[i] = value;
    isSame = false;
  }
  return isSame;
}

/** Excludes the leaves that the features from `first` to before `end` exclude. */
function exclude(leaves: Int32Array, row: Float64Array, first: number, end: number): void {
  const { features, starts, thresholds, trees, masks } = FOREST;
  for (let i = first; i < end; i++) {
    const value = row[features[i]!]!;
    for (let node = starts[i]!; value > thresholds[node]!; node++) leaves[trees[node]!]! &= masks[node]!;
  }
}
