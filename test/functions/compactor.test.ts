import { describe, expect, test, vi } from 'vitest';
import { createCompactorHandler } from '../../functions/compactor-handler.ts';
import { BEING_DELETED } from '../../shared/core/causes/status-reason.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import type { UnjoinedCrawl } from '../../shared/engines/aws/state/unjoined.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { begin } from '../crawler/worker/world.ts';
import { contextFor, fakeStack } from './fake-stack.ts';

const NOTHING = { joined: 0, objects: 0, bytes: 0, aside: [], itemTables: 0, isCut: false, isDone: false };
const DONE = { ...NOTHING, isDone: true };
const HOUR = 3_600_000;

/** The crawls to look at, in memory. */
function createUnjoined(clock: Pick<Clock, 'now'>) {
  const entries = new Map<string, UnjoinedCrawl>();
  let entered = 0;
  const begun: string[] = [];
  return {
    entries,
    begun,
    enter: (crawl: string) =>
      void entries.set(crawl, { crawl, enteredAt: clock.now(), entry: String(entered++) }),
    list: async () => [...entries.values()].sort((a, b) => (a.crawl < b.crawl ? -1 : 1)),
    strike: async ({ crawl, entry }: UnjoinedCrawl) =>
      entries.get(crawl)?.entry === entry && entries.delete(crawl),
    lastBegun: async () => begun.at(-1),
    noteBegun: async (crawl: string) => void begun.push(crawl),
  };
}

async function setUp(...crawls: string[]) {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  const fake = fakeStack(engine, clock);
  const unjoined = createUnjoined(clock);
  for (const crawl of crawls) {
    await begin({ engine }, [`http://${crawl}.test/`], {}, crawl);
    unjoined.enter(crawl);
  }
  await clock.advance(HOUR);
  const deleting: string[] = [];
  const rounds: number[] = [];
  const behind: number[] = [];
  const proceeded: { crawl: string; deadline: number | undefined }[] = [];
  const compacted: { crawl: string; finished?: boolean; deadline?: number }[] = [];
  const during = new Map<string, () => Promise<void>>();
  const handle = createCompactorHandler({
    clock,
    log: fake.log,
    stack: { ...fake.stack, engine: { ...fake.stack.engine, unjoined } },
    deletions: {
      pending: async () => deleting,
      async proceed(crawl, { deadline } = {}) {
        proceeded.push({ crawl, deadline });
        if (crawl === 'stuck') throw new Error('no table');
        if (crawl.startsWith('long')) await clock.advance(deadline! - clock.now());
        return { requestedAt: 0, archive: false, ...(crawl === 'gone' && { deletedAt: 1 }) };
      },
    },
    async compact({ crawl, finished, deadline, onBegin, warn }) {
      compacted.push({ crawl, finished, deadline });
      if (!crawl.startsWith('done')) await onBegin?.();
      await during.get(crawl)?.();
      if (crawl.startsWith('done')) return DONE;
      if (crawl === 'broken') throw new Error('no bucket');
      if (crawl === 'odd') warn?.('a file is none');
      await clock.advance(60_000);
      if (crawl.startsWith('large'))
        return { ...NOTHING, joined: 2, isCut: clock.now() > deadline! - 60_000 };
      if (crawl === 'slow') return { ...NOTHING, isCut: true };
      return NOTHING;
    },
    continueAs: async (round) => void rounds.push(round),
    announceBehind: async (rounds) => behind.push(rounds),
  });
  return {
    ...fake,
    clock,
    engine,
    unjoined,
    /** Called while that crawl is joined. */
    during,
    compacted,
    deleting,
    proceeded,
    rounds,
    behind,
    run: (ms = 900_000, event = {}) => handle(event, contextFor(clock, ms)),
  };
}

