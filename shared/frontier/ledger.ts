/**
 * The ledger of one host: which of its URLs have been seen, which wait and in what order, what became of the others.
 *
 * A small LSM tree. The head (a {@link LedgerIndex} in it) names segments, each what one turn changed, and runs, into
 * which segments are merged when they are many. In memory: the records of all segments (`fresh`), the keys of all
 * runs, and of a run's lists only the block at its cursor. Newer overrides older: what is in `fresh` counts before
 * any run, a newer run before an older one.
 *
 * A ledger is opened for one turn and changed by it alone. {@link HostLedger.prepareCommit} says what to store; if the
 * head then cannot be committed, the ledger must be thrown away. After a commit it may serve the next turn, if that
 * finds the head's version unchanged.
 */
import type { HostKey } from '../ports.ts';
import { fingerprint } from '../url/fingerprint.ts';
import { blockPayload, listBlocks } from './block-list.ts';
import {
  decodeKeyRun,
  depthOfNote,
  encodeKeyRun,
  findKey,
  isReadyNote,
  type KeyRun,
  levelOfNote,
  MAX_NOTED_DEPTH,
  noteOf,
} from './key-run.ts';
import { createListReader, type ListReader, type ReadPart } from './list-reader.ts';
import type { Link } from './message.ts';
import { levelOf, MAX_LEVEL } from './rank.ts';
import { decodeRecords } from './record-block.ts';
import { buildRun, isAtEnd, isReady, mergeRuns, type Run, type RunEntry, startOf } from './run.ts';
import { decodeSegment, encodeSegment } from './segment.ts';
import { URL_STATES, type UrlRecord, type UrlState } from './url-record.ts';
import { createWaitingRoom, type WaitingRoom } from './waiting-room.ts';

/** The part of a head that describes the ledger. */
export interface LedgerIndex {
  /** Names of the segments, oldest first. */
  readonly segments: readonly string[];
  /** Newest first. */
  readonly runs: readonly RunEntry[];
  /** How many URLs are in each state. Their sum is the number of known URLs. */
  readonly counts: Readonly<Record<UrlState, number>>;
}

export const EMPTY_INDEX: LedgerIndex = {
  segments: [],
  runs: [],
  counts: Object.fromEntries(URL_STATES.map((state) => [state, 0])) as Record<UrlState, number>,
};

/** What must be stored before the head that holds `index`, and what may be deleted after it. */
export interface LedgerCommit {
  readonly parts: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly index: LedgerIndex;
  readonly obsolete: readonly string[];
}

/** As many segments are read at each cold turn; then they become one, or a run. */
const MAX_SEGMENTS = 8;
/** Up to so many records are kept in segments; beyond, a run spares the turn reading them all. */
const MAX_SEGMENT_RECORDS = 2000;
/** Fresh records beyond this become a run however few the segments. */
const MAX_FRESH_RECORDS = 4000;
/** A run is merged with the next older one while that is less than so many times as large ... */
const RUN_RATIO = 4;
/** ... and both together are no more than this, which bounds what one turn's merge costs. */
const MAX_RUN_URLS = 500_000;

interface OpenRun {
  readonly entry: RunEntry;
  readonly keys: KeyRun;
  readonly ready: ListReader;
  readonly later: ListReader;
}

export class HostLedger {
  readonly #host: HostKey;
  readonly #read: ReadPart;
  #segments: string[];
  #runs: OpenRun[];
  readonly #counts: Record<UrlState, number>;
  readonly #fresh = new Map<string, UrlRecord>();
  /** Changed since the last commit. */
  readonly #changed = new Set<string>();
  /** Taken by `next` and not yet settled: hidden from the waiting room. */
  readonly #taken = new Set<string>();
  #room: WaitingRoom;
  readonly #key = new Uint32Array(2);

  private constructor(host: HostKey, index: LedgerIndex, runs: OpenRun[], read: ReadPart) {
    this.#host = host;
    this.#read = read;
    this.#segments = [...index.segments];
    this.#counts = { ...index.counts };
    this.#runs = runs;
    this.#room = this.#newRoom();
  }

