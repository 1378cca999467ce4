import { isDeepStrictEqual } from 'node:util';
import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { changeId, lastChangeOf, type UrlChange } from '../../shared/core/frontier/url-change.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { fetchedUrl } from '../../shared/core/url/request-url.ts';
import type { Violation } from '../worlds/spec.ts';
import type { Facts } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';

/**
 * In crawls with a change feed: the last change of each page that is there was received, or is still kept for that; what was
 * received is a change of a page that the crawl knows; and the same id is the same change.
 */
export function changesSent({
  crawls,
  deletion,
  pageChanges,
}: Pick<Facts, 'crawls' | 'deletion' | 'pageChanges'>): readonly Violation[] {
  const findings = createFindings('changesSent');
  const received = distinct(findings, pageChanges);
  for (const crawl of crawls) {
    const { id, config, unsentChanges } = crawl;
    if (!isRecrawling(config) || !config.changeFeed) continue;
    const kept = new Set(unsentChanges);
    for (const { host, records } of crawl.hosts.values())
      for (const record of records) {
        const change = changeOf(record);
        if (change && !received.has(change.id) && !kept.has(change.id))
          findings.add(
            `${id}: ${change.url} was seen ${change.change} ${since(Date.parse(change.at))}, which was not received, and is not kept`,
            { host, at: Date.parse(change.at) },
          );
      }
  }
  // A crawl that was deleted has sent changes, too.
  if (deletion) return findings.list;
  const known = new Set(crawls.flatMap((crawl) => [...crawl.known.keys()].map(fetchedUrl)));
  for (const { id, url } of received.values())
    if (!known.has(url)) findings.add(`the change ${id} was received, and no crawl knows its page`);
  return findings.list;
}

/** The change that the record of a page shows, if it is there. */
function changeOf(record: UrlRecord): Pick<UrlChange, 'id' | 'url' | 'at' | 'change'> | undefined {
  const { kind, state, recrawl } = record;
  if (kind !== undefined || (state !== 'fetched' && state !== 'gone') || !recrawl) return undefined;
  const change = lastChangeOf(record, recrawl);
  if (change === undefined) return undefined;
  const at = new Date(recrawl.changedAt).toISOString();
  const url = fetchedUrl(record.url);
  return { id: changeId({ at, change, url }), url, at, change };
}

function distinct(findings: Findings, changes: readonly UrlChange[]): Map<string, UrlChange> {
  const byId = new Map<string, UrlChange>();
  for (const change of changes) {
    const known = byId.get(change.id);
    if (known && !isDeepStrictEqual(known, change))
      findings.add(`two changes that are not the same were received as ${change.id}`);
    byId.set(change.id, change);
  }
  return byId;
}
