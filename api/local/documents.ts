/** The pages of a crawl's folder as documents. */
import { readResponse } from '../../shared/archive/read-response.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';
import type { DocumentRow } from '../../shared/outputs/document-row.ts';
import { type DocumentSource, hasDocument, readDocuments } from '../../shared/outputs/read-documents.ts';
import { lookUpUrl } from '../../shared/report/look-up-url.ts';
import type { DocumentOptions } from '../stored-crawl.ts';
import type { OpenedFolder } from './open-folder.ts';
import { recordsOf } from './url-rows.ts';
import { openWarcFiles, type WarcFiles } from './warc-files.ts';

/** Yields the documents of what is archived as this begins. */
export async function* documentsOf(
  opened: OpenedFolder,
  folder: string,
  { skip = () => {}, rewrite }: DocumentOptions = {},
): AsyncGenerator<DocumentRow, void, undefined> {
  const files = await openWarcFiles(folder);
  try {
    yield* readDocuments(sourceOf(opened, files), { skip, rewrite });
  } finally {
    await files.close();
  }
}

/** Yields the URLs of the pages that have documents, unless these cannot be read. Reads no page. */
export async function* documentUrls(opened: OpenedFolder): AsyncGenerator<string, void, undefined> {
  for await (const record of allRecords(opened)) if (hasDocument(record)) yield record.url;
}

function sourceOf(opened: OpenedFolder, files: WarcFiles): DocumentSource {
  const { reader, crawl } = opened;
  return {
    records: () => allRecords(opened),
    readResponse(location, maxBytes) {
      if (!files.has(location)) throw new Error(`${location.file} does not have its record`);
      return readResponse(files.reader(location.file), location, maxBytes);
    },
    async locationOf(url) {
      const { record } = await lookUpUrl(reader.ledgers, crawl, url);
      return record?.result?.location;
    },
  };
}

async function* allRecords({ reader, crawl }: OpenedFolder): AsyncGenerator<UrlRecord, void, undefined> {
  for await (const { host, head } of reader.ledgers.hosts(crawl)) yield* recordsOf(reader, crawl, host, head);
}
