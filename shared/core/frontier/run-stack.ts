/**
 * The runs of an open ledger, newest first: their keys in memory, their lists read from the cursors on. Where
 * several runs know a URL, the newest one counts.
 */

import { SIZES, type Sizes } from '../base/sizes.ts';
import { fingerprint } from '../url/fingerprint.ts';
import type { HostKey } from '../url/host-key.ts';
import { blockPayload, listBlocks } from './block-list.ts';
import {
  decodeKeyRun,
  encodeKeyRun,
  findKey,
  isReadyNote,
  type KeyRun,
  placeOfKey,
  unionUpTo,
} from './key-run.ts';
import { ListReader, type ReadPart } from './list-reader.ts';
import { decodeRecords, findRecords } from './record-block.ts';
import {
  buildRun,
  type Cursor,
  isAtEnd,
  mergeRuns,
  noteOfRecord,
  type Run,
  type RunEntry,
  startOf,
} from './run.ts';
import { type RunOutcomes, readOutcomes, type UrlOutcome, WAITING } from './run-outcomes.ts';
import type { UrlRecord } from './url-record.ts';

export interface Part {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Names of the parts of every run: the suffixes after its id and a dot. */
const RUN_PARTS = ['keys', 'ready', 'later', 'done'] as const;
const WITH_AGAIN = [...RUN_PARTS, 'again'] as const;

/** Names of the parts of a run. */
export const partsOfRun = ({ id, again }: Pick<RunEntry, 'id' | 'again'>): string[] =>
  (again ? WITH_AGAIN : RUN_PARTS).map((part) => `${id}.${part}`);

interface OpenRun {
  readonly entry: RunEntry;
  readonly keys: KeyRun;
  readonly ready: ListReader;
  readonly later: ListReader;
  readonly again: ListReader | undefined;
  outcomes?: Promise<RunOutcomes>;
}

export interface RunStack {
  /** As the head names them, with their cursors as they are now. */
  entries(): RunEntry[];
  /** Keys of all runs together. */
  keys(): number;
  /** The note on the URL, or -1. */
  findNote(url: string): number;
  /**
   * Rank of the record that {@link RunStack.take} would take, or undefined. A URL due by now goes before all.
   */
  firstRank(now: number): number | undefined;
  /** Moves on by one entry: its record, or undefined if it no longer counts. */
  take(now: number): Promise<UrlRecord | undefined>;
  /** When there will be something to take: `now` if there may be already. */
  nextDueAt(now: number): number | undefined;
  /** When the first URL that was fetched is to be fetched again; undefined if none is. */
  refetchDueAt(): number | undefined;
  /** Moves on in the list of that one: its record, or undefined if it no longer counts. */
  takeAgain(): Promise<UrlRecord | undefined>;
  /**
   * Returns the URLs that were fetched and are due again, as the runs know them. Reads the lists of the runs that
   * have them, and calls `pause` between two blocks.
   */
  findAgain(urls: Iterable<string>, pause: () => Promise<void>): Promise<UrlRecord[]>;
  /** As above, but takes only records of this rank ({@link RunStack.firstRank}). */
  nextDueAtRank(now: number, rank: number): number | undefined;
  /**
   * Adds the records as the newest run, named `id`, and merges older ones that are not much larger into it.
   * Returns what to store and the names of the parts that it replaces.
   */
  push(id: string, records: readonly UrlRecord[]): Promise<{ parts: Part[]; obsolete: string[] }>;
  /**
   * The outcome of a URL that one of the runs knows. Reads all outcomes of the run at the first query for it.
   */
  outcome(url: string): Promise<UrlOutcome | undefined>;
  /** The record of a URL, if a run knows it. Reads lists of that run, the likeliest first, until it is found. */
  find(url: string): Promise<UrlRecord | undefined>;
  /** Every record that counts, once. Reads everything. */
  records(): AsyncGenerator<UrlRecord>;
}

/** Reads the runs' keys. */
export async function openRunStack(
  host: HostKey,
  entries: readonly RunEntry[],
  read: ReadPart,
  sizes: Sizes = SIZES,
): Promise<RunStack> {
  const keys = await Promise.all(entries.map(async ({ id }) => decodeKeyRun(await read(`${id}.keys`))));
  return new OpenRuns(host, { entries, keys }, read, sizes);
}

class OpenRuns implements RunStack {
  readonly #host: HostKey;
  readonly #read: ReadPart;
  readonly #sizes: Sizes;
  /** Newest first. */
  readonly #runs: OpenRun[];
  readonly #key = new Uint32Array(2);

