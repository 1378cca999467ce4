/**
 * CDXJ: the sorted text index of WARC files that replay tools look URLs up in. Each capture has one line (a response or
 * revisit record): `SURT TIMESTAMP {"url": ..., "mime": ..., "status": ..., "digest": ..., "length": ..., "offset":
 * ..., "filename": ...}`, all values strings, in ASCII; fields that a record does not have are left out. What answers a
 * POST, or a request of another method with a body, has a key and the fields `requestBody` and `method` of its own
 * (`request-query.ts`). Byte for byte what cdxj-indexer writes with `-p --sort`, for heads of up to 256 KB, and POST
 * and PUT; but responses in a content coding that common readers cannot decode have a further field, `encoding`.
 */
import { fieldOf, MAX_RECORD_HEAD, recordHeadLength, type WarcRecordHead } from './read-warc.ts';
import { unreadCoding } from './replay-codings.ts';
import { keyedUrl, requestQuery } from './request-query.ts';
import { type ReadAt, type ScannedMember, scanMembers } from './scan-members.ts';
import { surt } from './surt.ts';
import { fieldValue, type WarcFields } from './warc-record.ts';

/** A capture as it stands in its file: a line of an index but for its end, which says where. */
export interface Capture {
  /**
   * `SURT TIMESTAMP {"url": ..., ... "digest": ...`; after a line feed the fields after the location, if any:
   * `, "requestBody": ..., "method": ...`.
   */
  readonly lineStart: string;
  /** Offset and length of the gzip member in bytes. */
  readonly offset: number;
  readonly length: number;
}

/**
 * The captures of a WARC file, every member of which is checked ({@link scanMembers}). `read` is called at
 * most about a megabyte before where it was called last. `start`: where a member begins, from which on to read.
 */
export async function* scanCaptures(read: ReadAt, start = 0): AsyncGenerator<Capture> {
  const pairs = createCapturePairs();
  for await (const member of scanMembers(read, start)) {
    const capture = pairs.add(member);
    if (capture) yield capture;
  }
  const last = pairs.end();
  if (last) yield last;
}

/** Finds the captures among members that come one after the other: a response is one together with its request beside it. */
export function createCapturePairs() {
  let before: ScannedMember | undefined;
  const end = (): Capture | undefined => {
    const capture = before && captureOf(before);
    before = undefined;
    return capture;
  };
  return {
    /** Returns the capture that is complete with this member. */
    add(member: ScannedMember): Capture | undefined {
      if (before && areBeside(before, member)) {
        const [response, request] = isCapture(before.record) ? [before, member] : [member, before];
        before = undefined;
        return captureOf(response, request);
      }
      const capture = end();
      before = member;
      return capture;
    },
    end,
  };
}

function areBeside(first: ScannedMember, second: ScannedMember): boolean {
  const types = [first, second].map(({ record }) => fieldOf(record, 'WARC-Type')).sort();
  return (
    types[0] === 'request' &&
    types[1] === 'response' &&
    fieldOf(second.record, 'WARC-Concurrent-To') === fieldOf(first.record, 'WARC-Record-ID') &&
    fieldOf(second.record, 'WARC-Target-URI') === fieldOf(first.record, 'WARC-Target-URI')
  );
}

/** The capture that a member of a WARC file holds. */
const captureOf = (
  { record, offset, length, blockStart }: ScannedMember,
  request?: ScannedMember,
): Capture | undefined =>
  isCapture(record)
    ? { lineStart: lineStartOf(record, blockStart, request?.blockStart), offset, length }
    : undefined;

/**
 * The line of the capture in a file of that name, in which its own file begins at `base`. Ends with a line
 * feed.
 */
export function cdxjLine({ lineStart, offset, length }: Capture, file: string, base = 0): string {
  const lineFeed = lineStart.indexOf('\n');
  const start = lineFeed < 0 ? lineStart : lineStart.slice(0, lineFeed);
  const end = lineFeed < 0 ? '' : lineStart.slice(lineFeed + 1);
  return `${start}, "length": "${length}", "offset": "${base + offset}", "filename": ${jsonText(file)}${end}}\n`;
}

