import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Sizes } from '../../../core/base/sizes.ts';
import { isArriving, type StatusReason } from '../../../core/causes/status-reason.ts';
import type { CrawlOptions } from '../../../core/crawl/config.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Site, SitesRef } from '../../../core/crawl/sites.ts';
import type { Head } from '../../../core/frontier/head.ts';
import { withFirstPass } from '../../../crawler/crawl-state/first-pass.ts';
import { meetsCondition } from '../../../crawler/crawl-state/status-condition.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type {
  CrawlRecord,
  CrawlRegistry,
  CrawlStatus,
  CrawlTotals,
  FirstPass,
} from '../../../crawler/ports/crawl-registry.ts';
import type { LedgerStore } from '../../../crawler/ports/ledger-store.ts';
import type { Meter } from '../cost/meter.ts';
import { costOf, priceOf } from '../cost/prices.ts';
import type { Write } from '../table/table.ts';
import type { Agenda } from './agenda.ts';
import { CrawlChecks } from './crawl-checks.ts';
import { type CrawlCounters, createCrawlCounters, type ReadCounts } from './crawl-counters.ts';
import { CrawlDirectory } from './crawl-directory.ts';
import { activeMsOf, type StoredCrawl } from './crawl-record.ts';
import { CrawlStore } from './crawl-store.ts';
import { changedCounts, HOSTS_DUE, totalsOf } from './head-counts.ts';
import { createQuietNotes, type QuietNotes, type SettleTimes } from './quiet.ts';
import { SiteLists } from './site-lists.ts';
import { DIRECTORY, dueShardsOf, RUNNING, type StateNames } from './tables.ts';
import { type DelayNote, type FinishNote, type UnannouncedCrawl, UnannouncedCrawls } from './unannounced.ts';
import { UnjoinedCrawls } from './unjoined.ts';

export interface AwsCrawlRegistry extends CrawlRegistry {
  /** All of a crawl that was created as `ARRIVING` is here. Safe to repeat. */
  endCopy(crawl: CrawlId, copied: CopiedCrawl): Promise<void>;
  /** Call it for every head that is replaced. Never rejects. */
  onCommit(crawl: CrawlId, before: Head | undefined, after: Head): Promise<void>;
  /**
   * Sums up all heads of the crawl and rewrites its totals: for when a process ended between a head and its
   * counter, as that difference is lost otherwise. Exact while nothing is committed; of what is, some may be
   * counted twice or not at all. What the crawl has used of AWS is kept as it is.
   */
  recount(crawl: CrawlId, ledgers: Pick<LedgerStore, 'hosts'>): Promise<void>;
  /**
   * The number of hosts with a URL that was never fetched, by their heads, independent of the counters. Undefined for a
   * crawl of too many hosts to be read in a moment.
   */
  countWaitingHosts(crawl: CrawlId): Promise<number | undefined>;
  /**
   * Notes what the crawls have used since the last commits: for the end of an invocation. Begins nothing from `until` on.
   * Never rejects: the rest is noted the next time.
   */
  flushUsage(until?: number): Promise<void>;
  /** The names of all crawls. */
  list(): Promise<CrawlId[]>;
  /** Running crawls: the list changes together with their records. */
  listRunning(): Promise<CrawlId[]>;
  /** Crawls that run, or whose end is still to be announced; perhaps with others among them. */
  listUnannounced(): Promise<UnannouncedCrawl[]>;
  /** The crawl's note of this kind, if there is one. */
  loadUnannounced(crawl: CrawlId): Promise<UnannouncedCrawl | undefined>;
  /** Most of the crawls' records, in a few calls, for looks at many crawls. */
  loadMany(crawls: readonly CrawlId[]): Promise<ReadonlyMap<CrawlId, StoredCrawl>>;
  /**
   * All data for the waker's decisions; undefined: the crawl does not exist. `stored`: the record, as it was loaded
   * just now.
   */
  look(crawl: CrawlId, stored?: StoredCrawl): Promise<CrawlLook | undefined>;
  /** The crawl has something to do: it is not quiet before it was found quiet again for some time. */
  noteBusy(crawl: CrawlId): Promise<void>;
  /** The end of the crawl was announced. Nothing happens if it has run since it was entered by that name. */
  noteAnnounced(announced: Pick<UnannouncedCrawl, 'crawl' | 'entry'>): Promise<void>;
  /** The end of the crawl was announced in vain, and is to be announced again, unless it has run since. */
  delayAnnouncement(delayed: DelayNote): Promise<void>;
  /** How far the call of the project's `onFinish` is. Forgotten when the crawl runs again. */
  noteFinish(note: FinishNote): Promise<void>;
}

