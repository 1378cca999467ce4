/** Records beside an archived page: after its response or revisit record, and its request record. */
import { fieldOf, NotWarc } from './read-warc.ts';
import type { RecordLocation } from './record-location.ts';
import { type ReadAt, type ScannedMember, scanMembers } from './scan-members.ts';

export interface BesideMetadata {
  /** WARC-Date. */
  readonly date: string;
  /** Its lines `name: value`, up to some 100 KB. */
  readonly block: string;
}

/** Nearly always, these bytes have both records. */
const FIRST_BYTES = 16 * 1024;
/** Reads of so few bytes are of a member's end. */
const END_BYTES = 64;

/** Undefined if the page has none, or it is broken. `location`: where the response or revisit is. */
export async function metadataBeside(
  read: ReadAt,
  url: string,
  location: Place,
): Promise<BesideMetadata | undefined> {
  const member = await memberBeside(read, url, location, 'metadata');
  const date = member && fieldOf(member.record, 'WARC-Date');
  return date === undefined ? undefined : { date, block: Buffer.from(member!.blockStart).toString('utf8') };
}

type Place = Pick<RecordLocation, 'offset' | 'length'>;

const BESIDE = ['request', 'metadata', 'conversion'];

/** Returns the page's first record of that type; undefined if it has none, or it is broken. */
export async function memberBeside(
  read: ReadAt,
  url: string,
  { offset, length }: Place,
  type: 'metadata' | 'conversion',
): Promise<ScannedMember | undefined> {
  const start = offset + length;
  const first = await read(start, FIRST_BYTES);
  const near: ReadAt = async (at, wanted) => {
    const known = first.subarray(at - start, at - start + wanted);
    // A scan may get fewer bytes than it requests, except at the end of a member.
    return known.length === wanted || (known.length > 0 && wanted > END_BYTES) ? known : read(at, wanted);
  };
  try {
    for await (const member of scanMembers(near, start)) {
      const found = fieldOf(member.record, 'WARC-Type') ?? '';
      if (fieldOf(member.record, 'WARC-Target-URI') !== url || !BESIDE.includes(found)) return undefined;
      if (found === type) return member;
      if (BESIDE.indexOf(found) > BESIDE.indexOf(type)) return undefined;
    }
  } catch (error) {
    // The bytes end somewhere in a record.
    if (!(error instanceof NotWarc)) throw error;
  }
  return undefined;
}