describe('each hour', () => {
  test('every crawl is compacted; what has ended, to the last file', async () => {
    const { run, engine, compacted, clock, logged } = await setUp(
      'running',
      'finished',
      'stopped',
      'paused',
      'odd',
    );
    for (const status of ['finished', 'stopped', 'paused'] as const)
      await engine.registry.setStatus(status, status);
    const deadline = clock.now() + 870_000;
    await run();
    expect(Object.fromEntries(compacted.map(({ crawl, finished }) => [crawl, finished]))).toEqual({
      running: false,
      finished: true,
      stopped: true,
      paused: false,
      odd: false,
    });
    expect(new Set(compacted.map((entry) => entry.deadline))).toEqual(new Set([deadline]));
    expect(logged).toEqual([{ level: 'warn', crawl: 'odd', message: 'a file is none' }]);
  });

  test('the first crawl is the one after the last that was begun, so that all have their time when it is short', async () => {
    const { run, compacted } = await setUp('a', 'b', 'c');
    for (let i = 0; i < 4; i++) await run(80_000);
    expect(compacted.map(({ crawl }) => crawl)).toEqual(['a', 'b', 'c', 'a']);
  });

  test('the first crawl is the next one, though the process died of the one before it', async () => {
    const { run, compacted, during, unjoined } = await setUp('a', 'b', 'c');
    during.set('b', () => new Promise(() => {}));
    // It does not come back.
    void run();
    await vi.waitFor(() => expect(compacted).toHaveLength(2));
    during.clear();
    unjoined.entries.delete('b');
    compacted.length = 0;
    await run();
    expect(compacted.map(({ crawl }) => crawl)).toEqual(['c', 'a']);
  });

  test('a run that comes through notes nothing where nothing is to be joined', async () => {
    const { run, unjoined } = await setUp('done-a', 'done-b');
    await run();
    expect(unjoined.begun).toEqual([]);
  });

  test('looks that take all of the time are continued where they ended', async () => {
    const { run, compacted, clock, unjoined, during, rounds } = await setUp('a', 'done-b', 'done-c');
    unjoined.begun.push('a');
    during.set('done-b', () => clock.advance(60_000));
    await run(80_000);
    await run(80_000);
    expect(compacted.map(({ crawl }) => crawl)).toEqual(['done-b', 'done-c', 'a']);
    expect(rounds).toEqual([2]);
  });

  test('a crawl that fails stops no other, and is reported at the end', async () => {
    const { run, compacted } = await setUp('a', 'broken', 'b');
    await expect(run()).rejects.toThrow('It failed for: broken');
    expect(compacted.map(({ crawl }) => crawl).sort()).toEqual(['a', 'b', 'broken']);
  });

  test('deletions continue first, for half of the time; one that fails stops nothing', async () => {
    const { run, clock, deleting, proceeded, compacted, logged } = await setUp('a', 'b');
    deleting.push('gone', 'stuck', 'waits');
    const deadline = clock.now() + 435_000;
    await expect(run()).rejects.toThrow('It failed for: stuck');
    expect(proceeded.map(({ crawl }) => crawl).sort()).toEqual(['gone', 'stuck', 'waits']);
    expect(new Set(proceeded.map((one) => one.deadline))).toEqual(new Set([deadline]));
    expect(compacted).toHaveLength(2);
    expect(logged).toContainEqual({ level: 'info', crawl: 'gone', message: 'The crawl was deleted' });
    expect(logged).not.toContainEqual(expect.objectContaining({ crawl: 'waits' }));
  });

  test('no deletion is begun when their time is up', async () => {
    const { run, deleting, proceeded, compacted } = await setUp('a');
    deleting.push('long 1', 'long 2', 'long 3');
    await run();
    expect(proceeded).toHaveLength(1);
    expect(compacted).toHaveLength(1);
  });

  test('the archive of a crawl that is being deleted is left as it is', async () => {
    const { run, engine, compacted } = await setUp('a', 'gone');
    await engine.registry.setStatus('gone', 'stopped', BEING_DELETED);
    await run();
    expect(compacted.map(({ crawl }) => crawl)).toEqual(['a']);
  });
});

describe('a crawl of which all is joined', () => {
  const namesOf = ({ unjoined }: Awaited<ReturnType<typeof setUp>>) => [...unjoined.entries.keys()];

  test('is looked at no more', async () => {
    const world = await setUp('a', 'done');
    await world.run();
    expect(namesOf(world)).toEqual(['a']);
    await world.run();
    expect(world.compacted.map(({ crawl }) => crawl)).toEqual(['a', 'done', 'a']);
  });

  test('is looked at again if it was entered less than an hour ago: its writer may not have written yet', async () => {
    const world = await setUp('done');
    await world.clock.advance(1000);
    world.unjoined.enter('done');
    await world.clock.advance(HOUR - 1);
    await world.run();
    expect(namesOf(world)).toEqual(['done']);
    await world.clock.advance(1);
    await world.run();
    expect(namesOf(world)).toEqual([]);
  });

  test('is looked at again if it was entered while it was looked at', async () => {
    const world = await setUp('done');
    const { list } = world.unjoined;
    world.unjoined.list = async () => {
      const listed = await list();
      world.unjoined.enter('done');
      return listed;
    };
    await world.run();
    expect(namesOf(world)).toEqual(['done']);
  });

  test.each(['broken', 'slow', 'a'])(
    'is not one that failed, was cut or has more to come: %s',
    async (crawl) => {
      const world = await setUp(crawl);
      await world.run().catch(() => {});
      expect(namesOf(world)).toEqual([crawl]);
    },
  );

  test('is also one that is gone, or is being deleted', async () => {
    const world = await setUp('deleted');
    world.unjoined.enter('gone');
    await world.engine.registry.setStatus('deleted', 'stopped', BEING_DELETED);
    await world.clock.advance(HOUR);
    await world.run();
    expect([namesOf(world), world.compacted]).toEqual([[], []]);
  });
});

describe('a run that has no time to join all', () => {
  test('is followed by another one at once, if it has joined something', async () => {
    const { run, rounds, behind } = await setUp('large', 'large-2');
    await run(900_000);
    expect(rounds).toEqual([]);
    await run(100_000);
    await run(100_000, { detail: { round: 7 } });
    await run(100_000, { detail: { round: 'x' } });
    expect(rounds).toEqual([2, 8, 2]);
    expect(behind).toEqual([]);
  });

  test('is not repeated for ever if it joins nothing', async () => {
    const { run, rounds } = await setUp('slow');
    await run(100_000);
    expect(rounds).toEqual([]);
  });

  test('is announced after six hours of such runs', async () => {
    const { run, behind, rounds } = await setUp('large');
    await run(80_000, { detail: { round: 24 } });
    expect([behind, rounds]).toEqual([[24], [25]]);
  });
});
