/** Writes a WARC 1.1 record (ISO 28500:2017, sections 4 to 6) as one gzip member (annex D). */
import { isoTime } from '../base/iso-time.ts';
import type { Body } from '../outcome/body.ts';
import { gzipMember, gzipMemberStream, type Packing } from './gzip-member.ts';

/** The fields that we write, in the order in which they are written. Content-Length follows them. */
const FIELD_ORDER = [
  'WARC-Type',
  'WARC-Record-ID',
  'WARC-Date',
  'WARC-Target-URI',
  'WARC-IP-Address',
  'WARC-Protocol',
  'WARC-Cipher-Suite',
  'WARC-Concurrent-To',
  'WARC-Warcinfo-ID',
  'WARC-Filename',
  'WARC-Profile',
  'WARC-Refers-To',
  'WARC-Refers-To-Target-URI',
  'WARC-Refers-To-Date',
  'WARC-Truncated',
  'WARC-Identified-Payload-Type',
  'WARC-Payload-Digest',
  'WARC-Block-Digest',
  'Content-Type',
] as const;

type Repeated = 'WARC-Protocol' | 'WARC-Concurrent-To';

const MANDATORY = ['WARC-Type', 'WARC-Record-ID', 'WARC-Date'] as const;

/** A record's named fields. A field that is undefined or empty is left out; a field with several values is repeated. */
export type WarcFields = {
  readonly [name in Exclude<(typeof FIELD_ORDER)[number], Repeated>]?: string | undefined;
} & { readonly [name in Repeated]?: readonly string[] | undefined } & {
  readonly [name in (typeof MANDATORY)[number]]: string;
};

const RECORD_END = Buffer.from('\r\n\r\n');
const NOTHING = new Uint8Array(0);

/** Returns a WARC-Record-ID: `<urn:uuid:...>`. */
export function recordId(uuid: string): string {
  return `<urn:uuid:${uuid}>`;
}

/** `YYYY-MM-DDThh:mm:ss.sssZ` of a time in ms since the epoch (section 5.4). */
export const warcDate = isoTime;

/**
 * The record with block `text + body` as one gzip member, in pieces. `packing`: `store` for a body that is
 * compressed already, and for a record of a few hundred bytes.
 */
export function encodeRecord(
  fields: WarcFields,
  text: Uint8Array,
  body: Uint8Array = NOTHING,
  packing: Packing = 'deflate',
): Uint8Array[] {
  const head = recordHead(fields, text.length + body.length);
  return gzipMember({ head, text, body, tail: RECORD_END }, packing);
}

/**
 * As above, for a body that is not held in memory: its `size` bytes are read once. Throws, in the midst of the
 * member, if the body has more or fewer.
 */
export function encodeRecordStream(
  fields: WarcFields,
  text: Uint8Array,
  body: Pick<Body, 'size' | 'chunks'>,
  packing: Packing = 'deflate',
): AsyncIterable<Uint8Array> {
  const head = Buffer.concat([Buffer.from(recordHead(fields, text.length + body.size)), text]);
  return gzipMemberStream(head, ofSize(body), RECORD_END, packing);
}

/** Version line, named fields, empty line. */
function recordHead(fields: WarcFields, blockSize: number): string {
  let head = 'WARC/1.1\r\n';
  for (const name of FIELD_ORDER) {
    const value = fields[name];
    if (typeof value === 'string' && value) head += `${name}: ${fieldValue(value)}\r\n`;
    else if (value) for (const one of value) head += `${name}: ${fieldValue(one)}\r\n`;
  }
  return `${head}Content-Length: ${blockSize}\r\n\r\n`;
}

/**
 * A block of `application/warc-fields` ends with a blank line (section 4: `warc-fields = *named-field CRLF`). Without it
 * webarchive-commons, which Heritrix and Common Crawl use, leaves the last field out.
 */
export const END_OF_FIELDS = '\r\n';

/**
 * No control character can be in a field (section 4): one taken from the web becomes a space, never a new
 * line.
 */
export function fieldValue(value: string): string {
  // Nearly all are plain: a look is cheaper than a copy.
  return /^[!-~](?:[ -~]*[!-~])?$/.test(value) ? value : value.replace(/\p{Cc}+/gu, ' ').trim();
}

async function* ofSize(body: Pick<Body, 'size' | 'chunks'>): AsyncGenerator<Uint8Array> {
  const { size } = body;
  let got = 0;
  for await (const chunk of body.chunks()) {
    got += chunk.length;
    if (got > size) break;
    yield chunk;
  }
  if (got !== size) throw new Error(`Expected a body of ${size} bytes, got ${got > size ? 'more' : got}`);
}
