/**
 * When the waker has to look at each crawl. A crawl that runs always has an entry, so that one which has nothing to do costs
 * nothing until its time. An entry too many costs a look; one too few would leave hosts asleep. So each writer enters the next
 * look before it strikes an old one, or before it commits what the look is for.
 */
import QuickLRU from 'quick-lru';
import { CRAWL_ID, type CrawlId } from '../../../core/crawl/crawl-id.ts';
import { shardOf } from '../shard-of.ts';
import { deleteItems, putItems } from '../table/batch.ts';
import { type Item, itemKey } from '../table/item.ts';
import { type Query, queryItems } from '../table/query.ts';
import { putItem, putOf, type Write } from '../table/table.ts';
import { AGENDA, indexedDueAt, SOON, type StateTable } from './tables.ts';

/** A crawl that runs is looked at once in this time, whatever it needs. */
export const NET_MS = 3_600_000;
/** An entry of the partition `SOON` is at most this far ahead, unless a clock was wrong. */
export const MAX_SOON_MS = 180_000;
/**
 * A process counts on an entry that it has written only as long as its time is further ahead than this: the waker may take it
 * as soon as that has come, by a clock that differs, and what it is for must be stored and in the index by then.
 */
const SURE_MS = 15_000;
/** The earlier of a host's time and this: the next commits of the crawl can count on the same entry. */
const LEAST_MS = 2 * SURE_MS;
/** Crawls whose entries a process remembers. */
const MAX_KNOWN = 10_000;
/** Entries read at once. What is left over is the oldest of the next look. */
const MAX_ENTRIES = 20_000;
/** Later entries have a time, too: so names of one length sort by it. */
const TIME_DIGITS = 15;
/** The kind of an entry is the last word of its sort key. */
const DUE = 'due';
const UNSURE = 'unsure';

/** An item of the agenda. */
export interface AgendaEntry {
  readonly crawl: CrawlId;
  /** In ms since the epoch. */
  readonly at: number;
  /** Hosts may be due then, whatever the last look found. */
  readonly isDue: boolean;
  /** Hosts may be due then. The process that has made the entry knows better. */
  readonly isUnsure: boolean;
  readonly partition: string;
  readonly sort: string;
}

/** The next look at a crawl. `isSoon`: it is at work, and the look is at most {@link MAX_SOON_MS} ahead. */
export interface NextLook {
  readonly crawl: CrawlId;
  readonly at: number;
  readonly isSoon: boolean;
  readonly isUnsure?: boolean;
}

export interface Agenda {
  /**
   * Something has changed in the crawl, or is about to: the waker looks at it `inMs` from now, {@link MAX_SOON_MS} at most.
   * `isDue`: hosts may be due since then.
   */
  enter(crawl: CrawlId, look?: { readonly inMs?: number; readonly isDue?: boolean }): Promise<void>;
  /** The write of `enter`, for a transaction. */
  entry(...look: Parameters<Agenda['enter']>): Write;
  /**
   * Resolves when there is an entry by which the waker finds a host that is due then. To be called before the head is
   * committed. Mostly the process knows of one already.
   */
  ensureDue(crawl: CrawlId, dueAt: number): Promise<void>;
  /** The entries whose time has come, and those that only a wrong clock can have put so far ahead; the oldest first. */
  due(): Promise<AgendaEntry[]>;
  /** Enters these looks, then strikes the entries. */
  replace(next: readonly NextLook[], done: readonly AgendaEntry[]): Promise<void>;
  /** The crawls that have an entry. */
  crawls(): Promise<Set<CrawlId>>;
}

/**
 * The time of the next look that each crawl gets in any case. Equal for all callers within {@link NET_MS}, so that
 * entries of a crawl become one, but different for different crawls.
 */
export function netAt(crawl: CrawlId, now: number): number {
  const offset = shardOf(crawl, 3600) * 1000;
  return (Math.floor((now - offset) / NET_MS) + 1) * NET_MS + offset;
}

