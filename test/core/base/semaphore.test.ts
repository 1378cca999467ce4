import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Release, Semaphore } from '../../../shared/core/base/semaphore.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A clock whose sleeps end when `pass` is called. */
function handClock() {
  const sleeping = new Set<() => void>();
  return {
    sleeping,
    pass() {
      for (const wake of [...sleeping]) wake();
    },
    clock: {
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          const wake = () => {
            sleeping.delete(wake);
            resolve();
          };
          sleeping.add(wake);
          signal?.addEventListener('abort', wake);
        }),
    },
  };
}

describe('a semaphore', () => {
  test('admits in the order of the calls, also those who want little', async () => {
    const semaphore = new Semaphore(3);
    const release = await semaphore.acquire(2);
    const admitted: number[] = [];
    for (const weight of [2, 1]) void semaphore.acquire(weight).then(() => admitted.push(weight));
    await settled();
    expect([semaphore.taken, semaphore.waiting, admitted]).toEqual([2, 2, []]);
    expect(semaphore.tryAcquire()).toBeUndefined();
    release?.();
    await settled();
    expect([semaphore.taken, semaphore.waiting, admitted]).toEqual([3, 0, [2, 1]]);
  });

  test('admits alone what weighs more than all', async () => {
    const semaphore = new Semaphore(3);
    const release = await semaphore.acquire(10);
    expect(semaphore.tryAcquire()).toBeUndefined();
    release?.();
    expect(semaphore.tryAcquire()).toBeTypeOf('function');
  });

  test('takes a release once', async () => {
    const semaphore = new Semaphore(2);
    const [first] = [semaphore.tryAcquire(), semaphore.tryAcquire()];
    first?.();
    first?.();
    expect(semaphore.taken).toBe(1);
  });

  test('lets each caller bring a capacity of its own', async () => {
    const semaphore = new Semaphore(1);
    expect(semaphore.tryAcquire(1, 2)).toBeDefined();
    expect(semaphore.tryAcquire()).toBeUndefined();
    expect(semaphore.tryAcquire(1, 2)).toBeDefined();
  });

  test('ends a wait by its signal or its deadline, and holds up no other', async () => {
    const { clock, pass, sleeping } = handClock();
    const semaphore = new Semaphore(2);
    const release = await semaphore.acquire(1);
    const aborting = new AbortController();
    const aborted = semaphore.acquire(2, { signal: aborting.signal });
    const late = semaphore.acquire(2, { deadline: { clock, ms: 5 } });
    const third = semaphore.acquire(1);
    aborting.abort();
    expect(await aborted).toBeUndefined();
    pass();
    expect(await late).toBeUndefined();
    expect(await third).toBeTypeOf('function');
    expect(await semaphore.acquire(2, { deadline: { clock, ms: 0 } })).toBeUndefined();
    expect(await semaphore.acquire(1, { signal: aborting.signal })).toBeUndefined();
    release?.();
    expect([semaphore.taken, semaphore.waiting, sleeping.size]).toEqual([1, 0, 0]);
  });

  test('leaves neither a timer nor a listener behind when it admits', async () => {
    const { clock, sleeping } = handClock();
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire();
    const stopping = new AbortController();
    const next = semaphore.acquire(1, { signal: stopping.signal, deadline: { clock, ms: 5 } });
    release?.();
    const last = await next;
    stopping.abort();
    expect([semaphore.taken, sleeping.size]).toEqual([1, 0]);
    last?.();
    expect(semaphore.taken).toBe(0);
  });
});

type Step = readonly ['acquire' | 'release' | 'abort', number];

test('whatever is acquired, released and given up: in order, within the capacity, and none waits in vain', async () => {
  const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom('acquire', 'release', 'abort'), fc.nat(9));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(step, { maxLength: 40 }),
      async (most, steps) => {
        const semaphore = new Semaphore(most);
        /** A model of the semaphore: a line, and the admitted callers. */
        const line: { readonly id: number; readonly weight: number; readonly stop: AbortController }[] = [];
        const held: { readonly weight: number; readonly release: Release }[] = [];
        const admitted: number[] = [];
        const expected: number[] = [];
        const taken = () => held.reduce((sum, { weight }) => sum + weight, 0);
        for (const [i, [what, n]] of steps.entries()) {
          if (what === 'acquire') {
            const one = { id: i, weight: (n % 6) + 1, stop: new AbortController() };
            line.push(one);
            void semaphore.acquire(one.weight, { signal: one.stop.signal }).then((release) => {
              if (!release) return;
              admitted.push(one.id);
              held.push({ weight: one.weight, release });
            });
          } else if (what === 'release') held.splice(n % (held.length || 1), 1)[0]?.release();
          else line.splice(n % (line.length || 1), 1)[0]?.stop.abort();
          await settled();
          while (admitted.length > expected.length) expected.push(line.shift()!.id);
          expect(admitted).toEqual(expected);
          expect([semaphore.taken, semaphore.waiting]).toEqual([taken(), line.length]);
          expect(taken() <= most || held.length === 1).toBe(true);
          if (line[0]) expect(held.length > 0 && taken() + line[0].weight > most).toBe(true);
        }
      },
    ),
    { numRuns: 60 },
  );
});
