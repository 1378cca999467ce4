import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ENTRY_BYTES, PayloadTable } from '../../../../shared/engines/aws/earlier/payload-table.ts';

const sha1Of = (text: string): Uint8Array => hash('sha1', text, 'buffer');
const place = (n: number) => ({ file: `f-${n % 7}.warc.gz`, offset: n * 5_000_000_000, length: n });

test('it knows what was added, the first of each digest, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 400 }), (numbers) => {
      const table = new PayloadTable(numbers.length);
      const model = new Map<number, number>();
      for (const [at, n] of numbers.entries()) {
        expect(table.add(sha1Of(`${n}`), place(at))).toBe(true);
        if (!model.has(n)) model.set(n, at);
      }
      for (let n = 0; n <= 310; n++) {
        const at = model.get(n);
        expect(table.find(sha1Of(`${n}`))).toEqual(at === undefined ? undefined : place(at));
      }
    }),
    { numRuns: 30 },
  );
});

test('it takes no more than it was made for, and then still finds what it has', () => {
  const table = new PayloadTable(2);
  for (const n of [1, 2]) expect(table.add(sha1Of(`${n}`), place(n))).toBe(true);
  expect(table.add(sha1Of('3'), place(3))).toBe(false);
  expect(table.add(sha1Of('2'), place(9))).toBe(true);
  expect([1, 2, 3].map((n) => table.find(sha1Of(`${n}`)))).toEqual([place(1), place(2), undefined]);
  const empty = new PayloadTable(0);
  expect([empty.add(sha1Of('1'), place(1)), empty.find(sha1Of('1'))]).toEqual([false, undefined]);
});

test('a full table finds in a few steps that it does not have a payload', () => {
  const read = vi.spyOn(DataView.prototype, 'getUint32');
  // One less than a power of two, and one more.
  for (const size of [1023, 1025]) {
    const table = new PayloadTable(size);
    for (let n = 0; n < size; n++) table.add(sha1Of(`${n}`), place(n));
    read.mockClear();
    for (let n = 0; n < 1000; n++) expect(table.find(sha1Of(`other ${n}`))).toBeUndefined();
    // One to find the slot, and one for each slot that is taken: at most 1.5 on the mean if half of them are (Knuth, volume 3, 6.4).
    expect(read.mock.calls.length / 1000).toBeLessThan(4);
  }
  read.mockRestore();
});

test('digests that begin alike are kept apart, and may lie within a larger buffer', () => {
  const table = new PayloadTable(10);
  const digests = [0, 1, 2].map((last) => {
    const buffer = new Uint8Array(40).fill(5);
    buffer[20 + 7] = last;
    return buffer.subarray(20);
  });
  for (const [n, sha1] of digests.entries()) table.add(sha1, place(n));
  expect(digests.map((sha1) => table.find(sha1))).toEqual([0, 1, 2].map(place));
});

test('a million payloads take the memory that is reckoned with', () => {
  const before = process.memoryUsage().arrayBuffers;
  const table = new PayloadTable(1_000_000);
  const bytes = process.memoryUsage().arrayBuffers - before;
  expect(bytes / 1_000_000).toBeLessThan(ENTRY_BYTES);
  expect(table.find(sha1Of('1'))).toBeUndefined();
});
