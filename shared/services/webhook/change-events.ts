/** The changes of pages, the visits of sites and the hosts that refuse on their way to the operator's programs: many in one event. */
import { hash } from 'node:crypto';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { RefusedHost } from '../../core/frontier/host-refusal.ts';
import type { SiteVisit } from '../../core/frontier/site-visit.ts';
import type { UrlChange } from '../../core/frontier/url-change.ts';
import type { WebhookEvent } from './webhook.ts';

/** Changes of one event, and their bytes: EventBridge counts each 64 KB of an event as one. */
export const MAX_CHANGES = 100;
export const MAX_CHANGE_BYTES = 60_000;

/** Puts lines of JSON into groups for one event each, in their order. A line that is longer than that is a group of its own. */
export function changeGroups(lines: readonly string[]): string[][] {
  const groups: string[][] = [];
  let bytes = 0;
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1;
    const group = groups.at(-1);
    if (group && group.length < MAX_CHANGES && bytes + size <= MAX_CHANGE_BYTES) {
      group.push(line);
      bytes += size;
    } else {
      groups.push([line]);
      bytes = size;
    }
  }
  return groups;
}

type ChangesEvent = WebhookEvent<'pagesChanged', { readonly changes: readonly UrlChange[] }>;
type SitesEvent = WebhookEvent<'sitesVisited', { readonly sites: readonly SiteVisit[] }>;

type RefusedEvent = WebhookEvent<'hostsRefused', { readonly hosts: readonly RefusedHost[] }>;
type FeedEvent = ChangesEvent | SitesEvent | RefusedEvent;

/**
 * The events of some lines, each a {@link UrlChange}, a {@link SiteVisit} or a {@link RefusedHost} as JSON: one for each kind among the lines.
 * Equal lines give events with equal ids.
 */
export function changesEvents(crawl: CrawlId, lines: readonly string[], now: number): FeedEvent[] {
  const changes: UrlChange[] = [];
  const sites: SiteVisit[] = [];
  const hosts: RefusedHost[] = [];
  for (const line of lines) {
    const parsed = JSON.parse(line) as UrlChange | SiteVisit | RefusedHost;
    if ('outcome' in parsed) sites.push(parsed);
    else if ('refusal' in parsed) hosts.push(parsed);
    else changes.push(parsed);
  }
  const eventOf = <Type extends string, Data extends object>(type: Type, data: Data) => ({
    id: hash('sha256', JSON.stringify([crawl, type, lines])).slice(0, 32),
    type,
    time: new Date(now).toISOString(),
    crawl,
    data,
  });
  const events: FeedEvent[] = [];
  if (changes.length > 0) events.push(eventOf('pagesChanged', { changes }));
  if (sites.length > 0) events.push(eventOf('sitesVisited', { sites }));
  if (hosts.length > 0) events.push(eventOf('hostsRefused', { hosts }));
  return events;
}