  /** Reads the segments and the runs' keys. */
  static async open(host: HostKey, index: LedgerIndex, read: ReadPart): Promise<HostLedger> {
    const [segments, runs] = await Promise.all([
      Promise.all(index.segments.map((name) => read(name))),
      Promise.all(
        index.runs.map(async (entry) =>
          openRun(host, entry, decodeKeyRun(await read(`${entry.id}.keys`)), read),
        ),
      ),
    ]);
    const ledger = new HostLedger(host, index, runs, read);
    for (const bytes of segments)
      for (const record of decodeSegment(host, bytes)) ledger.#fresh.set(record.url, record);
    for (const record of ledger.#fresh.values()) if (record.state === 'waiting') ledger.#room.add(record);
    return ledger;
  }

  get counts(): Readonly<Record<UrlState, number>> {
    return this.#counts;
  }

  get knownUrls(): number {
    return URL_STATES.reduce((sum, state) => sum + this.#counts[state], 0);
  }

  /** How many records would go into the next segment. */
  get changes(): number {
    return this.#changed.size;
  }

  /** About how much memory it holds, for whoever keeps ledgers between turns. */
  get approximateBytes(): number {
    return this.#fresh.size * 400 + this.#runs.reduce((sum, run) => sum + 9 * run.keys.count + 200_000, 1000);
  }

  /** Whether the URL is known. */
  has(url: string): boolean {
    return this.#fresh.has(url) || this.#findNote(url) >= 0;
  }

  /**
   * Takes in a link: a new URL waits from now on; a known one that still waits for its first fetch may rise in rank.
   * Merging a link again changes nothing. True if the URL was new.
   */
  merge(link: Link, now: number): boolean {
    const level = link.isSeed ? MAX_LEVEL : levelOf(link.url, link.via);
    const fresh = this.#fresh.get(link.url);
    if (fresh) {
      if (fresh.state !== 'waiting' || (level <= fresh.level && link.depth >= fresh.depth)) return false;
      this.#put({
        ...fresh,
        depth: Math.min(fresh.depth, link.depth),
        level: Math.max(fresh.level, level),
      });
      return false;
    }
    const record: UrlRecord = {
      url: link.url,
      state: 'waiting',
      depth: link.depth,
      level,
      via: link.via,
      seenAt: now,
      redirects: link.redirects ?? 0,
      attempts: 0,
      dueAt: 0,
    };
    const note = this.#findNote(link.url);
    if (note < 0) {
      this.#counts.waiting++;
      this.#put(record);
      return true;
    }
    if (!isReadyNote(note)) return false;
    const noted = depthOfNote(note);
    const risen = {
      ...record,
      // The deepest note stands for any greater depth, too.
      depth: noted < MAX_NOTED_DEPTH ? Math.min(noted, link.depth) : link.depth,
      level: Math.max(levelOfNote(note), level),
    };
    if (noteOf(true, risen.depth, risen.level) !== note) this.#put(risen);
    return false;
  }

