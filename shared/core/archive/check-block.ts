/** Checks a record's block against the record's fields and, for HTTP, against the block's own head. */
import { createHash, type Hash } from 'node:crypto';
import { type NoteFault, quote } from './check-fields.ts';
import { createDechunker } from './dechunker.ts';
import { base32, type Digest, parseDigest } from './digest.ts';
import { fieldOf, recordHeadLength, type WarcRecordHead } from './read-warc.ts';
import { unreadCoding } from './replay-codings.ts';

export interface CheckedBlock {
  readonly record: WarcRecordHead;
  /** The block's beginning: at least its HTTP head, if it has one that is not too long. */
  readonly start: Uint8Array;
  /** All of the block. */
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * Reads the block once and notes its faults. Holds no more of it than a chunk. Returns the content coding of its
 * response, if common readers cannot decode it. Throws what `chunks` throws.
 */
export async function checkBlock(
  { record, start, chunks }: CheckedBlock,
  note: NoteFault,
): Promise<string | undefined> {
  const http = httpOf(record, start, note);
  const digests = [digestCheck(record, 'WARC-Block-Digest', 0)];
  const type = fieldOf(record, 'WARC-Type');
  // The digest of a revisit is that of the payload it refers to; its own block has none.
  if (type !== 'revisit') digests.push(digestCheck(record, 'WARC-Payload-Digest', http?.headLength ?? 0));
  const wanted = digests.filter((digest) => digest !== undefined);
  const entity = http?.isChunked ? chunkedEntity(record) : undefined;
  if (wanted.length > 0 || entity) {
    let at = 0;
    for await (const chunk of chunks) {
      for (const { hash, from } of wanted) hash.update(chunk.subarray(Math.max(0, from - at)));
      entity?.write(chunk.subarray(Math.max(0, http!.headLength - at)));
      at += chunk.length;
    }
  }
  const isCut = fieldOf(record, 'WARC-Truncated') !== undefined;
  if (entity && !entity.isWhole() && !isCut)
    note('error', 'HTTP Transfer-Encoding: expected a chunked body, got one that is not, or is cut');
  for (const { name, hash, said } of wanted) {
    const found = hash.digest();
    if (found.equals(said.bytes) || (name === 'WARC-Payload-Digest' && entity?.isDigest(said))) continue;
    const label = (bytes: Uint8Array) => `${said.algorithm}:${base32(bytes)}`;
    note('error', `${name}: expected ${label(found)}, got ${label(said.bytes)}`);
  }
  return type === 'response' ? unreadCoding(http?.coding ?? '') : undefined;
}

interface DigestCheck {
  readonly name: string;
  readonly said: Digest;
  readonly hash: Hash;
  /** Where in the block the bytes begin that it is of. */
  readonly from: number;
}

function digestCheck(record: WarcRecordHead, name: string, from: number): DigestCheck | undefined {
  const said = parseDigest(fieldOf(record, name) ?? '');
  return said && { name, said, hash: createHash(said.algorithm), from };
}

/** The body without its chunks, in which other writers keep it; its digest may be of either. */
function chunkedEntity(record: WarcRecordHead) {
  const said = parseDigest(fieldOf(record, 'WARC-Payload-Digest') ?? '');
  const hash = said && createHash(said.algorithm);
  const dechunker = createDechunker((bytes) => hash?.update(bytes));
  return {
    write: dechunker.write,
    isWhole: dechunker.isWhole,
    isDigest: ({ bytes }: Digest) => hash?.digest().equals(bytes) ?? false,
  };
}

interface HttpBlock {
  readonly headLength: number;
  readonly isChunked: boolean;
  readonly coding?: string | undefined;
}

/** The HTTP message in the block, its head checked; undefined where there is none. */
function httpOf(record: WarcRecordHead, start: Uint8Array, note: NoteFault): HttpBlock | undefined {
  const type = fieldOf(record, 'WARC-Type');
  const isHttp = /^application\/http\b/i.test(fieldOf(record, 'Content-Type') ?? '');
  if (!isHttp || (type !== 'response' && type !== 'request' && type !== 'revisit')) return undefined;
  // Section 6.7: a revisit may have no block. warcio keeps the type of the one that it left out.
  if (type === 'revisit' && record.blockLength === 0) return undefined;
  const found = recordHeadLength(start);
  if (found === undefined) note('error', "expected an empty line after the HTTP message's head");
  const headLength = found ?? record.blockLength;
  const [first = '', ...lines] = Buffer.from(start.subarray(0, headLength)).toString('latin1').split(/\r?\n/);
  if (type === 'request') {
    if (!/^\S+ \S+ HTTP\/\d/.test(first)) note('error', `expected an HTTP request line, got ${quote(first)}`);
    return { headLength, isChunked: false };
  }
  const status = /^HTTP\/\d(?:\.\d)? (\d{3})(?!\d)/.exec(first)?.[1];
  if (!status) note('error', `expected an HTTP status line, got ${quote(first)}`);
  const headerOf = (name: RegExp) =>
    lines
      .find((line) => name.test(line))
      ?.replace(/^[^:]*:\s*/, '')
      .trim();
  const isChunked = type === 'response' && /chunked/i.test(headerOf(/^transfer-encoding\s*:/i) ?? '');
  const size = record.blockLength - headLength;
  if (type === 'response' && !isChunked && !fieldOf(record, 'WARC-Truncated'))
    checkLength(headerOf(/^content-length\s*:/i), size, status ?? '', note);
  const coding = headerOf(/^content-encoding\s*:/i);
  if (!isChunked) checkCoding(coding, start.subarray(headLength), note);
  return { headLength, isChunked, coding };
}

function checkLength(said: string | undefined, size: number, status: string, note: NoteFault): void {
  if (said === undefined || said === String(size) || /^1|^204|^304/.test(status)) return;
  const message = `HTTP Content-Length: expected ${size}, the bytes stored, got ${quote(said)}`;
  // A response to HEAD has a length and no body; only the request could show that.
  note(size === 0 ? 'warning' : 'error', message);
}

/** Only by the first bytes: that a decoder would take them all is more than a WARC file promises. */
function checkCoding(coding: string | undefined, body: Uint8Array, note: NoteFault): void {
  const isGzip = body[0] === 0x1f && (body.length < 2 || body[1] === 0x8b);
  if (/^(?:x-)?gzip$/i.test(coding ?? '') && body.length > 0 && !isGzip)
    note('warning', 'HTTP Content-Encoding: expected gzip in the stored body, got something else');
}
