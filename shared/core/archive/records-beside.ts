/** Records beside an archived page: after its response or revisit record, and its request record. */
import { constants, gunzipSync } from 'node:zlib';
import {
  fieldOf,
  isPlainRecord,
  MAX_RECORD_HEAD,
  NotWarc,
  parseRecordHead,
  RECORD_END,
  recordHeadLength,
  type WarcRecordHead,
} from './read-warc.ts';
import type { RecordLocation } from './record-location.ts';
import { type ReadAt, type ScannedMember, scanMembers } from './scan-members.ts';

export interface BesideMetadata {
  /** WARC-Date. */
  readonly date: string;
  /** Its lines `name: value`, up to some 100 KB. */
  readonly block: string;
}

/** Nearly always, these bytes have both records. */
export const BESIDE_BYTES = 16 * 1024;
/** They nearly always reach to the record after the page's own. */
const GLANCE_BYTES = 2 * 1024;
/** Compressed bytes that have the head of a record: of most, of one with a long URL. The fewer, the fewer are damaged. */
const HEAD_BYTES = [512, 2048];
/** Reads of so few bytes are of a member's end. */
const END_BYTES = 64;

/** Undefined if the page has none, or it is broken. `location`: where the response or revisit is. */
export async function metadataBeside(
  read: ReadAt,
  url: string,
  location: Place,
): Promise<BesideMetadata | undefined> {
  const member = await memberBeside(read, url, location, 'metadata').catch(noneIfDamaged);
  const date = member && fieldOf(member.record, 'WARC-Date');
  return date === undefined ? undefined : { date, block: Buffer.from(member!.blockStart).toString('utf8') };
}

export function noneIfDamaged(error: unknown): undefined {
  if (!(error instanceof NotWarc)) throw error;
}

type Place = Pick<RecordLocation, 'offset' | 'length'>;

const BESIDE = ['request', 'metadata', 'conversion'];

/**
 * Returns the page's first record of that type. Undefined if it has none, or a record before it is broken; throws
 * {@link NotWarc} if it is broken itself.
 */
export async function memberBeside(
  read: ReadAt,
  url: string,
  { offset, length }: Place,
  type: 'metadata' | 'conversion',
): Promise<ScannedMember | undefined> {
  const start = offset + length;
  const first = await read(start, BESIDE_BYTES);
  const near: ReadAt = async (at, wanted) => {
    const known = first.subarray(at - start, at - start + wanted);
    // A scan may get fewer bytes than it requests, except at the end of a member.
    const isEnough = known.length === wanted || (known.length > 0 && wanted > END_BYTES);
    return isEnough || first.length < BESIDE_BYTES ? known : read(at, wanted);
  };
  const typeOf = (record: WarcRecordHead | undefined) =>
    record && fieldOf(record, 'WARC-Target-URI') === url ? (fieldOf(record, 'WARC-Type') ?? '') : undefined;
  const mayFollow = (found = '') => BESIDE.includes(found) && BESIDE.indexOf(found) <= BESIDE.indexOf(type);
  // Most pages have no conversion, and the record after theirs is often large: it is not read to its end.
  if (type === 'conversion')
    for (const head of headsIn(first.subarray(0, GLANCE_BYTES))) {
      if (typeOf(head) === type) break;
      if (!mayFollow(typeOf(head))) return undefined;
    }
  for (let at = start; ; ) {
    let member: ScannedMember | undefined;
    try {
      member = await memberAt(near, at);
    } catch (error) {
      if (!(error instanceof NotWarc) || typeOf(headIn(first.subarray(at - start))) === type) throw error;
      // The bytes end somewhere in a record.
      return undefined;
    }
    const found = typeOf(member?.record);
    if (!member || found === type) return member;
    if (!mayFollow(found)) return undefined;
    at += member.length;
  }
}

/** Undefined at the end of the file. */
async function memberAt(read: ReadAt, offset: number): Promise<ScannedMember | undefined> {
  for await (const member of scanMembers(read, offset)) return member;
  return undefined;
}

/** The head of the record that begins there; undefined if the first bytes do not have all of it, or are damaged. */
function headIn(bytes: Uint8Array): WarcRecordHead | undefined {
  for (const size of HEAD_BYTES) for (const head of headsIn(bytes.subarray(0, size))) return head;
  return undefined;
}

/** Yields the heads of the records that begin there, as far as all that is before them is whole. */
function* headsIn(bytes: Uint8Array): Generator<WarcRecordHead> {
  const start = startOf(bytes);
  for (let at = 0; start && at < start.length; ) {
    const length = recordHeadLength(start.subarray(at));
    if (length === undefined) return;
    let head: WarcRecordHead;
    try {
      head = parseRecordHead(start.subarray(at, at + length));
    } catch {
      return;
    }
    yield head;
    at += length + head.blockLength + RECORD_END.length;
  }
}

/** Inflates all members by one call of zlib: each call takes 0.1 ms. Undefined if one is damaged. */
function startOf(bytes: Uint8Array): Uint8Array | undefined {
  if (isPlainRecord(bytes)) return bytes;
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_RECORD_HEAD });
  } catch {
    return undefined;
  }
}
