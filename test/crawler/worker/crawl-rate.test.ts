/** Bytes a second that all hosts of a crawl send at most. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { RATE_NAME } from '../../../shared/core/frontier/crawl-rate.ts';
import { domainKey, isDomainKey } from '../../../shared/core/frontier/domain-state.ts';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { firstBytes, LINE_SLACK_MS } from '../../../shared/core/frontier/rate-line.ts';
import { hostEntry } from '../../../shared/services/control/host-detail.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { areQuiet, begin, createWorld, runToEnd, startProcess, statesOf, type World } from './world.ts';

const HOSTS = Array.from({ length: 12 }, (_, i) => `http://h${i}.test`);
const SEEDS = HOSTS.map((origin) => `${origin}/`);
const PATHS = ['/1', '/2', '/3', '/4'];
/** Its size is 2 to 40 kB. */
const large = (i: number) => ({ body: `<p>${'x'.repeat(2000 + ((i * 7919) % 38_000))}` });
const SITE: Site = Object.fromEntries(
  HOSTS.flatMap((origin, i) => [
    [`${origin}/`, page(...PATHS)],
    ...PATHS.map((path, j): [string, Site[string]] => [origin + path, large(10 * i + j)]),
  ]),
);
const RATE = 20_000;
const OPTIONS: CrawlOptions = { delayMs: 100, maxBytesPerSecond: RATE };

function bytesOf(url: string): number {
  const answer = SITE[url];
  return typeof answer === 'object' ? (answer.body?.length ?? 0) : 0;
}

const requestsOf = ({ fetcher }: Pick<World, 'fetcher'>) =>
  fetcher.log.toSorted((a, b) => a.startedAt - b.startedAt);

/** Bytes by which a time between two requests had more than the rate gives in it: of those that begin and end in it. */
function mostBeyond(world: Pick<World, 'fetcher'>, rate = RATE): number {
  const log = requestsOf(world);
  let most = 0;
  for (const [i, first] of log.entries())
    for (const last of log.slice(i + 1)) {
      const between = log.slice(i).filter((one) => one !== last && one.endedAt <= last.startedAt);
      const bytes = between.reduce((sum, { url }) => sum + bytesOf(url), 0);
      most = Math.max(most, bytes - ((last.startedAt - first.startedAt) / 1000) * rate);
    }
  return most;
}

/** The rate from the first request to the last one. */
function meanRate(world: Pick<World, 'fetcher'>): number {
  const log = requestsOf(world);
  const bytes = log.slice(0, -1).reduce((sum, { url }) => sum + bytesOf(url), 0);
  return (1000 * bytes) / (log.at(-1)!.startedAt - log[0]!.startedAt);
}

const SLACK = (LINE_SLACK_MS / 1000) * RATE;
const MOST_BYTES = Math.max(...Object.keys(SITE).map(bytesOf), firstBytes(RATE));

async function crawl(options: CrawlOptions, world: World = createWorld(SITE)): Promise<World> {
  await begin(world, SEEDS, options);
  expect(await runToEnd(world)).toEqual([]);
  expect(Object.values(await statesOf(world.engine)).every((state) => state === 'fetched')).toBe(true);
  return world;
}

/** Runs the world's crawl and returns the heads that were stored, by host. */
async function headsOf(world: World): Promise<(readonly [host: string, head: Head])[]> {
  const heads: (readonly [string, Head])[] = [];
  const { commit } = world.engine.ledgers;
  const ledgers = {
    ...world.engine.ledgers,
    commit: (...args: Parameters<typeof commit>) => {
      heads.push([args[1], args[2]]);
      return commit(...args);
    },
  };
  expect(await runToEnd({ ...world, engine: { ...world.engine, ledgers } })).toEqual([]);
  return heads;
}

