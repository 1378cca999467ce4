import { messageOf } from '../../../core/base/error-message.ts';
import { StorageFailed } from '../../../core/base/storage-failed.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { exchangesOf } from '../../../core/frontier/host-totals.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { type Crawl, type Crawls, createCrawls } from '../../../crawler/crawl-state/crawls.ts';
import { quarantinePage } from '../../../crawler/turn/quarantine-page.ts';
import { newStats } from '../../../crawler/turn/worker-stats.ts';
import { tuneV8ForCrawl } from '../../tune-v8.ts';
import { blockText } from '../../watchdog/block-watch.ts';
import { slotMemory } from '../../watchdog/work-slot.ts';
import type { LocalEngine } from '../engine.ts';
import { stagedItems } from '../items/staged-items.ts';
import { addStats, endedStats, type PoolStats, poolStats } from '../session/pool-stats.ts';
import type { WorkerPool, WorkerPoolOptions } from '../session/worker-pool.ts';
import { addSums, type Sums } from '../sums.ts';
import { createBlockOf, hostBlocksMemory } from './host-blocks.ts';
import { inFlightMemory, takeInFlight } from './in-flight-table.ts';
import { type RunningThread, runThread, type ThreadEnd } from './run-thread.ts';
import { createSharedTally, resetTally, tallyMemory } from './shared-tally.ts';
import { sumBlocks } from './sum-blocks.ts';
import { suspect } from './suspect.ts';
import type { FromThread, ThreadProgress, ThreadStart } from './thread-messages.ts';

export interface ThreadsOptions extends WorkerPoolOptions {
  readonly start: Omit<
    ThreadStart,
    | 'block'
    | 'deadForMs'
    | 'hostBlocks'
    | 'tally'
    | 'payloadFilter'
    | 'changes'
    | 'inFlight'
    | 'slot'
    | 'reportsEvents'
  >;
  /** Called with messages for people. */
  readonly warn?: (message: string) => void;
}

export interface ThreadPool extends WorkerPool {
  /** Hosts that were sent messages. */
  notice(hosts: readonly HostKey[]): void;
}

/**
 * A thread that dies so often in a row, and no request is committed meanwhile, would always die. A page kills 3 times
 * at most.
 */
const MAX_DEATHS = 10;
/** The wait before a new thread starts, and the increase of that wait after each death in a row. */
const RESTART_MS = 100;

/** The state of one block. */
interface Block {
  /** The sums over its heads when its thread started. */
  begun: Sums;
  /** The last report of its thread. */
  lastProgress?: ThreadProgress;
  /** The reports of its earlier threads, as of their deaths. */
  gone: PoolStats;
  /** The thread's in-flight table. */
  readonly inFlight: Uint8Array;
  thread?: RunningThread;
}

/** Starts a thread for each block. They end when `options.signal` aborts. */
export function startThreads(engine: LocalEngine, options: ThreadsOptions): ThreadPool {
  tuneV8ForCrawl();
  return new BlockThreads(engine, options);
}

/**
 * The workers of several threads, each of which serves the hosts of one block by its own connection to the
 * database. This thread routes, wakes, watches and publishes items for all. A thread that dies is started
 * again: its turns were not committed, so their messages come again; what it was about is under suspicion,
 * which finds out the page that kills (`suspect.ts`); and its hosts are kept back as long as their longest
 * rest (`keep-back.ts`).
 */
class BlockThreads implements ThreadPool {
  readonly crawls: Crawls;
  readonly done: Promise<void>;
  readonly #engine: LocalEngine;
  readonly #options: ThreadsOptions;
  readonly #hostBlocks = hostBlocksMemory();
  readonly #blockOf: (host: HostKey) => number;
  readonly #tally: BigInt64Array;
  /** How often the crawl's record was changed, by any thread. */
  readonly #changes = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #seenChanges = 0;
  readonly #blocks: readonly Block[];
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  /** This thread's own view of the crawl. */
  readonly #ownCrawls: Crawls;

