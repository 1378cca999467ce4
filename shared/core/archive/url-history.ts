/** The captures of one URL, in the order of its visits. */
import { canonicalize } from '../url/canonical.ts';
import type { IndexedCapture } from './parse-cdxj-line.ts';
import { REVISIT } from './payload-reader.ts';

/**
 * `first`: the oldest. `changed`: other bytes than at the visit before. `same`: the same bytes. `notModified`: the
 * server says that it is unchanged (304).
 */
export type CaptureChange = 'first' | 'changed' | 'same' | 'notModified';

/** A visit of a URL. */
export interface UrlCapture {
  /** ISO 8601, UTC, to the second. */
  readonly time: string;
  readonly change: CaptureChange;
  /** HTTP status; 304 for `notModified`. */
  readonly httpStatus?: number | undefined;
  /** Payload digest: `sha1:` and Base32. */
  readonly digest?: string | undefined;
  /** Where its WARC record stands; offset and length in bytes. */
  readonly warcFile: string;
  readonly warcOffset: number;
  readonly warcLength: number;
}

/** Returns the captures that are of the URL, in the order of their times. `captures`: of its SURT at least. */
export function historyOf(url: string, captures: readonly IndexedCapture[]): UrlCapture[] {
  const canonical = canonicalize(url) ?? url;
  const own = captures.filter(
    ({ url: captured, method }) => method === undefined && (canonicalize(captured) ?? captured) === canonical,
  );
  own.sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.offset - b.offset));
  let before: IndexedCapture | undefined;
  return own.map((capture) => {
    const { timestamp, status, digest, file, offset, length } = capture;
    const change = changeSince(before, capture);
    before = capture;
    const httpStatus = change === 'notModified' ? 304 : status;
    const place = { warcFile: file, warcOffset: offset, warcLength: length };
    return { time: isoTime(timestamp), change, httpStatus, digest, ...place };
  });
}

function changeSince(before: IndexedCapture | undefined, capture: IndexedCapture): CaptureChange {
  // A revisit without a head of its own stands for a 304.
  if (capture.mime === REVISIT && capture.status === undefined) return 'notModified';
  if (before === undefined) return 'first';
  return before.digest !== undefined && before.digest === capture.digest ? 'same' : 'changed';
}

/** `timestamp`: `YYYYMMDDhhmmss`, or the beginning of that. */
function isoTime(timestamp: string): string {
  const t = timestamp + '00000101000000'.slice(timestamp.length);
  return `${t.slice(0, 4)}-${t.slice(4, 6)}-${t.slice(6, 8)}T${t.slice(8, 10)}:${t.slice(10, 12)}:${t.slice(12, 14)}Z`;
}
