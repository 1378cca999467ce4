/** The {@link PayloadIndex} port in the memory of a process. */
import QuickLRU from 'quick-lru';
import type { ArchivedPayload } from '../../core/archive/archived-payload.ts';
import type { PayloadIndex } from '../../crawler/ports/payload-index.ts';

/**
 * The payloads that this process has archived last, some `max` to twice as many: 300 bytes each. A table of all would
 * cost a write and a read for each page. A host stays with its worker while that runs, so most copies are found.
 */
export function recentPayloads(max: number): PayloadIndex {
  const known = new QuickLRU<string, ArchivedPayload>({ maxSize: max });
  const keyOf = (crawl: string, sha1: Uint8Array): string =>
    `${Buffer.from(sha1).toString('latin1')}${crawl}`;
  return {
    async find(crawl, sha1) {
      return known.get(keyOf(crawl, sha1));
    },
    async add(crawl, payloads) {
      for (const { sha1, url, date, recordId } of payloads) {
        const key = keyOf(crawl, sha1);
        if (!known.has(key)) known.set(key, { url, date, recordId });
      }
    },
  };
}
