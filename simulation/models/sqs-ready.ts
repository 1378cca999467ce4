/** A list of the messages that can be received, roughly in the order in which they became receivable. */
import type { Random } from './random.ts';

export interface ReadyList<T> {
  readonly length: number;
  push(item: T): void;
  /** Takes one out of the first `width`: by chance, but never the first of several where `isOther`. */
  take(width: number, isOther?: boolean): T | undefined;
}

export function createReadyList<T>(random: Random): ReadyList<T> {
  let items: (T | undefined)[] = [];
  /** Items before this index are taken. */
  let head = 0;

  return {
    get length() {
      return items.length - head;
    },
    push(item) {
      items.push(item);
    },
    take(width, isOther = false) {
      const choice = Math.min(width, items.length - head);
      if (choice <= 0) return undefined;
      const least = isOther && choice > 1 ? 1 : 0;
      const at = choice === 1 ? head : head + least + Math.floor(random() * (choice - least));
      const item = items[at];
      // The one passed over stays near the front.
      items[at] = items[head];
      items[head++] = undefined;
      if (head > 1000 && head > items.length / 2) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
  };
}
