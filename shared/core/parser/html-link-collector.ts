/** Collects what the tags of an HTML document say: links, title, base, refresh, canonical URL, statements to robots. */
import { parseUrl } from '../url/parse-url.ts';
import { plainValue, type UsageSignal, type UsageStatement, usageWords } from '../usage/usage-statement.ts';
import { decodeAttribute, decodeText } from './character-references.ts';
import { createRequisites } from './html-requisites.ts';
import {
  createLinkSet,
  type DroppedLinks,
  type HtmlLink,
  type LinkKind,
  MAX_BASE_CHARS,
  type ResolveReference,
} from './link-set.ts';
import { essenceOf } from './media-type.ts';
import { type Refresh, refreshReference } from './meta-refresh.ts';
import { encodeQuery } from './query-charset.ts';
import { bothRobotsDirectives, parseRobotsDirectives, type RobotsDirectives } from './robots-directives.ts';
import type { RawAttributes } from './tag-attributes.ts';

export interface CollectorOptions {
  /** Links beyond this number are dropped and counted. */
  readonly maxLinks: number;
  /** Requisites are among the links. */
  readonly wantsRequisites?: boolean | undefined;
  /** Feeds that are named as alternates are among the links. */
  readonly wantsFeeds?: boolean | undefined;
  /** In lower case: `<meta name=...>` of this name counts like `robots`. */
  readonly robotName?: string | undefined;
}

/** All that a document says by its tags. */
export interface CollectedLinks extends DroppedLinks {
  /** In the order of the document, each URL once. */
  readonly links: HtmlLink[];
  /** Text of the first `title`, white space folded, cut at {@link MAX_TITLE_CHARS}. */
  readonly title?: string;
  /** The base of references: the first `base`, or the document's URL. */
  readonly base: string;
  /** Where the first `meta` refresh outside of `noscript` leads; it is also among the links, as are those within. */
  readonly refresh?: string;
  /** How long after. */
  readonly refreshMs?: number;
  /**
   * The URL of `link rel=canonical`, outside of `body`: there it may be a reader's comment. Undefined if several name different
   * ones, as of a template and of a plug-in.
   */
  readonly canonical?: string;
  readonly robots: RobotsDirectives;
  /** Statements of the page about the use of its content. */
  readonly usage: readonly UsageStatement[];
}

export const MAX_TITLE_CHARS = 1024;
/** Statements of one page about the use of its content. */
const MAX_STATEMENTS = 16;
/** Different spellings of one page's canonical URL that are looked at. */
const MAX_CANONICALS = 4;

/**
 * Collects references; they become URLs only when the document is over, since a `base` counts for all of them
 * wherever it stands.
 */
