/** The changes of pages on their way to the operator's programs: many in one event. */
import { hash } from 'node:crypto';
import type { CrawlId } from '../crawl/crawl-id.ts';
import type { UrlChange } from '../frontier/url-change.ts';
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

/** `lines`: each a {@link UrlChange} as JSON. The event of the same lines has the same id. */
export function changesEvent(
  crawl: CrawlId,
  lines: readonly string[],
  now: number,
): WebhookEvent<'pagesChanged', { readonly changes: readonly UrlChange[] }> {
  return {
    id: hash('sha256', JSON.stringify([crawl, lines])).slice(0, 32),
    type: 'pagesChanged',
    time: new Date(now).toISOString(),
    crawl,
    data: { changes: lines.map((line) => JSON.parse(line) as UrlChange) },
  };
}
