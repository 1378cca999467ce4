import type { ArchivedPayload } from './archived-payload.ts';
import { parseDigest, sha1Label } from './digest.ts';
import type { ResponseHeads } from './read-heads.ts';
import { fieldOf } from './read-warc.ts';

/**
 * Where the payload of an archived response or revisit stands: in itself, or in the record that it refers to. Undefined if
 * that is not the payload of this SHA-1 (20 bytes), or none that a revisit may refer to (`isRevisitable` of `capture.ts`).
 */
export function originalOf(
  { record, httpStatus }: Pick<ResponseHeads, 'record' | 'httpStatus'>,
  sha1: Uint8Array,
): ArchivedPayload | undefined {
  const said = parseDigest(fieldOf(record, 'WARC-Payload-Digest') ?? '');
  if (said?.algorithm !== 'sha1' || sha1Label(said.bytes) !== sha1Label(sha1)) return undefined;
  const isRevisit = fieldOf(record, 'WARC-Type') === 'revisit';
  if (!isRevisit && !isWhole(record, httpStatus)) return undefined;
  const refersTo = isRevisit ? 'WARC-Refers-To' : undefined;
  const url = fieldOf(record, refersTo ? `${refersTo}-Target-URI` : 'WARC-Target-URI');
  const date = fieldOf(record, refersTo ? `${refersTo}-Date` : 'WARC-Date');
  const recordId = fieldOf(record, refersTo ?? 'WARC-Record-ID');
  if (url === undefined || date === undefined) return undefined;
  return { url, date, ...(recordId !== undefined && { recordId }) };
}

function isWhole(record: ResponseHeads['record'], httpStatus: number): boolean {
  const isOther = (httpStatus >= 300 && httpStatus < 400) || httpStatus === 206;
  return (
    fieldOf(record, 'WARC-Type') === 'response' &&
    fieldOf(record, 'WARC-Truncated') === undefined &&
    httpStatus > 0 &&
    !isOther
  );
}
