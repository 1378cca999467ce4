import { sizesOf } from '../shared/core/base/sizes.ts';
import { isRecrawling } from '../shared/core/crawl/config.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { HostKey } from '../shared/core/url/host-key.ts';
import { type Crawl, type Crawls, createCrawls } from '../shared/crawler/crawl-state/crawls.ts';
import { FirstPassWatch } from '../shared/crawler/crawl-state/first-pass.ts';
import { LateWatch } from '../shared/crawler/crawl-state/late-watch.ts';
import { endCrawlsAtLimits } from '../shared/crawler/crawl-state/limits.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlRecord, CrawlTotals } from '../shared/crawler/ports/crawl-registry.ts';
import type { Engine } from '../shared/crawler/ports/engine.ts';
import { wakeDueHosts } from '../shared/crawler/routing/waker.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import type { NextLook } from '../shared/engines/aws/state/agenda.ts';
import type { StoredCrawl } from '../shared/engines/aws/state/crawl-record.ts';
import type { DueHosts } from '../shared/engines/aws/state/ledger-store.ts';
import type { CrawlLook } from '../shared/engines/aws/state/registry.ts';
import type { Log } from './log.ts';
import {
  type LastLook,
  needsDueLook,
  needsFarLook,
  noteSeen,
  planLook,
  unseen,
  type Waits,
} from './look-plan.ts';

type AwsEngine = OpenedStack['engine'];

export interface LooksEngine extends Pick<Engine, 'queue' | 'clock' | 'sizes'> {
  readonly ledgers: Engine['ledgers'] & Pick<AwsEngine['ledgers'], 'due'>;
  readonly registry: Engine['registry'] &
    Pick<AwsEngine['registry'], 'look' | 'loadMany' | 'noteBusy' | 'countWaitingHosts'>;
}

export interface CrawlLooksDeps {
  readonly engine: LooksEngine;
  readonly clock: Clock;
  readonly log: Log;
}

/** Hints of the caller of a look. */
export interface LookHints {
  /** By the agenda, hosts may be due; or may be if this process does not know better. */
  readonly isDue: boolean;
  readonly isUnsure: boolean;
  /** The crawl's record, if it was loaded just now. */
  readonly stored?: StoredCrawl | undefined;
}

/** How a look has found a crawl. */
export interface Looked {
  /** The crawl after the look; undefined: the crawl does not exist. */
  readonly record?: CrawlRecord | undefined;
  readonly totals?: CrawlTotals | undefined;
  /** Hosts were woken, and there may be more. */
  readonly isMore?: boolean;
}

/**
 * The maximal number of batches of a crawl's hosts that may be awake without a turn: more would wait in the
 * queue, and to look beyond them reads them all.
 */
const MAX_AWAKE_BATCHES = 10;
/**
 * Links to another host arrive within seconds; within minutes where a process has died, or link shards gather them. By then the
 * number of known URLs has stayed the same.
 */
const PASS_SETTLE_MS = 600_000;
/** The share of the hosts of a large crawl that may wait by counters that are wrong, as workers died before they counted. */
const LOST_COUNTS = 0.001;

type Woken = Map<HostKey, { readonly version: number; readonly at: number }>;

/** A crawl that runs, as this process has seen it. */
interface Known {
  readonly last: LastLook;
  readonly woken: Woken;
  /** As of the last look. */
  waits: Omit<Waits, 'announceAt'>;
  /** The crawl may be noted as quiet. */
  isNoted: boolean;
  late?: LateWatch;
  /** While the first pass goes on. */
  pass?: FirstPassWatch | undefined;
}

/**
 * Calls to the services that a look takes: in any case (a share of those of batches among them), where the index of due hosts is
 * read (by its default number of shards), also for times that are too far ahead, and where nothing is left to do.
 */
const CALLS = { look: 1.5, due: 8, far: 16, quiet: 13 };

