/** The waker over the tables of a simulated account: at which crawls it looks, and with how many calls. */
import { expect, test } from 'vitest';
import { createWakerHandler } from '../../functions/waker-handler.ts';
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { SOON } from '../../shared/engines/aws/state/tables.ts';
import { createSimCloud } from '../../simulation/models/cloud.ts';
import { drive } from '../../simulation/models/virtual-time.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const RECRAWLS = { recrawlEveryMs: DAY };

async function setUp(crawls: Readonly<Record<string, number | undefined>>, config: object = RECRAWLS) {
  const cloud = createSimCloud({ seed: 1, latency: () => 1, settings: { dueShards: 8 } });
  const { time } = cloud;
  const operator = cloud.open(cloud.begin('operator'));
  const run = <T>(work: Promise<T>): Promise<T> => drive(time, work);
  const { registry, ledgers, agenda } = operator.engine;
  const commit = (crawl: string, version: number, dueAt: number | undefined) => {
    const counts = { ...NEW_HEAD.ledger.counts, fetched: 5 };
    const head: Head = { ...NEW_HEAD, version, ledger: { ...NEW_HEAD.ledger, counts } };
    return run(
      ledgers.commit(crawl, `www.${crawl}.test`, { ...head, ...(dueAt !== undefined && { dueAt }) }),
    );
  };
  for (const [crawl, dueInMs] of Object.entries(crawls)) {
    await run(
      registry.create(crawl, {
        config,
        scopeSeeds: [`http://www.${crawl}.test/`],
        urlRulesVersion: 1,
        status: 'running',
        firstPass: { at: 1, isAnnounced: true },
      }),
    );
    await commit(crawl, 1, dueInMs === undefined ? undefined : time.now() + dueInMs);
  }
  function open() {
    const process = cloud.begin('waker');
    const stack = cloud.open(process, { memoryMb: 512 });
    const woken: string[] = [];
    const send = stack.engine.queue.send;
    const queue: typeof stack.engine.queue = {
      ...stack.engine.queue,
      async send(messages) {
        woken.push(...messages.map(({ host }) => host));
        await send(messages);
      },
    };
    const handle = createWakerHandler({
      clock: process.clock,
      log() {},
      stack: { ...stack, engine: { ...stack.engine, queue } },
    });
    /** One run, and the number of its calls. */
    async function wake(): Promise<number> {
      let calls = 0;
      const { takeCalls } = stack.meter;
      stack.meter.takeCalls = () => {
        const taken = takeCalls();
        calls += Object.values(taken).reduce((sum, count) => sum + count, 0);
        return taken;
      };
      const endsAt = time.now() + 55_000;
      await run(handle({}, { getRemainingTimeInMillis: () => endsAt - time.now() }));
      stack.meter.takeCalls = takeCalls;
      return calls;
    }
    return { woken, wake };
  }
  /** Runs once a minute; the calls of each run. */
  async function wakeFor(minutes: number, of: ReturnType<typeof open>): Promise<number[]> {
    const calls: number[] = [];
    for (let minute = 0; minute < minutes; minute++) {
      calls.push(await of.wake());
      await time.advance(MINUTE);
    }
    return calls;
  }
  const statusOf = async (crawl: string) => (await run(registry.load(crawl)))?.status;
  return { cloud, time, run, registry, agenda, commit, open, wakeFor, statusOf };
}

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `site-${i}`);

test('the work of a run does not grow with crawls that rest', async () => {
  const busiest = async (count: number) => {
    const { open, wakeFor, time } = await setUp(
      Object.fromEntries(namesOf(count).map((name) => [name, DAY])),
    );
    const waker = open();
    await wakeFor(25, waker);
    // They are all looked at once an hour, a sixtieth of them in each run.
    const calls = await wakeFor(60, waker);
    await time.advance(MINUTE);
    return Math.max(...calls);
  };
  const [few, many] = [await busiest(6), await busiest(120)];
  // Before, 40 calls for each of them.
  expect(few).toBeLessThan(100);
  expect(many).toBeLessThan(300);
});

test('a host at rest is woken within two minutes of its time, whatever the name of its crawl and however many there are', async () => {
  const names = namesOf(60);
  const { open, wakeFor, time } = await setUp(
    Object.fromEntries(names.map((name, i) => [name, 40 * MINUTE + i * 1000])),
  );
  const waker = open();
  const began = time.now();
  const wokenAt = new Map<string, number>();
  for (let minute = 0; minute < 50; minute++) {
    await wakeFor(1, waker);
    for (const host of waker.woken.splice(0))
      if (!wokenAt.has(host)) wokenAt.set(host, time.now() - MINUTE - began);
  }
  expect(wokenAt.size).toBe(60);
  for (const at of wokenAt.values()) {
    expect(at).toBeGreaterThan(39 * MINUTE);
    // The index rounds up by five minutes.
    expect(at).toBeLessThan(48 * MINUTE);
  }
});

test('a crawl that rested is at work again by a commit that the waker did not expect', async () => {
  const { open, wakeFor, commit, time } = await setUp({ news: DAY });
  const waker = open();
  await wakeFor(25, waker);
  expect(waker.woken).toEqual([]);
  await commit('news', 2, time.now() + 3 * MINUTE);
  await wakeFor(6, waker);
  expect(waker.woken).toEqual(['www.news.test']);
});

test('a crawl whose time ends while it rests is ended then', async () => {
  const { open, wakeFor, statusOf } = await setUp({ news: DAY }, { ...RECRAWLS, maxTimeMs: 40 * MINUTE });
  const waker = open();
  await wakeFor(39, waker);
  expect(await statusOf('news')).toBe('running');
  await wakeFor(4, waker);
  expect(await statusOf('news')).toBe('limited');
});

test('a crawl that runs and has no entry is looked at by the first run of a process', async () => {
  const { open, wakeFor, agenda, run, statusOf } = await setUp({ news: undefined }, {});
  await run(agenda.replace([], await run(agenda.due())));
  expect(await run(agenda.crawls())).toEqual(new Set());
  await wakeFor(4, open());
  expect(await statusOf('news')).toBe('finished');
});

test('a crawl that has ended, or is gone, has no entry any more; one that is resumed has one', async () => {
  const { open, wakeFor, agenda, run, registry } = await setUp({ news: undefined, other: DAY }, {});
  await run(registry.setStatus('other', 'paused'));
  await run(agenda.enter('gone'));
  const waker = open();
  await wakeFor(8, waker);
  expect(await run(agenda.crawls())).toEqual(new Set());
  await run(registry.resume('other'));
  expect(await run(agenda.crawls())).toEqual(new Set(['other']));
});

test('a crawl that cannot be looked at waits behind the others, and its entry is not lost', async () => {
  const { cloud, open, wakeFor, run, agenda, registry, statusOf } = await setUp(
    { bad: undefined, good: undefined },
    {},
  );
  await run(registry.configure('bad', { delayMs: 'fast' as unknown as number }));
  const waker = open();
  for (let minute = 0; minute < 4; minute++) {
    await expect(waker.wake()).rejects.toThrow('It failed for: bad');
    await cloud.time.advance(MINUTE);
  }
  expect(await statusOf('good')).toBe('finished');
  expect(await run(agenda.crawls())).toContain('bad');
  await run(registry.configure('bad', { delayMs: 1000 }));
  await wakeFor(5, waker);
  expect(await statusOf('bad')).toBe('finished');
  expect([...cloud.dynamo.items(cloud.settings.crawlState)].filter(({ pk }) => pk?.S === SOON)).toEqual([]);
});