export class StateAgenda implements Agenda {
  readonly #table: StateTable;
  /** The entries that this process has made for hosts. */
  readonly #known = new QuickLRU<CrawlId, { readonly at: number; readonly stored: Promise<void> }>({
    maxSize: MAX_KNOWN,
  });

  constructor(table: StateTable) {
    this.#table = table;
  }

  async enter(...look: Parameters<Agenda['enter']>): Promise<void> {
    await putItem(this.#table, this.#itemOf(...look));
  }

  entry(...look: Parameters<Agenda['enter']>): Write {
    return putOf(this.#table, this.#itemOf(...look));
  }

  #itemOf(...[crawl, { inMs = 0, isDue = false } = {}]: Parameters<Agenda['enter']>): Item {
    return itemKey(SOON, sortOf(this.#table.clock.now() + inMs, crawl, isDue ? DUE : ''));
  }

  async ensureDue(crawl: CrawlId, dueAt: number): Promise<void> {
    const now = this.#table.clock.now();
    const indexedAt = indexedDueAt(dueAt, now);
    // The waker looks before, and sees the host in the index.
    if (indexedAt > now + NET_MS + MAX_SOON_MS) return;
    const by = Math.max(indexedAt, now + LEAST_MS);
    const known = this.#known.get(crawl);
    if (known && known.at >= now + SURE_MS && known.at <= by) return known.stored;
    const stored = this.#enterDue(crawl, by);
    const entry = { at: by, stored };
    this.#known.set(crawl, entry);
    try {
      await stored;
    } catch (error) {
      if (this.#known.get(crawl) === entry) this.#known.delete(crawl);
      throw error;
    }
  }

  async due(): Promise<AgendaEntry[]> {
    const now = this.#table.clock.now();
    // All that is soon is read: the crawls at work, most of which are due at each look.
    const [soon, come, far] = await Promise.all([
      this.#entries(SOON),
      this.#entries(AGENDA, ['<', sortOf(now + 1)]),
      this.#entries(AGENDA, ['>', sortOf(now + NET_MS + MAX_SOON_MS)]),
    ]);
    return [...soon.filter(({ at }) => at <= now || at > now + MAX_SOON_MS), ...come, ...far].sort(
      (a, b) => a.at - b.at,
    );
  }

  async replace(next: readonly NextLook[], done: readonly AgendaEntry[]): Promise<void> {
    const keys = next.map(({ crawl, at, isSoon, isUnsure }) =>
      itemKey(isSoon ? SOON : AGENDA, sortOf(at, crawl, isUnsure ? UNSURE : '')),
    );
    const texts = new Set(keys.map((key) => JSON.stringify(key)));
    const old = done.map(({ partition, sort }) => itemKey(partition, sort));
    await putItems(this.#table, keys);
    await deleteItems(
      this.#table,
      old.filter((key) => !texts.has(JSON.stringify(key))),
    );
  }

  async crawls(): Promise<Set<CrawlId>> {
    const all = await Promise.all([this.#entries(SOON), this.#entries(AGENDA)]);
    return new Set(all.flat().map(({ crawl }) => crawl));
  }

  async #enterDue(crawl: CrawlId, at: number): Promise<void> {
    await putItem(this.#table, itemKey(AGENDA, sortOf(at, crawl, DUE)));
  }

  async #entries(partition: string, bound?: Query['bound']): Promise<AgendaEntry[]> {
    const found: AgendaEntry[] = [];
    for await (const { sk } of queryItems(this.#table, { partition, bound })) {
      const sort = sk?.S ?? '';
      const [time = '', crawl = '', kind] = sort.split(' ');
      // Nobody of ours has written it, and no crawl of such a name can be looked at.
      if (!CRAWL_ID.test(crawl) || !/^\d+$/.test(time)) continue;
      found.push({
        crawl,
        at: Number(time),
        isDue: kind === DUE,
        isUnsure: kind === UNSURE,
        partition,
        sort,
      });
      if (found.length >= MAX_ENTRIES) break;
    }
    return found;
  }
}

const sortOf = (at: number, crawl = '', kind = ''): string =>
  [String(Math.max(0, Math.ceil(at))).padStart(TIME_DIGITS, '0'), crawl, kind].join(' ').trimEnd();
