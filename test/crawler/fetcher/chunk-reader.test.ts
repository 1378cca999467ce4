import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChunkReader } from '../../../shared/crawler/fetcher/chunk-reader.ts';

const MAX_EXTRA_BYTES = 1000;

/** Gives the reader the bytes in pieces of these sizes, as long as it takes them. */
function readAll(bytes: Buffer, sizes: readonly number[], most = MAX_EXTRA_BYTES) {
  const reader = new ChunkReader(most);
  const out: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length && reader.fault === undefined; i++) {
    const size = sizes[i % sizes.length] as number;
    out.push(Buffer.from(reader.read(bytes.subarray(at, at + size))));
    at += size;
  }
  return { reader, text: Buffer.concat(out).toString('latin1') };
}
const read = (text: string, sizes: readonly number[] = [1e9], most = MAX_EXTRA_BYTES) => {
  const { reader, text: out } = readAll(Buffer.from(text, 'latin1'), sizes, most);
  const { isStrict, hasLastChunk, fault } = reader;
  return { out, isStrict, hasLastChunk, fault: fault?.message };
};

const SPLITS: readonly (readonly number[])[] = [[1e9], [1], [2], [3], [7]];

describe.each(SPLITS.map((sizes) => ({ sizes })))('in pieces of $sizes', ({ sizes }) => {
  test.each([
    ['two chunks', '3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n', undefined, true],
    ['what follows', '1\r\na\r\n0\r\n\r\nHTTP/1.1 5\n', undefined, true],
    ['a blank', '3 \r\nabc\r\n0\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n', false],
    ['other blanks', '3\t \r\r\nabc\r\n0 \r\n\r\n', '3\r\nabc\r\n0\r\n\r\n', false],
    ['LF', '3\nabc\n0\n\n', '3\r\nabc\r\n0\r\n\r\n', false],
    ['zeros', '0000000000000000003\r\nabc\r\n00\r\n\r\n', '3\r\nabc\r\n00\r\n\r\n', true],
    ['an extension', '3;a="b;c"\r\nabc\r\n0 ; d\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n', true],
    ['an odd extension', '3;\0\r\nabc\r\n0\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n', false],
    ['trailers', '1\r\na\r\n0\r\nX: b\r\nnonsense\r\n\r\n', '1\r\na\r\n0\r\n\r\n', true],
    ['trailers with LF', '1\r\na\r\n0\r\nX: b\n\r\n', '1\r\na\r\n0\r\n\r\n', false],
    ['data that looks like chunks', '9\r\n0\r\n\r\n3 \r\n\r\n0\r\n\r\n', undefined, true],
  ])('%s', (_name, text, expected, isStrict) => {
    expect(read(text, sizes)).toEqual({
      out: expected ?? text,
      isStrict,
      hasLastChunk: true,
      fault: undefined,
    });
  });

  test.each([
    ['no size', 'hello', '', 'expected the size of a chunk, got "h'],
    ['an empty line', '\r\n3\r\nabc\r\n', '', 'expected the size of a chunk, got "'],
    ['a blank before the size', ' 3\r\nabc\r\n', '', 'expected the size of a chunk, got " '],
    ['a prefix', '0x3\r\nabc\r\n', '', 'expected the size of a chunk, got "0x3'],
    ['a minus', '1\r\na\r\n-1\r\n', '1\r\na\r\n', 'expected the size of a chunk, got "-'],
    ['a word behind the size', '3 bytes\r\nabc\r\n', '', 'expected the size of a chunk, got "3 bytes'],
    ['a size of 2^56', '100000000000000\r\n', '', 'expected the size of a chunk, got "1000'],
    ['no line end behind data', '1\r\nab\r\n', '1\r\na', `expected the end of a chunk's line, got "b`],
    ['CR alone behind data', '1\r\na\rb\r\n', '1\r\na', `expected the end of a chunk's line, got ".b`],
  ])('a fault: %s', (_name, text, before, message) => {
    const { out, hasLastChunk, fault } = read(text, sizes);
    expect([out, hasLastChunk]).toEqual([before, false]);
    expect(fault).toContain(`the body's chunks cannot be read: ${message}`);
  });
});

test('a body that is well-formed is passed on without a copy', () => {
  const reader = new ChunkReader(MAX_EXTRA_BYTES);
  for (const text of ['5\r\nhel', 'lo\r\n', '3\r\nabc\r\n0\r\n\r\n']) {
    const bytes = Buffer.from(text);
    expect(reader.read(bytes)).toBe(bytes);
  }
});

test.each([
  ['a line of a size', '1;'.padEnd(20_000, 'x')],
  ['a line of a size, with its end', `${'1;'.padEnd(20_000, 'x')}\r\na\r\n`],
  ['zeros', '0'.repeat(20_000)],
  ['a line of a trailer', `0\r\n${'x'.repeat(20_000)}`],
  ['trailers', `0\r\n${'X: abcdefgh\r\n'.repeat(200)}`],
  ['extensions', `1;${'x'.repeat(60)}\r\na\r\n`.repeat(100)],
])('no more of %s is read than is allowed', (_name, text) => {
  for (const sizes of SPLITS) expect(read(text, sizes).fault).toBeDefined();
});

test('extensions may be as long as the data in all', () => {
  const text = `64;${'x'.repeat(80)}\r\n${'a'.repeat(100)}\r\n`.repeat(200);
  expect(read(`${text}0\r\n\r\n`)).toMatchObject({ hasLastChunk: true, fault: undefined });
});

const bytes = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '0',
        '1',
        '2',
        'a',
        'F',
        '\r\n',
        '\n',
        '\r',
        ' ',
        '\t',
        ';',
        'x',
        '3\r\nabc\r\n',
        '0\r\n\r\n',
        'X: y\r\n',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

test('however a body comes, its reading is the same; what is read is strict, and read again as it is', () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (text, sizes) => {
      const whole = read(text);
      const pieces = read(text, sizes);
      expect({ ...pieces, fault: undefined }).toEqual({ ...whole, fault: undefined });
      expect(pieces.fault === undefined).toBe(whole.fault === undefined);
      const again = read(whole.out);
      expect([again.out, again.fault, again.hasLastChunk]).toEqual([
        whole.out,
        undefined,
        whole.hasLastChunk,
      ]);
      const end = whole.out.indexOf('0\r\n\r\n');
      if (!whole.hasLastChunk || end < 0) expect(again.isStrict).toBe(true);
    }),
    { numRuns: 5000 },
  );
});
