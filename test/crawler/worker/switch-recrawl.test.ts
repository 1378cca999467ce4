/** Recrawl is switched on and off for a crawl that has fetched its pages already. */
import { expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { type CrawlOptions, parseConfig, withRecrawl } from '../../../shared/core/crawl/config.ts';
import { wakeAllHosts } from '../../../shared/crawler/routing/waker.ts';
import { type Answer, page, type Site } from './scripted-fetcher.ts';
import { begin, CRAWL, createWorld, ledgersOf, runToEnd, startProcess, type World } from './world.ts';

const A = 'http://a.test';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PAGES = Array.from({ length: 40 }, (_, i) => `/p${i}`);

const text = (body: string): Answer => ({ body: `<title>t</title><p>${body}` });

/** Ledgers of several runs, and few pages a turn. */
const SMALL = {
  ...SIZES,
  maxSegments: 1,
  maxSegmentRecords: 4,
  maxFreshRecords: 8,
  runRatio: 2,
  blockRecords: 3,
};

async function crawled(more: Site = {}): Promise<World> {
  const pages = Object.fromEntries(
    PAGES.map((path, i) => [A + path, text(`words ${'abcdefgh'.slice(i % 8)}`)]),
  );
  const world = createWorld(
    { [`${A}/`]: page(...PAGES, '/gone', '/moved'), ...pages, ...more },
    { tookMs: 10 },
  );
  Object.assign(world.engine, { sizes: SMALL });
  await begin(world, [`${A}/`], { delayMs: 100 });
  await runToEnd(world);
  // Some weeks later.
  await world.clock.advance(30 * DAY);
  return world;
}

async function resume({ engine }: World, options: CrawlOptions): Promise<void> {
  const { registry } = engine;
  await registry.configure(CRAWL, withRecrawl(options));
  const number = await registry.resume(CRAWL);
  const config = parseConfig((await registry.load(CRAWL))?.config ?? {});
  await wakeAllHosts(engine, CRAWL, number, config);
}

async function crawlFor(world: World, ms: number): Promise<void> {
  const { clock, engine, fetcher } = world;
  const process = startProcess(engine, fetcher);
  const until = clock.now() + ms;
  await clock.drive(process.ended, () => clock.now() >= until);
  process.stop();
  await clock.drive(process.ended);
  expect(process.errors).toEqual([]);
}

const hostOf = async ({ engine }: World) => (await ledgersOf(engine)).get('a.test')!;

test('each known page is fetched again, in the first round spread over the interval, and archived once more', async () => {
  const world = await crawled({ [`${A}/moved`]: { status: 301, headers: { Location: '/p1' } } });
  const { fetcher, clock, engine } = world;
  const before = fetcher.log.length;
  const begun = clock.now();
  await resume(world, { recrawlEveryMs: 3 * HOUR });
  await crawlFor(world, 3 * HOUR + 600_000);
  const again = fetcher.log.slice(before).filter(({ url }) => !url.endsWith('robots.txt'));
  const first = new Map(again.toReversed().map(({ url, startedAt }) => [url, startedAt - begun]));
  expect([...first.keys()].sort()).toEqual(
    [`${A}/`, `${A}/gone`, `${A}/moved`, ...PAGES.map((path) => A + path)].sort(),
  );
  for (let hour = 0; hour < 3; hour++)
    expect([...first.values()].filter((ms) => Math.floor(ms / HOUR) === hour).length).toBeGreaterThan(5);
  const { records, head } = await hostOf(world);
  expect(records.size).toBe(43);
  expect(head.ledger.counts).toMatchObject({ waiting: 0, fetched: 41, gone: 1, redirect: 1 });
  expect((await engine.registry.totals(CRAWL)).pages, 'each counts once').toBe(42);
  expect(head.totals.recrawl).toMatchObject({ unchanged: expect.any(Number) });
  expect(head.totals.recrawl?.changed).toBeUndefined();
});

test('by a price, the first round keeps to the budget', async () => {
  const world = await crawled();
  const before = world.fetcher.log.length;
  await resume(world, { recrawl: 'changes', recrawlPerDay: 40 });
  await crawlFor(world, DAY / 2);
  const again = world.fetcher.log.slice(before).filter(({ url }) => !url.endsWith('robots.txt'));
  expect(again.length).toBeGreaterThan(10);
  expect(again.length).toBeLessThan(32);
});

test('a crawl that is to recrawl no more ends, and goes on when it is switched on again', async () => {
  const world = await crawled();
  await resume(world, { recrawlEveryMs: HOUR });
  await crawlFor(world, 2 * HOUR);
  await resume(world, { recrawl: 'off' });
  await runToEnd(world);
  expect((await hostOf(world)).head).toMatchObject({ recrawl: { isOff: true } });
  expect((await hostOf(world)).head.dueAt).toBeUndefined();
  const before = world.fetcher.log.length;
  await resume(world, { recrawl: 'off' });
  await runToEnd(world);
  expect(world.fetcher.log.length, 'nothing is fetched again').toBe(before);
  await resume(world, { recrawlEveryMs: HOUR });
  await crawlFor(world, 1.2 * HOUR);
  expect(new Set(world.fetcher.log.slice(before).map(({ url }) => url)).size).toBeGreaterThan(40);
  const { head, records } = await hostOf(world);
  expect(head.recrawl?.isOff).toBeUndefined();
  expect(records.size).toBe(43);
});
