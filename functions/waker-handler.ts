import type { Context } from 'aws-lambda';
import { isRecrawling } from '../shared/crawl/config.ts';
import type { CrawlId } from '../shared/crawl/crawl-id.ts';
import type { Crawls } from '../shared/crawl-state/crawls.ts';
import { FirstPassWatch } from '../shared/crawl-state/first-pass.ts';
import { LateWatch } from '../shared/crawl-state/late-watch.ts';
import { endCrawlsAtLimits } from '../shared/crawl-state/limits.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Engine } from '../shared/ports/engine.ts';
import { wakeDueHosts } from '../shared/routing/waker.ts';
import { sizesOf } from '../shared/sizes.ts';
import type { HostKey } from '../shared/url/host-key.ts';
import { beginningAt, type CrawlErrors, gatherCrawlErrors } from './crawl-errors.ts';
import type { DailyLimit } from './daily-limit.ts';
import type { Log } from './log.ts';
import { invoked } from './stack.ts';
import { startingWorkers, startMissing } from './start-workers.ts';

export interface WakerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: WakerStack;
  /** Kept over the invocations. */
  readonly crawls: Crawls;
  /** Looks for troubles of the whole stack. */
  readonly watch?: { look(running: readonly CrawlId[]): Promise<void> } | undefined;
  /** Announces the ends of crawls. */
  readonly announcer?: { look(until: number): Promise<void> } | undefined;
  /** Sends the changes of pages. Resolves to whether none of the crawl is left. */
  readonly changeFeed?: { look(crawl: CrawlId, until: number): Promise<boolean> } | undefined;
  /** The deployer's limit of cost in a day. */
  readonly dailyLimit?: Pick<DailyLimit, 'isSpent' | 'pause' | 'goOn'> | undefined;
}

export interface WakerStack extends Pick<OpenedStack, 'meter' | 'flushMeter'> {
  readonly engine: Pick<Engine, 'queue' | 'ledgers' | 'clock' | 'sizes'> & {
    readonly workers: OpenedStack['engine']['workers'];
    readonly registry: Engine['registry'] &
      Pick<OpenedStack['engine']['registry'], 'list' | 'listRunning' | 'countWaitingHosts'>;
  };
}

/** Hosts are woken for so long; then it is looked which crawls are over. */
const WAKE_MS = 40_000;
/** Before the invocation's end, nothing is begun any more. */
const END_MS = 5000;
/**
 * The maximal number of batches of a crawl's hosts that may be awake without a turn: more would wait in the
 * queue, and to look beyond them reads them all.
 */
const MAX_AWAKE_BATCHES = 10;
/** After this number of runs all crawls are checked again, not only those listed as running. */
const ALL_EVERY = 60;
/** While no crawl runs, workers that are missing, and ends to announce, are looked for in one of this number of runs. */
const LOOK_EVERY_AT_REST = 5;
/**
 * Links to another host arrive within seconds; within minutes where a process has died, or link shards gather them. By then the
 * number of known URLs has stayed the same.
 */
const PASS_SETTLE_MS = 600_000;
/** The share of the hosts of a large crawl that may wait by counters that are wrong, as workers died before they counted. */
const LOST_COUNTS = 0.001;
/** The share of the time that is left for the changes of pages. The rest is for the ends of crawls, and troubles. */
const CHANGES_SHARE = 0.5;
/** Crawls loaded at once. */
const LOADS = 10;

type Woken = Map<HostKey, { readonly version: number; readonly at: number }>;

/**
 * Starts a worker where messages wait and there is none, ends the crawls that have reached a limit, wakes the hosts
 * that are due, and calls a crawl finished that is quiet.
 */
