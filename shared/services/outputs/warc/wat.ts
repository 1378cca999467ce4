/**
 * WAT files: what each record of a WARC file says about itself, and the links of its page, as JSON in a WARC
 * record of type `metadata`, in the form of Common Crawl's (the Web Archive Transformation specification).
 */

import { sha1LabelOf } from '../../../core/archive/digest.ts';
import { parseHttpHead } from '../../../core/archive/parse-http-head.ts';
import { fieldOf, recordHeadLength } from '../../../core/archive/read-warc.ts';
import { encodeRecord } from '../../../core/archive/warc-record.ts';
import { isPageStatus } from '../../../core/outcome/page-status.ts';
import { decodeBody } from '../../../core/parser/decode-body.ts';
import { documentText } from '../../../core/parser/document-text.ts';
import { essenceOf } from '../../../core/parser/media-type.ts';
import { XHTML_TYPE } from '../../../core/parser/type-of-xml.ts';
import { isUncertain, typeToRead } from '../../../core/parser/whole-types.ts';
import { isPlainDocument, type ModuleReading, readableDocument } from '../page-document.ts';
import { isHtmlType } from '../rewrite-payload.ts';
import { documentMetadata } from './document-metadata.ts';
import { htmlMetadata } from './html-metadata.ts';
import { isHttpResponse, type NewId, type SourceRecord, targetOf } from './source-record.ts';

type Json = Readonly<Record<string, unknown>>;

const MAX_DECODED_BYTES = 64 * 1024 * 1024;
/** Around a member's deflated bytes (RFC 1952); writers that give names or times have longer heads. */
const GZIP_HEAD = '10';
const GZIP_FOOT = '8';
/** The line ends behind a record. Other tools count these line ends for HTTP messages alone. */
const RECORD_END = '4';
const NOTHING_BEHIND = '0';

export interface WatOptions {
  /** Modules of the project, for documents. */
  readonly modules?: ModuleReading | undefined;
  /** Called with the cause if a document of the record cannot be read. The record is made without its content. */
  readonly onUnread?: (error: unknown) => void;
}

/** Returns the `metadata` record of any record that has a date, as one gzip member. Lengths are texts, as there. */
export async function watRecord(
  source: SourceRecord,
  newId: NewId,
  options: WatOptions = {},
): Promise<Uint8Array[] | undefined> {
  const { record } = source;
  const date = fieldOf(record, 'WARC-Date');
  if (date === undefined) return undefined;
  const content = Buffer.from(JSON.stringify(watJson(source, await documentIn(source, options))));
  return encodeRecord(
    {
      'WARC-Type': 'metadata',
      'WARC-Record-ID': newId(),
      'WARC-Date': date,
      'WARC-Target-URI': targetOf(record),
      'WARC-Refers-To': fieldOf(record, 'WARC-Record-ID'),
      'WARC-Block-Digest': sha1LabelOf(content),
      'Content-Type': 'application/json',
    },
    content,
  );
}

/** The content of a document that a module reads, in a response with a page. */
async function documentIn(
  { record, block, isCut }: SourceRecord,
  { modules, onUnread = () => {} }: WatOptions,
): Promise<Json | undefined> {
  const url = targetOf(record);
  const httpLength = recordHeadLength(block);
  if (isCut || !isHttpResponse(record) || url === undefined || httpLength === undefined) return undefined;
  const { httpStatus, headers } = parseHttpHead(block.subarray(0, httpLength));
  const type = essenceOf(headers.findLast(([name]) => name.toLowerCase() === 'content-type')?.[1]);
  // Pages are read below. A project may have a module for them all the same.
  const isText = isPlainDocument(type) && !modules?.reads(type ?? '');
  if (!isPageStatus(httpStatus) || isText) return undefined;
  try {
    const page = { headers, body: block.subarray(httpLength) };
    const found = readableDocument(url, page, MAX_DECODED_BYTES, modules);
    return found && 'read' in found ? documentMetadata(await found.read()) : undefined;
  } catch (error) {
    onUnread(error);
    return undefined;
  }
}

