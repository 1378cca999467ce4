/** The metadata record beside an archived page: after its response or revisit record, and its request record. */
import { fieldOf, NotWarc } from './read-warc.ts';
import type { RecordLocation } from './record-location.ts';
import { type ReadAt, scanMembers } from './scan-members.ts';

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
  { offset, length }: Pick<RecordLocation, 'offset' | 'length'>,
): Promise<BesideMetadata | undefined> {
  const start = offset + length;
  const first = await read(start, FIRST_BYTES);
  const near: ReadAt = async (at, wanted) => {
    const known = first.subarray(at - start, at - start + wanted);
    // A scan may get fewer bytes than it requests, except at the end of a member.
    return known.length === wanted || (known.length > 0 && wanted > END_BYTES) ? known : read(at, wanted);
  };
  try {
    for await (const { record, blockStart } of scanMembers(near, start)) {
      const type = fieldOf(record, 'WARC-Type');
      const date = fieldOf(record, 'WARC-Date');
      if (fieldOf(record, 'WARC-Target-URI') !== url || (type !== 'request' && type !== 'metadata'))
        return undefined;
      if (type === 'metadata' && date !== undefined)
        return { date, block: Buffer.from(blockStart).toString('utf8') };
    }
  } catch (error) {
    // The bytes end somewhere in a record.
    if (!(error instanceof NotWarc)) throw error;
  }
  return undefined;
}
