/** The pages of a crawl's folder as documents. */
import { readResponse } from '../../shared/archive/read-response.ts';
import type { DocumentSource } from '../../shared/outputs/read-documents.ts';
import { crawlDocuments } from '../crawl-documents.ts';
import type { CrawlDocuments } from '../write-documents.ts';
import type { OpenedFolder } from './open-folder.ts';
import { openWarcFiles } from './warc-files.ts';

/** The documents of what is archived when they are asked for. */
export function documentsOf({ reader, crawl }: OpenedFolder, folder: string): CrawlDocuments {
  async function openArchive() {
    const files = await openWarcFiles(folder);
    const readArchived: DocumentSource['readResponse'] = (location, maxBytes) => {
      if (!files.has(location)) throw new Error(`${location.file} does not have its record`);
      return readResponse(files.reader(location.file), location, maxBytes);
    };
    return { readResponse: readArchived, close: files.close };
  }
  return crawlDocuments(reader, crawl, openArchive);
}
