/** The main content of a page, without navigation and advertisements. */
import { MAX_BLOCKS, textBlocks } from './blocks.ts';
import { type ContentElement, MAX_ELEMENTS, parseElements } from './element-tree.ts';
import { mainBlocks } from './main-blocks.ts';
import { markdownOf } from './markdown.ts';
import { type PageMetadata, readMetadata } from './metadata.ts';
import { type PageKind, pageKind } from './page-kind.ts';

export interface Extracted {
  readonly metadata: PageMetadata;
  /** The main content as plain text, a blank line between its blocks. */
  readonly text: string;
  /** The main content as Markdown (CommonMark, with GFM's tables), references absolute. */
  readonly markdown: string;
  /** The page that this one names as the canonical one: `link rel=canonical`, absolute. */
  readonly canonical?: string;
  /** The kind of page, of HTML. */
  readonly kind?: PageKind;
  /** Whether the page was too large, and its end was left out. */
  readonly isTruncated: boolean;
}

/** Further characters of a page are not looked at: they would take seconds. */
export const MAX_CHARS = 8 * 1024 * 1024;

/**
 * Extracts a page's main content and metadata. `url`: what references are relative to, unless the page has a
 * base element. `rewrite`: may replace the absolute URLs of links and images. Never throws. Time and memory
 * are linear in the page's length, up to 8 million characters, 100,000 elements and 20,000 blocks of text.
 */
export function extractContent(
  html: string,
  url: string,
  rewrite: (url: string) => string = (absolute) => absolute,
): Extracted {
  const elements = parseElements(html.slice(0, MAX_CHARS));
  const root = elements[0]!;
  const data = readMetadata(elements, url);
  const all = textBlocks(root);
  const blocks = mainBlocks(elements, all, data);
  const href = elements.find(({ name }) => name === 'base')?.attributes.href?.slice(0, 2000);
  const base = (href === undefined ? undefined : URL.parse(href, url)?.href) ?? url;
  let markdown: string | undefined;
  let kind: PageKind | undefined;
  return {
    metadata: data.metadata,
    isTruncated: html.length > MAX_CHARS || elements.length >= MAX_ELEMENTS || all.length >= MAX_BLOCKS,
    text: blocks.map(({ text }) => text).join('\n\n'),
    ...canonicalOf(elements, base),
    get kind() {
      kind ??= pageKind({ url, metadata: data.metadata, elements, blocks: all, main: blocks });
      return kind;
    },
    get markdown() {
      markdown ??= markdownOf(root, blocks, (reference) => {
        const resolved = absolute(reference, base);
        return resolved === undefined ? undefined : rewrite(resolved);
      });
      return markdown;
    },
  };
}

function canonicalOf(elements: readonly ContentElement[], base: string): { readonly canonical?: string } {
  const link = elements.find(
    ({ name, attributes }) => name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attributes.rel ?? ''),
  );
  const found = link?.attributes.href === undefined ? undefined : absolute(link.attributes.href, base);
  return found !== undefined && /^https?:/.test(found) ? { canonical: found } : {};
}

function absolute(reference: string, base: string): string | undefined {
  if (reference.length > 2000) return undefined;
  const url = URL.parse(reference, base);
  return url && /^(https?|mailto|tel):$/.test(url.protocol) ? url.href : undefined;
}
