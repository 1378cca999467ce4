import { parseCdxjLine } from '../../shared/core/archive/parse-cdxj-line.ts';
import type { PayloadSource } from '../../shared/core/archive/payload-reader.ts';
import { readResponse } from '../../shared/core/archive/read-response.ts';
import { readUsage } from '../../shared/core/archive/read-usage.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { StackConnection } from './connect-stack.ts';

/** A read of S3 takes some 30 ms, in which a page read before it is used. */
const READS_AT_ONCE = 16;

/** The archive of a stack's crawl, for reading bodies. */
export const payloadsOf = (
  connection: Pick<StackConnection, 'archiveOf'>,
  crawl: CrawlId,
  archive = connection.archiveOf(crawl),
): PayloadSource => ({
  readsAtOnce: READS_AT_ONCE,
  async readResponse(place, maxBytes) {
    const { location, read } = await archive.open(place);
    return readResponse(read, location, maxBytes);
  },
  async readUsage(url, place) {
    const { location, read } = await archive.open(place);
    return readUsage(read, url, location);
  },
  async *captures() {
    for await (const line of archive.cdxj()) yield parseCdxjLine(line.trimEnd(), crawl);
  },
});
