import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import type { PageTask } from '../../../shared/crawler/turn/page/page-work.ts';
import { CHECK_MS, createBlockWatch } from '../../../shared/engines/watchdog/block-watch.ts';
import {
  readSlot,
  type SlotReader,
  slotMemory,
  writeSlot,
} from '../../../shared/engines/watchdog/work-slot.ts';

/** A slot by hand. */
function slotOf({ task, hooks = false }: { task?: PageTask; hooks?: boolean } = {}) {
  let beats = 0;
  let tasks = 0;
  let now = task;
  let starvedMs: number | undefined = 5000;
  const slot: SlotReader = {
    beats: () => beats,
    tasks: () => tasks,
    task: () => now,
    hasHooks: () => hooks,
    starvedMs: () => starvedMs,
  };
  /** The thread is ready to run, and does not; undefined: from now on the system does not say. */
  const starve = (ms: number | undefined) => {
    starvedMs = ms === undefined ? undefined : (starvedMs ?? 0) + ms;
  };
  const begin = (next: PageTask) => {
    now = next;
    tasks++;
  };
  return { slot, beat: () => beats++, begin, starve };
}
const TASK: PageTask = { crawl: 'c', url: 'http://a.test/', step: 'parse' };
const CHECKS = 4000 / CHECK_MS;
/** After how many checks without a sign of life the watch finds a block; undefined: not within 200. */
function checksToBlock(of: Parameters<typeof slotOf>[0], unknownLimitMs?: number): number | undefined {
  const check = createBlockWatch(slotOf(of).slot);
  check({ limitMs: 4000, unknownLimitMs });
  for (let n = 1; n <= 200; n++) if (check({ limitMs: 4000, unknownLimitMs })) return n;
  return undefined;
}

describe('the watch of a thread', () => {
  test('finds a block of work for a page after its limit, and later parts of hooks too', () => {
    expect(checksToBlock({ task: TASK })).toBe(CHECKS);
    expect(checksToBlock({ hooks: true })).toBe(CHECKS);
  });

  test('has more patience where no page is to blame', () => {
    expect(checksToBlock({})).toBe(5 * CHECKS);
    expect(checksToBlock({}, Infinity)).toBeUndefined();
  });

  test('does not blame a page for what blocked the thread before it', () => {
    const { slot, begin } = slotOf();
    const check = createBlockWatch(slot);
    check({ limitMs: 4000 });
    for (let n = 0; n < 3 * CHECKS; n++) expect(check({ limitMs: 4000 })).toBeUndefined();
    begin(TASK);
    for (let n = 0; n < CHECKS; n++) expect(check({ limitMs: 4000 })).toBeUndefined();
    expect(check({ limitMs: 4000 })).toEqual({ blockedMs: 4000, task: TASK });
  });

  test('blames no page of many that were worked on without a sign of life', () => {
    const { slot, begin } = slotOf();
    const check = createBlockWatch(slot);
    check({ limitMs: 4000 });
    for (let n = 1; n < 5 * CHECKS; n++) {
      begin(TASK);
      expect(check({ limitMs: 4000 })).toBeUndefined();
    }
    begin(TASK);
    expect(check({ limitMs: 4000 })).toEqual({ blockedMs: 20_000 });
  });

  test('begins again at each sign of life', () => {
    const { slot, beat } = slotOf({ task: TASK });
    const check = createBlockWatch(slot);
    for (let n = 0; n < 100; n++) {
      if (n % CHECKS === 0) beat();
      expect(check({ limitMs: 4000 })).toBeUndefined();
    }
  });
});

