/**
 * The ledger of one host: which of its URLs have been seen, which wait and in what order, what became of the
 * others.
 *
 * A small LSM tree. The head (a {@link LedgerIndex} in it) names segments, each what one turn changed, and
 * runs, into which segments are merged when they are many. In memory: the records of all segments (`fresh`),
 * the keys of all runs, and of a run's lists only the block at its cursor. Newer overrides older: what is in
 * `fresh` counts before any run, a newer run before an older one.
 *
 * A ledger is opened for one turn and changed by it alone. {@link HostLedger.prepareCommit} says what to
 * store; if the head then cannot be committed, the ledger must be thrown away. After a commit it may serve
 * the next turn, if that finds the head's version unchanged.
 */

import { SIZES, type Sizes } from '../sizes.ts';
import type { HostKey } from '../url/host-key.ts';
import { kindOfBoth, type UrlKind } from '../url/url-kind.ts';
import { depthOfNote, isReadyNote, levelOfNote, MAX_NOTED_DEPTH, READY_REQUISITE_NOTE } from './key-run.ts';
import type { ReadPart } from './list-reader.ts';
import type { Link } from './message.ts';
import { levelOfLink, REQUISITE_RANK } from './rank.ts';
import { noteOfPage, type RunEntry } from './run.ts';
import type { UrlOutcome } from './run-outcomes.ts';
import { openRunStack, type Part, type RunStack } from './run-stack.ts';
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
  /** How many of the waiting URLs are requisites. Heads of earlier versions do not have it. */
  readonly waitingRequisites?: number;
}

export const EMPTY_INDEX: LedgerIndex = {
  segments: [],
  runs: [],
  counts: Object.fromEntries(URL_STATES.map((state) => [state, 0])) as Record<UrlState, number>,
};

/** What must be stored before the head that holds `index`, and what may be deleted after it. */
export interface LedgerCommit {
  readonly parts: readonly Part[];
  readonly index: LedgerIndex;
  readonly obsolete: readonly string[];
}

/** Waiting pages that one search for requisites moves from runs into memory, at most. */
const MAX_MOVED = 1000;

/**
 * What a URL that waits is to be fetched as, after a further link. A seed, which has depth 0, stays what it
 * is.
 */
function kindOf(known: Pick<UrlRecord, 'kind' | 'depth'>, link: Link): UrlKind | undefined {
  if (known.kind === undefined && known.depth === 0) return undefined;
  if (link.kind === undefined && link.isSeed) return undefined;
  return kindOfBoth(known.kind, link.kind);
}

const isWaitingRequisite = (record: UrlRecord | undefined): boolean =>
  record?.kind === 'requisite' && record.state === 'waiting';

const isWaitingSitemap = ({ kind, state }: UrlRecord): boolean => kind === 'sitemap' && state === 'waiting';

export class HostLedger {
  readonly #host: HostKey;
  readonly #sizes: Sizes;
  #segments: string[];
  readonly #runs: RunStack;
  readonly #counts: Record<UrlState, number>;
  readonly #fresh = new Map<string, UrlRecord>();
  /** Changed since the last commit. */
  readonly #changed = new Set<string>();
  /** Taken by `next` and not yet settled: hidden from the waiting room. */
  readonly #taken = new Set<string>();
  #waitingRequisites: number;
  /** Waiting pages in memory. */
  #room: WaitingRoom;
  /** Waiting requisites in memory. */
  #requisites: WaitingRoom;
  /**
   * Waiting sitemaps. They are never moved into a run, so that {@link next} can choose between them and
   * pages.
   */
  #sitemaps: WaitingRoom;

