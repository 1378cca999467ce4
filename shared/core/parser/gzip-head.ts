/** The header of a gzip member (RFC 1952, section 2.3), also one with optional fields: wget writes an extra field. */

/** The length of a header without optional fields. */
export const GZIP_HEAD_BYTES = 10;

const HAS_HEADER_CRC = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
const RESERVED = 0xe0;

/** Returns the length of the header at the beginning of `bytes`; 0 if there is none, undefined if it does not end there. */
export function gzipHeadLength(bytes: Uint8Array): number | undefined {
  const [first, second, method, flags = 0] = bytes;
  if (first !== 0x1f || second !== 0x8b || method !== 8 || (flags & RESERVED) !== 0) return 0;
  let length = GZIP_HEAD_BYTES;
  if (flags & HAS_EXTRA) {
    if (bytes.length < length + 2) return undefined;
    length += 2 + bytes[length]! + 256 * bytes[length + 1]!;
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if (!(flags & flag)) continue;
    const end = bytes.indexOf(0, length);
    if (end < 0) return undefined;
    length = end + 1;
  }
  if (flags & HAS_HEADER_CRC) length += 2;
  return length <= bytes.length ? length : undefined;
}
