/**
 * The sorted places of captures (`capture-places.ts`): `FILE.cdxj.places-0`, and `-1` and so on for a WARC file of more
 * than {@link MAX_COUNT} captures. 16 bytes each, sorted by the fingerprint of the SURT. As fingerprints are evenly spread,
 * one computes where those of a SURT stand, and reads that piece alone.
 */
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';

/** Where a capture begins in the WARC file, and an offset by which it has ended. */
export interface Place {
  readonly offset: number;
  readonly end: number;
}

/** The first half of the fingerprint, the bytes up to the next capture as 32 bits, and the offset as a double. */
const ENTRY_BYTES = 16;
const WORDS = 4;
/** The places of one file, which is read and written whole when some are added: 16 MB. */
const MAX_COUNT = 1_048_576;
/** The length says no more than that: up to the end of the file. */
const UNKNOWN_LENGTH = 0xffff_ffff;
/**
 * The part of a file on each side of the computed place that is read at once, and its least number of places. A million captures
 * of URLs with 50 each are off by 3,500 places (standard deviation).
 */
const SPREAD = 1 / 32;
const MIN_SPREAD = 4096;

/**
 * Returns unsorted places, which are in the order of the WARC file, in the sorted form. `end`: where the capture after the last
 * begins.
 */
export function sortPlaces(unsorted: Buffer, end: number): Uint32Array {
  const count = unsorted.length / ENTRY_BYTES;
  const order = orderOf(unsorted, count);
  const bytes = new Uint8Array(count * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0, at = 0; i < count; i++, at += ENTRY_BYTES) {
    const from = (order[i] as number) * ENTRY_BYTES;
    const offset = unsorted.readDoubleLE(from + 8);
    const next = from + ENTRY_BYTES < unsorted.length ? unsorted.readDoubleLE(from + ENTRY_BYTES + 8) : end;
    view.setUint32(at, unsorted.readUInt32LE(from), true);
    view.setUint32(at + 4, Math.min(UNKNOWN_LENGTH, next - offset), true);
    view.setFloat64(at + 8, offset, true);
  }
  return new Uint32Array(bytes.buffer);
}

/** The numbers of the places, by fingerprint and then by offset. */
function orderOf(unsorted: Buffer, count: number): Uint32Array {
  const keys = new BigUint64Array(count);
  const halves = new Uint32Array(keys.buffer);
  for (let i = 0; i < count; i++) {
    halves[2 * i] = i;
    halves[2 * i + 1] = unsorted.readUInt32LE(i * ENTRY_BYTES);
  }
  keys.sort();
  return halves.filter((_, i) => i % 2 === 0);
}

/** Adds what `sortPlaces` returned to the last file of `path`, or to one after it. Each file is replaced at once. */
export async function addSortedPlaces(path: string, added: Uint32Array): Promise<void> {
  let last = 0;
  while (await exists(pathOf(path, last + 1))) last++;
  const known = wordsOf(await readFile(pathOf(path, last)).catch(() => Buffer.alloc(0)));
  if (known.length + added.length <= MAX_COUNT * WORDS || known.length === 0)
    return replace(pathOf(path, last), merged(known, added));
  return replace(pathOf(path, last + 1), added);
}

async function replace(path: string, { buffer, byteOffset, byteLength }: Uint32Array): Promise<void> {
  const temporary = `${path}-tmp`;
  // Synced: the places are removed elsewhere when they are here.
  await writeFile(temporary, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), { flush: true });
  await rename(temporary, path);
}

/** Merges two sorted lists. Of places with the same fingerprint, those of `a` come first. */
function merged(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length === 0) return b;
  const all = new Uint32Array(a.length + b.length);
  let [i, j] = [0, 0];
  for (let at = 0; at < all.length; at += WORDS) {
    const isOfA = j >= b.length || (i < a.length && (a[i] as number) <= (b[j] as number));
    const from = isOfA ? a : b;
    let of = isOfA ? i : j;
    for (let word = 0; word < WORDS; word++) all[at + word] = from[of++] as number;
    if (isOfA) i = of;
    else j = of;
  }
  return all;
}

/** Returns the places whose fingerprint has `high` as its first half; perhaps twice, if places are added meanwhile. */
export async function findSortedPlaces(path: string, high: number): Promise<Place[]> {
  const found: Place[] = [];
  for (let i = 0; ; i++) {
    const handle = await open(pathOf(path, i)).catch(() => undefined);
    if (handle === undefined) return found;
    try {
      found.push(...(await placesIn(handle, high)));
    } finally {
      await handle.close();
    }
  }
}

async function placesIn(handle: FileHandle, high: number): Promise<Place[]> {
  const count = Math.floor((await handle.stat()).size / ENTRY_BYTES);
  const expected = (count * high) / 2 ** 32;
  const spread = Math.max(MIN_SPREAD, Math.ceil(count * SPREAD));
  let from = Math.max(0, Math.floor(expected) - spread);
  let below = Math.min(count, Math.ceil(expected) + spread);
  for (;;) {
    const bytes = Buffer.alloc((below - from) * ENTRY_BYTES);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from * ENTRY_BYTES);
    const words = wordsOf(bytes.subarray(0, bytesRead));
    const isBegun = from === 0 || (words[0] as number) < high;
    const isEnded = below === count || (words[words.length - WORDS] as number) > high;
    if (words.length === 0 || (isBegun && isEnded)) return placesOf(words, high);
    // Many captures of one URL, which are read with those beside.
    if (!isBegun) from = Math.max(0, from - (below - from));
    if (!isEnded) below = Math.min(count, below + (below - from));
  }
}

function placesOf(words: Uint32Array, high: number): Place[] {
  const doubles = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  const found: Place[] = [];
  for (let i = 0; i < words.length; i += WORDS) {
    if (words[i] !== high) continue;
    const length = words[i + 1] as number;
    const offset = doubles[i / 2 + 1] as number;
    if (!Number.isSafeInteger(offset) || offset < 0) continue;
    found.push({ offset, end: length === UNKNOWN_LENGTH ? Number.POSITIVE_INFINITY : offset + length });
  }
  return found;
}

/** Whole entries, at an address that suits doubles. */
function wordsOf(bytes: Buffer): Uint32Array {
  const length = bytes.length - (bytes.length % ENTRY_BYTES);
  const isAligned = bytes.byteOffset % 8 === 0;
  const { buffer, byteOffset } = isAligned ? bytes : Buffer.from(Uint8Array.from(bytes).buffer);
  return new Uint32Array(buffer as ArrayBuffer, byteOffset, length / 4);
}

export async function removeSortedPlaces(path: string): Promise<void> {
  for (let i = 0; await exists(pathOf(path, i)); i++) await rm(pathOf(path, i), { force: true });
}

const pathOf = (path: string, i: number): string => `${path}-${i}`;

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
