import { causeOfBlock, type PageTask } from '../../worker/page-work.ts';
import type { SlotReader } from './work-slot.ts';

/** How often a watchdog looks. */
export const CHECK_MS = 250;
/** Without a page to blame it may be the disk: a thread has so many times as long then. */
const UNKNOWN_FACTOR = 5;

export interface BlockLimits {
  /** For work on a page, or while hooks are in progress. */
  readonly limitMs: number;
  /** For anything else. */
  readonly unknownLimitMs?: number;
}

/** A thread that has been blocked for too long. */
export interface Block {
  readonly blockedMs: number;
  /** What it works on; undefined where it is not known. */
  readonly task?: PageTask;
}

/** What is told people of it. */
export const blockText = ({ task, blockedMs }: Block): string =>
  task
    ? `${task.url} ${causeOfBlock(task, blockedMs)}: it is in quarantine, and the crawl goes on without it`
    : `the thread was blocked for ${Math.round(blockedMs / 1000)} s: each URL in progress is suspected, and tried by itself`;

/**
 * To be called each {@link CHECK_MS}: returns the block once the slot's thread has given no sign of life for too long.
 * Counts its own calls and no clock: neither a process that was suspended nor a clock that was set is a block.
 */
export function createBlockWatch(slot: SlotReader): (limits: BlockLimits) => Block | undefined {
  let seen = -1;
  let missed = 0;
  return ({ limitMs, unknownLimitMs = limitMs * UNKNOWN_FACTOR }) => {
    const beats = slot.beats();
    missed = beats === seen ? missed + 1 : 0;
    seen = beats;
    // The thread may have stopped just after its last sign of life, or just before the next one.
    const blockedMs = missed * CHECK_MS;
    if (blockedMs < limitMs) return undefined;
    const task = slot.task();
    const isKnown = task !== undefined || slot.hasHooks();
    return isKnown || blockedMs >= unknownLimitMs ? { blockedMs, task } : undefined;
  };
}
