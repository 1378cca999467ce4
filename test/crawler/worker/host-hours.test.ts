/** Hosts that may be asked at certain hours only: `hours`, `days` and `timeZone` of `overrides`. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createHostConfigs } from '../../../shared/core/crawl/host-config.ts';
import { allowedFrom } from '../../../shared/core/crawl/host-hours.ts';
import { hostEntry } from '../../../shared/services/control/host-detail.ts';
import { T0 } from './fake-clock.ts';
import { page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { areQuiet, begin, CRAWL, createWorld, ledgersOf, runToEnd, startProcess, statesOf } from './world.ts';

const HOUR = 3_600_000;
const DELAY_MS = 60_000;
const PAGES = Array.from({ length: 20 }, (_, i) => `/${i}`);
const A = 'http://a.test';
const B = 'http://b.test';
const siteOf = (origin: string): Site => ({
  [`${origin}/`]: page(...PAGES),
  ...Object.fromEntries(PAGES.map((path) => [origin + path, page()])),
});
const SITE: Site = { ...siteOf(A), ...siteOf(B) };
/** In Berlin it is 01:00 when the world begins, on a Thursday. */
const HOURS = { hosts: ['a.test'], hours: '01:30-01:45,02:00-02:20', timeZone: 'Europe/Berlin' };

test('a host is asked within its hours alone, robots.txt too, and others go on; then the crawl ends', async () => {
  const overrides = [HOURS];
  const world = createWorld(SITE);
  await begin(world, [`${A}/`, `${B}/`], { delayMs: DELAY_MS, overrides });
  expect(await runToEnd(world)).toEqual([]);

  const own = createHostConfigs(parseConfig({ overrides }))('a.test');
  const { log } = world.fetcher;
  const starts = log.filter(({ host }) => host === 'a.test').map(({ startedAt }) => startedAt);
  expect(starts).toHaveLength(PAGES.length + 2);
  for (const at of starts) expect(allowedFrom(own, at), new Date(at).toISOString()).toBe(at);
  // As soon as they begin, by the waker's minute.
  expect(Math.min(...starts)).toBeLessThan(T0 + HOUR / 2 + 120_000);
  expect(log.find(({ host }) => host === 'b.test')?.startedAt).toBeLessThan(T0 + 60_000);
  expect(Object.values(await statesOf(world.engine)).every((state) => state === 'fetched')).toBe(true);
});

test('meanwhile it has no token, is due when they begin, does not fail, and the crawl is not finished', async () => {
  const world = createWorld(SITE);
  await begin(world, [`${A}/`], { delayMs: DELAY_MS, overrides: [HOURS] });
  const process = startProcess(world.engine, world.fetcher);
  await world.clock.drive(process.ended, async () => world.clock.now() > T0 + HOUR / 4);
  const { head } = (await ledgersOf(world.engine)).get('a.test') ?? {};
  const begins = T0 + HOUR / 2;
  expect(head).toMatchObject({
    dueAt: begins,
    wait: { for: 'hours', until: begins },
    clock: { failures: 0 },
  });
  expect(head?.token).toBeUndefined();
  // One visit, which found the host closed.
  expect(head?.version).toBe(1);
  expect(head && hostEntry('a.test', head)).toMatchObject({
    nextFetchAt: new Date(begins).toISOString(),
    waitsFor: 'its hours',
  });
  expect(await areQuiet(world.engine)).toBe(false);
  expect(world.fetcher.log).toEqual([]);
  process.stop();
  await world.clock.drive(process.ended);
});

test('a request that comes to its turn after them is not made, and costs its URL no try', async () => {
  // Both crawls ask the host, one after the other, each with the same pause.
  const overrides = [{ hosts: ['a.test'], hours: '00:00-00:15,00:30-01:30' }];
  const world = createWorld(SITE, { tookMs: 50_000 });
  for (const crawl of [CRAWL, 'other'])
    await begin(
      world,
      [`${A}/`],
      { delayMs: 20_000, overrides, turnMaxMs: HOUR, turnMaxWaitMs: HOUR },
      crawl,
    );
  expect(await runToEnd(world, [CRAWL, 'other'])).toEqual([]);
  const own = createHostConfigs(parseConfig({ overrides }))('a.test');
  for (const { startedAt } of world.fetcher.log) expect(allowedFrom(own, startedAt)).toBe(startedAt);
  for (const { records } of (await ledgersOf(world.engine)).values())
    for (const { attempts } of records.values()) expect(attempts).toBe(1);
});

test('a request that waits for its IP address until its hours are over is not made', async () => {
  const others = Array.from({ length: 6 }, (_, i) => `http://h${i}.test`);
  const world = createWorld({ ...SITE, ...Object.assign({}, ...others.map(siteOf)) }, { tookMs: 40_000 });
  const fetcher = { ...world.fetcher, addressesOf: async () => ['1.1.1.1'] };
  const overrides = [{ hosts: ['a.test'], hours: '00:00-00:15,00:30-00:45,01:00-01:20' }];
  const waits = { turnMaxMs: HOUR, turnMaxWaitMs: HOUR };
  const options = {
    scope: 'any' as const,
    delayMs: 1000,
    ipDelayMs: 20_000,
    overrides,
    maxPages: 60,
    ...waits,
  };
  await begin(
    world,
    [A, ...others].map((origin) => `${origin}/`),
    options,
  );
  expect(await runToEnd({ ...world, fetcher: Object.assign(fetcher, { log: world.fetcher.log }) })).toEqual(
    [],
  );
  const own = createHostConfigs(parseConfig({ overrides }))('a.test');
  const starts = world.fetcher.log.filter(({ host }) => host === 'a.test').map(({ startedAt }) => startedAt);
  expect(starts.length).toBeGreaterThan(3);
  for (const at of starts) expect(allowedFrom(own, at), new Date(at).toISOString()).toBe(at);
});

test('a robots.txt that redirects to a host outside its hours is no failure', async () => {
  const world = createWorld({
    ...SITE,
    [`${A}/robots.txt`]: robots('User-agent: *\nDisallow: /1\n'),
    [`${B}/robots.txt`]: redirect(`${A}/robots.txt`),
  });
  const overrides = [{ hosts: ['a.test'], hours: '00:30-01:00' }];
  await begin(world, [`${B}/`], { delayMs: 1000, overrides });
  expect(await runToEnd(world)).toEqual([]);
  const states = await statesOf(world.engine);
  expect(states).toMatchObject({ [`${B}/0`]: 'fetched', [`${B}/1`]: 'deniedByRobots' });
  expect(world.fetcher.count(`${A}/robots.txt`)).toBe(1);
  const asked = world.fetcher.log.find(({ host }) => host === 'a.test');
  expect(asked?.startedAt).toBeGreaterThanOrEqual(T0 + HOUR / 2);
  expect(world.fetcher.count(`${B}/robots.txt`)).toBe(1);
});
