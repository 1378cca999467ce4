import { once } from 'node:events';
import type { RecordLocation } from '../../shared/archive/record-location.ts';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import type { Head } from '../../shared/frontier/head.ts';
import type { Link } from '../../shared/frontier/message.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';
import type { LedgerStore } from '../../shared/ports/ledger-store.ts';
import { lookUpUrl } from '../../shared/report/look-up-url.ts';
import { urlDetail } from '../../shared/report/url-detail.ts';
import type { HostKey } from '../../shared/url/host-key.ts';
import { openLedger } from '../../shared/worker/open-ledger.ts';
import { exportHeader, exportRow } from '../export-rows.ts';
import type { RowFormat } from '../option-spec.ts';
import { seedDetail } from './seed-detail.ts';

/** What is needed of `process.stdout`. */
export type RowStream = Pick<NodeJS.WritableStream, 'write' | 'once'>;

/** What is needed of a ledger store, and of an engine that joins WARC files. */
export interface RowSource {
  readonly ledgers: Pick<LedgerStore, 'hosts' | 'loadHead' | 'readPart'>;
  /** Where the records stand by now, in the order given. */
  locateAll?(crawl: CrawlId, locations: readonly RecordLocation[]): Promise<readonly RecordLocation[]>;
  /** Seeds on their way to their hosts' ledgers, which may know some of them already. */
  waitingSeeds?(): readonly Link[];
}

/** Rows are written together, and their WARC records looked for together. */
const BATCH = 500;
/** How often a host is read anew whose head was replaced meanwhile. */
const ATTEMPTS = 4;

/** Writes every known URL of the crawl, host by host, and then the seeds that no ledger knows yet. */
export async function writeRows(
  source: RowSource,
  crawl: CrawlId,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  await write(exportHeader(format));
  // Before the ledgers: a seed that comes to one of them meanwhile is not lost, and written once.
  const seeds = new Map(source.waitingSeeds?.().map((seed) => [seed.url, seed]));
  let batch: UrlRecord[] = [];
  const flush = async () => {
    const records = await located(source, crawl, batch);
    batch = [];
    await write(records.map((record) => exportRow(urlDetail(record), format)).join(''));
  };
  for await (const { host, head } of source.ledgers.hosts(crawl)) {
    for await (const record of recordsOf(source, crawl, host, head)) {
      seeds.delete(record.url);
      if (batch.push(record) >= BATCH) await flush();
    }
  }
  await flush();
  for (const seed of seeds.values()) {
    const { record } = await lookUpUrl(source.ledgers, crawl, seed.url);
    await write(exportRow(record ? urlDetail(record) : seedDetail(seed), format));
  }
}

/** Writes, and waits while the reader is slower. */
export function writerTo(out: RowStream): (text: string) => Promise<void> {
  return async (text) => {
    if (text !== '' && !out.write(text)) await once(out as NodeJS.WriteStream, 'drain');
  };
}

/** Every known URL of the host, though the crawl goes on meanwhile, and parts that newer heads do not name are deleted. */
export async function* recordsOf(
  { ledgers }: RowSource,
  crawl: CrawlId,
  host: HostKey,
  listed: Head,
): AsyncGenerator<UrlRecord> {
  let head = listed;
  let isBegun = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const ledger = await openLedger(ledgers, crawl, host, head.ledger);
      for await (const record of ledger.records()) {
        isBegun = true;
        yield record;
      }
      return;
    } catch (cause) {
      const newer = await ledgers.loadHead(crawl, host);
      const hasChanged = newer !== undefined && newer.version !== head.version;
      if (!hasChanged || attempt === ATTEMPTS) throw cause;
      if (isBegun) {
        throw new Error(
          `${host} changed while it was read: export the crawl again, best when it is paused or over`,
          { cause },
        );
      }
      head = newer;
    }
  }
}

/** The records, with the places in which their WARC records stand by now. */
async function located(
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
