/** Tests that a page which kills its worker is found, and nothing else is blamed for it. */

import { describe, expect, test } from 'vitest';
import { optionalText } from '../../../shared/core/causes/cause-text.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { crawlThrough } from './deaths.ts';
import { page, robots, type Site } from './scripted-fetcher.ts';
import {
  areQuiet,
  begin,
  CRAWL,
  createWorld,
  ledgersOf,
  recordOf,
  runToEnd,
  said,
  startProcess,
  statesOf,
} from './world.ts';

const HOSTS = Array.from({ length: 20 }, (_, i) => `http://h${i}.test`);
const VICTIM = 'http://v.test';

/** Hosts of six pages, each of which links to the next host. */
const site = (hosts: readonly string[]): Site =>
  Object.fromEntries(
    hosts.flatMap((host, i) => [
      [`${host}/`, page('/1', '/2', '/3', `${hosts[(i + 1) % hosts.length]}/`)],
      ...[1, 2, 3].map((n) => [`${host}/${n}`, page(`/${n + 3}`, `${hosts[(i + n) % hosts.length]}/${n}`)]),
      ...[4, 5, 6].map((n) => [`${host}/${n}`, page()]),
    ]),
  );

const CONFIG: CrawlOptions = { scope: 'any', delayMs: 1000, turnMaxPages: 3, totalTimeoutMs: 10_000 };

describe('a page that kills its worker', () => {
  test.each([
    ['the first of its host', `${VICTIM}/`, [page('/1')]],
    ['one that others of its host link to', `${VICTIM}/1`, [page('/1', '/2')]],
  ])('beside twenty hosts, %s, is set aside, and nothing else is', async (_, poison, [start]) => {
    const world = createWorld(
      { ...site(HOSTS), [`${VICTIM}/`]: start!, [`${VICTIM}/1`]: page(), [`${VICTIM}/2`]: page() },
      { leaseMs: 60_000, parcelLeaseMs: 60_000 },
    );
    await begin(world, [`${VICTIM}/`, ...HOSTS.map((host) => `${host}/`)], CONFIG);
    const deaths = await crawlThrough(world, (url) => url === poison);
    const states = await statesOf(world.engine);
    const failed = Object.keys(states).filter((url) => states[url] !== 'fetched');
    expect(failed).toEqual([poison]);
    expect(said(await recordOf(world.engine, poison))).toMatch(/^the worker died 3 times/);
    expect(deaths).toBeLessThanOrEqual(6);
  });

  test('is found out though twenty hosts go carefully before it in each process', async () => {
    const world = createWorld(
      { ...site(HOSTS), [`${VICTIM}/`]: page() },
      { leaseMs: 60_000, parcelLeaseMs: 60_000, tookMs: 8000 },
    );
    await begin(world, [...HOSTS.map((host) => `${host}/`), `${VICTIM}/`], CONFIG);
    const deaths = await crawlThrough(world, (url) => url === `${VICTIM}/`);
    const states = await statesOf(world.engine);
    expect(Object.keys(states).filter((url) => states[url] !== 'fetched')).toEqual([`${VICTIM}/`]);
    expect(deaths).toBeLessThanOrEqual(8);
  });

  test('is found out by several processes together', async () => {
    const world = createWorld(
      { ...site(HOSTS), [`${VICTIM}/`]: page('/1'), [`${VICTIM}/1`]: page() },
      { leaseMs: 60_000, parcelLeaseMs: 60_000 },
    );
    await begin(world, [`${VICTIM}/`, ...HOSTS.map((host) => `${host}/`)], CONFIG);
    const deaths = await crawlThrough(world, (url) => url === `${VICTIM}/1`, { processes: 3 });
    const states = await statesOf(world.engine);
    expect(Object.keys(states).filter((url) => states[url] !== 'fetched')).toEqual([`${VICTIM}/1`]);
    expect(deaths).toBeLessThanOrEqual(8);
  });

  test('may be one of several of its host', async () => {
    const links = [1, 2, 3, 4].map((n) => `/${n}`);
    const pages = Object.fromEntries(links.map((link) => [VICTIM + link, page()]));
    const world = createWorld(
      { ...site(HOSTS), ...pages, [`${VICTIM}/`]: page(...links) },
      { leaseMs: 60_000, parcelLeaseMs: 60_000 },
    );
    await begin(world, [`${VICTIM}/`, ...HOSTS.map((host) => `${host}/`)], CONFIG);
    const poison = links.slice(1).map((link) => VICTIM + link);
    const deaths = await crawlThrough(world, (url) => poison.includes(url));
    const states = await statesOf(world.engine);
    expect(
      Object.keys(states)
        .filter((url) => states[url] !== 'fetched')
        .sort(),
    ).toEqual(poison);
    expect(deaths).toBeLessThanOrEqual(3 * 6);
  });

  test('may be robots.txt: its host is set aside', async () => {
    const world = createWorld(
      { ...site(HOSTS), [`${VICTIM}/robots.txt`]: robots('User-agent: *\nAllow: /') },
      { leaseMs: 60_000, parcelLeaseMs: 60_000 },
    );
    await begin(world, [`${VICTIM}/`, ...HOSTS.map((host) => `${host}/`)], CONFIG);
    const deaths = await crawlThrough(world, (url) => url === `${VICTIM}/robots.txt`);
    const states = await statesOf(world.engine);
    expect(Object.keys(states).filter((url) => states[url] !== 'fetched')).toEqual([`${VICTIM}/`]);
    expect(optionalText((await ledgersOf(world.engine)).get('v.test')?.head.setAside?.cause)).toMatch(
      /its robots\.txt$/,
    );
    expect(deaths).toBeLessThanOrEqual(6);
  });
});

