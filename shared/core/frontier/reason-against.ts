import type { Scope } from '../crawl/scope.ts';
import type { SkipReason } from '../crawl/skip-reason.ts';
import { fetchedUrl, isOwnRequest } from '../url/request-url.ts';
import type { Link } from './message.ts';

/**
 * Returns the first reason against a link whose URL has passed the URL rules. A requisite, a sitemap and what
 * the project requests need not lie within the scope: only the rules that exclude seeds exclude them.
 */
export function reasonAgainst(scope: Scope, { url, depth, kind, isSeed }: Link): SkipReason | undefined {
  if (isOwnRequest(url)) return scope.check(fetchedUrl(url), 0, true);
  return kind === undefined ? scope.check(url, depth, isSeed) : scope.check(url, 0, true);
}
