/** The pages of a crawl as documents, from its ledgers and its archive, wherever they are. */
import type { DocumentRow } from '../shared/services/outputs/document-row.ts';
import type { ModuleReading } from '../shared/services/outputs/page-document.ts';
import { readDocuments } from '../shared/services/outputs/read-documents.ts';
import { allRecords } from '../shared/services/report/url-rows.ts';
import type { CrawlPlace } from './crawl-place.ts';
import type { DocumentOptions } from './stored-crawl.ts';

export const crawlDocuments = (
  { rows, crawl, archive }: Pick<CrawlPlace, 'rows' | 'crawl' | 'archive'>,
  modules: ModuleReading | undefined,
  { skip = () => {}, rewrite, isWanted, withoutMarkdown }: DocumentOptions = {},
): AsyncGenerator<DocumentRow, void, undefined> =>
  readDocuments(
    { ...archive, records: () => allRecords(rows, crawl) },
    {
      skip,
      rewrite,
      modules,
      withoutMarkdown,
      isWanted: isWanted && (({ url, result }) => isWanted({ url, location: result?.location })),
    },
  );