describe('maxBytesPerSecond', () => {
  test('all hosts together send no more than the rate, and nearly as much', async () => {
    const world = await crawl(OPTIONS);
    // Those in flight when the time begins may have had room for more than came.
    expect(mostBeyond(world)).toBeLessThan(SLACK + 2 * MOST_BYTES);
    expect(meanRate(world)).toBeGreaterThan(0.9 * RATE);
    expect(meanRate(await crawl({ delayMs: 100 }))).toBeGreaterThan(3 * RATE);
  });

  test('also if requests take long, and hosts are asked for several pages at once', async () => {
    const slow = await crawl({ ...OPTIONS, perHost: 3 }, createWorld(SITE, { tookMs: 3000 }));
    expect(mostBeyond(slow)).toBeLessThan(SLACK + 4 * MOST_BYTES);
    expect(meanRate(slow)).toBeGreaterThan(0.8 * RATE);
  });

  test('also over several workers, of which each claims its part', async () => {
    const world = createWorld(SITE);
    const { clock, engine, fetcher } = world;
    await begin(world, SEEDS, OPTIONS);
    const processes = Array.from({ length: 4 }, () => startProcess(engine, fetcher, { maxHosts: 4 }));
    const ended = Promise.all(processes.map((process) => process.ended));
    await clock.drive(ended, () => areQuiet(engine));
    for (const process of processes) process.stop();
    await clock.drive(ended);
    expect(processes.flatMap(({ errors }) => errors)).toEqual([]);
    expect(meanRate(world)).toBeLessThan(1.05 * RATE);
    expect(meanRate(world)).toBeGreaterThan(0.6 * RATE);
    expect(fetcher.log).toHaveLength(HOSTS.length * (PATHS.length + 2));
  });

  test('also if a process follows the other after a few requests', async () => {
    const world = createWorld(SITE);
    const { clock, engine, fetcher } = world;
    await begin(world, SEEDS, OPTIONS);
    const isIdle = () => fetcher.log.every(({ endedAt }) => endedAt < Number.POSITIVE_INFINITY);
    for (let requests = 10; !(await areQuiet(engine)); requests += 10) {
      const process = startProcess(engine, fetcher);
      await clock.drive(
        process.ended,
        async () => (fetcher.log.length >= requests && isIdle()) || (await areQuiet(engine)),
      );
      process.stop();
      await clock.drive(process.ended);
      expect(process.errors).toEqual([]);
    }
    expect(meanRate(world)).toBeLessThan(1.05 * RATE);
  });

  test('a host whose place comes later gives its worker free, has the place in its head, and uses that', async () => {
    const world = createWorld(SITE);
    await begin(world, SEEDS, { ...OPTIONS, turnMaxWaitMs: 300 });
    const heads = await headsOf(world);
    const waiting = heads.flatMap(([host, head]) =>
      head.wait?.for === 'crawlBytes' ? [{ host, head }] : [],
    );
    expect(waiting.length).toBeGreaterThan(HOSTS.length);
    const [first] = waiting as [(typeof waiting)[number]];
    expect(first.head.wait).toMatchObject({ until: first.head.clock.nextFetchAt, bytes: expect.any(Number) });
    expect(hostEntry(first.host, first.head).waitsFor).toBe(
      "the crawl's byte rate, which is used up by other hosts",
    );
    expect(mostBeyond(world)).toBeLessThan(SLACK + 2 * MOST_BYTES);
    expect(meanRate(world)).toBeGreaterThan(0.8 * RATE);
  });

  test('it costs a write for a second or two of the rate, and without it nothing more is stored', async () => {
    const world = createWorld(SITE);
    await begin(world, SEEDS, OPTIONS);
    const heads = await headsOf(world);
    const claims = heads.filter(([host]) => host === domainKey(RATE_NAME));
    const log = requestsOf(world);
    const seconds = (log.at(-1)!.startedAt - log[0]!.startedAt) / 1000;
    expect(claims.length).toBeLessThan(seconds + 5);
    const without = createWorld(SITE);
    await begin(without, SEEDS, { delayMs: 100 });
    for (const [host, head] of await headsOf(without)) {
      expect(isDomainKey(host)).toBe(false);
      expect(head).not.toHaveProperty('wait');
    }
  });
});
