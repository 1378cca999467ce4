/** The archive of a crawl's folder. */
import { parseCdxjLine } from '../../shared/core/archive/parse-cdxj-line.ts';
import { type ArchiveReader, openArchiveReader } from '../../shared/engines/local/archive/archive-reader.ts';
import { cdxjLinesOf, mergedCdxj } from '../../shared/engines/local/archive/cdxj-files.ts';
import { openWarcFiles } from '../../shared/engines/local/archive/warc-files.ts';
import type { PlaceArchive } from '../crawl-place.ts';

export interface CrawlArchive extends PlaceArchive {
  readonly readRendered: ArchiveReader['readRendered'];
  close(): Promise<void>;
}

export const archiveOf = (folder: string): CrawlArchive => ({
  ...openArchiveReader(folder),
  cdxj: (warn) => mergedCdxj(folder, warn),
  async capturesOf(surt) {
    const lines = await cdxjLinesOf(folder, surt);
    return lines.map((line) => parseCdxjLine(line, folder));
  },
  async sizes() {
    const { list, close } = await openWarcFiles(folder);
    await close();
    return list.map(({ name, bytes }) => [name, bytes]);
  },
});
