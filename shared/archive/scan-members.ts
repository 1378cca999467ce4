/** Finding the gzip members of a WARC file that has no index, such as one whose writer was killed. */
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import {
  MAX_RECORD_HEAD,
  NotWarc,
  parseRecordHead,
  recordHeadLength,
  type WarcRecordHead,
} from './read-warc.ts';

export interface ScannedMember {
  readonly offset: number;
  readonly length: number;
  readonly record: WarcRecordHead;
}

/** Bytes at a place of the file; fewer than asked for only at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

const PIECE_BYTES = 64 * 1024;
const MEMBER_HEAD_BYTES = 10;
const MEMBER_END_BYTES = 8;

/**
 * The whole members from the start of the file, each checked: one gzip member with a true CRC and size around one
 * record. Ends at the file's end; throws {@link NotWarc} at the first member that is not whole. Holds about a
 * quarter of a megabyte, whatever the size of a member.
 */
export async function* scanMembers(read: ReadAt): AsyncGenerator<ScannedMember> {
  for (let offset = 0; (await read(offset, 1)).length > 0; ) {
    const member = await scanMember(read, offset);
    yield member;
    offset += member.length;
  }
}

async function scanMember(read: ReadAt, offset: number): Promise<ScannedMember> {
  const magic = await read(offset, MEMBER_HEAD_BYTES);
  if (magic.length < MEMBER_HEAD_BYTES || magic[0] !== 0x1f || magic[1] !== 0x8b || magic[2] !== 8) {
    throw new NotWarc(
      `Member at ${offset}: expected a gzip member, got ${Buffer.from(magic).toString('hex')}`,
    );
  }
  // Extra field, name, comment, header CRC: none of them is in WARC files that are written member by member.
  if (magic[3] !== 0) throw new NotWarc(`Member at ${offset}: expected no gzip flags, got ${magic[3]}`);
  const inflated = await inflateAt(read, offset);
  const endAt = offset + MEMBER_HEAD_BYTES + inflated.consumed;
  const end = Buffer.from(await read(endAt, MEMBER_END_BYTES));
  if (end.length < MEMBER_END_BYTES)
    throw new NotWarc(`Member at ${offset}: cut short at ${endAt + end.length}`);
  if (end.readUInt32LE(0) !== inflated.crc || end.readUInt32LE(4) !== inflated.size % 2 ** 32) {
    throw new NotWarc(`Member at ${offset}: its CRC or size is not that of its bytes`);
  }
  const headLength = recordHeadLength(inflated.start);
  if (headLength === undefined)
    throw new NotWarc(`Member at ${offset}: expected an empty line after the fields`);
  const record = parseRecordHead(inflated.start.subarray(0, headLength), offset);
  if (headLength + record.blockLength + 4 !== inflated.size) {
    throw new NotWarc(
      `Member at ${offset}: expected a record of ${headLength + record.blockLength + 4} bytes, got ${inflated.size}`,
    );
  }
  return { offset, length: endAt + MEMBER_END_BYTES - offset, record };
}

interface Inflated {
  /** Bytes of the deflate stream. */
  readonly consumed: number;
  readonly size: number;
  readonly crc: number;
  /** The first {@link MAX_RECORD_HEAD} bytes, at least a head's worth. */
  readonly start: Uint8Array;
}

async function inflateAt(read: ReadAt, memberOffset: number): Promise<Inflated> {
  const inflate = createInflateRaw();
  const kept: Uint8Array[] = [];
  let size = 0;
  let crc = 0;
  // The source goes on to the file's end; the iteration below ends with the deflate stream, and stops it.
  pipeline(Readable.from(piecesFrom(read, memberOffset + MEMBER_HEAD_BYTES)), inflate, () => {});
  try {
    for await (const chunk of inflate as AsyncIterable<Uint8Array>) {
      if (size < MAX_RECORD_HEAD) kept.push(chunk);
      size += chunk.length;
      crc = crc32(chunk, crc);
    }
  } catch (cause) {
    throw new NotWarc(`Member at ${memberOffset}: ${(cause as Error).message}`, { cause });
  }
  return { consumed: inflate.bytesWritten, size, crc, start: Buffer.concat(kept) };
}

async function* piecesFrom(read: ReadAt, offset: number): AsyncGenerator<Uint8Array> {
  for (let at = offset; ; ) {
    const piece = await read(at, PIECE_BYTES);
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}
