import { describe, expect, test } from 'vitest';
import { storeBlocked } from '../../functions/block-guard.ts';
import { createWorkerHandler } from '../../functions/worker-handler.ts';
import { SIZES } from '../../shared/core/base/sizes.ts';
import { createCrawls } from '../../shared/crawler/crawl-state/crawls.ts';
import { routeParcels } from '../../shared/crawler/routing/router.ts';
import { type PageWork, UNWATCHED } from '../../shared/crawler/turn/page/page-work.ts';
import { HOOK_CALLS } from '../../shared/crawler/turn/page-hooks.ts';
import { createLanes } from '../../shared/crawler/worker/lanes.ts';
import { timesOf } from '../../shared/engines/aws/settings.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { createScriptedFetcher, page, type Site } from '../crawler/worker/scripted-fetcher.ts';
import { begin, CRAWL, statesOf } from '../crawler/worker/world.ts';
import { contextFor, eventFrom, failedIds, fakeStack, SETTINGS } from './fake-stack.ts';

const SITE: Site = {
  'http://a.test/': page('/1', '/2'),
  'http://a.test/1': page(),
  'http://a.test/2': page(),
  'http://b.test/': page(),
};
const SEEDS = ['http://a.test/', 'http://b.test/'];
const LONG = 120_000;

/** The event of the message that starts a worker. */
const startEvent = (queue: number, workers: number) =>
  eventFrom('starts', [JSON.stringify({ queue, workers })]);
const START = startEvent(0, 1);

/** The heads of a.test cannot be read. */
function failsForA({ engine: { ledgers } }: ReturnType<typeof fakeStack>['stack']): void {
  const { loadHead } = ledgers;
  ledgers.loadHead = async (crawl, host) => {
    if (host === 'a.test') throw new Error('no table');
    return loadHead(crawl, host);
  };
}

const LANES = createLanes(createFakeClock(), SIZES.maxIdleLanes);

/** A handler of a worker that has hooks, and reads documents for so long. */
function handlerWithEverything(workerTimeoutMs: number, documentMs: number, hookTimeoutMs: number) {
  const clock = createFakeClock();
  const fake = fakeStack(createMemoryEngine(clock), clock);
  return createWorkerHandler({
    settings: { ...SETTINGS, workerTimeoutMs, crawlDefaults: { hookTimeoutMs } },
    clock,
    log: fake.log,
    open: () => fake.stack,
    fetchers: { of: () => createScriptedFetcher(clock, SITE), close: async () => {} },
    lanes: LANES,
    usedBytes: () => 0,
    write: () => {},
    hooks: { onPage: async () => ({}) } as never,
    documents: { reads: () => true, read: async () => ({ fault: '' }), limitMs: () => documentMs },
  });
}

test.each([60, 61, 75, 300, 900])(
  'a worker of %d s that has hooks and reads documents has time for hosts',
  (seconds) => {
    const { maxDocumentMs, maxHookTimeoutMs } = timesOf({ workerTimeoutMs: seconds * 1000 });
    expect(maxDocumentMs).toBeGreaterThanOrEqual(4000);
    expect(() => handlerWithEverything(seconds * 1000, maxDocumentMs, maxHookTimeoutMs)).not.toThrow();
  },
);

test('a worker whose documents could take all of its time is refused: it would start successors without end', () => {
  expect(() => handlerWithEverything(60_000, 30_000, 2000)).toThrow(
    'Expected a worker to have time for hosts, got a time-out of 60000 ms',
  );
});

test('a worker has at least a millisecond to receive hosts, besides what one of them may take', () => {
  const all = timesOf({ workerTimeoutMs: 60_000 }).receiveMs - HOOK_CALLS;
  const handler = (documentMs: number) => () => handlerWithEverything(60_000, documentMs, 1);
  expect(handler(all - 1)).not.toThrow();
  expect(handler(all)).toThrow('Expected a worker to have time for hosts');
});

/** A crawl whose seeds wait at their hosts. */
async function setUp(
  site = SITE,
  seeds = SEEDS,
  config: Parameters<typeof begin>[2] = {},
  work?: PageWork,
  usedBytes: (hosts: number) => number = () => 0,
) {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  const fetcher = createScriptedFetcher(clock, site);
  await begin({ engine }, seeds, { delayMs: 100, totalTimeoutMs: 10_000, ...config });
  const parcels = await engine.exchange.receive(100, 0);
  await routeParcels(engine, createCrawls(engine.registry, clock), parcels);
  const fake = fakeStack(engine, clock);
  const lines: string[] = [];
  const handle = createWorkerHandler({
    settings: SETTINGS,
    clock,
    log: fake.log,
    open: () => fake.stack,
    fetchers: { of: () => fetcher, close: async () => {} },
    lanes: createLanes(clock, SIZES.maxIdleLanes),
    usedBytes,
    write: (line) => lines.push(line),
    work,
  });
  const run = async (event: Parameters<typeof handle>[0], ms = LONG) =>
    (await clock.drive(handle(event, contextFor(clock, ms)))) as Awaited<ReturnType<typeof handle>>;
  return { ...fake, clock, engine, fetcher, lines, handle, run };
}