export function isCapture(record: WarcRecordHead): boolean {
  const type = fieldOf(record, 'WARC-Type');
  return (type === 'response' || type === 'revisit') && fieldOf(record, 'WARC-Target-URI') !== undefined;
}

function lineStartOf(record: WarcRecordHead, blockStart: Uint8Array, request?: Uint8Array): string {
  const isHttp = /^application\/http\b/i.test(fieldOf(record, 'Content-Type') ?? '');
  return lineStart((name) => fieldOf(record, name), isHttp ? summarizeHttp(blockStart) : {}, request);
}

/**
 * Returns the beginning of the line of a response or revisit, made together with the record: the same as
 * {@link scanCaptures} will find in it. `httpHead`: the beginning of its block. `request`: the block of its request.
 */
export function captureLineStart(fields: WarcFields, httpHead: Uint8Array, request?: Uint8Array): string {
  const written = (name: FieldName) => fields[name] && fieldValue(fields[name]).toWellFormed();
  const head = summarizeHttp(httpHead.subarray(0, MAX_RECORD_HEAD));
  return lineStart(written, head, request?.subarray(0, MAX_RECORD_HEAD));
}

type FieldName = 'WARC-Type' | 'WARC-Target-URI' | 'WARC-Date' | 'WARC-Payload-Digest';

function lineStart(
  field: (name: FieldName) => string | undefined,
  http: HttpSummary,
  request: Uint8Array | undefined,
): string {
  const url = field('WARC-Target-URI')!.replace(/^<(.*)>$/, '$1');
  const mime = field('WARC-Type') === 'revisit' ? 'warc/revisit' : http.mime;
  const asked = request && requestQuery(request);
  const key = surt(asked ? keyedUrl(url, asked) : url);
  let line = `${key} ${timestamp(field('WARC-Date') ?? '')} {"url": ${jsonText(url)}`;
  if (mime !== undefined) line += `, "mime": ${jsonText(mime)}`;
  if (http.status !== undefined) line += `, "status": "${http.status}"`;
  const digest = field('WARC-Payload-Digest');
  if (digest !== undefined) line += `, "digest": ${jsonText(digest)}`;
  const coding = http.encoding === undefined ? undefined : unreadCoding(http.encoding);
  if (coding !== undefined && mime !== 'warc/revisit') line += `, "encoding": "${coding}"`;
  return asked ? `${line}\n, "requestBody": ${jsonText(asked.query)}, "method": "${asked.method}"` : line;
}

/** `YYYYMMDDhhmmss` of a WARC-Date, which may end after any of its parts (ISO 28500:2017, section 5.4). */
function timestamp(date: string): string {
  if (FULL_DATE.test(date))
    return (
      date.slice(0, 4) +
      date.slice(5, 7) +
      date.slice(8, 10) +
      date.slice(11, 13) +
      date.slice(14, 16) +
      date.slice(17, 19)
    );
  const digits = date.replace(/\D/g, '').slice(0, 14);
  return digits + '00000101000000'.slice(digits.length);
}

const FULL_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

function jsonText(text: string): string {
  if (PLAIN_TEXT.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Stands in JSON as it is. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

interface HttpSummary {
  readonly status?: string | undefined;
  readonly mime?: string | undefined;
  readonly encoding?: string | undefined;
}

/**
 * Reads the HTTP response's head at the beginning of the block, as far as it is given; empty for other text.
 */
function summarizeHttp(blockStart: Uint8Array): HttpSummary {
  const length = recordHeadLength(blockStart) ?? blockStart.length;
  const head = Buffer.from(blockStart.buffer, blockStart.byteOffset, length).toString('latin1');
  const status = /^HTTP\/\S+ +(\d{3})(?!\S)/.exec(head)?.[1];
  const mime = /\ncontent-type:[^\S\n]*([^;\s]*)/i.exec(head)?.[1];
  return { status, mime, encoding: /\ncontent-encoding:[^\S\n]*([^\r\n]*)/i.exec(head)?.[1] };
}
