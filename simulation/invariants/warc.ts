/** A simple reader of WARC records, of the tests' own: one gzip member, one response. */
import { hash } from 'node:crypto';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';

export interface WarcResponse {
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly httpStatus: number;
  /** SHA-1 of the body, hex. */
  readonly sha1: string;
  /** A revisit has the body of another record, which must be in the archive. */
  readonly isRevisit: boolean;
}

/** Throws an error that says what the bytes lack, unless they are one gzip member of one response or revisit record. */
export function readWarcResponse(member: Uint8Array): WarcResponse {
  const record = gunzipMember(member);
  const headEnd = record.indexOf('\r\n\r\n');
  const [version, ...lines] = record.subarray(0, headEnd).toString('utf8').split('\r\n');
  expect('the version line', version, 'WARC/1.1');
  const fields = fieldsOf(lines);
  const isRevisit = fields.get('warc-type') === 'revisit';
  if (!isRevisit) expect('WARC-Type', fields.get('warc-type'), 'response');
  const block = record.subarray(headEnd + 4, record.length - 4);
  expect('Content-Length', fields.get('content-length'), String(block.length));
  expect('the end', record.subarray(-4).toString('latin1'), '\r\n\r\n');
  const bodyAt = block.indexOf('\r\n\r\n') + 4;
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(block.subarray(0, bodyAt).toString('latin1'))?.[1];
  if (isRevisit) {
    expect('the length of a revisit', block.length, bodyAt);
    const sha1 = fromBase32(fields.get('warc-payload-digest')?.slice('sha1:'.length) ?? '');
    return { fields, httpStatus: Number(status), sha1, isRevisit };
  }
  const sha1 = hash('sha1', block.subarray(bodyAt), 'hex');
  expect('WARC-Payload-Digest', fields.get('warc-payload-digest'), `sha1:${base32(sha1)}`);
  return { fields, httpStatus: Number(status), sha1, isRevisit };
}

/** A record by which a revisit refers to it: its URL, date and payload. */
export const recordKey = (fields: WarcFields, uri: string, date: string): string =>
  `${fields.get(uri)} ${fields.get(date)} ${fields.get('warc-payload-digest')}`;

/** The responses in the WARC files, by {@link recordKey}. A file that is damaged has none: its records are found by their places. */
export function archivedResponses(files: ReadonlyMap<string, Uint8Array>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const [name, bytes] of files) {
    if (!name.endsWith('.warc.gz')) continue;
    for (const fields of recordsIn(bytes))
      if (fields.get('warc-type') === 'response') keys.add(recordKey(fields, 'warc-target-uri', 'warc-date'));
  }
  return keys;
}

interface Archived {
  readonly id: string;
  readonly dedupeFrom?: string | undefined;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The responses that revisits of the crawl may refer to, by {@link recordKey}: its own, and those of the earlier crawl. */
export function responsesFor(crawl: Archived, crawls: readonly Archived[]): ReadonlySet<string> {
  const own = archivedResponses(crawl.files);
  const earlier = crawls.find(({ id }) => id === crawl.dedupeFrom);
  return earlier ? new Set([...own, ...responsesFor(earlier, crawls)]) : own;
}

/** The records of a file; none if it is damaged. */
export function recordsIn(bytes: Uint8Array): readonly WarcFields[] {
  try {
    return readWarcRecords(gunzipSync(bytes));
  } catch {
    return [];
  }
}

/** The record that a revisit refers to. */
export const originalOf = (fields: WarcFields): string =>
  recordKey(fields, 'warc-refers-to-target-uri', 'warc-refers-to-date');

/** The named fields of a record, by lower-case name; with `http-status`, the status of a response. */
export type WarcFields = ReadonlyMap<string, string>;

/** Returns the fields of all records that are in the bytes one after another. Throws where there is none. */
export function readWarcRecords(bytes: Buffer): WarcFields[] {
  const found: WarcFields[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    const [version, ...lines] = bytes.subarray(at, headEnd).toString('utf8').split('\r\n');
    expect('the version line', version, 'WARC/1.1');
    const fields = fieldsOf(lines);
    const blockAt = headEnd + 4;
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(bytes.subarray(blockAt, blockAt + 20).toString('latin1'))?.[1];
    found.push(status === undefined ? fields : new Map([...fields, ['http-status', status]]));
    at = blockAt + Number(fields.get('content-length')) + 4;
  }
  return found;
}

const fieldsOf = (lines: readonly string[]): WarcFields =>
  new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );

/** RFC 1952. A member that has optional fields is not one of ours. */
function gunzipMember(member: Uint8Array): Buffer {
  if (member[0] !== 0x1f || member[1] !== 0x8b || member[2] !== 8 || member[3] !== 0)
    throw new Error(`a gzip member begins with 1f8b0800, these bytes with ${toHex(member.subarray(0, 4))}`);
  const { buffer, engine } = inflateRawSync(member.subarray(10), { info: true }) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
  const end = 10 + engine.bytesWritten;
  expect('the length of the gzip member', member.length, end + 8);
  const trailer = new DataView(member.buffer, member.byteOffset + end, 8);
  expect('CRC-32', trailer.getUint32(0, true), crc32(buffer));
  expect('the size within', trailer.getUint32(4, true), buffer.length);
  return buffer;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The 20 bytes in hex. */
export function fromBase32(text: string): string {
  let bits = 0n;
  for (const digit of text) bits = bits * 32n + BigInt(ALPHABET.indexOf(digit));
  return bits.toString(16).padStart(40, '0');
}

/** RFC 4648, section 6, of the 20 bytes of a SHA-1. */
export function base32(sha1: string): string {
  const digits = BigInt(`0x${sha1}`).toString(32).padStart(32, '0');
  return digits.replace(/./g, (digit) => ALPHABET[Number.parseInt(digit, 32)] as string);
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function expect(what: string, got: string | number | undefined, expected: string | number): void {
  if (got !== expected) throw new Error(`expected ${what} to be ${expected}, got ${got}`);
}
