import { causeText } from '../../core/causes/cause-text.ts';
import type { PageTask } from '../../crawler/turn/page/page-work.ts';
import type { SlotReader } from './work-slot.ts';

/** How often a watchdog looks. */
export const CHECK_MS = 250;
/** The factor for the limit if no page is in progress: the disk may be the cause. */
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
  /** Its task; undefined if it is not known. */
  readonly task?: PageTask;
}

/** Returns a sentence for people. */
export const blockText = ({ task, blockedMs }: Block): string =>
  task
    ? `${task.url} ${causeText({ code: 'threadBlocked', ms: blockedMs, step: task.step })}: it is in quarantine, and the crawl continues without it`
    : `the thread was blocked for ${Math.round(blockedMs / 1000)} s: each URL in progress is suspected, and tried by itself`;

/**
 * Call it each {@link CHECK_MS}: returns the block once the slot's thread has given no sign of life for too
 * long. Counts its own calls and no clock: neither a process that was suspended nor a clock that was set is
 * a block. A page is blamed only for the time since its task began.
 */
export function createBlockWatch(slot: SlotReader): (limits: BlockLimits) => Block | undefined {
  let beats = -1;
  let tasks = -1;
  let missed = 0;
  /** The number of these since the last task began. */
  let missedInTask = 0;
  return ({ limitMs, unknownLimitMs = limitMs * UNKNOWN_FACTOR }) => {
    const seen = { beats: slot.beats(), tasks: slot.tasks() };
    missed = seen.beats === beats ? missed + 1 : 0;
    missedInTask = missed > 0 && seen.tasks === tasks ? missedInTask + 1 : 0;
    ({ beats, tasks } = seen);
    // The thread may have stopped just after its last sign of life, or just before the next one.
    const blockedMs = missed * CHECK_MS;
    if (blockedMs < limitMs) return undefined;
    const task = slot.task();
    const inTaskMs = missedInTask * CHECK_MS;
    if (task !== undefined && inTaskMs >= limitMs) return { blockedMs: inTaskMs, task };
    const isOfHook = task === undefined && slot.hasHooks();
    return isOfHook || blockedMs >= unknownLimitMs ? { blockedMs } : undefined;
  };
}
