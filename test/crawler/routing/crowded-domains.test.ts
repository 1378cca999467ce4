/** Links to very many hosts of one domain: those for which it has no room are left out at once. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { withHost } from '../../../shared/core/frontier/domain-state.ts';
import { countLinkers, linkerHash, sketchOf } from '../../../shared/core/frontier/linker-sketch.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import { createCrawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import { withoutCrowds } from '../../../shared/crawler/routing/crowded-domains.ts';
import { createDomainHeads, type DomainFacts } from '../../../shared/crawler/turn/links/domain-heads.ts';
import { createFakeClock } from '../worker/fake-clock.ts';
import { createMemoryEngine } from '../worker/memory-engine.ts';
import { begin } from '../worker/world.ts';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const hostsOf = (domain: string, count: number, from = 0) =>
  range(count).map((i) => `h${from + i}.${domain}`);
const linked = (hosts: readonly string[], fields: Partial<Link> = {}, links = 1) =>
  new Map(
    hosts.map((host) => [
      host,
      new Map(
        range(links).map((i): [string, Link] => {
          const url = `http://${host}/${i}`;
          return [url, { url, depth: 1, ...fields }];
        }),
      ),
    ]),
  );

async function setUp(config: CrawlOptions = { maxHostsPerDomain: 20 }, opened: readonly string[] = []) {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  await begin({ engine }, ['http://seed.test/'], { scope: 'any', ...config }, 'c');
  const { ledgers } = engine;
  const calls: string[] = [];
  const watched = {
    ...ledgers,
    loadHead: (crawl: string, host: string) => {
      calls.push(`load ${host}`);
      return ledgers.loadHead(crawl, host);
    },
  };
  const domains = createDomainHeads({ ledgers, clock });
  if (opened.length > 0)
    await domains.change('c', 'a.test', (before) => ({
      state: opened.reduce<DomainFacts>((state, host) => withHost(state, host), before),
      result: undefined,
    }));
  const thin = async (byHost: ReturnType<typeof linked>, crawl = 'c') => {
    const kept = await withoutCrowds(
      { ledgers: watched, clock },
      createCrawls(engine.registry, clock),
      new Map([[crawl, byHost]]),
    );
    return [...(kept.get(crawl)?.keys() ?? [])];
  };
  const skipped = async (domain = 'a.test') =>
    (await ledgers.loadHead('c', `@${domain}`))?.totals.skipped ?? {};
  return { thin, calls, skipped, domains };
}

describe('links to the hosts of a domain', () => {
  test('are left out for those beyond its room, in the order in which they come, and counted', async () => {
    const { thin, skipped } = await setUp();
    const hosts = hostsOf('a.test', 25);
    expect(await thin(linked(hosts, {}, 3))).toEqual(hosts.slice(0, 20));
    expect(await skipped()).toEqual({ hostsPerDomain: 15 });
  });

  test('stay for hosts that are open, which take none of the room that is left', async () => {
    const opened = hostsOf('a.test', 18, 100);
    const { thin, skipped } = await setUp(undefined, opened);
    const news = hostsOf('a.test', 10);
    expect(await thin(linked([...news, ...opened]))).toEqual([...news.slice(0, 2), ...opened]);
    expect(await skipped()).toEqual({ hostsPerDomain: 8 });
  });

  test('stay for hosts with a seed, however full the domain is', async () => {
    const { thin } = await setUp(undefined, hostsOf('a.test', 20, 100));
    const byHost = new Map([
      ...linked(hostsOf('a.test', 20)),
      ...linked(['seed.a.test'], { isSeed: true }, 2),
    ]);
    expect(await thin(byHost)).toEqual(['seed.a.test']);
  });

  test.each([
    ['sixteen hosts at once: their own turns ask', 16, true],
    ['seventeen: the domain is asked first', 17, false],
  ])('of %s', async (_what, count, isKept) => {
    const { thin, calls } = await setUp(undefined, hostsOf('a.test', 20, 100));
    const hosts = hostsOf('a.test', count);
    expect(await thin(linked(hosts))).toEqual(isKept ? hosts : []);
    expect(calls.length > 0).toBe(!isKept);
  });

  test('of several domains are judged by each of them', async () => {
    const { thin, skipped, calls } = await setUp({ maxHostsPerDomain: 17 });
    const hosts = [...hostsOf('a.test', 19), ...hostsOf('b.test', 18), ...hostsOf('c.test', 5)];
    const left = hosts.filter((host) => !['h17.a.test', 'h18.a.test', 'h17.b.test'].includes(host));
    expect(await thin(linked(hosts))).toEqual(left);
    expect([await skipped('a.test'), await skipped('b.test'), await skipped('c.test')]).toEqual([
      { hostsPerDomain: 2 },
      { hostsPerDomain: 1 },
      {},
    ]);
    expect(calls).not.toContain('load @c.test');
  });

  test('are left as they are where there is room for all: the domain is read, and not written', async () => {
    const { thin, calls, skipped } = await setUp({ maxHostsPerDomain: 100 });
    const hosts = hostsOf('a.test', 30);
    expect(await thin(linked(hosts))).toEqual(hosts);
    expect(calls).toEqual(['load @a.test']);
    expect(await skipped()).toEqual({});
  });

  test.each<[string, CrawlOptions, string]>([
    ['in a crawl without such a limit', { maxHostsPerDomain: 'off' }, 'c'],
    ['in a crawl of one host', { scope: 'host' }, 'c'],
    ['in a crawl that nobody knows', {}, 'unknown'],
  ])('are left as they are %s, and no domain is asked', async (_what, config, crawl) => {
    const { thin, calls } = await setUp(config);
    const hosts = hostsOf('a.test', 30);
    expect(await thin(linked(hosts), crawl)).toEqual(hosts);
    expect(calls).toEqual([]);
  });

  test('count as links to their domain all the same', async () => {
    const { thin, domains } = await setUp(undefined, hostsOf('a.test', 20, 100));
    const linkers = sketchOf(['x.test', 'y.test'].map(linkerHash));
    await thin(linked(hostsOf('a.test', 20), { linkers }));
    expect(countLinkers((await domains.load('c', 'a.test')).linkers ?? '')).toBe(2);
  });

  test('of several crawls are judged by each crawl’s own settings', async () => {
    const clock = createFakeClock();
    const engine = createMemoryEngine(clock);
    await begin({ engine }, ['http://s.test/'], { scope: 'any', maxHostsPerDomain: 17 }, 'c');
    await begin({ engine }, ['http://s.test/'], { scope: 'any', maxHostsPerDomain: 18 }, 'd');
    const byHost = linked(hostsOf('a.test', 20));
    const kept = await withoutCrowds(
      engine,
      createCrawls(engine.registry, clock),
      new Map([
        ['c', byHost],
        ['d', byHost],
      ]),
    );
    expect([kept.get('c')?.size, kept.get('d')?.size, byHost.size]).toEqual([17, 18, 20]);
    expect([...kept.keys()]).toEqual(['c', 'd']);
  });

  test('of several crawls are judged one after the other: once one has failed, nothing more is asked for', async () => {
    const clock = createFakeClock();
    const engine = createMemoryEngine(clock);
    for (const crawl of ['c', 'd'])
      await begin({ engine }, ['http://s.test/'], { scope: 'any', maxHostsPerDomain: 17 }, crawl);
    const loaded: string[] = [];
    const ledgers = {
      ...engine.ledgers,
      async loadHead(crawl: string) {
        loaded.push(crawl);
        throw new Error('the table is away');
      },
    };
    const byHost = linked(hostsOf('a.test', 20));
    const gathered = new Map([
      ['c', byHost],
      ['d', byHost],
    ]);
    const thinned = withoutCrowds({ ledgers, clock }, createCrawls(engine.registry, clock), gathered);
    await expect(thinned).rejects.toThrow('the table is away');
    await new Promise((resolve) => setImmediate(resolve));
    expect(loaded).toEqual(['c']);
  });

  test('are judged by the settings of the crawl as they are then', async () => {
    const clock = createFakeClock();
    const engine = createMemoryEngine(clock);
    const config = { scope: 'any', maxHostsPerDomain: 17 } as { maxHostsPerDomain: number };
    const crawls = { get: async () => ({ config: { ...config } }) } as never;
    const thin = () => withoutCrowds(engine, crawls, new Map([['c', linked(hostsOf('a.test', 20))]]));
    expect((await thin()).get('c')?.size).toBe(17);
    config.maxHostsPerDomain = 19;
    expect((await thin()).get('c')?.size).toBe(19);
  });

  test('to sixteen hosts of one domain are left to their turns, however many other hosts there are', async () => {
    const { thin, calls } = await setUp({ maxHostsPerDomain: 5 });
    const hosts = [...hostsOf('a.test', 16), ...hostsOf('b.test', 16)];
    expect(await thin(linked(hosts))).toEqual(hosts);
    expect(calls).toEqual([]);
  });
});

describe('links that are left out', () => {
  /** The links to 20 hosts of a domain with room for 17, where to write its head takes a minute. */
  async function setUpSlow() {
    const clock = createFakeClock();
    const engine = createMemoryEngine(clock);
    await begin({ engine }, ['http://s.test/'], { scope: 'any', maxHostsPerDomain: 17 }, 'c');
    const { commit } = engine.ledgers;
    engine.ledgers.commit = async (...given) => {
      await clock.sleep(60_000);
      return commit(...given);
    };
    const gathered = new Map([['c', linked(hostsOf('a.test', 20))]]);
    const thinned = () => withoutCrowds(engine, createCrawls(engine.registry, clock), gathered);
    return { clock, engine, thinned };
  }

  test('are counted before the others are given', async () => {
    const { clock, engine, thinned } = await setUpSlow();
    expect((await clock.drive(thinned()))?.get('c')?.size).toBe(17);
    expect((await engine.ledgers.loadHead('c', '@a.test'))?.totals.skipped).toEqual({ hostsPerDomain: 3 });
  });

  test('are not lost if they cannot be counted: all come again', async () => {
    const { engine, thinned } = await setUpSlow();
    engine.ledgers.commit = () => Promise.reject(new Error('throttled'));
    await expect(thinned()).rejects.toThrow('throttled');
  });
});
