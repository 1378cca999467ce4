/** Reads what an archived response says about itself, without its body. */
import { constants, gunzipSync } from 'node:zlib';
import type { ResponseHead } from '../outcome/response-head.ts';
import { parseHttpHead } from './parse-http-head.ts';
import { openRecord } from './read-member.ts';
import { parseRecordHead, recordHeadLength, type WarcRecordHead } from './read-warc.ts';
import type { RecordLocation } from './record-location.ts';
import type { ReadAt } from './scan-members.ts';

export interface ResponseHeads extends Pick<ResponseHead, 'httpStatus' | 'headers'> {
  readonly record: WarcRecordHead;
}

/** Almost every head is in the first bytes of its member. */
const FIRST_BYTES = 4096;
const MAX_FIRST_INFLATED = 256 * 1024;
/** The block of a record whose HTTP head is longer has none. */
const MAX_HEAD_BYTES = 1024 * 1024;

/**
 * Reads the WARC and HTTP heads of the response or revisit record at `location`. Throws `NotWarc` where no
 * record begins. An HTTP head of more than 1 MiB counts as empty, with status 0.
 */
export async function readHeads(
  read: ReadAt,
  { offset, length }: Pick<RecordLocation, 'offset' | 'length'>,
): Promise<ResponseHeads> {
  const start = inflateStart(await read(offset, Math.min(length, FIRST_BYTES)));
  const headLength = start && recordHeadLength(start);
  if (headLength !== undefined) {
    const record = parseRecordHead(start!.subarray(0, headLength), offset);
    const block = start!.subarray(headLength, headLength + record.blockLength);
    const httpLength = recordHeadLength(block);
    if (httpLength !== undefined) return { record, ...parseHttpHead(block.subarray(0, httpLength)) };
  }
  return readLongHeads(read, offset);
}

/** Undefined if the bytes begin no gzip member, or inflate to more than a head ever has. */
function inflateStart(bytes: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(bytes, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_FIRST_INFLATED,
    });
  } catch {
    return undefined;
  }
}

async function readLongHeads(read: ReadAt, offset: number): Promise<ResponseHeads> {
  const { record, block, close } = await openRecord(read, offset);
  try {
    let start: Uint8Array = new Uint8Array(0);
    for await (const chunk of block) {
      start = Buffer.concat([start, chunk]);
      const length = recordHeadLength(start);
      if (length !== undefined) return { record, ...parseHttpHead(start.subarray(0, length)) };
      if (start.length > MAX_HEAD_BYTES) break;
    }
    return { record, httpStatus: 0, headers: [] };
  } finally {
    await close();
  }
}
