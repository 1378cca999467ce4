/** The archive of a crawl's folder, as the library gives it. */

import { parseCdxjLine } from '../../shared/core/archive/parse-cdxj-line.ts';
import type { PayloadSource } from '../../shared/core/archive/payload-reader.ts';
import { withCodingWarnings } from '../../shared/core/archive/replay-codings.ts';
import { surt } from '../../shared/core/archive/surt.ts';
import { historyOf } from '../../shared/core/archive/url-history.ts';
import { openArchiveReader } from '../../shared/engines/local/archive/archive-reader.ts';
import { cdxjLinesOf, mergedCdxj } from '../../shared/engines/local/archive/cdxj-files.ts';
import type { StoredCrawl } from '../stored-crawl.ts';
import { readOpened } from '../stored-record.ts';

export type CrawlArchive = Pick<
  StoredCrawl,
  'captures' | 'history' | 'cdxj' | 'readRecord' | 'wacz' | 'close'
> &
  Pick<PayloadSource, 'readResponse' | 'readUsage'>;

export function archiveOf(folder: string): CrawlArchive {
  const { captures, openRecord, readResponse, readUsage, close } = openArchiveReader(folder);
  return {
    captures,
    readResponse,
    ...(readUsage && { readUsage }),
    close,
    async history(url) {
      const lines = await cdxjLinesOf(folder, surt(url));
      return historyOf(
        url,
        lines.map((line) => parseCdxjLine(line, folder)),
      );
    },
    cdxj: (warn) => withCodingWarnings(mergedCdxj(folder, warn), warn),
    readRecord: async (location, { maxBytes } = {}) => readOpened(await openRecord(location), maxBytes),
    async *wacz(warn) {
      // It reads the titles of pages, with all parsers.
      const { waczBytes } = await import('./wacz.ts');
      yield* waczBytes(folder, warn);
    },
  };
}
