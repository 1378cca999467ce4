/** Runs that are merged while they are read. */
import { expect, test } from 'vitest';
import { blockPayload, listBlocks } from '../../../shared/core/frontier/block-list.ts';
import {
  buildKeyRun,
  depthOfNote,
  isReadyNote,
  levelOfNote,
  mergeKeyRuns,
  placeOfKey,
} from '../../../shared/core/frontier/key-run.ts';
import { decodeRecords } from '../../../shared/core/frontier/record-block.ts';
import {
  buildRun,
  cursorAt,
  mergeRuns,
  noteOfRecord,
  type Run,
  startOf,
} from '../../../shared/core/frontier/run.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';

const HOST = 'example.org';
const BLOCK_RECORDS = 3;
const urlOf = (i: number) => `https://${HOST}/${String(i).padStart(2, '0')}`;

const waiting = (i: number): UrlRecord => ({
  url: urlOf(i),
  state: 'waiting',
  kind: undefined,
  depth: 1,
  level: 0,
  via: undefined,
  seenAt: 1_800_000_000_000,
  redirects: 0,
  attempts: 0,
  dueAt: 0,
  result: undefined,
});

const urlsIn = (list: Uint8Array) =>
  listBlocks(list, 0).flatMap((header) =>
    decodeRecords(HOST, blockPayload(list, header)).map(({ url }) => url),
  );

/** The run after this number of its waiting URLs has been taken. */
function readUntil(run: Run, taken: number) {
  const blocks = listBlocks(run.ready, 0);
  const at = Math.floor(taken / BLOCK_RECORDS);
  const offset = blocks[at]?.at ?? run.ready.length;
  const ready = cursorAt(run.ready.length, offset, taken % BLOCK_RECORDS, blocks[at]);
  const again = run.again && { again: startOf(run.again) };
  const entry = { id: 'r', urls: 0, ready, later: startOf(run.later), doneBytes: run.done.length, ...again };
  return { ...run, entry };
}

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'what was taken before, %i of 8, is not in the merged run',
  (taken) => {
    const numbers = [0, 1, 2, 3, 4, 5, 6, 7];
    const older = readUntil(buildRun(HOST, numbers.map(waiting), BLOCK_RECORDS), taken);
    const newer = readUntil(
      buildRun(
        HOST,
        numbers.map((i) => waiting(i + 20)),
        BLOCK_RECORDS,
      ),
      8 - taken,
    );
    const merged = mergeRuns(HOST, newer, older, BLOCK_RECORDS);
    const left = [...numbers.slice(taken), ...numbers.slice(8 - taken).map((i) => i + 20)];
    expect(urlsIn(merged.ready).sort()).toEqual(left.map(urlOf));
  },
);

test('a page that was done, and was fetched once more since, is in the merged run once, as it is now', () => {
  const fetched = (i: number, attempts = 1): UrlRecord => ({ ...waiting(i), state: 'fetched', attempts });
  const later = (i: number): UrlRecord => ({ ...waiting(i), dueAt: 1_800_000_000_000 });
  const run = (records: readonly UrlRecord[]) => readUntil(buildRun(HOST, records, BLOCK_RECORDS), 0);
  const older = run([1, 2, 3, 4, 5].map((i) => fetched(i)).concat(later(6)));
  const urlsOf = ({ done, later: waits }: Run) => [urlsIn(done).sort(), urlsIn(waits)];
  const again = mergeRuns(HOST, run([fetched(3, 2), fetched(7)]), older, BLOCK_RECORDS);
  expect(urlsOf(again)).toEqual([[1, 2, 3, 4, 5, 7].map(urlOf), [urlOf(6)]]);
  const records = listBlocks(again.done, 0).flatMap((header) =>
    decodeRecords(HOST, blockPayload(again.done, header)),
  );
  expect(records.find(({ url }) => url === urlOf(3))?.attempts).toBe(2);
  const waits = mergeRuns(HOST, run([later(3)]), older, BLOCK_RECORDS);
  expect(urlsOf(waits)).toEqual([[1, 2, 4, 5].map(urlOf), [3, 6].map(urlOf)]);
});

