/** Clocks that are set while a crawl runs, or between its sessions. */
import { expect, test } from 'vitest';
import { createCrawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { wakeAllHosts, wakeDueHosts } from '../../../shared/crawler/routing/waker.ts';
import { begin, CRAWL, createWorld, runToEnd, startProcess, type World } from './world.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const page = (...links: string[]) => ({ body: links.map((link) => `<a href="${link}">x</a>`).join('') });

/** A host of 40 pages in a row. */
const CHAIN = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [
    i === 0 ? 'http://a.test/' : `http://a.test/${i}`,
    page(`http://a.test/${i + 1}`),
  ]),
);

/** The world's fetcher, which notes when requests begin and end, by a clock that is never set. */
function timed({ clock, fetcher }: World) {
  const log: { startedAt: number; endedAt: number }[] = [];
  return {
    fetcher: {
      ...fetcher,
      async fetch(request) {
        const startedAt = clock.elapsed();
        const outcome = await fetcher.fetch(request);
        log.push({ startedAt, endedAt: clock.elapsed() });
        return outcome;
      },
    } satisfies Fetcher,
    requests: () => log.length,
    /** The shortest time from the end of a request to the start of the next one. */
    leastGapMs: () => Math.min(...log.slice(1).map(({ startedAt }, i) => startedAt - log[i]!.endedAt)),
  };
}

test('a crawl that is resumed after its clock was set back by a day continues at once', async () => {
  const world = createWorld(CHAIN);
  await begin(world, ['http://a.test/'], { delayMs: 1000, turnMaxPages: 5 });
  const process = startProcess(world.engine, world.fetcher);
  await world.clock.drive(process.ended, () => world.fetcher.log.length > 12);
  process.stop();
  await world.clock.drive(process.ended);
  world.clock.set(-DAY_MS);
  const before = world.clock.elapsed();
  // As `resume` does.
  await wakeAllHosts(world.engine, CRAWL, 1);
  expect(await runToEnd(world)).toEqual([]);
  expect(world.clock.elapsed() - before).toBeLessThan(HOUR_MS);
  const { urls } = await world.engine.registry.totals(CRAWL);
  expect(urls).toMatchObject({ fetched: 40, waiting: 0 });
});

test('so do URLs that wait for another try, hosts that rest after failures, and a closed origin', async () => {
  const site = {
    'http://a.test/': page('http://a.test/1', 'http://b.test/'),
    'http://a.test/1': (before: number) => ({ status: before < 2 ? 500 : 200 }),
    'http://b.test/robots.txt': (before: number) => (before < 2 ? { status: 503 } : { body: '' }),
    'http://b.test/': page(),
  };
  const world = createWorld(site);
  await begin(world, ['http://a.test/', 'http://b.test/'], { retryMs: 300_000, backoffMs: 300_000 });
  const process = startProcess(world.engine, world.fetcher);
  await world.clock.drive(
    process.ended,
    () =>
      world.fetcher.count('http://a.test/1') === 1 && world.fetcher.count('http://b.test/robots.txt') === 1,
  );
  await world.clock.advance(5000);
  process.stop();
  await world.clock.drive(process.ended);
  world.clock.set(-DAY_MS);
  const before = world.clock.elapsed();
  // As `resume` does.
  await wakeAllHosts(world.engine, CRAWL, 1);
  expect(await runToEnd(world)).toEqual([]);
  expect(world.clock.elapsed() - before).toBeLessThan(2 * HOUR_MS);
  const { urls } = await world.engine.registry.totals(CRAWL);
  expect(urls.waiting).toBe(0);
});

test('a clock that is set forward hurries no host', async () => {
  const site = { ...CHAIN, 'http://a.test/robots.txt': { body: 'User-agent: *\nCrawl-delay: 5' } };
  const world = createWorld(site);
  const { clock } = world;
  const { fetcher, requests, leastGapMs } = timed(world);
  await begin(world, ['http://a.test/'], { delayMs: 1000 });
  const process = startProcess(world.engine, fetcher);
  for (const count of [4, 9, 14]) {
    await clock.drive(process.ended, () => requests() >= count);
    clock.set(DAY_MS);
  }
  await clock.drive(process.ended, async () => world.engine.registry.isQuiet(CRAWL));
  process.stop();
  await clock.drive(process.ended);
  expect(requests()).toBeGreaterThanOrEqual(41);
  expect(leastGapMs()).toBeGreaterThanOrEqual(5000);
});

