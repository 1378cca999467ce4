import { expect, test } from 'vitest';
import { boundMethods } from '../../../shared/crawler/ports/bound-methods.ts';

class Counter {
  #count = 0;

  add(n: number): number {
    this.#count += n;
    return this.#count;
  }

  async *upTo(end: number): AsyncGenerator<number> {
    while (this.#count < end) yield this.add(1);
  }
}

test('methods can be spread and passed on, and share their state', async () => {
  const counter = boundMethods(new Counter());
  const { add } = counter;
  const other = { ...counter, extra: true };
  expect(add(1)).toBe(1);
  expect(other.add(1)).toBe(2);
  const further: number[] = [];
  for await (const count of other.upTo(4)) further.push(count);
  expect(further).toEqual([3, 4]);
  expect(Object.keys(counter)).toEqual(['add', 'upTo']);
});
