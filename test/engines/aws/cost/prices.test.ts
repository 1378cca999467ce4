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

  test.each([
    'us-west-2',
    'eu-central-1',
    'ap-southeast-2',
    'sa-east-1',
    'af-south-1',
    'mars-north-1',
    'constructor',
  ])('of %s are not all known: they are estimated, none lower than in us-east-1, and say so', (region) => {
    const { unitPrices, ...rest } = priceOf(region);
    expect(rest).toMatchObject({ region, isExact: false });
    for (const item of LINE_ITEMS) {
      expect(unitPrices[item]).toBeGreaterThanOrEqual(prices.unitPrices[item]);
      expect(unitPrices[item]).toBeLessThanOrEqual(1.76 * prices.unitPrices[item]);
    }
    expect(costOf({ s3Puts: 1 }, priceOf(region)).isExact).toBe(false);
    expect(prices.isExact).toBe(true);
  });

  test.each<[string, LineItem, number, number]>([
    ['sa-east-1', 's3Puts', 1e3, 0.007],
    ['sa-east-1', 's3Gets', 1e4, 0.0056],
    ['sa-east-1', 'dataOutBytes', 1e9, 0.15],
    ['ap-southeast-2', 'dataOutBytes', 1e9, 0.114],
    // Lambda costs the same in most regions.
    ['eu-west-1', 'lambdaMbMs', 1024 * 1000 * 1e6, 13.3334],
  ])('in %s, %s: %d units cost $%d', (region, item, units, dollars) => {
    expect(costOf({ [item]: units }, priceOf(region)).total).toBeCloseTo(dollars, 9);
  });
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

test('a page of 30 KB sends 1 KB to the web on a kept connection: $0.1 for a million pages', () => {
  const sent = { requests: 1_000_000, bytes: 350e6 };
  const bytes = dataOutBytes({ requests: 1_000_000, bytes: 30e9, sent });
  expect(bytes / 1e6).toBeCloseTo(1092, 0);
  expect(costOf({ dataOutBytes: bytes }, prices).total).toBeCloseTo(0.098, 3);
});

test('what is sent to the web is the nearest whole number of bytes', () => {
  const none = { requests: 0, bytes: 0 };
  // 52 bytes for each 2,920 received.
  expect(dataOutBytes({ requests: 0, bytes: 28, sent: none })).toBe(0);
  expect(dataOutBytes({ requests: 0, bytes: 29, sent: none })).toBe(1);
  // Four packets for each request.
  expect(dataOutBytes({ requests: 2, bytes: 0, sent: { requests: 2, bytes: 1000 } })).toBe(1416);
});

test('a request whose bytes were not counted is taken to have had a connection of its own', () => {
  expect(dataOutBytes({ requests: 2, bytes: 0, sent: { requests: 0, bytes: 0 } })).toBe(5000);
  expect(dataOutBytes({ requests: 3, bytes: 140, sent: { requests: 1, bytes: 500 } })).toBe(5710);
});
