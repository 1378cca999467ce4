/** Every URL that a crawl knows, from the ledgers of a folder or of a stack, while others may crawl. */

import type { RecordLocation } from '../../core/archive/record-location.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { CorruptBytes, NewerFormat } from '../../core/frontier/bytes.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { Link } from '../../core/frontier/message.ts';
import { countUrls, type UrlRecord } from '../../core/frontier/url-record.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { LedgerStore } from '../../crawler/ports/ledger-store.ts';
import { LostPart } from '../../crawler/ports/lost-part.ts';
import { openLedger } from '../../crawler/turn/open-ledger.ts';
import { lookUpUrl } from './look-up-url.ts';
import type { ReportedHost } from './report.ts';
import { seedDetail } from './seed-detail.ts';
import type { UnreadableHost } from './unreadable-hosts.ts';
import { type UrlDetail, urlDetail } from './url-detail.ts';

/** The methods of a ledger store that are used, and of an engine that joins WARC files. */
export interface RowSource {
  readonly ledgers: Pick<LedgerStore, 'hosts' | 'loadHead' | 'readPart'>;
  /** Where the records stand now, in the order given. */
  locateAll?(crawl: CrawlId, locations: readonly RecordLocation[]): Promise<readonly RecordLocation[]>;
  /** Seeds on their way to their hosts' ledgers, which may know some of them already. */
  waitingSeeds?(): readonly Link[];
  /** Called with a host whose other URLs are left out. Default: what cannot be read is an error. */
  leaveOut?(host: UnreadableHost): void;
}

/** Rows whose WARC records are located together. */
const BATCH = 500;
/** How often a host is read again whose head was replaced meanwhile. */
const ATTEMPTS = 4;

/** Yields the known URLs in batches, host by host, then the seeds that no ledger knows yet. */
export async function* urlRows(
  source: RowSource,
  crawl: CrawlId,
): AsyncGenerator<readonly UrlDetail[], void, undefined> {
  const seeds = waitingSeeds(source);
  let batch: UrlRecord[] = [];
  const take = async () => {
    const records = await located(source, crawl, batch);
    batch = [];
    return records.map((record) => urlDetail(record));
  };
  for await (const { host, head } of source.ledgers.hosts(crawl)) {
    for await (const record of recordsOf(source, crawl, host, head)) {
      seeds.delete(record.url);
      if (batch.push(record) >= BATCH) yield await take();
    }
  }
  if (batch.length > 0) yield await take();
  yield* seedRows(source, crawl, seeds);
}

/** Before the ledgers are read: a seed that comes to one of them meanwhile is not lost. */
export const waitingSeeds = (source: RowSource): Map<string, Link> =>
  new Map(source.waitingSeeds?.().map((seed) => [seed.url, seed]));

/** The rows of seeds that were not met in the ledgers. */
export async function* seedRows(
  { ledgers }: RowSource,
  crawl: CrawlId,
  seeds: ReadonlyMap<string, Link>,
): AsyncGenerator<readonly UrlDetail[]> {
  for (const seed of seeds.values()) {
    const { record } = await lookUpUrl(ledgers, crawl, seed.url);
    yield [record ? urlDetail(record) : seedDetail(seed)];
  }
}

/**
 * Every known URL of the host, though the crawl continues meanwhile, and parts that newer heads do not name
 * are deleted.
 */
export async function* recordsOf(
  { ledgers, leaveOut }: RowSource,
  crawl: CrawlId,
  host: HostKey,
  listed: Head,
): AsyncGenerator<UrlRecord> {
  let head = listed;
  let taken = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      const ledger = await openLedger(ledgers, { crawl, host, index: head.ledger });
      for await (const record of ledger.records()) {
        taken++;
        yield record;
      }
      return;
    } catch (cause) {
      const newer = await ledgers.loadHead(crawl, host);
      const hasChanged = newer !== undefined && newer.version !== head.version;
      const reason = hasChanged ? undefined : lossIn(cause);
      if (leaveOut && reason !== undefined) {
        leaveOut({ host, urls: Math.max(0, countUrls(head.ledger.counts) - taken), reason });
        return;
      }
      if (!hasChanged || attempt === ATTEMPTS) throw cause;
      if (taken > 0) {
        throw new Error(
          `${host} changed while it was read: export the crawl again, best when it is paused or over`,
          { cause },
        );
      }
      head = newer;
    }
  }
}

/** Says what is lost, if no later read can be better. A file that is gone is the cause of a failure of the storage. */
function lossIn(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof NewerFormat) return undefined;
  return error instanceof LostPart || error instanceof CorruptBytes ? error.message : lossIn(error.cause);
}

/** Yields the record of every URL, host by host. */
export async function* allRecords(source: RowSource, crawl: CrawlId): AsyncGenerator<UrlRecord> {
  for await (const { host, head } of source.ledgers.hosts(crawl)) yield* recordsOf(source, crawl, host, head);
}

/** Yields the hosts with their URLs, and the domains, for a report. */
export async function* reportedHosts(source: RowSource, crawl: CrawlId): AsyncGenerator<ReportedHost> {
  for await (const { host, head } of source.ledgers.hosts(crawl))
    yield { host, head, records: recordsOf(source, crawl, host, head) };
}

/** The records, with the places in which their WARC records stand now. */
export async function located(
  source: RowSource,
  crawl: CrawlId,
  records: readonly UrlRecord[],
): Promise<readonly UrlRecord[]> {
  if (!source.locateAll) return records;
  const locations = records.flatMap(({ result }) => result?.location ?? []);
  const found = (await source.locateAll(crawl, locations)).values();
  return records.map((record) =>
    record.result?.location
      ? { ...record, result: { ...record.result, location: found.next().value } }
      : record,
  );
}

export async function* flat<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T, void, undefined> {
  for await (const batch of batches) yield* batch;
}