/** Looks at crawls one by one: at limits, due hosts, ends. A look reads the record and the counters once. */
export class CrawlLooks {
  /** The number of calls that the looks have taken, about. */
  calls = 0;
  readonly #deps: CrawlLooksDeps;
  /** The engine in whose registry a crawl is as it was read when its look began. */
  readonly #engine: LooksEngine;
  readonly #crawls: Crawls;
  readonly #read = new Map<CrawlId, CrawlLook>();
  readonly #known = new Map<CrawlId, Known>();

  constructor(deps: CrawlLooksDeps) {
    const { engine, clock } = deps;
    this.#deps = deps;
    const { registry } = engine;
    this.#engine = {
      ...engine,
      registry: {
        ...registry,
        load: async (id) => this.#read.get(id)?.record ?? registry.load(id),
        totals: async (id) => this.#read.get(id)?.totals ?? registry.totals(id),
        setStatus: async (id, ...rest) => {
          const isSet = await registry.setStatus(id, ...rest);
          if (isSet) this.#read.delete(id);
          return isSet;
        },
      },
    };
    this.#crawls = createCrawls(this.#engine.registry, clock);
  }

  async look(id: CrawlId, { stored, ...hints }: LookHints): Promise<Looked> {
    const read = await this.#deps.engine.registry.look(id, stored);
    this.calls += CALLS.look;
    if (read?.record.status !== 'running') {
      this.forget(id);
      return { record: read?.record, totals: read?.totals };
    }
    this.#read.set(id, read);
    try {
      const isMore = await this.#lookAtRunning(id, read, hints);
      // It was changed by this look.
      const { record } = this.#read.get(id) ?? { record: await this.#deps.engine.registry.load(id) };
      if (record?.status !== 'running') this.forget(id);
      return { record, totals: read.totals, isMore };
    } finally {
      this.#read.delete(id);
    }
  }

  /** Wakes a batch of the crawl's due hosts. Returns whether there may be more. */
  async wake(id: CrawlId, isFar = false): Promise<boolean> {
    const { ledgers, queue, clock, sizes } = this.#engine;
    const { last, woken } = this.#knownOf(id);
    const { wakeBatch } = sizesOf(this.#engine);
    const lookedAt = clock.now();
    let found: DueHosts | undefined;
    const dueHosts = async (crawl: CrawlId, now: number, limit: number, farAfter?: number) => {
      found = await ledgers.due(crawl, now, limit, isFar ? farAfter : undefined);
      return found.hosts;
    };
    const count = await wakeDueHosts(
      { queue, clock, sizes, ledgers: { ...ledgers, dueHosts } },
      this.#crawls,
      id,
      woken,
    );
    const isMore = count >= wakeBatch && woken.size < MAX_AWAKE_BATCHES * wakeBatch;
    if (!found) return false;
    this.calls += isFar ? CALLS.far : CALLS.due;
    last.isSeen = true;
    last.dueLookedAt = lookedAt;
    if (isFar) last.farLookedAt = lookedAt;
    last.nextDueAt = isMore ? lookedAt : found.nextAt;
    last.isAwake = found.hosts.length > 0;
    return isMore;
  }

  /** Plans the next look at a running crawl. `waits`: work that other processes still have to do for it. */
  plan(id: CrawlId, waits: Pick<Waits, 'isBusy' | 'announceAt'>, now: number): NextLook {
    const known = this.#knownOf(id);
    const next = planLook(
      id,
      known.last,
      { ...waits, ...known.waits, isBusy: waits.isBusy || known.waits.isBusy },
      now,
    );
    // It costs no memory while it rests.
    if (!next.isSoon) this.#crawls.forget(id);
    return next;
  }

  /** Forgets a crawl that does not run. */
  forget(id: CrawlId): void {
    this.#known.delete(id);
    this.#crawls.forget(id);
  }

  #knownOf(id: CrawlId): Known {
    const known: Known = this.#known.get(id) ?? {
      last: unseen(id, this.#deps.clock.now()),
      woken: new Map(),
      waits: { isBusy: true, isFirstPass: true },
      isNoted: true,
    };
    this.#known.set(id, known);
    return known;
  }

  /** Returns whether there are more hosts to wake. */
  async #lookAtRunning(
    id: CrawlId,
    read: CrawlLook,
    { isDue, isUnsure }: Omit<LookHints, 'stored'>,
  ): Promise<boolean> {
    const { clock } = this.#deps;
    const known = this.#knownOf(id);
    const now = clock.now();
    noteSeen(known.last, read, now);
    this.#crawls.refresh(id);
    const crawl = await this.#crawls.get(id);
    if (!crawl) return false;
    await endCrawlsAtLimits(this.#engine, { ...this.#crawls, known: () => [crawl] });
    const isLook = needsDueLook(known.last, read, isDue || (isUnsure && !known.last.isSeen), now);
    const isMore = isLook && (await this.wake(id, needsFarLook(known.last, read, now)));
    if (!this.#isRunning(id)) return false;
    this.#reportLate(crawl, read, known);
    await this.#noteFirstPass(crawl, read, known);
    const { maxTimeMs } = crawl.config;
    const met = crawl.budget.metLimit();
    known.waits = {
      isBusy: isMore || (met !== undefined && !met.allowsRecrawl),
      isFirstPass: isRecrawling(crawl.config) && read.record.firstPass === undefined,
      ...(maxTimeMs !== undefined && { endsAt: now + maxTimeMs - read.totals.activeMs }),
    };
    const { nextDueAt, isAwake } = known.last;
    if (isLook && nextDueAt === undefined && !isAwake) await this.#finishIfQuiet(id, known);
    else if (known.isNoted) {
      await this.#deps.engine.registry.noteBusy(id);
      this.calls++;
      known.isNoted = false;
    }
    return isMore;
  }

  /** Whether the crawl runs, as far as this look knows. */
  #isRunning(id: CrawlId): boolean {
    return this.#read.has(id);
  }

  /** Says so when pages skip a time of the crawl's schedule. */
  #reportLate(crawl: Crawl, { totals: { recrawl = {} } }: CrawlLook, known: Known): void {
    const { clock, log } = this.#deps;
    if (crawl.config.recrawlSchedule === undefined) return;
    known.late ??= new LateWatch();
    const message = known.late.look(crawl, recrawl.late ?? 0, clock.now());
    if (message !== undefined) log('warn', { message, crawl: crawl.id });
  }

  async #noteFirstPass(crawl: Crawl, { record, totals }: CrawlLook, known: Known): Promise<void> {
    const { clock, log, engine } = this.#deps;
    const { registry } = engine;
    if (!isRecrawling(crawl.config) || record.firstPass) return;
    known.pass ??= new FirstPassWatch({ settleMs: PASS_SETTLE_MS });
    const look = known.pass.look(crawl, totals, clock.now());
    if (look === 'goesOn') return;
    // By the counters alone if the crawl has too many hosts.
    const waiting = crawl.budget.metLimit()?.allowsRecrawl ? 0 : await registry.countWaitingHosts(crawl.id);
    const isComplete =
      waiting === 0 ||
      (waiting === undefined && (look === 'isComplete' || totals.hostsWaiting <= LOST_COUNTS * totals.hosts));
    if (!isComplete) return known.pass.contradict(clock.now());
    await registry.noteFirstPass(crawl.id, { at: clock.now() });
    this.#read.delete(crawl.id);
    known.pass = undefined;
    log('info', { message: 'The first pass of the crawl is complete', crawl: crawl.id });
  }

  async #finishIfQuiet(id: CrawlId, known: Known): Promise<void> {
    const { log, engine } = this.#deps;
    known.isNoted = true;
    this.calls += CALLS.quiet;
    if (!(await engine.registry.isQuiet(id))) return;
    const { registry } = this.#engine;
    if (!(await registry.setStatus(id, 'finished', undefined, { from: ['running'], isQuiet: true }))) return;
    log('info', { message: 'The crawl has finished', crawl: id });
  }
}
