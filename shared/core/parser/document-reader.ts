/** Which parser reads a document, by its type and by what it was fetched as. */
import type { UrlKind } from '../url/url-kind.ts';
import { createCssLinks } from './css-links.ts';
import { createHtmlLinks, type HtmlLinks, type HtmlLinksOptions } from './html-links.ts';
import { createJsonFeedLinks, JSON_FEED_TYPE } from './json-feed.ts';
import type { DroppedLinks, HtmlLink } from './link-set.ts';
import { createMarkdownLinks } from './markdown-links.ts';
import { createSitemapLinks } from './sitemap-links.ts';
import { isXmlType, XHTML_TYPE } from './type-of-xml.ts';
import { isMarkdownType, isWholeType } from './whole-types.ts';
import { createXmlLinks, MAX_SITEMAP_BYTES } from './xml-links.ts';

/**
 * The type as which the document was read. `document`: to be read as a whole (`whole-types.ts`), which is not done here.
 * `other`: not read at all.
 */
export type DocumentType =
  | 'html'
  | 'css'
  | 'markdown'
  | 'sitemap'
  | 'sitemapIndex'
  | 'feed'
  | 'document'
  | 'other';

/** The result of a parser; missing fields do not apply. */
export interface ReadDocument
  extends Partial<Omit<HtmlLinks, 'links' | 'droppedLinks' | 'base'>>,
    DroppedLinks {
  readonly type: DocumentType;
  readonly links: HtmlLink[];
  readonly fault?: string | undefined;
  /** For a gzip file, that of its content. */
  readonly decodedBytes?: number | undefined;
  /** False if a gzip file is not. */
  readonly isWhole?: boolean | undefined;
}

export interface DocumentReader {
  write(bytes: Uint8Array): void;
  end(): ReadDocument | Promise<ReadDocument>;
}

export interface ReaderOptions extends HtmlLinksOptions {
  readonly kind?: UrlKind | undefined;
  readonly maxDecodedBytes: number;
}

/** Undefined for a type that is not read. */
export function createDocumentReader(
  mimeType: string | undefined,
  options: ReaderOptions,
): DocumentReader | undefined {
  if (options.kind === 'sitemap') return withoutRoot(createSitemapLinks(options));
  if (mimeType === 'text/html' || mimeType === XHTML_TYPE) {
    const html = createHtmlLinks({ ...options, isXml: mimeType === XHTML_TYPE });
    return {
      write: html.write,
      end() {
        const { base: _, ...found } = html.end();
        return { type: 'html', ...found };
      },
    };
  }
  if (mimeType === 'text/css') {
    if (!options.wantsRequisites) return UNREAD_CSS;
    const css = createCssLinks(options);
    return { write: css.write, end: () => ({ type: 'css', ...css.end() }) };
  }
  if (isMarkdownType(mimeType)) {
    const markdown = createMarkdownLinks(options);
    return { write: markdown.write, end: () => ({ type: 'markdown', ...markdown.end() }) };
  }
  if (isWholeType(mimeType)) return UNREAD_WHOLE;
  if (mimeType === JSON_FEED_TYPE) return createJsonFeedLinks(options);
  if (isPackedXml(mimeType, options.url)) return withoutRoot(createPackedXml(options));
  return isXmlType(mimeType) ? withoutRoot(createXmlLinks(options)) : undefined;
}

const GZIP_TYPES =
  /^(?:application\/(?:x-)?gzip|(?:application|binary)\/octet-stream|(?:application|text)\/xml)$/;

/** Whether it is XML in a gzip file by its name, as sitemaps are: `sitemap.xml.gz`. */
const isPackedXml = (mimeType = '', url: string): boolean =>
  GZIP_TYPES.test(mimeType) && /\.xml\.gz(?:[?#]|$)/i.test(url);

/** XML other than sitemaps and feeds has no links. */
function createPackedXml(options: ReaderOptions): ListParser {
  const maxDecodedBytes = Math.min(options.maxDecodedBytes, MAX_SITEMAP_BYTES);
  return createSitemapLinks({ ...options, maxDecodedBytes, isXmlAlone: true });
}

/** A style sheet has requisites only. */
const UNREAD_CSS: DocumentReader = {
  write: () => {},
  end: () => ({ type: 'css', links: [], droppedLinks: 0 }),
};

const UNREAD_WHOLE: DocumentReader = {
  write: () => {},
  end: () => ({ type: 'document', links: [], droppedLinks: 0 }),
};

interface ListParser {
  write(bytes: Uint8Array): void;
  end(): (ReadDocument & { root?: string }) | Promise<ReadDocument & { root?: string }>;
}

/** The root's name is for the parsers' own use. */
function withoutRoot(parser: ListParser): DocumentReader {
  return {
    write: parser.write,
    async end() {
      const { root: _, ...found } = await parser.end();
      return found.type === 'other' ? { ...found, charset: undefined } : found;
    },
  };
}