/** A crawl's record and counters as they were read together. */
export interface CrawlLook {
  readonly record: CrawlRecord;
  readonly totals: CrawlTotals;
  /** When the last head was committed, by the clock of the process that did it; 0: none was. */
  readonly lastAt: number;
  /** Hosts that are due at some time, by the counters. */
  readonly hostsDue: number;
}

/** How a crawl stood where it was copied from. */
export interface CopiedCrawl {
  readonly status: Exclude<CrawlStatus, 'running'>;
  readonly why?: StatusReason | undefined;
  readonly activeMs: number;
}

export interface RegistryOptions extends SettleTimes {
  readonly dynamo: DynamoDBClient;
  readonly names: Pick<StateNames, 'crawlState' | 'dueShards'>;
  readonly clock: Clock;
  readonly sizes?: Sizes;
  /** The waker's looks at crawls that change are entered here. Default: nobody looks. */
  readonly agenda?: Pick<Agenda, 'enter' | 'entry'>;
  /** Whether the queues hold any message or parcel, received ones too. */
  readonly hasMessages: () => Promise<boolean>;
  /** Whose list prices the cost is by. Default us-east-1. */
  readonly region?: string;
  /** Its usage becomes the crawls'. */
  readonly meter?: Meter;
  readonly warn?: (message: string) => void;
}

/** Seeds have come to their turns by then, mostly. */
const SENT_MS = 90_000;

/** Crawls in the table CrawlState. */
export const createRegistry = (options: RegistryOptions): AwsCrawlRegistry => ({
  isShared: true,
  ...boundMethods<Omit<AwsCrawlRegistry, 'isShared'>>(new StateRegistry(options)),
});

/**
 * Crawls in CrawlState. A change reads the record and writes it under the condition that nobody else did
 * meanwhile, as often as it takes. Totals are sums kept up with each commit (`onCommit`), exact but for what
 * ended processes have lost: `recount`. A crawl's active time is the time that its status was `running`.
 */
class StateRegistry implements Omit<AwsCrawlRegistry, 'isShared'> {
  readonly #options: RegistryOptions;
  readonly #store: CrawlStore;
  readonly #all: CrawlDirectory;
  readonly #running: CrawlDirectory;
  readonly #unannounced: UnannouncedCrawls;
  readonly #unjoined: UnjoinedCrawls;
  readonly #checks: CrawlChecks;
  readonly #quiet: QuietNotes;
  readonly #sites: SiteLists;
  readonly #counters: CrawlCounters;

