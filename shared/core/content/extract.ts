/** The main content of a page, without navigation and advertisements. */
import { encodeQuery } from '../parser/query-charset.ts';
import { MAX_BLOCKS, type PageRuns, pageRuns, type Run, type TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { MAX_ELEMENTS, parseElements } from './element-tree.ts';
import { createHiddenCheck } from './hidden-elements.ts';
import { mainBlocks } from './main-blocks.ts';
import { markdownOf } from './markdown.ts';
import { type PageMetadata, readMetadata, type StructuredData } from './metadata.ts';
import { type PageKind, pageKind } from './page-kind.ts';
import { isShell } from './page-shell.ts';
import { withPictures } from './pictures.ts';
import { isPrice, withPrice } from './product-price.ts';
import { visibleText } from './visible-text.ts';

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
  /** All that a reader sees as one line of text, of HTML: {@link visibleText}. */
  readonly visibleText?: string;
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
 * Returns a page's main content and metadata. The page is parsed once and its main content is chosen once, each when a
 * property first needs it. `url`: the base of references, unless the page has a base element. `rewrite`: may replace the
 * absolute URLs of links and images. `charset`: of the page, in which queries are encoded.
 * Never throws. Time and memory are linear in the page's length, up to 8 million characters, 100,000 elements and
 * 20,000 blocks of text.
 */
export function extractContent(
  html: string,
  url: string,
  rewrite: (url: string) => string = (absolute) => absolute,
  charset?: string,
): Extracted {
  return new Page(html, url, { rewrite, charset });
}

/** As {@link extractContent}, without all that a browser would not show (`createHiddenCheck`). */
export function extractSeenContent(
  html: string,
  url: string,
  rewrite: (url: string) => string = (absolute) => absolute,
  charset?: string,
): Extracted {
  return new Page(html, url, { rewrite, charset, onlySeen: true });
}

interface Reading {
  readonly rewrite: (url: string) => string;
  readonly charset: string | undefined;
  readonly onlySeen?: boolean;
}

/** The blocks that were chosen, and what is written of them as Markdown. */
interface Choice {
  readonly main: readonly TextBlock[];
  /** The blocks and pictures of the main content. */
  readonly runs: readonly Run[];
}

/** All blocks of a page as Markdown, navigation included. Bounded as {@link extractContent} is. Never throws. */
export function wholeMarkdown(html: string, url: string, charset?: string): string {
  const elements = parseElements(html.slice(0, MAX_CHARS));
  const { blocks, pictures } = pageRuns(elements[0]!);
  return markdownOf(elements[0]!, inOrder([...blocks, ...pictures]), (reference) =>
    absolute(encodeQuery(reference, charset), url),
  );
}

/**
 * A class: of each object with getters that a literal makes, V8 keeps all that the getters refer to until a
 * collection of the whole heap.
 */
class Page implements Extracted {
  readonly #html: string;
  readonly #url: string;
  readonly #rewrite: (url: string) => string;
  readonly #charset: string | undefined;
  readonly #onlySeen: boolean;
  #parsed: readonly ContentElement[] | undefined;
  #data: StructuredData | undefined;
  #seen: PageRuns | undefined;
  #chosen: Choice | undefined;
  #text: string | undefined;
  #markdown: string | undefined;
  #visibleText: string | undefined;
  #kind: PageKind | undefined;

  constructor(html: string, url: string, { rewrite, charset, onlySeen = false }: Reading) {
    this.#html = html;
    this.#onlySeen = onlySeen;
    this.#url = url;
    this.#rewrite = rewrite;
    this.#charset = charset;
  }

  get #elements(): readonly ContentElement[] {
    if (this.#parsed === undefined) {
      const html = this.#html.slice(0, MAX_CHARS);
      this.#parsed = parseElements(html, undefined, this.#onlySeen ? createHiddenCheck(html) : undefined);
    }
    return this.#parsed;
  }

  get #structured(): StructuredData {
    this.#data ??= readMetadata(this.#elements, this.#url);
    return this.#data;
  }

  get #runs(): PageRuns {
    this.#seen ??= pageRuns(this.#elements[0]!);
    return this.#seen;
  }

  get #choice(): Choice {
    this.#chosen ??= this.#choose();
    return this.#chosen;
  }

  #choose(): Choice {
    const runs = this.#runs;
    const chosen = mainBlocks(this.#elements, runs.blocks, this.#structured);
    let { main } = chosen;
    // Few pages have a price: of others the kind is found when it is wanted.
    if (runs.blocks.some(isPrice)) {
      this.#kind = this.#kindWith(main);
      if (this.#kind === 'product') main = withPrice(main, runs.blocks);
    }
    const { blocks, pictures } = withPictures(main, runs, chosen.asideElements);
    return { main: blocks, runs: inOrder([...blocks, ...pictures]) };
  }

  #kindWith(main: readonly TextBlock[]): PageKind {
    const { blocks } = this.#runs;
    return pageKind({ url: this.#url, metadata: this.metadata, elements: this.#elements, blocks, main });
  }

  get #base(): string {
    const href = this.#structured.base?.slice(0, 2000);
    return (
      (href === undefined ? undefined : URL.parse(encodeQuery(href, this.#charset), this.#url)?.href) ??
      this.#url
    );
  }

  get metadata(): PageMetadata {
    return this.#structured.metadata;
  }

  get text(): string {
    this.#text ??= this.#choice.main.map(({ text }) => text).join('\n\n');
    return this.#text;
  }

  get markdown(): string {
    if (this.#markdown === undefined) {
      const base = this.#base;
      this.#markdown = markdownOf(this.#elements[0]!, this.#choice.runs, (reference) => {
        const resolved = absolute(encodeQuery(reference, this.#charset), base);
        return resolved === undefined ? undefined : this.#rewrite(resolved);
      });
    }
    return this.#markdown;
  }

  get visibleText(): string {
    this.#visibleText ??= visibleText(this.#elements[0]!);
    return this.#visibleText;
  }

  get canonical(): string | undefined {
    return canonicalOf(this.#elements, this.#base, this.#charset);
  }

  get kind(): PageKind {
    const { main } = this.#choice;
    this.#kind ??= this.#kindWith(main);
    return this.#kind;
  }

  get isShell(): boolean {
    return isShell(this.#elements, this.#runs.blocks);
  }

  get isTruncated(): boolean {
    return (
      this.#html.length > MAX_CHARS ||
      this.#elements.length >= MAX_ELEMENTS ||
      this.#runs.blocks.length >= MAX_BLOCKS
    );
  }

  get blocks(): readonly SeenBlock[] {
    const main = new Set(this.#choice.main);
    return this.#runs.blocks.map((block) => ({ text: block.text, isMain: main.has(block) }));
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
