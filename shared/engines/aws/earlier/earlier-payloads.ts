/**
 * The payloads that an earlier crawl of the stack has archived at a host, by digest, from that host's ledger. A table
 * of all payloads would cost a write for each page of every crawl; a ledger knows them already, and a process that
 * visits the host reads it once. Nothing here may fail a turn: a payload that is not found is stored again.
 */
import type { S3Client } from '@aws-sdk/client-s3';
import type { ArchivedPayload } from '../../../core/archive/archived-payload.ts';
import { originalOf } from '../../../core/archive/original-of.ts';
import { readHeads } from '../../../core/archive/read-heads.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import { messageOf } from '../../../core/base/error-message.ts';
import type { Sizes } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { countUrls } from '../../../core/frontier/url-record.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { LedgerStore } from '../../../crawler/ports/ledger-store.ts';
import type { EarlierCrawl, PayloadIndex } from '../../../crawler/ports/payload-index.ts';
import { openLedger } from '../../../crawler/turn/open-ledger.ts';
import { warcFolder } from '../archive/archives.ts';
import { resolveLocation } from '../archive/joined-warcs.ts';
import { readRange } from '../archive/read-range.ts';
import type { Table } from '../table/table.ts';
import { ENTRY_BYTES, PayloadTable } from './payload-table.ts';

export interface EarlierOptions {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly clock: Clock;
  readonly sizes: Sizes;
  readonly ledgers: Pick<LedgerStore, 'loadHead' | 'readPart'>;
  readonly mapping: Table;
  /** Called with a message about look-ups that are left out, for people. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** How long a page waits for its host's table. A host of a million pages takes longer; its next pages find it. */
const MAX_WAIT_MS = 5000;
/** Tables that were not used for so long are forgotten; those that failed are read again then. */
const IDLE_MS = 15 * 60_000;
/** The compactor may join a file between two calls, and the ledger of a crawl that runs changes. */
const ATTEMPTS = 2;

interface HostTable {
  readonly table: Promise<PayloadTable | undefined>;
  bytes: number;
  usedAt: number;
  /** A page has waited for it in vain. */
  isSlow: boolean;
  /** Whether it is there, or will never be. */
  isSettled: boolean;
}

/** The payloads of `index`, and then those of the earlier crawl that a caller names. */
export function withEarlierPayloads(index: PayloadIndex, options: EarlierOptions): PayloadIndex {
  const earlier = new EarlierPayloads(options);
  return {
    ...index,
    async find(crawl, sha1, place) {
      const known = await index.find(crawl, sha1);
      if (known !== undefined || place === undefined) return known;
      const found = await earlier.find(place, sha1);
      const { recordId } = found ?? {};
      // The next copy is found without a read.
      if (found && recordId !== undefined) await index.add(crawl, [{ ...found, recordId, sha1 }]);
      return found;
    },
  };
}

export class EarlierPayloads {
  readonly #options: EarlierOptions;
  /** By crawl and host; that which was used last comes last. */
  readonly #hosts = new Map<string, HostTable>();
  readonly #warned = new Set<string>();
  #bytes = 0;

  constructor(options: EarlierOptions) {
    this.#options = options;
  }

  /** Where the earlier crawl has archived the payload (SHA-1, 20 bytes) at that host, or undefined. */
  async find({ crawl, host }: EarlierCrawl, sha1: Uint8Array): Promise<ArchivedPayload | undefined> {
    const table = await this.#tableOf({ crawl, host });
    const location = table?.find(sha1);
    return location && this.#originalAt(crawl, location, sha1);
  }

  async #tableOf(place: EarlierCrawl): Promise<PayloadTable | undefined> {
    const { clock } = this.#options;
    const key = `${place.crawl} ${place.host}`;
    this.#forgetIdle();
    const known = this.#hosts.get(key) ?? this.#begin(place);
    known.usedAt = this.#elapsed();
    this.#hosts.delete(key);
    this.#hosts.set(key, known);
    if (known.isSettled) return known.table;
    if (known.isSlow) return undefined;
    const over = new AbortController();
    const late = clock.sleep(MAX_WAIT_MS, over.signal).then(() => {
      known.isSlow = true;
      return undefined;
    });
    const table = await Promise.race([known.table, late]);
    over.abort();
    return table;
  }

  #begin(place: EarlierCrawl): HostTable {
    const room = (bytes: number): boolean => {
      if (this.#bytes + bytes > this.#options.sizes.maxEarlierBytes) return false;
      this.#bytes += bytes;
      begun.bytes += bytes;
      return true;
    };
    const table = this.#read(place, room).catch((error) => {
      this.#warn(place.crawl, `of ${place.host} cannot be looked up: ${messageOf(error)}`);
      return undefined;
    });
    const begun: HostTable = { table, bytes: 0, usedAt: 0, isSlow: false, isSettled: false };
    table.finally(() => {
      begun.isSettled = true;
    });
    return begun;
  }

  /** `room`: takes memory for the table, if enough is left, or gives it back. */
  async #read(place: EarlierCrawl, room: (bytes: number) => boolean): Promise<PayloadTable | undefined> {
    const { ledgers, sizes } = this.#options;
    const { crawl, host } = place;
    for (let attempt = 1; ; attempt++) {
      const head = await ledgers.loadHead(crawl, host);
      if (head === undefined) return undefined;
      const { counts } = head.ledger;
      const capacity = countUrls(counts) - counts.waiting;
      if (!room(capacity * ENTRY_BYTES)) {
        this.#warn(crawl, `of ${host}, a host of ${capacity} URLs, are not looked up: memory is short`);
        return undefined;
      }
      try {
        const table = new PayloadTable(capacity);
        const ledger = await openLedger(ledgers, { crawl, host, index: head.ledger, sizes });
        for await (const { result, state } of ledger.records())
          if (result?.digest && result.location && state !== 'redirect' && state !== 'waiting')
            table.add(result.digest, result.location);
        return table;
      } catch (error) {
        room(-capacity * ENTRY_BYTES);
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #originalAt(
    crawl: CrawlId,
    location: RecordLocation,
    sha1: Uint8Array,
  ): Promise<ArchivedPayload | undefined> {
    const { s3, bucket, clock, mapping } = this.#options;
    const folder = { s3, bucket, clock, folder: `${warcFolder(crawl)}/` };
    for (let attempt = 1; ; attempt++) {
      try {
        const place = await resolveLocation(mapping, crawl, location);
        const end = place.offset + place.length;
        const read = (offset: number, length: number) =>
          readRange(folder, place.file, offset, Math.min(end, offset + length));
        return originalOf(await readHeads(read, place), sha1);
      } catch (error) {
        if (attempt < ATTEMPTS) continue;
        this.#warn(crawl, `cannot be looked up: ${messageOf(error)}`);
        return undefined;
      }
    }
  }

  #forgetIdle(): void {
    const before = this.#elapsed() - IDLE_MS;
    for (const [key, { usedAt, bytes, isSettled }] of this.#hosts) {
      if (usedAt >= before) return;
      if (!isSettled) continue;
      this.#hosts.delete(key);
      this.#bytes -= bytes;
    }
  }

  /** Once for each crawl: a bucket that refuses would be said for each page. */
  #warn(crawl: CrawlId, what: string): void {
    if (this.#warned.has(crawl)) return;
    this.#warned.add(crawl);
    this.#options.warn?.(
      `Payloads that the crawl ${crawl} has archived are stored again, as those ${what}. Said once for this crawl`,
    );
  }

  #elapsed(): number {
    const { clock } = this.#options;
    return (clock.elapsed ?? clock.now)();
  }
}
