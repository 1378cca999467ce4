import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Abortable, unwatchAbort, watchAbort } from '../../../shared/crawler/fetcher/abort-watch.ts';

function abortable(): Abortable & { calls: number } {
  return {
    abortPlace: -1,
    calls: 0,
    onAbort() {
      this.calls++;
    },
  };
}

test('only those that still watch are called, once', () => {
  const steps = fc.array(fc.record({ who: fc.nat(9), isComing: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const abort = new AbortController();
      const those = Array.from({ length: 10 }, abortable);
      const here = new Set<(typeof those)[number]>();
      for (const { who, isComing } of all) {
        const one = those[who]!;
        if (isComing && !here.has(one)) watchAbort(abort.signal, one);
        else if (!isComing) unwatchAbort(abort.signal, one);
        if (isComing) here.add(one);
        else here.delete(one);
      }
      abort.abort();
      expect(those.map(({ calls }) => calls)).toEqual(those.map((one) => (here.has(one) ? 1 : 0)));
    }),
  );
});

test('a listener that another one removes during the call is not called', () => {
  const abort = new AbortController();
  const called: string[] = [];
  const those: Abortable[] = ['a', 'b'].map((name, i) => ({
    abortPlace: -1,
    onAbort() {
      called.push(name);
      unwatchAbort(abort.signal, those[1 - i]!);
    },
  }));
  for (const one of those) watchAbort(abort.signal, one);
  abort.abort();
  expect(called).toHaveLength(1);
});

test('signals know nothing of each other', () => {
  const one = new AbortController();
  const other = new AbortController();
  const watcher = abortable();
  watchAbort(one.signal, watcher);
  watchAbort(other.signal, abortable());
  other.abort();
  expect(watcher.calls).toBe(0);
  unwatchAbort(one.signal, watcher);
  one.abort();
  expect(watcher.calls).toBe(0);
});
