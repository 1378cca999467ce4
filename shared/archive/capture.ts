/** An HTTP exchange as two WARC records: the response, then the request that it answers. */
import { createHash, hash } from 'node:crypto';
import type { Body, FetchedResponse, WarcMember } from '../ports.ts';
import { sha1Label } from './digest.ts';
import { bodyPacking, storedResponseHead } from './http-head.ts';
import { encodeRecord, encodeRecordStream, recordId, type WarcFields, warcDate } from './warc-record.ts';

/** Larger bodies pass through, as a stream: to bound memory, and the time that compressing holds the event loop. */
const MAX_INLINE_BYTES = 256 * 1024;

export interface CaptureOptions {
  /**
   * The warcinfo record's id, for WARC-Warcinfo-ID. Only needed where the file does not begin with that record: it
   * applies to all records after it.
   */
  readonly warcinfoId?: string;
  /** What the payload was found to be, whatever Content-Type says: a media type. */
  readonly identifiedPayloadType?: string;
  /** Makes record ids; random UUIDs unless given. */
  readonly newId?: () => string;
}

export interface EncodedCapture {
  /** The response (the member that a location should name), then the request. To be appended together. */
  readonly members: readonly [response: WarcMember, request: WarcMember];
  readonly responseId: string;
  readonly requestId: string;
  /** WARC-Date of both: when the request was begun. */
  readonly date: string;
  /** `sha1:` and base32, of the body as stored. */
  readonly payloadDigest: string;
}

/**
 * Encodes the exchange. A large body is read twice, here for its digest and again while its member is iterated: keep
 * it until the members are appended.
 */
export async function encodeCapture(
  capture: FetchedResponse,
  options: CaptureOptions = {},
): Promise<EncodedCapture> {
  const newId = options.newId ?? recordId;
  const responseId = newId();
  const requestId = newId();
  const date = warcDate(capture.startedAt);
  const payloadDigest = sha1Label(capture.body.sha1);
  const common = {
    'WARC-Date': date,
    'WARC-Target-URI': targetUri(capture.url),
    // A zone (RFC 4007 section 11) names an interface of this machine and is no part of the address.
    'WARC-IP-Address': capture.ipAddress.replace(/%.*/s, ''),
    'WARC-Warcinfo-ID': options.warcinfoId,
  };
  const response = await encodeResponse(capture, {
    ...common,
    'WARC-Type': 'response',
    'WARC-Record-ID': responseId,
    'WARC-Concurrent-To': requestId,
    'WARC-Truncated': capture.truncated,
    'WARC-Identified-Payload-Type': options.identifiedPayloadType,
    'WARC-Payload-Digest': payloadDigest,
    'Content-Type': 'application/http;msgtype=response',
  });
  const request = encodeRecord(
    {
      ...common,
      'WARC-Type': 'request',
      'WARC-Record-ID': requestId,
      'WARC-Concurrent-To': responseId,
      'WARC-Block-Digest': sha1Label(hash('sha1', capture.requestHead, 'buffer')),
      'Content-Type': 'application/http;msgtype=request',
    },
    capture.requestHead,
  );
  return { members: [response, request], responseId, requestId, date, payloadDigest };
}

async function encodeResponse(capture: FetchedResponse, fields: WarcFields): Promise<WarcMember> {
  const { body, httpStatus } = capture;
  const isNone = httpStatus < 200 || httpStatus === 204 || httpStatus === 304 || isHead(capture.requestHead);
  const head = storedResponseHead(capture, { size: body.size, isNone });
  const packing = bodyPacking(capture.headers);
  if (body.size > MAX_INLINE_BYTES) {
    const withDigest = { ...fields, 'WARC-Block-Digest': sha1Label(await blockSha1(head, body)) };
    return encodeRecordStream(withDigest, head, body.chunks(), body.size, packing);
  }
  const bytes = await body.bytes();
  if (bytes.length !== body.size)
    throw new Error(`Expected a body of ${body.size} bytes, got ${bytes.length}`);
  const digest = createHash('sha1').update(head).update(bytes).digest();
  return encodeRecord({ ...fields, 'WARC-Block-Digest': sha1Label(digest) }, head, bytes, packing);
}

async function blockSha1(head: Uint8Array, body: Body): Promise<Uint8Array> {
  const digest = createHash('sha1').update(head);
  for await (const chunk of body.chunks()) digest.update(chunk);
  return digest.digest();
}

function isHead(requestHead: Uint8Array): boolean {
  return Buffer.from(requestHead.subarray(0, 5)).toString('latin1') === 'HEAD ';
}

/** A URI has no white space and no control characters (RFC 3986 section 2); canonical URLs never do. */
function targetUri(url: string): string {
  return url.replace(/[\s\p{Cc}]/gu, encodeURIComponent);
}
