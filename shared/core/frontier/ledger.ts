/**
 * The ledger of one host: which of its URLs have been seen, which wait and in what order, and the outcomes of the
 * others.
 *
 * A small LSM tree. The head (a {@link LedgerIndex} in it) names segments, each with the changes of one turn, and runs,
 * into which segments are merged when they are many. In memory: the records of all segments (`fresh`), the keys of all
 * runs, and of a run's lists only the block at its cursor. Newer overrides older: what is in `fresh` counts before any
 * run, a newer run before an older one.
 *
 * A ledger is opened for one turn and changed by it alone. {@link HostLedger.prepareCommit} says what to
 * store; if the head then cannot be committed, the ledger must be discarded. After a commit it may serve the
 * next turn, if that finds the head's version unchanged.
 */

import { SIZES, type Sizes } from '../base/sizes.ts';
import type { HostKey } from '../url/host-key.ts';
import { FreshRecords, isWaitingSitemap } from './fresh-records.ts';
import { isReadyNote, READY_REQUISITE_NOTE } from './key-run.ts';
import type { LedgerCommit, LedgerIndex } from './ledger-index.ts';
import type { ReadPart } from './list-reader.ts';
import { kindAfter, newRecord, raisedFromNote, raisedRecord } from './merge-link.ts';
import type { Link } from './message.ts';
import { REQUISITE_RANK } from './rank.ts';
import type { UrlOutcome } from './run-outcomes.ts';
import { openRunStack, type RunStack } from './run-stack.ts';
import { decodeSegment, encodeSegment } from './segment.ts';
import { isRefetch, type UrlRecord, type UrlState } from './url-record.ts';

/** Waiting pages that one search for requisites moves from runs into memory, at most. */
const MAX_MOVED = 1000;

const ALL_KINDS = ['page', 'requisite', 'sitemap'] as const;

type ChangedParts = Pick<LedgerCommit, 'parts' | 'obsolete'>;

const NOTHING: ChangedParts = { parts: [], obsolete: [] };

interface OpenedLedger {
  readonly host: HostKey;
  readonly index: LedgerIndex;
  readonly runs: RunStack;
  readonly fresh: FreshRecords;
  readonly sizes: Sizes;
}

export class HostLedger {
  readonly #host: HostKey;
  readonly #sizes: Sizes;
  #segments: readonly string[];
  readonly #runs: RunStack;
  readonly #counts: Record<UrlState, number>;
  readonly #fresh: FreshRecords;

  private constructor({ host, index, runs, fresh, sizes }: OpenedLedger) {
    this.#host = host;
    this.#sizes = sizes;
    this.#segments = index.segments;
    this.#counts = { ...index.counts };
    this.#runs = runs;
    this.#fresh = fresh;
  }

  /** Reads the segments and the runs' keys. */
  static async open(
    host: HostKey,
    index: LedgerIndex,
    read: ReadPart,
    sizes: Sizes = SIZES,
  ): Promise<HostLedger> {
    const [segments, runs] = await Promise.all([
      Promise.all(index.segments.map((name) => read(name))),
      openRunStack(host, index.runs, read, sizes),
    ]);
    const records = segments.flatMap((bytes) => decodeSegment(host, bytes));
    const fresh = new FreshRecords(records, index.waitingRequisites ?? 0);
    return new HostLedger({ host, index, runs, fresh, sizes });
  }

  get counts(): Readonly<Record<UrlState, number>> {
    return this.#counts;
  }

  /** How many requisites wait. */
  get waitingRequisites(): number {
    return this.#fresh.waitingRequisites;
  }

  /** How many records would go into the next segment. */
  get changes(): number {
    return this.#fresh.changed.size;
  }

  /** About how much memory it holds, in bytes, for the cache of ledgers between turns. */
  get approximateBytes(): number {
    return this.#fresh.size * 400 + 9 * this.#runs.keys() + 200_000 * this.#runs.entries().length + 1000;
  }

  /** Whether the URL is known. */
  has(url: string): boolean {
    return this.#fresh.has(url) || this.#runs.findNote(url) >= 0;
  }

