/** Media types of documents that are read as a whole, when their last byte is there: PDF and Office. */
import type { UrlKind } from '../url/url-kind.ts';
import { isJsonFeed, JSON_FEED_TYPE } from './json-feed.ts';
import { MIME_SNIFFED_BYTES, sniffMimeType } from './media-type.ts';
import { isXhtml, isXmlType, listTypeOf, XHTML_TYPE } from './type-of-xml.ts';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

export const PDF_TYPE = 'application/pdf';

/** By what the names of the files end in. */
const TYPES = {
  pdf: PDF_TYPE,
  docx: `${OPEN_XML}.wordprocessingml.document`,
  dotx: `${OPEN_XML}.wordprocessingml.template`,
  docm: 'application/vnd.ms-word.document.macroenabled.12',
  xlsx: `${OPEN_XML}.spreadsheetml.sheet`,
  xltx: `${OPEN_XML}.spreadsheetml.template`,
  xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
  pptx: `${OPEN_XML}.presentationml.presentation`,
  ppsx: `${OPEN_XML}.presentationml.slideshow`,
  potx: `${OPEN_XML}.presentationml.template`,
  pptm: 'application/vnd.ms-powerpoint.presentation.macroenabled.12',
  odt: `${OPEN_DOCUMENT}.text`,
  ott: `${OPEN_DOCUMENT}.text-template`,
  ods: `${OPEN_DOCUMENT}.spreadsheet`,
  odp: `${OPEN_DOCUMENT}.presentation`,
} as const;

export type WholeExtension = keyof typeof TYPES;

export const wholeTypes = (...extensions: readonly WholeExtension[]): string[] =>
  extensions.map((extension) => TYPES[extension]);

const WHOLE: ReadonlySet<string> = new Set(Object.values(TYPES));

export const isWholeType = (mimeType: string | undefined): boolean =>
  mimeType !== undefined && WHOLE.has(mimeType);

/** How many of a document's first bytes may show that it is another one than its server says. */
export const bytesToSniff = (declared: string | undefined, kind?: UrlKind): number =>
  kind === 'sitemap' ||
  isUncertain(declared) ||
  TEXTS.has(declared) ||
  declared === JSON_TYPE ||
  isMarkdownType(declared)
    ? MIME_SNIFFED_BYTES
    : SIGNATURE_BYTES;

const SIGNATURE_BYTES = 5;
const JSON_TYPE = 'application/json';
const HTML_TYPE = 'text/html';

export const isMarkdownType = (mimeType: string | undefined): boolean =>
  mimeType === 'text/markdown' || mimeType === 'text/x-markdown';

/** Whether a document begins as pages of HTML do, and Markdown with HTML in it does not. */
const isHtmlPage = (start: Uint8Array): boolean =>
  HTML_PAGE.test(Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1'));
/** The names of lists. */
const LIST_NAME = /\.(?:xml|txt|gz)(?:[?#]|$)/i;
/** A list may stand behind a warning of its server. */
const LIST_ROOT = /<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/;

/**
 * Whether a document that a site names as a sitemap is a page: a sitemap for people, mostly. A page in place of a file with
 * the name of a list is what the server shows for missing files.
 */
export function isPageNotList(type: string | undefined, start: Uint8Array, url: string): boolean {
  if ((type !== HTML_TYPE && type !== XHTML_TYPE) || LIST_NAME.test(url)) return false;
  const first = start.subarray(0, MIME_SNIFFED_BYTES);
  if (LIST_ROOT.test(Buffer.from(first).toString('latin1'))) return false;
  return isXhtml(first) || sniffMimeType(first) === HTML_TYPE;
}

const HTML_PAGE = /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<(?:!doctype html|html|head|body)[\t\n\f\r >]/i;

/** Types that servers send for files that they do not know. */
const VAGUE: ReadonlySet<string | undefined> = new Set([
  undefined,
  'application/octet-stream',
  'binary/octet-stream',
  'application/download',
  'application/x-download',
  'application/force-download',
  'application/zip',
  'application/x-zip-compressed',
]);
const ALIASES: ReadonlyMap<string | undefined, string> = new Map([
  ['application/x-pdf', PDF_TYPE],
  ['application/acrobat', PDF_TYPE],
]);
/** A PDF that a server takes for text is shown as one by no browser, but searched as one by its site's visitors. */
const TEXTS: ReadonlySet<string | undefined> = new Set(['text/html', 'text/plain']);

/**
 * The type of a document: as declared, unless its first bytes are those of a PDF, or of a zip archive whose URL ends as those
 * of Office documents do, and the declared type is vague or wrong.
 */
export function correctedType(
  declared: string | undefined,
  start: Uint8Array,
  url: string,
): string | undefined {
  const alias = ALIASES.get(declared);
  if (alias !== undefined) return alias;
  const isVague = VAGUE.has(declared);
  if (!isVague && !TEXTS.has(declared)) return declared;
  if (begins(start, '%PDF-')) return PDF_TYPE;
  if (!begins(start, 'PK\x03\x04')) return declared;
  const extension = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  const named = Object.hasOwn(TYPES, extension) ? TYPES[extension as WholeExtension] : undefined;
  return named === undefined || named === PDF_TYPE ? declared : named;
}

/**
 * The type as which a document is read: as declared, or, if nothing is declared, as its first bytes suggest; unless that is wrong
 * ({@link correctedType}), or its root element shows that it is XHTML, a feed or a sitemap, or it is JSON that says that it is a feed. Undefined if nothing is declared and the document is empty.
 */
export function typeToRead(declared: string | undefined, start: Uint8Array, url: string): string | undefined {
  const sniffed =
    declared === undefined && start.length > 0
      ? sniffMimeType(start.subarray(0, MIME_SNIFFED_BYTES))
      : undefined;
  const isStyle = sniffed === 'text/plain' && STYLE_NAME.test(url);
  const type = isStyle ? 'text/css' : correctedType(declared ?? sniffed, start, url);
  const first = start.subarray(0, MIME_SNIFFED_BYTES);
  if (isXmlType(type)) return isXhtml(first) ? XHTML_TYPE : type;
  if (type === JSON_TYPE) return isJsonFeed(first) ? JSON_FEED_TYPE : type;
  if (isMarkdownType(type)) return isHtmlPage(first) ? HTML_TYPE : type;
  return (VAGUE.has(type) || TEXTS.has(type) ? listTypeOf(first) : undefined) ?? type;
}

/** Browsers read a style sheet without a type; its bytes do not show that it is one. */
const STYLE_NAME = /\.css(?:[?#]|$)/i;

/** Whether the first bytes of a document decide what it is, and not its declared type alone. */
export const isUncertain = (declared: string | undefined): boolean =>
  VAGUE.has(declared) || ALIASES.has(declared) || isXmlType(declared);

function begins(bytes: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false;
  return true;
}
