/** Events on their way to a listener that may be slower than the crawl. */
import type { CrawlEvent } from './crawl-events.ts';

export interface EventQueue extends AsyncIterableIterator<CrawlEvent, void, undefined> {
  /** `chars`: how large the event is, if it may be large. */
  push(event: CrawlEvent, chars?: number): void;
  /** No more events come. With an error, the iteration throws it after the events that wait. */
  end(error?: unknown): void;
}

export interface EventQueueOptions {
  /** Events that wait at most. */
  readonly maxQueued: number;
  /** Called when the listener has stopped listening. */
  readonly onReturn: () => void;
}

/** Few come, and the listener must have them. */
const KEPT: ReadonlySet<CrawlEvent['type']> = new Set(['limit', 'finished']);

/** Items may be large: this many characters of them wait at most. */
const MAX_CHARS = 64 * 1024 * 1024;

/**
 * Keeps up to `maxQueued` events. The crawl does not wait for a slower listener, since it holds hosts
 * meanwhile: events beyond that number are left out and counted, and a `dropped` event replaces them.
 */
export function createEventQueue({ maxQueued, onReturn }: EventQueueOptions): EventQueue {
  const queue: { readonly event: CrawlEvent; readonly chars: number }[] = [];
  let queuedChars = 0;
  let dropped = 0;
  let ending: { readonly error?: unknown } | undefined;
  let changed = Promise.withResolvers<void>();

  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function add(event: CrawlEvent, chars: number): void {
    queuedChars += chars;
    queue.push({ event, chars });
  }

  function addDropped(): void {
    if (dropped > 0) add({ type: 'dropped', count: dropped }, 0);
    dropped = 0;
  }

  return {
    push(event, chars = 0) {
      if (ending) return;
      const hasRoom = queue.length < maxQueued && (queue.length === 0 || queuedChars + chars <= MAX_CHARS);
      if (hasRoom || KEPT.has(event.type)) {
        addDropped();
        add(event, chars);
      } else dropped++;
      wake();
    },

    end(error) {
      ending ??= { error };
      wake();
    },

    async next() {
      for (;;) {
        if (queue.length === 0) addDropped();
        const first = queue.shift();
        if (first !== undefined) {
          queuedChars -= first.chars;
          return { done: false, value: first.event };
        }
        if (ending) {
          const { error } = ending;
          ending = {};
          if (error !== undefined) throw error;
          return { done: true, value: undefined };
        }
        await changed.promise;
      }
    },

    async return() {
      ending = {};
      queue.length = 0;
      dropped = 0;
      wake();
      onReturn();
      return { done: true, value: undefined };
    },

    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
