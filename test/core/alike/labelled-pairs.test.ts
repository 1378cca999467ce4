import { expect, test } from 'vitest';
import { alikeClusters } from '../../../shared/core/alike/alike-clusters.ts';
import { sharedText } from '../../../shared/core/alike/shared-text.ts';
import { type LabelledPair, readPairs, readSample, readTexts } from './labelled-pairs.ts';

const pairs = readPairs();
const texts = readTexts();

/** By the very code that finds the clusters of a crawl. */
function isFound({ site, a, b }: LabelledPair): boolean {
  const both = [a, b].map((path) => texts.get(`${site} ${path}`)!);
  const [first, second] = both.map(({ sketch }) => sketch);
  if (!first || !second) return false;
  const compare = (n: number, m: number) => sharedText(both[n]!.text, both[m]!.text);
  return alikeClusters(new Uint8Array(Buffer.concat([first, second])), compare).length === 1;
}

function judged(half: 'tune' | 'judge') {
  const own = pairs.filter((pair) => pair.half === half);
  const found = own.filter(isFound);
  const same = own.filter(({ isSame }) => isSame);
  return {
    precision: found.filter(({ isSame }) => isSame).length / found.length,
    recall: same.filter(isFound).length / same.length,
  };
}

test('there are 300 pairs of three sites, each once, and both labels in each half', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(300);
  expect(new Set(pairs.map(({ site }) => site)).size).toBe(3);
  expect(new Set(pairs.map(({ site, a, b }) => `${site} ${a} ${b}`)).size).toBe(pairs.length);
  for (const half of ['tune', 'judge'] as const)
    for (const label of [true, false])
      expect(pairs.filter((pair) => pair.half === half && pair.isSame === label).length).toBeGreaterThan(60);
  expect(readSample('rust')).toHaveLength(256);
  for (const { site, a, b } of pairs)
    for (const path of [a, b]) expect(texts.has(`${site} ${path}`)).toBe(true);
});

/** docs/local.md has the figures. */
test.each(['tune', 'judge'] as const)('what people call the same is found, and little else (%s)', (half) => {
  const { precision, recall } = judged(half);
  expect(precision).toBeGreaterThanOrEqual(0.95);
  expect(recall).toBeGreaterThanOrEqual(0.9);
});
