import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import { createRepeatedBlocks, REPEATED_BLOCKS_BYTES } from '../../../shared/core/recrawl/repeated-blocks.ts';

const common = Array.from({ length: 40 }, (_, n) => mixHash(n + 1));
const own = (page: number, count = 30) =>
  Array.from({ length: count }, (_, n) => mixHash(page * 1000 + n + 1e6));
const shareOf = (repeated: { has(block: number): boolean }, blocks: readonly number[]) =>
  blocks.filter((block) => repeated.has(block)).length / blocks.length;

test('blocks of all pages are known after a few of them, those of one page are not', () => {
  const repeated = createRepeatedBlocks();
  for (let page = 0; page < 10; page++) repeated.countPage(mixHash(page), [...common, ...own(page)]);
  expect(shareOf(repeated, common)).toBe(1);
  for (let page = 10; page < 3000; page++) repeated.countPage(mixHash(page), [...common, ...own(page)]);
  expect(shareOf(repeated, common)).toBeGreaterThan(0.95);
  const others = Array.from({ length: 3000 }, (_, page) => own(page)).flat();
  expect(shareOf(repeated, others)).toBeLessThan(0.01);
});

test('a page that is fetched often makes no block a repeated one', () => {
  const repeated = createRepeatedBlocks();
  for (let fetch = 0; fetch < 500; fetch++) {
    repeated.countPage(mixHash(7), own(7));
    if (fetch % 3 === 0) repeated.countPage(mixHash(fetch + 100), own(fetch + 100));
  }
  expect(shareOf(repeated, own(7))).toBeLessThan(0.1);
});

test('a page that is fetched again counts once, whatever pages came in between', () => {
  const repeated = createRepeatedBlocks();
  for (let page = 0; page < 20; page++) repeated.countPage(mixHash(page), own(page, 10));
  const before = Buffer.from(repeated.bytes);
  for (let page = 0; page < 20; page++) repeated.countPage(mixHash(page), own(page, 10));
  expect(Buffer.compare(repeated.bytes, before)).toBe(0);
});

test('a block on one page of twelve becomes known in time, and one that no longer comes is forgotten', () => {
  const repeated = createRepeatedBlocks();
  const rare = common.slice(0, 12);
  for (let page = 0; page < 600; page++)
    repeated.countPage(mixHash(page), [rare[mixHash(page) % 12] as number, ...own(page, 10)]);
  expect(shareOf(repeated, rare)).toBeGreaterThan(0.7);
  for (let page = 600; page < 4000; page++) repeated.countPage(mixHash(page), own(page, 10));
  expect(shareOf(repeated, rare)).toBeLessThan(0.1);
});

test('its bytes are its state', () => {
  const one = createRepeatedBlocks();
  for (let page = 0; page < 20; page++) one.countPage(mixHash(page), [...common, ...own(page)]);
  expect(one.bytes.length).toBe(REPEATED_BLOCKS_BYTES);
  const other = createRepeatedBlocks(one.bytes);
  for (let page = 20; page < 40; page++)
    for (const each of [one, other]) each.countPage(mixHash(page), [...common, ...own(page)]);
  expect(other.bytes).toEqual(one.bytes);
  expect(createRepeatedBlocks(new Uint8Array(3)).bytes).toEqual(new Uint8Array(REPEATED_BLOCKS_BYTES));
});

test('any bytes are a state: foreign ones fail nothing', () => {
  const bytes = fc.uint8Array({ minLength: REPEATED_BLOCKS_BYTES, maxLength: REPEATED_BLOCKS_BYTES });
  fc.assert(
    fc.property(bytes, (stored) => {
      const repeated = createRepeatedBlocks(stored);
      for (let page = 0; page < 5; page++) repeated.countPage(mixHash(page), own(page, 2000));
      expect(repeated.bytes.length).toBe(REPEATED_BLOCKS_BYTES);
    }),
    { numRuns: 50 },
  );
});
