/**
 * Where the captures of a WARC file stand that is being written, by URL: 16 bytes each, in `FILE.cdxj.places` beside the
 * indexes. So the history of a URL is found in the file without reading it whole. It holds nothing that is not in the
 * WARC file, and is removed when that has its index.
 */
import { appendFile, type FileHandle, readFile, rm } from 'node:fs/promises';
import { type Capture, scanCaptures } from '../../../archive/cdxj.ts';
import { fingerprint } from '../../../url/fingerprint.ts';
import { readHandle } from './read-handle.ts';

export const PLACES_SUFFIX = '.places';
/** Two halves of the fingerprint of the SURT, and the offset as a double. */
const ENTRY_BYTES = 16;

export interface PlacesWriter {
  add(surt: string, offset: number): void;
  /** Appends those added since. What is lost with the process is found in the WARC file. */
  flush(): Promise<void>;
  remove(): Promise<void>;
}

export function createPlacesWriter(path: string): PlacesWriter {
  let entries: Buffer[] = [];
  const halves = new Uint32Array(2);
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
      entries = [];
      if (bytes.length > 0) await appendFile(path, bytes);
    },
    async remove() {
      entries = [];
      await rm(path, { force: true });
    },
  };
}

/** The places of a file, as far as they were written. */
export interface CapturePlaces {
  /** Offsets of captures whose SURT has the fingerprint of `surt`, each with the beginning of the next capture. */
  find(surt: string): readonly { readonly offset: number; readonly end: number }[];
  /** The offset of the last one; 0: there is none. */
  readonly lastAt: number;
}

/** Undefined if there are none, or if they are damaged. `limit`: bytes of the WARC file that count. */
export async function readPlaces(path: string, limit: number): Promise<CapturePlaces | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const offsetOf = (i: number) => view.getFloat64(i * ENTRY_BYTES + 8, true);
  let count = Math.floor(bytes.length / ENTRY_BYTES);
  while (count > 0 && offsetOf(count - 1) >= limit) count--;
  const lastAt = count > 0 ? offsetOf(count - 1) : 0;
  if (!Number.isSafeInteger(lastAt)) return undefined;
  return {
    lastAt,
    find(surt) {
      const halves = new Uint32Array(2);
      fingerprint(surt, halves, 0);
      const [high, low] = halves as unknown as readonly [number, number];
      const found: { offset: number; end: number }[] = [];
      for (let i = 0, at = 0; i < count; i++, at += ENTRY_BYTES)
        if (view.getUint32(at, true) === high && view.getUint32(at + 4, true) === low)
          found.push({ offset: offsetOf(i), end: i + 1 < count ? offsetOf(i + 1) : limit });
      return found;
    },
  };
}

/** The captures of a SURT in the WARC file, which counts up to `limit`. Throws `NotWarc`. */
export async function* capturesAt(
  handle: FileHandle,
  surt: string,
  places: CapturePlaces,
  limit: number,
): AsyncGenerator<Capture> {
  const isOfUrl = ({ lineStart }: Capture) => lineStart.startsWith(`${surt} `);
  for (const { offset, end } of places.find(surt)) {
    // The rest comes with the captures after the last place.
    if (offset === places.lastAt) continue;
    for await (const capture of scanCaptures(readHandle(handle, end), offset)) {
      if (isOfUrl(capture)) yield capture;
      break;
    }
  }
  for await (const capture of scanCaptures(readHandle(handle, limit), places.lastAt))
    if (isOfUrl(capture)) yield capture;
}
