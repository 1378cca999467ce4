/** The captures of one URL, in the order of its visits. */
import { isMarkdownType } from '../parser/whole-types.ts';
import { canonicalPage } from '../url/hash-route.ts';
import type { IndexedCapture } from './parse-cdxj-line.ts';
import { REVISIT } from './payload-reader.ts';
import type { RecordLocation } from './record-location.ts';

/**
 * `first`: the oldest. `changed`: other bytes than at the visit before of this form. `same`: the same bytes. `notModified`: the
 * server says that it is unchanged (304). `otherForm`: the first as Markdown after HTML, or as HTML after Markdown.
 */
export type CaptureChange = 'first' | 'changed' | 'same' | 'notModified' | 'otherForm';

/** A visit of a URL. */
export interface UrlCapture {
  /** ISO 8601, UTC, to the second. */
  readonly time: string;
  readonly change: CaptureChange;
  /** `markdown`: a page that its server sends as HTML, too. */
  readonly form?: 'markdown';
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
  const canonical = canonicalPage(url) ?? url;
  const own = captures.filter(
    ({ url: captured, method }) =>
      method === undefined && (canonicalPage(captured) ?? captured) === canonical,
  );
  own.sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.offset - b.offset));
  const before: Partial<Record<Form, IndexedCapture>> = {};
  let form: Form = 'other';
  return own.map((capture) => {
    const { timestamp, status, digest, mime, file, offset, length } = capture;
    // A revisit has the type of the visit before.
    if (mime !== REVISIT) form = isMarkdownType(mime) ? 'markdown' : 'other';
    const change = changeSince(before, form, capture);
    before[form] = capture;
    const httpStatus = change === 'notModified' ? 304 : status;
    const place = { warcFile: file, warcOffset: offset, warcLength: length };
    const shown = form === 'markdown' && { form };
    return { time: isoTime(timestamp), change, ...shown, httpStatus, digest, ...place };
  });
}

const OWN_BODY: ReadonlySet<CaptureChange> = new Set(['first', 'changed', 'otherForm']);

/** The visit whose record has the body that `visit` found: one that has found the same has none of its own. */
export function visitWithBody(visits: readonly UrlCapture[], visit: UrlCapture): UrlCapture {
  const until = visits.slice(0, visits.indexOf(visit) + 1);
  return until.findLast(({ change, form }) => OWN_BODY.has(change) && form === visit.form) ?? visit;
}

/** The last visit until a time; the first one if all are later. */
export const visitAt = (visits: readonly UrlCapture[], time: Date): UrlCapture | undefined =>
  visits.findLast((visit) => Date.parse(visit.time) <= time.getTime()) ?? visits[0];

export const locationOf = ({ warcFile, warcOffset, warcLength }: UrlCapture): RecordLocation => ({
  file: warcFile,
  offset: warcOffset,
  length: warcLength,
});

/** A page as Markdown is not a version of the page as HTML: each is compared with the last one of its own form. */
type Form = 'markdown' | 'other';

function changeSince(
  before: Partial<Record<Form, IndexedCapture>>,
  form: Form,
  capture: IndexedCapture,
): CaptureChange {
  // A revisit without a head of its own stands for a 304.
  if (capture.mime === REVISIT && capture.status === undefined) return 'notModified';
  const last = before[form];
  if (last === undefined) return Object.keys(before).length === 0 ? 'first' : 'otherForm';
  return last.digest !== undefined && last.digest === capture.digest ? 'same' : 'changed';
}

/** `timestamp`: `YYYYMMDDhhmmss`, or the beginning of that. */
function isoTime(timestamp: string): string {
  const t = timestamp + '00000101000000'.slice(timestamp.length);
  return `${t.slice(0, 4)}-${t.slice(4, 6)}-${t.slice(6, 8)}T${t.slice(8, 10)}:${t.slice(10, 12)}:${t.slice(12, 14)}Z`;
}
