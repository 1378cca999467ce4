import { type Crawls, createCrawls } from '../../../crawl-state/crawls.ts';
import { messageOf } from '../../../error-message.ts';
import { StorageFailed } from '../../../storage-failed.ts';
import { tuneV8ForThreads } from '../../../tune-v8.ts';
import { quarantinePage } from '../../../turn/quarantine-page.ts';
import { newStats } from '../../../turn/worker-stats.ts';
import type { HostKey } from '../../../url/host-key.ts';
import { blockText } from '../../watchdog/block-watch.ts';
import { slotMemory } from '../../watchdog/work-slot.ts';
import type { LocalEngine } from '../engine.ts';
import { stagedItems } from '../items/staged-items.ts';
import type { Crew, CrewOptions } from '../session/crew.ts';
import { addStats, type CrewStats, crewStats, endedStats } from '../session/crew-stats.ts';
import { addSums, type Sums } from '../sums.ts';
import { boardMemory, takeBoard } from './board.ts';
import { createBlockOf, hostBlocksMemory } from './host-blocks.ts';
import { type RunningThread, runThread, type ThreadEnd } from './run-thread.ts';
import { createSharedTally, resetTally, tallyMemory } from './shared-tally.ts';
import { sumBlocks } from './sum-blocks.ts';
import { suspect } from './suspect.ts';
import type { FromThread, ThreadProgress, ThreadStart } from './thread-messages.ts';

export interface ThreadsOptions extends CrewOptions {
  readonly start: Omit<
    ThreadStart,
    'block' | 'hostBlocks' | 'tally' | 'changes' | 'board' | 'slot' | 'reportsEvents'
  >;
  /** Called with messages for people. */
  readonly warn?: (message: string) => void;
}

export interface ThreadCrew extends Crew {
  /** These hosts were sent something. */
  notice(hosts: readonly HostKey[]): void;
}

/**
 * A thread that dies so often in a row, and no request is committed meanwhile, would always die. One page
 * kills 3 times.
 */
const MAX_DEATHS = 10;
/** A new thread is begun after this, and so much longer after each death in a row. */
const RESTART_MS = 100;

/** What is known of one block. */
interface Block {
  /** What its heads came to when its thread was begun. */
  begun: Sums;
  /** What its thread has reported since. */
  told?: ThreadProgress;
  /** What its earlier threads had reported when they died. */
  gone: CrewStats;
  /** What its thread is about. */
  readonly board: Uint8Array;
  thread?: RunningThread;
}

/**
 * The workers of several threads, each of which serves the hosts of one block by its own connection to the
 * database. This thread routes, wakes, watches and publishes items for all. A thread that dies is started
 * again: its turns were not committed, so their messages come again; what it was about is under suspicion,
 * which finds out the page that kills (`suspect.ts`); and its hosts are kept back as long as their longest
 * rest (`keep-back.ts`).
 */
