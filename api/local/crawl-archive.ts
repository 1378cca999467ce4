/** The archive of a crawl's folder, as the library gives it. */
import type { PayloadSource } from '../../shared/archive/payload-reader.ts';
import { openArchiveReader } from '../../shared/engines/local/archive/archive-reader.ts';
import { mergedCdxj } from '../../shared/engines/local/archive/cdxj-files.ts';
import type { StoredCrawl } from '../stored-crawl.ts';
import { readOpened } from '../stored-record.ts';
import { waczBytes } from './wacz.ts';

export type CrawlArchive = Pick<StoredCrawl, 'captures' | 'cdxj' | 'readRecord' | 'wacz' | 'close'> &
  Pick<PayloadSource, 'readResponse'>;

export function archiveOf(folder: string): CrawlArchive {
  const { captures, openRecord, readResponse, close } = openArchiveReader(folder);
  return {
    captures,
    readResponse,
    close,
    cdxj: (warn) => mergedCdxj(folder, warn),
    readRecord: async (location, { maxBytes } = {}) => readOpened(await openRecord(location), maxBytes),
    wacz: (warn) => waczBytes(folder, warn),
  };
}
