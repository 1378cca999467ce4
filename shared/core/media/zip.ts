/**
 * Reads single files of a zip archive that is in memory (PKWARE APPNOTE 6.3.10), in bounded memory and time.
 * Names are only compared: nothing is ever written to a path.
 */
import zlib from 'node:zlib';
import { UnreadableDocument } from './media-module.ts';

export interface ZipArchive {
  readonly names: ReadonlySet<string>;
  /** Returns the content of a file; undefined if there is none of this name. Throws {@link UnreadableDocument}. */
  read(name: string): Uint8Array | undefined;
}

interface Entry {
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Where its local header stands. */
  readonly offset: number;
}

const MAX_ENTRIES = 10_000;
/** The size of one file, and of all files that are read. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;
/** XML of spreadsheets packs 20 to 1, and 100 to 1 where rows are empty; deflate can pack 1,032 to 1. */
const MAX_RATIO = 250;
const RATIO_FROM_BYTES = 1024 * 1024;

const END = 0x06054b50;
const END_BYTES = 22;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const MAX_COMMENT_BYTES = 65_535;
const IN_ZIP64 = 0xffffffff;

/** Throws {@link UnreadableDocument} if the bytes are not a complete zip archive. */
export function openZip(bytes: Uint8Array): ZipArchive {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readDirectory(view);
  let total = 0;
  return {
    names: new Set(entries.keys()),
    read(name) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      const content = contentOf(view, entry, name);
      total += content.length;
      if (total > MAX_TOTAL_BYTES) throw tooLarge(MAX_TOTAL_BYTES);
      return content;
    },
  };
}

/** Fields beyond the end of the archive. */
const broken = (what: string) => new UnreadableDocument(`its zip archive is broken: ${what}`);
const tooLarge = (bytes: number) =>
  new UnreadableDocument(`its zip archive holds more than ${bytes / 1024 / 1024} MiB`);

function readDirectory(view: Buffer): Map<string, Entry> {
  const { count, offset } = findDirectory(view);
  if (count > MAX_ENTRIES) throw new UnreadableDocument(`its zip archive has more than ${MAX_ENTRIES} files`);
  const entries = new Map<string, Entry>();
  let at = offset;
  for (let i = 0; i < count; i++) {
    if (at + 46 > view.length || view.readUInt32LE(at) !== CENTRAL)
      throw broken('its directory ends too early');
    const nameLength = view.readUInt16LE(at + 28);
    const extraLength = view.readUInt16LE(at + 30);
    const nameEnd = at + 46 + nameLength;
    const name = view.toString('utf8', at + 46, nameEnd);
    const entry = {
      flags: view.readUInt16LE(at + 8),
      method: view.readUInt16LE(at + 10),
      crc: view.readUInt32LE(at + 16),
      ...sizesOf(view, at, view.subarray(nameEnd, nameEnd + extraLength)),
    };
    // Readers differ in which of two files of one name they take: the first one here.
    if (!entries.has(name)) entries.set(name, entry);
    at = nameEnd + extraLength + view.readUInt16LE(at + 32);
  }
  return entries;
}

/** The end of the archive is searched from its last byte: a comment may follow it. */
function findDirectory(view: Buffer): { readonly count: number; readonly offset: number } {
  const from = view.length - END_BYTES;
  for (let at = from; at >= 0 && from - at <= MAX_COMMENT_BYTES; at--) {
    if (view.readUInt32LE(at) !== END) continue;
    const count = view.readUInt16LE(at + 10);
    const offset = view.readUInt32LE(at + 16);
    return offset === IN_ZIP64 || count === 0xffff ? findDirectory64(view, at) : { count, offset };
  }
  throw broken('it has no directory');
}

function findDirectory64(view: Buffer, end: number): { readonly count: number; readonly offset: number } {
  const locator = end - 20;
  if (locator < 0 || view.readUInt32LE(locator) !== LOCATOR64) throw broken('its directory is missing');
  const at = Number(view.readBigUInt64LE(locator + 8));
  if (at + 56 > view.length || view.readUInt32LE(at) !== END64) throw broken('its directory is missing');
  return { count: Number(view.readBigUInt64LE(at + 32)), offset: Number(view.readBigUInt64LE(at + 48)) };
}

/** Sizes and offset of a file, which for large files stand in the extra field 1 (section 4.5.3). */
function sizesOf(view: Buffer, at: number, extra: Buffer): Pick<Entry, 'packedBytes' | 'bytes' | 'offset'> {
  const fields = [view.readUInt32LE(at + 24), view.readUInt32LE(at + 20), view.readUInt32LE(at + 42)];
  if (fields.includes(IN_ZIP64)) {
    let from = extra64(extra);
    for (const [i, field] of fields.entries()) {
      if (field !== IN_ZIP64) continue;
      if (from + 8 > extra.length) throw broken('a size is missing');
      fields[i] = Number(extra.readBigUInt64LE(from));
      from += 8;
    }
  }
  const [bytes = 0, packedBytes = 0, offset = 0] = fields;
  return { bytes, packedBytes, offset };
}

function extra64(extra: Buffer): number {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1) return at + 4;
  return extra.length;
}

function contentOf(view: Buffer, entry: Entry, name: string): Uint8Array {
  const { method, flags, packedBytes, bytes, offset, crc } = entry;
  if ((flags & 1) !== 0) throw new UnreadableDocument('it is encrypted');
  if (offset + 30 > view.length || view.readUInt32LE(offset) !== LOCAL)
    throw broken(`${shown(name)} is missing`);
  const from = offset + 30 + view.readUInt16LE(offset + 26) + view.readUInt16LE(offset + 28);
  if (from + packedBytes > view.length) throw broken(`${shown(name)} is cut`);
  const packed = view.subarray(from, from + packedBytes);
  if (bytes > MAX_FILE_BYTES) throw tooLarge(MAX_FILE_BYTES);
  const content = method === 0 ? packed : inflated(packed, method, name);
  if (zlib.crc32(content) !== crc) throw broken(`${shown(name)} has a wrong checksum`);
  return content;
}

function inflated(packed: Buffer, method: number, name: string): Uint8Array {
  if (method !== 8) throw new UnreadableDocument(`its zip archive uses the compression method ${method}`);
  const byRatio = Math.max(RATIO_FROM_BYTES, packed.length * MAX_RATIO);
  const maxOutputLength = Math.min(MAX_FILE_BYTES, byRatio);
  try {
    return zlib.inflateRawSync(packed, { maxOutputLength });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      throw broken(`${shown(name)} is damaged`);
    if (maxOutputLength === MAX_FILE_BYTES) throw tooLarge(MAX_FILE_BYTES);
    throw new UnreadableDocument(`it is a zip bomb: ${shown(name)} is packed more than ${MAX_RATIO} to 1`);
  }
}

const shown = (name: string) => JSON.stringify(name.slice(0, 100));
