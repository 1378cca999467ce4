/** The memory of the texts that the pages of a group of URLs have had. */
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import {
  hashText,
  needsText,
  packMemory,
  rounded,
  unpackMemory,
  windowOf,
  worthOfText,
} from '../../../shared/core/frontier/text-memory.ts';

const WINDOW = { ...SIZES, minTrapWindow: 10, maxTrapWindow: 40 };
const hashOf = (n: number) => hashText(`text ${n}`);

describe('the worth of a text', () => {
  test('is nothing if it is one of the last eight, and whole while all are new', () => {
    const memory = unpackMemory({});
    for (let n = 0; n < 8; n++) expect(worthOfText(memory, hashOf(n), WINDOW)).toBe(1);
    for (let n = 0; n < 8; n++) expect(worthOfText(memory, hashOf(n), WINDOW)).toBe(0);
    expect(memory.seen).toHaveLength(8);
    // The first is the one that was seen longest ago.
    worthOfText(memory, hashOf(8), WINDOW);
    worthOfText(memory, hashOf(1), WINDOW);
    expect(memory.seen).toHaveLength(8);
    expect(worthOfText(memory, hashOf(1), WINDOW)).toBe(0);
    expect(worthOfText(memory, hashOf(0), WINDOW)).toBeGreaterThan(0);
  });

  test('falls where texts come again and again, in more numbers than are remembered', () => {
    const memory = unpackMemory({});
    let last = 1;
    for (let i = 0; i < 3000; i++) last = worthOfText(memory, hashOf(i % 20), WINDOW);
    expect(last).toBeLessThan(0.05);
    expect(memory.texts.length).toBeLessThanOrEqual(8);
    for (let i = 100; i < 3000; i++) last = worthOfText(memory, hashOf(i), WINDOW);
    expect(last).toBeGreaterThan(0.6);
  });

  test('moves by one part of the window for each text of which it is known', () => {
    const memory = unpackMemory({ novel: 0.5 });
    expect(worthOfText(memory, hashOf(1), WINDOW)).toBeCloseTo(0.55, 10);
    expect(worthOfText(memory, hashOf(2), WINDOW)).toBeCloseTo(0.595, 10);
  });
});

test('a group whose last pages were good needs the text of about one page in four, another one each', () => {
  const urls = Array.from({ length: 1000 }, (_, i) => `http://a.test/${i}`);
  const share = (fresh: number) => urls.filter((url) => needsText({ fresh }, url)).length / urls.length;
  expect(share(0.97)).toBe(1);
  expect(share(0.98)).toBeGreaterThan(0.2);
  expect(share(0.98)).toBeLessThan(0.3);
  expect(urls.filter((url) => needsText({ fresh: 1 }, url))).toEqual(
    urls.filter((url) => needsText({ fresh: 0.98 }, url)),
  );
});

test('the window is a quarter of the pages, within its bounds', () => {
  expect([0, 40, 100, 160, 1000].map((pages) => windowOf(pages, WINDOW))).toEqual([10, 10, 25, 40, 40]);
});

test('a memory is kept without what is as in a new one, and comes back', () => {
  expect(packMemory(unpackMemory({}))).toEqual({ seen: [] });
  const memory = { seen: [3, 1], novel: 0.123_456, level: 2, texts: [5, 7] };
  const packed = packMemory(memory);
  expect(packed).toEqual({ seen: [3, 1], novel: 0.1235, level: 2, texts: [5, 7] });
  expect(unpackMemory(packed)).toEqual(packed);
  // A kept memory does not change with the memory, nor the memory with it.
  memory.seen.push(9);
  memory.texts.push(9);
  const back = unpackMemory(packed);
  back.seen.push(8);
  back.texts.push(8);
  expect(packed).toMatchObject({ seen: [3, 1], texts: [5, 7] });
  expect(rounded(0.999_96)).toBe(1);
});

test('the hash of a text is that of FNV-1a', () => {
  // Test vectors of the FNV page (Noll).
  expect([hashText(''), hashText('a') >>> 0, hashText('foobar') >>> 0]).toEqual([
    0x811c9dc5, 0xe40c292c, 0xbf9cf968,
  ]);
});
