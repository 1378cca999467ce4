import { causeText } from '../../core/causes/cause-text.ts';
import type { PageTask } from '../../crawler/turn/page/page-work.ts';
import type { SlotReader } from './work-slot.ts';

/** How often a watchdog looks. */
export const CHECK_MS = 250;
/** The factor for the limit if no page is in progress: the disk may be the cause. */
const UNKNOWN_FACTOR = 5;
/** The factor for the limit at most, where others have the CPUs. */
const STARVED_FACTOR = 15;

export interface BlockLimits {
  /** For work on a page, or while hooks are in progress. */
  readonly limitMs: number;
  /** For anything else. */
  readonly unknownLimitMs?: number;
}

/** A thread that has been blocked for too long. */
export interface Block {
  /** Without the time in which others had the CPUs, unless that is nearly all. */
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
 * a block. A page is blamed only for the time since its task began, without that in which others had the CPUs.
 */
export function createBlockWatch(slot: SlotReader): (limits: BlockLimits) => Block | undefined {
  let beats = -1;
  let tasks = -1;
  const sinceBeat = createStillness(slot);
  const sinceTask = createStillness(slot);
  return ({ limitMs, unknownLimitMs = limitMs * UNKNOWN_FACTOR }) => {
    const seen = { beats: slot.beats(), tasks: slot.tasks() };
    const isStill = sinceBeat.look(seen.beats === beats);
    sinceTask.look(isStill && seen.tasks === tasks);
    ({ beats, tasks } = seen);
    if (sinceBeat.ms() < limitMs) return undefined;
    const task = slot.task();
    if (task !== undefined) {
      const inTaskMs = sinceTask.blockedMs(limitMs);
      if (inTaskMs !== undefined) return { blockedMs: inTaskMs, task };
    }
    const isOfHook = task === undefined && slot.hasHooks();
    const blockedMs = sinceBeat.blockedMs(isOfHook ? limitMs : unknownLimitMs);
    return blockedMs === undefined ? undefined : { blockedMs };
  };
}

/** For how long something has stayed the same. */
function createStillness(slot: Pick<SlotReader, 'starvedMs'>) {
  /** The number of looks that have found it so. */
  let missed = 0;
  /** How long the thread was starved at the first of them. */
  let starvedBefore: number | undefined;
  // The thread may have stopped just after its last sign of life, or just before the next one.
  const ms = () => missed * CHECK_MS;
  return {
    ms,
    /** `isSame`: since the look before. */
    look(isSame: boolean): boolean {
      missed = isSame ? missed + 1 : 0;
      if (missed === 1) starvedBefore = slot.starvedMs();
      return isSame;
    },
    /** How long it blocked, if that is `limitMs` or more. */
    blockedMs(limitMs: number): number | undefined {
      if (ms() < limitMs) return undefined;
      const starvedMs = starvedBefore === undefined ? 0 : (slot.starvedMs() ?? starvedBefore) - starvedBefore;
      const ownMs = Math.round(ms() - starvedMs);
      if (ownMs >= limitMs) return ownMs;
      return ms() >= limitMs * STARVED_FACTOR ? ms() : undefined;
    },
  };
}