export function createCollector({
  maxLinks,
  wantsRequisites,
  wantsFeeds,
  robotName = 'robots',
}: CollectorOptions) {
  const links = createLinkSet(maxLinks);
  const requisites = wantsRequisites
    ? createRequisites((reference, kind) => links.add(reference, kind, false))
    : undefined;
  let baseReference: string | undefined;
  let title: string | undefined;
  let refresh: Refresh | undefined;
  const canonicals = new Set<string>();
  let isInBody = false;
  let isInNoscript = false;
  let robots: RobotsDirectives = { nofollow: false, noindex: false };
  const usage: UsageStatement[] = [];
  const state = (signal: UsageSignal, value: string) => {
    if (value !== '' && usage.length < MAX_STATEMENTS) usage.push({ signal, source: 'html', value });
  };

  const anchor = (kind: LinkKind, attributes: RawAttributes, reference = attributes.get('href')) => {
    if (reference !== undefined)
      links.add(decodeAttribute(reference), kind, hasToken(attributes.get('rel'), 'nofollow'));
  };
  const link = (attributes: RawAttributes) => {
    const reference = attributes.get('href');
    const rel = attributes.get('rel');
    if (!reference || rel === undefined) return;
    if (!isInBody && canonicals.size < MAX_CANONICALS && hasToken(rel, 'canonical'))
      canonicals.add(reference);
    if (hasToken(rel, 'license')) state('license', plainValue('license', decodeAttribute(reference)));
    if (wantsFeeds && FEED.test(attributes.get('type') ?? '') && hasToken(rel, 'alternate'))
      links.add(decodeAttribute(reference), 'feed', hasToken(rel, 'nofollow'));
    else if (isOtherPage(rel, attributes))
      links.add(decodeAttribute(reference), 'link', hasToken(rel, 'nofollow'));
  };
  const frame = (attributes: RawAttributes) => {
    const reference = attributes.get('src');
    // An empty `src` is about:blank, and no link to the document itself.
    if (reference) links.add(decodeAttribute(reference), 'frame', false);
  };
  /** Whatever draws it, a PDF or a page inside of the page is a document to be read. */
  const embedded = (attributes: RawAttributes, reference: string | undefined) => {
    const type = essenceOf(attributes.get('type'));
    const isDocument = type === undefined ? DOCUMENT_NAME.test(reference ?? '') : DOCUMENT_TYPE.test(type);
    if (reference && isDocument) links.add(decodeAttribute(reference), 'frame', false);
  };
  const meta = (attributes: RawAttributes) => {
    const content = decodeAttribute(attributes.get('content') ?? '');
    const name = attributes.get('name')?.toLowerCase();
    if (name === 'robots' || name === robotName) {
      robots = bothRobotsDirectives(robots, parseRobotsDirectives(content));
      state('robots', usageWords(content));
    } else if (name === 'tdm-reservation' || name === 'tdm-policy') state(name, plainValue(name, content));
    if (attributes.get('http-equiv')?.toLowerCase() === 'refresh' && refresh === undefined) {
      const found = refreshReference(content);
      if (found !== undefined) links.add(found.reference, 'refresh', false);
      // "Please enable JavaScript", on each page of a site: most readers are not sent there, and a crawler wants the page.
      if (!isInNoscript) refresh = found;
    }
  };

  return {
    startTag(name: string, attributes: RawAttributes): void {
      if (name === 'a' || name === 'area') anchor(name, attributes);
      else if (name === 'frame' || name === 'iframe') frame(attributes);
      else if (name === 'meta') meta(attributes);
      else if (name === 'base') baseReference ??= attributes.get('href');
      else if (name === 'link') link(attributes);
      else if (name === 'body') isInBody = true;
      else if (name === 'noscript') isInNoscript = true;
      else if (name === 'embed') embedded(attributes, attributes.get('src'));
      else if (name === 'object') embedded(attributes, attributes.get('data'));
      requisites?.startTag(name, attributes);
    },
    /** A tag of a document within the page: it says nothing of the page itself. */
    frameTag(name: string, attributes: RawAttributes): void {
      if (name === 'a' || name === 'area') anchor(name, attributes);
      else if (name === 'frame' || name === 'iframe') frame(attributes);
      requisites?.startTag(name, attributes);
    },
    /** `xlink:href` is the older name. */
    foreignAnchor(attributes: RawAttributes): void {
      anchor('link', attributes, attributes.get('href') ?? attributes.get('xlink:href'));
    },
    endNoscript(): void {
      isInNoscript = false;
    },
    styles: requisites && {
      onStyle: requisites.style,
      onStyledTag: requisites.styledTag,
      onForeignTag: requisites.foreignTag,
    },
    title(text: string): void {
      // Cut before decoding: a title that is never closed is the rest of the document.
      title ??= decodeText(text.slice(0, 16 * MAX_TITLE_CHARS))
        .replace(/[\t\n\f\r ]+/g, ' ')
        .trim()
        .slice(0, MAX_TITLE_CHARS);
    },
    resolved(url: string, charset: string, resolve: ResolveReference): CollectedLinks {
      const base = documentBase(baseReference, url, charset);
      // The document's own URL is as long as the crawl lets it be.
      const isLong = base !== url && base.length > MAX_BASE_CHARS;
      const { urlOf, ...resolved } = isLong
        ? links.resolvedAtRoot(parseUrl('/', base)?.href ?? url, resolve)
        : links.resolved(base, resolve);
      return {
        ...resolved,
        base,
        title,
        refresh: refresh && urlOf(refresh.reference),
        refreshMs: refresh?.delayMs,
        canonical: onlyOne([...canonicals].map((reference) => urlOf(decodeAttribute(reference)))),
        robots,
        usage,
      };
    },
  };
}

const onlyOne = <T>([first, ...others]: readonly T[]): T | undefined =>
  others.every((other) => other === first) ? first : undefined;

/** Whether a `link` leads to the page in another language, or to another part of a list or text: scripts show these, too. */
const isOtherPage = (rel: string, attributes: RawAttributes): boolean =>
  (attributes.get('hreflang') !== undefined && hasToken(rel, 'alternate')) ||
  hasToken(rel, 'next') ||
  hasToken(rel, 'prev');

/** Documents in `embed` and `object`. */
const DOCUMENT_TYPE = /^(?:application\/pdf|text\/html|application\/xhtml\+xml)$/;
const DOCUMENT_NAME = /\.(?:pdf|html?|xhtml)(?:[?#]|$)/i;

/** Types of feeds, where a `link` names one. */
const FEED = /^[\t\n\f\r ]*application\/(?:(?:rss|atom|rdf)\+xml|feed\+json)[\t\n\f\r ]*(?:;|$)/i;

/** HTML standard, section 4.2.3: a base that does not parse, or is a script or data, counts as none. */
function documentBase(reference: string | undefined, url: string, charset: string): string {
  const base =
    reference === undefined ? null : parseUrl(encodeQuery(decodeAttribute(reference), charset), url);
  return base === null || base.protocol === 'data:' || base.protocol === 'javascript:' ? url : base.href;
}

function hasToken(value: string | undefined, token: string): boolean {
  const text = value?.toLowerCase();
  return text === token || (text?.includes(token) === true && text.split(/[\t\n\f\r ]+/).includes(token));
}
