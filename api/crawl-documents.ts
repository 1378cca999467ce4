/** The pages of a crawl as documents, from its ledgers and its archive, wherever they are. */
import type { PayloadSource } from '../shared/core/archive/payload-reader.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { ModuleReading } from '../shared/services/outputs/page-document.ts';
import { hasDocument, readDocuments } from '../shared/services/outputs/read-documents.ts';
import { allRecords, type RowSource } from '../shared/services/report/url-rows.ts';
import type { CrawlDocuments } from './write-documents.ts';

/** An archive that is open. */
export interface OpenedArchive extends PayloadSource {
  close(): Promise<void>;
}

/** `openArchive` is called each time that documents are requested. */
export function crawlDocuments(
  source: RowSource,
  crawl: CrawlId,
  openArchive: () => Promise<OpenedArchive>,
  modules?: ModuleReading,
): CrawlDocuments {
  return {
    name: crawl,
    async *documents({ skip = () => {}, rewrite, isWanted } = {}) {
      const archive = await openArchive();
      try {
        const documents = {
          records: () => allRecords(source, crawl),
          readResponse: archive.readResponse,
          ...(archive.readUsage && { readUsage: archive.readUsage }),
          ...(archive.readsAtOnce && { readsAtOnce: archive.readsAtOnce }),
          captures: archive.captures,
        };
        yield* readDocuments(documents, {
          skip,
          rewrite,
          modules,
          isWanted: isWanted && (({ url, result }) => isWanted({ url, location: result?.location })),
        });
      } finally {
        await archive.close();
      }
    },
    async *documentUrls() {
      for await (const record of allRecords(source, crawl))
        if (hasDocument(record, modules)) yield record.url;
    },
  };
}