test('a clock that is set forward uses up none of the time that a crawl may take', async () => {
  const world = createWorld(CHAIN);
  await begin(world, ['http://a.test/'], { delayMs: 1000, maxTimeMs: HOUR_MS });
  const process = startProcess(world.engine, world.fetcher);
  await world.clock.drive(process.ended, () => world.fetcher.log.length > 5);
  world.clock.set(DAY_MS);
  await world.clock.drive(process.ended, async () => world.engine.registry.isQuiet(CRAWL));
  process.stop();
  await world.clock.drive(process.ended);
  expect((await world.engine.registry.totals(CRAWL)).urls.fetched).toBe(40);
});

test('the waker wakes a host whose last turn was written by a clock that was a day ahead', async () => {
  const world = createWorld({
    'http://a.test/': page('http://a.test/1'),
    'http://a.test/1': (before: number) => ({ status: before < 1 ? 500 : 200 }),
  });
  const { clock, engine, fetcher } = world;
  await begin(world, ['http://a.test/'], { retryMs: 300_000 });
  clock.set(DAY_MS);
  const ahead = startProcess(engine, fetcher);
  await clock.drive(ahead.ended, () => fetcher.count('http://a.test/1') === 1);
  await clock.advance(60_000);
  ahead.stop();
  await clock.drive(ahead.ended);
  clock.set(-DAY_MS);
  const crawls = createCrawls(engine.registry, clock);
  expect(await wakeDueHosts(engine, crawls, CRAWL, new Map())).toBe(1);
  expect(await runToEnd(world)).toEqual([]);
  expect(fetcher.count('http://a.test/1')).toBe(2);
});

test('a clock that is set forward before the host is given back hurries no other worker', async () => {
  const world = createWorld(CHAIN);
  const { clock, engine } = world;
  const { fetcher, requests, leastGapMs } = timed(world);
  const { commit } = engine.ledgers;
  const ledgers = {
    ...engine.ledgers,
    commit: async (...args: Parameters<typeof commit>) => {
      await commit(...args);
      clock.set(HOUR_MS);
    },
  };
  await begin(world, ['http://a.test/'], { delayMs: 15_000, turnMaxPages: 1 });
  const processes = [1, 2].map(() => startProcess({ ...engine, ledgers }, fetcher));
  const ended = Promise.all(processes.map(({ ended }) => ended));
  await clock.drive(ended, () => requests() > 12);
  for (const process of processes) process.stop();
  await clock.drive(ended);
  expect(leastGapMs()).toBeGreaterThanOrEqual(15_000);
});

/** `later`: found by the clock that is right again, so that some page is always due before those of the clock ahead. */
test.each([
  [2 * 365 * DAY_MS, false],
  [2 * 365 * DAY_MS, true],
  [2 * DAY_MS, true],
])(
  'pages that were fetched by a clock %i ms ahead are fetched again in time (%s)',
  async (aheadMs, later) => {
    const world = createWorld({
      'http://a.test/': page('http://a.test/1'),
      'http://a.test/1': page(),
      'http://a.test/later': page(),
    });
    const { clock, engine, fetcher } = world;
    clock.set(aheadMs);
    await begin(world, ['http://a.test/'], { recrawlEveryMs: HOUR_MS });
    const ahead = startProcess(engine, fetcher);
    await clock.drive(ahead.ended, () => fetcher.count('http://a.test/1') === 1);
    await clock.advance(60_000);
    ahead.stop();
    await clock.drive(ahead.ended);
    clock.set(-aheadMs);
    const links = [{ url: 'http://a.test/later', depth: 0, isSeed: true }];
    if (later) await engine.exchange.send({ crawl: CRAWL, links });
    await wakeAllHosts(engine, CRAWL, 1);
    const right = startProcess(engine, fetcher);
    const from = clock.elapsed();
    await clock.drive(right.ended, () => clock.elapsed() - from > 5 * HOUR_MS);
    right.stop();
    await clock.drive(right.ended);
    expect(fetcher.count('http://a.test/1')).toBeGreaterThanOrEqual(4);
    expect(fetcher.count('http://a.test/1')).toBeLessThanOrEqual(8);
  },
);
