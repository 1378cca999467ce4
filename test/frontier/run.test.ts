/** Runs that are merged while they are read. */
import { expect, test } from 'vitest';
import { blockPayload, listBlocks } from '../../shared/frontier/block-list.ts';
import { depthOfNote, isReadyNote, levelOfNote } from '../../shared/frontier/key-run.ts';
import { decodeRecords } from '../../shared/frontier/record-block.ts';
import { buildRun, cursorAt, mergeRuns, noteOfRecord, type Run, startOf } from '../../shared/frontier/run.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';

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
  const entry = { id: 'r', urls: 0, ready, later: startOf(run.later), doneBytes: run.done.length };
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
