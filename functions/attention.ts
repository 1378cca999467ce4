/**
 * Announces what an operator should look at: by one metric for all troubles, which one alarm watches, since each
 * metric of an alarm is paid for while nothing happens. A line of the log says which trouble it is.
 */
import type { AttentionNotes } from '../shared/engines/aws/state/attention-notes.ts';
import { errorFields, type Log } from './log.ts';
import { metricLine } from './metrics.ts';

/** By trouble, the text of the log line. docs/aws.md, "Watching", has them with remedies. */
export const TROUBLES = {
  DeadTurns: 'There are dead messages to hosts',
  DeadLinks: 'There are dead messages of links or seeds',
  NewerFormat: 'A newer version has written messages or ledgers, which wait until it is deployed again',
  ErrorRatio: 'More than half of the requests count against their hosts',
  Identity: 'The identity of the stack cannot be used, or expires soon',
  Secrets: 'The secrets of the stack cannot be used',
  ArchiveBehind: 'WARC files have come faster for hours than the compactor joins them',
  DailyLimit: 'All crawls together have cost maxCostPerDay today, and are paused until 00:00 UTC',
  Spend: 'All crawls together have cost more than maxCostPerHour in an hour',
} as const;

export type Trouble = keyof typeof TROUBLES;

export interface AttentionOptions {
  /** The stack's name. */
  readonly stack: string;
  readonly now: () => number;
  readonly log: Log;
  /** Takes the lines of metrics. */
  readonly write: (line: string) => void;
  readonly notes: AttentionNotes;
}

export interface Attention {
  /** Returns whether it was announced: it was not yet, or that was a day ago. */
  announce(trouble: Trouble, fields: Readonly<Record<string, unknown>>): Promise<boolean>;
}

/** A trouble that lasts is announced again each day, and masks no other one meanwhile. */
export const REPEAT_MS = 86_400_000;

export function createAttention({ stack, now, log, write, notes }: AttentionOptions): Attention {
  return {
    async announce(trouble, fields) {
      if (!(await notes.claim(trouble, REPEAT_MS))) return false;
      write(metricLine(now(), { stack }, { Attention: 1 }));
      write(metricLine(now(), { stack, trouble }, { Attention: 1 }));
      log('warn', { trouble, message: TROUBLES[trouble], ...fields });
      return true;
    },
  };
}

/** A process looks at the notes this often, however often it meets the trouble. */
const LOOK_MS = 3_600_000;

/** Returns a function that announces what a newer version has written. It never throws. */
export function announceNewer(
  attention: Attention,
  { now, log }: Pick<AttentionOptions, 'now' | 'log'>,
): (cause: string) => void {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return (cause) => {
    if (now() - lookedAt < LOOK_MS) return;
    lookedAt = now();
    attention.announce('NewerFormat', { cause }).catch((error) => {
      lookedAt = Number.NEGATIVE_INFINITY;
      log('warn', { notAnnounced: 'NewerFormat', ...errorFields(error) });
    });
  };
}
