/**
 * A run: many of a large host's URLs, too many to be read at every turn. Four parts, so that a turn reads
 * only what it needs: `keys` (the seen check), `ready` (URLs waiting, by rank, read from a cursor on),
 * `later` (URLs waiting for a time, by that time) and `done` (all others). In a crawl that recrawls a fifth,
 * `again`: URLs that were fetched and will be again, by that time.
 *
 * Parts never change. What was taken from `ready`, `later` or `again` is known by the cursors, which are in the
 * head; its outcome is in newer segments or runs. An entry of `ready` counts only while nothing newer
 * knows its URL and the note beside its key still says the same of it.
 */

import { fingerprint } from '../url/fingerprint.ts';
import type { HostKey } from '../url/host-key.ts';
import { type BlockHeader, blockPayload, encodeBlocks, listBlocks, readBlockHeader } from './block-list.ts';
import {
  buildKeyRun,
  findKey,
  isReadyNote,
  type KeyRun,
  mergeKeyRuns,
  noteOf,
  placeOfKey,
  READY_REQUISITE_NOTE,
} from './key-run.ts';
import { rankOf } from './rank.ts';
import { decodeRecords } from './record-block.ts';
import { isRefetch, type UrlRecord } from './url-record.ts';

/** How far a list has been read. At the end of the list, `offset` equals `bytes`. */
export interface Cursor {
  /** Size of the whole list. */
  readonly bytes: number;
  /** Where the next block begins, and how many of its records were taken. */
  readonly offset: number;
  readonly skip: number;
  /** The next block's rank and due time. */
  readonly rank: number;
  readonly dueAt: number;
}

/** A run as its head names it; its parts are called `<id>.keys` and so on. */
export interface RunEntry {
  readonly id: string;
  /** Distinct URLs. */
  readonly urls: number;
  readonly ready: Cursor;
  readonly later: Cursor;
  readonly doneBytes: number;
  /** Absent: the crawl did not recrawl when the run was written. */
  readonly again?: Cursor;
}

export interface Run {
  readonly keys: KeyRun;
  readonly ready: Uint8Array;
  readonly later: Uint8Array;
  readonly done: Uint8Array;
  /** Absent: no record is due again, nor has been. */
  readonly again?: Uint8Array | undefined;
}

const isOfRecrawl = (record: UrlRecord) => record.recrawl !== undefined || isRefetch(record);

/** A run of these records, one for each URL. */
export function buildRun(host: HostKey, records: readonly UrlRecord[], blockRecords: number): Run {
  const fingerprints = new Uint32Array(2 * records.length);
  const notes = new Uint8Array(records.length);
  records.forEach((record, i) => {
    fingerprint(record.url, fingerprints, 2 * i);
    notes[i] = noteOfRecord(record);
  });
  const later = records.filter((record) => record.state === 'waiting' && !isReady(record));
  return {
    keys: buildKeyRun(fingerprints, notes, records.length),
    ready: concat(encodeBlocks(host, records.filter(isReady).sort(byRank), { blockRecords })),
    later: listByDueTime(host, later, blockRecords),
    done: concat(encodeBlocks(host, records.filter(isDone).sort(byUrl), { blockRecords, isMixed: true })),
    ...(records.some(isOfRecrawl) && { again: listByDueTime(host, records.filter(isRefetch), blockRecords) }),
  };
}

/**
 * Merges two runs into one, without the records that their cursors have passed. Copies blocks; only the two blocks at
 * the cursors are encoded again.
 */
export function mergeRuns(host: HostKey, newer: MergedRun, older: MergedRun, blockRecords: number): Run {
  const ready = [
    ...restOf(host, older.ready, older.entry.ready, blockRecords),
    ...restOf(host, newer.ready, newer.entry.ready, blockRecords),
  ].sort((a, b) => readBlockHeader(a).rank - readBlockHeader(b).rank);
  const later = [
    ...recordsOf(host, older.later, older.entry.later),
    ...recordsOf(host, newer.later, newer.entry.later),
  ];
  const again = mergeAgain(host, newer, older);
  return {
    keys: mergeKeyRuns(newer.keys, older.keys),
    ready: concat(ready),
    later: listByDueTime(host, later, blockRecords),
    done: concat(mergeDone(host, newer, older, blockRecords)),
    ...(again && { again: listByDueTime(host, again, blockRecords) }),
  };
}

type MergedRun = Run & { readonly entry: RunEntry };

/**
 * The records that are due again, without those taken, and those of the older run that the newer one has, too: a hint
 * has changed them before they were due. Undefined if neither run has such a list.
 */
function mergeAgain(host: HostKey, newer: MergedRun, older: MergedRun): UrlRecord[] | undefined {
  if (!newer.again && !older.again) return undefined;
  const restOfAgain = ({ again, entry }: MergedRun) =>
    again && entry.again ? recordsOf(host, again, entry.again) : [];
  return [...restOfAgain(older).filter(notIn(newer.keys)), ...restOfAgain(newer)];
}

