import QuickLRU from 'quick-lru';
import { type IndexedCapture, parseCdxjLine } from '../../../core/archive/parse-cdxj-line.ts';
import type { PayloadSource } from '../../../core/archive/payload-reader.ts';
import { readRendered } from '../../../core/archive/read-rendered.ts';
import { readResponse } from '../../../core/archive/read-response.ts';
import { readUsage } from '../../../core/archive/read-usage.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import { BESIDE_BYTES } from '../../../core/archive/records-beside.ts';
import type { ReadAt } from '../../../core/archive/scan-members.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { StackArchive } from './stack-archive.ts';

/** A read of S3 takes some 30 ms, in which a page read before it is used. */
const READS_AT_ONCE = 16;

export interface StackPayloads extends PayloadSource {
  captures(warn?: (message: string) => void): AsyncGenerator<IndexedCapture, void, undefined>;
}

/** The archive of a stack's crawl, for reading bodies. */
export function payloadsOf(archive: StackArchive, crawl: CrawlId): StackPayloads {
  /** Pages that were read last: what is beside them is read soon after. Files never change. */
  const opened = new QuickLRU<string, ReturnType<StackArchive['open']>>({ maxSize: 2 * READS_AT_ONCE });

  function open(place: RecordLocation, isBesideRead = false): ReturnType<StackArchive['open']> {
    const key = `${place.file} ${place.offset}`;
    const known = opened.get(key);
    if (known) return known;
    const opening = archive.open(place).then(({ location, read }) => ({
      location,
      read: keptRead(read, location, isBesideRead),
    }));
    opened.set(key, opening);
    opening.catch(() => opened.delete(key));
    return opening;
  }

  return {
    readsAtOnce: READS_AT_ONCE,
    async readResponse(place, maxBytes, isBesideRead) {
      const { location, read } = await open(place, isBesideRead);
      return readResponse(read, location, maxBytes);
    },
    async readUsage(url, place) {
      const { location, read } = await open(place);
      return readUsage(read, url, location);
    },
    async readRendered(url, place, maxBytes) {
      const { location, read } = await open(place);
      return readRendered(read, url, location, maxBytes);
    },
    captures: (warn) => capturesIn(archive, crawl, warn),
  };
}

/** Keeps the bytes beside a page, which several records are read from; with `isBesideRead`, reads them with the page. */
function keptRead(read: ReadAt, { offset, length }: RecordLocation, isBesideRead: boolean): ReadAt {
  const end = offset + length;
  let kept: { readonly at: number; readonly until: number; readonly bytes: Promise<Uint8Array> } | undefined;

  function keep(at: number, until: number): Promise<Uint8Array> {
    const bytes = read(at, until - at);
    kept = { at, until, bytes };
    bytes.catch(() => {
      kept = undefined;
    });
    return bytes;
  }

  return async (at, wanted) => {
    if (kept && at >= kept.at && at + wanted <= kept.until) {
      const { at: start, bytes } = kept;
      return (await bytes).subarray(at - start, at - start + wanted);
    }
    const isWhole = isBesideRead && at === offset && wanted === length;
    const isBeside = at === end && wanted <= BESIDE_BYTES;
    return isWhole || isBeside ? (await keep(at, end + BESIDE_BYTES)).subarray(0, wanted) : read(at, wanted);
  };
}

/** The captures of an index. */
async function* capturesIn(
  { cdxj }: Pick<StackArchive, 'cdxj'>,
  crawl: CrawlId,
  warn?: (message: string) => void,
): AsyncGenerator<IndexedCapture, void, undefined> {
  for await (const line of cdxj(warn)) yield parseCdxjLine(line.trimEnd(), crawl);
}