/** The record of a URL that was fetched, and is due again at that time; 0: never. */
const outcomeOf = (i: number, dueAt = 0): UrlRecord => ({
  ...waiting(i),
  state: 'fetched',
  dueAt,
  result: { fetchedAt: 1_800_000_000_000, httpStatus: 200 },
  ...(dueAt > 0 && {
    recrawl: { history: 1, rate: 90, changedAt: 1_800_000_000_000, misses: 0, capturedAt: 0 },
  }),
});

test('a merged run has the outcomes of both runs, and of a URL of both that of the newer one', () => {
  const DUE = 1_900_000_000_000;
  const runOf = (...records: UrlRecord[]) => readUntil(buildRun(HOST, records, BLOCK_RECORDS), 0);
  const older = [1, 2, 3, 4, 5].map((i) => outcomeOf(i));
  const merged = (...records: UrlRecord[]) =>
    mergeRuns(HOST, runOf(...records), runOf(...older), BLOCK_RECORDS);
  const plain = merged(outcomeOf(11), outcomeOf(12), waiting(20));
  expect(urlsIn(plain.done).toSorted()).toEqual([1, 2, 3, 4, 5, 11, 12].map(urlOf));
  expect(urlsIn(plain.ready)).toEqual([urlOf(20)]);
  expect(plain.again).toBeUndefined();
  // In a crawl that recrawls since, one of the older URLs is due again.
  const again = merged(outcomeOf(2, DUE), outcomeOf(11), waiting(20));
  expect(urlsIn(again.done).toSorted()).toEqual([1, 3, 4, 5, 11].map(urlOf));
  expect(urlsIn(again.again as Uint8Array)).toEqual([urlOf(2)]);
  expect([plain.keys.count, again.keys.count]).toEqual([8, 7]);
});

test('the note beside a key says whether the URL may be fetched, its depth, and that of a seed it is one', () => {
  const seen = (record: UrlRecord) => {
    const note = noteOfRecord(record);
    return [isReadyNote(note), depthOfNote(note), levelOfNote(note)];
  };
  expect(seen({ ...waiting(1), depth: 3, level: 2 })).toEqual([true, 3, 2]);
  expect(seen({ ...waiting(1), depth: 0 })).toEqual([true, 0, 1]);
  expect(seen({ ...waiting(1), depth: 3, dueAt: 5 })[0]).toBe(false);
  expect(seen({ ...waiting(1), kind: 'requisite' })[0]).toBe(true);
});

test('a key is found in about as many steps as a bisection takes, also among keys that somebody chose', () => {
  const count = 60_000;
  // Each is twice as far from the others as all before it, as far as there is room; the rest have the same high half.
  const high = Uint32Array.from({ length: count }, (_, i) => (i < 32 ? 2 ** i - 1 : 2 ** 32 - 1));
  const low = Uint32Array.from({ length: count }, (_, i) => (i < 32 ? 0 : i));
  let looks = 0;
  const counting = new Proxy(high, {
    get(target, key) {
      looks++;
      return target[key as never];
    },
  });
  const run = { count, high: counting, low, notes: new Uint8Array(count) };
  for (const place of [0, 1, 15, 31, 32, 1000, 30_000, count - 20, count - 1]) {
    looks = 0;
    expect(placeOfKey(run, high[place] as number, low[place] as number)).toBe(place);
    // Three at each step: the bounds, and the guess.
    expect(looks).toBeLessThanOrEqual(3 * (9 + Math.ceil(Math.log2(count)) + 1));
  }
});

test('the keys of a run take no more room than there are keys', () => {
  const run = buildKeyRun(Uint32Array.from([1, 2, 3, 4, 1, 2]), Uint8Array.from([5, 6, 7]), 3);
  const merged = mergeKeyRuns(run, run);
  for (const { count, high, low, notes } of [run, merged])
    expect([count, high.length, low.length, notes.length, high.buffer.byteLength]).toEqual([2, 2, 2, 2, 8]);
  expect([...run.notes]).toEqual([7, 6]);
});
