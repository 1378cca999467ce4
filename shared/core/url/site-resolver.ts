/** Resolves the references of the pages of a site, most of which stand on many of them. */
import { canonicalize, createResolver } from './canonical.ts';
import { origin } from './host-key.ts';

/** Characters of the references that are remembered, and of one of them. */
const MAX_CHARS = 50_000;
const MAX_REFERENCE_CHARS = 1000;

/**
 * Returns a function that reads a reference relative to a base, as {@link createResolver} does. What does not depend on
 * the page, but on its site at most, is remembered: its URL is the same string each time.
 */
export function createSiteResolver(): (reference: string, base: string) => string | undefined {
  const known = new Map<string, string>();
  let lastBase: string | undefined;
  let resolve = (_: string): string | undefined => undefined;
  let site: string | undefined;
  let room = MAX_CHARS;

  function rebase(base: string): void {
    lastBase = base;
    resolve = createResolver(base);
    const canonical = canonicalize(base);
    const next = canonical && origin(canonical);
    if (next === site) return;
    site = next;
    known.clear();
    room = MAX_CHARS;
  }

  function remember(reference: string, url: string): void {
    if (reference.length > MAX_REFERENCE_CHARS || reference.length > room) return;
    room -= reference.length;
    // Not a view of the page's text, which would stay.
    known.set(Buffer.from(reference).toString(), url);
  }

  return (reference, base) => {
    if (base !== lastBase) rebase(base);
    if (site === undefined || !isOfSite(reference)) return resolve(reference);
    const found = known.get(reference);
    if (found !== undefined) return found;
    const url = resolve(reference);
    if (url !== undefined) remember(reference, url);
    return url;
  };
}

/** Whether it means the same on all pages of a site. `http:a` is relative to the page. */
const isOfSite = (reference: string): boolean =>
  reference.startsWith('/') || reference.startsWith('http://') || reference.startsWith('https://');