  constructor(engine: LocalEngine, options: ThreadsOptions) {
    const { crawl, blocks: count, maxHosts } = options.start;
    this.#engine = engine;
    this.#options = options;
    this.#blockOf = createBlockOf(this.#hostBlocks, count);
    this.#tally = tallyMemory(count);
    this.#signal = AbortSignal.any([options.signal, this.#stopping.signal]);
    this.#blocks = sumBlocks(engine.database, crawl, count, this.#blockOf).map(
      (begun): Block => ({ begun, gone: poolStats(newStats()), inFlight: inFlightMemory(maxHosts) }),
    );
    for (const [block, { begun }] of this.#blocks.entries()) resetTally(this.#tally, block, begun.totals);
    engine.registry.followSums(crawl, () => this.#sums());
    this.#ownCrawls = createCrawls(engine.registry, engine.clock, createSharedTally(this.#tally, 0));
    this.crawls = { ...this.#ownCrawls, get: (id) => this.#getCrawl(id) };
    this.done = this.#run();
  }

  notice(hosts: readonly HostKey[]): void {
    const byBlock = Map.groupBy(hosts, this.#blockOf);
    for (const [block, own] of byBlock) this.#blocks[block]?.thread?.post({ kind: 'hosts', hosts: own });
  }

  stats(): PoolStats {
    return this.#blocks
      .flatMap(({ gone, lastProgress }) => (lastProgress ? [gone, lastProgress.stats] : [gone]))
      .reduce(addStats);
  }

  #sums(): Sums {
    return this.#blocks
      .flatMap(({ begun, lastProgress }) => (lastProgress ? [begun, lastProgress.sums] : [begun]))
      .reduce(addSums);
  }

  #getCrawl(id: CrawlId): Promise<Crawl | undefined> {
    this.#passChanges();
    return this.#ownCrawls.get(id);
  }

  /** Before anything that may go by a change is routed: the receiver learns of the change first. */
  #passChanges(): void {
    const now = Atomics.load(this.#changes, 0);
    if (now === this.#seenChanges) return;
    this.#seenChanges = now;
    this.#ownCrawls.refresh(this.#options.start.crawl);
    for (const { thread } of this.#blocks) thread?.post({ kind: 'changed' });
  }

  async #run(): Promise<void> {
    const runs = this.#blocks.map((block, index) => this.#keep(block, index));
    // A thread that cannot continue ends all others normally, and all have ended before it is reported.
    for (const one of runs) one.catch(() => this.#stopping.abort());
    for (const end of await Promise.allSettled(runs)) if (end.status === 'rejected') throw end.reason;
  }

  /** Runs the block's threads, one after the other, until one ends normally. */
  async #keep(block: Block, index: number): Promise<void> {
    for (let deaths = 0; ; ) {
      const end = await this.#runOne(block, index, deaths === 0 ? this.#engine.hold.deadForMs : undefined);
      if (end.kind === 'ended') return;
      if (end.kind === 'failed') throw new (end.isStorage ? StorageFailed : Error)(end.message);
      const before = exchangesOf(block.begun.totals);
      await this.#recover(block, index, end);
      if (this.#signal.aborted) return;
      deaths = exchangesOf(block.begun.totals) > before ? 1 : deaths + 1;
      const thread = `thread ${index + 1}`;
      const cause = end.kind === 'blocked' ? blockText(end) : `it died: ${end.cause}`;
      if (deaths >= MAX_DEATHS)
        throw new Error(`${thread} died ${deaths} times in a row without progress: ${cause}`);
      this.#options.onError?.(new Error(cause), thread);
      await this.#engine.clock.sleep(RESTART_MS * deaths, this.#signal);
    }
  }

  async #runOne(block: Block, index: number, deadForMs?: number): Promise<ThreadEnd> {
    const signal = this.#signal;
    if (signal.aborted) return { kind: 'ended' };
    const { start, onEvent } = this.#options;
    const thread = runThread(
      {
        ...start,
        deadForMs,
        reportsEvents: onEvent !== undefined,
        block: index,
        hostBlocks: this.#hostBlocks,
        tally: this.#tally,
        payloadFilter: this.#engine.payloadFilter,
        changes: this.#changes,
        inFlight: block.inFlight,
        slot: slotMemory(),
      },
      (message) => this.#onMessage(block, message),
    );
    block.thread = thread;
    const stop = () => thread.post({ kind: 'stop' });
    signal.addEventListener('abort', stop);
    const end = await thread.end;
    signal.removeEventListener('abort', stop);
    block.thread = undefined;
    return end;
  }

  #onMessage(block: Block, message: FromThread): void {
    const { onError, onSeed, onSite, onEvent, warn } = this.#options;
    switch (message.kind) {
      case 'hosts':
        this.notice(message.hosts);
        break;
      case 'parcel':
        this.#engine.exchange.notice();
        break;
      case 'changed':
        this.#passChanges();
        break;
      case 'progress':
        block.lastProgress = message;
        break;
      case 'turnFailed':
        onError?.(new Error(message.message), message.host);
        break;
      case 'seed':
        onSeed?.(message.event);
        break;
      case 'site':
        onSite?.(message.visit);
        break;
      case 'event':
        onEvent?.(message.event);
        break;
      case 'warning':
        warn?.(message.message);
        break;
      case 'publish':
        void this.#publish(block, message);
    }
  }

  async #publish(
    block: Block,
    { id, crawl, host, version }: Extract<FromThread, { kind: 'publish' }>,
  ): Promise<void> {
    const { thread } = block;
    try {
      await this.#engine.items?.publish(crawl, host, version);
      thread?.post({ kind: 'published', id });
    } catch (error) {
      const isStorage = error instanceof StorageFailed;
      thread?.post({ kind: 'published', id, error: messageOf(error), isStorage });
    }
  }

  /** Settles the work of a dead thread, and notes the URLs that may have killed it. */
  async #recover(
    block: Block,
    index: number,
    end: Extract<ThreadEnd, { kind: 'blocked' | 'died' }>,
  ): Promise<void> {
    const { ledgers, clock } = this.#engine;
    await this.#settleItems(index);
    const noted = takeInFlight(block.inFlight);
    if (end.kind === 'blocked' && end.task)
      await quarantinePage(ledgers, end.task, end.blockedMs, clock.now());
    else await suspect(ledgers, this.#options.start.crawl, noted);
    this.#takeStock(block, index);
  }

  /** Publishes the staged items of the thread's committed turns, and drops the others. */
  async #settleItems(index: number): Promise<void> {
    const { items, database } = this.#engine;
    const { crawl } = this.#options.start;
    for (const { host, staged, committed } of stagedItems(database, crawl)) {
      if (this.#blockOf(host) !== index) continue;
      if (staged <= committed) await items?.publish(crawl, host, staged);
      else await items?.stage(crawl, host, staged, []);
    }
  }

  /** After a death: what the thread had not reported is in the heads, and nothing else counts. */
  #takeStock(block: Block, index: number): void {
    const { crawl, blocks: count } = this.#options.start;
    if (block.lastProgress) block.gone = addStats(block.gone, endedStats(block.lastProgress.stats));
    block.lastProgress = undefined;
    block.begun = sumBlocks(this.#engine.database, crawl, count, this.#blockOf)[index]!;
    resetTally(this.#tally, index, block.begun.totals);
  }
}
