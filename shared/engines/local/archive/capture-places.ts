/**
 * Where the captures of a WARC file stand that is being written, by URL: 16 bytes each, beside the indexes. So the
 * history of a URL is found in the file without reading it whole. They hold nothing that is not in the WARC file, and
 * are removed when that has its index.
 *
 * New ones are appended to `FILE.cdxj.places`, in the order of the WARC file. When there are {@link SEALED_COUNT}, they
 * are merged into `FILE.cdxj.places-0` (`sorted-places.ts`), where those of a URL are found by one read.
 */
import { appendFile, type FileHandle, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type Capture, scanCaptures } from '../../../core/archive/cdxj.ts';
import { fingerprint } from '../../../core/url/fingerprint.ts';
import { readHandle } from './read-handle.ts';
import {
  addSortedPlaces,
  findSortedPlaces,
  type Place,
  removeSortedPlaces,
  sortPlaces,
} from './sorted-places.ts';

export const PLACES_SUFFIX = '.places';
/** Two halves of the fingerprint of the SURT, and the offset as a double. */
const ENTRY_BYTES = 16;
/** 2 MB, which are read whole. */
const SEALED_COUNT = 131_072;

export interface PlacesWriter {
  add(surt: string, offset: number): void;
  /** Appends those added since. What is lost with the process is found in the WARC file. */
  flush(): Promise<void>;
  remove(): Promise<void>;
}

/** `sealedCount`: see {@link SEALED_COUNT}. */
export function createPlacesWriter(path: string, sealedCount: number = SEALED_COUNT): PlacesWriter {
  let entries: Buffer[] = [];
  /** Places in the file. */
  let count = 0;
  const halves = new Uint32Array(2);

  /** All but the last one become sorted: with that, a reader knows up to where the WARC file has places. */
  async function seal(): Promise<void> {
    const bytes = await readFile(path);
    const last = bytes.length - ENTRY_BYTES;
    const end = bytes.readDoubleLE(last + 8);
    await addSortedPlaces(path, sortPlaces(bytes.subarray(0, last), end));
    // Readers that come between the two see places twice, and none too few.
    const temporary = `${path}-tmp`;
    await writeFile(temporary, bytes.subarray(last));
    await rename(temporary, path);
    count = 1;
  }

  return {
    add(surt, offset) {
      const entry = Buffer.allocUnsafe(ENTRY_BYTES);
      fingerprint(surt, halves, 0);
      entry.writeUInt32LE(halves[0] as number, 0);
      entry.writeUInt32LE(halves[1] as number, 4);
      entry.writeDoubleLE(offset, 8);
      entries.push(entry);
    },
    async flush() {
      const bytes = Buffer.concat(entries);
      count += entries.length;
      entries = [];
      if (bytes.length > 0) await appendFile(path, bytes);
      if (count > sealedCount) await seal();
    },
    async remove() {
      entries = [];
      count = 0;
      for (const name of [path, `${path}-tmp`]) await rm(name, { force: true });
      await removeSortedPlaces(path);
    },
  };
}

/** The places of a SURT in a file, as far as they were written. */
export interface FoundPlaces {
  /** In the order of the file, each once. Some may be of another SURT with the same fingerprint. */
  readonly places: readonly Place[];
  /** The offset of the last place of the file; 0: there is none. */
  readonly lastAt: number;
}

/**
 * Undefined if the file has no places, or if they are damaged. `limit`: bytes of the WARC file that count. Reads the unsorted
 * places whole, and one piece of the sorted ones.
 */
export async function findPlaces(
  path: string,
  surt: string,
  limit: number,
): Promise<FoundPlaces | undefined> {
  // Before the sorted ones: those that become sorted meanwhile are found twice, and not missed.
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const offsetOf = (i: number) => view.getFloat64(i * ENTRY_BYTES + 8, true);
  let count = Math.floor(bytes.length / ENTRY_BYTES);
  while (count > 0 && offsetOf(count - 1) >= limit) count--;
  const lastAt = count > 0 ? offsetOf(count - 1) : 0;
  if (!Number.isSafeInteger(lastAt)) return undefined;
  const [high, low] = fingerprintOf(surt);
  const found = new Map<number, Place>();
  for (const place of await findSortedPlaces(path, high))
    if (place.offset < limit) found.set(place.offset, { ...place, end: Math.min(place.end, limit) });
  for (let i = 0, at = 0; i < count; i++, at += ENTRY_BYTES)
    if (view.getUint32(at, true) === high && view.getUint32(at + 4, true) === low)
      found.set(offsetOf(i), { offset: offsetOf(i), end: i + 1 < count ? offsetOf(i + 1) : limit });
  return { lastAt, places: [...found.values()].sort((a, b) => a.offset - b.offset) };
}

function fingerprintOf(surt: string): readonly [number, number] {
  const halves = new Uint32Array(2);
  fingerprint(surt, halves, 0);
  return halves as unknown as readonly [number, number];
}

/** The captures of a SURT in the WARC file, which counts up to `limit`. Throws `NotWarc`. */
export async function* capturesAt(
  handle: FileHandle,
  surt: string,
  { places, lastAt }: FoundPlaces,
  limit: number,
): AsyncGenerator<Capture> {
  const isOfUrl = ({ lineStart }: Capture) => lineStart.startsWith(`${surt} `);
  for (const { offset, end } of places) {
    // The rest comes with the captures after the last place.
    if (offset >= lastAt) continue;
    for await (const capture of scanCaptures(readHandle(handle, end), offset)) {
      if (isOfUrl(capture)) yield capture;
      break;
    }
  }
  for await (const capture of scanCaptures(readHandle(handle, limit), lastAt))
    if (isOfUrl(capture)) yield capture;
}
