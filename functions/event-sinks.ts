/** The receivers of events: EventBridge, and the webhook of the project. */
import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge';
import { parseConfig } from '../shared/core/crawl/config.ts';
import { createFetcher } from '../shared/crawler/fetcher/fetcher.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { withRetry } from '../shared/engines/aws/retry.ts';
import { eventSource } from '../shared/services/webhook/event-types.ts';
import { createWebhook, type WebhookEvent, type WebhookTarget } from '../shared/services/webhook/webhook.ts';
import { type EventSink, TimeIsUp } from './announcer.ts';

/** Entries of one call (EventBridge API reference, PutEvents). */
const MAX_ENTRIES = 10;
/** All entries of a call may have 256 KB (the same). */
const MAX_CALL_BYTES = 200_000;
const WEBHOOK_TIMEOUT_MS = 10_000;
/** The ids of the last events that were received: a crawl that ends has 101. */
const MAX_RECEIVED = 300;

export interface EventBusOptions {
  readonly client: Pick<EventBridgeClient, 'send'>;
  readonly clock: Clock;
  /** The stack's name, for rules that match it. */
  readonly stack: string;
}

/**
 * The default event bus of the account. What it refuses for its rate is sent again, without the events that it has taken: those are
 * not sent again by this process.
 */
export function eventBus({ client, clock, stack }: EventBusOptions): EventSink {
  const received = receivedIds();
  const entryOf = (event: WebhookEvent) => ({
    id: event.id,
    Source: eventSource(stack),
    DetailType: event.type,
    Detail: JSON.stringify({ ...event, stack }),
    Time: new Date(event.time),
  });

  /** Resolves when all entries are received. */
  async function put(entries: readonly ReturnType<typeof entryOf>[], signal: AbortSignal): Promise<void> {
    let left = entries;
    const putLeft = async () => {
      const command = new PutEventsCommand({ Entries: left.map(({ id: _, ...entry }) => entry) });
      const { FailedEntryCount = 0, Entries: answers = [] } = await client.send(command, {
        abortSignal: signal,
      });
      // Answers are in the order of the entries.
      const isRefused = (i: number) => FailedEntryCount > 0 && answers[i]?.ErrorCode !== undefined;
      for (const [i, { id }] of left.entries()) if (!isRefused(i)) received.add(id);
      const fault = answers.find((_, i) => isRefused(i));
      left = left.filter((_, i) => isRefused(i));
      if (fault) throw new EntryRefused(fault);
    };
    await withRetry('EventBridge', putLeft, { clock, signal });
  }

  return {
    send(events, until) {
      const left = events.filter(({ id }) => !received.has(id));
      return endingAt({ clock, until }, async (signal) => {
        const isOver = () => signal.aborted || clock.now() >= until;
        const sent = () => left.filter(({ id }) => received.has(id)).length;
        try {
          for (const group of calls(left.map(entryOf))) {
            if (isOver()) throw new Error('EventBridge: no time was left');
            await put(group, signal);
          }
          return undefined;
        } catch (error) {
          if (isOver() && sent() > 0) throw timeIsUp('EventBridge', sent(), left.length);
          if (isOver()) return 'EventBridge: no time was left';
          if (error instanceof EntryRefused) return error.message;
          throw error;
        }
      });
    },
  };
}

/** Thrown for an event that was refused though the call was not. */
class EntryRefused extends Error {
  constructor({ ErrorCode = '', ErrorMessage = '' }: PutEventsResultEntry) {
    super(`EventBridge: ${ErrorCode}: ${ErrorMessage}`);
    // By which it is known whether to try again.
    this.name = ErrorCode;
  }
}

const timeIsUp = (receiver: string, sent: number, events: number): TimeIsUp =>
  new TimeIsUp(`${receiver}: ${sent} of ${events} events were received when time was up`);

/** The ids of the last events that a receiver has taken. */
function receivedIds() {
  const ids = new Set<string>();
  return {
    has: (id: string) => ids.has(id),
    add(id: string) {
      ids.add(id);
      if (ids.size > MAX_RECEIVED) ids.delete([...ids][0] as string);
    },
  };
}

/** Puts entries together for one call each. */
function calls<Entry extends { readonly Detail: string }>(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.Detail);
    const group = groups.at(-1);
    if (group && group.length < MAX_ENTRIES && bytes + size <= MAX_CALL_BYTES) {
      group.push(entry);
      bytes += size;
    } else {
      groups.push([entry]);
      bytes = size;
    }
  }
  return groups;
}

export interface WebhookSinkOptions {
  readonly target: WebhookTarget;
  readonly clock: Clock;
  readonly tempFolder: string;
  /** CIDR blocks of special addresses where the webhook may be. */
  readonly allowPrivateAddresses: readonly string[];
}

/**
 * A URL of the operator. After an event that was not received, no further one is sent. A received event is not sent
 * again by this process.
 */
export function webhookSink({
  target,
  clock,
  tempFolder,
  allowPrivateAddresses,
}: WebhookSinkOptions): EventSink {
  const fetcher = createFetcher({
    ...parseConfig({ allowPrivateAddresses }),
    totalTimeoutMs: WEBHOOK_TIMEOUT_MS,
    tempFolder,
    clock,
    maxSockets: 1,
  });
  const webhook = createWebhook({ target, fetcher, clock });
  const received = receivedIds();
  return {
    send(events, until) {
      const left = events.filter(({ id }) => !received.has(id));
      const isOver = ({ aborted }: AbortSignal) => aborted || clock.now() >= until;
      return endingAt({ clock, until }, async (signal) => {
        for (const [sent, event] of left.entries()) {
          const fault = isOver(signal) ? 'no time was left' : await webhook.send(event, signal);
          if (fault !== undefined && isOver(signal) && sent > 0) throw timeIsUp('webhook', sent, left.length);
          if (fault !== undefined) return `webhook: ${event.type}: ${fault}`;
          received.add(event.id);
        }
        return undefined;
      });
    },
  };
}

/** Does work whose signal aborts at that time. */
async function endingAt<T>(
  { clock, until }: { readonly clock: Clock; readonly until: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const done = new AbortController();
  void clock.sleep(until - clock.now(), done.signal).then(() => over.abort());
  try {
    return await work(over.signal);
  } finally {
    done.abort();
  }
}

/** Sends to all of them, even if one fails. */
export const allSinks = (sinks: readonly EventSink[]): EventSink => ({
  async send(events, until) {
    const faults = await Promise.all(
      sinks.map((sink) =>
        sink.send(events, until).catch((error: Error) => (error instanceof TimeIsUp ? error : error.message)),
      ),
    );
    const found = faults.filter((fault) => typeof fault === 'string');
    if (found.length > 0) return found.join('; ');
    const late = faults.find((fault) => fault !== undefined);
    if (late) throw late;
    return undefined;
  },
});
