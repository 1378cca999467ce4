import { describe, expect, test } from 'vitest';
import { DailyLimit, type DailyLimitDeps } from '../../functions/daily-limit.ts';
import { createWakerHandler, type WakerDeps } from '../../functions/waker-handler.ts';
import { NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { pauseCrawl, stopCrawl } from '../../shared/services/control/change-status.ts';
import { createFakeClock, T0 } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { begin } from '../crawler/worker/world.ts';
import { contextFor, fakeStack } from './fake-stack.ts';

/** Crawls of these names, each with a number of due hosts. */
async function setUp(
  crawls: Readonly<Record<string, number>>,
  config = {},
  limit?: Pick<DailyLimitDeps, 'maxCost' | 'spentToday'>,
  more: Pick<WakerDeps, 'watch' | 'changeFeed' | 'announcer'> = {},
) {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  const fake = fakeStack(engine, clock);
  for (const [crawl, count] of Object.entries(crawls)) {
    await begin({ engine }, [`http://${crawl}.test/`], config, crawl);
    fake.crawls.push(crawl);
    for (let i = 0; i < count; i++)
      await engine.ledgers.commit(crawl, hostOf(crawl, i), { ...NEW_HEAD, version: 1, dueAt: T0 - i });
  }
  for (const parcel of await engine.exchange.receive(100, 0)) await engine.exchange.acknowledge([parcel]);
  const deps = { clock, log: fake.log, stack: fake.stack };
  const directory = new Set<string>();
  const dailyLimit =
    limit &&
    new DailyLimit({
      ...limit,
      ...{ clock, log: fake.log, registry: fake.stack.engine.registry },
      paused: {
        enter: async (crawl) => void directory.add(crawl),
        strike: async (crawl) => void directory.delete(crawl),
        list: async () => [...directory],
      },
      resume: async (crawl) => void (await engine.registry.resume(crawl)),
      announce: async () => {},
      forget: async () => {},
    });
  const handle = createWakerHandler({ ...deps, dailyLimit, ...more });
  const run = (ms = 55_000) => handle({}, contextFor(clock, ms));
  const woken = (crawl: string) =>
    Array.from({ length: crawls[crawl] as number }, (_, i) => engine.messages(hostOf(crawl, i)).length);
  return { ...fake, clock, engine, run, woken };
}

const hostOf = (crawl: string, i: number): string => `h${i}.${crawl}.test`;
const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

describe('the limit of cost in a day', () => {
  test('pauses all crawls that run once it is spent, with the reason, and lets them go on the next day', async () => {
    let spent = 19.99;
    const { run, engine, clock, logged } = await setUp(
      { a: 1, b: 1 },
      {},
      { maxCost: 20, spentToday: async () => spent },
    );
    const records = () => Promise.all(['a', 'b'].map((crawl) => engine.registry.load(crawl)));
    await run();
    expect(await records()).toMatchObject([{ status: 'running' }, { status: 'running' }]);
    spent = 20;
    await run();
    const paused = {
      status: 'paused',
      why: {
        code: 'maxCostPerDay',
        text: expect.stringMatching(
          /^maxCostPerDay: all crawls together have cost 20 US dollars today\. It goes on by itself at 00:00 UTC/,
        ),
      },
    };
    expect(await records()).toMatchObject([paused, paused]);
    expect(logged.map(({ level, crawl }) => [level, crawl]).sort()).toEqual([
      ['warn', 'a'],
      ['warn', 'b'],
    ]);
    await run();
    expect(await records()).toMatchObject([paused, paused]);
    await clock.advance(86_400_000);
    spent = 0;
    await run();
    expect(await records()).toMatchObject([{ status: 'running' }, { status: 'running' }]);
  });

  test('leaves crawls as they are that an operator has paused, stopped or deleted meanwhile', async () => {
    let spent = 20;
    const { run, engine, clock } = await setUp(
      { a: 1, b: 1, c: 1 },
      {},
      { maxCost: 20, spentToday: async () => spent },
    );
    await run();
    await pauseCrawl(engine.registry, 'a');
    await stopCrawl(engine.registry, 'b');
    await clock.advance(86_400_000);
    spent = 0;
    await run();
    const statuses = ['a', 'b', 'c'].map(async (crawl) => (await engine.registry.load(crawl))?.status);
    expect(await Promise.all(statuses)).toEqual(['paused', 'stopped', 'running']);
  });

  test('that cannot be checked fails the run, and the other crawls are woken', async () => {
    const spentToday = () => Promise.reject(new Error('no table'));
    const { run, woken } = await setUp({ a: 1, b: 1 }, {}, { maxCost: 20, spentToday });
    await expect(run()).rejects.toThrow(/^It failed for: [ab]$/);
    expect([...woken('a'), ...woken('b')]).toEqual([1, 1]);
  });

  test('pauses a crawl again that was resumed on the same day', async () => {
    const { run, engine } = await setUp({ a: 1 }, {}, { maxCost: 20, spentToday: async () => 20 });
    for (let time = 0; time < 2; time++) {
      await engine.registry.setStatus('a', 'running');
      await run();
      expect((await engine.registry.load('a'))?.status).toBe('paused');
    }
  });

  test('leaves a crawl as it is that was stopped in the same moment', async () => {
    const spentToday = async () => {
      await engine.registry.setStatus('a', 'stopped');
      return 20;
    };
    const { run, engine, logged } = await setUp({ a: 1 }, {}, { maxCost: 20, spentToday });
    await run();
    expect((await engine.registry.load('a'))?.status).toBe('stopped');
    expect(logged).toEqual([]);
  });

  test('pauses the other crawls if one cannot be paused, and fails the run', async () => {
    const { run, engine, stack } = await setUp(
      { a: 1, b: 1, c: 1 },
      {},
      { maxCost: 20, spentToday: async () => 20 },
    );
    const { setStatus } = stack.engine.registry;
    stack.engine.registry.setStatus = async (crawl, ...rest) => {
      if (crawl === 'a') throw new Error('no table');
      return setStatus(crawl, ...rest);
    };
    await expect(run()).rejects.toThrow(/^It failed for: a$/);
    const statuses = ['a', 'b', 'c'].map(async (crawl) => (await engine.registry.load(crawl))?.status);
    expect(await Promise.all(statuses)).toEqual(['running', 'paused', 'paused']);
  });
});

test('a crawl whose record takes longer to load is woken too', async () => {
  const { run, woken, stack } = await setUp({ a: 1, b: 1, c: 1 });
  const { load } = stack.engine.registry;
  stack.engine.registry.load = async (crawl) => {
    if (crawl !== 'a') for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
    return load(crawl);
  };
  await run();
  expect([woken('a'), woken('b'), woken('c')]).toEqual([[1], [1], [1]]);
});

describe('hosts that are due', () => {
  test('are woken, all of them, batch by batch, and not again by the next run', async () => {
    const { run, woken, engine, flushes } = await setUp({ news: 1200, other: 3 });
    await run();
    expect(woken('news')).toEqual(times(1200, 1));
    expect(woken('other')).toEqual(times(3, 1));
    expect(engine.messages(hostOf('news', 0))).toEqual([{ kind: 'wake', crawl: 'news' }]);
    await run();
    expect(woken('news')).toEqual(times(1200, 1));
    expect(flushes()).toBe(2);
  });

  test('of a large crawl wait, when thousands are awake and have not had their turn', async () => {
    const { run, woken } = await setUp({ news: 6000 });
    await run();
    expect(woken('news').filter((count) => count > 0)).toHaveLength(5000);
  });

  test('of a crawl that does not run stay asleep', async () => {
    const { run, woken, engine } = await setUp({ news: 3, held: 3 });
    await engine.registry.setStatus('held', 'paused');
    await run();
    expect(woken('news')).toEqual([1, 1, 1]);
    expect(woken('held')).toEqual([0, 0, 0]);
  });

  test('of several crawls are woken a batch of each, in the same order again and again', async () => {
    const { run, stack } = await setUp({ a: 1100, b: 1100, c: 3 });
    const asked: string[] = [];
    const { dueHosts } = stack.engine.ledgers;
    stack.engine.ledgers.dueHosts = async (...args) => {
      asked.push(args[0]);
      return dueHosts(...args);
    };
    await run();
    expect(asked.join('')).toBe('abcababab'.slice(0, asked.length));
    expect(asked.length).toBeGreaterThan(5);
  });

  test('are woken again if the crawl was paused meanwhile: their messages may have been dropped', async () => {
    const { run, woken, engine, clock } = await setUp({ news: 1, held: 1, other: 1 });
    await run();
    for (const crawl of ['held', 'other']) await engine.registry.setStatus(crawl, 'paused');
    await run();
    for (const crawl of ['held', 'other']) await engine.registry.setStatus(crawl, 'running');
    await clock.advance(60_000);
    await run();
    expect([woken('news'), woken('held'), woken('other')]).toEqual([[1], [2], [2]]);
  });

  test('of two crawls are woken in turn, so that a large one does not hold up a small one', async () => {
    const { run, woken, stack, clock } = await setUp({ large: 4000, small: 10 });
    const { dueHosts } = stack.engine.ledgers;
    stack.engine.ledgers.dueHosts = async (...args) => {
      await clock.advance(15_000);
      return dueHosts(...args);
    };
    await run();
    expect(woken('small')).toEqual(times(10, 1));
    expect(woken('large').filter((count) => count > 0).length).toBeLessThan(4000);
  });
});

describe('a crawl', () => {
  test('that is quiet is finished', async () => {
    const { run, engine, logged } = await setUp({ news: 0 });
    await run();
    expect(await engine.registry.load('news')).toMatchObject({ status: 'finished' });
    expect(logged).toEqual([{ level: 'info', message: 'The crawl has finished', crawl: 'news' }]);
  });

  test('that was found quiet is not finished if something was sent to it since', async () => {
    const { run, engine, stack, logged } = await setUp({ news: 0 });
    const { setStatus } = engine.registry;
    stack.engine.registry.setStatus = async (crawl, status, reason, condition) =>
      !condition?.isQuiet && setStatus(crawl, status, reason, condition);
    await run();
    expect(await engine.registry.load('news')).toMatchObject({ status: 'running' });
    expect(logged).toEqual([]);
  });

  test('is finished by a later run of the process, and again when it has run again', async () => {
    const { run, engine } = await setUp({ news: 0 });
    const statusAfterRun = async () => {
      await run();
      return (await engine.registry.load('news'))?.status;
    };
    await engine.queue.send([{ host: 'x.test', message: { kind: 'wake', crawl: 'news' } }]);
    expect(await statusAfterRun()).toBe('running');
    for (let round = 0; round < 2; round++) {
      const [received] = await engine.queue.receive(1, 0);
      if (received) await engine.queue.acknowledge(received, received.deliveries);
      expect(await statusAfterRun()).toBe('finished');
      await engine.registry.setStatus('news', 'running');
      await engine.queue.send([{ host: 'x.test', message: { kind: 'wake', crawl: 'news' } }]);
      expect(await statusAfterRun()).toBe('running');
    }
  });

  test('that has something to do is not, nor one that was paused', async () => {
    const { run, engine } = await setUp({ news: 1 });
    await run();
    expect(await engine.registry.load('news')).toMatchObject({ status: 'running' });
    const paused = await setUp({ held: 0 });
    await paused.engine.registry.setStatus('held', 'paused');
    await paused.run();
    expect(await paused.engine.registry.load('held')).toMatchObject({ status: 'paused' });
  });

  test('at one of its limits is ended, and its hosts stay asleep', async () => {
    const { run, engine, woken } = await setUp({ news: 2 }, { maxPages: 5 });
    await engine.ledgers.commit('news', 'done.test', {
      ...NEW_HEAD,
      version: 1,
      totals: { ...NEW_HEAD.totals, pages: 5 },
    });
    await run();
    expect(await engine.registry.load('news')).toMatchObject({ status: 'limited', why: { text: '5 pages' } });
    expect(woken('news')).toEqual([0, 0]);
  });

  test('that fails stops no other, and is reported at the end', async () => {
    const { run, engine, woken, logged } = await setUp({ broken: 1, news: 2 });
    await engine.registry.configure('broken', { delayMs: 'fast' as unknown as number });
    await expect(run()).rejects.toThrow('It failed for: broken');
    expect(woken('news')).toEqual([1, 1]);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ level: 'error', crawl: 'broken' });
  });
});

