/**
 * The dependencies of a function: made at its first invocation, never at import, and kept for the next ones.
 */

import type { Context } from 'aws-lambda';
import { lazy } from '../shared/core/base/lazy.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { parseStackSettings, type StackSettings } from '../shared/engines/aws/settings.ts';
import { type OpenedStack, type OpenStackOptions, openStack } from '../shared/engines/aws/stack.ts';
import { type AttentionNotes, createAttentionNotes } from '../shared/engines/aws/state/attention-notes.ts';
import { allowLinearFlag, matchInLinearTime } from '../shared/engines/linear-regexps.ts';
import { steadyClock } from '../shared/engines/steady-clock.ts';
import { type Attention, announceNewer, createAttention } from './attention.ts';
import { type Log, logLine, writeLine } from './log.ts';
import { createNewerLog, createUnreadHandlers, type ReportNewer } from './unread-messages.ts';

export interface FunctionStack {
  readonly settings: StackSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes the lines of metrics. */
  readonly write: (line: string) => void;
  readonly reportNewer: ReportNewer;
  /** Announces troubles by the tables of this stack. */
  readonly attentionOf: (stack: OpenedStack) => Attention & { readonly notes: AttentionNotes };
  /** Announces a trouble by the stack that is open. If none is, it is opened. */
  readonly announce: Attention['announce'];
  /**
   * Reuses the last worker for an equal queue; for another queue it closes the last one, whose connections count.
   */
  open(turnQueueUrl?: string, given?: Pick<OpenStackOptions, 'startSmall' | 'keepsCookies'>): OpenedStack;
}

/** The surroundings of a process. */
export interface FunctionParts
  extends Pick<OpenStackOptions, 'clients' | 'sizes'>,
    Pick<FunctionStack, 'settings' | 'clock' | 'log' | 'write'> {
  /** Memory of the function in MB. Default: the setting of the workers. */
  readonly memoryMb?: number;
}

/** The dependencies of the function that this process is. Throws if the settings are not valid. */
export const functionStack = lazy(() => functionStackIn(process.env));

/** As above, for a process with that environment. */
export function functionStackIn(env: Readonly<Record<string, string | undefined>>): FunctionStack {
  allowLinearFlag();
  matchInLinearTime();
  const { STRAND_SETTINGS, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memoryMb } = env;
  return createFunctionStack({
    settings: parseStackSettings(STRAND_SETTINGS),
    clock: steadyClock,
    log: logLine,
    write: writeLine,
    ...(memoryMb !== undefined && { memoryMb: Number(memoryMb) }),
  });
}

/** Opens nothing yet. */
export function createFunctionStack(parts: FunctionParts): FunctionStack {
  const { settings, clock, log, write, memoryMb = settings.workerMemoryMb, ...given } = parts;
  const now = () => clock.now();
  const attentionOf = ({ clients: { dynamo } }: OpenedStack) => {
    const notes = createAttentionNotes({ dynamo, clock, table: settings.crawlState });
    return {
      notes,
      ...createAttention({ stack: settings.stack, now, log, write, notes }),
    };
  };
  // The function that reports something has opened the stack.
  const announceByCurrent: Attention['announce'] = async (...trouble) =>
    current ? attentionOf(current.stack).announce(...trouble) : false;
  const announce = announceNewer({ announce: announceByCurrent }, { now, log });
  const reportNewer = createNewerLog({ log, announce });
  let current: { readonly turnQueueUrl?: string; readonly stack: OpenedStack } | undefined;
  const functions: FunctionStack = {
    settings,
    clock,
    log,
    write,
    reportNewer,
    attentionOf,
    announce: async (...trouble) => attentionOf(current?.stack ?? functions.open()).announce(...trouble),
    open(turnQueueUrl, more) {
      if (current && current.turnQueueUrl === turnQueueUrl) return current.stack;
      current?.stack.close();
      const stack: OpenedStack = openStack(settings, {
        ...given,
        ...more,
        clock,
        ...createUnreadHandlers({
          log,
          reportNewer,
          deadLetters: () => ({ client: stack.clients.sqs, queueUrl: settings.turnDeadLetterUrl, clock }),
        }),
        turnQueueUrl,
        memoryMb,
        warn: (message) => log('warn', { message }),
      });
      current = { turnQueueUrl, stack };
      return stack;
    },
  };
  return functions;
}

/** The first invocation pays for the start before it, which Lambda ends after 10 s. */
const MAX_START_MS = 10_000;

/**
 * Returns a function that is called with the time at which each invocation of a process begins, and returns from when on
 * it is paid for. `startedAt`: when the process was started.
 */
export function payOnceFrom(startedAt: number): (now: number) => number {
  let isPaid = false;
  return (now) => {
    if (isPaid) return now;
    isPaid = true;
    return Math.min(now, Math.max(startedAt, now - MAX_START_MS));
  };
}

/** For the calls of a flush that are in progress when its time is up. */
const FLUSH_END_MS = 2000;

const paidFrom = payOnceFrom(performance.timeOrigin);

/**
 * Does an invocation's work, metered from its beginning to its end; what the meter has gathered is stored.
 * The calls by kind are a line of the log: `stats sum(calls.dynamo.PutItem)` in CloudWatch Logs Insights.
 */
export async function invoked<T>(
  { meter, flushMeter }: Pick<OpenedStack, 'meter' | 'flushMeter'>,
  {
    clock,
    log,
    context,
    isAtRest = () => false,
  }: {
    readonly clock: Pick<Clock, 'now' | 'follow'>;
    readonly log: Log;
    /** The invocation, which ends the process when its time is up. Default: there is time. */
    readonly context?: Pick<Context, 'getRemainingTimeInMillis'> | undefined;
    /** Whether the invocation found nothing to do. Then no line is written. */
    readonly isAtRest?: () => boolean;
  },
  work: () => Promise<T>,
): Promise<T> {
  clock.follow?.();
  meter.beginInvocation(paidFrom(clock.now()));
  try {
    return await work();
  } finally {
    meter.endInvocation();
    await flushMeter(context && clock.now() + context.getRemainingTimeInMillis() - FLUSH_END_MS);
    const calls = meter.takeCalls();
    if (Object.keys(calls).length > 0 && !isAtRest()) log('info', { calls });
  }
}
