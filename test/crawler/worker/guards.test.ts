/** How a crawl is held: paused, resumed, stopped, and ended by limits that several processes share. */

import { describe, expect, test } from 'vitest';
import { BY_OPERATOR } from '../../../shared/core/causes/status-reason.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { createBudget } from '../../../shared/crawler/crawl-state/budget.ts';
import { createCrawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import { endCrawlsAtLimits } from '../../../shared/crawler/crawl-state/limits.ts';
import type { CrawlRegistry, CrawlTotals } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { startWorker } from '../../../shared/crawler/worker/worker.ts';
import { createFakeClock, T0 } from './fake-clock.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { areQuiet, begin, CRAWL, createWorld, ledgersOf, runToEnd, startProcess, statesOf } from './world.ts';

const hostNames = (n: number) => Array.from({ length: n }, (_, i) => `http://h${i}.test`);

/** Hosts of `n` pages each, all linked from the host's first. */
const site = (hosts: readonly string[], n: number): Site =>
  Object.fromEntries(
    hosts.flatMap((host) => [
      [`${host}/`, page(...Array.from({ length: n - 1 }, (_, i) => `/${i}`))],
      ...Array.from({ length: n - 1 }, (_, i) => [`${host}/${i}`, page()]),
    ]),
  );

const countOf = (states: Record<string, string>, state: string) =>
  Object.values(states).filter((other) => other === state).length;

describe('a crawl that is paused', () => {
  const hosts = hostNames(3);

  test('is heard of within a turn, and continues by itself when it runs again', async () => {
    const world = createWorld(site(hosts, 40));
    const { clock, engine, fetcher } = world;
    await begin(
      world,
      hosts.map((host) => `${host}/`),
      { delayMs: 1000, turnMaxMs: 600_000 },
    );
    const process = startProcess(engine, fetcher);
    await clock.advance(10_000);
    await engine.registry.setStatus(CRAWL, 'paused');
    await clock.advance(3100);
    const asked = fetcher.log.length;
    await clock.advance(3_600_000);
    expect(fetcher.log.length).toBe(asked);
    await engine.registry.setStatus(CRAWL, 'running');
    // The waker's minute, and what it takes to fetch the rest.
    await clock.advance(60_000 + 60_000);
    process.stop();
    await clock.drive(process.ended);
    expect(process.errors).toEqual([]);
    expect(countOf(await statesOf(engine), 'fetched')).toBe(3 * 40);
  });

  test('keeps its hosts due, as does one that is stopped', async () => {
    for (const status of ['paused', 'stopped'] as const) {
      const world = createWorld(site(hosts, 5));
      await begin(
        world,
        hosts.map((host) => `${host}/`),
      );
      await world.engine.registry.setStatus(CRAWL, status);
      await runToEnd(world);
      const heads = [...(await ledgersOf(world.engine)).values()].map(({ head }) => head);
      expect(heads.map(({ dueAt, token }) => [dueAt !== undefined, token])).toEqual(
        hosts.map(() => [true, undefined]),
      );
      expect(world.fetcher.log).toEqual([]);
    }
  });
});

describe('a crawl that was called finished', () => {
  const [host] = hostNames(1) as [string];
  const links = [{ url: `${host}/`, depth: 0, isSeed: true }];
  const message = { host: 'h0.test', message: { kind: 'links', crawl: CRAWL, links } } as const;

  test('runs again when links come to a host that were on their way, and fetches them', async () => {
    const world = createWorld(site([host], 5));
    await begin(world, [], { scope: 'any' });
    await world.engine.registry.setStatus(CRAWL, 'finished');
    await world.engine.queue.send([message]);
    await runToEnd(world);
    expect(await world.engine.registry.load(CRAWL)).toMatchObject({ status: 'running' });
    expect(countOf(await statesOf(world.engine), 'fetched')).toBe(5);
  });

  test('stays so where the links are known, or where it was stopped meanwhile', async () => {
    const world = createWorld(site([host], 5));
    const { engine } = world;
    await begin(world, [`${host}/`]);
    await runToEnd(world);
    await engine.registry.setStatus(CRAWL, 'finished');
    await engine.queue.send([message]);
    await runToEnd(world);
    expect(await engine.registry.load(CRAWL)).toMatchObject({ status: 'finished' });
  });

  test.each(['finished', 'stopped'] as const)(
    'or %s, and was set running a moment ago, loses nothing in workers that have not heard',
    async (status) => {
      const world = createWorld(site([host], 5));
      const { engine, clock, fetcher } = world;
      await begin(world, [], { scope: 'any' });
      await engine.registry.setStatus(CRAWL, status);
      const process = startProcess(engine, fetcher);
      await clock.drive(process.ended, async () => (await process.worker.crawls.get(CRAWL)) !== undefined);
      await engine.registry.setStatus(CRAWL, 'running');
      await engine.queue.send([message]);
      await clock.drive(process.ended, () => areQuiet(engine));
      process.stop();
      await clock.drive(process.ended);
      expect(countOf(await statesOf(engine), 'fetched')).toBe(5);
    },
  );
});

test('an operator’s word is not overwritten by a limit that was found out before it was heard', async () => {
  const world = createWorld({});
  const { engine, clock } = world;
  await begin(world, ['http://h0.test/'], { maxPages: 5 });
  const totals = { ...NEW_HEAD.totals, pages: 5 };
  await engine.ledgers.commit(CRAWL, 'h0.test', { ...NEW_HEAD, version: 1, totals });
  const crawls = createCrawls(engine.registry, clock);
  await crawls.get(CRAWL);
  await engine.registry.setStatus(CRAWL, 'stopped', BY_OPERATOR);
  await endCrawlsAtLimits(engine, crawls);
  expect(await engine.registry.load(CRAWL)).toMatchObject({
    status: 'stopped',
    why: { text: 'by the operator' },
  });
});

/** The same engine, whose registry says that others work for its crawls too; totals as `cost` has them. */
function shared(engine: Engine, cost?: (totals: CrawlTotals) => number): Engine {
  const { registry } = engine;
  const totals: CrawlRegistry['totals'] = async (crawl) => {
    const read = await registry.totals(crawl);
    return { ...read, cost: cost?.(read) };
  };
  return { ...engine, registry: { ...registry, isShared: true, totals } };
}

describe('limits over several processes', () => {
  const hosts = hostNames(20);

  test('maxPages is passed by no more than what they do in some seconds', async () => {
    const world = createWorld(site(hosts, 50));
    const engine = shared(world.engine);
    await begin(
      world,
      hosts.map((host) => `${host}/`),
      { maxPages: 300, delayMs: 1000, turnMaxPages: 3 },
    );
    const processes = [1, 2, 3].map(() => startProcess(engine, world.fetcher, { maxHosts: 7 }));
    await world.clock.advance(600_000);
    for (const process of processes) process.stop();
    for (const process of processes) await world.clock.drive(process.ended);
    expect((await engine.registry.load(CRAWL))?.status).toBe('limited');
    const { pages } = await engine.registry.totals(CRAWL);
    expect(pages).toBeGreaterThanOrEqual(300);
    // About 20 pages a second over all, and totals at most 7 s old.
    expect(pages).toBeLessThan(300 + 20 * 10);
  });

  test('maxCost pauses the crawl before it has cost that much', async () => {
    const world = createWorld(site(hosts, 200));
    const engine = shared(world.engine, ({ pages }) => pages / 1000);
    await begin(
      world,
      hosts.map((host) => `${host}/`),
      { maxCost: 2, delayMs: 1000, turnMaxPages: 3 },
    );
    const process = startProcess(engine, world.fetcher);
    await world.clock.advance(600_000);
    process.stop();
    await world.clock.drive(process.ended);
    expect(await engine.registry.load(CRAWL)).toMatchObject({
      status: 'paused',
      why: { text: expect.stringContaining('maxCost') },
    });
    const { cost } = await engine.registry.totals(CRAWL);
    expect(cost).toBeLessThan(2);
    expect(cost).toBeGreaterThan(1);
  });

  test('a request that waited for the last page of the budget is not begun too late for its lease', async () => {
    const [a, b] = hostNames(2) as [string, string];
    const world = createWorld({ [`${b}/`]: page() }, { leaseMs: 40_000 });
    const { engine, clock, fetcher } = world;
    const leases = new Map<string, number>();
    const { receive } = engine.queue;
    engine.queue.receive = async (...args) => {
      const all = await receive(...args);
      for (const { host, leaseUntil } of all) leases.set(host, leaseUntil);
      return all;
    };
    const left: number[] = [];
    const slow: Fetcher = {
      ...fetcher,
      async fetch(request) {
        const { host, pathname } = new URL(request.url);
        if (pathname === '/') left.push((leases.get(host) as number) - clock.now());
        if (host !== 'h0.test' || pathname !== '/') return fetcher.fetch(request);
        const startedAt = clock.now();
        await clock.sleep(30_000);
        const times = { url: request.url, startedAt, endedAt: clock.now() };
        return { status: 'failed', reason: 'timeout', message: 'too slow', ...times };
      },
    };
    await begin(world, [`${a}/`], { maxPages: 1, totalTimeoutMs: 10_000, turnMaxMs: 60_000, scope: 'any' });
    const process = startProcess(engine, slow);
    await clock.advance(2000);
    await engine.exchange.send({ crawl: CRAWL, links: [{ url: `${b}/`, depth: 0, isSeed: true }] });
    await clock.advance(60_000);
    process.stop();
    await clock.drive(process.ended);
    expect(left.length).toBeGreaterThanOrEqual(2);
    expect(Math.min(...left)).toBeGreaterThanOrEqual(20_000 - 2);
  });

  test('what a turn made that is discarded ends no crawl', async () => {
    const [host] = hostNames(1) as [string];
    const world = createWorld(site([host], 9));
    const { engine, clock, fetcher } = world;
    await begin(world, [`${host}/`], { maxPages: 5, delayMs: 100 });
    const until = clock.now() + 60_000;
    const { commit } = engine.ledgers;
    engine.ledgers.commit = async (...args) => {
      // Late enough for somebody to look at the limits, and then not at all.
      if (clock.now() < until) {
        await clock.sleep(5000);
        throw new Error('the store is not well');
      }
      return commit(...args);
    };
    const process = startProcess(engine, fetcher);
    await clock.advance(50_000);
    expect(fetcher.log.length).toBeGreaterThan(5);
    expect(await engine.registry.load(CRAWL)).toMatchObject({ status: 'running' });
    await clock.advance(600_000);
    process.stop();
    await clock.drive(process.ended);
    expect(await engine.registry.load(CRAWL)).toMatchObject({ status: 'limited', why: { text: '5 pages' } });
    expect((await engine.registry.totals(CRAWL)).pages).toBe(5);
  });

  test('bytes of robots.txt count once, and those of a turn discarded not at all', async () => {
    const budget = createBudget({ maxBytes: 1000 }, { pages: 0, bytes: 0, activeMs: 0 }, () => T0);
    budget.receive(300);
    budget.receive(500);
    budget.commit(0, 800, 0);
    await budget.refresh({ maxBytes: 1000 }, async () => ({ pages: 0, bytes: 800, activeMs: 0 }));
    budget.receive(199);
    expect(budget.metLimit()).toBeUndefined();
    budget.receive(1);
    expect(budget.metLimit()).toEqual({
      status: 'limited',
      reason: { code: 'maxBytes', text: '1000 bytes' },
    });
    expect(budget.metFinally()).toBeUndefined();
    budget.giveBack(0, 200);
    expect(budget.metLimit()).toBeUndefined();
  });

  test('what was committed while the totals were read is not taken for a limit met', async () => {
    const budget = createBudget({ maxPages: 10 }, { pages: 0, bytes: 0, activeMs: 0 }, () => T0, {
      isShared: true,
    });
    for (let i = 0; i < 6; i++) {
      await budget.reserve();
      budget.settle(true);
    }
    await budget.refresh({ maxPages: 10 }, async () => {
      budget.commit(6, 0, 0);
      return { pages: 6, bytes: 0, activeMs: 0 };
    });
    expect(budget.metFinally()).toBeUndefined();
    await budget.refresh({ maxPages: 10 }, async () => ({ pages: 6, bytes: 0, activeMs: 0 }));
    expect(await budget.reserve()).toBe(true);
  });

  test('a limit that an operator raises is heard of', async () => {
    const world = createWorld(site(hosts.slice(0, 1), 30));
    await begin(world, [`${hosts[0]}/`], { maxPages: 5 });
    await runToEnd(world);
    expect((await world.engine.registry.load(CRAWL))?.status).toBe('limited');
    await world.engine.registry.configure(CRAWL, { maxPages: 12 });
    await world.engine.registry.setStatus(CRAWL, 'running');
    await runToEnd(world);
    expect((await world.engine.registry.totals(CRAWL)).pages).toBe(12);
  });

  test('what a process has done counts once, before and after its totals are read again', async () => {
    const clock = createFakeClock();
    const budget = createBudget({ maxPages: 10 }, { pages: 0, bytes: 0, activeMs: 0 }, clock.now);
    for (let i = 0; i < 4; i++) {
      await budget.reserve();
      budget.settle(true);
      budget.receive(100);
    }
    budget.commit(3, 300, 0);
    // Others have made five pages, and three of ours are in the totals.
    await budget.refresh({ maxPages: 10 }, async () => ({ pages: 8, bytes: 800, activeMs: 0 }));
    expect(budget.metLimit()).toBeUndefined();
    await budget.reserve();
    budget.settle(true);
    expect(budget.metLimit()).toEqual({ status: 'limited', reason: { code: 'maxPages', text: '10 pages' } });
  });
});

describe('a worker with an end', () => {
  const [host] = hostNames(1) as [string];

  async function workFor(
    options: Partial<Parameters<typeof startWorker>[2]>,
    { pages = 5, delayMs = 100 } = {},
  ) {
    const world = createWorld(site([host], pages));
    const { clock, engine, fetcher } = world;
    await begin(world, [`${host}/`], { delayMs, turnMaxPages: 2, totalTimeoutMs: 5000 });
    const links = [{ url: `${host}/`, depth: 0, isSeed: true }];
    await engine.queue.send([{ host: 'h0.test', message: { kind: 'links', crawl: CRAWL, links } }]);
    const { signal } = new AbortController();
    const worker = startWorker(engine, () => fetcher, {
      maxHosts: 10,
      signal,
      endsWhenIdle: true,
      ...options,
    });
    await clock.drive(worker.done);
    return world;
  }

  test('serves what it receives, and all that follows from it, and ends', async () => {
    const { engine } = await workFor({});
    expect(countOf(await statesOf(engine), 'fetched')).toBe(5);
  });

  test('receives nothing after its time, and leaves the token for others', async () => {
    const { engine, fetcher } = await workFor({ receiveUntil: T0 + 1 });
    expect(fetcher.log.length).toBe(3);
    expect(engine.messages('h0.test').map(({ kind }) => kind)).toEqual(['token']);
  });

  test('gives hosts back at once that a receive brings when its time is over', async () => {
    const world = createWorld(site([host], 3));
    const { clock, engine, fetcher } = world;
    await begin(world, [`${host}/`], { totalTimeoutMs: 5000 });
    const links = [{ url: `${host}/`, depth: 0, isSeed: true }];
    await engine.queue.send([{ host: 'h0.test', message: { kind: 'links', crawl: CRAWL, links } }]);
    const { queue } = engine;
    const slow: Engine = {
      ...engine,
      queue: {
        ...queue,
        async receive(...args) {
          await clock.sleep(9000);
          return queue.receive(...args);
        },
      },
    };
    const errors: unknown[] = [];
    const worker = startWorker(slow, () => fetcher, {
      maxHosts: 10,
      signal: new AbortController().signal,
      receiveUntil: clock.now() + 1000,
      deadline: clock.now() + 20_000,
      endsWhenIdle: true,
      onError: (error) => errors.push(error),
    });
    await clock.drive(worker.done);
    expect(errors).toEqual([]);
    expect(fetcher.log).toEqual([]);
    expect(await queue.receive(1, 0)).toHaveLength(1);
  });

  test('lets what is in progress run to its end when nothing can be received any more', async () => {
    const world = createWorld(site([host], 5));
    const { clock, engine, fetcher } = world;
    // All within one turn, which is short in a young crawl.
    await begin(world, [`${host}/`], { totalTimeoutMs: 5000, delayMs: 100 });
    const links = [{ url: `${host}/`, depth: 0, isSeed: true }];
    await engine.queue.send([{ host: 'h0.test', message: { kind: 'links', crawl: CRAWL, links } }]);
    let receives = 0;
    const receive: Engine['queue']['receive'] = async (...args) => {
      if (receives++ > 0) throw new Error('no queue');
      return engine.queue.receive(...args);
    };
    const worker = startWorker({ ...engine, queue: { ...engine.queue, receive } }, () => fetcher, {
      maxHosts: 10,
      signal: new AbortController().signal,
    });
    await expect(clock.drive(worker.done)).rejects.toThrow('no queue');
    expect(worker.stats.hostsActive).toBe(0);
    expect(countOf(await statesOf(engine), 'fetched')).toBe(5);
  });

  test('begins no request that its deadline could cut off', async () => {
    const { engine, fetcher, clock } = await workFor({ deadline: T0 + 30_000 }, { pages: 60, delayMs: 1000 });
    const last = Math.max(...fetcher.log.map(({ startedAt }) => startedAt));
    expect(last).toBeLessThanOrEqual(T0 + 30_000 - 5000 - 10_000);
    expect(clock.now()).toBeLessThan(T0 + 30_000);
    expect(countOf(await statesOf(engine), 'waiting')).toBeGreaterThan(0);
  });
});
