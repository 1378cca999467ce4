/** The pages of a crawl as documents, from its ledgers and its archive, wherever they are. */
import type { PayloadSource } from '../shared/core/archive/payload-reader.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { ModuleReading } from '../shared/services/outputs/page-document.ts';
import { hasDocument, readDocuments } from '../shared/services/outputs/read-documents.ts';
import { allRecords, type RowSource } from '../shared/services/report/url-rows.ts';
import type { CrawlDocuments } from './write-documents.ts';

export function crawlDocuments(
  source: RowSource,
  crawl: CrawlId,
  archive: PayloadSource,
  modules?: ModuleReading,
): CrawlDocuments {
  return {
    name: crawl,
    async *documents({ skip = () => {}, rewrite, isWanted } = {}) {
      const documents = { ...archive, records: () => allRecords(source, crawl) };
      yield* readDocuments(documents, {
        skip,
        rewrite,
        modules,
        isWanted: isWanted && (({ url, result }) => isWanted({ url, location: result?.location })),
      });
    },
    async *documentUrls() {
      for await (const record of allRecords(source, crawl))
        if (hasDocument(record, modules)) yield record.url;
    },
  };
}