describe('the watch of a thread on a busy machine', () => {
  /** After how many checks a block is found, if others have that share of the time. */
  function checksAt(share: number, of: Parameters<typeof slotOf>[0] = { task: TASK }) {
    const { slot, starve } = slotOf(of);
    const check = createBlockWatch(slot);
    // The last limit does not follow from that for what is unknown.
    for (let n = 0; n <= 400; n++) {
      if (check({ limitMs: 4000, unknownLimitMs: Infinity })) return n;
      starve(CHECK_MS * share);
    }
    return undefined;
  }

  test.each([
    [0, CHECKS],
    [0.5, 2 * CHECKS - 1],
    [0.75, 4 * CHECKS - 3],
    [0.95, 15 * CHECKS],
    [1, 15 * CHECKS],
  ])(
    'does not count the time in which others have the CPUs (%f of it), and does not wait for ever',
    (share, checks) => {
      expect(checksAt(share)).toBe(checks);
      expect(checksAt(share, { hooks: true })).toBe(checks);
    },
  );

  test('nor where no page is to blame', () => {
    const { slot, starve, begin } = slotOf();
    const check = createBlockWatch(slot);
    let n = 0;
    for (; n <= 400 && !check({ limitMs: 4000 }); n++) {
      starve(CHECK_MS / 2);
      begin(TASK);
    }
    expect(n).toBe(10 * CHECKS - 1);
  });

  test.each([
    [0.5, 4000],
    [0.95, 60_000],
  ])('says the time without that, unless it is nearly all (%f of it)', (share, blockedMs) => {
    const { slot, starve } = slotOf({ task: TASK });
    const check = createBlockWatch(slot);
    let found = check({ limitMs: 4000 });
    for (let n = 0; n < 400 && !found; n++) {
      starve(CHECK_MS * share);
      found = check({ limitMs: 4000 });
    }
    expect(found).toEqual({ blockedMs, task: TASK });
  });

  test('counts as before where the system does not say, or no longer', () => {
    const { slot, starve } = slotOf({ task: TASK });
    const check = createBlockWatch(slot);
    for (let n = 0; n < CHECKS; n++) {
      expect(check({ limitMs: 4000 })).toBeUndefined();
      starve(n === 1 ? CHECK_MS : undefined);
    }
    expect(check({ limitMs: 4000 })).toEqual({ blockedMs: 4000, task: TASK });
  });
});

describe('a slot', () => {
  test.runIf(existsSync('/proc/thread-self/schedstat'))(
    'says for how long others had the CPUs, not what its thread has waited for',
    async () => {
      const memory = slotMemory();
      const work = writeSlot(memory);
      const reader = readSlot(memory);
      const before = reader.starvedMs()!;
      expect(before).toBeGreaterThanOrEqual(0);
      const until = performance.now() + 200;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      // It wakes up late on a busy machine.
      const late = performance.now() - until;
      expect(reader.starvedMs()! - before).toBeLessThan(late + 100);
      work.end();
    },
  );

  test('shows the task while it runs, also if it throws', () => {
    const memory = slotMemory();
    const [work, reader] = [writeSlot(memory), readSlot(memory)];
    expect(reader.task()).toBeUndefined();
    const url = 'http://a.test/päge';
    const seen = work.run('crawl', url, 'links', () => reader.task());
    expect(seen).toEqual({ crawl: 'crawl', url, step: 'links' });
    expect(reader.task()).toBeUndefined();
    expect(() =>
      work.run('crawl', url, 'hook', () => {
        throw new Error('x');
      }),
    ).toThrow('x');
    expect(reader.task()).toBeUndefined();
    work.end();
  });

  test('does not show a URL that it has no room for, and shows the next one', () => {
    const memory = slotMemory();
    const [work, reader] = [writeSlot(memory), readSlot(memory)];
    expect(
      work.run('c', `http://a.test/${'x'.repeat(50_000)}`, 'parse', () => reader.task()),
    ).toBeUndefined();
    expect(work.run('c', TASK.url, 'parse', () => reader.task())).toEqual(TASK);
    work.end();
  });

  test('lets timers and I/O run in a pause, and so shows that its thread is alive', async () => {
    const work = writeSlot(slotMemory());
    let hasRun = false;
    setTimeout(() => {
      hasRun = true;
    }, 1);
    for (let n = 0; n < 1e6 && !hasRun; n++) await work.pause();
    expect(hasRun).toBe(true);
    work.end();
  });

  test('counts hooks in progress', () => {
    const memory = slotMemory();
    const [work, reader] = [writeSlot(memory), readSlot(memory)];
    const [one, other] = [work.beginHook(), work.beginHook()];
    one();
    expect(reader.hasHooks()).toBe(true);
    other();
    expect(reader.hasHooks()).toBe(false);
    work.end();
  });

  test('shows what blocks a thread, also after the thread was ended', async () => {
    const memory = slotMemory();
    const reader = readSlot(memory);
    const module = new URL('../../../shared/engines/watchdog/work-slot.ts', import.meta.url).href;
    const code = `
      const { workerData } = require('node:worker_threads');
      import(${JSON.stringify(module)}).then(({ writeSlot }) =>
        writeSlot(workerData).run('c', 'http://a.test/', 'parse', () => { for (;;); }));`;
    const thread = new Worker(code, { eval: true, workerData: memory });
    while (reader.task() === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(reader.task()).toEqual(TASK);
    await thread.terminate();
    expect(reader.task()).toEqual(TASK);
  });
});
