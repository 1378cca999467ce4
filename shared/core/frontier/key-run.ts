/**
 * The sorted fingerprints of all URLs of a run, each with a few bits of what the run knows of it: the seen
 * check of a large host, without its URL texts. 8 bytes a URL, and the bits compressed (0.1 to 0.6 bytes).
 *
 * Layout: `K`, version, two bytes of zero, count (u32 LE), the fingerprints' high halves (u32 LE each), their
 * low halves, then the notes, one byte each, under DEFLATE. Halves stand apart so that a look-up touches one
 * column.
 */
import { reusedDeflateRaw } from '../base/reused-deflate.ts';
import { CorruptBytes, checkVersion, inflateOwn } from './bytes.ts';

export const KEY_RUN_MAGIC = 0x4b;
/** Version of the whole run, with its lists of records. */
export const KEY_RUN_VERSION = 1;
const HEADER_BYTES = 8;

/** Fingerprints ascending, with no two alike; `notes[i]` belongs to the i-th. */
export interface KeyRun {
  readonly count: number;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly notes: Uint8Array;
}

export const MAX_NOTED_DEPTH = 15;

/** A note: whether the URL waits to be fetched for the first time, its depth (up to 15) and its level. */
export function noteOf(isReady: boolean, depth: number, level: number): number {
  return (isReady ? 0x80 : 0) | (Math.min(depth, MAX_NOTED_DEPTH) << 3) | level;
}
/**
 * The note of a requisite that waits for its first fetch: so a link that makes it something else is known to
 * do so. Pages of depth 0 are noted with level 1 at least, which makes no difference to their rank, so that
 * none has this note.
 */
export const READY_REQUISITE_NOTE = 0x80;
export const isReadyNote = (note: number): boolean => (note & 0x80) !== 0;
export const depthOfNote = (note: number): number => (note >> 3) & 0x0f;
export const levelOfNote = (note: number): number => note & 0x07;

/** Sorts `count` fingerprints (high, low in turn) with their notes; of equal ones the last counts. */
export function buildKeyRun(fingerprints: Uint32Array, notes: Uint8Array, count: number): KeyRun {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  const at = (i: number) => fingerprints[i] as number;
  order.sort((a, b) => at(2 * a) - at(2 * b) || at(2 * a + 1) - at(2 * b + 1) || a - b);
  const run = emptyRun(count);
  let n = 0;
  for (const i of order) {
    if (n > 0 && run.high[n - 1] === at(2 * i) && run.low[n - 1] === at(2 * i + 1)) n--;
    run.high[n] = at(2 * i);
    run.low[n] = at(2 * i + 1);
    run.notes[n++] = notes[i] as number;
  }
  return cut(run, n);
}

/** Merges two runs; where both have a URL, `newer` wins. */
export function mergeKeyRuns(newer: KeyRun, older: KeyRun): KeyRun {
  const out = emptyRun(newer.count + older.count);
  let a = 0;
  let b = 0;
  let n = 0;
  while (a < newer.count || b < older.count) {
    const order = a === newer.count ? 1 : b === older.count ? -1 : compare(newer, a, older, b);
    const from = order <= 0 ? newer : older;
    const i = order <= 0 ? a : b;
    if (order <= 0) a++;
    if (order >= 0) b++;
    out.high[n] = from.high[i] as number;
    out.low[n] = from.low[i] as number;
    out.notes[n++] = from.notes[i] as number;
  }
  return cut(out, n);
}

/**
 * How many URLs both know together, or more than `max` if that is more. Runs of URLs that are fetched again have most
 * of them in common.
 */
export function unionUpTo(a: KeyRun, b: KeyRun, max: number): number {
  if (a.count + b.count <= max || Math.max(a.count, b.count) > max) return a.count + b.count;
  let common = 0;
  for (let i = 0; i < a.count; i++) if (placeOfKey(b, a.high[i] as number, a.low[i] as number) >= 0) common++;
  return a.count + b.count - common;
}

