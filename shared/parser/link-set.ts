/** The distinct links of one document, bounded. */

/**
 * How a document links to a URL.
 *
 * - To be followed: `a`, `area`, `frame` (`frame` and `iframe`), `refresh` (`meta` refresh), `feed` (an RSS or Atom feed
 *   named as alternate), `item` (of a feed), `url` (of a sitemap), `sitemap` (of a sitemap index).
 * - Requisites, which belong to the page itself: `img` (also `srcset`, `picture`, icons, posters), `style`, `script`,
 *   `media` (audio, video, tracks, `embed`, `object`), `css` (`url()` and `@import` of styles), `font`.
 */
export type LinkKind = FollowedKind | RequisiteKind;
export type FollowedKind = 'a' | 'area' | 'frame' | 'refresh' | 'feed' | 'item' | 'url' | 'sitemap';
export type RequisiteKind = 'img' | 'style' | 'script' | 'media' | 'css' | 'font';

export interface HtmlLink {
  /** Absolute http(s) URL as the WHATWG parser writes it, without a fragment. */
  readonly url: string;
  /** Of several links to one URL, the first one's. */
  readonly kind: LinkKind;
  /** True if all links to this URL say `rel=nofollow`. */
  readonly nofollow?: boolean;
  /** Of a sitemap's URLs: how much they are said to matter, 0 to 1; when they were last modified, ms since the epoch. */
  readonly priority?: number;
  readonly modifiedAt?: number;
}

/** The absolute http(s) URL that `reference` (never with a fragment) means at `base`; undefined if it means none. */
export type ResolveReference = (reference: string, base: string) => string | undefined;

/** The WHATWG URL parser. */
function resolveReference(reference: string, base: string): string | undefined {
  const url = URL.parse(reference, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.href;
}

/** Longer references are no URLs that anyone fetches: inlined data, or an attribute without its closing quote. */
const MAX_REFERENCE_CHARS = 65_536;

interface Reference {
  readonly kind: LinkKind;
  isNofollow: boolean;
}

/** Keeps at most `maxLinks` references, and counts further ones that it does not know. */
export function createLinkSet(maxLinks: number) {
  const references = new Map<string, Reference>();
  let droppedLinks = 0;

  return {
    add(reference: string, kind: LinkKind, isNofollow: boolean): void {
      const key = withoutFragment(reference);
      const known = references.get(key);
      if (known !== undefined) known.isNofollow &&= isNofollow;
      else if (OTHER_SCHEME.test(key)) return;
      else if (references.size < maxLinks && key.length <= MAX_REFERENCE_CHARS)
        references.set(key, { kind, isNofollow });
      else droppedLinks++;
    },

    /** The links at `base`, and a function for other references of the document. */
    resolved(base: string, resolve: ResolveReference = resolveReference) {
      const links = new Map<string, { url: string; kind: LinkKind; nofollow?: boolean }>();
      const urls = new Map<string, string | undefined>();
      for (const [reference, { kind, isNofollow }] of references) {
        const url = resolve(reference, base);
        urls.set(reference, url);
        if (url === undefined) continue;
        const known = links.get(url);
        if (known === undefined) links.set(url, isNofollow ? { url, kind, nofollow: true } : { url, kind });
        else if (!isNofollow) delete known.nofollow;
      }
      const urlOf = (reference: string): string | undefined => {
        const key = withoutFragment(reference);
        return urls.has(key) ? urls.get(key) : resolve(key, base);
      };
      return { links: [...links.values()] as HtmlLink[], droppedLinks, urlOf };
    },
  };
}

function withoutFragment(reference: string): string {
  const hash = reference.indexOf('#');
  return hash === -1 ? reference : reference.slice(0, hash);
}

/** Schemes that are known to lead nowhere need not be kept or resolved. */
const OTHER_SCHEME = /^[\0-\x20]*(?:javascript|mailto|tel|data|blob|about|sms|whatsapp):/i;
