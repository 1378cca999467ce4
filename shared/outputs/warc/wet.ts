/**
 * WET files: the text of each page as a WARC record of type `conversion` (ISO 28500:2017, section 6.8), as Common
 * Crawl publishes it.
 */
import { hash } from 'node:crypto';
import { sha1Label } from '../../archive/digest.ts';
import { parseHttpHead } from '../../archive/parse-http-head.ts';
import { fieldOf, recordHeadLength } from '../../archive/read-warc.ts';
import { encodeRecord } from '../../archive/warc-record.ts';
import { seenText } from '../../content/seen-text.ts';
import { sniffCharset } from '../../parser/charset.ts';
import { createCharsetDecoder } from '../../parser/charset-decoder.ts';
import { decodeBody } from '../../parser/decode-body.ts';
import { isDocumentType } from '../page-document.ts';
import { isHttpResponse, type NewId, type SourceRecord, targetOf } from './source-record.ts';

/** A body of more bytes, decoded, gives no record. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/**
 * Returns the `conversion` record of a page that was answered with 200 and has a text, as one gzip member; undefined
 * for other records. Throws an error with the cause if its body cannot be decoded.
 */
export function wetRecord(source: SourceRecord, newId: NewId): Uint8Array[] | undefined {
  const { record, block } = source;
  const url = targetOf(record);
  const date = fieldOf(record, 'WARC-Date');
  const httpLength = recordHeadLength(block);
  if (!isHttpResponse(record) || url === undefined || date === undefined || httpLength === undefined)
    return undefined;
  const { httpStatus, headers } = parseHttpHead(block.subarray(0, httpLength));
  const valuesOf = (wanted: string) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const contentType = valuesOf('content-type').at(-1);
  if (httpStatus !== 200 || !isDocumentType(contentType)) return undefined;
  if (source.isCut) throw new Error(`it has more than ${block.length} bytes`);
  const body = block.subarray(httpLength);
  const bytes = decodeBody(body, valuesOf('content-encoding').join(', '), MAX_DECODED_BYTES);
  const decoder = createCharsetDecoder(sniffCharset(bytes, contentType));
  const decoded = decoder.decode(bytes) + decoder.end();
  const { text, isTruncated } = /html/i.test(contentType!)
    ? seenText(decoded)
    : { text: decoded, isTruncated: false };
  if (text === '') return undefined;
  const content = Buffer.from(`${text}\n`);
  const digest = sha1Label(hash('sha1', content, 'buffer'));
  const fields = {
    'WARC-Type': 'conversion',
    'WARC-Record-ID': newId(),
    'WARC-Date': date,
    'WARC-Target-URI': url,
    'WARC-Refers-To': fieldOf(record, 'WARC-Record-ID'),
    'WARC-Truncated': isTruncated ? 'length' : undefined,
    'WARC-Payload-Digest': digest,
    'WARC-Block-Digest': digest,
    'Content-Type': 'text/plain',
  };
  return encodeRecord(fields, content);
}
