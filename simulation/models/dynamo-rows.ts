/** Rows in partitions, as they are and as they were some moments ago. */
import { compareUtf8, type SortedList, sortingBy } from './sorted-list.ts';

/** So old is at most what a read that is not consistent shows. */
export const FORMER_MS = 2000;

export interface Rows<R, K> {
  /** With a time: as it was then, up to `formerMs` ago. */
  get(partition: string, key: K, at?: number): R | undefined;
  /** Puts, replaces or removes. The row is never changed from then on. */
  set(partition: string, key: K, row: R | undefined): void;
  /** A partition's rows in the order of their keys, from the key on. Nothing may be changed meanwhile. */
  from(partition: string, key: K | undefined, isAfter: boolean, at?: number): Iterable<R>;
  /** All partitions, or those behind one that need not be there, in the order of a hash of their names. */
  partitions(after?: string): Iterable<string>;
}

export interface RowsOptions<R, K> {
  readonly now: () => number;
  readonly keyOf: (row: R) => K;
  readonly compareKeys: (a: K, b: K) => number;
  /** The age at which earlier states are no longer visible. Default {@link FORMER_MS}. */
  readonly formerMs?: number;
}

interface Partition<R, K> {
  readonly name: string;
  readonly hash: number;
  readonly rows: SortedList<R>;
  /** In the order in which they were replaced. */
  readonly former: Former<R, K>[];
}

interface Former<R, K> {
  readonly key: K;
  /** None: there was none. */
  readonly row: R | undefined;
  readonly until: number;
}

export function createRows<R, K>({
  now,
  keyOf,
  compareKeys,
  formerMs = FORMER_MS,
}: RowsOptions<R, K>): Rows<R, K> {
  const byName = new Map<string, Partition<R, K>>();
  const byHash: SortedList<Partition<R, K>> = [];
  const rowSorting = sortingBy<R, K>((row, key) => compareKeys(keyOf(row), key));
  const formerSorting = sortingBy<Former<R, K>, K>((former, key) => compareKeys(former.key, key));
  const hashSorting = sortingBy<Partition<R, K>, { readonly name: string; readonly hash: number }>(
    (partition, { name, hash }) => partition.hash - hash || compareUtf8(partition.name, name),
  );
  /** A partition for each row that was replaced: the oldest of its former rows is the one meant. */
  let changed: Partition<R, K>[] = [];
  let forgotten = 0;

  function partitionOf(name: string): Partition<R, K> {
    let partition = byName.get(name);
    if (!partition) {
      partition = { name, hash: hashOf(name), rows: [], former: [] };
      byName.set(name, partition);
      hashSorting.set(byHash, partition, partition);
    }
    return partition;
  }

  function forgetOld(): void {
    const oldest = now() - formerMs;
    for (; forgotten < changed.length; forgotten++) {
      const partition = changed[forgotten] as Partition<R, K>;
      if ((partition.former[0] as Former<R, K>).until > oldest) break;
      partition.former.shift();
      if (partition.former.length > 0 || partition.rows.length > 0) continue;
      byName.delete(partition.name);
      hashSorting.remove(byHash, partition);
    }
    if (forgotten < 1000 || forgotten * 2 < changed.length) return;
    changed = changed.slice(forgotten);
    forgotten = 0;
  }

  /** Returns the changes since then: the first change of each key holds its former value. */
  function changesSince({ former }: Partition<R, K>, at: number): SortedList<Former<R, K>> {
    const changes: SortedList<Former<R, K>> = [];
    for (const one of former)
      if (one.until > at && !formerSorting.find(changes, one.key)) formerSorting.set(changes, one.key, one);
    return changes;
  }

  function* former(
    partition: Partition<R, K>,
    key: K | undefined,
    isAfter: boolean,
    at: number,
  ): Generator<R> {
    const changes = changesSince(partition, at);
    const changed = formerSorting.from(changes, key, isAfter);
    let change = changed.next();
    for (const row of rowSorting.from(partition.rows, key, isAfter)) {
      while (!change.done && compareKeys(change.value.key, keyOf(row)) < 0) {
        if (change.value.row) yield change.value.row;
        change = changed.next();
      }
      if (change.done || compareKeys(change.value.key, keyOf(row)) !== 0) yield row;
    }
    for (; !change.done; change = changed.next()) if (change.value.row) yield change.value.row;
  }

  return {
    get(name, key, at) {
      const partition = byName.get(name);
      if (!partition) return undefined;
      const change =
        at === undefined
          ? undefined
          : partition.former.find((one) => one.until > at && compareKeys(one.key, key) === 0);
      return change ? change.row : rowSorting.find(partition.rows, key);
    },

    set(name, key, row) {
      forgetOld();
      const partition = partitionOf(name);
      partition.former.push({ key, row: rowSorting.find(partition.rows, key), until: now() });
      changed.push(partition);
      if (row === undefined) rowSorting.remove(partition.rows, key);
      else rowSorting.set(partition.rows, key, row);
    },

    from(name, key, isAfter, at) {
      const partition = byName.get(name);
      if (!partition) return [];
      if (at === undefined) return rowSorting.from(partition.rows, key, isAfter);
      return former(partition, key, isAfter, at);
    },

    *partitions(after) {
      const start = after === undefined ? undefined : { name: after, hash: hashOf(after) };
      for (const { name } of hashSorting.from(byHash, start, true)) yield name;
    },
  };
}

/** FNV-1a, mixed once more, as names that differ at their end only would else stand together. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
