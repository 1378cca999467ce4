import { nearDuplicateIn } from '../../shared/core/causes/cause.ts';
import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { isRoute } from '../../shared/core/url/hash-route.ts';
import { fetchedUrl } from '../../shared/core/url/request-url.ts';
import { templateOf } from '../../shared/core/url/template-of.ts';
import type { Violation } from '../worlds/spec.ts';
import type { Facts } from './facts.ts';
import { createFindings } from './findings.ts';

/**
 * A page is taken for a copy only if the crawl wants that, and only of an earlier page of its template that is none itself: so
 * what is skipped is there once. A page that is skipped has no item. A crawl that recrawls may have other originals since.
 * A route behind `#` may be a copy of its shell, or of another route of it, in any crawl.
 */
export function nearDuplicates({ crawls }: Pick<Facts, 'crawls'>): readonly Violation[] {
  const findings = createFindings('nearDuplicates');
  for (const { id, config, known, items } of crawls) {
    const withItem = new Set(items);
    for (const { url, result } of known.values()) {
      const copy = nearDuplicateIn(result?.cause);
      if (copy === undefined) continue;
      const say = (what: string) => findings.add(`${id}: ${url} is taken for a copy of ${copy.of}, ${what}`);
      const isOfRoute = isRoute(url);
      if (config.nearDuplicates === 'off' && !isOfRoute) say('and the crawl does not look for copies');
      if ((copy.isSkipped === true) !== (config.nearDuplicates === 'skip')) say('and is not treated as one');
      if (copy.isSkipped && withItem.has(url)) say('and has an item');
      if (isRecrawling(config)) continue;
      if (isOfRoute) {
        if (fetchedUrl(copy.of) !== fetchedUrl(url)) say('which has another shell');
        continue;
      }
      const original = known.get(copy.of);
      if (original?.state !== 'fetched' || nearDuplicateIn(original.result?.cause))
        say('which is no original');
      else if (templateOf(copy.of) !== templateOf(url)) say('which has another template');
      else if ((original.result?.fetchedAt ?? 0) > (result?.fetchedAt ?? 0)) say('which came later');
    }
  }
  return findings.list;
}
