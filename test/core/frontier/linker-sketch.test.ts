import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  budgetByLinks,
  MAX_GROWTH,
  medianLinkers,
  roundedLinkers,
} from '../../../shared/core/frontier/link-budget.ts';
import {
  countLinkers,
  linkerHash,
  mergeSketches,
  NO_LINKERS,
  sketchOf,
} from '../../../shared/core/frontier/linker-sketch.ts';

const named = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, i) => linkerHash(`d${from + i}.example`));
const hashes = fc.array(fc.nat(2 ** 32 - 1), { maxLength: 40 });

describe('a sketch of linking domains', () => {
  test('merging is commutative, associative and idempotent, and is the sketch of all', () => {
    fc.assert(
      fc.property(hashes, hashes, hashes, (a, b, c) => {
        const [one, other, third] = [sketchOf(a), sketchOf(b), sketchOf(c)];
        expect(mergeSketches(one, other)).toBe(mergeSketches(other, one));
        expect(mergeSketches(mergeSketches(one, other), third)).toBe(sketchOf([...a, ...b, ...c]));
        const both = mergeSketches(one, other);
        expect(mergeSketches(both, one)).toBe(both);
        expect(mergeSketches(both, both)).toBe(both);
        expect(countLinkers(both)).toBeGreaterThanOrEqual(countLinkers(one));
      }),
    );
  });

  test('up to 12 are counted exactly, more with an error of about 13 %, in at most 48 bytes', () => {
    for (let count = 0; count <= 12; count++) expect(countLinkers(sketchOf(named(count)))).toBe(count);
    let squares = 0;
    let samples = 0;
    for (const count of [13, 30, 100, 300, 1000, 10_000])
      for (let sample = 0; sample < 20; sample++) {
        const sketch = sketchOf(named(count, sample * 1e5));
        expect(Buffer.from(sketch.replace('~', ''), 'base64').length).toBeLessThanOrEqual(48);
        squares += (countLinkers(sketch) / count - 1) ** 2;
        samples++;
      }
    expect(Math.sqrt(squares / samples)).toBeLessThan(0.16);
  });

  test('more than 12 are counted by the registers that they leave empty: the nearest number', () => {
    // The first six bits choose the register.
    const inRegisters = (count: number) => sketchOf(Array.from({ length: count }, (_, i) => (i << 26) >>> 0));
    const estimates = [13, 14, 15, 20, 30, 40].map((used) => countLinkers(inRegisters(used)));
    const exact = [13, 14, 15, 20, 30, 40].map((used) => 64 * Math.log(64 / (64 - used)));
    expect(exact.map((count) => count.toFixed(1))).toEqual(['14.5', '15.8', '17.1', '24.0', '40.5', '62.8']);
    expect(estimates).toEqual([15, 16, 17, 24, 40, 63]);
  });

  test('a text that is no sketch counts as none, and cannot grow', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), hashes, (text, known) => {
        expect(mergeSketches(sketchOf(known), text).length).toBeLessThanOrEqual(65);
        expect(countLinkers(text)).toBeGreaterThanOrEqual(0);
      }),
    );
    const sketch = sketchOf(named(3));
    for (const text of ['~', '~AAAA', 'A', 'A'.repeat(1000), '\u{1F600}']) {
      expect(countLinkers(text)).toBe(0);
      expect(mergeSketches(sketch, text)).toBe(sketch);
    }
    expect(mergeSketches(NO_LINKERS, NO_LINKERS)).toBe(NO_LINKERS);
  });
});

describe('a budget by links', () => {
  test('grows by the root of its part of the median, and is bounded', () => {
    const budget = (count: number, median: number) => budgetByLinks(100, sketchOf(named(count)), median);
    expect([0, 1, 4].map((count) => budget(count, 4))).toEqual([100, 100, 100]);
    expect([6, 9, 12].map((count) => budget(count, 4))).toEqual([122, 150, 173]);
    // To the nearest page.
    expect([7, 8, 10, 11].map((count) => budget(count, 4))).toEqual([132, 141, 158, 166]);
    expect(budget(5000, 4)).toBe(100 * MAX_GROWTH);
    expect(budgetByLinks(100, undefined, 1)).toBe(100);
  });

  // The heads of other versions of the program count domains under these numbers.
  test('numbers of linking domains are exact up to 12, then the nearest half octave, as a whole number', () => {
    expect([0, 1, 11, 12].map(roundedLinkers)).toEqual([0, 1, 11, 12]);
    expect([14, 15, 20, 21, 28, 29, 40, 41, 1000, 1e6].map(roundedLinkers)).toEqual([
      12, 17, 17, 24, 24, 34, 34, 48, 1086, 1_112_183,
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 1e6 }), (count) => {
        const rounded = roundedLinkers(count);
        expect(roundedLinkers(rounded)).toBe(rounded);
        expect(Math.abs(Math.log2(rounded / count))).toBeLessThan(0.28);
      }),
    );
  });

  test('the median is found among rounded numbers, and is 1 before there are ten domains with links', () => {
    expect(medianLinkers({ 6: 9 })).toBe(1);
    expect(medianLinkers({ 6: 11 })).toBe(6);
    expect(medianLinkers()).toBe(1);
    expect(medianLinkers({ 0: 100, 2: 0, 3: -1 })).toBe(1);
    expect(medianLinkers({ 1: 3, 5: 15, 9: 2 })).toBe(5);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 200, maxLength: 400 }), (all) => {
        const counts: Record<string, number> = {};
        for (const one of all) counts[roundedLinkers(one)] = (counts[roundedLinkers(one)] ?? 0) + 1;
        const assumed = [...Array.from({ length: 10 }, () => 1), ...all].sort((a, b) => a - b);
        const median = assumed[Math.ceil(assumed.length / 2) - 1]!;
        expect(medianLinkers(counts) / median).toBeGreaterThan(0.8);
        expect(medianLinkers(counts) / median).toBeLessThan(1.25);
      }),
    );
  });
});