test('the hosts beside a page that kills its worker go on while it is found out', async () => {
  const paths = Array.from({ length: 100 }, (_, n) => `/${n}`);
  const pages = Object.fromEntries(
    HOSTS.flatMap((host) => [
      [`${host}/`, page(...paths)],
      ...paths.map((path) => [`${host}${path}`, page()] as const),
    ]),
  );
  const world = createWorld(
    { ...pages, [`${VICTIM}/`]: page('/1', '/2'), [`${VICTIM}/1`]: page(), [`${VICTIM}/2`]: page() },
    { leaseMs: 313_000, parcelLeaseMs: 60_000, tookMs: 300 },
  );
  const config: CrawlOptions = { scope: 'host', delayMs: 1000, totalTimeoutMs: 10_000, trapAfterPages: 0 };
  await begin(world, [`${VICTIM}/`, ...HOSTS.map((host) => `${host}/`)], config);
  let atLastDeath = 0;
  await crawlThrough(world, (url) => url === `${VICTIM}/1`, {
    async onDeath() {
      const heads = [...(await ledgersOf(world.engine)).values()].map(({ head }) => head);
      atLastDeath = heads.reduce((sum, { totals }) => sum + totals.pages, 0);
    },
  });
  const states = await statesOf(world.engine);
  expect(Object.keys(states).filter((url) => states[url] !== 'fetched')).toEqual([`${VICTIM}/1`]);
  // With all hosts locked by each worker that died, it would be one page of each.
  expect(atLastDeath).toBeGreaterThan(0.5 * HOSTS.length * paths.length);
});

describe('a suspicion', () => {
  test('outlives turns that fetch something else, and ends when the URL was fetched', async () => {
    const world = createWorld({ [`${VICTIM}/`]: page('/1'), [`${VICTIM}/1`]: page() });
    const { engine, fetcher, clock } = world;
    await begin(world, [`${VICTIM}/`], { ...CONFIG, maxPagesPerHost: 1 });
    await runToEnd(world);
    const head = (await engine.ledgers.loadHead(CRAWL, 'v.test'))!;
    const intent = { url: `${VICTIM}/1`, tries: 2 };
    await engine.ledgers.commit(CRAWL, 'v.test', { ...head, version: head.version + 1, intent });
    await engine.registry.configure(CRAWL, { maxPagesPerHost: 10 });
    const links = [{ url: `${VICTIM}/seed`, depth: 0, isSeed: true }];
    await engine.queue.send([{ host: 'v.test', message: { kind: 'links', crawl: CRAWL, links } }]);
    const process = startProcess(engine, fetcher);
    const found: unknown[] = [];
    await clock.drive(process.ended, async () => {
      const last = (await engine.ledgers.loadHead(CRAWL, 'v.test'))!;
      if (found.at(-1) !== last.intent) found.push(last.intent && structuredClone(last.intent));
      return areQuiet(engine);
    });
    process.stop();
    await clock.drive(process.ended);
    const tries = found.map((seen) => (seen as typeof intent | undefined)?.tries);
    // The seed's own announcement, the suspicion again, and that of the suspect itself.
    expect(tries.filter((n, i) => n !== tries[i - 1])).toEqual([1, 2, 3, undefined]);
    expect(Object.values(await statesOf(engine)).sort()).toEqual(['fetched', 'fetched', 'gone']);
  });
});

describe('our own services fail for a while', () => {
  test.each(['flush', 'send', 'append'] as const)('at %s: no URL is blamed', async (port) => {
    const world = createWorld(site(HOSTS.slice(0, 3)), { leaseMs: 60_000, parcelLeaseMs: 60_000 });
    const { engine, clock } = world;
    const until = clock.now() + 240_000;
    const failing =
      <A extends unknown[], T>(work: (...args: A) => Promise<T>) =>
      async (...args: A) => {
        if (clock.now() < until) throw new Error('the service is not well');
        return work(...args);
      };
    const archive = engine.archiveOf(CRAWL);
    if (port === 'send') engine.exchange.send = failing(engine.exchange.send);
    else archive[port] = failing(archive[port] as never) as never;
    await engine.registry.create(CRAWL, {
      config: { adaptive: false, ...CONFIG },
      scopeSeeds: [],
      urlRulesVersion: 1,
      status: 'running',
    });
    const links = HOSTS.slice(0, 3).map((host) => ({ url: `${host}/`, depth: 0, isSeed: true }));
    await engine.queue.send(
      links.map((link) => ({
        host: new URL(link.url).host,
        message: { kind: 'links', crawl: CRAWL, links: [link] } as const,
      })),
    );
    await runToEnd(world);
    expect(clock.now()).toBeGreaterThan(until);
    expect(new Set(Object.values(await statesOf(engine)))).toEqual(new Set(['fetched']));
  });
});
