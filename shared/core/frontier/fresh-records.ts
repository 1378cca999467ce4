import type { UrlKind } from '../url/url-kind.ts';
import { RefetchQueue } from './refetch-queue.ts';
import { isRefetch, type UrlRecord } from './url-record.ts';
import { WaitingQueue } from './waiting-queue.ts';

/** The kind of a waiting record. */
export type WaitingKind = 'page' | UrlKind;

export const isWaitingSitemap = ({ kind, state }: UrlRecord): boolean =>
  kind === 'sitemap' && state === 'waiting';

const isWaitingRequisite = (record: UrlRecord | undefined): boolean =>
  record?.kind === 'requisite' && record.state === 'waiting';

/**
 * The records of a ledger that are in memory, those that wait in the order in which they are taken. They
 * count before the runs' records.
 */
export class FreshRecords {
  #records = new Map<string, UrlRecord>();
  /** Changed since the last commit. */
  readonly #changed = new Set<string>();
  /** Taken and not yet given back: hidden from the queues. */
  readonly #taken = new Set<string>();
  #waitingRequisites: number;
  /**
   * Waiting records by kind. Sitemaps are never moved into a run, so that the ledger can choose between them
   * and pages.
   */
  readonly #queues: Record<WaitingKind, WaitingQueue>;
  #refetches = this.#newRefetchQueue();

  /** `records`: those that are stored. `waitingRequisites`: of the whole ledger. */
  constructor(records: Iterable<UrlRecord>, waitingRequisites: number) {
    this.#waitingRequisites = waitingRequisites;
    this.#queues = {
      page: this.#newWaitingQueue(undefined),
      requisite: this.#newWaitingQueue('requisite'),
      sitemap: this.#newWaitingQueue('sitemap'),
    };
    for (const record of records) this.#records.set(record.url, record);
    for (const record of this.#records.values()) this.#enqueue(record);
  }

  get size(): number {
    return this.#records.size;
  }

  get taken(): number {
    return this.#taken.size;
  }

  /** URLs that were changed since the last commit. */
  get changed(): ReadonlySet<string> {
    return this.#changed;
  }

  /** How many requisites wait, in runs too. */
  get waitingRequisites(): number {
    return this.#waitingRequisites;
  }

  get(url: string): UrlRecord | undefined {
    return this.#records.get(url);
  }

  has(url: string): boolean {
    return this.#records.has(url);
  }

  isTaken(url: string): boolean {
    return this.#taken.has(url);
  }

  values(): MapIterator<UrlRecord> {
    return this.#records.values();
  }

  put(record: UrlRecord): void {
    const wasWaiting = isWaitingRequisite(this.#records.get(record.url));
    this.#countRequisites(Number(isWaitingRequisite(record)) - Number(wasWaiting));
    this.#records.set(record.url, record);
    this.#changed.add(record.url);
    if (!this.#taken.has(record.url)) this.#enqueue(record);
  }

  /** A requisite that waits in a run must be fetched as something else. */
  putInsteadOfRequisite(record: UrlRecord): void {
    this.#countRequisites(-1);
    this.put(record);
  }

  firstRank(kind: WaitingKind, now: number): number | undefined {
    return this.#queues[kind].firstRank(now);
  }

  nextDueAt(kind: WaitingKind): number | undefined {
    return this.#queues[kind].nextDueAt();
  }

  /** Takes the first of that kind, of which {@link firstRank} has just said that there is one. */
  take(kind: WaitingKind): UrlRecord {
    const record = this.#queues[kind].take();
    this.#taken.add(record.url);
    return record;
  }

  /** When the first URL that was fetched is to be fetched again. */
  refetchDueAt(): number | undefined {
    return this.#refetches.dueAt();
  }

  /** Takes that one. */
  takeAgain(): UrlRecord {
    const record = this.#refetches.take();
    this.#taken.add(record.url);
    return record;
  }

  /** Takes a record that was read from a run. */
  takeFromRun(record: UrlRecord): UrlRecord {
    this.#records.set(record.url, record);
    this.#changed.add(record.url);
    this.#taken.add(record.url);
    return record;
  }

  /** Gives back a URL that was taken. False: it was not. */
  giveBack(url: string): boolean {
    return this.#taken.delete(url);
  }

  /** Whether there are more than `max`, without the sitemaps that wait. */
  hasMoreThan(max: number): boolean {
    if (this.#records.size <= max) return false;
    let others = 0;
    for (const record of this.#records.values()) if (!isWaitingSitemap(record) && ++others > max) return true;
    return false;
  }

  /** All but the sitemaps that wait are in a run from now on. */
  moveToRun(): void {
    this.#records = new Map(
      [...this.#records.values()].filter(isWaitingSitemap).map((record) => [record.url, record]),
    );
    this.#queues.page = this.#newWaitingQueue(undefined);
    this.#queues.requisite = this.#newWaitingQueue('requisite');
    this.#refetches = this.#newRefetchQueue();
    for (const record of this.#records.values()) if (isRefetch(record)) this.#enqueue(record);
  }

  /** Marks all changes as stored. */
  markStored(): void {
    this.#changed.clear();
  }

  #countRequisites(change: number): void {
    this.#waitingRequisites += change;
  }

  #newWaitingQueue(kind: UrlKind | undefined): WaitingQueue {
    return new WaitingQueue((url) => {
      const record = this.#taken.has(url) ? undefined : this.#records.get(url);
      return record?.kind === kind ? record : undefined;
    });
  }

  #newRefetchQueue(): RefetchQueue {
    return new RefetchQueue((url) => {
      const record = this.#taken.has(url) ? undefined : this.#records.get(url);
      return record && isRefetch(record) ? record : undefined;
    });
  }

  #enqueue(record: UrlRecord): void {
    if (record.state === 'waiting') this.#queues[record.kind ?? 'page'].add(record);
    else if (isRefetch(record)) this.#refetches.add(record);
  }
}
