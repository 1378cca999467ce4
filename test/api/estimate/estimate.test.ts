import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostSizes } from '../../../api/estimate/crawl-flow.ts';
import { estimateCrawl } from '../../../api/estimate/estimate.ts';
import { type CrawlShape, USUAL_RESPONSE_MS } from '../../../api/estimate/estimate-crawl.ts';
import { costOf, LINE_ITEMS, type LineItem, priceOf } from '../../../shared/engines/aws/cost/prices.ts';
import { STACK_POOL_DEFAULTS } from '../../../shared/engines/aws/settings.ts';
import { SIMULATED_CRAWLS } from './simulated-crawls.ts';

const SHAPE: CrawlShape = {
  pages: 10_000,
  hosts: 10,
  spread: 'even',
  delayMs: 1000,
  adaptiveFactor: 5,
  responseMs: [100],
  pageBytes: 30_000,
};

/** From one request of such a host to the next: some of its responses take longer than a fifth of a second. */
const GAP_MS = 1145.5;

const metered = (dollars: Readonly<Record<LineItem, number>>): number =>
  LINE_ITEMS.reduce((sum, item) => sum + dollars[item], 0);

describe('an estimate', () => {
  test.each(SIMULATED_CRAWLS)(
    'is within a tenth of the meter of a simulated crawl of $hosts hosts, $pages pages, $delayMs ms apart',
    ({ usage, hours, ...crawl }) => {
      const shape: CrawlShape = {
        ...SHAPE,
        spread: 'web',
        responseMs: USUAL_RESPONSE_MS,
        pageBytes: 6000,
        ...crawl,
      };
      const { stack } = estimateCrawl(shape, STACK_POOL_DEFAULTS);
      const { total } = costOf(usage, priceOf('us-east-1'));
      expect(Math.abs(metered(stack.dollars) / total - 1)).toBeLessThan(0.1);
      expect(Math.abs(stack.hours / hours - 1)).toBeLessThan(0.15);
    },
  );

  test('of few hosts is twice as high without a small worker', () => {
    const few: CrawlShape = { ...SHAPE, hosts: 50, pages: 60_000, spread: 'web' };
    const dollars = (smallWorkerMemoryMb: number) =>
      estimateCrawl(few, { ...STACK_POOL_DEFAULTS, smallWorkerMemoryMb }).stack.dollars.lambdaMbMs;
    expect(dollars(0) / dollars(512)).toBeGreaterThan(2);
  });

  test('goes by the pause of the hosts if there are places for all', () => {
    const { machine } = estimateCrawl(SHAPE, STACK_POOL_DEFAULTS);
    expect(machine.hours).toBeGreaterThan((1000 * 1.1) / 3600);
    expect(machine.hours).toBeLessThan((1000 * 1.2) / 3600);
    const slow = estimateCrawl({ ...SHAPE, responseMs: [1000] }, STACK_POOL_DEFAULTS);
    expect(slow.machine.hours / machine.hours).toBeCloseTo(6532 / GAP_MS, 2);
  });

  test('goes by the bytes that a host may send if they take longer than its pause', () => {
    const hoursAt = (hostRate?: number) =>
      estimateCrawl({ ...SHAPE, hostRate }, STACK_POOL_DEFAULTS).machine.hours;
    expect(hoursAt(10_000) / hoursAt()).toBeCloseTo(3000 / GAP_MS, 2);
    expect(hoursAt(30_000)).toBe(hoursAt());
  });

  test('goes by the bytes that all hosts may send together if they take longer than the hosts', () => {
    const many = { ...SHAPE, hosts: 100, pages: 100_000 };
    const { pageBytes } = many;
    const rateOf = (crawlRate?: number) =>
      estimateCrawl({ ...many, crawlRate }, STACK_POOL_DEFAULTS).machine.pagesPerSecond;
    expect(rateOf()).toBeGreaterThan(50);
    expect(rateOf(10 * pageBytes)).toBeCloseTo(10, 5);
    expect(rateOf(1000 * pageBytes)).toBe(rateOf());
  });

  test('goes by the places if there are more hosts', () => {
    const many = { ...SHAPE, pages: 1_000_000, hosts: 10_000 };
    const { machine, stack } = estimateCrawl(many, { ...STACK_POOL_DEFAULTS, maxConcurrency: 2 });
    expect(machine.pagesPerSecond).toBeCloseTo((250_000 / GAP_MS) * 0.96, 0);
    expect(stack.mostWorkers).toBe(2);
    expect(stack.pagesPerSecond).toBeCloseTo(
      ((2000 * STACK_POOL_DEFAULTS.hostsPerWorker) / GAP_MS) * 0.975,
      0,
    );
  });

  test('counts the workers that wait for the last large host', () => {
    const pages = 100_000;
    const web = estimateCrawl({ ...SHAPE, pages, hosts: 500, spread: 'web' }, STACK_POOL_DEFAULTS);
    const even = estimateCrawl({ ...SHAPE, pages, hosts: 500 }, STACK_POOL_DEFAULTS);
    expect(web.stack.hours).toBeGreaterThan(5 * even.stack.hours);
    expect(web.stack.dollars.total).toBeGreaterThan(even.stack.dollars.total);
    expect(web.stack.hoursToHalf).toBeLessThan(web.stack.hours / 5);
  });

  test('has finite figures for any crawl, and as many pages as it was asked for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom('even' as const, 'web' as const),
        fc.constantFrom([0], [100], [120, 250, 600]),
        (pages, hosts, delayMs, spread, responseMs) => {
          const shape = { ...SHAPE, pages: Math.max(pages, hosts), hosts, delayMs, spread, responseMs };
          const sizes = hostSizes(shape.pages, hosts, spread);
          const all = sizes.reduce((sum, size) => sum + size.hosts * size.pages, 0);
          expect(Math.abs(all / shape.pages - 1)).toBeLessThan(1e-6);
          const { machine, stack } = estimateCrawl(shape, STACK_POOL_DEFAULTS);
          for (const figure of [machine.hours, stack.hours, stack.dollars.total, stack.workers]) {
            expect(figure).toBeGreaterThan(0);
            expect(figure).toBeLessThan(Number.POSITIVE_INFINITY);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
