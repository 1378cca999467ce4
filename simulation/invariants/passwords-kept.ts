/** Passwords, cookies and headers of the settings, by the web's log; and links that change something at a site. */
import { hostKey } from '../../shared/core/url/host-key.ts';
import { fetchedUrl, isOwnRequest } from '../../shared/core/url/request-url.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';

type UsedFacts = Pick<Facts, 'web' | 'crawls' | 'members'>;

/**
 * Each request to a host brings what opens it, also of its robots.txt, and none to another host, wherever links and redirects lead.
 * A request of a hook may bring a header of its own instead.
 *
 * No link that changes something is requested where the site may know who asks: by what opens it, or by an account. Seeds, what they
 * redirect to and requests of hooks are requested all the same, and links of crawls that nobody knows.
 */
export function passwordsKept({ web, crawls, members }: UsedFacts): readonly Violation[] {
  const findings = createFindings('passwordsKept');
  for (const crawl of crawls) {
    const known = new Set([...crawl.openHosts, ...(members ? web.memberHosts : [])]);
    const named = namedBy(crawl, web);
    for (const request of [...web.log, ...web.parts])
      if (isBy(request, crawl)) {
        checkWords(findings, crawl, request);
        const { url, host, startedAt: at } = request;
        if (known.has(host) && web.isChange(url) && !isOwnRequest(url) && !named.has(url))
          findings.add(`${crawl.id}: ${url} was requested ${since(at)}, which changes something`, {
            host,
            at,
          });
      }
    checkLeftOut(findings, crawl, web, { known, named });
  }
  return findings.list;
}

function checkWords(findings: Findings, { id, openHosts }: CrawlFacts, request: WebRequest): void {
  const { url, host, words = [], startedAt: at } = request;
  for (const word of words)
    if (word !== host)
      findings.add(`${id}: ${url} was requested ${since(at)} with what opens ${word}`, { host, at });
  if (openHosts.includes(host) && !words.includes(host) && !isOwnRequest(url))
    findings.add(`${id}: ${url} was requested ${since(at)} without what opens its host`, { host, at });
}

/** Seeds, and where they redirect to. */
function namedBy({ seeds, laterSeeds }: CrawlFacts, web: UsedFacts['web']): Set<string> {
  const named = new Set([...seeds, ...laterSeeds]);
  for (const url of named) {
    const target = web.redirectOf(url);
    if (target !== undefined) named.add(target);
  }
  return named;
}

function checkLeftOut(
  findings: Findings,
  { id, seeds, laterSeeds, known: records }: CrawlFacts,
  web: UsedFacts['web'],
  { known, named }: { readonly known: ReadonlySet<string>; readonly named: ReadonlySet<string> },
): void {
  for (const { url, depth, result } of records.values()) {
    if (result?.cause?.code !== 'changeLink') continue;
    const host = hostKey(url);
    const isSeed = seeds.includes(url) || laterSeeds.includes(url);
    if (isSeed || isOwnRequest(url))
      findings.add(`${id}: ${url} was left out as a change, though the operator names it`, { host });
    else if (!known.has(host) || !web.isChange(fetchedUrl(url)))
      findings.add(
        `${id}: ${url} (depth ${depth}${named.has(url) ? ', of a seed' : ''}) was left out as a change, which it is not`,
        { host },
      );
  }
}
