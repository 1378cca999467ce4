/**
 * Routes behind `#`: pages that scripts show at one URL of the server, as `/#/guide` (docsify, the hash mode of Vue
 * Router and React Router) and `/#!/guide` (AngularJS, ExtJS). A crawl that renders knows each as a page of its own: the
 * canonical URL of its shell, then the route.
 */
import { canonicalize } from './canonical.ts';
import { foldPercent } from './fold-percent.ts';
import { parseUrl } from './parse-url.ts';

/** `#/` alone is the shell itself, and a fragment without a slash (`#install`) a place in a page. */
const ROUTE = /^#!?\/[^/\s#]/;
/** A step that leads nowhere, as docsify writes it: `#/./guide`. */
const SAME_FOLDER = /\/\.(?=\/)/g;
/** A longer route is text. */
const MAX_ROUTE_CHARS = 2000;

/** Whether a reference, as it is written, stays within its page: it is a fragment, and no route. */
export const isPlace = (reference: string): boolean => reference.startsWith('#') && !ROUTE.test(reference);

/** Returns the route of a URL of the ledger, from its `#` on; undefined for other URLs. */
export function routeOf(url: string): string | undefined {
  const at = url.indexOf('#');
  // A request of a project (`request-url.ts`) has base64 after its mark, which never begins with a slash.
  return at < 0 || !ROUTE.test(url.slice(at, at + 4)) ? undefined : url.slice(at);
}

export const isRoute = (url: string): boolean => url.includes('#') && routeOf(url) !== undefined;

/**
 * Returns the canonical URL of the route that `input` leads to; undefined if it leads to none. A place in the page of a
 * route (`#/guide#install`) is left out.
 */
export function canonicalRoute(input: string, base?: string): string | undefined {
  const at = input.indexOf('#');
  if (at < 0) return undefined;
  const fragment = input.slice(at).trimEnd();
  if (fragment.length > MAX_ROUTE_CHARS || !ROUTE.test(fragment)) return undefined;
  const place = fragment.indexOf('#', 1);
  const shell = canonicalize(input.slice(0, at), base);
  const encoded = parseUrl(place < 0 ? fragment : fragment.slice(0, place), 'http://a/')?.hash;
  return shell && encoded ? shell + foldPercent(encoded).replace(SAME_FOLDER, '') : undefined;
}

/** The canonical URL of a page that may be a route. */
export const canonicalPage = (input: string, base?: string): string | undefined =>
  canonicalRoute(input, base) ?? canonicalize(input, base);

/** docsify names a place in the page of a route by a parameter: `#/guide?id=install`. */
export function withoutPlace(url: string): string {
  const hash = url.indexOf('#');
  const mark = hash < 0 ? -1 : url.indexOf('?', hash);
  return mark >= 0 && url.startsWith('?id=', mark) && !url.includes('&', mark) ? url.slice(0, mark) : url;
}

/** Returns the route that a reference leads to, or the one in whose page it names a place, if `isKnown` holds for it. */
export function knownRoute(
  reference: string,
  base: string | undefined,
  isKnown: (url: string) => boolean,
): string | undefined {
  const route = canonicalRoute(reference, base);
  return route === undefined ? undefined : [route, withoutPlace(route)].find(isKnown);
}
