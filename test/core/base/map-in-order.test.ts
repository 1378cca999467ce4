import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapInOrder } from '../../../shared/core/base/map-in-order.ts';

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

const after = (turns: number): Promise<void> =>
  turns === 0 ? Promise.resolve() : Promise.resolve().then(() => after(turns - 1));

test('keeps the order, and the limits of count and size', async () => {
  const work = fc.array(fc.record({ turns: fc.nat(9), size: fc.nat(9) }));
  await fc.assert(
    fc.asyncProperty(work, fc.integer({ min: 1, max: 5 }), fc.nat(20), async (values, count, size) => {
      const running = new Set<object>();
      const task = async (value: (typeof values)[number]) => {
        running.add(value);
        expect(running.size).toBeLessThanOrEqual(count);
        const sum = [...running].reduce((all, one) => all + (one as typeof value).size, 0);
        if (running.size > 1) expect(sum).toBeLessThanOrEqual(size);
        await after(value.turns);
        running.delete(value);
        return value;
      };
      const made: unknown[] = [];
      for await (const one of mapInOrder(each(values), { count, size }, task, (value) => value.size))
        made.push(one);
      expect(made).toEqual(values);
    }),
  );
});

test('works on several at a time', async () => {
  let running = 0;
  let most = 0;
  const task = async (n: number) => {
    most = Math.max(most, ++running);
    await after(50);
    running--;
    return n;
  };
  for await (const _ of mapInOrder(each([1, 2, 3, 4, 5, 6, 7]), { count: 3 }, task));
  expect(most).toBe(3);
});

test('throws the error of a task in its turn, when those that have begun are over', async () => {
  let over = 0;
  const task = async (n: number) => {
    await after(n === 3 ? 20 : 1);
    over++;
    if (n === 2) throw new Error('two');
    return n;
  };
  const made: number[] = [];
  const all = async () => {
    for await (const n of mapInOrder(each([1, 2, 3, 4]), { count: 3 }, task)) made.push(n);
  };
  await expect(all()).rejects.toThrow('two');
  expect(made).toEqual([1]);
  expect(over).toBeGreaterThanOrEqual(3);
});
