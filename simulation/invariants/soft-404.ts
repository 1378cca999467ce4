import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import type { Violation } from '../worlds/spec.ts';
import type { Facts } from './facts.ts';
import { createFindings, since } from './findings.ts';
import type { HostVisits } from './visits.ts';

/**
 * No page that exists is taken for one that does not, and no redirect of this web leads to nowhere. A host is asked once
 * for a page that does not exist, unless a turn of it was thrown away; and never by a crawl that does not want to, or
 * that is of its seeds alone.
 */
export function soft404(
  { web }: { readonly web: Pick<Facts['web'], 'isMissing'> },
  visited: readonly HostVisits[],
): readonly Violation[] {
  const findings = createFindings('soft404');
  for (const { crawl, host, requests, lost } of visited) {
    for (const record of host.records)
      if (isTakenForMissing(record) && (record.state === 'redirect' || !web.isMissing(record.url)))
        findings.add(`${crawl.id}: ${record.url} is taken for a page that does not exist`, {
          host: host.host,
        });
    const probes = requests.filter(({ url }) => isProbe(url));
    const { soft404: isOn = false, scope } = crawl.config;
    const most = isOn && scope !== 'page' ? 1 : 0;
    const extra = probes[most];
    if (extra && (lost === 0 || most === 0) && !isRecrawling(crawl.config))
      findings.add(`${crawl.id}: ${extra.url} was requested ${since(extra.startedAt)}`, {
        host: host.host,
        at: extra.startedAt,
      });
  }
  return findings.list;
}

const isTakenForMissing = ({ result }: UrlRecord): boolean =>
  result?.cause?.code === 'softNotFound' ||
  (result?.cause?.code === 'redirect' && result.cause.isNotFound === true);

/** Whether the crawler asks for the URL to see how the host answers for a page that does not exist: no page has such a name. */
export const isProbe = (url: string): boolean => /\/[a-z]{14}(?:\.(?:html|php))?\/?$/.test(url);
