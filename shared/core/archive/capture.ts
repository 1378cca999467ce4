/**
 * An HTTP exchange as two WARC records: the response, or a revisit of one that is archived, then the request.
 */
import { createHash } from 'node:crypto';
import type { Body } from '../outcome/body.ts';
import type { FetchedResponse } from '../outcome/fetch-outcome.ts';
import type { ArchivedPayload, NewPayload, RevisitedPayload } from './archived-payload.ts';
import { captureLineStart } from './cdxj.ts';
import { sha1Label, sha1LabelOf } from './digest.ts';
import { bodyPacking, storedResponseHead } from './http-head.ts';
import type { WarcMember } from './warc-member.ts';
import { encodeRecord, encodeRecordStream, type WarcFields, warcDate } from './warc-record.ts';

/**
 * Larger bodies pass through, as a stream: to bound memory, and the time that compressing holds the event
 * loop.
 */
const MAX_INLINE_BYTES = 256 * 1024;

/** How records are made. */
export interface RecordOptions {
  /** Returns a new WARC-Record-ID, which no other record has (`recordId`). */
  readonly newId: () => string;
  /**
   * Runs the reading of a large body for its digest. Bounds how many are read at once: of a thousand bodies
   * that end together, each would be in memory in part. Default: at once.
   */
  readonly limitReads?: <T>(read: () => Promise<T>) => Promise<T>;
}

export interface CaptureOptions extends RecordOptions {
  /**
   * The warcinfo record's id, for WARC-Warcinfo-ID. Only needed where the file does not begin with that
   * record: it applies to all records after it.
   */
  readonly warcinfoId?: string;
  /** The detected media type of the payload, whatever Content-Type says. */
  readonly identifiedPayloadType?: string;
  /** The id of the page's record, if it is the response to a request that the page made while it was rendered. */
  readonly partOf?: string;
}

export interface EncodedCapture {
  /**
   * The response or revisit (the member that a location should name), then the request. To be appended
   * together.
   */
  readonly members: readonly [response: WarcMember, request: WarcMember];
  /** The id of the response or revisit record. */
  readonly responseId: string;
  readonly requestId: string;
  /** WARC-Date of both: when the request was begun. */
  readonly date: string;
  /** `sha1:` and base32, of the body as stored. */
  readonly payloadDigest: string;
  /** The beginning of the response's or revisit's line in a CDXJ index: `Capture.lineStart` of `cdxj.ts`. */
  readonly capture: string;
  /** Where the body stands: in this response, or where the revisit refers to. */
  readonly payload: RevisitedPayload;
}

/** A response, as it is archived in full. */
export interface EncodedResponse extends EncodedCapture {
  readonly payload: NewPayload;
}

/**
 * Encodes the exchange. A large body is read twice, here for its digest and again while its member is
 * iterated: keep it until the members are appended.
 */
export async function encodeCapture(
  capture: FetchedResponse,
  options: CaptureOptions,
): Promise<EncodedResponse> {
  const parts = partsOf(capture, options);
  const { common, responseId, requestId, partOf, date, payloadDigest } = parts;
  const isNone = hasNoBody(capture);
  const head = storedResponseHead(capture, { size: capture.body.size, isNone });
  const fields: WarcFields = {
    ...common,
    'WARC-Type': 'response',
    'WARC-Record-ID': responseId,
    'WARC-Concurrent-To': [requestId, ...partOf],
    'WARC-Truncated': capture.truncated,
    'WARC-Identified-Payload-Type': options.identifiedPayloadType,
    'WARC-Payload-Digest': payloadDigest,
    'Content-Type': 'application/http;msgtype=response',
  };
  const payload = { sha1: capture.body.sha1, url: common['WARC-Target-URI'], date, recordId: responseId };
  const response = await encodeResponse(capture, fields, head, options);
  return encoded(parts, response, captureLineStart(fields, head, capture.requestHead), payload);
}

/**
 * Whether the response may be archived as a revisit, and be referred to by later revisits: it must be whole, answer a
 * GET, have a body, and be neither a redirect nor a part (206). Other status codes do not matter: of a revisit, pywb,
 * wabac.js and OpenWayback show its own status and fields with the other record's payload, whatever that one's status
 * was. But they show no body of a redirect, and OpenWayback finds none that leads to its own URL; wabac.js drops a 206;
 * and what answers a POST is kept in their indexes under a URL that we do not know.
 */
export function isRevisitable(response: FetchedResponse): boolean {
  const { httpStatus, truncated, body, requestHead } = response;
  const isOther = (httpStatus >= 300 && httpStatus < 400) || httpStatus === 206;
  return body.size > 0 && truncated === undefined && !isOther && startsWith(requestHead, 'GET ');
}

const IDENTICAL_PAYLOAD = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';
const NOT_MODIFIED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified';

/**
 * Encodes the exchange without its body, the bytes of which `original` holds. For responses that are {@link
 * isRevisitable}. The revisit has the response's own head, which says the body's length, and refers to the
 * original by all that replay tools go by: pywb, wabac.js and OpenWayback look it up by URL, date and digest,
 * and the id is what section 6.7.2 recommends. `WARC-Truncated: length` is what that wants of a block that
 * leaves out a payload.
 */
export async function encodeRevisit(
  capture: FetchedResponse,
  original: ArchivedPayload,
  options: CaptureOptions,
): Promise<EncodedCapture> {
  const parts = partsOf(capture, options);
  const head = storedResponseHead(capture, { size: capture.body.size, isNone: false });
  const own = {
    'WARC-Profile': IDENTICAL_PAYLOAD,
    'WARC-Truncated': 'length',
    'WARC-Identified-Payload-Type': options.identifiedPayloadType,
  };
  return revisit(parts, head, own, { ...original, sha1: capture.body.sha1 });
}

