import { origin } from '../../shared/core/url/host-key.ts';
import { fetchedUrl } from '../../shared/core/url/request-url.ts';
import { isUsageFile } from '../web/usage.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy } from './facts.ts';
import { createFindings } from './findings.ts';

/** Whether the crawl makes a use of pages that a site of this web may forbid. */
export const heedsUse = ({ config: { purpose } }: Pick<CrawlFacts, 'config'>): boolean =>
  purpose === 'search' || purpose === 'train-ai';

/**
 * A crawl with a purpose has no item of a page whose answer forbids that use. One that analyses texts has none of a page that the
 * host's file of reservations names, if that was answered whenever it was asked for. And no page is kept back for another reason.
 */
export function purposeKept({ crawls, web }: Pick<Facts, 'crawls' | 'web'>): readonly Violation[] {
  const findings = createFindings('purposeKept');
  for (const crawl of crawls) {
    const files = Map.groupBy(
      web.log.filter((request) => isUsageFile(request.url) && isBy(request, crawl)),
      ({ url }) => origin(url),
    );
    const mayBeKeptBack = (url: string) => {
      const reserved = heedsUse(crawl) ? web.reservesUse(url) : undefined;
      return reserved === 'inField' || (reserved === 'inFile' && crawl.config.purpose === 'train-ai');
    };
    const isKnown = (url: string) =>
      web.reservesUse(url) === 'inField' || isAnswered(files.get(origin(fetchedUrl(url))));
    for (const url of new Set(crawl.items))
      if (mayBeKeptBack(url) && isKnown(url) && crawl.known.get(url)?.result?.httpStatus === 200)
        findings.add(`${crawl.id}: there is an item of ${url}, whose use is forbidden`);
    for (const { url, state, result } of crawl.known.values())
      if (state === 'fetched' && result?.cause?.code === 'usageForbidden' && !mayBeKeptBack(url))
        findings.add(`${crawl.id}: ${url} is kept back, and nothing forbids its use`);
  }
  return findings.list;
}

const isAnswered = (requests: readonly WebRequest[] = []): boolean =>
  requests.length > 0 && requests.every(({ httpStatus, isCut }) => httpStatus === 200 && !isCut);
