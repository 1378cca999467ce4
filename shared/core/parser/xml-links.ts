/** The links of sitemaps and feeds, as the document's bytes arrive. XML of other kinds has no links. */
import { parseUrl } from '../url/parse-url.ts';
import { xmlSniffing } from './charset.ts';
import { createFeedElements } from './feed-elements.ts';
import {
  createLinkSet,
  type DroppedLinks,
  type HtmlLink,
  isRequisite,
  type LinkKind,
  MAX_BASE_CHARS,
  type ResolveReference,
  resolveReference,
  type UrlHints,
  withoutFragment,
} from './link-set.ts';
import { createSitemapElements } from './sitemap-elements.ts';
import type { RawAttributes } from './tag-attributes.ts';
import { createTextDecoder } from './text-decoder.ts';
import type { XmlElement, XmlReader, XmlSink } from './xml-reader.ts';
import { createXmlScanner, decodeXml } from './xml-scanner.ts';

export interface XmlLinksOptions {
  /** Absolute URL of the document. */
  readonly url: string;
  readonly contentType: string | undefined;
  /**
   * Links of a feed beyond this number are dropped and counted; of a sitemap, those beyond {@link
   * MAX_SITEMAP_LINKS}.
   */
  readonly maxLinks: number;
  readonly resolve?: ResolveReference | undefined;
  /** Images, videos and enclosures are among the links. */
  readonly wantsRequisites?: boolean | undefined;
}

export interface XmlLinks extends DroppedLinks {
  /** By the root element. */
  readonly type: 'sitemap' | 'sitemapIndex' | 'feed' | 'other';
  /** The root element's name; undefined: the document has no element. */
  readonly root?: string;
  readonly links: HtmlLink[];
  readonly charset: string;
  /** Why it was not read to its end, or its fault. */
  readonly fault?: string;
}

export interface XmlLinksParser {
  write(bytes: Uint8Array): void;
  end(): XmlLinks;
}

/** sitemaps.org, protocol: "no more than 50,000 URLs and must be no larger than 50MB (52,428,800 bytes)". */
export const MAX_SITEMAP_LINKS = 50_000;
export const MAX_SITEMAP_BYTES = 52_428_800;
/** Sitemaps need four levels, feeds five, and XHTML inside of them some more. */
const MAX_DEPTH = 32;
/** A longer text is not a URL, date or number. */
const MAX_TEXT_CHARS = 8192;

/**
 * The result does not depend on how the bytes are cut into pieces. Never expands entities, never fetches a
 * DTD.
 */
export function createXmlLinks(options: XmlLinksOptions): XmlLinksParser {
  const { url, contentType, maxLinks } = options;
  const open: XmlElement[] = [];
  const namesOf = createNames();
  let type: XmlLinks['type'] = 'other';
  let root: string | undefined;
  let warningTags = 0;
  let isOver = false;
  let fault: string | undefined;
  let collected = createCollected(options, maxLinks);
  let reader: XmlReader | undefined;
  /** The text of the innermost element, while it is wanted. */
  let text: string | undefined;

  const stop = (reason?: string) => {
    fault ??= reason;
    scanner.stop();
  };
  /** Returns whether the list begins with this element. */
  const opensList = (local: string): boolean => {
    root ??= local;
    type = ROOTS.get(local) ?? 'other';
    if (type === 'other') {
      // Behind a warning of the server's program a list may follow, behind another root element none.
      if (!OF_WARNINGS.has(root) || ++warningTags > MAX_WARNING_TAGS) stop();
      return false;
    }
    root = local;
    if (type !== 'feed') collected = createCollected(options, MAX_SITEMAP_LINKS);
    reader = (type === 'feed' ? createFeedElements : createSitemapElements)(collected);
    return true;
  };
  const close = () => {
    const element = open.pop()!;
    reader?.end(element, open.at(-1), text?.trim() ?? '');
    text = undefined;
    isOver = open.length === 0;
  };

  const scanner = createXmlScanner({
    onStartTag(name, attributes, isEmpty) {
      if (isOver) return;
      const parent = open.at(-1);
      const names = namesOf(name);
      if (parent === undefined && !opensList(names.local)) return;
      const element = elementOf(names, attributes, parent?.base ?? url);
      if (open.length >= MAX_DEPTH) return stop(`elements nested deeper than ${MAX_DEPTH}`);
      open.push(element);
      text = reader?.start(element, parent, attributes) ? '' : undefined;
      if (isEmpty) close();
    },
    onEndTag(name) {
      if (reader === undefined) return;
      const { local, prefix } = namesOf(name);
      const at = open.findLastIndex((element) => element.local === local && element.prefix === prefix);
      if (at === -1) {
        if (!isOver) fault ??= `</${name.slice(0, 50)}> closes nothing`;
        return;
      }
      if (at < open.length - 1) fault ??= `</${name.slice(0, 50)}> where <${open.at(-1)!.local}> is open`;
      while (open.length > at) close();
    },
    onText(source, from, to, isLiteral) {
      if (text === undefined || text.length > MAX_TEXT_CHARS) return;
      const raw = source.slice(from, Math.min(to, from + 2 * MAX_TEXT_CHARS));
      text += isLiteral ? raw : decodeXml(raw);
    },
    onEntities() {
      collected.drop();
      stop('declares entities');
    },
  });
  const decoder = createTextDecoder({
    ...xmlSniffing(contentType),
    onText: scanner.write,
  });

  return {
    write: decoder.write,
    end() {
      const charset = decoder.end();
      scanner.end();
      if (open.length > 0 && type !== 'other') fault ??= `ends inside <${open.at(-1)!.local}>`;
      if (collected.isOverfull())
        fault ??= `more than ${type === 'feed' ? maxLinks : MAX_SITEMAP_LINKS} links`;
      return { type, root, ...collected.end(), charset, fault };
    },
  };
}

