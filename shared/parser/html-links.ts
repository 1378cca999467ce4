/** The links of an HTML document, and what its head says of it, as the document's bytes arrive. */
import { decodeAttribute, decodeText } from './character-references.ts';
import { SNIFFED_BYTES, sniffCharset } from './charset.ts';
import { type CharsetDecoder, createCharsetDecoder } from './charset-decoder.ts';
import { createHtmlScanner } from './html-scanner.ts';
import { createLinkSet, type HtmlLink, type LinkKind, type ResolveReference } from './link-set.ts';
import { essenceOf } from './media-type.ts';
import { refreshReference } from './meta-refresh.ts';
import { bothRobotsDirectives, parseRobotsDirectives, type RobotsDirectives } from './robots-directives.ts';
import type { RawAttributes } from './tag-attributes.ts';

export type { HtmlLink, LinkKind, ResolveReference } from './link-set.ts';

export interface HtmlLinksOptions {
  /** Absolute URL of the document. */
  readonly url: string;
  readonly contentType: string | undefined;
  /** Links beyond this number are dropped and counted. */
  readonly maxLinks: number;
  /** How references become URLs. Called once for each distinct one, without its fragment. */
  readonly resolve?: ResolveReference;
}

export interface HtmlLinks {
  /** In the order of the document, each URL once. */
  readonly links: HtmlLink[];
  /** How many more there were: those beyond `maxLinks`, and references too long to be URLs. */
  readonly droppedLinks: number;
  /** Text of the first `title`, white space folded, cut at {@link MAX_TITLE_CHARS}. */
  readonly title?: string;
  /** What references were resolved against: the first `base`, or the document's URL. */
  readonly base: string;
  /** Where the first `meta` refresh leads; it is also among the links. */
  readonly refresh?: string;
  /** The first `link rel=canonical`. */
  readonly canonical?: string;
  readonly robots: RobotsDirectives;
  readonly charset: string;
}

export interface HtmlLinksParser {
  write(bytes: Uint8Array): void;
  end(): HtmlLinks;
}

export const MAX_TITLE_CHARS = 1024;

/** The result does not depend on how the bytes are cut into pieces. */
export function createHtmlLinks({ url, contentType, maxLinks, resolve }: HtmlLinksOptions): HtmlLinksParser {
  const collector = createCollector(maxLinks);
  const scanner = createHtmlScanner({
    elements: ELEMENTS,
    isXml: essenceOf(contentType) === 'application/xhtml+xml',
    onStartTag: collector.startTag,
    onTitle: collector.title,
  });
  let start: Uint8Array[] = [];
  let startLength = 0;
  let charset = '';
  let decoder: CharsetDecoder | undefined;

  const decodeStart = () => {
    const bytes = start.length === 1 ? start[0]! : Buffer.concat(start);
    start = [];
    charset = sniffCharset(bytes, contentType);
    decoder = createCharsetDecoder(charset);
    scanner.write(decoder.decode(bytes));
    return decoder;
  };

  return {
    write(bytes) {
      if (decoder !== undefined) return scanner.write(decoder.decode(bytes));
      start.push(bytes);
      startLength += bytes.length;
      if (startLength >= SNIFFED_BYTES) decodeStart();
    },
    end() {
      scanner.write((decoder ?? decodeStart()).end());
      scanner.end();
      return { ...collector.resolved(url, resolve), charset };
    },
  };
}

const ELEMENTS: ReadonlySet<string> = new Set(['a', 'area', 'base', 'frame', 'iframe', 'link', 'meta']);

/**
 * Collects references; they become URLs only when the document is over, since a `base` counts for all of them
 * wherever it stands.
 */
function createCollector(maxLinks: number) {
  const links = createLinkSet(maxLinks);
  let baseReference: string | undefined;
  let title: string | undefined;
  let refresh: string | undefined;
  let canonical: string | undefined;
  let robots: RobotsDirectives = { nofollow: false, noindex: false };

  const link = (kind: LinkKind, attributes: RawAttributes) => {
    const reference = attributes.get('href');
    if (reference !== undefined)
      links.add(decodeAttribute(reference), kind, hasToken(attributes.get('rel'), 'nofollow'));
  };
  const frame = (attributes: RawAttributes) => {
    const reference = attributes.get('src');
    // An empty `src` is about:blank, and no link to the document itself.
    if (reference) links.add(decodeAttribute(reference), 'frame', false);
  };
  const meta = (attributes: RawAttributes) => {
    const content = decodeAttribute(attributes.get('content') ?? '');
    if (attributes.get('name')?.toLowerCase() === 'robots') {
      robots = bothRobotsDirectives(robots, parseRobotsDirectives(content));
    }
    if (attributes.get('http-equiv')?.toLowerCase() === 'refresh' && refresh === undefined) {
      refresh = refreshReference(content);
      if (refresh !== undefined) links.add(refresh, 'refresh', false);
    }
  };

  return {
    startTag(name: string, attributes: RawAttributes): void {
      if (name === 'a' || name === 'area') link(name, attributes);
      else if (name === 'frame' || name === 'iframe') frame(attributes);
      else if (name === 'meta') meta(attributes);
      else if (name === 'base') baseReference ??= attributes.get('href');
      else if (hasToken(attributes.get('rel'), 'canonical')) canonical ??= attributes.get('href');
    },
    title(text: string): void {
      // Cut before decoding: a title that is never closed is the rest of the document.
      title ??= decodeText(text.slice(0, 16 * MAX_TITLE_CHARS))
        .replace(/[\t\n\f\r ]+/g, ' ')
        .trim()
        .slice(0, MAX_TITLE_CHARS);
    },
    resolved(url: string, resolve?: ResolveReference): Omit<HtmlLinks, 'charset'> {
      const base = documentBase(baseReference, url);
      const { urlOf, ...resolved } = links.resolved(base, resolve);
      return {
        ...resolved,
        base,
        title,
        refresh: refresh && urlOf(refresh),
        canonical: canonical && urlOf(decodeAttribute(canonical)),
        robots,
      };
    },
  };
}

/** HTML standard, section 4.2.3: a base that does not parse, or is a script or data, counts as none. */
function documentBase(reference: string | undefined, url: string): string {
  const base = reference === undefined ? null : URL.parse(decodeAttribute(reference), url);
  return base === null || base.protocol === 'data:' || base.protocol === 'javascript:' ? url : base.href;
}

function hasToken(value: string | undefined, token: string): boolean {
  return (
    value
      ?.toLowerCase()
      .split(/[\t\n\f\r ]+/)
      .includes(token) ?? false
  );
}