/**
 * The records that are never due again. Usually both lists as they are; but the newer run may know more of a page of the older
 * one: in a crawl that recrawls, and of a copy that was fetched once more.
 */
function mergeDone(host: HostKey, newer: MergedRun, older: MergedRun, blockRecords: number): Uint8Array[] {
  if (!newer.again && !isDoneInBoth(host, newer, older)) return [newer.done, older.done];
  const isOld = notIn(newer.keys);
  return [
    newer.done,
    ...listBlocks(older.done, 0).flatMap((header) => {
      const records = decodeRecords(host, blockPayload(older.done, header));
      const kept = records.filter(isOld);
      return kept.length === records.length
        ? [older.done.subarray(header.at, header.at + header.size)]
        : encodeBlocks(host, kept, { blockRecords, isMixed: true });
    }),
  ];
}

/** Whether the newer run knows a URL that was done in the older one: not one that waited there for another try. */
function isDoneInBoth(host: HostKey, newer: MergedRun, older: MergedRun): boolean {
  const settled = new Set<number>();
  for (let i = 0; i < newer.keys.count; i++) {
    const place = placeOfKey(older.keys, newer.keys.high[i] as number, newer.keys.low[i] as number);
    if (place >= 0 && !isReadyNote(older.keys.notes[place] as number)) settled.add(place);
  }
  if (settled.size === 0) return false;
  const key = new Uint32Array(2);
  for (const header of listBlocks(older.later, 0))
    for (const { url } of decodeRecords(host, blockPayload(older.later, header))) {
      fingerprint(url, key, 0);
      settled.delete(placeOfKey(older.keys, key[0] as number, key[1] as number));
    }
  return settled.size > 0;
}

function notIn(keys: KeyRun): (record: UrlRecord) => boolean {
  const key = new Uint32Array(2);
  return ({ url }) => {
    fingerprint(url, key, 0);
    return findKey(keys, key[0] as number, key[1] as number) < 0;
  };
}

function listByDueTime(host: HostKey, records: readonly UrlRecord[], blockRecords: number): Uint8Array {
  return concat(encodeBlocks(host, records.toSorted(byDueTime), { blockRecords, isMixed: true }));
}

/** The cursor at the beginning of a list. */
export function startOf(list: Uint8Array): Cursor {
  return cursorAt(list.length, 0, 0, list.length > 0 ? readBlockHeader(list) : undefined);
}

/** The cursor at the `skip`th record of the block that begins at `offset`, whose header is `next`. */
export function cursorAt(bytes: number, offset: number, skip: number, next: BlockHeader | undefined): Cursor {
  return { bytes, offset, skip, rank: next?.rank ?? 0, dueAt: next?.dueAt ?? 0 };
}

export const isAtEnd = (cursor: Cursor): boolean => cursor.offset >= cursor.bytes;

/** Waits to be fetched for the first time, and may be at once. */
const isReady = (record: UrlRecord): boolean => record.state === 'waiting' && record.dueAt === 0;

const isDone = ({ state, dueAt }: UrlRecord): boolean => state !== 'waiting' && dueAt === 0;

/** Returns the note of a record, which a run stores beside its key. */
export function noteOfRecord(record: UrlRecord): number {
  const { kind, depth, level } = record;
  if (!isReady(record)) return noteOf(false, depth, level);
  return kind === 'requisite' ? READY_REQUISITE_NOTE : noteOfPage(depth, level);
}

/** As above, for a page that waits for its first fetch. */
export const noteOfPage = (depth: number, level: number): number =>
  noteOf(true, depth, depth === 0 ? Math.max(1, level) : level);

/** The records from the cursor on, as blocks. */
function restOf(host: HostKey, list: Uint8Array, cursor: Cursor, blockRecords: number): Uint8Array[] {
  return listBlocks(list, cursor.offset).flatMap((header) => {
    if (header.at > cursor.offset || cursor.skip === 0)
      return [list.subarray(header.at, header.at + header.size)];
    const rest = decodeRecords(host, blockPayload(list, header)).slice(cursor.skip);
    return encodeBlocks(host, rest, { blockRecords });
  });
}

function recordsOf(host: HostKey, list: Uint8Array, cursor: Cursor): UrlRecord[] {
  return listBlocks(list, cursor.offset)
    .flatMap((header) => decodeRecords(host, blockPayload(list, header)))
    .slice(cursor.skip);
}

const byUrl = (a: UrlRecord, b: UrlRecord) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0);
const byRank = (a: UrlRecord, b: UrlRecord) =>
  rankOf(a.depth, a.level, a.kind) - rankOf(b.depth, b.level, b.kind) || byUrl(a, b);
const byDueTime = (a: UrlRecord, b: UrlRecord) => a.dueAt - b.dueAt || byUrl(a, b);

const concat = (blocks: readonly Uint8Array[]): Uint8Array => Buffer.concat(blocks);