describe('a worker of two hosts', () => {
  test('of which one fails by our own fault serves the other, and logs the failure in one line', async () => {
    const { run, stack, logged, engine } = await setUp();
    failsForA(stack);
    await run(START);
    expect(logged[0]).toEqual({ level: 'error', host: 'a.test', message: 'Error: no table' });
    expect(engine.messages('a.test')).toHaveLength(1);
    expect(engine.messages('b.test')).toEqual([]);
  });

  test('that ends with an error after it has served a host does not throw', async () => {
    const { run, stack, logged } = await setUp();
    failsForA(stack);
    stack.engine.queue.park = async () => {
      throw new Error('no queue');
    };
    expect(failedIds(await run(START))).toEqual([]);
    expect(logged.map(({ message }) => message)).toContain('Error: no queue');
  });

  test('for which nothing at all can be done throws, so that the poller slows down', async () => {
    const { run, stack, flushes } = await setUp();
    stack.engine.ledgers.loadHead = stack.engine.queue.park = async () => {
      throw new Error('nothing works');
    };
    await expect(run(START)).rejects.toThrow('nothing works');
    expect(flushes()).toBe(1);
  });
});

test('an event of a queue that is not the start queue is refused by name', async () => {
  const { run } = await setUp();
  await expect(async () => run(eventFrom('turns-0.fifo', ['']))).rejects.toThrow(
    /start queue, got arn:aws:sqs:us-east-1:1:turns-0\.fifo/,
  );
});

test('a worker takes on no hosts beyond its memory, until there is room or it has no host', async () => {
  const site = { ...SITE, 'http://b.test/': page('/1'), 'http://b.test/1': page() };
  const full = SETTINGS.workerMemoryMb * 0.9 * 2 ** 20;
  const isAlone = async (usedBytes: (hosts: number) => number) => {
    const { run, fetcher, stack } = await setUp(site, SEEDS, {}, undefined, usedBytes);
    const { queue } = stack.engine;
    const { receive } = queue;
    queue.receive = (max, ...args) => receive(Math.min(max, 1), ...args);
    await run(START);
    const order = fetcher.log.map(({ host }) => host);
    expect(new Set(order).size).toBe(2);
    return order.lastIndexOf(order[0]!) < order.findIndex((host) => host !== order[0]);
  };
  // Both hosts wait from the beginning.
  expect(await isAlone(() => 0)).toBe(false);
  expect(await isAlone((hosts) => (hosts === 0 ? 0 : full))).toBe(true);
});

describe('a worker takes on no host so late that it could not see a request through', () => {
  // 24 of the 120 s are for the last request and 13 for its commit.
  const SHORT_MS = 36_900;

  test('as the invocation has too little time left', async () => {
    const { run, fetcher, engine } = await setUp();
    await run(START, SHORT_MS);
    expect(fetcher.log).toEqual([]);
    expect([engine.messages('a.test').length, engine.messages('b.test').length]).toEqual([1, 1]);
    await run(START);
    expect(fetcher.log).not.toEqual([]);
  });

  test('nor if the machine’s clock was set back since the last invocation, which is noticed at the begin of this one', async () => {
    const { handle, fetcher, clock } = await setUp();
    let isAdopted = false;
    clock.follow = () => {
      if (!isAdopted) clock.set(-600_000);
      isAdopted = true;
    };
    await clock.drive(handle(START, { getRemainingTimeInMillis: () => SHORT_MS }));
    expect(isAdopted).toBe(true);
    expect(fetcher.log).toEqual([]);
  });
});

test('a crawl that meets its limit while the worker works is ended', async () => {
  const { run, engine } = await setUp(SITE, SEEDS, { maxPages: 2, delayMs: 2000 });
  await run(START);
  expect(await engine.registry.load(CRAWL)).toMatchObject({ status: 'limited', why: { text: '2 pages' } });
});

test('a crawl that meets its limit just before the worker’s end is ended, too', async () => {
  // The worker receives for 2.7 s, and looks at limits after 2 s.
  const { run, engine } = await setUp(SITE, [SEEDS[0]!], { maxPages: 2, delayMs: 2300 });
  await run(START, 39_700);
  expect(await engine.registry.load(CRAWL)).toMatchObject({ status: 'limited', why: { text: '2 pages' } });
});

