/**
 * A run's records as a row of blocks. Blocks are self-contained, so that lists are merged by copying them,
 * and a turn reads only the block at its cursor.
 *
 * A block: size of the data after the header (u32 LE), count of records (u16), rank (u8), 0 (u8), due time in
 * seconds (u32, 0: at once), then the records (`record-block.ts`). All records of a block have its rank; its
 * due time is its first record's, rounded up, so that no record is taken before its time.
 */
import type { HostKey } from '../url/host-key.ts';
import { CorruptBytes } from './bytes.ts';
import { rankOf } from './rank.ts';
import { encodeRecords } from './record-block.ts';
import type { UrlRecord } from './url-record.ts';

export const BLOCK_HEADER_BYTES = 12;

export interface BlockHeader {
  /** Where the block begins in its list, and its size with the header. */
  readonly at: number;
  readonly size: number;
  readonly count: number;
  readonly rank: number;
  /** Milliseconds since the epoch, rounded up to a second. */
  readonly dueAt: number;
}

/**
 * Records in the order given; a new block begins where the rank changes (unless `isMixed`) or one is full.
 */
export function encodeBlocks(
  host: HostKey,
  records: readonly UrlRecord[],
  { blockRecords, isMixed = false }: { readonly blockRecords: number; readonly isMixed?: boolean },
): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let from = 0; from < records.length; ) {
    const first = records[from] as UrlRecord;
    const rank = isMixed ? 0 : rankOf(first.depth, first.level, first.kind);
    let to = from + 1;
    while (to < records.length && to - from < blockRecords) {
      const { depth, level, kind } = records[to] as UrlRecord;
      if (!isMixed && rankOf(depth, level, kind) !== rank) break;
      to++;
    }
    const payload = encodeRecords(host, records.slice(from, to));
    const block = new Uint8Array(BLOCK_HEADER_BYTES + payload.length);
    const view = new DataView(block.buffer);
    view.setUint32(0, payload.length, true);
    view.setUint16(4, to - from, true);
    view.setUint8(6, rank);
    view.setUint32(8, Math.ceil(first.dueAt / 1000), true);
    block.set(payload, BLOCK_HEADER_BYTES);
    blocks.push(block);
    from = to;
  }
  return blocks;
}

/** The header at `at` of `bytes`; `base` is where `bytes` begin in the list. */
export function readBlockHeader(bytes: Uint8Array, at = 0, base = 0): BlockHeader {
  if (at + BLOCK_HEADER_BYTES > bytes.length) throw new CorruptBytes(`no block header at ${base + at}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, BLOCK_HEADER_BYTES);
  return {
    at: base + at,
    size: BLOCK_HEADER_BYTES + view.getUint32(0, true),
    count: view.getUint16(4, true),
    rank: view.getUint8(6),
    dueAt: view.getUint32(8, true) * 1000,
  };
}

/** All headers of a list from `from` on. */
export function listBlocks(bytes: Uint8Array, from = 0): BlockHeader[] {
  const headers: BlockHeader[] = [];
  for (let at = from; at < bytes.length; ) {
    const header = readBlockHeader(bytes, at);
    headers.push(header);
    at += header.size;
  }
  return headers;
}

/** The records' bytes of a block that lies wholly in `bytes`. */
export function blockPayload(bytes: Uint8Array, header: BlockHeader, base = 0): Uint8Array {
  const at = header.at - base;
  if (at + header.size > bytes.length) throw new CorruptBytes(`the block at ${header.at} is cut short`);
  return bytes.subarray(at + BLOCK_HEADER_BYTES, at + header.size);
}
