/** The pace of IP addresses at which several hosts are. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { isDomainKey } from '../../../shared/core/frontier/domain-state.ts';
import type { Head } from '../../../shared/core/frontier/head.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { hostEntry } from '../../../shared/services/control/host-detail.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { areQuiet, begin, CRAWL, createWorld, runToEnd, startProcess, type World } from './world.ts';

const DELAY_MS = 400;
const OPTIONS: CrawlOptions = { scope: 'any', delayMs: 100, ipDelayMs: DELAY_MS };
const HOSTS = Array.from({ length: 12 }, (_, i) => `h${i}.test`);
const SEEDS = HOSTS.map((host) => `http://${host}/`);
const SITE: Site = Object.fromEntries(
  HOSTS.flatMap((host) => [
    [`http://${host}/`, page('/1', '/2')],
    [`http://${host}/1`, page()],
    [`http://${host}/2`, page()],
  ]),
);

/** Hosts share addresses; h0 has an address of its own, too. */
function addressed(world: World, addressesOf: (host: string) => readonly string[]): World {
  const { fetcher } = world;
  const known: Fetcher = { ...fetcher, addressesOf: async (host) => addressesOf(host) };
  return { ...world, fetcher: Object.assign(known, { log: fetcher.log }) as World['fetcher'] };
}

/** The gaps between requests, from the end of one to the start of the next; negative where they overlap. */
function gapsOf({ fetcher }: Pick<World, 'fetcher'>, isOf: (host: string) => boolean = () => true): number[] {
  const log = fetcher.log.filter(({ host }) => isOf(host)).sort((a, b) => a.startedAt - b.startedAt);
  return log.slice(1).map(({ startedAt }, i) => startedAt - (log[i]?.endedAt ?? 0));
}

const SHARED = () => ['1.1.1.1'];

async function crawl(
  options: CrawlOptions,
  addressesOf: (host: string) => readonly string[],
): Promise<World> {
  const world = addressed(createWorld(SITE), addressesOf);
  await begin(world, SEEDS, options);
  expect(await runToEnd(world)).toEqual([]);
  expect(world.fetcher.log).toHaveLength(HOSTS.length * 4);
  return world;
}

describe('ipDelayMs', () => {
  test('one request at a time goes to an address, over all hosts, and it rests after each', async () => {
    const world = await crawl({ ...OPTIONS, turnMaxWaitMs: 1000 }, SHARED);
    expect(Math.min(...gapsOf(world))).toBeGreaterThanOrEqual(DELAY_MS);
  });

  test('also if hosts have several addresses, and some share only one of them', async () => {
    const world = await crawl(OPTIONS, (host) => (host === 'h0.test' ? ['2.2.2.2', '1.1.1.1'] : ['1.1.1.1']));
    expect(Math.min(...gapsOf(world))).toBeGreaterThanOrEqual(DELAY_MS);
  });

  test('hosts at different addresses, at those of CDNs and without a known one do not wait for each other', async () => {
    const own = await crawl(OPTIONS, (host) => [`1.1.1.${host.slice(1, -5)}`]);
    const cdn = await crawl({ ...OPTIONS, ipDelayExcept: ['1.1.0.0/16'] }, SHARED);
    const unknown = await crawl(OPTIONS, () => []);
    for (const world of [own, cdn, unknown]) expect(Math.min(...gapsOf(world))).toBeLessThan(DELAY_MS / 2);
  });

  test('without it no address is looked up, and nothing more is stored', async () => {
    const world = await crawl({ ...OPTIONS, ipDelayMs: 0 }, () => {
      throw new Error('looked up');
    });
    for await (const { host, head } of world.engine.ledgers.hosts(CRAWL))
      if (!isDomainKey(host)) expect(head).not.toHaveProperty('wait');
  });

  test('a host whose place comes later gives its worker free, and its head says what it waits for', async () => {
    const world = addressed(createWorld(SITE), SHARED);
    await begin(world, SEEDS, { ...OPTIONS, turnMaxWaitMs: 300 });
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
    const waiting = heads.filter(({ wait }) => wait !== undefined);
    expect(waiting.length).toBeGreaterThan(HOSTS.length);
    expect(waiting[0]).toMatchObject({
      wait: { for: 'address', address: '1.1.1.1', until: waiting[0]?.clock.nextFetchAt },
    });
    expect(hostEntry('h', waiting[0] as Head).waitsFor).toBe('other hosts at its IP address, 1.1.1.1');
    expect(Math.min(...gapsOf(world))).toBeGreaterThanOrEqual(DELAY_MS);
  });

  test('of several workers one has the address at a time, and one that ends leaves it to the others', async () => {
    const world = addressed(createWorld(SITE), SHARED);
    const { clock, engine, fetcher } = world;
    await begin(world, SEEDS, { ...OPTIONS, totalTimeoutMs: 5000 });
    const start = (name: string) => startProcess(engine, fetcher, { maxHosts: 4, leaseOwner: () => name });
    const processes = [start('a'), start('b')];
    const [first, second] = processes as [ReturnType<typeof start>, ReturnType<typeof start>];
    await clock.drive(second.ended, async () => fetcher.log.length > 12);
    first.stop();
    await clock.drive(second.ended, () => areQuiet(engine));
    second.stop();
    await clock.drive(Promise.all([first.ended, second.ended]));
    expect([...first.errors, ...second.errors]).toEqual([]);
    const done = fetcher.log.filter(({ url }) => !url.endsWith('robots.txt'));
    expect(new Set(done.map(({ url }) => url)).size).toBe(HOSTS.length * 3);
    expect(Math.min(...gapsOf(world))).toBeGreaterThanOrEqual(DELAY_MS);
  });

  test('a worker without further hosts at the address keeps those of others waiting for no longer than its lease', async () => {
    const world = addressed(createWorld(SITE), SHARED);
    const { clock, engine, fetcher } = world;
    // The time-out of a request counts for requests in flight alone.
    await begin(world, SEEDS, { ...OPTIONS, totalTimeoutMs: 600_000 });
    const processes = ['a', 'b', 'c'].map((name) =>
      startProcess(engine, fetcher, { maxHosts: 2, leaseOwner: () => name }),
    );
    const ended = Promise.all(processes.map(({ ended }) => ended));
    await clock.drive(ended, async () => fetcher.log.length === HOSTS.length * 4);
    for (const process of processes) process.stop();
    await clock.drive(ended);
    expect(processes.flatMap(({ errors }) => errors)).toEqual([]);
    expect(Math.min(...gapsOf(world))).toBeGreaterThanOrEqual(DELAY_MS);
    expect(Math.max(...gapsOf(world))).toBeLessThan(60_000);
  });
});
