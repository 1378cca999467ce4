import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBudget } from '../../../../shared/crawler/crawl-state/budget.ts';
import { createBlockOf, hostBlocksMemory } from '../../../../shared/engines/local/threads/host-blocks.ts';
import {
  createInFlightTable,
  inFlightMemory,
  takeInFlight,
} from '../../../../shared/engines/local/threads/in-flight-table.ts';
import {
  createSharedTally,
  resetTally,
  tallyMemory,
} from '../../../../shared/engines/local/threads/shared-tally.ts';

describe('blocks', () => {
  const hosts = (count: number) => Array.from({ length: count }, (_, i) => `www${i}.example.org`);
  const sizes = (blocks: number, of: readonly number[]) => {
    const found = Array.from({ length: blocks }, () => 0);
    for (const block of of) found[block]!++;
    return found;
  };

  test('take evenly many hosts, and a host is of the same one for all who share the memory, in any order of questions', () => {
    for (const blocks of [2, 3, 8]) {
      const memory = hostBlocksMemory();
      const threads = Array.from({ length: blocks }, () => createBlockOf(memory, blocks));
      const asked = hosts(50).map((host, i) => threads[i % blocks]!(host));
      for (const blockOf of threads) expect(hosts(50).map(blockOf)).toEqual(asked);
      const found = sizes(blocks, asked);
      expect(Math.max(...found) - Math.min(...found)).toBeLessThanOrEqual(1);
    }
  });

  test('take about as many each where there are more hosts than places', () => {
    const memory = hostBlocksMemory(1024);
    const [one, other] = [createBlockOf(memory, 3), createBlockOf(memory, 3)];
    const asked = hosts(8000).map(one);
    expect(hosts(8000).map(other)).toEqual(asked);
    for (const size of sizes(3, asked)) expect(Math.abs(size / (8000 / 3) - 1)).toBeLessThan(0.1);
  });
});

describe('the tally of several threads', () => {
  test('never reserves more than the limit, in any order of calls, and holds what was done', () => {
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
      createBudget({ maxPages: 2 }, used, () => 0, { tally: createSharedTally(memory, block) }),
    );
    expect([await one!.reserve(), await one!.reserve()]).toEqual([true, true]);
    const waiting = two!.reserve();
    one!.settle(true);
    one!.settle(false);
    expect(await waiting).toBe(true);
    const late = one!.reserve();
    two!.settle(true);
    expect([await late, one!.metLimit()]).toEqual([
      false,
      { status: 'limited', reason: { code: 'maxPages', text: '2 pages' } },
    ]);
    expect(one!.metFinally()).toBeUndefined();
    one!.commit(1, 0, 0);
    two!.commit(1, 0, 0);
    expect(one!.metFinally()).toEqual({ status: 'limited', reason: { code: 'maxPages', text: '2 pages' } });
  });
});

describe('an in-flight table', () => {
  test('has the last requested URL of each served host, and is empty after it was read', () => {
    const memory = inFlightMemory(2);
    const inFlight = createInFlightTable(memory);
    for (const host of ['a.test', 'b.test', 'c.test']) inFlight.serve(host);
    for (const url of [
      'http://a.test/1',
      'https://b.test/2',
      'http://a.test/3',
      'http://c.test/',
      'http://d.test/',
    ])
      inFlight.note(url);
    expect(takeInFlight(memory).sort()).toEqual(['http://a.test/3', 'https://b.test/2']);
    expect(takeInFlight(memory)).toEqual([]);
  });

  test('forgets hosts that are left, has their places for others, and nothing of a URL that is too long', () => {
    const memory = inFlightMemory(1);
    const inFlight = createInFlightTable(memory);
    inFlight.serve('a.test');
    inFlight.note('http://a.test/');
    inFlight.leave('a.test');
    expect(takeInFlight(memory)).toEqual([]);
    inFlight.serve('b.test');
    inFlight.note('http://b.test/1');
    inFlight.note(`http://b.test/${'x'.repeat(3000)}`);
    expect(takeInFlight(memory)).toEqual([]);
    inFlight.note('http://b.test/2');
    inFlight.freeze();
    inFlight.note('http://b.test/3');
    inFlight.leave('b.test');
    expect(takeInFlight(memory)).toEqual(['http://b.test/2']);
  });

  test('has the first page that a project reads instead of later requests of its host', () => {
    const memory = inFlightMemory(2);
    const inFlight = createInFlightTable(memory);
    const now = () => {
      const copy = memory.slice();
      return takeInFlight(copy);
    };
    inFlight.serve('a.test');
    inFlight.note('http://a.test/1');
    const first = inFlight.hold('http://a.test/1');
    inFlight.note('http://a.test/2');
    expect(now()).toEqual(['http://a.test/1']);
    const second = inFlight.hold('http://a.test/2');
    inFlight.note('http://a.test/3');
    expect(now()).toEqual(['http://a.test/1']);
    first();
    expect(now()).toEqual(['http://a.test/2']);
    second();
    expect(now()).toEqual(['http://a.test/3']);
  });

  test('leaves the place of a host alone that another one has meanwhile', () => {
    const memory = inFlightMemory(1);
    const inFlight = createInFlightTable(memory);
    inFlight.serve('a.test');
    inFlight.note('http://a.test/1');
    const release = inFlight.hold('http://a.test/1');
    inFlight.leave('a.test');
    inFlight.serve('b.test');
    inFlight.note('http://b.test/1');
    release();
    inFlight.hold('http://a.test/2')();
    expect(takeInFlight(memory)).toEqual(['http://b.test/1']);
  });
});