describe('a worker that fetches a page for long', () => {
  /** Its crawl, and another one, have a limit of time, which they meet at once. `ms`: of the invocation. */
  async function withSlowPage(ms: number, pageMs: number) {
    const limited = { maxTimeMs: 1000, totalTimeoutMs: 10_000 };
    const set = await setUp(SITE, SEEDS, limited);
    const { clock, engine, fetcher, stack } = set;
    await begin({ engine }, ['http://b.test/'], limited, 'other');
    const parcels = await engine.exchange.receive(100, 0);
    await routeParcels(engine, createCrawls(engine.registry, clock), parcels);
    const fetch = fetcher.fetch.bind(fetcher);
    Object.assign(fetcher, {
      async fetch(request: Parameters<typeof fetch>[0]) {
        if (request.url === 'http://a.test/') await clock.sleep(pageMs);
        return fetch(request);
      },
    });
    return { ...set, registry: stack.engine.registry, startedAt: clock.now(), run: () => set.run(START, ms) };
  }

  test('looks at limits until five seconds before its end: a slow call would cost it its answer', async () => {
    const { run, registry, clock, startedAt } = await withSlowPage(100_000, 98_000);
    const looks: number[] = [];
    registry.setStatus = async () => {
      looks.push(clock.now() - startedAt);
      return false;
    };
    await run();
    expect(clock.now() - startedAt).toBeGreaterThan(97_000);
    expect(Math.max(...looks)).toBeGreaterThanOrEqual(92_000);
    expect(Math.max(...looks)).toBeLessThan(95_000);
  });

  test('logs a look that fails, and leaves its pool when it ends', async () => {
    const { run, registry, logged, stack } = await withSlowPage(50_000, 40_000);
    registry.setStatus = () => Promise.reject(new Error('no table'));
    expect(failedIds(await run())).toEqual([]);
    const errors = logged.filter(({ level }) => level === 'error');
    expect(errors.length).toBeGreaterThan(10);
    expect(new Set(errors.map(({ message }) => message))).toEqual(new Set(['Error: no table']));
    expect(stack.engine.workers.all[0]!.size).toBe(0);
  });

  test('reads the records of crawls at their limits one after the other', async () => {
    const { run, registry, clock, startedAt } = await withSlowPage(50_000, 40_000);
    const { load } = registry;
    const others: number[] = [];
    let inProgress = 0;
    registry.load = async (crawl) => {
      // Later than the turns.
      if (clock.now() - startedAt > 1000) others.push(inProgress);
      inProgress++;
      await new Promise((resolve) => setImmediate(resolve));
      inProgress--;
      return load(crawl);
    };
    await run();
    expect(others.length).toBeGreaterThan(10);
    expect(Math.max(...others)).toBe(0);
  });
});

test('the cost of an invocation is logged whole, with what its end has cost', async () => {
  const { run, stack, lines, clock, flushes } = await setUp();
  stack.takeCost = () => stack.meter.takeTotal().lambdaMbMs ?? 0;
  stack.meter.add('s3Puts', 1, CRAWL);
  const startedAt = clock.now();
  await run(START);
  const logged = () => lines.reduce((sum, line) => sum + JSON.parse(line).CostUsd, 0);
  expect(logged()).toBe((clock.now() - startedAt) * 1024);
  expect(flushes()).toBe(1);
});

test('an invocation is paid for from its beginning to its end, and the crawl’s usage is stored', async () => {
  const { run, flushes, stack, clock } = await setUp();
  const taken: number[] = [];
  const { take } = stack.meter;
  stack.meter.take = () => {
    const usage = take();
    for (const { lambdaMbMs = 0 } of usage.values()) taken.push(lambdaMbMs / 1024);
    return usage;
  };
  stack.meter.add('s3Puts', 1, CRAWL);
  const startedAt = clock.now();
  await run(START);
  expect(flushes()).toBe(1);
  expect(taken.reduce((a, b) => a + b)).toBe(clock.now() - startedAt);
});

test('the messages of the start queue are paid for, and events that start a worker are not', async () => {
  const { run, stack } = await setUp();
  const added: (readonly [kind: string, count: number | undefined])[] = [];
  stack.meter.add = (kind, count) => void added.push([kind, count]);
  const ofPolls = () => added.filter(([kind]) => kind === 'sqsStandardRequests');
  await run(START);
  expect(ofPolls()).toEqual([['sqsStandardRequests', 2]]);
  await run({ detail: { queue: 0, workers: 1 } });
  expect(ofPolls()).toHaveLength(1);
});

