import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RefetchQueue } from '../../../shared/core/frontier/refetch-queue.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';

test('gives the records back by their time, each as it is now, and none whose time has changed', () => {
  const step = fc.record({ url: fc.integer({ min: 0, max: 9 }), dueAt: fc.integer({ min: 0, max: 30 }) });
  const steps = fc.array(fc.oneof(step, fc.constant('take' as const), fc.integer({ min: 0, max: 9 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const known = new Map<string, UrlRecord>();
      const room = new RefetchQueue((url) => known.get(url));
      const first = () => Math.min(...[...known.values()].map(({ dueAt }) => dueAt));
      for (const one of all) {
        // A record that was taken, or forgotten.
        if (typeof one === 'number') known.delete(String(one));
        else if (one === 'take') {
          expect(room.dueAt()).toBe(known.size === 0 ? undefined : first());
          if (known.size === 0) continue;
          const taken = room.take();
          expect(taken.dueAt).toBe(first());
          expect(known.get(taken.url)).toBe(taken);
          known.delete(taken.url);
        } else {
          const record = { url: String(one.url), dueAt: one.dueAt } as UrlRecord;
          known.set(record.url, record);
          room.add(record);
        }
      }
      const left = [...known.values()].map(({ dueAt }) => dueAt).sort((a, b) => a - b);
      for (const dueAt of left) {
        expect(room.dueAt()).toBe(dueAt);
        known.delete(room.take().url);
      }
      expect(room.dueAt()).toBeUndefined();
      expect(() => room.take()).toThrow('take() without dueAt()');
    }),
    { numRuns: 300 },
  );
});
