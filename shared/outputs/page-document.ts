/** A page as a document: its main content with what is known of it. */
import type { ArchivedResponse } from '../archive/read-response.ts';
import { extractContent } from '../content/extract.ts';
import type { PageMetadata } from '../content/metadata.ts';
import { sniffCharset } from '../parser/charset.ts';
import { createCharsetDecoder } from '../parser/charset-decoder.ts';
import { decodeBody } from '../parser/decode-body.ts';
import { essenceOf } from '../parser/media-type.ts';
import { pageLanguage } from './page-language.ts';

export interface PageDocument extends PageMetadata {
  readonly url: string;
  /** When the page was fetched: WARC-Date. */
  readonly fetchedAt: string;
  /** The language of the text as it was detected, otherwise as declared: ISO 639-1. */
  readonly language?: string;
  /** The main content as plain text. */
  readonly text: string;
  /** The main content as Markdown (CommonMark with GFM's tables). */
  readonly markdown: string;
  /** The page was too large, and its end was left out. */
  readonly truncated?: true;
}

/** Media types whose content is a document. The text types are taken as they are. */
const DOCUMENT_TYPES: ReadonlySet<string> = new Set([
  'text/html',
  'application/xhtml+xml',
  'text/plain',
  'text/markdown',
]);

export const isDocumentType = (contentType: string | undefined): boolean =>
  DOCUMENT_TYPES.has(essenceOf(contentType) ?? '');

/**
 * Makes a document of an archived page. `rewrite` may replace the absolute URL of a link. Undefined for other
 * media types. Throws an error with the cause if the body cannot be decoded: it is damaged, or larger than
 * `maxBytes`.
 */
export function documentOf(
  url: string,
  { date, headers, body }: Pick<ArchivedResponse, 'date' | 'headers' | 'body'>,
  maxBytes: number,
  rewrite?: (url: string) => string,
): PageDocument | undefined {
  const valuesOf = (wanted: string) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const contentType = valuesOf('content-type').at(-1);
  if (!isDocumentType(contentType)) return undefined;
  const bytes = decodeBody(body, valuesOf('content-encoding').join(', '), maxBytes);
  const decoder = createCharsetDecoder(sniffCharset(bytes, contentType));
  const source = decoder.decode(bytes) + decoder.end();
  if (!/html/.test(contentType!)) {
    const language = pageLanguage(source, undefined);
    return { url, fetchedAt: date, language, types: [], text: source, markdown: source };
  }
  const { metadata, text, markdown, isTruncated } = extractContent(source, url, rewrite);
  const language = pageLanguage(text, metadata.language);
  return {
    url,
    fetchedAt: date,
    ...metadata,
    language,
    ...(isTruncated && { truncated: true }),
    text,
    markdown,
  };
}