  constructor(options: RegistryOptions) {
    const { dynamo, names, clock, sizes, meter, warn } = options;
    const table = names.crawlState;
    const context = { dynamo, table, clock };
    this.#options = options;
    this.#quiet = createQuietNotes(context);
    // A caller that changes a crawl may send it work next, which a look at the queues need not show at once.
    this.#store = new CrawlStore({ ...context, sizes, onChange: (crawl) => this.#quiet.noteBusy(crawl) });
    this.#all = new CrawlDirectory({ ...context, name: DIRECTORY });
    this.#running = new CrawlDirectory({ ...context, name: RUNNING });
    this.#unannounced = new UnannouncedCrawls(context);
    this.#unjoined = new UnjoinedCrawls(context);
    this.#sites = new SiteLists(context);
    const exists = async (crawl: CrawlId) => (await this.#store.load(crawl)) !== undefined;
    this.#counters = createCrawlCounters({ ...context, sizes, meter, warn, exists });
    this.#checks = new CrawlChecks({
      ...options,
      ...context,
      dueShards: dueShardsOf(names),
      crawls: this.#store,
      counters: this.#counters,
      quiet: this.#quiet,
    });
  }

  async load(crawl: CrawlId): Promise<CrawlRecord | undefined> {
    return (await this.#store.load(crawl))?.record;
  }

  async create(crawl: CrawlId, record: CrawlRecord): Promise<void> {
    const isRunning = record.status === 'running';
    const stored = { record, version: 1, activeMs: 0, ...(isRunning && { runningSince: this.#now() }) };
    const listed = [
      this.#all.entry(crawl),
      ...(isRunning ? this.#listedAs('running', crawl, { isDue: false }) : []),
    ];
    if (!(await this.#store.put(crawl, stored, listed))) throw new Error(`there is a crawl ${crawl} already`);
  }

  async setStatus(
    ...[crawl, status, reason, condition]: Parameters<CrawlRegistry['setStatus']>
  ): Promise<boolean> {
    if (condition?.isQuiet && !(await this.#quiet.isNoted(crawl))) return false;
    let isSet = false;
    const change = (stored: StoredCrawl) => {
      isSet = meetsCondition(stored.record, condition);
      if (!isSet) return stored;
      const now = this.#now();
      return {
        ...stored,
        record: { ...stored.record, status, why: reason },
        activeMs: activeMsOf(stored, now),
        runningSince: status === 'running' ? now : undefined,
      };
    };
    await this.#store.change(crawl, change, this.#listedAs(status, crawl));
    return isSet;
  }

  async resume(crawl: CrawlId): Promise<number> {
    let resumes = 0;
    const change = (stored: StoredCrawl) => {
      const now = this.#now();
      resumes = (stored.record.resumes ?? 0) + 1;
      return {
        ...stored,
        record: { ...stored.record, status: 'running', why: undefined, resumes } as const,
        activeMs: activeMsOf(stored, now),
        runningSince: now,
      };
    };
    await this.#store.change(crawl, change, this.#listedAs('running', crawl));
    return resumes;
  }

  /**
   * The writes that a change to that status takes with it, so that no list is ever without a crawl that belongs there, and the
   * waker looks at it. `isDue`: hosts of it may be due, which a new crawl has none of.
   */
  #listedAs(status: CrawlStatus, crawl: CrawlId, { isDue } = { isDue: true }): Write[] {
    const { agenda } = this.#options;
    const look = agenda ? [agenda.entry(crawl, { isDue })] : [];
    if (status === 'running') return [this.#running.entry(crawl), this.#unannounced.entry(crawl), ...look];
    // The rest of its archive can be joined now.
    return [this.#running.withoutEntry(crawl), this.#unjoined.entry(crawl), ...look];
  }

  /** The waker looks at the crawl. */
  async #enterLook(...look: Parameters<Agenda['enter']>): Promise<void> {
    await this.#options.agenda?.enter(...look);
  }

  async endCopy(crawl: CrawlId, { status, why, activeMs }: CopiedCrawl): Promise<void> {
    const change = (stored: StoredCrawl) =>
      isArriving(stored.record) ? { ...stored, record: { ...stored.record, status, why }, activeMs } : stored;
    await this.#store.change(crawl, change, this.#listedAs(status, crawl));
  }

  async configure(crawl: CrawlId, changes: CrawlOptions): Promise<void> {
    await this.#store.changeRecord(crawl, (record) => ({
      ...record,
      config: { ...record.config, ...changes },
    }));
    await this.#enterLook(crawl);
  }

  async addScopeSeeds(crawl: CrawlId, urls: readonly string[]): Promise<void> {
    await this.#store.changeRecord(crawl, (record) => {
      const scopeSeeds = [...new Set([...record.scopeSeeds, ...urls])];
      return scopeSeeds.length === record.scopeSeeds.length ? record : { ...record, scopeSeeds };
    });
  }

  storeSites(crawl: CrawlId, sites: readonly Site[]): Promise<SitesRef> {
    return this.#sites.store(crawl, sites);
  }

  async setSites(crawl: CrawlId, sites: SitesRef): Promise<void> {
    let before: SitesRef | undefined;
    await this.#store.changeRecord(crawl, (record) => {
      before = record.sites;
      return record.sites?.id === sites.id ? record : { ...record, sites };
    });
    // Repeated, it would delete the list that others may still read.
    if (before?.id !== sites.id) await this.#sites.keep(crawl, sites, before);
  }

  readSites(crawl: CrawlId, sites: SitesRef): Promise<readonly Site[]> {
    return this.#sites.read(crawl, sites);
  }

  noteFirstPass(crawl: CrawlId, noted: FirstPass): Promise<void> {
    return this.#store.changeRecord(crawl, (record) => withFirstPass(record, noted));
  }

  async setUrlRulesVersion(crawl: CrawlId, urlRulesVersion: number): Promise<void> {
    await this.#store.changeRecord(crawl, (record) =>
      record.urlRulesVersion === urlRulesVersion ? record : { ...record, urlRulesVersion },
    );
  }

  async totals(crawl: CrawlId): Promise<CrawlTotals> {
    const [stored, read] = await Promise.all([this.#store.load(crawl), this.#counters.read(crawl)]);
    return this.#totalsOf(stored, read);
  }

  loadMany(crawls: readonly CrawlId[]): Promise<ReadonlyMap<CrawlId, StoredCrawl>> {
    return this.#store.loadMany(crawls);
  }

  async look(crawl: CrawlId, loaded?: StoredCrawl): Promise<CrawlLook | undefined> {
    const [stored, read] = await Promise.all([loaded ?? this.#store.load(crawl), this.#counters.read(crawl)]);
    if (!stored) return undefined;
    const { lastAt, counts } = read;
    return {
      record: stored.record,
      totals: this.#totalsOf(stored, read),
      lastAt,
      hostsDue: counts[HOSTS_DUE] ?? 0,
    };
  }

  #totalsOf(stored: StoredCrawl | undefined, { counts, isExact }: ReadCounts): CrawlTotals {
    const totals = totalsOf(counts);
    const prices = priceOf(this.#options.region ?? 'us-east-1');
    return {
      ...totals,
      // A turn that has begun since, and died, is not noticed.
      isExact: isExact && stored?.record.status === 'finished',
      activeMs: stored ? activeMsOf(stored, this.#now()) : 0,
      ...(totals.usage && { cost: costOf(totals.usage, prices).total }),
    };
  }

  async noteSent(crawl: CrawlId): Promise<void> {
    await this.#enterLook(crawl, { inMs: SENT_MS });
    await this.#quiet.noteBusy(crawl);
  }

  noteBusy(crawl: CrawlId): Promise<void> {
    return this.#quiet.noteBusy(crawl);
  }

  isQuiet(crawl: CrawlId, requisitesOnly?: boolean): Promise<boolean> {
    return this.#checks.isQuiet(crawl, requisitesOnly);
  }

  onCommit(crawl: CrawlId, before: Head | undefined, after: Head): Promise<void> {
    return this.#counters.add(crawl, changedCounts(before, after));
  }

  recount(crawl: CrawlId, ledgers: Pick<LedgerStore, 'hosts'>): Promise<void> {
    return this.#checks.recount(crawl, ledgers);
  }

  countWaitingHosts(crawl: CrawlId): Promise<number | undefined> {
    return this.#checks.countWaitingHosts(crawl);
  }

  flushUsage(until?: number): Promise<void> {
    return this.#counters.flush(until);
  }

  list(): Promise<CrawlId[]> {
    return this.#all.list();
  }

  listRunning(): Promise<CrawlId[]> {
    return this.#running.list();
  }

  listUnannounced(): Promise<UnannouncedCrawl[]> {
    return this.#unannounced.list();
  }

  loadUnannounced(crawl: CrawlId): Promise<UnannouncedCrawl | undefined> {
    return this.#unannounced.load(crawl);
  }

  noteAnnounced(announced: Pick<UnannouncedCrawl, 'crawl' | 'entry'>): Promise<void> {
    return this.#unannounced.strike(announced);
  }

  delayAnnouncement(delayed: DelayNote): Promise<void> {
    return this.#unannounced.delay(delayed);
  }

  noteFinish(note: FinishNote): Promise<void> {
    return this.#unannounced.noteFinish(note);
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
