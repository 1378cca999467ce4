/** Redirects that lead nowhere. */
import type { Cause, RedirectCause } from '../../shared/core/causes/cause.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';

/**
 * Whether nobody gets further by the redirect: it has no target, or one that is not a URL, or there were more redirects in a row
 * than the crawl follows. A target with another scheme, as of a program, is one.
 */
export function isBrokenRedirect({ url, result }: Pick<UrlRecord, 'url' | 'result'>): boolean {
  const cause = result?.cause;
  if (cause?.code === 'redirectToNoUrl') return !isOtherScheme(cause, url);
  return (
    cause?.code === 'redirectWithoutLocation' ||
    (cause?.code === 'redirect' && cause.notFollowed === 'redirects')
  );
}

function isOtherScheme({ location }: Extract<Cause, { code: 'redirectToNoUrl' }>, base: string): boolean {
  const target = URL.parse(location, base);
  return target !== null && target.protocol !== 'http:' && target.protocol !== 'https:';
}

/**
 * Whether a redirect may be a part of a loop. Pages that show each other by a meta refresh are a show of pictures; and
 * a site that needs a cookie shows the page to clients that send it.
 */
export const mayLoop = ({ isSoft, wantsCookie }: RedirectCause): boolean => !isSoft && !wantsCookie;

/** Returns the loops among redirects, each beginning with its least URL. In linear time. */
export function loopsIn(redirects: ReadonlyMap<string, string>): string[][] {
  const seenBy = new Map<string, string>();
  const loops: string[][] = [];
  for (const start of redirects.keys()) {
    let at: string | undefined = start;
    while (at !== undefined && !seenBy.has(at)) {
      seenBy.set(at, start);
      at = redirects.get(at);
    }
    if (at !== undefined && seenBy.get(at) === start) loops.push(loopFrom(at, redirects));
  }
  return loops;
}

function loopFrom(start: string, redirects: ReadonlyMap<string, string>): string[] {
  const urls = [start];
  for (let at = redirects.get(start)!; at !== start; at = redirects.get(at)!) urls.push(at);
  const least = urls.reduce((best, url, i) => (url < urls[best]! ? i : best), 0);
  return [...urls.slice(least), ...urls.slice(0, least)];
}

/** URLs of a loop that are named. */
const MAX_NAMED = 5;

export function loopText(loop: readonly string[]): string {
  const named = [...loop.slice(1, MAX_NAMED), ...(loop.length > MAX_NAMED ? ['...'] : []), loop[0]];
  return `a loop of redirects: to ${named.join(', then to ')}`;
}