/** The note of a fingerprint, or -1. */
export function findKey(run: KeyRun, high: number, low: number): number {
  const place = placeOfKey(run, high, low);
  return place < 0 ? -1 : (run.notes[place] as number);
}

/**
 * The index of a fingerprint, or -1. Interpolation search, since fingerprints are uniform: a few steps find
 * it. After eight steps it bisects, so that fingerprints that somebody chose cost no more than log2(count).
 */
export function placeOfKey(run: KeyRun, high: number, low: number): number {
  let from = 0;
  let to = run.count - 1;
  for (let step = 0; from <= to; step++) {
    const first = run.high[from] as number;
    const last = run.high[to] as number;
    if (high < first || high > last) return -1;
    const span = last - first;
    const share = span === 0 || step > 8 ? 0.5 : (high - first) / span;
    const guess = from + Math.floor(share * (to - from));
    const found = run.high[guess] as number;
    if (found < high) from = guess + 1;
    else if (found > high) to = guess - 1;
    else if (run.low[guess] === low) return guess;
    else if ((run.low[guess] as number) < low) from = guess + 1;
    else to = guess - 1;
  }
  return -1;
}

/** Level 6 takes eight times as long, for hardly less. */
const deflateRaw = reusedDeflateRaw(1);

export function encodeKeyRun(run: KeyRun): Uint8Array {
  const notes = deflateRaw([run.notes]);
  const bytes = new Uint8Array(HEADER_BYTES + 8 * run.count + notes.length);
  bytes[0] = KEY_RUN_MAGIC;
  bytes[1] = KEY_RUN_VERSION;
  new DataView(bytes.buffer).setUint32(4, run.count, true);
  bytes.set(new Uint8Array(run.high.buffer, run.high.byteOffset, 4 * run.count), HEADER_BYTES);
  bytes.set(new Uint8Array(run.low.buffer, run.low.byteOffset, 4 * run.count), HEADER_BYTES + 4 * run.count);
  bytes.set(notes, HEADER_BYTES + 8 * run.count);
  return bytes;
}

/**
 * Throws {@link CorruptBytes}. The columns are views of `bytes` where its alignment allows, so it must not
 * change.
 */
export function decodeKeyRun(bytes: Uint8Array): KeyRun {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || bytes[0] !== KEY_RUN_MAGIC) throw new CorruptBytes('not a key run');
  checkVersion('key run', bytes[1] ?? 0, KEY_RUN_VERSION);
  const count = view.getUint32(4, true);
  if (bytes.length < HEADER_BYTES + 8 * count) throw new CorruptBytes('a key run is cut short');
  const notes = inflateOwn(bytes.subarray(HEADER_BYTES + 8 * count), count + 1, 'the notes of a key run');
  if (notes.length !== count) throw new CorruptBytes(`${notes.length} notes for ${count} keys`);
  const aligned = (bytes.byteOffset + HEADER_BYTES) % 4 === 0 ? bytes : bytes.slice();
  const column = (at: number) => new Uint32Array(aligned.buffer, aligned.byteOffset + at, count);
  return { count, high: column(HEADER_BYTES), low: column(HEADER_BYTES + 4 * count), notes };
}

function compare(a: KeyRun, i: number, b: KeyRun, j: number): number {
  return (a.high[i] as number) - (b.high[j] as number) || (a.low[i] as number) - (b.low[j] as number);
}

function emptyRun(capacity: number) {
  return {
    count: capacity,
    high: new Uint32Array(capacity),
    low: new Uint32Array(capacity),
    notes: new Uint8Array(capacity),
  };
}

function cut(run: KeyRun, count: number): KeyRun {
  if (count === run.count) return run;
  return {
    count,
    high: run.high.slice(0, count),
    low: run.low.slice(0, count),
    notes: run.notes.slice(0, count),
  };
}
