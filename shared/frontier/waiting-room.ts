/**
 * The waiting records that a ledger holds in memory, by rank and by due time. It keeps URLs, not records: an
 * entry counts only while `find` still gives a record that waits with the entry's rank or due time, so a
 * record that changed needs no removal, only a new entry.
 */
import { RANKS, rankOf } from './rank.ts';
import type { UrlRecord } from './url-record.ts';

export interface WaitingRoom {
  add(record: UrlRecord): void;
  /** Rank of the first record that may be taken now, or undefined. */
  firstRank(now: number): number | undefined;
  /** Takes that record. */
  take(): UrlRecord;
  /** When the first of those that wait for a time is due. */
  nextDueAt(): number | undefined;
}

export function createWaitingRoom(find: (url: string) => UrlRecord | undefined): WaitingRoom {
  const queues: { urls: string[]; next: number }[] = [];
  const timed: { url: string; dueAt: number }[] = [];
  let first: { record: UrlRecord; queue: { urls: string[]; next: number } } | undefined;

  function enqueue(record: UrlRecord): void {
    const rank = rankOf(record.depth, record.level, record.kind);
    let queue = queues[rank];
    if (!queue) queue = queues[rank] = { urls: [], next: 0 };
    queue.urls.push(record.url);
  }

  /** Makes room again once half of a queue was taken. */
  function trim(queue: { urls: string[]; next: number }): void {
    if (queue.next < 1024 || queue.next * 2 < queue.urls.length) return;
    queue.urls = queue.urls.slice(queue.next);
    queue.next = 0;
  }

  /** Keeps the record until its due time. */
  function wait({ url, dueAt }: UrlRecord): void {
    let at = timed.length;
    while (at > 0 && (timed[at - 1] as { dueAt: number }).dueAt > dueAt) at--;
    timed.splice(at, 0, { url, dueAt });
  }

  const counts = (entry: { url: string; dueAt: number }) => {
    const record = find(entry.url);
    return record?.state === 'waiting' && record.dueAt === entry.dueAt;
  };

  return {
    add(record) {
      if (record.dueAt === 0) enqueue(record);
      else wait(record);
    },

    firstRank(now) {
      while (timed[0] && timed[0].dueAt <= now) {
        const entry = timed.shift() as { url: string; dueAt: number };
        if (counts(entry)) enqueue(find(entry.url) as UrlRecord);
      }
      for (let rank = 0; rank < RANKS; rank++) {
        const queue = queues[rank];
        if (!queue) continue;
        for (; queue.next < queue.urls.length; queue.next++) {
          const record = find(queue.urls[queue.next] as string);
          if (record?.state !== 'waiting') continue;
          if (rankOf(record.depth, record.level, record.kind) !== rank) continue;
          if (record.dueAt > now) {
            // It was due by an earlier call: the clock was set back since, or that call looked ahead.
            wait(record);
            continue;
          }
          trim(queue);
          first = { record, queue };
          return rank;
        }
        queue.urls.length = queue.next = 0;
      }
      first = undefined;
      return undefined;
    },

    take() {
      if (!first) throw new Error('take() without firstRank()');
      const { record, queue } = first;
      queue.next++;
      first = undefined;
      return record;
    },

    nextDueAt() {
      while (timed[0] && !counts(timed[0])) timed.shift();
      return timed[0]?.dueAt;
    },
  };
}
