import type { Scope } from '../crawl/scope.ts';
import type { SkipReason } from '../crawl/skip-reason.ts';
import type { Link } from './message.ts';

/**
 * Returns the first reason against a link whose URL has passed the URL rules. A requisite and a sitemap need not lie within
 * the scope: only what excludes seeds excludes them.
 */
export function reasonAgainst(scope: Scope, { url, depth, kind, isSeed }: Link): SkipReason | undefined {
  return kind === undefined ? scope.check(url, depth, isSeed) : scope.check(url, 0, true);
}