export function startThreads(engine: LocalEngine, options: ThreadsOptions): ThreadCrew {
  const { registry, exchange, items, clock, database } = engine;
  const { start, onError, onSeed, onEvent, warn } = options;
  const { crawl, blocks: count } = start;
  tuneV8ForThreads();
  const hostBlocks = hostBlocksMemory();
  const blockOf = createBlockOf(hostBlocks, count);
  const tally = tallyMemory(count);
  const changes = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const blocks = sumBlocks(database, crawl, count, blockOf).map(
    (begun): Block => ({ begun, gone: crewStats(newStats()), board: boardMemory(start.maxHosts) }),
  );
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);

  for (const [block, { begun }] of blocks.entries()) resetTally(tally, block, begun.totals);
  registry.followSums(crawl, () =>
    blocks.flatMap(({ begun, told }) => (told ? [begun, told.sums] : [begun])).reduce(addSums),
  );

  const ownTally = createSharedTally(tally, 0);
  const crawls = createCrawls(registry, clock, ownTally);
  let seenChanges = 0;
  /** Before anything that may go by a change is routed: the receiver learns of the change first. */
  function passChanges(): void {
    const now = Atomics.load(changes, 0);
    if (now === seenChanges) return;
    seenChanges = now;
    crawls.refresh(crawl);
    for (const { thread } of blocks) thread?.tell({ kind: 'changed' });
  }
  const watched: Crawls = {
    ...crawls,
    get(id) {
      passChanges();
      return crawls.get(id);
    },
  };

  function notice(hosts: readonly HostKey[]): void {
    const byBlock = Map.groupBy(hosts, blockOf);
    for (const [block, own] of byBlock) blocks[block]?.thread?.tell({ kind: 'hosts', hosts: own });
  }

  function hear(block: Block, message: FromThread): void {
    switch (message.kind) {
      case 'hosts':
        notice(message.hosts);
        break;
      case 'parcel':
        exchange.notice();
        break;
      case 'changed':
        passChanges();
        break;
      case 'progress':
        block.told = message;
        break;
      case 'turnFailed':
        onError?.(new Error(message.message), message.host);
        break;
      case 'seed':
        onSeed?.(message.event);
        break;
      case 'event':
        onEvent?.(message.event);
        break;
      case 'warning':
        warn?.(message.message);
        break;
      case 'publish':
        void publish(block, message);
    }
  }

  async function publish(
    block: Block,
    { id, crawl, host, version }: Extract<FromThread, { kind: 'publish' }>,
  ): Promise<void> {
    const { thread } = block;
    try {
      await items?.publish(crawl, host, version);
      thread?.tell({ kind: 'published', id });
    } catch (error) {
      const isStorage = error instanceof StorageFailed;
      thread?.tell({ kind: 'published', id, error: messageOf(error), isStorage });
    }
  }

  /** Runs the block's threads, one after the other, until one ends normally. */
  async function keep(block: Block, index: number): Promise<void> {
    for (let deaths = 0; ; ) {
      const end = await runOne(block, index);
      if (end.kind === 'ended') return;
      if (end.kind === 'failed') throw new (end.isStorage ? StorageFailed : Error)(end.message);
      const { requests } = block.begun.totals;
      await settleItems(index);
      const noted = takeBoard(block.board);
      const blocked = end.kind === 'blocked' ? end : undefined;
      if (blocked?.task) await quarantinePage(engine.ledgers, blocked.task, blocked.blockedMs, clock.now());
      else await suspect(engine.ledgers, crawl, noted);
      takeStock(block, index);
      if (signal.aborted) return;
      deaths = block.begun.totals.requests > requests ? 1 : deaths + 1;
      const thread = `thread ${index + 1}`;
      const cause = blocked ? blockText(blocked) : `it died: ${(end as { cause: string }).cause}`;
      if (deaths >= MAX_DEATHS)
        throw new Error(`${thread} died ${deaths} times in a row, and nothing came of it: ${cause}`);
      onError?.(new Error(cause), thread);
      await clock.sleep(RESTART_MS * deaths, signal);
    }
  }

  async function runOne(block: Block, index: number): Promise<ThreadEnd> {
    if (signal.aborted) return { kind: 'ended' };
    const thread = runThread(
      {
        ...start,
        reportsEvents: onEvent !== undefined,
        block: index,
        hostBlocks,
        tally,
        changes,
        board: block.board,
        slot: slotMemory(),
      },
      (message) => hear(block, message),
    );
    block.thread = thread;
    const stop = () => thread.tell({ kind: 'stop' });
    signal.addEventListener('abort', stop);
    const end = await thread.end;
    signal.removeEventListener('abort', stop);
    block.thread = undefined;
    return end;
  }

  /** After a death: what the thread had not reported stands in the heads, and nothing else counts. */
  function takeStock(block: Block, index: number): void {
    if (block.told) block.gone = addStats(block.gone, endedStats(block.told.stats));
    block.told = undefined;
    block.begun = sumBlocks(database, crawl, count, blockOf)[index]!;
    resetTally(tally, index, block.begun.totals);
  }

  /** Publishes the staged items of the thread's committed turns, and drops the others. */
  async function settleItems(index: number): Promise<void> {
    for (const { host, staged, committed } of stagedItems(database, crawl)) {
      if (blockOf(host) !== index) continue;
      if (staged <= committed) await items?.publish(crawl, host, staged);
      else await items?.stage(crawl, host, staged, []);
    }
  }

  async function run(): Promise<void> {
    const runs = blocks.map((block, index) => keep(block, index));
    // One that cannot go on ends all others normally, and all have ended before it is reported.
    for (const one of runs) one.catch(() => stopping.abort());
    for (const end of await Promise.allSettled(runs)) if (end.status === 'rejected') throw end.reason;
  }

  return {
    crawls: watched,
    notice,
    stats: () => blocks.flatMap(({ gone, told }) => (told ? [gone, told.stats] : [gone])).reduce(addStats),
    done: run(),
  };
}
