/**
 * The dependencies of a function: made at its first invocation, never at import, and kept for the next ones.
 */

import { parseStackSettings, type StackSettings } from '../shared/engines/aws/settings.ts';
import { type OpenedStack, openStack } from '../shared/engines/aws/stack.ts';
import { type AttentionNotes, createAttentionNotes } from '../shared/engines/aws/state/attention-notes.ts';
import type { StartSmall } from '../shared/engines/aws/workers/worker-pool.ts';
import { steadyClock } from '../shared/engines/steady-clock.ts';
import { lazy } from '../shared/lazy.ts';
import { allowLinearFlag, matchInLinearTime } from '../shared/linear-regexps.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { type Attention, announceNewer, createAttention } from './attention.ts';
import { type Log, logLine, writeLine } from './log.ts';
import { createNewerLog, createUnreadHandlers, type ReportNewer } from './unread-messages.ts';

export interface FunctionStack {
  readonly settings: StackSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly reportNewer: ReportNewer;
  /** Announces troubles by the tables of this stack. */
  readonly attentionOf: (stack: OpenedStack) => Attention & { readonly notes: AttentionNotes };
  /** Announces a trouble by the stack that is open. If none is, it is opened. */
  readonly announce: Attention['announce'];
  /**
   * The same one as the last time, for the same queue; for another one, that is closed: its connections
   * count. `startSmall`: starts small workers; by default it starts none.
   */
  open(turnQueueUrl?: string, startSmall?: StartSmall): OpenedStack;
}

export const functionStack = lazy((): FunctionStack => {
  allowLinearFlag();
  matchInLinearTime();
  const settings = parseStackSettings(process.env.STRAND_SETTINGS);
  const clock = steadyClock;
  const now = () => clock.now();
  const attentionOf = ({ clients: { dynamo } }: OpenedStack) => {
    const notes = createAttentionNotes({ dynamo, clock, table: settings.crawlState });
    return {
      notes,
      ...createAttention({ stack: settings.stack, now, log: logLine, write: writeLine, notes }),
    };
  };
  // The function that reports something has opened the stack.
  const announceByCurrent: Attention['announce'] = async (...trouble) =>
    current ? attentionOf(current.stack).announce(...trouble) : false;
  const announce = announceNewer({ announce: announceByCurrent }, { now, log: logLine });
  const reportNewer = createNewerLog({ log: logLine, announce });
  let current: { readonly turnQueueUrl?: string; readonly stack: OpenedStack } | undefined;
  const functions: FunctionStack = {
    settings,
    clock,
    log: logLine,
    reportNewer,
    attentionOf,
    announce: async (...trouble) => attentionOf(current?.stack ?? functions.open()).announce(...trouble),
    open(turnQueueUrl, startSmall) {
      if (current && current.turnQueueUrl === turnQueueUrl) return current.stack;
      current?.stack.close();
      const stack: OpenedStack = openStack(settings, {
        clock,
        ...createUnreadHandlers({
          log: logLine,
          reportNewer,
          deadLetters: () =>
            settings.turnDeadLetterUrl === undefined
              ? undefined
              : { client: stack.clients.sqs, queueUrl: settings.turnDeadLetterUrl, clock },
        }),
        turnQueueUrl,
        startSmall,
        memoryMb: Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? settings.workerMemoryMb),
        warn: (message) => logLine('warn', { message }),
      });
      current = { turnQueueUrl, stack };
      return stack;
    },
  };
  return functions;
});

/** The first invocation pays for the start before it, which Lambda ends after 10 s. */
const MAX_START_MS = 10_000;
let hasPaidForStart = false;

/**
 * Does an invocation's work, metered from its beginning to its end; what the meter has gathered is stored.
 * The calls by kind are a line of the log: `stats sum(calls.dynamo.PutItem)` in CloudWatch Logs Insights.
 */
export async function invoked<T>(
  { meter, flushMeter }: Pick<OpenedStack, 'meter' | 'flushMeter'>,
  {
    clock,
    log,
    isAtRest = () => false,
  }: {
    readonly clock: Pick<Clock, 'now' | 'follow'>;
    readonly log: Log;
    /** Whether the invocation found nothing to do. Then there is no line. */
    readonly isAtRest?: () => boolean;
  },
  work: () => Promise<T>,
): Promise<T> {
  clock.follow?.();
  const now = clock.now();
  const start = Math.max(performance.timeOrigin, now - MAX_START_MS);
  meter.beginInvocation(hasPaidForStart ? now : Math.min(start, now));
  hasPaidForStart = true;
  try {
    return await work();
  } finally {
    meter.endInvocation();
    await flushMeter();
    const calls = meter.takeCalls();
    if (Object.keys(calls).length > 0 && !isAtRest()) log('info', { calls });
  }
}