  /**
   * Takes the first of the waiting URLs that may be fetched now, or undefined if there is none. Each one taken must
   * be settled before the commit. Calls must not overlap.
   */
  async next(now: number): Promise<UrlRecord | undefined> {
    for (;;) {
      const roomRank = this.#room.firstRank(now);
      const list = this.#firstList(now);
      if (roomRank === undefined && list === undefined) return undefined;
      if (list === undefined || (roomRank !== undefined && roomRank < list.reader.cursor.rank)) {
        const record = this.#room.take();
        this.#taken.add(record.url);
        return record;
      }
      const record = await list.reader.take();
      if (!this.#isCurrent(list.run, record)) continue;
      this.#fresh.set(record.url, record);
      this.#changed.add(record.url);
      this.#taken.add(record.url);
      return record;
    }
  }

  /** When a URL may be fetched next: `now` or earlier if one may be already; undefined if none waits. */
  nextDueAt(now: number): number | undefined {
    if (this.#room.firstRank(now) !== undefined) return now;
    let dueAt = this.#room.nextDueAt();
    for (const run of this.#runs) {
      if (!isAtEnd(run.ready.cursor)) return now;
      if (!isAtEnd(run.later.cursor))
        dueAt = Math.min(dueAt ?? Number.MAX_SAFE_INTEGER, run.later.cursor.dueAt);
    }
    return dueAt;
  }

  /** Gives back a URL taken by {@link next} as it is to stand from now on: with its outcome, or waiting again. */
  settle(record: UrlRecord): void {
    if (!this.#taken.delete(record.url))
      throw new Error(`${record.url} was not taken, or is settled already`);
    const risen = this.#fresh.get(record.url);
    this.#counts.waiting--;
    this.#counts[record.state]++;
    // While it was taken, links may have raised it; that must not be forgotten if it waits again.
    this.#put({
      ...record,
      depth: Math.min(record.depth, risen?.depth ?? record.depth),
      level: Math.max(record.level, risen?.level ?? 0),
    });
  }

  /** What is known of the URL, or undefined. Reads lists through: for asking, not for crawling. */
  async lookUp(url: string): Promise<UrlRecord | undefined> {
    const fresh = this.#fresh.get(url);
    if (fresh) return fresh;
    if (this.#findNote(url) < 0) return undefined;
    for await (const record of this.#runRecords()) if (record.url === url) return record;
    return undefined;
  }

  /** Every known URL once, as it stands. */
  async *records(): AsyncGenerator<UrlRecord> {
    yield* this.#fresh.values();
    yield* this.#runRecords();
  }

  /**
   * What the turn has changed, as parts to store, named after `id`, which no other attempt may use. Merges segments
   * and runs where they have become many.
   */
  async prepareCommit(id: string): Promise<LedgerCommit> {
    if (this.#taken.size > 0) throw new Error(`${this.#taken.size} URLs are taken and not settled`);
    const parts: { name: string; bytes: Uint8Array }[] = [];
    const obsolete: string[] = [];
    const segments = this.#changed.size > 0 ? this.#segments.length + 1 : this.#segments.length;

    if (
      this.#fresh.size > MAX_FRESH_RECORDS ||
      (segments > MAX_SEGMENTS && this.#fresh.size > MAX_SEGMENT_RECORDS)
    ) {
      await this.#flushToRun(`r${id}`, parts, obsolete);
    } else if (this.#changed.size > 0) {
      const name = `s${id}`;
      const isMerge = segments > MAX_SEGMENTS;
      if (isMerge) obsolete.push(...this.#segments);
      const urls = isMerge ? this.#fresh.keys() : this.#changed;
      const records = Array.from(urls, (url) => this.#fresh.get(url) as UrlRecord);
      parts.push({ name, bytes: encodeSegment(this.#host, records) });
      this.#segments = isMerge ? [name] : [...this.#segments, name];
    }
    this.#changed.clear();
    return { parts, obsolete, index: this.#index() };
  }

  // ------------------------------------------------------------------------------------------------ inside

  #newRoom(): WaitingRoom {
    return createWaitingRoom((url) => (this.#taken.has(url) ? undefined : this.#fresh.get(url)));
  }

  #put(record: UrlRecord): void {
    this.#fresh.set(record.url, record);
    this.#changed.add(record.url);
    if (record.state === 'waiting' && !this.#taken.has(record.url)) this.#room.add(record);
  }

  /** The newest run's note on the URL, or -1. */
  #findNote(url: string): number {
    if (this.#runs.length === 0) return -1;
    fingerprint(url, this.#key, 0);
    return this.#noteIn(this.#runs);
  }

  #noteIn(runs: readonly OpenRun[]): number {
    for (const { keys } of runs) {
      const note = findKey(keys, this.#key[0] as number, this.#key[1] as number);
      if (note >= 0) return note;
    }
    return -1;
  }

  /** The list whose next record comes first; of equal rank the oldest run's. */
  #firstList(now: number): { run: OpenRun; reader: ListReader } | undefined {
    let first: { run: OpenRun; reader: ListReader } | undefined;
    for (const run of this.#runs) {
      const { ready, later } = run;
      if (!isAtEnd(later.cursor) && later.cursor.dueAt <= now) return { run, reader: later };
      if (isAtEnd(ready.cursor)) continue;
      if (!first || ready.cursor.rank <= first.reader.cursor.rank) first = { run, reader: ready };
    }
    return first;
  }

  /** Whether an entry of a run's list is still the newest word on its URL. */
  #isCurrent(run: OpenRun, record: UrlRecord): boolean {
    if (this.#fresh.has(record.url)) return false;
    fingerprint(record.url, this.#key, 0);
    const upTo = this.#runs.slice(0, this.#runs.indexOf(run) + 1);
    return this.#noteIn(upTo) === noteOf(isReady(record), record.depth, record.level);
  }

  /** Makes all fresh records a run, and merges it with older runs that are not much larger. */
  async #flushToRun(
    id: string,
    parts: { name: string; bytes: Uint8Array }[],
    obsolete: string[],
  ): Promise<void> {
    let run = buildRun(this.#host, [...this.#fresh.values()]);
    obsolete.push(...this.#segments);
    while (this.#runs[0]) {
      const older = this.#runs[0];
      const together = run.keys.count + older.keys.count;
      if (older.keys.count > RUN_RATIO * run.keys.count || together > MAX_RUN_URLS) break;
      const entry = entryOf(older);
      const [ready, later, done] = await Promise.all([
        this.#read(`${entry.id}.ready`),
        this.#read(`${entry.id}.later`),
        this.#read(`${entry.id}.done`),
      ]);
      run = mergeRuns(
        this.#host,
        { ...run, entry: newEntry(id, run) },
        { keys: older.keys, ready, later, done, entry },
      );
      obsolete.push(...RUN_PARTS.map((part) => `${entry.id}.${part}`));
      this.#runs.shift();
    }
    const entry = newEntry(id, run);
    this.#runs.unshift(openRun(this.#host, entry, run.keys, this.#read));
    parts.push(
      { name: `${id}.keys`, bytes: encodeKeyRun(run.keys) },
      { name: `${id}.ready`, bytes: run.ready },
      { name: `${id}.later`, bytes: run.later },
      { name: `${id}.done`, bytes: run.done },
    );
    this.#segments = [];
    this.#fresh.clear();
    this.#room = this.#newRoom();
  }

  /** Every record that the runs hold and `fresh` does not, once. */
  async *#runRecords(): AsyncGenerator<UrlRecord> {
    for (const run of this.#runs) {
      for (const part of ['done', 'ready', 'later'] as const) {
        const list = await this.#read(`${run.entry.id}.${part}`);
        for (const header of listBlocks(list))
          for (const record of decodeRecords(this.#host, blockPayload(list, header))) {
            if (this.#isCurrent(run, record)) yield record;
          }
      }
    }
  }

  #index(): LedgerIndex {
    return { segments: this.#segments, runs: this.#runs.map(entryOf), counts: { ...this.#counts } };
  }
}

export const RUN_PARTS = ['keys', 'ready', 'later', 'done'] as const;

function openRun(host: HostKey, entry: RunEntry, keys: KeyRun, read: ReadPart): OpenRun {
  return {
    entry,
    keys,
    ready: createListReader(host, `${entry.id}.ready`, entry.ready, read),
    later: createListReader(host, `${entry.id}.later`, entry.later, read),
  };
}

const entryOf = (run: OpenRun): RunEntry => ({
  ...run.entry,
  ready: run.ready.cursor,
  later: run.later.cursor,
});

function newEntry(id: string, run: Run): RunEntry {
  return {
    id,
    urls: run.keys.count,
    ready: startOf(run.ready),
    later: startOf(run.later),
    doneBytes: run.done.length,
  };
}
