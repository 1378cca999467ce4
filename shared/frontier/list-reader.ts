import type { HostKey } from '../url/host-key.ts';
import { BLOCK_HEADER_BYTES, blockPayload, readBlockHeader } from './block-list.ts';
import { decodeRecords } from './record-block.ts';
import { type Cursor, cursorAt, isAtEnd } from './run.ts';
import type { UrlRecord } from './url-record.ts';

/** Reads a part, or `length` bytes of it from `offset`. */
export type ReadPart = (name: string, offset?: number, length?: number) => Promise<Uint8Array>;

/** Takes the records of a run's list one after the other, from its cursor on; holds one block in memory. */
export interface ListReader {
  readonly cursor: Cursor;
  /** The record at the cursor, which moves on. Not at the end; calls must not overlap. */
  take(): Promise<UrlRecord>;
}

/** `readAheadBytes`: read at once, and more only if a block and the header of the next one need more. */
export function createListReader(
  host: HostKey,
  name: string,
  start: Cursor,
  read: ReadPart,
  readAheadBytes: number,
): ListReader {
  let cursor = start;
  let block: { readonly records: readonly UrlRecord[]; readonly next: Cursor } | undefined;

  async function readBlock() {
    const { offset, bytes } = cursor;
    const wanted = (length: number) => Math.min(length, bytes - offset);
    let ahead = await read(name, offset, wanted(Math.max(readAheadBytes, BLOCK_HEADER_BYTES)));
    const header = readBlockHeader(ahead, 0, offset);
    if (ahead.length < wanted(header.size + BLOCK_HEADER_BYTES))
      ahead = await read(name, offset, wanted(header.size + BLOCK_HEADER_BYTES));
    const end = offset + header.size;
    const following = end < bytes ? readBlockHeader(ahead, header.size, offset) : undefined;
    return {
      records: decodeRecords(host, blockPayload(ahead, header, offset)),
      next: cursorAt(bytes, end, 0, following),
    };
  }

  return {
    get cursor() {
      return cursor;
    },
    async take() {
      if (isAtEnd(cursor)) throw new Error(`${name} is read to its end`);
      block ??= await readBlock();
      const record = block.records[cursor.skip] as UrlRecord;
      const following = block.records[cursor.skip + 1];
      if (following) {
        cursor = { ...cursor, skip: cursor.skip + 1, dueAt: following.dueAt };
      } else {
        cursor = block.next;
        block = undefined;
      }
      return record;
    },
  };
}
