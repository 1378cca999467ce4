/** The pages of a crawl's folder as documents. */
import { crawlDocuments } from '../crawl-documents.ts';
import type { CrawlDocuments } from '../write-documents.ts';
import { archiveOf } from './crawl-archive.ts';
import type { OpenedFolder } from './open-folder.ts';

/** The documents of the pages that are archived when they are requested. */
export const documentsOf = ({ reader, crawl }: OpenedFolder, folder: string): CrawlDocuments =>
  crawlDocuments(reader, crawl, async () => archiveOf(folder));
