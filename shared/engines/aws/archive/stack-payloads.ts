import { type IndexedCapture, parseCdxjLine } from '../../../core/archive/parse-cdxj-line.ts';
import type { PayloadSource } from '../../../core/archive/payload-reader.ts';
import { readRendered } from '../../../core/archive/read-rendered.ts';
import { readResponse } from '../../../core/archive/read-response.ts';
import { readUsage } from '../../../core/archive/read-usage.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { StackArchive } from './stack-archive.ts';

/** A read of S3 takes some 30 ms, in which a page read before it is used. */
const READS_AT_ONCE = 16;

export interface StackPayloads extends PayloadSource {
  captures(warn?: (message: string) => void): AsyncGenerator<IndexedCapture, void, undefined>;
}

/** The archive of a stack's crawl, for reading bodies. */
export const payloadsOf = (archive: StackArchive, crawl: CrawlId): StackPayloads => ({
  readsAtOnce: READS_AT_ONCE,
  async readResponse(place, maxBytes) {
    const { location, read } = await archive.open(place);
    return readResponse(read, location, maxBytes);
  },
  async readUsage(url, place) {
    const { location, read } = await archive.open(place);
    return readUsage(read, url, location);
  },
  async readRendered(url, place, maxBytes) {
    const { location, read } = await archive.open(place);
    return readRendered(read, url, location, maxBytes);
  },
  captures: (warn) => capturesIn(archive, crawl, warn),
});

/** The captures of an index. */
export async function* capturesIn(
  { cdxj }: Pick<StackArchive, 'cdxj'>,
  crawl: CrawlId,
  warn?: (message: string) => void,
): AsyncGenerator<IndexedCapture, void, undefined> {
  for await (const line of cdxj(warn)) yield parseCdxjLine(line.trimEnd(), crawl);
}
