/**
 * WET files: the text of each page as a WARC record of type `conversion` (ISO 28500:2017, section 6.8), as Common
 * Crawl publishes it.
 */

import { sha1LabelOf } from '../../../core/archive/digest.ts';
import { parseHttpHead } from '../../../core/archive/parse-http-head.ts';
import type { ArchivedResponse } from '../../../core/archive/read-response.ts';
import { fieldOf, recordHeadLength } from '../../../core/archive/read-warc.ts';
import { encodeRecord } from '../../../core/archive/warc-record.ts';
import { seenText } from '../../../core/content/seen-text.ts';
import { isPageStatus } from '../../../core/outcome/page-status.ts';
import { type ModuleReading, readableDocument } from '../page-document.ts';
import { isHttpResponse, type NewId, type SourceRecord, targetOf } from './source-record.ts';

/** A body of more bytes, decoded, gives no record. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/**
 * Returns the `conversion` record of a page that has a text, as one gzip member; undefined
 * for other records. Rejects with the cause if its body cannot be read, also by a module.
 */
export async function wetRecord(
  source: SourceRecord,
  newId: NewId,
  modules?: ModuleReading,
): Promise<Uint8Array[] | undefined> {
  const { record, block } = source;
  const url = targetOf(record);
  const date = fieldOf(record, 'WARC-Date');
  const httpLength = recordHeadLength(block);
  if (!isHttpResponse(record) || url === undefined || date === undefined || httpLength === undefined)
    return undefined;
  const { httpStatus, headers } = parseHttpHead(block.subarray(0, httpLength));
  if (!isPageStatus(httpStatus)) return undefined;
  const page = { headers, body: block.subarray(httpLength) };
  const content = await textIn(source, url, page, modules);
  if (content === undefined || content.text === '') return undefined;
  const { text, isTruncated } = content;
  const bytes = Buffer.from(`${text}\n`);
  const digest = sha1LabelOf(bytes);
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
  return encodeRecord(fields, bytes);
}

async function textIn(
  { block, isCut }: SourceRecord,
  url: string,
  page: Pick<ArchivedResponse, 'headers' | 'body'>,
  modules: ModuleReading | undefined,
): Promise<{ readonly text: string; readonly isTruncated: boolean } | undefined> {
  const found = readableDocument(url, page, MAX_DECODED_BYTES, modules);
  if (found === undefined) return undefined;
  if (isCut) throw new Error(`it has more than ${block.length} bytes`);
  return 'read' in found ? found.read() : textOf(found.mediaType, found.source);
}

const textOf = (mediaType: string, source: string) =>
  /html/.test(mediaType) ? seenText(source) : { text: source, isTruncated: false };
