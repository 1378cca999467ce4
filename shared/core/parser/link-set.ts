/** The distinct links of one document, bounded. */
import { parseUrl } from '../url/parse-url.ts';

/**
 * How a document links to a URL.
 *
 * - To be followed: `a`, `area`, `frame` (`frame`, `iframe`, and documents in `embed` and `object`), `refresh` (`meta` refresh), `link` (the page in
 *   another language, the next and the previous one; an `a` of SVG), `feed` (an RSS or Atom feed named as alternate),
 *   `item` (of a feed), `url` (of a sitemap), `sitemap` (of a sitemap index).
 * - Requisites, which belong to the page itself: `img` (also `srcset`, `picture`, icons, posters), `style`,
 *   `script`, `media` (audio, video, tracks, `embed`, `object`), `css` (`url()` and `@import` of styles),
 *   `font`.
 */
export type LinkKind = FollowedKind | RequisiteKind;
type FollowedKind = 'a' | 'area' | 'frame' | 'refresh' | 'link' | 'feed' | 'item' | 'url' | 'sitemap';
export type RequisiteKind = 'img' | 'style' | 'script' | 'media' | 'css' | 'font';

export interface HtmlLink {
  /** Absolute http(s) URL as the WHATWG parser writes it, without a fragment. */
  readonly url: string;
  /** If several links lead to one URL: that of the first link to be followed, a `link` last, otherwise of the first link. */
  readonly kind: LinkKind;
  /** A URL that is to be followed is part of the page, too: an image that links to itself. */
  readonly requisite?: RequisiteKind;
  /** True if all links to this URL that are to be followed say `rel=nofollow`. */
  readonly nofollow?: boolean;
  /**
   * For URLs of a sitemap: their `priority`, 0 to 1, and when they were last modified, in ms since the epoch. The
   * latter of items of a feed, too.
   */
  readonly priority?: number;
  readonly modifiedAt?: number;
}

/**
 * The absolute http(s) URL that `reference` (never with a fragment) means at `base`; undefined if it means
 * none.
 */
export type ResolveReference = (reference: string, base: string) => string | undefined;

