/** The knowledge of a crawl that recrawls about a URL, as bytes and back. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteReader, ByteWriter, CorruptBytes } from '../../../shared/core/frontier/bytes.ts';
import { readRecrawl, writeRecrawl } from '../../../shared/core/frontier/recrawl-column.ts';
import type { RecrawlState } from '../../../shared/core/frontier/url-record.ts';

const FETCHED_AT = Date.UTC(2026, 0, 1);
const PLAIN: RecrawlState = {
  history: 0x123456,
  rate: 77,
  misses: 3,
  changedAt: FETCHED_AT - 1000,
  capturedAt: FETCHED_AT + 5,
};

function written(state: RecrawlState): Uint8Array {
  const out = new ByteWriter();
  writeRecrawl(out, state, FETCHED_AT);
  return out.bytes();
}

/** With all fields, those that it lacks undefined. */
const read = (bytes: Uint8Array) => readRecrawl(new ByteReader(bytes), FETCHED_AT);

const byte = fc.nat(255);
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const time = fc.integer({ min: -(10 ** 10), max: 10 ** 10 }).map((ms) => FETCHED_AT + ms);
const text = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const states: fc.Arbitrary<RecrawlState> = fc
  .record({
    history: fc.nat(2 ** 24 - 1),
    rate: byte,
    misses: fc.nat(100_000),
    changedAt: time,
    capturedAt: time,
    isBack: fc.constantFrom(true, undefined),
    capturedUrl: optional(text),
    textDigest: optional(bytesOf(8)),
    isRendered: fc.constantFrom(true, undefined),
    hint: optional(fc.record({ hintedAt: time, hints: optional(fc.integer({ min: 1, max: 255 })) })),
    newLinks: optional(byte),
    factor: optional(byte),
    sketch: optional(
      fc.record({ textSketch: bytesOf(16), changedShare: optional(fc.nat(100).map((n) => n / 100)) }),
    ),
    etag: optional(text),
    lastModified: optional(text),
  })
  .map(({ hint, sketch, ...rest }) => ({ ...rest, ...hint, ...sketch }));

test('any state comes back as it was', () => {
  fc.assert(
    fc.property(states, (state) => {
      expect(read(written(state))).toEqual(state);
    }),
    { numRuns: 300 },
  );
});

test('each field by itself comes back, and no other one with it', () => {
  const fields: Partial<RecrawlState>[] = [
    {},
    { isBack: true },
    { capturedUrl: 'http://a.test/' },
    { textDigest: new Uint8Array(8).fill(7) },
    { isRendered: true },
    { isRendered: true, factor: 3 },
    { hintedAt: FETCHED_AT - 60_000, hints: 2 },
    { hintedAt: FETCHED_AT - 60_000 },
    { newLinks: 0 },
    { factor: 0 },
    { textSketch: new Uint8Array(16).fill(9) },
    { textSketch: new Uint8Array(16).fill(9), changedShare: 0 },
    { textSketch: new Uint8Array(16).fill(9), changedShare: 1 },
    { etag: '' },
    { lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' },
  ];
  for (const field of fields) expect(read(written({ ...PLAIN, ...field }))).toEqual({ ...PLAIN, ...field });
});

test('what cannot be kept exactly is kept as near as it can be', () => {
  const hintedAt = FETCHED_AT;
  expect(read(written({ ...PLAIN, hintedAt, hints: 1000 })).hints).toBe(255);
  // Without a time there is no hint, and without a sketch no share.
  expect(read(written({ ...PLAIN, hints: 3, changedShare: 0.5 }))).toEqual(PLAIN);
  const textSketch = new Uint8Array(16);
  expect(read(written({ ...PLAIN, textSketch, changedShare: 0.337 })).changedShare).toBe(0.34);
});

test('bytes that end too early are corrupt', () => {
  const all = written({ ...PLAIN, etag: '"v1"', textDigest: new Uint8Array(8), hintedAt: FETCHED_AT });
  for (let length = 0; length < all.length; length++)
    expect(() => read(all.subarray(0, length))).toThrow(CorruptBytes);
});

test('a digest that was read does not change with the bytes it came from', () => {
  const bytes = Uint8Array.from(written({ ...PLAIN, textDigest: new Uint8Array(8).fill(5) }));
  const { textDigest } = read(bytes);
  bytes.fill(0);
  expect(textDigest).toEqual(new Uint8Array(8).fill(5));
});

/** As versions since 0.1.0 have written it: stored ledgers have it. */
test('the bytes of a state stay as they are', () => {
  const state = { ...PLAIN, hintedAt: FETCHED_AT - 1, hints: 2, newLinks: 9, factor: 4, etag: 'e' };
  expect(Buffer.from(written(state)).toString('hex')).toBe('64d6e8c8084d0403d00f090202090165');
});