  constructor(
    host: HostKey,
    { entries, keys }: { readonly entries: readonly RunEntry[]; readonly keys: readonly KeyRun[] },
    read: ReadPart,
    sizes: Sizes,
  ) {
    this.#host = host;
    this.#read = read;
    this.#sizes = sizes;
    this.#runs = entries.map((entry, i) => this.#open(entry, keys[i]!));
  }

  entries(): RunEntry[] {
    return this.#runs.map(entryOf);
  }

  keys(): number {
    return this.#runs.reduce((sum, run) => sum + run.keys.count, 0);
  }

  findNote(url: string): number {
    return this.#newest(url).note;
  }

  firstRank(now: number): number | undefined {
    return this.#firstList(now)?.reader.cursor.rank;
  }

  async take(now: number): Promise<UrlRecord | undefined> {
    const first = this.#firstList(now);
    if (!first) throw new Error('take() where firstRank() is undefined');
    const record = await first.reader.take();
    return this.#isCurrent(first.run, record) ? record : undefined;
  }

  nextDueAt(now: number): number | undefined {
    let dueAt: number | undefined;
    for (const { ready, later } of this.#runs) {
      if (!isAtEnd(ready.cursor)) return now;
      if (!isAtEnd(later.cursor)) dueAt = Math.min(dueAt ?? Number.MAX_SAFE_INTEGER, later.cursor.dueAt);
    }
    return dueAt;
  }

