/** Who listens to a crawl of this machine. */
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { CrawlEvent } from '../crawl-events.ts';
import { createEventQueue, type EventQueue } from '../event-queue.ts';
import type { EventOptions } from '../running-crawl.ts';
import type { CrawlMessage } from './messages.ts';

export interface Listeners {
  add(options?: EventOptions): EventQueue;
  onMessage(message: CrawlMessage): void;
  finish(summary: CrawlSummary): void;
  fail(error: unknown): void;
}

const MAX_QUEUED = 10_000;
const MAX_EARLY = 100;

export function createListeners(): Listeners {
  const queues = new Set<EventQueue>();
  /** Warnings from before the crawl had begun, when nobody could listen. */
  const early: CrawlEvent[] = [];
  let hasBegun = false;
  /** Ends a queue that is added after the end of the crawl. */
  let end: ((queue: EventQueue) => void) | undefined;

  function endAll(how: (queue: EventQueue) => void): void {
    end = how;
    queues.forEach(how);
  }

  return {
    add({ maxQueued = MAX_QUEUED } = {}) {
      if (!(maxQueued >= 1)) throw new RangeError(`Expected maxQueued to be at least 1, got ${maxQueued}`);
      const queue: EventQueue = createEventQueue({ maxQueued, onReturn: () => void queues.delete(queue) });
      for (const event of early) queue.push(event);
      queues.add(queue);
      end?.(queue);
      return queue;
    },

    onMessage(message) {
      if (message.kind === 'begun') hasBegun = true;
      if (hasBegun && queues.size === 0) return;
      const event = eventOf(message);
      if (event && !hasBegun && early.length < MAX_EARLY) early.push(event);
      const chars = message.kind === 'event' && message.event.type === 'item' ? message.event.line.length : 0;
      if (event) for (const queue of queues) queue.push(event, chars);
    },

    finish(summary) {
      const { state, reason = '' } = summary;
      endAll((queue) => {
        if (state === 'limited') queue.push({ type: 'limit', reason });
        queue.push({ type: 'finished', summary });
        queue.end();
      });
    },

    fail: (error) => endAll((queue) => queue.end(error)),
  };
}

function eventOf(message: CrawlMessage): CrawlEvent | undefined {
  switch (message.kind) {
    case 'event': {
      const { event } = message;
      if (event.type !== 'item') return event;
      return { type: 'item', url: event.url, item: JSON.parse(event.line) };
    }
    case 'site':
      return { type: 'site', visit: message.visit };
    case 'warning':
      return { type: 'warning', message: message.line };
    case 'retried':
      return {
        type: 'warning',
        message: message.where === undefined ? message.cause : `${message.where}: ${message.cause}`,
      };
    case 'clockStep':
      return { type: 'warning', message: `The machine's clock was set by ${message.ms} ms` };
    default:
      return undefined;
  }
}
