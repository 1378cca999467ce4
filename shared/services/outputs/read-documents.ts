/** The pages of a crawl as documents, read from its archive. */

import { PayloadReader, type PayloadSource, readOf } from '../../core/archive/payload-reader.ts';
import { messageOf } from '../../core/base/error-message.ts';
import { isNoindex, isWithheld } from '../../core/causes/cause.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { isPageStatus } from '../../core/outcome/page-status.ts';
import { type DocumentRow, documentRow } from './document-row.ts';
import { documentOf, isDocumentType, type ModuleReading } from './page-document.ts';

/** The source of the documents. */
export interface DocumentSource extends PayloadSource {
  /** Every known URL. */
  records(): AsyncIterable<UrlRecord>;
}

export interface DocumentOptions {
  /** Called with a page that has no document, and the reason for people. */
  readonly skip: (url: string, reason: string) => void;
  /** May replace the absolute URL of a link in the page's Markdown. */
  readonly rewrite?: ((link: string, page: string) => string) | undefined;
  /** Called for each page that has a document, before it is read. Default: all are wanted. */
  readonly isWanted?: ((record: UrlRecord) => boolean) | undefined;
  /** Modules of the project. */
  readonly modules?: ModuleReading | undefined;
  readonly withoutMarkdown?: boolean | undefined;
}

/** A page of more bytes, received or decoded, gives no document: extracting it would take seconds. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/**
 * Whether a URL is a page with a text: not an error, a redirect, an image or a copy of another page, and none that says
 * `noindex` or whose use is forbidden for the crawl's purpose.
 */
export const hasDocument = (
  { state, kind, result }: UrlRecord,
  modules?: Pick<ModuleReading, 'reads'>,
): boolean =>
  state === 'fetched' &&
  kind === undefined &&
  isPageStatus(result?.httpStatus) &&
  result.location !== undefined &&
  result.duplicateOf === undefined &&
  !isWithheld(result.cause) &&
  !isNoindex(result.cause) &&
  isDocumentType(result.contentType, modules);

/**
 * Yields the document of each page that has one, in the order of `source.records()`. Holds one page at a time, or as
 * many as the archive reads best at once.
 */
export async function* readDocuments(
  source: DocumentSource,
  { isWanted = () => true, ...options }: DocumentOptions,
): AsyncGenerator<DocumentRow, void, undefined> {
  const { modules } = options;
  const wanted = filtered(source.records(), (record) => hasDocument(record, modules) && isWanted(record));
  for await (const document of triedDocuments(source, wanted, options)) if (document) yield document;
}

/** Yields the document of each record, which may have one ({@link hasDocument}); undefined if it has none. */
export async function* triedDocuments(
  archive: PayloadSource,
  records: AsyncIterable<UrlRecord>,
  { skip, rewrite, modules, withoutMarkdown }: Omit<DocumentOptions, 'isWanted'>,
): AsyncGenerator<DocumentRow | undefined, void, undefined> {
  const payloads = new PayloadReader(archive, 'shown');
  const pages = payloads.readAll(records, ({ result }) => result!.location!, MAX_PAGE_BYTES, true);
  for await (const tried of pages) {
    const record = tried.value;
    const { url } = record;
    let row: DocumentRow | undefined;
    try {
      const { response, payload, usage } = readOf(tried);
      const page = { date: response.date, headers: payload.headers, body: payload.body };
      const document = await documentOf(url, page, MAX_PAGE_BYTES, {
        rewrite: rewrite && ((link) => rewrite(link, url)),
        modules,
        withoutMarkdown,
      });
      row = document && documentRow(document, record, usage);
    } catch (error) {
      // The disk fails for other pages, too.
      if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
      skip(url, messageOf(error));
    }
    yield row;
  }
}

async function* filtered<T>(values: AsyncIterable<T>, isWanted: (value: T) => boolean): AsyncGenerator<T> {
  for await (const value of values) if (isWanted(value)) yield value;
}