function watJson(source: SourceRecord, document: Json | undefined): Json {
  const { record, file, offset, length, headLength } = source;
  return {
    Container: {
      Filename: file,
      Compressed: true,
      Offset: String(offset),
      'Gzip-Metadata': {
        'Deflate-Length': String(length),
        'Header-Length': GZIP_HEAD,
        'Footer-Length': GZIP_FOOT,
        'Inflated-Length': String(headLength + record.blockLength + 4),
      },
    },
    Envelope: {
      Format: 'WARC',
      'WARC-Header-Length': String(headLength),
      'Actual-Content-Length': String(record.blockLength),
      'WARC-Header-Metadata': objectOf(record.fields),
      'Payload-Metadata': payloadOf(source, document),
    },
  };
}

function payloadOf({ record, block, isCut }: SourceRecord, document: Json | undefined): Json {
  const type = fieldOf(record, 'Content-Type');
  const isHttp = /^application\/http\b/i.test(type ?? '');
  const common = {
    'Actual-Content-Type': type,
    'Actual-Content-Length': String(record.blockLength),
    'Block-Digest': fieldOf(record, 'WARC-Block-Digest'),
    'Trailing-Slop-Length': isHttp ? RECORD_END : NOTHING_BEHIND,
  };
  if (/^application\/warc-fields\b/i.test(type ?? '')) {
    const lines = latin1(block)
      .split('\r\n')
      .filter((line) => line.includes(':'));
    const fields = lines.map(fieldIn);
    if (fieldOf(record, 'WARC-Type') === 'warcinfo')
      return { ...common, 'WARC-Info-Metadata': objectOf(fields) };
    const records = fields.map(([Name, Value]) => ({ Name, Value }));
    return { ...common, 'WARC-Metadata-Metadata': { 'Metadata-Records': records } };
  }
  const headLength = isHttp ? recordHeadLength(block) : undefined;
  if (headLength === undefined) return common;
  const [firstLine = '', ...lines] = latin1(block.subarray(0, headLength)).trimEnd().split('\r\n');
  const headers = lines.filter((line) => line.includes(':')).map(fieldIn);
  const http = {
    'Headers-Length': String(headLength),
    Headers: objectOf(headers),
    'Entity-Length': String(record.blockLength - headLength),
    'Entity-Trailing-Slop-Length': NOTHING_BEHIND,
  };
  if (!firstLine.startsWith('HTTP/')) {
    const [Method, Path, Version] = firstLine.split(' ');
    return { ...common, 'HTTP-Request-Metadata': { 'Request-Message': { Method, Path, Version }, ...http } };
  }
  const [Version, Status, ...reason] = firstLine.split(' ');
  const body = isCut || !isHttpResponse(record) ? undefined : block.subarray(headLength);
  return {
    ...common,
    'HTTP-Response-Metadata': {
      'Response-Message': { Status, Version, Reason: reason.join(' ') },
      ...http,
      'Entity-Digest': fieldOf(record, 'WARC-Payload-Digest'),
      'HTML-Metadata': body && htmlOf(headers, body, targetOf(record) ?? ''),
      'Document-Metadata': document,
    },
  };
}

/** Undefined for other media types, and where the body cannot be decoded. */
function htmlOf(
  headers: readonly (readonly [string, string])[],
  body: Uint8Array,
  url: string,
): Json | undefined {
  const valuesOf = (wanted: string) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const contentType = valuesOf('content-type').at(-1);
  const declared = essenceOf(contentType);
  if (!isHtmlType(declared) && !isUncertain(declared)) return undefined;
  try {
    const bytes = decodeBody(body, valuesOf('content-encoding').join(', '), MAX_DECODED_BYTES);
    const type = typeToRead(declared, bytes, url);
    if (!isHtmlType(type)) return undefined;
    return htmlMetadata(documentText(bytes, contentType, type === XHTML_TYPE).text);
  } catch {
    return undefined;
  }
}

function fieldIn(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** A name that comes again has a list of values. */
function objectOf(fields: Iterable<readonly [string, string]>): Json {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of fields) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(values);
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