describe('metrics', () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`http://a.test/${i}`, page(`/${i + 1}`)]),
  );

  test('are lines in embedded metric format: one a minute and one at the end, which add up', async () => {
    const { run, lines, fetcher, stack } = await setUp(many, ['http://a.test/0'], {
      delayMs: 2500,
      turnMaxMs: 200_000,
    });
    // The crawl is old enough for so long a turn.
    const { registry } = stack.engine;
    const { totals } = registry;
    Object.assign(registry, {
      isShared: true,
      totals: async (crawl: string) => ({ ...(await totals(crawl)), activeMs: 200_000 }),
    });
    stack.takeCost = () => 0.5;
    await run(START);
    const parsed = lines.map((line) => JSON.parse(line));
    const all = parsed.filter(({ reason }) => reason === undefined);
    expect(all.length).toBe(2);
    const names = ['Pages', 'Bytes', 'Requests', 'Turns', 'StaleTurns', 'HostsActive', 'Errors', 'CostUsd'];
    for (const { _aws, stack, ...values } of all) {
      expect(_aws.Timestamp).toBeGreaterThan(0);
      expect(_aws.CloudWatchMetrics).toHaveLength(1);
      const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
      expect([Namespace, Dimensions, stack]).toEqual(['Strand', [['stack']], 'Test']);
      expect(Metrics.map(({ Name }: { Name: string }) => Name)).toEqual(names);
      expect(Object.keys(values)).toEqual(names);
      expect(Object.values(values).every((value) => typeof value === 'number')).toBe(true);
    }
    const sum = (name: string) => all.reduce((total, line) => total + line[name], 0);
    expect(sum('Requests')).toBe(fetcher.log.length);
    expect(sum('Pages')).toBe(31);
    expect(sum('CostUsd')).toBe(1);
    // One host for some 75 s.
    expect(sum('HostsActive')).toBeCloseTo(
      (fetcher.log.at(-1)!.endedAt - fetcher.log[0]!.startedAt) / 60_000,
      0,
    );
  });

  test('count errors by reason, and name no other reasons', async () => {
    const site: Site = { 'http://a.test/': page('/1', '/2'), 'http://a.test/1': { fails: 'reset' } };
    const { run, lines } = await setUp(site, ['http://a.test/'], { maxAttempts: 1 });
    await run(START);
    const reasons = lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason !== undefined);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatchObject({
      stack: 'Test',
      reason: 'reset',
      Errors: 1,
      _aws: {
        CloudWatchMetrics: [
          {
            Namespace: 'Strand',
            Dimensions: [['stack', 'reason']],
            Metrics: [{ Name: 'Errors', Unit: 'Count' }],
          },
        ],
      },
    });
  });
});

describe('a page that blocks the process', () => {
  test('is in quarantine when its messages come again, and all others are fetched', async () => {
    const { run, clock, engine, fetcher, log, logged } = await setUp();
    // The process has fetched the page, and is ended before it commits anything.
    const task = { crawl: CRAWL, url: 'http://a.test/1', step: 'parse' } as const;
    await storeBlocked({ ledgers: engine.ledgers, clock, log }, task, 20_000);
    expect(logged).toMatchObject([
      {
        message: 'A page blocked its thread for 20 s when it was parsed: this process ends',
        crawl: CRAWL,
        url: 'http://a.test/1',
      },
    ]);
    expect(failedIds(await run(START))).toEqual([]);
    expect(await statesOf(engine)).toMatchObject({
      'http://a.test/': 'fetched',
      'http://a.test/1': 'failed',
      'http://a.test/2': 'fetched',
    });
    expect(fetcher.log.map(({ url }) => url)).not.toContain('http://a.test/1');
  });

  test('whose URL is not known leaves the heads alone', async () => {
    const { clock, engine, log, logged } = await setUp();
    await storeBlocked({ ledgers: engine.ledgers, clock, log }, undefined, 20_000);
    expect(logged).toEqual([]);
    expect(await engine.ledgers.loadHead(CRAWL, 'a.test')).toBeUndefined();
  });

  test('is no page with very many links: the thread shows that it is alive between parts of them', async () => {
    const links = Array.from({ length: 10_000 }, (_, n) => [`/p/${n}`, `http://h${n}.test/`]).flat();
    let parts = 0;
    let pauses = 0;
    const work: PageWork = {
      ...UNWATCHED,
      run(_crawl, _url, step, part) {
        if (step === 'links') parts++;
        return part();
      },
      async pause() {
        pauses++;
      },
    };
    const site = { 'http://a.test/': page(...links) };
    const config = { scope: 'any', maxPagesPerHost: 1, delayMs: 0 } as const;
    const { run, engine } = await setUp(site, ['http://a.test/'], config, work);
    await run(START);
    const head = await engine.ledgers.loadHead(CRAWL, 'a.test');
    expect(head?.ledger.counts).toMatchObject({ fetched: 1, waiting: 10_000 });
    // At most 5,000 links without a pause.
    expect(pauses).toBeGreaterThanOrEqual(20_000 / 5000 - 1);
    expect(parts).toBeGreaterThan(pauses);
  });

  test('is shown to the watchdog while it is worked on', async () => {
    const steps: string[] = [];
    const work: PageWork = {
      ...UNWATCHED,
      run(crawl, url, step, part) {
        steps.push(`${crawl} ${step} ${url}`);
        return part();
      },
    };
    const { run } = await setUp(SITE, SEEDS, {}, work);
    await run(START);
    for (const step of ['parse', 'links', 'robots'])
      expect(steps).toContain(`${CRAWL} ${step} http://a.test/1`);
  });
});

