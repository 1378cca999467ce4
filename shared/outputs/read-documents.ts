/** The pages of a crawl as documents, read from its archive. */
import type { ArchivedResponse } from '../archive/read-response.ts';
import type { RecordLocation } from '../archive/record-location.ts';
import { messageOf } from '../error-message.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import { type DocumentRow, documentRow } from './document-row.ts';
import { documentOf, isDocumentType } from './page-document.ts';

/** What the documents are made of. */
export interface DocumentSource {
  /** Every known URL. */
  records(): AsyncIterable<UrlRecord>;
  /** Reads a response with at most `maxBytes` of its body. Throws if it is damaged or not there. */
  readResponse(location: RecordLocation, maxBytes: number): Promise<ArchivedResponse>;
  /** Where a URL is archived by this crawl. */
  locationOf(url: string): Promise<RecordLocation | undefined>;
}

export interface DocumentOptions {
  /** Called with a page that has no document, and the reason for people. */
  readonly skip: (url: string, reason: string) => void;
  /** May replace the absolute URL of a link in the page's Markdown. */
  readonly rewrite?: ((link: string, page: string) => string) | undefined;
  /** Asked for each page that has a document, before it is read. Default: all are wanted. */
  readonly isWanted?: ((record: UrlRecord) => boolean) | undefined;
}

/** A page of more bytes, received or decoded, gives no document: extracting it would take seconds. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Whether a URL is a page with a text: not an error, a redirect, an image or a copy of another page. */
export const hasDocument = ({ state, kind, result }: UrlRecord): boolean =>
  state === 'fetched' &&
  kind === undefined &&
  result?.httpStatus === 200 &&
  result.location !== undefined &&
  result.duplicateOf === undefined &&
  isDocumentType(result.contentType);

/**
 * Yields the document of each page that has one, in the order of `source.records()`. Holds one page at a
 * time.
 */
export async function* readDocuments(
  source: DocumentSource,
  { skip, rewrite, isWanted = () => true }: DocumentOptions,
): AsyncGenerator<DocumentRow, void, undefined> {
  for await (const record of source.records()) {
    if (!hasDocument(record) || !isWanted(record)) continue;
    const { url } = record;
    try {
      const response = await payloadOf(source, record.result!.location!);
      const document = documentOf(url, response, MAX_PAGE_BYTES, rewrite && ((link) => rewrite(link, url)));
      if (document) yield documentRow(document, record);
    } catch (error) {
      // The disk fails for other pages, too.
      if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
      skip(url, messageOf(error));
    }
  }
}

/** The response, or for a revisit the response that has its payload. */
async function payloadOf(source: DocumentSource, location: RecordLocation): Promise<ArchivedResponse> {
  const response = await source.readResponse(location, MAX_PAGE_BYTES);
  if (response.isCut) throw new Error(`it has more than ${MAX_PAGE_BYTES} bytes`);
  if (!response.original) return response;
  const { url } = response.original;
  const original = await source.locationOf(url);
  const payload = original && (await source.readResponse(original, MAX_PAGE_BYTES));
  if (payload === undefined || payload.original || payload.isCut)
    throw new Error(`its content is archived with ${url}, which this crawl does not have`);
  return { ...response, headers: payload.headers, body: payload.body };
}
