/** Bytes a second that a host sends at most. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { hostEntry } from '../../../shared/services/control/host-detail.ts';
import { page, robots, type Site } from './scripted-fetcher.ts';
import {
  areQuiet,
  begin,
  createWorld,
  ledgersOf,
  runToEnd,
  startProcess,
  statesOf,
  type World,
} from './world.ts';

const A = 'http://a.test';
const B = 'http://b.test';
const PAGES = Array.from({ length: 8 }, (_, i) => `/${i}`);
/** Its size is 20 to 90 kB. */
const large = (i: number) => ({ body: `<p>${'x'.repeat(20_000 + 10_000 * i)}` });
const siteOf = (origin: string): Site => ({
  [`${origin}/robots.txt`]: robots(`${'# a long comment\n'.repeat(2000)}Sitemap: ${origin}/map.xml`),
  [`${origin}/map.xml`]: {
    headers: { 'Content-Type': 'application/xml' },
    body: `<urlset>${' '.repeat(50_000)}<url><loc>${origin}/listed</loc></url></urlset>`,
  },
  [`${origin}/listed`]: large(1),
  [`${origin}/`]: page(...PAGES),
  ...Object.fromEntries(PAGES.map((path, i) => [origin + path, large(i)])),
});
const SITE: Site = { ...siteOf(A), ...siteOf(B) };
const RATE = 10_000;
const OPTIONS: CrawlOptions = { delayMs: 100, maxBytesPerSecondPerHost: RATE };

/** The bytes that a URL answers with. */
function bytesOf(url: string): number {
  const answer = SITE[url];
  return typeof answer === 'object' ? (answer.body?.length ?? 0) : 0;
}

/** The highest rate between two requests to the host, in bytes a second, without those in flight at the second one. */
function highestRate({ fetcher }: Pick<World, 'fetcher'>, host: string): number {
  const log = fetcher.log.filter((request) => request.host === host);
  let highest = 0;
  for (const after of log) {
    for (const before of log) {
      const tookMs = after.startedAt - before.startedAt;
      if (tookMs <= 0) continue;
      const between = log.filter(
        ({ startedAt, endedAt }) => startedAt >= before.startedAt && endedAt <= after.startedAt,
      );
      const bytes = between.reduce((sum, { url }) => sum + bytesOf(url), 0);
      highest = Math.max(highest, (1000 * bytes) / tookMs);
    }
  }
  return highest;
}

async function crawl(options: CrawlOptions, world: World = createWorld(SITE)): Promise<World> {
  await begin(world, [`${A}/`, `${B}/`], options);
  expect(await runToEnd(world)).toEqual([]);
  expect(Object.values(await statesOf(world.engine)).every((state) => state === 'fetched')).toBe(true);
  return world;
}

const hoursOf = ({ fetcher }: World, host: string): number => {
  const times = fetcher.log.filter((request) => request.host === host).map(({ startedAt }) => startedAt);
  return Math.max(...times) - Math.min(...times);
};

describe('maxBytesPerSecondPerHost', () => {
  test('a host is not asked before its bytes would have come at the rate: pages, robots.txt and sitemaps', async () => {
    const world = await crawl(OPTIONS);
    for (const host of ['a.test', 'b.test']) {
      expect(highestRate(world, host)).toBeLessThanOrEqual(RATE);
      // Nor much later: at the worst each visit waits for the waker.
      expect(highestRate(world, host)).toBeGreaterThan(0.99 * RATE);
    }
  });

  test('also if it is asked for several pages at once', async () => {
    const world = await crawl({ ...OPTIONS, perHost: 4 });
    expect(highestRate(world, 'a.test')).toBeLessThanOrEqual(RATE);
  });

  test('and if the second of two requests waits for its address until the first one has ended', async () => {
    const world = createWorld(SITE);
    const { fetcher } = world;
    Object.assign(fetcher, { addressesOf: async () => ['1.1.1.1'] });
    await crawl({ ...OPTIONS, perHost: 2, ipDelayMs: 100 }, world);
    const requests = fetcher.log.filter(({ host }) => host === 'a.test');
    const urls = new Set(requests.map(({ url }) => url));
    expect(highestRate(world, 'a.test')).toBeLessThanOrEqual(RATE);
    // Those that were not begun for it are made later, once.
    expect(requests).toHaveLength(urls.size);
  });

  test('an override gives some hosts a rate, and others have none', async () => {
    const { maxBytesPerSecondPerHost, ...others } = OPTIONS;
    const world = await crawl({
      ...others,
      overrides: [{ hosts: ['a.test'], maxBytesPerSecondPerHost: RATE }],
    });
    expect(highestRate(world, 'a.test')).toBeLessThanOrEqual(RATE);
    expect(hoursOf(world, 'b.test')).toBeLessThan(hoursOf(world, 'a.test') / 10);
  });

  test('meanwhile its worker is free, its head says what it waits for, and without a rate it says nothing', async () => {
    const headsOf = async (options: CrawlOptions): Promise<Head[]> => {
      const world = createWorld(SITE);
      await begin(world, [`${A}/`], { ...options, turnMaxWaitMs: 300 });
      const heads: Head[] = [];
      const { commit } = world.engine.ledgers;
      const ledgers = {
        ...world.engine.ledgers,
        commit: (...args: Parameters<typeof commit>) => {
          heads.push(args[2]);
          return commit(...args);
        },
      };
      expect(await runToEnd({ ...world, engine: { ...world.engine, ledgers } })).toEqual([]);
      return heads;
    };
    const waiting = (await headsOf(OPTIONS)).filter(({ wait }) => wait !== undefined);
    expect(waiting.length).toBeGreaterThan(PAGES.length);
    const [first] = waiting as [Head];
    expect(first.wait).toEqual({ for: 'bytes', until: first.clock.nextFetchAt });
    expect(hostEntry('a.test', first).waitsFor).toBe('the time that its bytes take at its rate');
    for (const head of await headsOf({ delayMs: 100 })) expect(head).not.toHaveProperty('wait');
  });

  test('the rest is kept by the next process', async () => {
    const world = createWorld(SITE);
    const { clock, engine, fetcher } = world;
    await begin(world, [`${A}/`], { ...OPTIONS, turnMaxPages: 1 });
    const isIdle = () => fetcher.log.every(({ endedAt }) => endedAt < Number.POSITIVE_INFINITY);
    for (let requests = 3; !(await areQuiet(engine)); requests += 3) {
      const process = startProcess(engine, fetcher);
      await clock.drive(
        process.ended,
        async () => (fetcher.log.length >= requests && isIdle()) || (await areQuiet(engine)),
      );
      process.stop();
      await clock.drive(process.ended);
      expect(process.errors).toEqual([]);
    }
    expect(highestRate(world, 'a.test')).toBeLessThanOrEqual(RATE);
    expect((await ledgersOf(engine)).get('a.test')?.records.size).toBe(PAGES.length + 3);
  });
});
