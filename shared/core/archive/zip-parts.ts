/**
 * The parts of a ZIP file, for a file that is written in slices: a library would have to hold it open.
 * Sizes and checksum follow an entry's bytes, as they are not known before (APPNOTE.TXT 6.3.10, 4.3.7 to 4.3.16). Large
 * files have the fields of ZIP64.
 */

/** An entry that is written. */
export interface ZipEntry {
  readonly path: string;
  /** Offset of its header in the file. */
  readonly offset: number;
  readonly bytes: number;
  /** Bytes in the file, if they are deflated (RFC 1951). Default: they are stored as they are. */
  readonly deflatedBytes?: number | undefined;
  /** CRC-32 of the bytes as they were. */
  readonly crc32: number;
}

/** ZIP64, since all entries may need it. */
const VERSION = 45;
/** Made on Unix, so that the mode of a file counts. */
const MADE_BY = (3 << 8) | VERSION;
/** Sizes and checksum follow the bytes; names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const MODE = 0o100644;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

/** The header before the bytes. `time`: ms since the epoch, written as UTC. */
export function zipHeader(path: string, time: number, isDeflated = false): Uint8Array {
  const name = Buffer.from(path);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(VERSION, 4);
  head.writeUInt16LE(FLAGS, 6);
  head.writeUInt16LE(isDeflated ? DEFLATED : 0, 8);
  head.writeUInt32LE(dosTime(time), 10);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, name]);
}

/** The descriptor after the bytes. */
export function zipDescriptor({
  bytes,
  deflatedBytes = bytes,
  crc32,
}: Pick<ZipEntry, 'bytes' | 'deflatedBytes' | 'crc32'>): Uint8Array {
  const is64 = Math.max(bytes, deflatedBytes) >= MAX_32;
  const descriptor = Buffer.alloc(is64 ? 24 : 16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc32, 4);
  for (const [i, size] of [deflatedBytes, bytes].entries())
    if (is64) descriptor.writeBigUInt64LE(BigInt(size), 8 + 8 * i);
    else descriptor.writeUInt32LE(size, 8 + 4 * i);
  return descriptor;
}

/** The directory at the end of the file, which begins at `offset`. */
export function zipDirectory(entries: readonly ZipEntry[], offset: number, time: number): Uint8Array {
  const lines = zipDirectoryLines(entries, time);
  return Buffer.concat([lines, zipEnd({ count: entries.length, size: lines.length, offset })]);
}

/** The lines of some entries in the directory. */
export const zipDirectoryLines = (entries: readonly ZipEntry[], time: number): Uint8Array =>
  Buffer.concat(entries.map((entry) => directoryLine(entry, time)));

interface Directory {
  /** Its lines. */
  readonly count: number;
  /** Their bytes. */
  readonly size: number;
  /** Where it begins in the file. */
  readonly offset: number;
}

/** The end of the file, behind the lines of the directory. */
export function zipEnd({ count, size, offset }: Directory): Uint8Array {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(size, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  const is64 = count >= MAX_16 || size >= MAX_32 || offset >= MAX_32;
  return Buffer.concat([...(is64 ? [end64({ count, size, offset })] : []), end]);
}

function directoryLine({ path, offset, bytes, deflatedBytes, crc32 }: ZipEntry, time: number): Buffer {
  const name = Buffer.from(path);
  const inFile = deflatedBytes ?? bytes;
  const large = [bytes, inFile, offset].filter((value) => value >= MAX_32);
  const extra = Buffer.alloc(large.length > 0 ? 4 + 8 * large.length : 0);
  if (large.length > 0) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8 * large.length, 2);
    for (const [i, value] of large.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  }
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(MADE_BY, 4);
  head.writeUInt16LE(VERSION, 6);
  head.writeUInt16LE(FLAGS, 8);
  head.writeUInt16LE(deflatedBytes === undefined ? 0 : DEFLATED, 10);
  head.writeUInt32LE(dosTime(time), 12);
  head.writeUInt32LE(crc32, 16);
  head.writeUInt32LE(Math.min(inFile, MAX_32), 20);
  head.writeUInt32LE(Math.min(bytes, MAX_32), 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE(MODE * 0x10000, 38);
  head.writeUInt32LE(Math.min(offset, MAX_32), 42);
  return Buffer.concat([head, name, extra]);
}

/** The end of the directory as ZIP64 has it, and where it begins. */
function end64({ count, size, offset }: Directory): Buffer {
  const end = Buffer.alloc(76);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(MADE_BY, 12);
  end.writeUInt16LE(VERSION, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(offset + size), 64);
  end.writeUInt32LE(1, 72);
  return end;
}

/** Date in the upper half, time in the lower one. */
function dosTime(time: number): number {
  const date = new Date(time);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return day * 0x10000 + clock;
}