const ROOTS: ReadonlyMap<string, XmlLinks['type']> = new Map([
  ['urlset', 'sitemap'],
  ['sitemapindex', 'sitemapIndex'],
  ['rss', 'feed'],
  ['rdf', 'feed'],
  ['feed', 'feed'],
]);

/** The elements of which PHP and its extensions make their warnings, and those of scripts that are added to each response. */
const OF_WARNINGS: ReadonlySet<string> = new Set(
  'b br center code div font h1 hr i link meta p pre script span strong style table'.split(' '),
);
/** A warning has some ten, and a list may stand behind hundreds of warnings. */
const MAX_WARNING_TAGS = 10_000;

function createCollected(
  { resolve = resolveReference, wantsRequisites = false }: XmlLinksOptions,
  maxLinks: number,
) {
  let links = createLinkSet(maxLinks);
  let tooLong = 0;
  const add: XmlSink['add'] = (reference, kind, { base }) => {
    if (reference === '' || (isRequisite(kind) && !wantsRequisites)) return undefined;
    if (reference.length > MAX_TEXT_CHARS) {
      tooLong++;
      return undefined;
    }
    const url = resolve(withoutFragment(reference), base);
    if (url !== undefined) links.add(url, kind, false);
    return url;
  };
  return {
    add,
    addRaw: (value: string, kind: LinkKind, element: XmlElement) =>
      add(decodeXml(value).trim(), kind, element),
    hint: (url: string, hints: UrlHints) => links.hint(url, hints),
    drop: () => {
      links = createLinkSet(0);
    },
    isOverfull: () => links.droppedLinks() > 0,
    end() {
      const { urlOf: _, droppedLinks, ...found } = links.resolved('', (url) => url);
      return { ...found, droppedLinks: droppedLinks + tooLong };
    },
  };
}

function createNames() {
  const known = new Map<string, Names>();
  /** A document has few names, and each often. */
  return (name: string): Names => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const names = splitName(name.toLowerCase());
    if (known.size < MAX_NAMES && name.length <= MAX_NAME_CHARS) known.set(name, names);
    return names;
  };
}

function splitName(name: string): Names {
  const colon = name.indexOf(':');
  return colon === -1
    ? { local: name, prefix: '' }
    : { local: name.slice(colon + 1), prefix: name.slice(0, colon) };
}

interface Names {
  readonly local: string;
  readonly prefix: string;
}
const MAX_NAMES = 256;
const MAX_NAME_CHARS = 64;

function elementOf({ local, prefix }: Names, attributes: RawAttributes, base: string): XmlElement {
  const given = attributes.get('xml:base');
  if (given === undefined || given.length > MAX_BASE_CHARS) return { local, prefix, base };
  const own = parseUrl(decodeXml(given), base)?.href ?? base;
  return { local, prefix, base: own.length > MAX_BASE_CHARS ? base : own };
}
