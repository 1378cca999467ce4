import { gzipSync } from 'node:zlib';
/** The function that makes exports: which it takes, how long it works, and what becomes of those that fail. */

import { describe, expect, test } from 'vitest';
import { createExporterHandler, sliceTimes } from '../../functions/exporter-handler.ts';
import { BEING_DELETED } from '../../shared/core/causes/status-reason.ts';
import { ExportLost } from '../../shared/engines/aws/exports/export-jobs.ts';
import { ExportImpossible } from '../../shared/services/exports/export-context.ts';
import { type HeldExport, NO_PROGRESS } from '../../shared/services/exports/held-export.ts';
import { createFakeClock, T0 } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { begin } from '../crawler/worker/world.ts';
import { contextFor, fakeStack } from './fake-stack.ts';

const MINUTE = 60_000;
/** Time for the end of a slice, and of its files. */
const RESERVE_MS = 150_000;

/** `work`: called for each slice. It is the last one of its export, unless that is called `long`: then it takes 14 minutes. */
async function setUp({
  exports,
  tries = 1,
  work = async () => {},
}: {
  exports: readonly string[];
  tries?: number;
  work?: (id: string) => Promise<void>;
}) {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  const fake = fakeStack(engine, clock);
  for (const crawl of new Set(exports.map((name) => name.split(' ')[0] as string)))
    if (crawl !== 'none') await begin({ engine }, [`http://${crawl}.test/`], {}, crawl);
  const done: string[] = [];
  const takenUntil: number[] = [];
  const open = exports.map((name) => name.split(' ') as [string, string]);
  let continued = 0;
  let isDown = false;
  const note = (what: string) => async (held: HeldExport, state?: string, message?: string) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (isDown) throw new Error('no table');
    done.push([what, held.id, state, message].filter(Boolean).join(' '));
  };
  const handle = createExporterHandler({
    clock,
    log: fake.log,
    stack: fake.stack,
    jobs: {
      open: async () => open.map(([crawl, id]) => ({ crawl, id })),
      async take(crawl, id, until) {
        takenUntil.push(until);
        if (id === 'taken') return undefined;
        return { crawl, id, request: { format: 'cdxj' }, version: 1, tries, progress: NO_PROGRESS };
      },
      advance: async (held, progress) => ({ ...held, version: held.version + 1, progress }),
      end: note('end') as never,
      release: note('release') as never,
    },
    async contextOf(_crawl, record, held) {
      expect(record.status).toBeDefined();
      const objects = {
        // All stages are behind it.
        async readWork() {
          await work(held.id);
          return gzipSync(JSON.stringify({ stage: held.id === 'long' ? 0 : 1000, facts: {} }));
        },
        putWork: async () => {},
        deleteWork: async () => {},
        create: () => ({ bytes: 0, add: async () => {}, complete: async () => {} }),
        deleteAllWork: async () => {},
      };
      const archive = {
        async list() {
          await clock.advance(14 * MINUTE);
          return { sizes: new Map(), warcs: [{}] };
        },
      };
      return { crawl: held.crawl, record, request: held.request, objects, archive } as never;
    },
    continueNow: async () => void continued++,
  });
  return {
    ...fake,
    clock,
    engine,
    done,
    takenUntil,
    continued: () => continued,
    /** Nothing can be noted about exports any more. */
    breakNotes() {
      isDown = true;
    },
    run: (ms = 15 * MINUTE) => handle({}, contextFor(clock, ms)),
  };
}

