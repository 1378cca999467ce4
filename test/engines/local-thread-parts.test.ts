import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockOf } from '../../shared/engines/local/threads/block-of.ts';
import { boardMemory, createBoard, takeBoard } from '../../shared/engines/local/threads/board.ts';
import {
  createSharedTally,
  resetTally,
  tallyMemory,
} from '../../shared/engines/local/threads/shared-tally.ts';
import { createBudget } from '../../shared/worker/budget.ts';

describe('blocks', () => {
  test('take about as many hosts each, and a host is always of the same one', () => {
    for (const blocks of [2, 3, 8]) {
      const sizes = Array.from({ length: blocks }, () => 0);
      for (let i = 0; i < 8000; i++) {
        const block = blockOf(`www${i}.example.org`, blocks);
        expect(blockOf(`www${i}.example.org`, blocks)).toBe(block);
        sizes[block]!++;
      }
      for (const size of sizes) expect(Math.abs(size / (8000 / blocks) - 1)).toBeLessThan(0.1);
    }
  });
});

describe('the tally of several threads', () => {
  test('never reserves more than the limit, whoever does what, and holds what was done', () => {
    const step = fc.record({
      block: fc.nat(2),
      what: fc.constantFrom('reserve', 'page', 'none', 'giveBack', 'die'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 12 }), (steps, max) => {
        const memory = tallyMemory(3);
        const tallies = [0, 1, 2].map((block) => createSharedTally(memory, block));
        const reserved = [0, 0, 0];
        const pages = [0, 0, 0];
        const all = (of: readonly number[]) => of.reduce((a, b) => a + b);
        for (const { block, what } of steps) {
          const tally = tallies[block]!;
          if (what === 'reserve') {
            const isFree = all(reserved) + all(pages) < max;
            expect(tally.reserve(max)).toBe(isFree);
            if (isFree) reserved[block]!++;
          } else if (what === 'die') {
            resetTally(memory, block, { pages: pages[block]!, bytes: 10 * pages[block]! });
            reserved[block] = 0;
          } else if (what === 'giveBack') {
            if (pages[block] === 0) continue;
            tally.giveBack(1, 10);
            pages[block]!--;
          } else {
            if (reserved[block] === 0) continue;
            tally.settle(what === 'page');
            reserved[block]!--;
            if (what === 'none') continue;
            tally.receive(10);
            pages[block]!++;
          }
          expect([tally.pages(), tally.bytes()]).toEqual([all(pages), 10 * all(pages)]);
        }
      }),
    );
  });

  test('lets a budget that waits for the last pages have those that another thread gives back', async () => {
    const memory = tallyMemory(2);
    const used = { pages: 0, bytes: 0, activeMs: 0 };
    const [one, two] = [0, 1].map((block) =>
      createBudget({ maxPages: 2 }, { ...used, tally: createSharedTally(memory, block) }, () => 0),
    );
    expect([await one!.reserve(), await one!.reserve()]).toEqual([true, true]);
    const waiting = two!.reserve();
    one!.settle(true);
    one!.settle(false);
    expect(await waiting).toBe(true);
    const late = one!.reserve();
    two!.settle(true);
    expect([await late, one!.metLimit()]).toEqual([false, { status: 'limited', reason: '2 pages' }]);
    expect(one!.metForGood()).toBeUndefined();
    one!.commit(1, 0);
    two!.commit(1, 0);
    expect(one!.metForGood()).toEqual({ status: 'limited', reason: '2 pages' });
  });
});

describe('a board', () => {
  test('tells for each host that is served what it was last asked for, and is empty when it was read', () => {
    const memory = boardMemory(2);
    const board = createBoard(memory);
    for (const host of ['a.test', 'b.test', 'c.test']) board.serve(host);
    for (const url of [
      'http://a.test/1',
      'https://b.test/2',
      'http://a.test/3',
      'http://c.test/',
      'http://d.test/',
    ])
      board.note(url);
    expect(takeBoard(memory).sort()).toEqual(['http://a.test/3', 'https://b.test/2']);
    expect(takeBoard(memory)).toEqual([]);
  });

  test('forgets hosts that are left, has their places for others, and nothing of a URL that is too long', () => {
    const memory = boardMemory(1);
    const board = createBoard(memory);
    board.serve('a.test');
    board.note('http://a.test/');
    board.leave('a.test');
    expect(takeBoard(memory)).toEqual([]);
    board.serve('b.test');
    board.note('http://b.test/1');
    board.note(`http://b.test/${'x'.repeat(3000)}`);
    expect(takeBoard(memory)).toEqual([]);
    board.note('http://b.test/2');
    board.freeze();
    board.note('http://b.test/3');
    board.leave('b.test');
    expect(takeBoard(memory)).toEqual(['http://b.test/2']);
  });
});
