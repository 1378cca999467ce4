/** The main content of a page, without navigation and advertisements. */
import { encodeQuery } from '../parser/query-charset.ts';
import { MAX_BLOCKS, pageRuns, type Run, type TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { MAX_ELEMENTS, parseElements } from './element-tree.ts';
import { mainBlocks } from './main-blocks.ts';
import { markdownOf } from './markdown.ts';
import { type PageMetadata, readMetadata } from './metadata.ts';
import { type PageKind, pageKind } from './page-kind.ts';
import { isShell } from './page-shell.ts';
import { withPictures } from './pictures.ts';
import { isPrice, withPrice } from './product-price.ts';

export interface Extracted {
  readonly metadata: PageMetadata;
  /** The main content as plain text, a blank line between its blocks. */
  readonly text: string;
  /** The main content as Markdown (CommonMark, with GFM's tables), references absolute. */
  readonly markdown: string;
  /** The Markdown is the document as its author wrote it: HTML and script are not taken out. */
  readonly format?: 'source';
  /**
   * The page that this one names as the canonical one: `link rel=canonical` outside of `body`, absolute. Undefined if several
   * name different ones.
   */
  readonly canonical?: string;
  /** The kind of page, of HTML. */
  readonly kind?: PageKind;
  /** All blocks of text that a reader sees, of HTML. */
  readonly blocks?: readonly SeenBlock[];
  /** The page has hardly any text and no links, and an empty element that its scripts fill. */
  readonly isShell?: boolean;
  /** Whether the page was too large, and its end was left out. */
  readonly isTruncated: boolean;
}

export interface SeenBlock {
  readonly text: string;
  /** Whether it is main content. */
  readonly isMain: boolean;
}

/** Further characters of a page are not looked at: they would take seconds. */
export const MAX_CHARS = 8 * 1024 * 1024;

/**
 * Extracts a page's main content and metadata. `url`: the base of references, unless the page has a base element.
 * `rewrite`: may replace the absolute URLs of links and images. `charset`: of the page, in which queries are encoded.
 * Never throws. Time and memory are linear in the page's length, up to 8 million characters, 100,000 elements and
 * 20,000 blocks of text.
 */
export function extractContent(
  html: string,
  url: string,
  rewrite: (url: string) => string = (absolute) => absolute,
  charset?: string,
): Extracted {
  return new Page(html, url, rewrite, charset);
}

/**
 * A class: of each object with getters that a literal makes, V8 keeps all that the getters refer to until a
 * collection of the whole heap.
 */
class Page implements Extracted {
  readonly metadata: PageMetadata;
  readonly isTruncated: boolean;
  readonly text: string;
  readonly canonical?: string;
  readonly #url: string;
  readonly #base: string;
  readonly #rewrite: (url: string) => string;
  readonly #charset: string | undefined;
  readonly #elements: readonly ContentElement[];
  readonly #all: readonly TextBlock[];
  #main: readonly TextBlock[];
  /** The blocks and pictures of the main content. */
  readonly #runs: readonly Run[];
  #markdown: string | undefined;
  #kind: PageKind | undefined;

  constructor(html: string, url: string, rewrite: (url: string) => string, charset: string | undefined) {
    const elements = parseElements(html.slice(0, MAX_CHARS));
    const data = readMetadata(elements, url);
    const runs = pageRuns(elements[0]!);
    const all = runs.blocks;
    const href = elements.find(({ name }) => name === 'base')?.attributes.href?.slice(0, 2000);
    this.#url = url;
    this.#base = (href === undefined ? undefined : URL.parse(encodeQuery(href, charset), url)?.href) ?? url;
    this.#rewrite = rewrite;
    this.#charset = charset;
    this.#elements = elements;
    this.#all = all;
    this.metadata = data.metadata;
    this.#main = mainBlocks(elements, all, data);
    // Few pages have a price: of others the kind is found when it is wanted.
    if (all.some(isPrice) && this.kind === 'product') this.#main = withPrice(this.#main, all);
    const { blocks, pictures } = withPictures(this.#main, runs);
    this.#main = blocks;
    this.#runs = inOrder([...blocks, ...pictures]);
    this.isTruncated = html.length > MAX_CHARS || elements.length >= MAX_ELEMENTS || all.length >= MAX_BLOCKS;
    this.text = this.#main.map(({ text }) => text).join('\n\n');
    const canonical = canonicalOf(elements, this.#base, charset);
    if (canonical !== undefined) this.canonical = canonical;
  }

  get kind(): PageKind {
    this.#kind ??= pageKind({
      url: this.#url,
      metadata: this.metadata,
      elements: this.#elements,
      blocks: this.#all,
      main: this.#main,
    });
    return this.#kind;
  }

  get isShell(): boolean {
    return isShell(this.#elements, this.#all);
  }

  get blocks(): readonly SeenBlock[] {
    const main = new Set(this.#main);
    return this.#all.map((block) => ({ text: block.text, isMain: main.has(block) }));
  }

  get markdown(): string {
    this.#markdown ??= markdownOf(this.#elements[0]!, this.#runs, (reference) => {
      const resolved = absolute(encodeQuery(reference, this.#charset), this.#base);
      return resolved === undefined ? undefined : this.#rewrite(resolved);
    });
    return this.#markdown;
  }
}

/** Runs of one element in their order: those of different elements may stand in any. */
const inOrder = (runs: Run[]): Run[] => runs.sort((a, b) => a.first - b.first);

function canonicalOf(
  elements: readonly ContentElement[],
  base: string,
  charset: string | undefined,
): string | undefined {
  const named = new Set<string | undefined>();
  for (const { name, attributes } of elements) {
    if (name === 'body') break;
    if (name !== 'link' || !attributes.href || !/(?:^|\s)canonical(?:\s|$)/i.test(attributes.rel ?? ''))
      continue;
    named.add(absolute(encodeQuery(attributes.href, charset), base));
  }
  const [found] = named;
  return named.size === 1 && found !== undefined && /^https?:/.test(found) ? found : undefined;
}

function absolute(reference: string, base: string): string | undefined {
  if (reference.length > 2000) return undefined;
  const url = URL.parse(reference, base);
  return url && /^(https?|mailto|tel):$/.test(url.protocol) ? url.href : undefined;
}
