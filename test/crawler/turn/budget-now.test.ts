import { expect, test } from 'vitest';
import { linkerHash, sketchOf } from '../../../shared/core/frontier/linker-sketch.ts';
import { budgetNow } from '../../../shared/crawler/turn/budget-now.ts';
import { crawlOfTurn } from './turn-fakes.ts';

const linkers = sketchOf(Array.from({ length: 8 }, (_, i) => linkerHash(`x${i}.test`)));
const state = { hosts: '', granted: {}, linkers } as never;

test('a budget that grows by links is that by the median as it is now', async () => {
  let median = 2;
  const medians = { of: async () => median };
  const crawl = crawlOfTurn();
  const limits = { budget: 10, growsByLinks: true } as never;
  const before = (await budgetNow({ medians } as never, crawl, limits))(state);
  median = 8;
  const after = (await budgetNow({ medians } as never, crawl, limits))(state);
  expect(before).toBeGreaterThan(after);
  expect(after).toBe(10);
});

test('another budget is what it is, and costs no look at the median; none is none', async () => {
  const medians = { of: () => Promise.reject(new Error('no median is needed')) };
  for (const [limits, expected] of [
    [{ budget: 7 }, 7],
    [{}, 0],
  ] as const)
    expect((await budgetNow({ medians } as never, crawlOfTurn(), limits as never))(state)).toBe(expected);
});
