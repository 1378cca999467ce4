/** The runs of a ledger: how they are read when known pages are looked for, asked for, listed and merged. */
import { expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { openRunStack, type RunStack } from '../../../shared/core/frontier/run-stack.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';

const HOST = 'example.org';
const NOW = 1_800_000_000_000;
const SMALL = { ...SIZES, runRatio: 2, blockRecords: 3 };
const urlOf = (i: number) => `https://${HOST}/${i}`;

/** A page that was fetched and is due again. */
const pageOf = (i: number): UrlRecord => ({
  url: urlOf(i),
  state: 'fetched',
  kind: undefined,
  depth: 1,
  level: 0,
  via: undefined,
  seenAt: NOW,
  redirects: 0,
  attempts: 0,
  dueAt: NOW + 86_400_000,
  result: { fetchedAt: NOW, httpStatus: 200 } as UrlRecord['result'],
  recrawl: { history: 1, rate: 100, changedAt: NOW, misses: 0, capturedAt: NOW },
});

/** A URL of that kind: a waiting one, one that is tried again later, a page that is not fetched again, a page that is. */
const recordOf = (i: number): UrlRecord =>
  [
    { ...pageOf(i), state: 'waiting' as const, dueAt: 0, result: undefined, recrawl: undefined },
    {
      ...pageOf(i),
      state: 'waiting' as const,
      attempts: 1,
      dueAt: NOW + 60_000,
      result: undefined,
      recrawl: undefined,
    },
    { ...pageOf(i), state: 'gone' as const, dueAt: 0, recrawl: undefined },
    pageOf(i),
  ][i % 4] as UrlRecord;

/** Runs with these numbers of pages, the newest first; and how their parts are read. */
const open = (...counts: number[]) => openRuns(counts, pageOf);

async function openRuns(counts: readonly number[], recordOf: (i: number) => UrlRecord) {
  const parts = new Map<string, Uint8Array>();
  const seen = { lists: [] as string[], reading: 0, most: 0 };
  const read = async (name: string, offset = 0, length?: number) => {
    seen.most = Math.max(seen.most, ++seen.reading);
    if (name.endsWith('.again')) seen.lists.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    seen.reading--;
    return parts.get(name)!.subarray(offset, length === undefined ? undefined : offset + length);
  };
  const built = await openRunStack(HOST, [], read, SMALL);
  let next = 0;
  for (const [i, count] of counts.toReversed().entries()) {
    const pages = Array.from({ length: count }, () => recordOf(next++));
    const pushed = await built.push(`r${i}`, pages);
    expect(pushed.obsolete).toEqual([]);
    for (const { name, bytes } of pushed.parts) parts.set(name, bytes);
  }
  const runs = await openRunStack(HOST, built.entries(), read, SMALL);
  Object.assign(seen, { lists: [], most: 0 });
  return { runs, seen, parts, read };
}

test('known pages are looked for in one list after the other, so that one is in memory at a time', async () => {
  const { runs, seen } = await open(5, 20, 80);
  let pauses = 0;
  const wanted = Array.from({ length: 105 }, (_, i) => urlOf(i));
  const found = await runs.findAgain([...wanted, urlOf(999)], async () => {
    pauses++;
  });
  expect(found.map(({ url }) => url).sort()).toEqual(wanted.sort());
  expect(seen.lists).toHaveLength(3);
  expect(seen.most).toBe(1);
  // After each block of three.
  expect(pauses).toBe(2 + 7 + 27);
});

test('a list that has none of the pages is not read', async () => {
  const { runs, seen } = await open(5, 20, 80);
  const found = await runs.findAgain([urlOf(3), urlOf(7), urlOf(999)], async () => {});
  expect(found.map(({ url }) => url).sort()).toEqual([urlOf(3), urlOf(7)]);
  expect(seen.lists).toHaveLength(1);
});

test('known pages are decoded one block at a time, and nothing else of them while their caller pauses', async () => {
  const { runs } = await open(5, 20);
  const pausing = { now: 0, most: 0 };
  await runs.findAgain(
    Array.from({ length: 25 }, (_, i) => urlOf(i)),
    async () => {
      pausing.most = Math.max(pausing.most, ++pausing.now);
      await new Promise((resolve) => setImmediate(resolve));
      pausing.now--;
    },
  );
  expect(pausing).toEqual({ now: 0, most: 1 });
});

test('a URL that is tried again is taken as soon as it is due, whatever else waits, and also where nothing does', async () => {
  const due = NOW + 60_000;
  const retryOf = (i: number) => recordOf(4 * i + 1);
  const { runs } = await openRuns([7], retryOf);
  expect([runs.firstRank(due - 1), runs.nextDueAt(due - 1)]).toEqual([undefined, due]);
  const taken: string[] = [];
  while (runs.firstRank(due) !== undefined) taken.push((await runs.take(due))?.url ?? 'none');
  expect(taken.sort()).toEqual(Array.from({ length: 7 }, (_, i) => retryOf(i).url).sort());
  // The newest run has four URLs that wait, each of the older ones some that are due.
  const mixed = await openRuns([4, 12, 40], (i) => recordOf(i < 52 ? 4 * i + 1 : 4 * i));
  const order: (string | undefined)[] = [];
  while (mixed.runs.firstRank(due) !== undefined) order.push((await mixed.runs.take(due))?.url);
  const numbers = order.map((url) => Number(url?.split('/').at(-1)) % 4);
  expect(numbers).toEqual([...Array(52).fill(1), ...Array(4).fill(0)]);
});

test('what happened to each URL is known, whatever list of its run has it', async () => {
  const { runs } = await openRuns([8, 24], recordOf);
  const states = await Promise.all(
    Array.from({ length: 32 }, async (_, i) => (await runs.outcome(urlOf(i)))?.state),
  );
  expect(states).toEqual(Array.from({ length: 32 }, (_, i) => recordOf(i).state));
  expect(await runs.outcome(urlOf(999))).toBeUndefined();
});

test('all records are listed, each once, before and after runs are merged', async () => {
  const { runs, parts, read } = await openRuns([8, 24], recordOf);
  const listed = async (stack: typeof runs) => {
    const found: [string, string][] = [];
    for await (const { url, state } of stack.records()) found.push([url, state]);
    return found.sort();
  };
  const expectedOf = (count: number) =>
    Array.from({ length: count }, (_, i): [string, string] => [urlOf(i), recordOf(i).state]).sort();
  expect(await listed(runs)).toEqual(expectedOf(32));
  const pushed = await runs.push(
    'merged',
    Array.from({ length: 12 }, (_, i) => recordOf(32 + i)),
  );
  for (const { name, bytes } of pushed.parts) parts.set(name, bytes);
  for (const name of pushed.obsolete) parts.delete(name);
  expect(pushed.obsolete).toHaveLength(10);
  expect(await listed(await openRunStack(HOST, runs.entries(), read, SMALL))).toEqual(expectedOf(44));
});

test('a search for known pages ends with the error of its caller’s pause, and reads nothing more', async () => {
  const { runs, seen } = await open(5, 20);
  let pauses = 0;
  const found = runs.findAgain(
    Array.from({ length: 25 }, (_, i) => urlOf(i)),
    async () => {
      if (++pauses === 2) throw new Error('the turn has ended');
    },
  );
  await expect(found).rejects.toThrow('the turn has ended');
  expect([pauses, seen.lists.length]).toEqual([2, 1]);
});

const listOf = async (records: AsyncIterable<UrlRecord>) => {
  const urls: string[] = [];
  for await (const { url } of records) urls.push(url);
  return urls;
};

test.each<[name: string, reads: number, ask: (runs: RunStack) => Promise<unknown>]>([
  ['listed', 8, (runs) => listOf(runs.records())],
  [
    'looked for',
    2,
    async (runs) =>
      runs.findAgain(
        Array.from({ length: 40 }, (_, i) => urlOf(i)),
        async () => {},
      ),
  ],
  ['taken', 2, async (runs) => runs.take(NOW)],
  ['taken again', 2, async (runs) => runs.takeAgain()],
])('a read that fails is made again by the next call: %s', async (_, reads, ask) => {
  const { runs, read } = await openRuns([8, 32], recordOf);
  let failsAt = 0;
  let calls = 0;
  const opened = () =>
    openRunStack(
      HOST,
      runs.entries(),
      async (...args) => {
        if (++calls === failsAt) throw new Error('the storage is away');
        return read(...args);
      },
      { ...SMALL, readAheadBytes: 1 },
    );
  const whole = await opened();
  calls = 0;
  const expected = await ask(whole);
  expect(calls).toBe(reads);
  for (let at = 1; at <= reads; at++) {
    failsAt = 0;
    const asked = await opened();
    [failsAt, calls] = [at, 0];
    await expect(ask(asked)).rejects.toThrow('the storage is away');
    failsAt = 0;
    expect(await ask(asked)).toEqual(expected);
  }
});

test('where there is nothing to take, none can be taken', async () => {
  const { runs } = await open();
  expect([runs.firstRank(NOW), runs.refetchDueAt()]).toEqual([undefined, undefined]);
  await expect(runs.take(NOW)).rejects.toThrow('firstRank() is undefined');
  await expect(runs.takeAgain()).rejects.toThrow('refetchDueAt() is undefined');
});

test('one URL is found by the lists of the newest run that knows it, the likeliest first', async () => {
  const { runs, read } = await openRuns([8, 32], recordOf);
  const names: string[] = [];
  const asked = await openRunStack(
    HOST,
    runs.entries(),
    async (...args) => {
      names.push(args[0]);
      return read(...args);
    },
    SMALL,
  );
  const listsOf = async (url: string) => {
    names.length = 0;
    const record = await asked.find(url);
    return [record?.url, ...names];
  };
  expect(await listsOf(urlOf(0))).toEqual([urlOf(0), 'r0.ready']);
  expect(await listsOf(urlOf(2))).toEqual([urlOf(2), 'r0.done']);
  expect(await listsOf(urlOf(33))).toEqual([urlOf(33), 'r1.done', 'r1.later']);
  expect(await listsOf(urlOf(39))).toEqual([urlOf(39), 'r1.done', 'r1.later', 'r1.again']);
  expect(await listsOf(urlOf(999))).toEqual([undefined]);
  for await (const record of asked.records()) expect(await asked.find(record.url)).toEqual(record);
});