  private constructor(host: HostKey, index: LedgerIndex, runs: RunStack, sizes: Sizes) {
    this.#host = host;
    this.#sizes = sizes;
    this.#segments = [...index.segments];
    this.#counts = { ...index.counts };
    this.#runs = runs;
    this.#waitingRequisites = index.waitingRequisites ?? 0;
    this.#room = this.#newRoom(undefined);
    this.#requisites = this.#newRoom('requisite');
    this.#sitemaps = this.#newRoom('sitemap');
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
    const ledger = new HostLedger(host, index, runs, sizes);
    for (const bytes of segments)
      for (const record of decodeSegment(host, bytes)) ledger.#fresh.set(record.url, record);
    for (const record of ledger.#fresh.values()) if (record.state === 'waiting') ledger.#enqueue(record);
    return ledger;
  }

  get counts(): Readonly<Record<UrlState, number>> {
    return this.#counts;
  }

  /** How many requisites wait. Fewer than there are where an earlier version took them in. */
  get waitingRequisites(): number {
    return this.#waitingRequisites;
  }

  /** How many records would go into the next segment. */
  get changes(): number {
    return this.#changed.size;
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
   * rank, and become something else ({@link kindOf}). Merging a link again changes nothing. True if the URL
   * was new.
   */
  merge(link: Link, now: number): boolean {
    const level = levelOfLink(link);
    const fresh = this.#fresh.get(link.url);
    if (fresh) {
      const kind = kindOf(fresh, link);
      if (
        fresh.state !== 'waiting' ||
        (level <= fresh.level && link.depth >= fresh.depth && kind === fresh.kind)
      )
        return false;
      const depth = Math.min(fresh.depth, link.depth);
      this.#put({ ...fresh, kind, depth, level: Math.max(fresh.level, level) });
      return false;
    }
    const record: UrlRecord = {
      url: link.url,
      state: 'waiting',
      kind: link.kind,
      depth: link.depth,
      level,
      via: link.via,
      seenAt: now,
      redirects: link.redirects ?? 0,
      attempts: 0,
      dueAt: 0,
      result: undefined,
    };
    const note = this.#runs.findNote(link.url);
    if (note < 0) {
      this.#counts.waiting++;
      this.#put(record);
    } else if (isReadyNote(note)) this.#mergeIntoRun(record, note, link);
    return note < 0;
  }

  /** Adds a link to a URL that waits in a run, which knows only its `note`. */
  #mergeIntoRun(record: UrlRecord, note: number, link: Link): void {
    if (note === READY_REQUISITE_NOTE) {
      if (link.kind !== undefined) return;
      this.#waitingRequisites = Math.max(0, this.#waitingRequisites - 1);
      this.#put({ ...record, kind: kindOf({ kind: 'requisite', depth: link.depth }, link) });
      return;
    }
    const noted = depthOfNote(note);
    // The deepest note stands for any greater depth, too.
    const depth = noted < MAX_NOTED_DEPTH ? Math.min(noted, link.depth) : link.depth;
    const kind = kindOf({ kind: undefined, depth: noted }, link);
    const risen = { ...record, kind, depth, level: Math.max(levelOfNote(note), record.level) };
    // What is no page lends no rank to one.
    if (kind !== undefined || (link.kind === undefined && noteOfPage(depth, risen.level) !== note))
      this.#put(risen);
  }

  /**
   * Takes the first of the waiting URLs that may be fetched now, or undefined if there is none: a sitemap
   * before all others if `sitemapFirst`, otherwise a sitemap only if nothing else waits. If `requisitesOnly`,
   * nothing but requisites. Each one taken must be settled before the commit. Calls must not overlap.
   */
  async next(now: number, sitemapFirst = true, requisitesOnly = false): Promise<UrlRecord | undefined> {
    if (requisitesOnly) return this.#nextRequisite(now);
    for (;;) {
      const hasSitemap = this.#sitemaps.firstRank(now) !== undefined;
      if (hasSitemap && sitemapFirst) return this.#takeFrom(this.#sitemaps);
      if (this.#requisites.firstRank(now) !== undefined) return this.#takeFrom(this.#requisites);
      const roomRank = this.#room.firstRank(now);
      const runRank = this.#runs.firstRank(now);
      if (roomRank === undefined && runRank === undefined)
        return hasSitemap ? this.#takeFrom(this.#sitemaps) : undefined;
      if (runRank === undefined || (roomRank !== undefined && roomRank < runRank))
        return this.#takeFrom(this.#room);
      const record = await this.#runs.take(now);
      if (record === undefined || this.#fresh.has(record.url)) continue;
      if (record.kind === 'sitemap') {
        // The run was written by an earlier version.
        this.#put(record);
        continue;
      }
      return this.#takeFromRun(record);
    }
  }

  async #nextRequisite(now: number): Promise<UrlRecord | undefined> {
    if (this.#requisites.firstRank(now) !== undefined) return this.#takeFrom(this.#requisites);
    for (let i = 0; i < MAX_MOVED && this.#runs.firstRank(now) === REQUISITE_RANK; i++) {
      const record = await this.#runs.take(now);
      if (record === undefined || this.#fresh.has(record.url)) continue;
      if (record.kind === 'requisite') return this.#takeFromRun(record);
      // A page that is to be tried again, or a seed of a run that an earlier version wrote: it waits in
      // memory.
      this.#put(record);
    }
    return undefined;
  }

  /**
   * When a URL may be fetched next: `now` or earlier if one may be already; undefined if none waits. If
   * `requisitesOnly`, the same for requisites; perhaps too early where a page of a run stands before them.
   */
  nextDueAt(now: number, requisitesOnly = false): number | undefined {
    if (requisitesOnly && this.#waitingRequisites === 0) return undefined;
    const rooms = requisitesOnly ? [this.#requisites] : [this.#room, this.#requisites, this.#sitemaps];
    if (rooms.some((room) => room.firstRank(now) !== undefined)) return now;
    const dueAt = Math.min(
      ...[
        ...rooms.map((room) => room.nextDueAt()),
        requisitesOnly ? this.#runs.nextDueAtRank(now, REQUISITE_RANK) : this.#runs.nextDueAt(now),
      ].map((at) => at ?? Number.POSITIVE_INFINITY),
    );
    return dueAt === Number.POSITIVE_INFINITY ? undefined : dueAt;
  }

  /**
   * Gives back a URL taken by {@link next} as it is to stand from now on: with its outcome, or waiting again.
   */
  settle(record: UrlRecord): void {
    if (!this.#taken.delete(record.url))
      throw new Error(`${record.url} was not taken, or is settled already`);
    const risen = this.#fresh.get(record.url);
    this.#counts.waiting--;
    this.#counts[record.state]++;
    // While it was taken, links may have raised it; that must not be forgotten if it waits again.
    this.#put({
      ...record,
      kind: record.state === 'waiting' ? risen?.kind : record.kind,
      depth: Math.min(record.depth, risen?.depth ?? record.depth),
      level: Math.max(record.level, risen?.level ?? 0),
    });
  }

  /** Takes in a URL that is never to be fetched. Nothing happens if it is known. */
  addSettled(record: UrlRecord): void {
    if (this.has(record.url)) return;
    this.#counts[record.state]++;
    this.#put(record);
  }

  /** What became of the URL, wherever that stands; undefined if it is not known. */
  async outcome(url: string): Promise<UrlOutcome | undefined> {
    const fresh = this.#fresh.get(url);
    if (!fresh) return this.#runs.outcome(url);
    return { state: fresh.state, isDuplicateOf: (other) => fresh.result?.duplicateOf === other };
  }

  /** What is known of the URL, or undefined. Reads lists through: for asking, not for crawling. */
  async lookUp(url: string): Promise<UrlRecord | undefined> {
    const fresh = this.#fresh.get(url);
    if (fresh) return fresh;
    if (this.#runs.findNote(url) < 0) return undefined;
    for await (const record of this.#runs.records()) if (record.url === url) return record;
    return undefined;
  }

  /** Every known URL once, as it stands. */
  async *records(): AsyncGenerator<UrlRecord> {
    yield* this.#fresh.values();
    for await (const record of this.#runs.records()) if (!this.#fresh.has(record.url)) yield record;
  }

  /**
   * What the turn has changed, as parts to store, named after `id`, which no other attempt may use. Merges
   * segments and runs where they have become many.
   */
  async prepareCommit(id: string): Promise<LedgerCommit> {
    if (this.#taken.size > 0) throw new Error(`${this.#taken.size} URLs are taken and not settled`);
    const parts: Part[] = [];
    const obsolete: string[] = [];
    const segments = this.#changed.size > 0 ? this.#segments.length + 1 : this.#segments.length;

    if (this.#needsRun(segments)) {
      const all = [...this.#fresh.values()];
      const kept = all.filter(isWaitingSitemap);
      const pushed = await this.#runs.push(
        `r${id}`,
        kept.length > 0 ? all.filter((record) => !isWaitingSitemap(record)) : all,
      );
      parts.push(...pushed.parts);
      obsolete.push(...this.#segments, ...pushed.obsolete);
      this.#segments = kept.length > 0 ? [`s${id}`] : [];
      if (kept.length > 0) parts.push({ name: `s${id}`, bytes: encodeSegment(this.#host, kept) });
      this.#fresh.clear();
      for (const record of kept) this.#fresh.set(record.url, record);
      this.#room = this.#newRoom(undefined);
      this.#requisites = this.#newRoom('requisite');
    } else if (this.#changed.size > 0) {
      const name = `s${id}`;
      const isMerge = segments > this.#sizes.maxSegments;
      if (isMerge) obsolete.push(...this.#segments);
      const urls = isMerge ? this.#fresh.keys() : this.#changed;
      const records = Array.from(urls, (url) => this.#fresh.get(url) as UrlRecord);
      parts.push({ name, bytes: encodeSegment(this.#host, records) });
      this.#segments = isMerge ? [name] : [...this.#segments, name];
    }
    this.#changed.clear();
    const index = {
      segments: this.#segments,
      runs: this.#runs.entries(),
      counts: { ...this.#counts },
      ...(this.#waitingRequisites > 0 && { waitingRequisites: this.#waitingRequisites }),
    };
    return { parts, obsolete, index };
  }

  // ------------------------------------------------------------------------------------------------ inside

  #newRoom(kind: UrlKind | undefined): WaitingRoom {
    return createWaitingRoom((url) => {
      const record = this.#taken.has(url) ? undefined : this.#fresh.get(url);
      return record?.kind === kind ? record : undefined;
    });
  }

  #enqueue(record: UrlRecord): void {
    const { kind } = record;
    (kind === undefined ? this.#room : kind === 'requisite' ? this.#requisites : this.#sitemaps).add(record);
  }

  #takeFromRun(record: UrlRecord): UrlRecord {
    this.#fresh.set(record.url, record);
    this.#changed.add(record.url);
    this.#taken.add(record.url);
    return record;
  }

  #takeFrom(room: WaitingRoom): UrlRecord {
    const record = room.take();
    this.#taken.add(record.url);
    return record;
  }

  /** Whether the fresh records are to become a run: too many for segments, without the sitemaps that wait. */
  #needsRun(segments: number): boolean {
    const { maxSegments, maxSegmentRecords, maxFreshRecords } = this.#sizes;
    const max = segments > maxSegments ? maxSegmentRecords : maxFreshRecords;
    if (this.#fresh.size <= max) return false;
    let others = 0;
    for (const record of this.#fresh.values()) if (!isWaitingSitemap(record) && ++others > max) return true;
    return false;
  }

  #put(record: UrlRecord): void {
    const wasWaiting = isWaitingRequisite(this.#fresh.get(record.url));
    const change = Number(isWaitingRequisite(record)) - Number(wasWaiting);
    // Those that an earlier version took in were not counted.
    this.#waitingRequisites = Math.max(0, this.#waitingRequisites + change);
    this.#fresh.set(record.url, record);
    this.#changed.add(record.url);
    if (record.state === 'waiting' && !this.#taken.has(record.url)) this.#enqueue(record);
  }
}
