import type { Receives } from '../turn/services.ts';

/** Deliveries that are remembered; the oldest are forgotten. Some hundred bytes each. */
const MAX_REMEMBERED = 10_000;

export function createReceives(maxRemembered = MAX_REMEMBERED): Receives {
  /** By delivery, the last received last. */
  const counts = new Map<string, number>();
  return {
    note({ deliveries }) {
      for (const { id } of deliveries) {
        const count = (counts.get(id) ?? 0) + 1;
        counts.delete(id);
        counts.set(id, count);
      }
      for (const id of counts.keys()) {
        if (counts.size <= maxRemembered) break;
        counts.delete(id);
      }
    },
    forget({ deliveries }) {
      for (const { id } of deliveries) counts.delete(id);
    },
    of: (id) => counts.get(id) ?? 0,
  };
}
