/** Reads one record of a WARC file, of any size, by its offset. */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  isPlainRecord,
  MAX_RECORD_HEAD,
  NotWarc,
  parseRecordHead,
  recordHeadLength,
  type WarcRecordHead,
} from './read-warc.ts';
import type { RecordLocation } from './record-location.ts';
import { PIECE_BYTES, piecesFrom, type ReadAt } from './scan-members.ts';
import { windowedRead } from './windowed-read.ts';

export interface OpenedRecord {
  readonly record: WarcRecordHead;
  /** Version line, fields and empty line, as stored. */
  readonly head: Uint8Array;
  /**
   * The block's bytes, to be iterated once. Throws {@link NotWarc} where the member is broken or ends before
   * the block.
   */
  readonly block: AsyncGenerator<Uint8Array>;
  /** Frees the reader of the file. Call it in any case. */
  close(): Promise<void>;
}

/** Opens the record that begins at `offset`, in a gzip member or as it is. Throws {@link NotWarc} where none does. */
export async function openRecord(read: ReadAt, offset: number): Promise<OpenedRecord> {
  const chunks = bytesFrom(read, offset);
  try {
    const { start, headLength } = await readHead(chunks, offset);
    const head = start.subarray(0, headLength);
    const record = parseRecordHead(head, offset);
    const block = blockOf(start.subarray(headLength), chunks, record.blockLength, offset);
    return { record, head, block, close: async () => void (await chunks.return(undefined)) };
  } catch (error) {
    await chunks.return(undefined);
    throw error;
  }
}

/** As {@link openRecord}, if the length is known: for all of a large record, which then takes few large reads. */
export function openWhole(
  read: ReadAt,
  { offset, length }: Pick<RecordLocation, 'offset' | 'length'>,
): Promise<OpenedRecord> {
  const end = offset + length;
  const own: ReadAt = (at, bytes) => read(at, Math.max(0, Math.min(bytes, end - at)));
  return openRecord(windowedRead(own), offset);
}

async function readHead(chunks: AsyncGenerator<Uint8Array>, offset: number) {
  let start: Uint8Array = new Uint8Array(0);
  while (start.length < MAX_RECORD_HEAD) {
    // By `next`: a loop over the chunks would end them with its own end.
    const { done, value } = await chunks.next();
    if (done) break;
    start = start.length === 0 ? value : Buffer.concat([start, value]);
    const headLength = recordHeadLength(start);
    if (headLength !== undefined) return { start, headLength };
  }
  throw new NotWarc(`Member at ${offset}: expected an empty line after the fields`);
}

async function* blockOf(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
  length: number,
  offset: number,
): AsyncGenerator<Uint8Array> {
  let left = length;
  for (let chunk: Uint8Array | undefined = first; left > 0; ) {
    if (chunk === undefined)
      throw new NotWarc(`Member at ${offset}: expected a block of ${length} bytes, got ${length - left}`);
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left > 0) chunk = (await rest.next()).value;
  }
}

/** Yields the record's bytes, and those of the records after it, in pieces. */
async function* bytesFrom(read: ReadAt, offset: number): AsyncGenerator<Uint8Array> {
  const pieces = piecesFrom(read, offset);
  const { done, value: first } = await pieces.next();
  if (done) return;
  if (!isPlainRecord(first)) return yield* inflated(joined(first, pieces), offset);
  yield first;
  yield* pieces;
}

async function* joined(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

async function* inflated(member: AsyncIterable<Uint8Array>, offset: number): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  // The iteration below meets every error of the pipeline, those of `read` too.
  pipeline(Readable.from(member), gunzip, () => {});
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if (!/^Z_|^ERR_/.test((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new NotWarc(`Member at ${offset}: ${(cause as Error).message}`, { cause });
  }
}
