/** A page as a document: its main content and metadata. */
import type { ArchivedResponse } from '../../core/archive/read-response.ts';
import { type Extracted, extractContent, extractSeenContent } from '../../core/content/extract.ts';
import { withoutComments } from '../../core/content/markdown-comments.ts';
import type { PageMetadata } from '../../core/content/metadata.ts';
import type { PageKind } from '../../core/content/page-kind.ts';
import { textContent } from '../../core/content/text-content.ts';
import type { MediaContent } from '../../core/media/media-module.ts';
import { decodeBody, decodePart } from '../../core/parser/decode-body.ts';
import { documentText } from '../../core/parser/document-text.ts';
import { essenceOf } from '../../core/parser/media-type.ts';
import { XHTML_TYPE } from '../../core/parser/type-of-xml.ts';
import { isMarkdownType, isUncertain, isWholeType, typeToRead } from '../../core/parser/whole-types.ts';
import { primaryLanguage } from '../../core/text/primary-language.ts';
import { pageLanguage } from './page-language.ts';
import { readWholeDocument } from './read-whole-document.ts';

export interface PageDocument extends PageMetadata {
  readonly url: string;
  /** The page that this one names as the canonical one. */
  readonly canonical?: string;
  /** When the page was fetched: WARC-Date. */
  readonly fetchedAt: string;
  /** The language of the text as it was detected, otherwise as declared: ISO 639-1. */
  readonly language?: string;
  /** The kind of page, of HTML; guessed. */
  readonly kind?: PageKind;
  /** The main content as plain text. */
  readonly text: string;
  /** The main content as Markdown (CommonMark with GFM's tables). */
  readonly markdown: string;
  /** The page was too large, or could not be decoded to its end, and the rest was left out. */
  readonly truncated?: true;
  /** `markdown` is what the author of a Markdown document wrote: HTML and script are not taken out. */
  readonly format?: 'source';
}

/** Reads documents by modules of the project, which come before the included ones. */
export interface ModuleReading {
  reads(mediaType: string): boolean;
  /** Rejects with the cause, for people. */
  read(
    url: string,
    mediaType: string,
    page: Pick<ArchivedResponse, 'headers' | 'body'>,
  ): Promise<MediaContent>;
}

/** Media types of texts that are documents. */
const PLAIN_TYPES: ReadonlySet<string> = new Set([
  'text/html',
  'application/xhtml+xml',
  'text/plain',
  'text/markdown',
  'text/x-markdown',
]);

/** Whether a document is a text by its media type: HTML, Markdown, plain text. */
export const isPlainDocument = (contentType: string | undefined): boolean =>
  PLAIN_TYPES.has(essenceOf(contentType) ?? '');

/** Whether a page of this media type is a document. */
export function isDocumentType(
  contentType: string | undefined,
  modules?: Pick<ModuleReading, 'reads'>,
): boolean {
  const mediaType = essenceOf(contentType);
  return isPlainDocument(contentType) || isWholeType(mediaType) || isOfModule(mediaType, modules);
}

const isOfModule = (
  mediaType: string | undefined,
  modules: Pick<ModuleReading, 'reads'> | undefined,
): mediaType is string => mediaType !== undefined && modules?.reads(mediaType) === true;

/** The bytes of a text; for a document that is read as a whole, its media type alone. */
type DocumentBody =
  | {
      readonly mediaType: string;
      readonly source: string;
      readonly charset: string;
      /** The body could not be decoded to its end. */
      readonly isPart?: true;
    }
  | { readonly wholeType: string };

/**
 * Decodes an archived body by its real type, whatever its server says (`typeToRead`). Undefined if it is not a
 * document. Throws an error with the cause if the body cannot be decoded: it is damaged, or larger than `maxBytes`.
 */
function documentBody(
  url: string,
  { headers, body }: Pick<ArchivedResponse, 'headers' | 'body'>,
  maxBytes: number,
): DocumentBody | undefined {
  const contentType = valuesOf(headers, 'content-type').at(-1);
  const declared = essenceOf(contentType);
  if (isWholeType(declared)) return { wholeType: declared! };
  if (!isPlainDocument(declared) && !isUncertain(declared)) return undefined;
  const { bytes, fault } = decodePart(body, codingOf(headers), maxBytes);
  const mediaType = typeToRead(declared, bytes, url);
  if (isWholeType(mediaType)) return { wholeType: mediaType! };
  if (mediaType === undefined || !isPlainDocument(mediaType)) return undefined;
  const { text, charset } = documentText(bytes, contentType, mediaType === XHTML_TYPE);
  return { mediaType, source: text, charset, ...(fault !== undefined && { isPart: true }) };
}

/** Undefined if no module reads the page, whatever type its server states. */
function typeForModule(
  url: string,
  { headers, body }: Pick<ArchivedResponse, 'headers' | 'body'>,
  maxBytes: number,
  modules: Pick<ModuleReading, 'reads'>,
): string | undefined {
  const declared = essenceOf(valuesOf(headers, 'content-type').at(-1));
  if (isOfModule(declared, modules)) return declared;
  if (!isUncertain(declared)) return undefined;
  const mediaType = typeToRead(declared, decodeBody(body, codingOf(headers), maxBytes), url);
  return isOfModule(mediaType, modules) ? mediaType : undefined;
}

/** The content of a document, as a module read it. */
type ModuleContent = MediaContent & { readonly isTruncated: boolean };

