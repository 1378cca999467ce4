/**
 * The waiting records that a ledger holds in memory, by rank and by due time. It keeps URLs, not records: an
 * entry counts only while `find` still gives a record that waits with the entry's rank or due time, so a
 * record that changed needs no removal, only a new entry.
 */
import { rankOf } from './rank.ts';
import type { UrlRecord } from './url-record.ts';

interface Queue {
  urls: string[];
  /** Entries before this index were taken. */
  next: number;
}

interface TimedEntry {
  readonly url: string;
  readonly dueAt: number;
}

export class WaitingQueue {
  readonly #find: (url: string) => UrlRecord | undefined;
  /** By rank. */
  readonly #queues: Queue[] = [];
  /** By due time. */
  readonly #timed: TimedEntry[] = [];
  #first: { readonly record: UrlRecord; readonly queue: Queue } | undefined;

  constructor(find: (url: string) => UrlRecord | undefined) {
    this.#find = find;
  }

  add(record: UrlRecord): void {
    if (record.dueAt === 0) this.#enqueue(record);
    else this.#keepUntilDue(record);
  }

  /** Rank of the first record that may be taken now, or undefined. */
  firstRank(now: number): number | undefined {
    this.#enqueueDue(now);
    for (let rank = 0; rank < this.#queues.length; rank++) {
      const queue = this.#queues[rank];
      if (!queue) continue;
      const record = this.#nextOf(queue, rank, now);
      if (!record) continue;
      this.#first = { record, queue };
      return rank;
    }
    this.#first = undefined;
    return undefined;
  }

  /** Takes that record. */
  take(): UrlRecord {
    if (!this.#first) throw new Error('take() without firstRank()');
    const { record, queue } = this.#first;
    queue.next++;
    this.#first = undefined;
    return record;
  }

  /** When the first of those that wait for a time is due. */
  nextDueAt(): number | undefined {
    const timed = this.#timed;
    while (timed[0] && !this.#counts(timed[0])) timed.shift();
    return timed[0]?.dueAt;
  }

  /** Moves those whose time has come to the queues. */
  #enqueueDue(now: number): void {
    const timed = this.#timed;
    while (timed[0] && timed[0].dueAt <= now) {
      const entry = timed.shift() as TimedEntry;
      if (this.#counts(entry)) this.#enqueue(this.#find(entry.url) as UrlRecord);
    }
  }

  #enqueue(record: UrlRecord): void {
    const rank = rankOf(record.depth, record.level, record.kind);
    let queue = this.#queues[rank];
    if (!queue) queue = this.#queues[rank] = { urls: [], next: 0 };
    queue.urls.push(record.url);
  }

  /** The first record of the queue that still waits with this rank. */
  #nextOf(queue: Queue, rank: number, now: number): UrlRecord | undefined {
    for (; queue.next < queue.urls.length; queue.next++) {
      const record = this.#find(queue.urls[queue.next] as string);
      if (record?.state !== 'waiting') continue;
      if (rankOf(record.depth, record.level, record.kind) !== rank) continue;
      if (record.dueAt > now) {
        // It was due by an earlier call: the clock was set back since, or that call looked ahead.
        this.#keepUntilDue(record);
        continue;
      }
      trim(queue);
      return record;
    }
    queue.urls.length = queue.next = 0;
    return undefined;
  }

  #keepUntilDue({ url, dueAt }: UrlRecord): void {
    const timed = this.#timed;
    let at = timed.length;
    while (at > 0 && timed[at - 1]!.dueAt > dueAt) at--;
    timed.splice(at, 0, { url, dueAt });
  }

  #counts(entry: TimedEntry): boolean {
    const record = this.#find(entry.url);
    return record?.state === 'waiting' && record.dueAt === entry.dueAt;
  }
}

/** Frees memory once half of a queue was taken. */
function trim(queue: Queue): void {
  if (queue.next < 1024 || queue.next * 2 < queue.urls.length) return;
  queue.urls = queue.urls.slice(queue.next);
  queue.next = 0;
}