test('hosts are woken for 40 seconds of a run: the rest is for what else it does', async () => {
  const { run, clock, stack } = await setUp({ large: 6000 });
  const { dueHosts } = stack.engine.ledgers;
  const begun: number[] = [];
  stack.engine.ledgers.dueHosts = async (...args) => {
    begun.push(clock.now() - T0);
    clock.set(8000);
    return dueHosts(...args);
  };
  await run();
  expect(begun).toEqual([0, 8000, 16_000, 24_000, 32_000]);
});

test('a run whose time is up begins nothing', async () => {
  const { run, woken } = await setUp({ news: 2 });
  await run(4000);
  expect(woken('news')).toEqual([0, 0]);
});

/** The ms that a call takes: one of the stack's tables, and one of the feed of changes. */
test.each([
  [2500, 5000, 50_000],
  [4100, 5000, 50_000],
  [9000, 0, 50_000],
  [17_000, 0, 50_000],
  // The share of the changes.
  [0, 20_000, 25_000],
  [60_000, 0, 50_000],
])('nothing is begun after the end of a run, if a call takes %d ms, or %d', async (ms, feedMs, end) => {
  const begun: number[] = [];
  const changeFeed = {
    async look() {
      clock.set(feedMs);
      return false;
    },
  };
  const config = { recrawl: 'changes', recrawlSchedule: '0 4 * * *', changeFeed: true };
  const { run, stack, clock } = await setUp({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, config, undefined, {
    changeFeed,
  });
  const { meter, engine } = stack;
  const work = meter.run.bind(meter);
  meter.run = (crawl, step) => {
    begun.push(clock.now() - T0);
    return work(crawl, step);
  };
  for (const port of [engine.registry, engine.ledgers] as Record<string, unknown>[])
    for (const name of ['load', 'totals', 'isQuiet', 'countWaitingHosts', 'dueHosts']) {
      const call = port[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      if (!call) continue;
      port[name] = async (...args: unknown[]) => {
        clock.set(ms);
        return call(...args);
      };
    }
  await run();
  expect(clock.now() - T0).toBeGreaterThanOrEqual(end);
  expect(begun.filter((at) => at >= end)).toEqual([]);
});

test('pages that skip a time of the schedule are reported once between two times, as of when they were counted', async () => {
  const config = { recrawl: 'changes', recrawlSchedule: '0 0 * * *' };
  const { run, stack, clock, logged } = await setUp({ a: 1 }, config);
  const { totals } = stack.engine.registry;
  let late = 0;
  let ms = 0;
  stack.engine.registry.totals = async (crawl) => {
    clock.set(ms);
    return { ...(await totals(crawl)), recrawl: { late: late++ } } as never;
  };
  const reports = () => logged.filter(({ message }) => /fetched only after/.test(String(message))).length;
  await run();
  expect(reports()).toBe(0);
  // Ten seconds before the time of the schedule.
  await clock.advance(86_400_000 - 10_000);
  ms = 20_000;
  await run();
  expect(reports()).toBe(1);
  ms = 0;
  await clock.advance(60_000);
  await run();
  expect(reports()).toBe(1);
  await clock.advance(86_400_000);
  await run();
  expect(reports()).toBe(2);
});

describe('at rest', () => {
  async function atRest() {
    const world = await setUp({});
    let counts = 0;
    let hasMessages = false;
    const { workers } = world.stack.engine;
    workers.startMissing = async () => {
      counts++;
      return hasMessages;
    };
    const setMessages = (has: boolean) => {
      hasMessages = has;
    };
    return { ...world, counts: () => counts, setMessages };
  }

  test('missing workers are looked for in one of five runs', async () => {
    const { run, counts } = await atRest();
    const seen: number[] = [];
    for (let i = 0; i < 7; i++) {
      await run();
      seen.push(counts());
    }
    // Two turn queues.
    expect(seen).toEqual([2, 2, 2, 2, 2, 4, 4]);
  });

  test('missing workers are looked for in each run while messages are there: the worker that has them may die', async () => {
    const { run, counts, setMessages } = await atRest();
    setMessages(true);
    for (let i = 0; i < 3; i++) await run();
    expect(counts()).toBe(6);
    setMessages(false);
    for (let i = 0; i < 3; i++) await run();
    // In the fourth run it is seen that there are none, and the next look is that of the sixth.
    expect(counts()).toBe(10);
  });

  test('no line of the log is written; when a crawl runs, each run looks for workers', async () => {
    const { run, counts, stack, engine, crawls, logged } = await atRest();
    stack.meter.takeCalls = () => ({ 'sqs.GetQueueAttributes': 1 });
    await run();
    expect(logged).toEqual([]);
    await begin({ engine }, ['http://a.test/'], {}, 'news');
    crawls.push('news');
    await run();
    await run();
    expect(counts()).toBe(6);
    expect(logged).toMatchObject([{ calls: {} }, { calls: {} }]);
  });
});

test('the watch is called with the crawls that were looked at; its failure fails the run, after hosts were woken', async () => {
  const seen: unknown[] = [];
  let noted: string[] = [];
  const watch = {
    note: (id: string) => void noted.push(id),
    async look() {
      seen.push(noted.sort());
      noted = [];
      if (seen.length > 1) throw new Error('no table');
    },
  };
  const { run, woken } = await setUp({ a: 1, b: 1 }, {}, undefined, { watch });
  await run();
  expect(woken('a')).toEqual([1]);
  await expect(run()).rejects.toThrow('no table');
  expect(seen).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
});

describe('the first pass of a crawl that recrawls', () => {
  /**
   * Minutes until it is noted. `waiting`: URLs by the counters; `heads`: hosts with one by their heads, in each count. None: not to be
   * counted.
   */
  async function noted(
    config: object,
    waiting: number,
    heads: readonly (number | undefined)[] = [0],
    hosts = 1,
    countMs = 0,
  ) {
    const { run, engine, clock, logged, stack } = await setUp({ a: 0 }, config);
    const counts = [...heads];
    stack.engine.registry.countWaitingHosts = async () => {
      clock.set(countMs);
      return counts.length > 1 ? counts.shift() : counts[0];
    };
    const { totals } = stack.engine.registry;
    stack.engine.registry.totals = async (crawl) => ({ ...(await totals(crawl)), hosts });
    const ledger = { ...NEW_HEAD.ledger, counts: { ...NEW_HEAD.ledger.counts, fetched: 4, waiting } };
    await engine.ledgers.commit('a', 'x.a.test', { ...NEW_HEAD, version: 1, ledger, dueAt: T0 + 864e5 });
    for (let minute = 0; minute < 100; minute++) {
      await run();
      if ((await engine.registry.load('a'))?.firstPass) {
        expect(logged.filter(({ message }) => /first pass/.test(String(message)))).toHaveLength(1);
        return minute;
      }
      await clock.advance(60_000);
    }
    return undefined;
  }
  const RECRAWLS = { recrawl: 'changes' };

  test('is noted when for ten minutes no URL was left', async () => {
    expect(await noted(RECRAWLS, 0)).toBe(10);
    expect(await noted(RECRAWLS, 1, [1])).toBeUndefined();
    expect(await noted({}, 0)).toBeUndefined();
  });

  test('is noted ten minutes after the figures were read that said so, however long that took', async () => {
    const { run, engine, clock, stack } = await setUp({ a: 0 }, RECRAWLS);
    const { totals } = stack.engine.registry;
    let ms = 20_000;
    stack.engine.registry.totals = async (crawl) => {
      clock.set(ms);
      return totals(crawl);
    };
    const ledger = { ...NEW_HEAD.ledger, counts: { ...NEW_HEAD.ledger.counts, fetched: 4 } };
    await engine.ledgers.commit('a', 'x.a.test', { ...NEW_HEAD, version: 1, ledger, dueAt: T0 + 864e5 });
    const isNoted = async () => {
      await run();
      return (await engine.registry.load('a'))?.firstPass !== undefined;
    };
    expect(await isNoted()).toBe(false);
    ms = 0;
    await clock.advance(599_999);
    expect(await isNoted()).toBe(false);
    await clock.advance(1);
    expect(await isNoted()).toBe(true);
  });

  test('is noted by the heads of the hosts if a worker has died before it counted', async () => {
    expect(await noted(RECRAWLS, 1, [0])).toBe(20);
    expect(await noted(RECRAWLS, 1, [1, 0])).toBe(30);
    expect(await noted(RECRAWLS, 0, [1, 1, 0])).toBe(40);
  });

  test('is counted again some time after the last count, which may have taken long', async () => {
    const usual = await noted(RECRAWLS, 0, [1, 0]);
    expect(usual).toBeDefined();
    expect(await noted(RECRAWLS, 0, [1, 0], 1, 540_000)).toBe(usual);
  });

  test('is noted by the counters if there are too many hosts', async () => {
    expect(await noted(RECRAWLS, 0, [undefined])).toBe(10);
    expect(await noted(RECRAWLS, 1, [undefined])).toBeUndefined();
  });

  test('is noted in a large crawl also if a worker in a thousand hosts has died before it counted', async () => {
    expect(await noted(RECRAWLS, 1, [undefined], 999)).toBeUndefined();
    expect(await noted(RECRAWLS, 1, [undefined], 1000)).toBe(20);
  });
});

test('changes take half of the time that is left in a run, so ends are announced and the watch looks', async () => {
  const untils: number[] = [];
  const looks: string[] = [];
  const made = await setUp({ a: 0 }, { recrawl: 'changes', changeFeed: true }, undefined, {
    changeFeed: {
      async look(_crawl, until) {
        untils.push(until - T0);
        made.clock.set(until - made.clock.now());
        return false;
      },
    },
    announcer: {
      async look(crawl, until) {
        looks.push(`announcer of ${crawl}, until ${until - T0}`);
        made.clock.set(7000);
        return undefined;
      },
    },
    watch: { note() {}, look: async () => void looks.push('watch') },
  });
  await made.engine.registry.noteFirstPass('a', { at: T0 });
  await made.run();
  expect(untils).toEqual([25_000]);
  expect(looks).toEqual(['announcer of a, until 50000', 'watch']);
});

test('changes of several crawls are sent by turns, though those of one take all of a run', async () => {
  const looked: string[] = [];
  const made = await setUp({ a: 0, b: 0, c: 0 }, { recrawl: 'changes', changeFeed: true }, undefined, {
    changeFeed: {
      async look(crawl) {
        looked.push(crawl);
        made.clock.set(60_000);
        return false;
      },
    },
  });
  for (let run = 0; run < 6; run++) await made.run();
  for (const crawl of ['a', 'b', 'c']) expect(looked.filter((one) => one === crawl)).toHaveLength(2);
});
