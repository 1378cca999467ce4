/** Every known URL of a crawl, in slices: each begins where the one before ended. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { recordsOf } from '../report/url-rows.ts';
import { ExportImpossible } from './export-context.ts';
import type { ExportRows } from './export-source.ts';

/** Cursor: the position after a record. */
export interface LedgerPlace {
  /** The page of its host. */
  readonly page?: string | undefined;
  readonly host: HostKey;
  /** Records of the host up to here, in the ledger of that head; undefined: all. */
  readonly part?: { readonly taken: number; readonly version: number } | undefined;
  /** Hosts that are done. */
  readonly hosts: number;
}

export interface PlacedRecord {
  readonly record: UrlRecord;
  readonly after: LedgerPlace;
}

interface WalkedCrawl {
  readonly crawl: CrawlId;
  readonly rows: ExportRows;
}

const PAGE_HOSTS = 100;

/**
 * Yields the records after a cursor, host by host. Throws {@link ExportImpossible} if a host has changed of which a
 * part was walked. `isWanted`: whether the records of a host are yielded. Default: of all.
 */
export async function* walkLedgers(
  { crawl, rows }: WalkedCrawl,
  from?: LedgerPlace,
  isWanted: (head: Head) => boolean = () => true,
): AsyncGenerator<PlacedRecord> {
  let page = from?.page;
  let sought = from?.host;
  let hosts = from?.hosts ?? 0;
  do {
    const found = await rows.ledgers.hostPage(crawl, page, PAGE_HOSTS);
    for (const { host, head } of found.hosts) {
      if (sought !== undefined && host !== sought) continue;
      const part = host === sought ? from?.part : undefined;
      const isDone = host === sought && part === undefined;
      sought = undefined;
      if (isDone) continue;
      if (part && part.version !== head.version)
        throw new ExportImpossible(
          `${host} changed while it was exported: export the crawl again, best when it is paused or over`,
        );
      if (!isWanted(head)) {
        hosts++;
        continue;
      }
      const records = withLast(skipped(recordsOf(rows, crawl, host, head), part?.taken ?? 0));
      let taken = part?.taken ?? 0;
      for await (const { value, isLast } of records) {
        taken++;
        const place = { page, host, hosts: isLast ? hosts + 1 : hosts };
        yield { record: value, after: isLast ? place : { ...place, part: { taken, version: head.version } } };
      }
      hosts++;
    }
    page = found.cursor;
  } while (page !== undefined);
  if (sought !== undefined)
    throw new ExportImpossible(`${sought} is not there any more: export the crawl again`);
}

async function* skipped<T>(values: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let seen = 0;
  for await (const value of values) if (seen++ >= count) yield value;
}

async function* withLast<T>(values: AsyncIterable<T>): AsyncGenerator<{ value: T; isLast: boolean }> {
  let held: { readonly value: T } | undefined;
  for await (const value of values) {
    if (held) yield { value: held.value, isLast: false };
    held = { value };
  }
  if (held) yield { value: held.value, isLast: true };
}