/** A document: its text, or the module that reads it. */
export type ReadableDocument =
  | { readonly mediaType: string; readonly source: string; readonly charset: string; readonly isPart?: true }
  | { readonly read: () => Promise<ModuleContent> };

/**
 * Decides how an archived page is read: by a module of the project, by an included one, or as text. Undefined if it is
 * not a document. Throws an error with the cause if the body cannot be decoded; `read` rejects with the cause.
 */
export function readableDocument(
  url: string,
  page: Pick<ArchivedResponse, 'headers' | 'body'>,
  maxBytes: number,
  modules: ModuleReading | undefined,
): ReadableDocument | undefined {
  const moduleType = modules && typeForModule(url, page, maxBytes, modules);
  if (modules && moduleType !== undefined) return { read: () => contentBy(modules, url, moduleType, page) };
  const found = documentBody(url, page, maxBytes);
  if (found === undefined || 'source' in found) return found;
  return { read: () => wholeContent(url, page, found.wholeType, maxBytes) };
}

async function contentBy(
  modules: ModuleReading,
  url: string,
  mediaType: string,
  page: Pick<ArchivedResponse, 'headers' | 'body'>,
): Promise<ModuleContent> {
  const content = await modules.read(url, mediaType, page);
  return { ...content, isTruncated: content.cut !== undefined };
}

type DocumentContent = Pick<Extracted, 'text' | 'markdown' | 'metadata' | 'isTruncated'> &
  Partial<Pick<Extracted, 'canonical' | 'kind' | 'format' | 'isShell'>>;

export interface DocumentMaking {
  readonly rewrite?: ((url: string) => string) | undefined;
  readonly modules?: ModuleReading | undefined;
  /** Leaves out what a browser would not show of HTML, and comments of Markdown, whose references are then absolute. */
  readonly onlySeen?: boolean;
  /** The language is the one that the page declares: to detect it takes 80 MB of memory, once. */
  readonly asDeclared?: boolean;
  /** Only the text is made: `markdown` is empty, and `kind` is missing. */
  readonly withoutMarkdown?: boolean | undefined;
}

/**
 * Makes a document of an archived page. `rewrite` may replace the absolute URL of a link of HTML. Undefined for other media
 * types, and for pages that scripts make. Rejects with the cause if the body cannot be read, also by a module.
 */
export async function documentOf(
  url: string,
  page: Pick<ArchivedResponse, 'date' | 'headers' | 'body'>,
  maxBytes: number,
  { rewrite, modules, onlySeen = false, ...making }: DocumentMaking = {},
): Promise<PageDocument | undefined> {
  const found = readableDocument(url, page, maxBytes, modules);
  if (found === undefined) return undefined;
  if ('read' in found) return documentFrom(url, page.date, await found.read(), making);
  const content = textOf(found, url, rewrite, onlySeen);
  return documentFrom(url, page.date, content, { isPart: found.isPart === true, ...making });
}

function textOf(
  { mediaType, source, charset }: Extract<ReadableDocument, { readonly source: string }>,
  url: string,
  rewrite: DocumentMaking['rewrite'],
  onlySeen: boolean,
): DocumentContent {
  if (/html/.test(mediaType))
    return (onlySeen ? extractSeenContent : extractContent)(source, url, rewrite, charset);
  if (!onlySeen || !isMarkdownType(mediaType)) return textContent(source, mediaType, url, rewrite);
  return textContent(withoutComments(source), mediaType, url, rewrite ?? ((absolute) => absolute));
}

/** Makes a document of content that may have been read for something else, too. Undefined for a page that scripts make. */
export function documentFrom(
  url: string,
  fetchedAt: string,
  content: DocumentContent,
  {
    isPart = false,
    asDeclared = false,
    withoutMarkdown = false,
  }: Pick<DocumentMaking, 'asDeclared' | 'withoutMarkdown'> & { readonly isPart?: boolean } = {},
): PageDocument | undefined {
  if (content.isShell === true) return undefined;
  const { metadata, text, isTruncated, canonical, format } = content;
  const { markdown, kind } = withoutMarkdown ? NOT_MADE : content;
  const declared = metadata.language;
  const language = asDeclared
    ? declared && (primaryLanguage(declared) ?? declared)
    : pageLanguage(text, declared);
  return {
    url,
    ...(canonical !== undefined && { canonical }),
    fetchedAt,
    ...metadata,
    language,
    ...(kind !== undefined && { kind }),
    ...((isTruncated || isPart) && { truncated: true }),
    ...(format !== undefined && { format }),
    text,
    markdown,
  };
}

const NOT_MADE: Pick<DocumentContent, 'markdown' | 'kind'> = { markdown: '' };

/** The content of a document that is read as a whole. Rejects with the cause. */
async function wholeContent(
  url: string,
  { headers, body }: Pick<ArchivedResponse, 'headers' | 'body'>,
  mediaType: string,
  maxBytes: number,
): Promise<ModuleContent> {
  const job = { url, mediaType, contentEncoding: codingOf(headers), maxBytes };
  const content = await readWholeDocument(job, body);
  return { ...content, isTruncated: content.cut !== undefined };
}

const codingOf = (headers: ArchivedResponse['headers']): string =>
  valuesOf(headers, 'content-encoding').join(', ');

const valuesOf = (headers: ArchivedResponse['headers'], wanted: string): string[] =>
  headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