/**
 * Encodes the answer 304 to a conditional request (section 6.7.3): where the content stands that the server says is
 * unchanged. Without a block: with the 304's own head in it, pywb and wabac.js answer 304 to a browser that has nothing
 * yet, and show an empty page; without, they show the original with its head. The head belongs into a metadata record
 * (`MetadataFacts.notModified`). `original`: with that content's digest, not that of the empty body.
 */
export async function encodeNotModified(
  capture: FetchedResponse,
  original: RevisitedPayload,
  options: CaptureOptions,
): Promise<EncodedCapture> {
  return revisit(partsOf(capture, options), NO_BLOCK, { 'WARC-Profile': NOT_MODIFIED }, original);
}

const NO_BLOCK = new Uint8Array(0);

type RevisitFields = Pick<WarcFields, 'WARC-Profile' | 'WARC-Truncated' | 'WARC-Identified-Payload-Type'>;

function revisit(
  parts: ReturnType<typeof partsOf>,
  head: Uint8Array,
  own: RevisitFields,
  original: RevisitedPayload,
): EncodedCapture {
  const { common, responseId, requestId, partOf } = parts;
  const payloadDigest = sha1Label(original.sha1);
  const fields: WarcFields = {
    ...common,
    'WARC-Type': 'revisit',
    'WARC-Record-ID': responseId,
    'WARC-Concurrent-To': [requestId, ...partOf],
    'WARC-Profile': own['WARC-Profile'],
    'WARC-Refers-To': original.recordId,
    'WARC-Refers-To-Target-URI': original.url,
    'WARC-Refers-To-Date': original.date,
    'WARC-Truncated': own['WARC-Truncated'],
    'WARC-Identified-Payload-Type': own['WARC-Identified-Payload-Type'],
    'WARC-Payload-Digest': payloadDigest,
    'WARC-Block-Digest': sha1LabelOf(head),
    'Content-Type': head.length > 0 ? 'application/http;msgtype=response' : undefined,
  };
  const record = encodeRecord(fields, head, undefined, 'store');
  const capture = captureLineStart(fields, head);
  return encoded({ ...parts, payloadDigest }, record, capture, original);
}

/** Returns the parts that a response and a revisit have in common. */
function partsOf(capture: FetchedResponse, { newId, warcinfoId, partOf }: CaptureOptions) {
  const responseId = newId();
  const requestId = newId();
  const date = warcDate(capture.startedAt);
  const common = {
    'WARC-Date': date,
    'WARC-Target-URI': targetUri(capture.url),
    // A zone (RFC 4007 section 11) names an interface of this machine and does not belong to the address.
    'WARC-IP-Address': capture.ipAddress.replace(/%.*/s, ''),
    // https://github.com/iipc/warc-specifications/issues/42
    'WARC-Protocol': capture.protocols,
    'WARC-Cipher-Suite': capture.cipherSuite,
    'WARC-Warcinfo-ID': warcinfoId,
  };
  const request = encodeRecord(
    {
      ...common,
      'WARC-Type': 'request',
      'WARC-Record-ID': requestId,
      'WARC-Concurrent-To': [responseId],
      'WARC-Block-Digest': sha1LabelOf(capture.requestHead),
      'Content-Type': 'application/http;msgtype=request',
    },
    capture.requestHead,
    undefined,
    'store',
  );
  const payloadDigest = sha1Label(capture.body.sha1);
  const pages = partOf === undefined ? [] : [partOf];
  return { common, request, responseId, requestId, partOf: pages, date, payloadDigest };
}

function encoded<T extends RevisitedPayload>(
  { request, responseId, requestId, date, payloadDigest }: ReturnType<typeof partsOf>,
  response: WarcMember,
  capture: string,
  payload: T,
) {
  const members = [response, request] as const;
  return { members, responseId, requestId, date, payloadDigest, capture, payload };
}

async function encodeResponse(
  { body, headers }: FetchedResponse,
  fields: WarcFields,
  head: Uint8Array,
  { limitReads = (read) => read() }: RecordOptions,
): Promise<WarcMember> {
  const packing = bodyPacking(headers);
  if (body.size > MAX_INLINE_BYTES) {
    const withDigest = {
      ...fields,
      'WARC-Block-Digest': sha1Label(await limitReads(() => blockSha1(head, body))),
    };
    return encodeRecordStream(withDigest, head, body, packing);
  }
  const bytes = await body.bytes();
  if (bytes.length !== body.size)
    throw new Error(`Expected a body of ${body.size} bytes, got ${bytes.length}`);
  const digest = createHash('sha1').update(head).update(bytes).digest('binary');
  return encodeRecord({ ...fields, 'WARC-Block-Digest': sha1Label(digest) }, head, bytes, packing);
}

/** In Latin-1. */
async function blockSha1(head: Uint8Array, body: Body): Promise<string> {
  const digest = createHash('sha1').update(head);
  for await (const chunk of body.chunks()) digest.update(chunk);
  return digest.digest('binary');
}

/** By its nature (RFC 9112 section 6.3). */
function hasNoBody({ httpStatus, requestHead }: FetchedResponse): boolean {
  return httpStatus < 200 || httpStatus === 204 || httpStatus === 304 || startsWith(requestHead, 'HEAD ');
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false;
  return true;
}

/** A URI has no white space and no control characters (RFC 3986 section 2); canonical URLs never do. */
function targetUri(url: string): string {
  return url.toWellFormed().replace(/[\s\p{Cc}]/gu, encodeURIComponent);
}
