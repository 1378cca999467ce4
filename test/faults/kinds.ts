/** The kinds of faults, and what each does at a call. */
import type { DiskCall } from './disk-log.ts';
import { LOSSES } from './disk-model.ts';
import type { DiskFault } from './fault-disk.ts';
import type { Strike } from './world.ts';

const changes = ({ op }: DiskCall): boolean => op !== 'read' && op !== 'open';

/** A call that only reads is like any other moment. */
function killsAt(call: DiskCall): DiskFault[] {
  if (!changes(call)) return [];
  const around: DiskFault[] = [{ kind: 'killBefore' }, { kind: 'killAfter' }];
  return call.op === 'write' ? [...around, { kind: 'tear' }] : around;
}

const CODES = {
  write: ['ENOSPC', 'EIO'],
  truncate: ['ENOSPC', 'EIO'],
  create: ['ENOSPC', 'EMFILE', 'EIO'],
  open: ['EMFILE', 'EIO'],
  mkdir: ['ENOSPC', 'EIO'],
  rename: ['ENOSPC', 'EIO'],
  sync: ['EIO', 'ENOSPC'],
  unlink: ['EIO'],
  rmdir: ['EIO'],
  read: ['EIO'],
} as const satisfies Record<DiskCall['op'], readonly string[]>;

const failuresAt = ({ op }: DiskCall): DiskFault[] =>
  CODES[op].flatMap((errno) => [true, false].map((goesOn): DiskFault => ({ kind: 'fail', errno, goesOn })));

const HOUR_MS = 3_600_000;
const CLOCK_STEPS_MS = [HOUR_MS, -HOUR_MS, 26 * HOUR_MS, -26 * HOUR_MS];
/** Longer than a page may block its thread, and than a statement waits for a lock. */
const STALLS_MS = [1500, 6000, 12_000];

type WhatHappens = Omit<Strike, 'point'>;

export const KINDS = {
  kill: {
    what: 'kill -9 before or after a call, or within a write',
    at: (call) => killsAt(call).map((fault) => ({ fault })),
  },
  power: {
    what: 'the same; of the data that was not synced, nothing, all, the beginning or any part remains',
    at: (call) => killsAt(call).flatMap((fault) => LOSSES.map((loss) => ({ fault, loss }))),
  },
  fail: {
    what: 'a call, or from then on all that need the same, fails with ENOSPC, EIO or EMFILE',
    at: (call) => failuresAt(call).map((fault) => ({ fault })),
  },
  clock: {
    what: "the machine's clock is set forward or back by an hour or more than a day",
    at: (call) => (changes(call) ? CLOCK_STEPS_MS.map((ms) => ({ fault: { kind: 'clock', ms } })) : []),
  },
  stall: {
    what: 'a call takes seconds, so that its thread hangs',
    at: (call) => (changes(call) ? STALLS_MS.map((ms) => ({ fault: { kind: 'stall', ms } })) : []),
  },
  thread: {
    what: 'the thread of a hook dies, hangs or fills its memory',
    at: () => [],
  },
} as const satisfies Record<
  string,
  { readonly what: string; readonly at: (call: DiskCall) => WhatHappens[] }
>;

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];
export const happeningsAt =
  (kind: KindName) =>
  (call: DiskCall): WhatHappens[] =>
    KINDS[kind].at(call);