  /**
   * Adds a link: a new URL waits from now on; a known one that still waits for its first fetch may rise in
   * rank, and become something else ({@link kindAfter}). Merging a link again changes nothing. True if the
   * URL was new.
   */
  merge(link: Link, now: number): boolean {
    const fresh = this.#fresh.get(link.url);
    if (fresh) {
      const risen = raisedRecord(fresh, link);
      if (risen) this.#fresh.put(risen);
      return false;
    }
    const note = this.#runs.findNote(link.url);
    if (note < 0) {
      this.#counts.waiting++;
      this.#fresh.put(newRecord(link, now));
    } else if (isReadyNote(note)) this.#mergeIntoRun(newRecord(link, now), note, link);
    return note < 0;
  }

  /** Adds a link to a URL that waits in a run, which knows only its `note`. */
  #mergeIntoRun(record: UrlRecord, note: number, link: Link): void {
    if (note === READY_REQUISITE_NOTE) {
      if (link.kind !== undefined) return;
      const kind = kindAfter({ kind: 'requisite', depth: link.depth }, link);
      this.#fresh.putInsteadOfRequisite({ ...record, kind });
      return;
    }
    const risen = raisedFromNote(record, note, link);
    if (risen) this.#fresh.put(risen);
  }

  /**
   * Takes the first of the waiting URLs that may be fetched now, or undefined if there is none: a sitemap
   * before all others if `sitemapFirst`, otherwise a sitemap only if nothing else waits. If `requisitesOnly`,
   * nothing but requisites. Each one taken must be settled before the commit. Calls must not overlap.
   */
  async next(now: number, sitemapFirst = true, requisitesOnly = false): Promise<UrlRecord | undefined> {
    if (requisitesOnly) return this.#nextRequisite(now);
    for (;;) {
      const hasSitemap = this.#fresh.firstRank('sitemap', now) !== undefined;
      if (hasSitemap && sitemapFirst) return this.#fresh.take('sitemap');
      if (this.#fresh.firstRank('requisite', now) !== undefined) return this.#fresh.take('requisite');
      const roomRank = this.#fresh.firstRank('page', now);
      const runRank = this.#runs.firstRank(now);
      if (roomRank === undefined && runRank === undefined)
        return hasSitemap ? this.#fresh.take('sitemap') : undefined;
      if (runRank === undefined || (roomRank !== undefined && roomRank < runRank))
        return this.#fresh.take('page');
      const record = await this.#runs.take(now);
      if (record === undefined || this.#fresh.has(record.url)) continue;
      return this.#fresh.takeFromRun(record);
    }
  }

  async #nextRequisite(now: number): Promise<UrlRecord | undefined> {
    if (this.#fresh.firstRank('requisite', now) !== undefined) return this.#fresh.take('requisite');
    for (let i = 0; i < MAX_MOVED && this.#runs.firstRank(now) === REQUISITE_RANK; i++) {
      const record = await this.#runs.take(now);
      if (record === undefined || this.#fresh.has(record.url)) continue;
      if (record.kind === 'requisite') return this.#fresh.takeFromRun(record);
      // A page that is to be tried again waits in memory.
      this.#fresh.put(record);
    }
    return undefined;
  }

  /**
   * When a URL may be fetched next: `now` or earlier if one may be already; undefined if none waits. If
   * `requisitesOnly`, the same for requisites; perhaps too early where a page of a run stands before them.
   */
  nextDueAt(now: number, requisitesOnly = false): number | undefined {
    if (requisitesOnly && this.waitingRequisites === 0) return undefined;
    const kinds = requisitesOnly ? (['requisite'] as const) : ALL_KINDS;
    if (kinds.some((kind) => this.#fresh.firstRank(kind, now) !== undefined)) return now;
    const dueAt = Math.min(
      ...[
        ...kinds.map((kind) => this.#fresh.nextDueAt(kind)),
        requisitesOnly ? this.#runs.nextDueAtRank(now, REQUISITE_RANK) : this.#runs.nextDueAt(now),
      ].map((at) => at ?? Number.POSITIVE_INFINITY),
    );
    return dueAt === Number.POSITIVE_INFINITY ? undefined : dueAt;
  }

  /**
   * When the first URL that was fetched is to be fetched again; undefined if none is. It may be too early, where a hint has changed
   * a URL of a run since: then {@link nextRefetch} finds none, and the next answer is later.
   */
  refetchDueAt(): number | undefined {
    const fresh = this.#fresh.refetchDueAt();
    const run = this.#runs.refetchDueAt();
    return fresh === undefined || run === undefined ? (fresh ?? run) : Math.min(fresh, run);
  }

  /**
   * Takes the URL that was due to be fetched again first, if its time has come. As with {@link next}, it must be
   * settled before the commit, and calls of both must not overlap.
   */
  async nextRefetch(now: number): Promise<UrlRecord | undefined> {
    for (;;) {
      const dueAt = this.refetchDueAt();
      if (dueAt === undefined || dueAt > now) return undefined;
      if (this.#fresh.refetchDueAt() === dueAt) return this.#fresh.takeAgain();
      const record = await this.#runs.takeAgain();
      if (record !== undefined && !this.#fresh.has(record.url)) return this.#fresh.takeFromRun(record);
    }
  }

  /**
   * Gives back a URL taken by {@link next} or {@link nextRefetch} as it is to stand from now on: with its outcome, or
   * waiting again. Returns the record that was stored, and the one that is.
   */
  settle(record: UrlRecord): { readonly before: UrlRecord | undefined; readonly after: UrlRecord } {
    if (!this.#fresh.giveBack(record.url))
      throw new Error(`${record.url} was not taken, or is settled already`);
    const risen = this.#fresh.get(record.url);
    this.#counts[risen?.state ?? 'waiting']--;
    this.#counts[record.state]++;
    // While it was taken, links may have raised it; that must not be forgotten if it waits again.
    const after = {
      ...record,
      kind: record.state === 'waiting' ? risen?.kind : record.kind,
      depth: Math.min(record.depth, risen?.depth ?? record.depth),
      level: Math.max(record.level, risen?.level ?? 0),
    };
    this.#fresh.put(after);
    return { before: risen, after };
  }

  /**
   * Returns the records of those of the URLs that were fetched and are due again. Reads lists of the runs that have
   * them: for many URLs at once. Calls `pause` between two blocks.
   */
  async findAgain(urls: Iterable<string>, pause: () => Promise<void>): Promise<UrlRecord[]> {
    const fresh: string[] = [];
    const stored: string[] = [];
    for (const url of urls) (this.#fresh.has(url) ? fresh : stored).push(url);
    const ofRuns = stored.length > 0 ? await this.#runs.findAgain(stored, pause) : [];
    // Another lane may have fetched the page meanwhile, and replaced its record.
    const found = fresh.flatMap((url) => this.#fresh.get(url) ?? []).filter(isRefetch);
    return [...found, ...ofRuns.filter(({ url }) => !this.#fresh.has(url))];
  }

  /**
   * Replaces the record of a URL that is due again, such as {@link findAgain} has returned it, by one of the same state.
   * Nothing happens if the URL is taken at this moment: its fetch decides. Nor if another lane has fetched it since.
   */
  amend(record: UrlRecord): void {
    const { url, result } = record;
    const known = this.#fresh.get(url);
    const isOld = (known?.result?.fetchedAt ?? 0) > (result?.fetchedAt ?? 0);
    if (!isOld && !this.#fresh.isTaken(url)) this.#fresh.put(record);
  }

  /**
   * Replaces the outcome of a URL that is settled, and {@link inMemory}. Undefined, and nothing happens, if the URL is
   * taken at this moment: its fetch decides.
   */
  replaceOutcome(record: UrlRecord): { readonly before: UrlRecord; readonly after: UrlRecord } | undefined {
    if (this.#fresh.isTaken(record.url)) return undefined;
    const before = this.#fresh.get(record.url);
    if (before === undefined || before.state === 'waiting') throw new Error(`${record.url} is not settled`);
    this.#counts[before.state]--;
    this.#counts[record.state]++;
    const after = { ...record, depth: before.depth, level: before.level };
    this.#fresh.put(after);
    return { before, after };
  }

  /**
   * Lets a page that was fetched, and counted as a copy, wait for one more fetch. `record`: replaces the record of a
   * page in a run, which is not read; a redirect that led to the page is kept in any case. Undefined, and nothing
   * happens, if the URL is taken at this moment, or was fetched since.
   */
  fetchOnceMore(
    record: Pick<UrlRecord, 'url' | 'depth' | 'level' | 'result'> & Pick<Link, 'via' | 'redirects'>,
    now: number,
  ): { readonly before: UrlRecord | undefined; readonly after: UrlRecord } | undefined {
    const before = this.#fresh.get(record.url);
    const { via, redirects, result } = record;
    const { duplicateOf } = result ?? {};
    if (this.#fresh.isTaken(record.url) || (before && before.result?.duplicateOf !== duplicateOf))
      return undefined;
    const kept = before ?? newRecord(record, now);
    this.#counts.fetched--;
    this.#counts.waiting++;
    // With a due time in any case: runs keep the tries of no other URL that a link raises.
    const after: UrlRecord = {
      ...kept,
      state: 'waiting',
      // The tries of the fetch that has succeeded do not count.
      attempts: 0,
      dueAt: now,
      result: kept.result ?? result,
      ...(redirects !== undefined && { via, redirects }),
      recrawl: undefined,
    };
    this.#fresh.put(after);
    return { before, after };
  }

  /** Takes in a URL that is never to be fetched. Nothing happens if it is known. */
  addSettled(record: UrlRecord): void {
    if (this.has(record.url)) return;
    this.#counts[record.state]++;
    this.#fresh.put(record);
  }

  /** The outcome of the URL, wherever it is stored; undefined if the URL is not known. */
  async outcome(url: string): Promise<UrlOutcome | undefined> {
    const fresh = this.#fresh.get(url);
    if (!fresh) return this.#runs.outcome(url);
    return { state: fresh.state, isDuplicateOf: (other) => fresh.result?.duplicateOf === other };
  }

  /** Returns the URL's record, or undefined. Reads whole lists: for queries, not for crawling. */
  async lookUp(url: string): Promise<UrlRecord | undefined> {
    return this.#fresh.get(url) ?? this.#runs.find(url);
  }

  /** The URLs that were added or changed last. */
  inMemory(): Iterable<UrlRecord> {
    return this.#fresh.values();
  }

  /** Every known URL once, as it stands. */
  async *records(): AsyncGenerator<UrlRecord> {
    yield* this.#fresh.values();
    for await (const record of this.#runs.records()) if (!this.#fresh.has(record.url)) yield record;
  }

  /**
   * Returns the changes of the turn, as parts to store, named after `id`, which no other attempt may use.
   * Merges segments and runs if there are many.
   */
  async prepareCommit(id: string): Promise<LedgerCommit> {
    if (this.#fresh.taken > 0) throw new Error(`${this.#fresh.taken} URLs are taken and not settled`);
    const segments = this.changes > 0 ? this.#segments.length + 1 : this.#segments.length;
    const { parts, obsolete } = this.#needsRun(segments)
      ? await this.#pushRun(id)
      : this.changes > 0
        ? this.#addSegment(`s${id}`, segments > this.#sizes.maxSegments)
        : NOTHING;
    this.#fresh.markStored();
    const index = {
      segments: this.#segments,
      runs: this.#runs.entries(),
      counts: { ...this.#counts },
      ...(this.waitingRequisites > 0 && { waitingRequisites: this.waitingRequisites }),
    };
    return { parts, obsolete, index };
  }

  /** Moves the records in memory into a run, all but the sitemaps that wait. */
  async #pushRun(id: string): Promise<ChangedParts> {
    const all = [...this.#fresh.values()];
    const kept = all.filter(isWaitingSitemap);
    const moved = kept.length > 0 ? all.filter((record) => !isWaitingSitemap(record)) : all;
    const { parts, obsolete } = await this.#runs.push(`r${id}`, moved);
    const segment = kept.length > 0 ? [{ name: `s${id}`, bytes: encodeSegment(this.#host, kept) }] : [];
    const replaced = [...this.#segments, ...obsolete];
    this.#segments = segment.map(({ name }) => name);
    this.#fresh.moveToRun();
    return { parts: [...parts, ...segment], obsolete: replaced };
  }

  /** Writes the changes as a segment. If `isMerge`, it replaces all segments. */
  #addSegment(name: string, isMerge: boolean): ChangedParts {
    const records = isMerge
      ? [...this.#fresh.values()]
      : Array.from(this.#fresh.changed, (url) => this.#fresh.get(url) as UrlRecord);
    const obsolete = isMerge ? this.#segments : [];
    this.#segments = isMerge ? [name] : [...this.#segments, name];
    return { parts: [{ name, bytes: encodeSegment(this.#host, records) }], obsolete };
  }

  /** Whether the records in memory are to become a run: too many for segments. */
  #needsRun(segments: number): boolean {
    const { maxSegments, maxSegmentRecords, maxFreshRecords } = this.#sizes;
    return this.#fresh.hasMoreThan(segments > maxSegments ? maxSegmentRecords : maxFreshRecords);
  }
}
