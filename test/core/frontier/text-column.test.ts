import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteReader, ByteWriter, CorruptBytes } from '../../../shared/core/frontier/bytes.ts';
import { readTexts, textAt, writeTexts } from '../../../shared/core/frontier/text-column.ts';

function written(texts: readonly string[]): Uint8Array {
  const out = new ByteWriter(1);
  writeTexts(out, texts);
  return Uint8Array.from(out.bytes());
}

test('texts come back in their order, whatever they share with the one before', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 9 }), (texts) => {
      const input = new ByteReader(written(texts));
      expect(readTexts(input, texts.length)).toEqual(texts);
      expect(input.isAtEnd).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('a text takes the length of what it shares, that of the rest, and the rest', () => {
  expect([...written(['ab', 'abc', 'abc', 'b', ''])]).toEqual([
    ...[0, 2, 3, 0, 0],
    ...[2, 1, 0, 1, 0],
    ...Buffer.from('abcb'),
  ]);
  expect(written([])).toHaveLength(0);
});

test('texts that are longer together than allowed are refused', () => {
  const bytes = written(['aaaa', 'aaaa', 'aaaab']);
  expect(readTexts(new ByteReader(bytes), 3, 13)).toEqual(['aaaa', 'aaaa', 'aaaab']);
  expect(() => readTexts(new ByteReader(bytes), 3, 12)).toThrow(
    new CorruptBytes('texts of at most 12 characters expected'),
  );
  expect(readTexts(new ByteReader(bytes), 3)).toHaveLength(3);
});

test('a text of a table is found by its number, and -1 is none', () => {
  expect([-1, 0, 1].map((i) => textAt(['a', ''], i))).toEqual([undefined, 'a', '']);
  for (const i of [2, -2])
    expect(() => textAt(['a', ''], i)).toThrow(new CorruptBytes(`a text at ${i} expected, the table has 2`));
});