describe('the exports that are open', () => {
  test('are made one after the other, each held longer than the function can live', async () => {
    const { run, done, takenUntil, clock, logged, continued } = await setUp({ exports: ['a x', 'b y'] });
    const endsAt = clock.now() + 15 * MINUTE;
    await run();
    expect(done).toEqual(['end x done', 'end y done']);
    expect(takenUntil).toEqual([endsAt + MINUTE, endsAt + MINUTE]);
    expect(continued()).toBe(0);
    expect(logged).toEqual(
      ['a x', 'b y'].map((name) => {
        const [crawl, id] = name.split(' ');
        return { level: 'info', crawl, export: id, message: 'The export is done' };
      }),
    );
  });

  test('of a crawl that is not there, or is being deleted, and those that another function has, are left', async () => {
    const { run, done, engine, takenUntil, continued } = await setUp({
      exports: ['none x', 'gone y', 'a taken'],
    });
    await engine.registry.setStatus('gone', 'stopped', BEING_DELETED);
    await run();
    expect([done, takenUntil.length, continued()]).toEqual([[], 1, 0]);
  });

  test('are not begun when no time for a slice is left: another run follows at once', async () => {
    for (const [ms, made, more] of [
      [RESERVE_MS + MINUTE, 0, 1],
      [RESERVE_MS + MINUTE + 1, 1, 0],
    ] as const) {
      const { run, done, continued } = await setUp({ exports: ['a x'] });
      await run(ms);
      expect([done.length, continued()]).toEqual([made, more]);
    }
  });

  test('are given back when their time is up, and continued by another run at once', async () => {
    const { run, done, continued, logged } = await setUp({ exports: ['a long', 'b y'] });
    await run();
    expect([done, continued(), logged]).toEqual([['release long'], 1, []]);
  });

  test('that were begun five times to no end fail; before that they are tried', async () => {
    const five = await setUp({ exports: ['a x'], tries: 5 });
    await five.run();
    expect(five.done).toEqual(['end x done']);
    const six = await setUp({ exports: ['a x'], tries: 6 });
    await six.run();
    expect(six.done).toEqual([
      'end x failed 5 tries came to no end; the log of the function exporter says why',
    ]);
    expect(six.continued()).toBe(0);
  });
});

describe('an export whose slice fails', () => {
  test('is given back and reported, and stops no other', async () => {
    const work = async (id: string) => {
      if (id === 'x') throw new Error('no bucket');
    };
    const { run, done, continued, logged } = await setUp({ exports: ['a x', 'b y'], work });
    await expect(run()).rejects.toThrow('It failed for: a');
    expect(done).toEqual(['release x', 'end y done']);
    expect(continued()).toBe(0);
    expect(logged).toContainEqual(expect.objectContaining({ level: 'error', crawl: 'a' }));
  });

  test('fails if it cannot be made however often', async () => {
    const work = async () => {
      throw new ExportImpossible('no such module');
    };
    const { run, done, continued } = await setUp({ exports: ['a x'], work });
    await run();
    expect([done, continued()]).toEqual([['end x failed no such module'], 0]);
  });

  test('is reported if that cannot be noted', async () => {
    for (const error of [new Error('no bucket'), new ExportImpossible('no such module')]) {
      const work = async () => {
        throw error;
      };
      const { run, done, breakNotes } = await setUp({ exports: ['a x'], work });
      breakNotes();
      await expect(run()).rejects.toThrow('It failed for: a');
      expect(done).toEqual([]);
    }
    const six = await setUp({ exports: ['a x'], tries: 6 });
    six.breakNotes();
    await expect(six.run()).rejects.toThrow('It failed for: a');
  });

  test('is reported with its own error, and with that of giving it back if that fails too', async () => {
    const work = async () => {
      throw new Error('no bucket');
    };
    const { run, logged, breakNotes } = await setUp({ exports: ['a x'], work });
    breakNotes();
    await expect(run()).rejects.toThrow('It failed for: a');
    expect(logged).toMatchObject(
      ['no bucket', 'no table'].map((message) => ({
        level: 'error',
        crawl: 'a',
        message: expect.stringContaining(message),
      })),
    );
  });

  test('is left to the function that has it now', async () => {
    const work = async () => {
      throw new ExportLost('another one');
    };
    const { run, done, continued } = await setUp({ exports: ['a x'], work });
    await run();
    expect([done, continued()]).toEqual([[], 0]);
  });
});

test('a slice looks at the clock each time: it ends well 150 s before the end of the function, and anyhow 60 s before', () => {
  const clock = createFakeClock();
  const { now, isLate, isOver } = sliceTimes(clock, clock.now() + 200_000);
  const looks = [0, 49_999, 1, 89_999, 1, 60_000].map((ms) => {
    clock.set(ms);
    return [now() - T0, isLate(), isOver()];
  });
  expect(looks).toEqual([
    [0, false, false],
    [49_999, false, false],
    [50_000, true, false],
    [139_999, true, false],
    [140_000, true, true],
    [200_000, true, true],
  ]);
});
