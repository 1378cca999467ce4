/** The pages of a crawl as documents, from its ledgers and its archive, wherever they are. */
import type { CrawlId } from '../shared/crawl/crawl-id.ts';
import { type DocumentSource, hasDocument, readDocuments } from '../shared/outputs/read-documents.ts';
import { lookUpUrl } from '../shared/report/look-up-url.ts';
import { allRecords, type RowSource } from './url-rows.ts';
import type { CrawlDocuments } from './write-documents.ts';

/** An archive that is open. */
export interface OpenedArchive extends Pick<DocumentSource, 'readResponse'> {
  close(): Promise<void>;
}

/** `openArchive` is called each time that documents are asked for. */
export function crawlDocuments(
  source: RowSource,
  crawl: CrawlId,
  openArchive: () => Promise<OpenedArchive>,
): CrawlDocuments {
  return {
    name: crawl,
    async *documents({ skip = () => {}, rewrite, isWanted } = {}) {
      const { readResponse, close } = await openArchive();
      try {
        const documents = {
          records: () => allRecords(source, crawl),
          readResponse,
          locationOf: async (url: string) =>
            (await lookUpUrl(source.ledgers, crawl, url)).record?.result?.location,
        };
        yield* readDocuments(documents, {
          skip,
          rewrite,
          isWanted: isWanted && (({ url, result }) => isWanted({ url, location: result?.location })),
        });
      } finally {
        await close();
      }
    },
    async *documentUrls() {
      for await (const record of allRecords(source, crawl)) if (hasDocument(record)) yield record.url;
    },
  };
}
