/** The metadata of a document: meta elements, Open Graph, JSON-LD, and its title. */
import type { ContentElement } from './content-element.ts';
import { textOf } from './element-text.ts';
import { fold } from './fold.ts';
import { chooseTitle, type Heading } from './title.ts';

export interface PageMetadata {
  readonly title?: string;
  readonly description?: string;
  readonly author?: string;
  /** As written: mostly ISO 8601. */
  readonly published?: string;
  readonly modified?: string;
  readonly language?: string;
  readonly siteName?: string;
  /** Absolute URL of its image, as written. */
  readonly image?: string;
  /** Pages of a PDF or text document, slides of a presentation, sheets of a workbook. */
  readonly pages?: number;
  /** Types of schema.org that its JSON-LD names, such as `Article`, and `og:type`. */
  readonly types: readonly string[];
}

/** Metadata, and texts of the document's structured data that its main content may repeat. */
export interface StructuredData {
  readonly metadata: PageMetadata;
  /** The title as the model was trained with it. */
  readonly modelTitle: string;
  readonly texts: readonly string[];
  /** `href` of its `base` element. */
  readonly base: string | undefined;
}

const MAX_JSON_CHARS = 500_000;
const MAX_JSON_VALUES = 5000;
const MAX_DEPTH = 32;
const MAX_HEADINGS = 200;
const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3']);

/** `url`: the page's, whose host may be the name of the site. */
export function readMetadata(elements: readonly ContentElement[], url: string): StructuredData {
  const meta = new Map<string, string>();
  let titleElement: string | undefined;
  let language: string | undefined;
  let base: ContentElement | undefined;
  let published: ContentElement | undefined;
  const headings: Heading[] = [];
  const items: LdItem[] = [];
  for (const element of elements) {
    const { name, attributes } = element;
    if (attributes.itemprop === 'datePublished') published ??= element;
    if (name === 'html') language = attributes.lang ?? attributes['xml:lang'];
    else if (name === 'title' && titleElement === undefined && element.parent?.name !== 'svg')
      titleElement = textOf(element);
    else if (HEADINGS.has(name) && headings.length < MAX_HEADINGS) {
      headings.push({ level: Number(name[1]), text: textOf(element), isLink: isLinkElsewhere(element) });
    } else if (name === 'meta') {
      const key = (attributes.property ?? attributes.name ?? attributes.itemprop ?? '').toLowerCase();
      if (key !== '' && attributes.content && !meta.has(key)) meta.set(key, attributes.content.trim());
    } else if (name === 'base') base ??= element;
    else if (name === 'script' && /^application\/ld\+json/i.test(attributes.type ?? '')) {
      const text = element.children.filter((child) => typeof child === 'string').join('');
      if (text.length <= MAX_JSON_CHARS) readJson(text, items);
    }
  }
  const first = (key: keyof LdItem): string | undefined => {
    for (const item of items) if (item[key] !== undefined && item[key] !== '') return item[key] as string;
    return undefined;
  };
  const declared = [first('headline'), meta.get('og:title') ?? meta.get('twitter:title')].flatMap(
    (text) => text ?? [],
  );
  const type = meta.get('og:type');
  const metadata = withoutEmpty({
    title: chooseTitle({
      declared,
      titleElement,
      headings,
      siteName: meta.get('og:site_name'),
      host: URL.parse(url)?.hostname ?? '',
    }),
    description: meta.get('description') ?? meta.get('og:description') ?? first('description'),
    author: first('author') ?? meta.get('author') ?? meta.get('article:author') ?? meta.get('dc.creator'),
    published:
      first('datePublished') ??
      meta.get('article:published_time') ??
      meta.get('datepublished') ??
      meta.get('date') ??
      meta.get('dc.date') ??
      published?.attributes.datetime,
    modified: first('dateModified') ?? meta.get('article:modified_time') ?? meta.get('og:updated_time'),
    language,
    siteName: meta.get('og:site_name'),
    image: meta.get('og:image'),
    types: [...new Set([...items.flatMap(({ types }) => types), ...(type ? [type] : [])])],
  });
  const texts = [metadata.description, ...items.flatMap(({ texts }) => texts)];
  const firstH1 = headings.find(({ level }) => level === 1)?.text;
  const modelTitle = fold(declared[0] ?? firstH1 ?? titleElement ?? '');
  return {
    ...{ metadata, modelTitle, base: base?.attributes.href },
    texts: texts.filter((text) => text !== undefined),
  };
}

/** Whether all of it is a link, other than to a place of the page itself. */
function isLinkElsewhere({ children }: ContentElement): boolean {
  let only: ContentElement | undefined;
  for (const child of children) {
    if (typeof child === 'string' ? child.trim() === '' : child.isUnseen) continue;
    if (typeof child === 'string' || only !== undefined) return false;
    only = child;
  }
  const href = only?.name === 'a' ? only.attributes.href : undefined;
  return href !== undefined && !href.startsWith('#');
}

interface LdItem {
  readonly types: readonly string[];
  readonly headline?: string;
  readonly description?: string;
  readonly author?: string;
  readonly datePublished?: string;
  readonly dateModified?: string;
  /** Text that may also be visible on the page: descriptions, texts, questions and answers. */
  readonly texts: readonly string[];
}

function readJson(text: string, items: LdItem[]): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Many pages have broken JSON-LD.
    return;
  }
  let left = MAX_JSON_VALUES;
  visit(value, 0);

  function visit(node: unknown, depth: number): void {
    if (depth > MAX_DEPTH || left-- <= 0 || typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, depth + 1);
      return;
    }
    const fields = node as Record<string, unknown>;
    const types = [fields['@type']].flat().filter((type) => typeof type === 'string');
    const texts = ['description', 'text', 'articleBody', 'reviewBody'].flatMap(
      (key) => string(fields[key]) ?? [],
    );
    if (types.length > 0) {
      const isDocument = types.some((type) =>
        /Article|Posting|News|Product|Recipe|Page|Question|Event|Job/.test(type),
      );
      items.push({
        types,
        texts,
        ...(isDocument
          ? {
              headline: /Page$/.test(types[0]!) ? undefined : string(fields.headline),
              description: string(fields.description),
              author: nameOf(fields.author),
              datePublished: string(fields.datePublished),
              dateModified: string(fields.dateModified),
            }
          : {}),
      });
    }
    for (const [key, child] of Object.entries(fields)) if (key !== '@context') visit(child, depth + 1);
  }
}

const string = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

function nameOf(author: unknown): string | undefined {
  const names = [author].flat().flatMap((one) => {
    const name = typeof one === 'object' && one !== null ? (one as { name?: unknown }).name : one;
    return string([name].flat()[0]) ?? [];
  });
  return names.length > 0 ? names.slice(0, 10).join(', ') : undefined;
}

function withoutEmpty<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== '')) as T;
}
