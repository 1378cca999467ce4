import { describe, expect, test } from 'vitest';
import { createCompactorHandler } from '../../functions/compactor-handler.ts';
import { BEING_DELETED } from '../../shared/causes/status-reason.ts';
import { createFakeClock } from '../worker/fake-clock.ts';
import { createMemoryEngine } from '../worker/memory-engine.ts';
import { begin } from '../worker/world.ts';
import { contextFor, fakeStack } from './fake-stack.ts';

const NOTHING = { joined: 0, objects: 0, bytes: 0, aside: [], itemTables: 0, isCut: false };

async function setUp(...crawls: string[]) {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  const fake = fakeStack(engine, clock);
  for (const crawl of crawls) {
    await begin({ engine }, [`http://${crawl}.test/`], {}, crawl);
    fake.crawls.push(crawl);
  }
  const deleting: string[] = [];
  const rounds: number[] = [];
  const behind: number[] = [];
  const proceeded: { crawl: string; deadline: number | undefined }[] = [];
  const compacted: { crawl: string; finished?: boolean; deadline?: number }[] = [];
  const handle = createCompactorHandler({
    clock,
    log: fake.log,
    stack: fake.stack,
    deletions: {
      pending: async () => deleting,
      async proceed(crawl, { deadline } = {}) {
        proceeded.push({ crawl, deadline });
        if (crawl === 'stuck') throw new Error('no table');
        if (crawl.startsWith('long')) await clock.advance(deadline! - clock.now());
        return { requestedAt: 0, archive: false, ...(crawl === 'gone' && { deletedAt: 1 }) };
      },
    },
    async compact({ crawl, finished, deadline, warn }) {
      compacted.push({ crawl, finished, deadline });
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

  test('another crawl is the first, so that all have their time when it is short', async () => {
    const { run, compacted, clock } = await setUp('a', 'b', 'c');
    await run(80_000);
    await clock.advance(3_600_000 - 60_000);
    await run(80_000);
    expect(compacted).toHaveLength(2);
    expect(compacted[0]?.crawl).not.toBe(compacted[1]?.crawl);
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
