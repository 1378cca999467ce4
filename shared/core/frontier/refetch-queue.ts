/**
 * The records in memory that are due to be fetched again, by their time. As in `waiting-queue.ts`, an entry counts only
 * while `find` still gives a record with the entry's due time.
 */
import type { UrlRecord } from './url-record.ts';

interface Entry {
  readonly url: string;
  readonly dueAt: number;
}

export class RefetchQueue {
  readonly #find: (url: string) => UrlRecord | undefined;
  /** A binary heap: due times come in no order. */
  readonly #heap: Entry[] = [];

  constructor(find: (url: string) => UrlRecord | undefined) {
    this.#find = find;
  }

  add({ url, dueAt }: UrlRecord): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push({ url, dueAt });
    for (;;) {
      const parent = (at - 1) >> 1;
      if (at === 0 || heap[parent]!.dueAt <= dueAt) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** When the first of them is due. */
  dueAt(): number | undefined {
    return this.#first()?.dueAt;
  }

  /** Takes the first, of which {@link RefetchQueue.dueAt} has just said that there is one. */
  take(): UrlRecord {
    const record = this.#first();
    if (!record) throw new Error('take() without dueAt()');
    this.#removeFirst();
    return record;
  }

  #first(): UrlRecord | undefined {
    for (let entry = this.#heap[0]; entry; entry = this.#heap[0]) {
      const record = this.#find(entry.url);
      if (record?.dueAt === entry.dueAt) return record;
      this.#removeFirst();
    }
    return undefined;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as Entry;
    if (heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && heap[child]!.dueAt < heap[least]!.dueAt) least = child;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  }
}
