/** The pages of a crawl's folder as documents. */
import { systemClock } from '../../shared/engines/system-clock.ts';
import { moduleReading } from '../../shared/services/exports/module-reading.ts';
import type { MediaModule } from '../../shared/services/project/media-module.ts';
import { crawlDocuments } from '../crawl-documents.ts';
import type { CrawlDocuments } from '../write-documents.ts';
import { archiveOf } from './crawl-archive.ts';
import type { OpenedFolder } from './open-folder.ts';

/** The documents of the pages that are archived when they are requested. */
export const documentsOf = (
  { reader, crawl, record }: OpenedFolder,
  folder: string,
  modules?: readonly MediaModule[],
): CrawlDocuments =>
  crawlDocuments(reader, crawl, async () => archiveOf(folder), moduleReading(modules, record, systemClock));
