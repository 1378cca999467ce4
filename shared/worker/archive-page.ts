/** A page in the archive: as a response, or as a revisit of one archived before, with what is known of it beside. */
import { encodeCapture, encodeRevisit, isRevisitable } from '../archive/capture.ts';
import { encodeMetadata } from '../archive/metadata.ts';
import type { RecordLocation } from '../archive/record-location.ts';
import type { FetchedResponse } from '../fetcher/outcome/fetch-outcome.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { DocumentFacts } from '../parser/document.ts';
import type { Crawl } from './crawls.ts';
import { type HostState, reading } from './host-state.ts';
import type { Services } from './services.ts';

/** Appends the exchange. Where its main record stands; durable when the turn has flushed the archive. */
export async function archivePage(
  { engine, records }: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  response: FetchedResponse,
  facts: DocumentFacts | undefined,
): Promise<RecordLocation | undefined> {
  const payloads = crawl.config.revisits && isRevisitable(response) ? engine.payloads : undefined;
  const key = payloads && Buffer.from(response.body.sha1).toString('latin1');
  const original =
    payloads && key && (state.payloads.get(key) ?? (await payloads.find(crawl.id, response.body.sha1)));
  const encoded = await reading(state, () =>
    original ? encodeRevisit(response, original, records) : encodeCapture(response, records),
  );
  if (key && !original) state.payloads.set(key, encoded.payload);
  const members = [...encoded.members];
  if (crawl.config.metadata && record.kind !== 'sitemap')
    members.push(
      encodeMetadata(
        {
          concurrentTo: encoded.responseId,
          url: response.url,
          date: encoded.date,
          via: record.via,
          hopsFromSeed: record.depth,
          fetchTimeMs: response.endedAt - response.startedAt,
          title: facts?.title,
          charset: facts?.charset,
          links: facts?.links,
          droppedLinks: facts?.droppedLinks,
          dropCause: facts?.dropCause,
        },
        { newId: records.newId, maxOutlinks: crawl.config.metadataLinks },
      ),
    );
  const [location] = await engine.archiveOf(crawl.id).append(members, [encoded.capture]);
  state.hasArchived = true;
  return location;
}
