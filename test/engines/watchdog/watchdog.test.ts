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
  const slot: SlotReader = {
    beats: () => beats,
    tasks: () => tasks,
    task: () => now,
    hasHooks: () => hooks,
  };
  const begin = (next: PageTask) => {
    now = next;
    tasks++;
  };
  return { slot, beat: () => beats++, begin };
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

describe('a slot', () => {
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
