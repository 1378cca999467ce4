/**
 * Which hidden message is visible next: a heap whose items know their place, so that any of them moves in
 * O(log n).
 */
import type { StoredMessage } from './sqs-message.ts';

export interface Schedule {
  /** The message that is visible first. */
  next(): StoredMessage | undefined;
  /** Takes the message in, or moves it, by its `visibleAt`. */
  put(message: StoredMessage): void;
  /** Takes the message out, if it is in. */
  remove(message: StoredMessage): void;
}

export function createSchedule(): Schedule {
  const heap: StoredMessage[] = [];

  function set(slot: number, message: StoredMessage): void {
    heap[slot] = message;
    message.slot = slot;
  }

  /** Puts the message where it belongs, from a free place on. */
  function place(message: StoredMessage, free: number): void {
    let slot = free;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      const above = heap[parent] as StoredMessage;
      if (!isBefore(message, above)) break;
      set(slot, above);
      slot = parent;
    }
    for (;;) {
      let child = 2 * slot + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as StoredMessage)) child++;
      const below = heap[child] as StoredMessage;
      if (!isBefore(below, message)) break;
      set(slot, below);
      slot = child;
    }
    set(slot, message);
  }

  return {
    next: () => heap[0],
    put(message) {
      if (message.slot < 0) heap.push(message);
      place(message, message.slot < 0 ? heap.length - 1 : message.slot);
    },
    remove(message) {
      const { slot } = message;
      if (slot < 0) return;
      message.slot = -1;
      const last = heap.pop() as StoredMessage;
      if (last !== message) place(last, slot);
    },
  };
}

const isBefore = (a: StoredMessage, b: StoredMessage): boolean =>
  a.visibleAt < b.visibleAt || (a.visibleAt === b.visibleAt && a.number < b.number);
