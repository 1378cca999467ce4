import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  costOf,
  dataOutBytes,
  LINE_ITEMS,
  type LineItem,
  priceOf,
  type Usage,
} from '../../../../shared/engines/aws/cost/prices.ts';

const prices = priceOf('us-east-1');

describe('list prices', () => {
  test.each<[LineItem, number, number]>([
    ['sqsFifoRequests', 1e6, 0.5],
    ['sqsStandardRequests', 1e6, 0.4],
    ['dynamoWriteUnits', 1e6, 0.625],
    ['dynamoReadUnits', 1e6, 0.125],
    ['s3Puts', 1e6, 5],
    ['s3Gets', 1e6, 0.4],
    ['lambdaRequests', 1e6, 0.2],
    // A million GB-seconds.
    ['lambdaMbMs', 1024 * 1000 * 1e6, 13.3334],
    ['dataOutBytes', 1e9, 0.09],
  ])('%s: %d units cost $%d in us-east-1', (item, units, dollars) => {
    expect(costOf({ [item]: units }, prices).total).toBeCloseTo(dollars, 9);
  });

  test.each(['eu-central-1', 'mars-north-1', 'constructor'])(
    'of %s are not known: those of us-east-1 are used instead, and say so',
    (region) => {
      expect(priceOf(region)).toMatchObject({ region, isExact: false, unitPrices: prices.unitPrices });
      expect(prices.isExact).toBe(true);
    },
  );
});

describe('a cost', () => {
  const usages: fc.Arbitrary<Usage> = fc.dictionary(
    fc.constantFrom(...LINE_ITEMS),
    fc.nat({ max: 2 ** 31 }).map((halves) => halves / 2),
  );

  test('is the sum of what its items cost', () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const { total, byItem } = costOf(usage, prices);
        expect(Object.keys(byItem)).toEqual([...LINE_ITEMS]);
        expect(total).toBeCloseTo(
          LINE_ITEMS.reduce((sum, item) => sum + byItem[item], 0),
          9,
        );
        for (const item of LINE_ITEMS) expect(byItem[item] > 0).toBe((usage[item] ?? 0) > 0);
      }),
    );
  });

  test('of nothing is nothing', () => {
    expect(costOf({}, prices).total).toBe(0);
  });
});

test('a page of 30 KB sends 3 KB to the web: what $0.3 for a million pages are made of', () => {
  const bytes = dataOutBytes(1_000_000, 30e9);
  expect(bytes / 1e6).toBeGreaterThan(3000);
  expect(bytes / 1e6).toBeLessThan(5000);
  expect(costOf({ dataOutBytes: bytes }, prices).total).toBeCloseTo(0.27, 2);
});

test('what is sent to the web is the nearest whole number of bytes', () => {
  // 52 bytes for each 2,920 received.
  expect(dataOutBytes(2, 0)).toBe(5000);
  expect(dataOutBytes(0, 28)).toBe(0);
  expect(dataOutBytes(0, 29)).toBe(1);
  expect(dataOutBytes(1, 140)).toBe(2502);
});
