/** The archive of a crawl's folder, for reading. */
import type { PayloadSource } from '../../shared/archive/payload-reader.ts';
import { openRecord } from '../../shared/archive/read-member.ts';
import { readResponse } from '../../shared/archive/read-response.ts';
import { mergedCdxj } from '../../shared/engines/local/archive/cdxj-files.ts';
import { parseCdxjLine } from '../cdxj-line.ts';
import type { StoredCrawl } from '../stored-crawl.ts';
import { readOpened } from '../stored-record.ts';
import { waczBytes } from './wacz.ts';
import { openWarcFiles, type WarcFiles } from './warc-files.ts';

export type CrawlArchive = Pick<StoredCrawl, 'captures' | 'cdxj' | 'readRecord' | 'wacz' | 'close'> &
  Pick<PayloadSource, 'readResponse'>;

export function archiveOf(folder: string): CrawlArchive {
  let files: Promise<WarcFiles> | undefined;

  /** The files as they are now, if the ones known hold no such place: the crawl may have continued. */
  async function filesWith(file: string, offset: number): Promise<WarcFiles> {
    const has = (known: WarcFiles) => known.has({ file, offset, length: 1 });
    files ??= openWarcFiles(folder);
    const known = await files;
    if (has(known)) return known;
    await known.close();
    files = openWarcFiles(folder);
    const newer = await files;
    if (has(newer)) return newer;
    throw new RangeError(`There is no record at ${offset} of ${file} in ${folder}`);
  }

  return {
    cdxj: (warn) => mergedCdxj(folder, warn),
    async *captures(warn?: (message: string) => void) {
      for await (const line of mergedCdxj(folder, warn)) yield parseCdxjLine(line.trimEnd(), folder);
    },
    async readRecord({ file, offset }, { maxBytes } = {}) {
      const known = await filesWith(file, offset);
      return readOpened(await openRecord(known.reader(file), offset), maxBytes);
    },
    async readResponse(location, maxBytes) {
      const known = await filesWith(location.file, location.offset);
      return readResponse(known.reader(location.file), location, maxBytes);
    },
    wacz: (warn) => waczBytes(folder, warn),
    async close() {
      await (await files)?.close();
      files = undefined;
    },
  };
}