  nextDueAtRank(now: number, rank: number): number | undefined {
    if (this.firstRank(now) === rank) return now;
    const times = this.#runs.flatMap(({ later }) => (isAtEnd(later.cursor) ? [] : later.cursor.dueAt));
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  refetchDueAt(): number | undefined {
    return this.#firstAgain()?.again.cursor.dueAt;
  }

  async takeAgain(): Promise<UrlRecord | undefined> {
    const first = this.#firstAgain();
    if (!first) throw new Error('takeAgain() where refetchDueAt() is undefined');
    const record = await first.again.take();
    return this.#isCurrent(first.run, record) ? record : undefined;
  }

  async findAgain(urls: Iterable<string>, pause: () => Promise<void>): Promise<UrlRecord[]> {
    const wanted = new Map<OpenRun, Set<string>>();
    for (const url of urls) {
      const { run, note } = this.#newest(url);
      if (!run?.entry.again || isReadyNote(note)) continue;
      const ofRun = wanted.get(run);
      if (ofRun) ofRun.add(url);
      else wanted.set(run, new Set([url]));
    }
    const found: UrlRecord[] = [];
    for (const [run, ofRun] of wanted) {
      const list = await this.#read(`${run.entry.id}.again`);
      // Records before the cursor were taken: newer ones are elsewhere.
      for (const header of listBlocks(list, run.again?.cursor.offset ?? 0)) {
        const records = decodeRecords(this.#host, blockPayload(list, header));
        found.push(...records.filter((record) => ofRun.has(record.url) && this.#isCurrent(run, record)));
        await pause();
      }
    }
    return found;
  }

  async push(id: string, records: readonly UrlRecord[]): Promise<{ parts: Part[]; obsolete: string[] }> {
    const { runRatio, maxRunUrls, blockRecords } = this.#sizes;
    const runs = this.#runs;
    let run = buildRun(this.#host, records, blockRecords);
    const obsolete: string[] = [];
    while (runs[0]) {
      const older = runs[0];
      if (older.keys.count > runRatio * run.keys.count) break;
      if (unionUpTo(run.keys, older.keys, maxRunUrls) > maxRunUrls) break;
      run = mergeRuns(
        this.#host,
        { ...run, entry: newEntry(id, run) },
        { ...(await this.#readParts(older)), entry: entryOf(older) },
        blockRecords,
      );
      obsolete.push(...partsOfRun(older.entry));
      runs.shift();
    }
    runs.unshift(this.#open(newEntry(id, run), run.keys));
    const { keys, ready, later, done, again } = run;
    const parts = Object.entries({ keys: encodeKeyRun(keys), ready, later, done });
    if (again) parts.push(['again', again]);
    return { parts: parts.map(([part, bytes]) => ({ name: `${id}.${part}`, bytes })), obsolete };
  }

  async outcome(url: string): Promise<UrlOutcome | undefined> {
    const { run, note } = this.#newest(url);
    if (!run) return undefined;
    if (isReadyNote(note)) return WAITING;
    run.outcomes ??= this.#readOutcomes(run);
    const outcomes = await run.outcomes;
    fingerprint(url, this.#key, 0);
    return outcomes(placeOfKey(run.keys, this.#key[0] as number, this.#key[1] as number));
  }

  async find(url: string): Promise<UrlRecord | undefined> {
    const { run, note } = this.#newest(url);
    if (!run) return undefined;
    const again = run.entry.again ? ['again'] : [];
    for (const part of isReadyNote(note) ? ['ready'] : ['done', 'later', ...again]) {
      const list = await this.#read(`${run.entry.id}.${part}`);
      for (const header of listBlocks(list)) {
        const found = findRecords(this.#host, blockPayload(list, header), url);
        const record = found.find((one) => this.#isCurrent(run, one));
        if (record) return record;
      }
    }
    return undefined;
  }

  async *records(): AsyncGenerator<UrlRecord> {
    for (const run of this.#runs) {
      const lists = await this.#readParts(run);
      for (const list of [lists.done, lists.ready, lists.later, lists.again ?? NO_LIST])
        for (const header of listBlocks(list))
          for (const record of decodeRecords(this.#host, blockPayload(list, header)))
            if (this.#isCurrent(run, record)) yield record;
    }
  }

  #open(entry: RunEntry, keys: KeyRun): OpenRun {
    const { readAheadBytes } = this.#sizes;
    const readerOf = (part: 'ready' | 'later' | 'again', start: Cursor) =>
      new ListReader(this.#host, this.#read, { name: `${entry.id}.${part}`, start, readAheadBytes });
    return {
      entry,
      keys,
      ready: readerOf('ready', entry.ready),
      later: readerOf('later', entry.later),
      again: entry.again && readerOf('again', entry.again),
    };
  }

  async #readOutcomes({ entry, keys }: OpenRun): Promise<RunOutcomes> {
    const lists = entry.again ? ['done', 'again'] : ['done'];
    const bytes = await Promise.all(lists.map((part) => this.#read(`${entry.id}.${part}`)));
    return readOutcomes(this.#host, keys, bytes);
  }

  /** The list whose next record is due again first. */
  #firstAgain(): { readonly run: OpenRun; readonly again: ListReader } | undefined {
    let first: { run: OpenRun; again: ListReader } | undefined;
    for (const run of this.#runs) {
      const { again } = run;
      if (!again || isAtEnd(again.cursor)) continue;
      if (!first || again.cursor.dueAt < first.again.cursor.dueAt) first = { run, again };
    }
    return first;
  }

  /** The newest run that knows the URL, and its note on it: -1 if none knows it. */
  #newest(url: string): { readonly run?: OpenRun; readonly note: number } {
    if (this.#runs.length === 0) return { note: -1 };
    fingerprint(url, this.#key, 0);
    for (const run of this.#runs) {
      const note = findKey(run.keys, this.#key[0] as number, this.#key[1] as number);
      if (note >= 0) return { run, note };
    }
    return { note: -1 };
  }

  /** Whether an entry of a run's list is the latest entry of its URL in all runs. */
  #isCurrent(run: OpenRun, record: UrlRecord): boolean {
    const last = this.#newest(record.url);
    return last.run === run && last.note === noteOfRecord(record);
  }

  /** The list whose next record comes first; of equal rank the oldest run's. */
  #firstList(now: number): { readonly run: OpenRun; readonly reader: ListReader } | undefined {
    let first: { run: OpenRun; reader: ListReader } | undefined;
    for (const run of this.#runs) {
      const { ready, later } = run;
      if (!isAtEnd(later.cursor) && later.cursor.dueAt <= now) return { run, reader: later };
      if (isAtEnd(ready.cursor)) continue;
      if (!first || ready.cursor.rank <= first.reader.cursor.rank) first = { run, reader: ready };
    }
    return first;
  }

  async #readParts({ entry, keys }: OpenRun): Promise<Run> {
    const part = (name: string) => this.#read(`${entry.id}.${name}`);
    const [ready, later, done, again] = await Promise.all([
      part('ready'),
      part('later'),
      part('done'),
      entry.again && part('again'),
    ]);
    return { keys, ready, later, done, again };
  }
}

const entryOf = (run: OpenRun): RunEntry => ({
  ...run.entry,
  ready: run.ready.cursor,
  later: run.later.cursor,
  ...(run.again && { again: run.again.cursor }),
});

const NO_LIST = new Uint8Array(0);

function newEntry(id: string, run: Run): RunEntry {
  return {
    id,
    urls: run.keys.count,
    ready: startOf(run.ready),
    later: startOf(run.later),
    doneBytes: run.done.length,
    ...(run.again && { again: startOf(run.again) }),
  };
}
