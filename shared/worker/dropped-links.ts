/** Links that the parser left out of a page: counted, listed as far as they are known, and said of the page. */
import type { UrlRecord } from '../frontier/url-record.ts';
import type { DocumentFacts } from '../parser/document.ts';
import type { DroppedLinks } from '../parser/link-set.ts';
import type { Crawl } from './crawls.ts';
import type { HostState } from './host-state.ts';
import type { Services } from './services.ts';

/** `23958 links left out: more than 100000 links`; undefined if none was. */
export function droppedText({ droppedLinks, dropCause }: DroppedLinks): string | undefined {
  return droppedLinks === 0
    ? undefined
    : `${droppedLinks} ${droppedLinks === 1 ? 'link' : 'links'} left out: ${dropCause ?? 'too long to be URLs'}`;
}

export function countDroppedLinks(
  { engine }: Services,
  { id }: Crawl,
  { totals }: HostState,
  { url, via }: UrlRecord,
  facts: DocumentFacts,
): void {
  const cause = droppedText(facts);
  if (cause === undefined) return;
  totals.skipped.linksPerPage = (totals.skipped.linksPerPage ?? 0) + facts.droppedLinks;
  engine.skips?.note(id, { url, reason: 'linksPerPage', via, cause });
  for (const link of facts.dropped ?? [])
    engine.skips?.note(id, { url: link, reason: 'linksPerPage', via: url });
}