export function createWakerHandler(deps: WakerDeps) {
  const { stack, clock, log } = deps;
  const { workers } = stack.engine;
  const { queue, startWorkers } = startingWorkers(stack.engine.queue, workers, log);
  const waker = new Waker({ ...deps, stack: { ...stack, engine: { ...stack.engine, queue } } });
  return (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> =>
    invoked(stack, { clock, log, context, isAtRest: () => waker.isAtRest }, async () => {
      const endsAt = clock.now() + context.getRemainingTimeInMillis() - END_MS;
      try {
        await waker.run(endsAt, () => startMissing(workers, log));
      } finally {
        await startWorkers();
      }
    });
}

class Waker {
  readonly #deps: WakerDeps;
  /** By crawl. */
  readonly #woken = new Map<CrawlId, Woken>();
  /** Crawls that may have changes to send. */
  readonly #feeding = new Set<CrawlId>();
  readonly #late = new Map<CrawlId, LateWatch>();
  /** For crawls whose first pass goes on. */
  readonly #passes = new Map<CrawlId, FirstPassWatch>();
  #runs = 0;
  /** The last run found no crawl that runs: such runs are kept cheap, as there are 1,440 a day. */
  isAtRest = false;

  constructor(deps: WakerDeps) {
    this.#deps = deps;
  }

  /** One invocation, which begins nothing after `endsAt`. */
  async run(endsAt: number, startMissing: () => Promise<void>): Promise<void> {
    const { clock, log, dailyLimit } = this.#deps;
    await dailyLimit?.goOn(endsAt);
    const wakeUntil = Math.min(endsAt, clock.now() + WAKE_MS);
    const wasAtRest = this.isAtRest;
    const isLook = this.#runs % LOOK_EVERY_AT_REST === 0;
    this.isAtRest = false;
    let ids: CrawlId[] = [];
    try {
      ids = await this.#runningCrawls();
      this.isAtRest = ids.length === 0;
    } finally {
      // Before all else: a run may take most of a minute.
      if (!this.isAtRest || isLook) await startMissing();
    }
    const errors = gatherCrawlErrors(log);
    const [first] = ids;
    // A failure is reported as that of a crawl: another one each time.
    if (dailyLimit && first !== undefined && (await errors.attempt(first, () => dailyLimit.isSpent())))
      await this.#forEach(ids, endsAt, errors, (id) => dailyLimit.pause(id));
    await this.#forEach(ids, endsAt, errors, (id) => this.#endAtLimits(id));
    // A batch of each in turn: a crawl of many hosts does not hold up the others.
    for (let left = ids; left.length > 0; )
      left = await this.#forEach(left, wakeUntil, errors, (id) => this.#wake(id));
    await this.#forEach(ids, endsAt, errors, (id) => this.#reportLate(id));
    await this.#forEach(ids, endsAt, errors, (id) => this.#noteFirstPass(id));
    await this.#forEach(ids, endsAt, errors, (id) => this.#finishIfQuiet(id));
    const leftMs = Math.max(0, endsAt - clock.now());
    await this.#sendChanges(ids, clock.now() + CHANGES_SHARE * leftMs, errors);
    // At the end, too, of those that this run has ended.
    if (!this.isAtRest || !wasAtRest || isLook) await this.#deps.announcer?.look(endsAt);
    if (clock.now() < endsAt) await this.#deps.watch?.look(ids);
    errors.throwAny();
  }

  /** Does `step` for each crawl that has not failed. Returns those for which it says true. */
  async #forEach(
    some: readonly CrawlId[],
    until: number,
    errors: CrawlErrors,
    step: (id: CrawlId) => Promise<unknown>,
  ): Promise<CrawlId[]> {
    const { clock, stack } = this.#deps;
    const more: CrawlId[] = [];
    for (const id of some) {
      if (errors.has(id) || clock.now() >= until) continue;
      const isMore = await errors.attempt(id, () => stack.meter.run(id, () => step(id)));
      if (isMore === true) more.push(id);
    }
    return more;
  }

  /** Those that run, another one first each time. */
  async #runningCrawls(): Promise<CrawlId[]> {
    const { registry } = this.#deps.stack.engine;
    const running = new Set<CrawlId>();
    // All of them at the first run of a process, and once an hour or so.
    const all = await (this.#runs % ALL_EVERY === 0 ? registry.list() : registry.listRunning());
    for (let from = 0; from < all.length; from += LOADS) {
      const load = async (id: CrawlId) => {
        const record = await registry.load(id);
        if (record?.status === 'running') running.add(id);
        if (record?.config.changeFeed || record?.sites) this.#feeding.add(id);
      };
      await Promise.all(all.slice(from, from + LOADS).map(load));
    }
    for (const known of [this.#woken, this.#late, this.#passes])
      for (const id of known.keys()) if (!running.has(id)) known.delete(id);
    return beginningAt(
      all.filter((id) => running.has(id)),
      this.#runs++,
    );
  }

  async #endAtLimits(id: CrawlId): Promise<void> {
    const { crawls, stack } = this.#deps;
    await crawls.get(id);
    const known = () => crawls.known().filter((crawl) => crawl.id === id);
    await endCrawlsAtLimits(stack.engine, { ...crawls, known });
  }

  /** Whether there may be more to wake. */
  async #wake(id: CrawlId): Promise<boolean> {
    const { crawls, stack } = this.#deps;
    const { wakeBatch } = sizesOf(stack.engine);
    const own: Woken = this.#woken.get(id) ?? new Map();
    this.#woken.set(id, own);
    const count = await wakeDueHosts(stack.engine, crawls, id, own);
    return count >= wakeBatch && own.size < MAX_AWAKE_BATCHES * wakeBatch;
  }

  async #sendChanges(running: readonly CrawlId[], until: number, errors: CrawlErrors): Promise<void> {
    const { changeFeed, clock, stack } = this.#deps;
    // Another one first each time: those of one crawl may take all of a run.
    for (const id of changeFeed ? beginningAt([...this.#feeding], this.#runs) : []) {
      if (clock.now() >= until) return;
      await errors.attempt(id, async () => {
        const isDone = await stack.meter.run(id, () => changeFeed?.look(id, until));
        // A crawl that does not run any more is looked at until its last change is sent.
        if (isDone && !running.includes(id)) this.#feeding.delete(id);
      });
    }
  }

  /** Says so when pages skip a time of the crawl's schedule. */
  async #reportLate(id: CrawlId): Promise<void> {
    const { clock, crawls, log, stack } = this.#deps;
    const crawl = await crawls.get(id);
    if (crawl?.config.recrawlSchedule === undefined) return;
    const { recrawl = {} } = await stack.engine.registry.totals(id);
    const watch = this.#late.get(id) ?? new LateWatch();
    this.#late.set(id, watch);
    const message = watch.look(crawl, recrawl.late ?? 0, clock.now());
    if (message !== undefined) log('warn', { message, crawl: id });
  }

  async #noteFirstPass(id: CrawlId): Promise<void> {
    const { clock, crawls, log, stack } = this.#deps;
    const { registry } = stack.engine;
    const crawl = await crawls.get(id);
    if (!crawl || !isRecrawling(crawl.config)) return;
    const record = await registry.load(id);
    if (record?.status !== 'running' || record.firstPass) return;
    const watch = this.#passes.get(id) ?? new FirstPassWatch({ settleMs: PASS_SETTLE_MS });
    this.#passes.set(id, watch);
    const totals = await registry.totals(id);
    const look = watch.look(crawl, totals, clock.now());
    if (look === 'goesOn') return;
    // By the counters alone if the crawl has too many hosts.
    const waiting = crawl.budget.metLimit()?.allowsRecrawl ? 0 : await registry.countWaitingHosts(id);
    const isComplete =
      waiting === 0 ||
      (waiting === undefined && (look === 'isComplete' || totals.hostsWaiting <= LOST_COUNTS * totals.hosts));
    if (!isComplete) return watch.contradict(clock.now());
    await registry.noteFirstPass(id, { at: clock.now() });
    log('info', { message: 'The first pass of the crawl is complete', crawl: id });
  }

  async #finishIfQuiet(id: CrawlId): Promise<void> {
    const { log, stack } = this.#deps;
    const { registry } = stack.engine;
    if ((await registry.load(id))?.status !== 'running' || !(await registry.isQuiet(id))) return;
    if (!(await registry.setStatus(id, 'finished', undefined, { from: ['running'], isQuiet: true }))) return;
    log('info', { message: 'The crawl has finished', crawl: id });
  }
}
