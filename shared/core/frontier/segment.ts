/**
 * A segment: what one turn changed in its host's ledger, as whole records. Newer segments override older
 * ones, and every segment overrides the runs. Bytes: `S`, version, then the records sorted by URL
 * (`record-block.ts`).
 */
import type { HostKey } from '../url/host-key.ts';
import { CorruptBytes, checkVersion } from './bytes.ts';
import { decodeRecords, encodeRecords } from './record-block.ts';
import type { UrlRecord } from './url-record.ts';

export const SEGMENT_MAGIC = 0x53;
export const SEGMENT_VERSION = 1;

export function encodeSegment(host: HostKey, records: readonly UrlRecord[]): Uint8Array {
  const sorted = [...records].sort((a, b) => (a.url < b.url ? -1 : 1));
  const block = encodeRecords(host, sorted);
  const bytes = new Uint8Array(2 + block.length);
  bytes[0] = SEGMENT_MAGIC;
  bytes[1] = SEGMENT_VERSION;
  bytes.set(block, 2);
  return bytes;
}

/** Throws {@link CorruptBytes}. */
export function decodeSegment(host: HostKey, bytes: Uint8Array): UrlRecord[] {
  if (bytes[0] !== SEGMENT_MAGIC) throw new CorruptBytes('not a segment');
  checkVersion('segment', bytes[1] ?? 0, SEGMENT_VERSION);
  return decodeRecords(host, bytes.subarray(2));
}
