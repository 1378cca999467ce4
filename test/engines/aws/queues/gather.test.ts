import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatherer } from '../../../../shared/engines/aws/queues/gather.ts';
import { createFakeClock, seededRandom } from '../../../crawler/worker/fake-clock.ts';

interface Item {
  readonly group: string;
  readonly n: number;
}

const GATHER_MS = 50;

/** A gatherer whose batches take some time; `fails` names what fails. */
function openGatherer({
  gatherMs = GATHER_MS,
  takesMs = () => 20,
  fails = () => false,
}: {
  gatherMs?: number;
  takesMs?: () => number;
  fails?: (item: Item) => boolean;
} = {}) {
  const clock = createFakeClock();
  const batches: (readonly Item[])[] = [];
  const done: Item[] = [];
  const active = new Set<string>();
  let mostAtOnce = 0;
  let atOnce = 0;
  const gather = gatherer<Item>(
    { clock, gatherMs, maxBytes: 100 },
    ({ group }) => ({ group, size: 5 }),
    async (batch) => {
      batches.push(batch);
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      const groups = new Set(batch.map(({ group }) => group));
      for (const group of groups) {
        expect(active).not.toContain(group);
        active.add(group);
      }
      await clock.sleep(takesMs());
      for (const group of groups) active.delete(group);
      atOnce--;
      done.push(...batch.filter((item) => !fails(item)));
      return batch.map((item) => (fails(item) ? new Error(`${item.group}${item.n}`) : undefined));
    },
  );
  return { clock, gather, batches, done, mostAtOnce: () => mostAtOnce };
}

const one = (group: string, n = 0): Item[] => [{ group, n }];
const text = (batch: readonly Item[]) => batch.map(({ group, n }) => `${group}${n}`).join(' ');

test('what comes within the time shares a batch, what comes later does not', async () => {
  const { clock, gather, batches } = openGatherer();
  const calls = [gather(one('a')), gather(one('b'))];
  await clock.advance(GATHER_MS - 1);
  calls.push(gather(one('c')));
  expect(batches).toEqual([]);
  await clock.advance(1);
  calls.push(gather(one('d')));
  await clock.drive(Promise.all(calls));
  expect(batches.map(text)).toEqual(['a0 b0 c0', 'd0']);
});

test('a full batch waits for nobody, and leaves the others their time', async () => {
  const { clock, gather, batches } = openGatherer();
  const calls = [...'abcdefghijkl'].map((group) => gather(one(group)));
  await clock.advance(0);
  expect(batches.map(text)).toEqual(['a0 b0 c0 d0 e0 f0 g0 h0 i0 j0']);
  await clock.drive(Promise.all(calls));
  expect(batches.slice(1).map(text)).toEqual(['k0 l0']);
});

test('what comes after a full batch has its whole time, though nothing waited then', async () => {
  const { clock, gather, batches } = openGatherer();
  const calls = [gather([...'abcdefghij'].flatMap((group) => one(group)))];
  await clock.advance(GATHER_MS - 10);
  calls.push(gather(one('k')));
  await clock.advance(GATHER_MS - 1);
  calls.push(gather(one('l')));
  await clock.drive(Promise.all(calls));
  expect(batches.slice(1).map(text)).toEqual(['k0 l0']);
});

test('without a time, each call is sent at once, by itself', async () => {
  const { clock, gather, batches } = openGatherer({ gatherMs: 0 });
  const calls = [gather([...one('a'), ...one('b')]), gather(one('c'))];
  await clock.advance(0);
  expect(batches.map(text)).toEqual(['a0 b0', 'c0']);
  await clock.drive(Promise.all(calls));
});

test('no items are nothing to wait for', async () => {
  const { gather, batches } = openGatherer();
  await gather([]);
  expect(batches).toEqual([]);
});

test('each call gets the result of its own items, once all of them are settled', async () => {
  const { clock, gather } = openGatherer({ fails: ({ group }) => group === 'b' });
  const calls = [gather(one('a')), gather([...one('b', 1), ...one('c')]), gather(one('b', 2))];
  const results = await clock.drive(Promise.allSettled(calls));
  expect(results?.map((result) => (result.status === 'rejected' ? result.reason.message : 'done'))).toEqual([
    'done',
    'b1',
    'b2',
  ]);
});

test('a call that failed sends no more of its items, and others of its group continue', async () => {
  const { clock, gather, batches } = openGatherer({ fails: ({ n }) => n === 3 });
  const many = Array.from({ length: 25 }, (_, n) => ({ group: 'a', n }));
  const failure = gather(many).catch((error) => error.message);
  const other = gather(one('a', 100));
  expect(await clock.drive(failure)).toBe('a3');
  await clock.drive(other);
  expect(batches.map((batch) => batch.length)).toEqual([10, 1]);
});

test('a call of which several items failed has the first failure', async () => {
  const { clock, gather } = openGatherer({ fails: ({ n }) => n > 1 });
  const items = [1, 2, 3, 4].map((n) => ({ group: 'a', n }));
  expect(await clock.drive(gather(items).catch((error) => error.message))).toBe('a2');
});

test('work that throws fails the calls of its batch, and nothing else', async () => {
  const clock = createFakeClock();
  let isDown = true;
  const gather = gatherer<Item>(
    { clock, gatherMs: 0 },
    ({ group }) => ({ group, size: 0 }),
    async (batch) => {
      if (isDown) throw new Error('down');
      return batch.map(() => undefined);
    },
  );
  await expect(gather(one('a'))).rejects.toThrow('down');
  isDown = false;
  await gather(one('a'));
});

test('a batch is worked on in the context of the caller of its first item', async () => {
  const crawl = new AsyncLocalStorage<string>();
  const clock = createFakeClock();
  const payers: (string | undefined)[] = [];
  const gather = gatherer<Item>(
    { clock, gatherMs: GATHER_MS },
    ({ group }) => ({ group, size: 0 }),
    async (batch) => {
      payers.push(crawl.getStore());
      await clock.sleep(10);
      return batch.map(() => undefined);
    },
  );
  // The second waits for the first one's group, and continues from its end.
  const calls = [crawl.run('one', () => gather(one('a')))];
  await clock.advance(GATHER_MS);
  calls.push(crawl.run('two', () => gather(one('a'))));
  await clock.drive(Promise.all(calls));
  expect(payers).toEqual(['one', 'two']);
});

const calls = fc.array(
  fc.record({
    afterMs: fc.nat(40),
    groups: fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 15 }),
  }),
  { maxLength: 30 },
);

test('whatever is called when, all is done once, in batches within the limits, each group in order and in one batch at a time', async () => {
  await fc.assert(
    fc.asyncProperty(calls, fc.constantFrom(0, GATHER_MS), fc.nat(), async (plan, gatherMs, seed) => {
      const random = seededRandom(seed);
      const opened = openGatherer({ gatherMs, takesMs: () => Math.floor(random() * 60) });
      const { clock, gather, batches, done } = opened;
      let n = 0;
      const running: Promise<void>[] = [];
      const sent: Item[] = [];
      for (const { afterMs, groups } of plan) {
        await clock.advance(afterMs);
        const items = groups.map((group) => ({ group, n: n++ }));
        sent.push(...items);
        running.push(gather(items));
      }
      await clock.drive(Promise.all(running));
      expect(done.length).toBe(sent.length);
      for (const group of 'abcdefgh')
        expect(done.filter((item) => item.group === group)).toEqual(
          sent.filter((item) => item.group === group),
        );
      for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(10);
      expect(opened.mostAtOnce()).toBeLessThanOrEqual(8);
    }),
    { numRuns: 40 },
  );
});