/** By the WHATWG URL parser. */
export function resolveReference(reference: string, base: string): string | undefined {
  const url = parseUrl(reference, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.href;
}

/**
 * Longer references, also those that are longer once resolved (a base may be long), are never URLs that can be fetched:
 * inlined data, or an attribute without its closing quote. V8 hashes texts of up to 16,383 characters; longer ones of
 * one length all have the same hash, and a Map of them takes time quadratic in their number: 110 s for a page of 6,000.
 */
const MAX_REFERENCE_CHARS = 16_000;

/**
 * References are not resolved against a longer base (`<base href>`, `xml:base`), which would take longer and
 * longer: 2 us each with one of this length.
 */
export const MAX_BASE_CHARS = 2083;

/** The kinds of page requisites. */
const REQUISITES: ReadonlySet<LinkKind> = new Set<RequisiteKind>([
  'img',
  'style',
  'script',
  'media',
  'css',
  'font',
]);

export function isRequisite(kind: LinkKind): kind is RequisiteKind {
  return REQUISITES.has(kind);
}

/** The fields of a sitemap's entry about a URL. */
export interface UrlHints {
  readonly priority?: number | undefined;
  readonly modifiedAt?: number | undefined;
}

interface Entry {
  kind: LinkKind;
  isNofollow: boolean;
  requisite: RequisiteKind | undefined;
  hints: UrlHints | undefined;
}

/** Adds another link to the URL of `entry`. */
function merge(entry: Entry, kind: LinkKind, isNofollow: boolean): void {
  if (isRequisite(kind)) {
    if (!isRequisite(entry.kind)) entry.requisite ??= kind;
  } else if (isRequisite(entry.kind)) {
    entry.requisite = entry.kind;
    entry.kind = kind;
    entry.isNofollow = isNofollow;
  } else {
    if (entry.kind === 'link') entry.kind = kind;
    entry.isNofollow &&= isNofollow;
  }
}

/** References of one document together, and its URLs together: a long base makes each one long. */
const MAX_TOTAL_CHARS = 32 * 1024 * 1024;
/** At most this many of the dropped links are named. */
const MAX_NAMED = 1000;

/** The links of a document that were left out. */
export interface DroppedLinks {
  /** A link that stands there twice may count twice. */
  readonly droppedLinks: number;
  /** Why: `more than 100000 links`. There if links are left out. */
  readonly dropCause?: string;
  /** The first of them, at most 1,000. */
  readonly dropped?: readonly string[];
  /** Links to routes behind `#` (`/#/guide`), which are pages only where scripts run. At most 1,000. */
  readonly hashRoutes?: readonly string[];
}

/** Keeps at most `maxLinks` references, and counts further ones that it does not know. */
export function createLinkSet(maxLinks: number) {
  const references = new Map<string, Entry>();
  let chars = 0;
  let droppedLinks = 0;
  const causes = new Set<string>();
  /** References that are not kept, but may be named. */
  const named: string[] = [];
  let hashRoutes: Set<string> | undefined;

  const drop = (cause: string, reference?: string) => {
    droppedLinks++;
    causes.add(cause);
    if (reference !== undefined && named.length < MAX_NAMED && reference.length <= MAX_BASE_CHARS)
      named.push(reference);
  };

  const noteRoute = (reference: string, at: number) => {
    ROUTE.lastIndex = at;
    if (reference.length > MAX_BASE_CHARS || !ROUTE.test(reference)) return;
    hashRoutes ??= new Set();
    if (hashRoutes.size < MAX_NAMED) hashRoutes.add(reference);
  };

  return {
    add(reference: string, kind: LinkKind, isNofollow: boolean): void {
      const key = withoutFragment(reference);
      if (key.length < reference.length && kind === 'a') noteRoute(reference, key.length);
      const known = references.get(key);
      if (known !== undefined) merge(known, kind, isNofollow);
      else if (mayHaveScheme(key) && OTHER_SCHEME.test(key)) return;
      else if (key.length > MAX_REFERENCE_CHARS) drop(TOO_LONG);
      else if (references.size >= maxLinks) drop(`more than ${maxLinks} links`, key);
      else if (chars + key.length > MAX_TOTAL_CHARS) drop(TOO_MANY_CHARS, key);
      else {
        chars += key.length;
        references.set(key, { kind, isNofollow, requisite: undefined, hints: undefined });
      }
    },

    /** Adds facts about a reference that is kept; facts that it already has stay. */
    hint(reference: string, hints: UrlHints): void {
      const known = references.get(withoutFragment(reference));
      if (known !== undefined) known.hints = bothHints(known.hints, hints);
    },

    droppedLinks: () => droppedLinks,

    /** The links at `base`, and a function for other references of the document. */
    resolved,

    /**
     * As above, for a base that is too long, with `root` as its root folder: drops and counts references that are
     * relative to more than that.
     */
    resolvedAtRoot: (root: string, resolve?: ResolveReference) => resolved(root, resolve, FROM_ROOT),
  };

  function resolved(base: string, resolve: ResolveReference = resolveReference, only?: RegExp) {
    const entries = new Map<string, Entry>();
    let left = MAX_TOTAL_CHARS;
    // By `forEach`: an iterator makes an array for each entry.
    references.forEach((entry, reference) => {
      const isLeftOut = only?.test(reference) === false;
      if (isLeftOut) drop(`relative to a base of more than ${MAX_BASE_CHARS} characters`);
      const url = isLeftOut ? undefined : resolve(reference, base);
      if (url === undefined) return;
      if (url.length > MAX_REFERENCE_CHARS) {
        drop(TOO_LONG);
        return;
      }
      const known = entries.get(url);
      if (known === undefined) {
        left -= url.length;
        if (left >= 0) entries.set(url, entry);
        else drop(TOO_MANY_CHARS, reference);
        return;
      }
      merge(known, entry.kind, entry.isNofollow);
      if (entry.requisite !== undefined) merge(known, entry.requisite, false);
      known.hints = bothHints(known.hints, entry.hints);
    });
    const urlOf = (reference: string): string | undefined =>
      only?.test(reference) === false ? undefined : resolve(withoutFragment(reference), base);
    const links: HtmlLink[] = [];
    entries.forEach((entry, url) => {
      links.push(linkOf(url, entry));
    });
    return { links, ...whatIsDropped(urlOf), urlOf };
  }

  function whatIsDropped(urlOf: (reference: string) => string | undefined): DroppedLinks {
    const routes = hashRoutes && { hashRoutes: routesAt(urlOf, hashRoutes) };
    if (droppedLinks === 0) return { droppedLinks, ...routes };
    const dropped = new Set(named.map(urlOf).filter((url) => url !== undefined));
    return { droppedLinks, dropCause: [...causes].join(', '), dropped: [...dropped], ...routes };
  }

  function routesAt(urlOf: (reference: string) => string | undefined, found: Iterable<string>): string[] {
    const routes = [...found].flatMap((reference) => {
      const url = urlOf(reference);
      return url === undefined ? [] : [url + reference.slice(reference.indexOf('#'))];
    });
    return [...new Set(routes)];
  }
}

/** The fragment of a route: `#/guide`, `#!/guide`. */
const ROUTE = /#!?\/[^/\s]/y;

const TOO_LONG = `links of more than ${MAX_REFERENCE_CHARS} characters`;
const TOO_MANY_CHARS = `more than ${MAX_TOTAL_CHARS} characters of links`;

/** A reference with a scheme, or one that begins with a slash. */
const FROM_ROOT = /^[\0-\x20]*(?:[/\\]|[a-z][a-z\d+.-]*:)/i;

function linkOf(url: string, { kind, isNofollow, requisite, hints }: Entry): HtmlLink {
  if (!isNofollow && requisite === undefined && hints === undefined) return { url, kind };
  return {
    url,
    kind,
    ...(requisite !== undefined && { requisite }),
    ...(isNofollow && { nofollow: true }),
    ...(hints?.priority !== undefined && { priority: hints.priority }),
    ...(hints?.modifiedAt !== undefined && { modifiedAt: hints.modifiedAt }),
  };
}

function bothHints(first: UrlHints | undefined, second: UrlHints | undefined): UrlHints | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    priority: first.priority ?? second.priority,
    modifiedAt: first.modifiedAt ?? second.modifiedAt,
  };
}

export function withoutFragment(reference: string): string {
  const hash = reference.indexOf('#');
  return hash === -1 ? reference : reference.slice(0, hash);
}

/** Most references begin with a slash, a dot or `http`: a look is cheaper than an expression. */
function mayHaveScheme(reference: string): boolean {
  if (reference === '') return false;
  const first = reference.charCodeAt(0);
  return first !== 0x2f && first !== 0x2e && first !== 0x68;
}

/** Schemes that are known to lead nowhere need not be kept or resolved. */
const OTHER_SCHEME = /^[\0-\x20]*(?:javascript|mailto|tel|data|blob|about|sms|whatsapp):/i;