describe('a worker that the start queue starts', () => {
  const member = (id: string, hosts: number) => ({ id, hosts, maxHosts: 10, isEnding: false });

  test('receives hosts by itself, serves them to the end, and is gone from the pool', async () => {
    const { run, engine, starts, stack } = await setUp();
    expect(failedIds(await run(startEvent(0, 1)))).toEqual([]);
    expect(await statesOf(engine)).toEqual(
      Object.fromEntries(Object.keys(SITE).map((url) => [url, 'fetched'])),
    );
    expect(starts).toEqual([]);
    expect(await stack.engine.workers.members(0)).toEqual([]);
  });

  test('ends at once where there are as many workers as wanted', async () => {
    const { run, engine, stack, fetcher } = await setUp();
    await stack.engine.workers.show(0, member('other', 1));
    await run(startEvent(0, 1));
    expect(fetcher.count('http://a.test/')).toBe(0);
    expect(engine.messages('a.test')).toHaveLength(1);
    await run(startEvent(0, 2));
    expect(fetcher.count('http://a.test/')).toBe(1);
  });

  test('for a turn queue that the stack has not got does nothing, and says so', async () => {
    const { run, logged } = await setUp();
    expect(failedIds(await run(startEvent(7, 1)))).toEqual([]);
    expect(logged).toMatchObject([{ level: 'warn', queue: 7 }]);
  });

  test('starts a successor when its time is up and hosts are left', async () => {
    const pages = Array.from({ length: 400 }, (_, i) => `/${i}`);
    const site = {
      'http://a.test/': page(...pages),
      ...Object.fromEntries(pages.map((path) => [`http://a.test${path}`, page()])),
    };
    const { run, starts, engine } = await setUp(site, ['http://a.test/'], { delayMs: 1000 });
    await run(startEvent(0, 1));
    expect(starts).toContainEqual({ queue: 0, workers: 1, delayMs: 0 });
    expect(engine.messages('a.test')).not.toEqual([]);
  });

  test('takes on no more hosts when the others have room for all', async () => {
    const pages = Array.from({ length: 100 }, (_, i) => `/${i}`);
    const site = {
      'http://a.test/': page(...pages),
      ...Object.fromEntries(pages.map((path) => [`http://a.test${path}`, page()])),
    };
    const { run, starts, engine, stack, clock } = await setUp(site, ['http://a.test/'], { delayMs: 500 });
    await stack.engine.workers.show(0, member('other', 3));
    const startedAt = clock.now();
    await run(startEvent(0, 2));
    expect(clock.now() - startedAt).toBeLessThan(40_000);
    expect(engine.messages('a.test')).not.toEqual([]);
    // For the host that rests: this worker ends at once if the other one is still there.
    expect(starts).toEqual([{ queue: 0, workers: 1, delayMs: 500 }]);
  });

  test('never ends during a receive: the hosts that it brings would stay locked', async () => {
    const { run, engine, stack, clock } = await setUp();
    await stack.engine.workers.show(0, member('other', 3));
    const { receive } = stack.engine.queue;
    const receives: boolean[] = [];
    stack.engine.queue.receive = async (max, _waitMs, signal) => {
      const number = receives.push(false);
      await clock.sleep(number === 1 ? 8000 : 1000);
      const batch = signal?.aborted ? [] : await receive(max, 0);
      receives[number - 1] = true;
      return batch;
    };
    await run(startEvent(0, 2));
    expect(receives).toEqual([true]);
    expect(await statesOf(engine)).toMatchObject({ 'http://a.test/': 'fetched' });
  });
});
