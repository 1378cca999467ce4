import { expect, test } from 'vitest';
import model from '../../../shared/core/content/block-model.json' with { type: 'json' };
import { contentProbability, MODEL_FEATURES } from '../../../shared/core/content/block-model.ts';

/** The thresholds of each feature, and what is beside them. */
const values = MODEL_FEATURES.map((_, at) => {
  const thresholds = model.trees.flatMap(({ feature, threshold }) =>
    threshold.filter((_, node) => feature[node] === at),
  );
  return [0, ...thresholds, ...thresholds.map((value) => value + 0.001)];
});

/** The sum of the leaves to which the nodes lead, one after the other. */
function walked(row: Float64Array): number {
  let sum = 0;
  for (const { feature, threshold, left, right, leaf } of model.trees) {
    let node = 0;
    while (node >= 0) node = (row[feature[node]!]! > threshold[node]! ? right : left)[node]!;
    sum += leaf[-1 - node]!;
  }
  return 1 / (1 + Math.exp(-sum));
}

test('a block has the probability to which the trees lead, whatever block came before it', () => {
  let seed = 1;
  const any = <T>(list: readonly T[]): T => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return list[(seed >>> 8) % list.length]!;
  };
  const places = [...values.keys()];
  let row = Float64Array.from(values, any);
  for (let block = 0; block < 2000; block++) {
    expect(contentProbability(row)).toBeCloseTo(walked(row), 12);
    // The next block of the page, and sometimes one of another page.
    if (block % 10 === 0) row = Float64Array.from(values, any);
    const at = any(places);
    row[at] = any(values[at]!);
  }
});
