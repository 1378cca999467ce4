import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alikeClusters } from '../../../shared/core/alike/alike-clusters.ts';
import { SKETCH_BYTES, similarity } from '../../../shared/core/recrawl/text-sketch.ts';

const joined = (sketches: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(sketches));
const random = fc.uint8Array({ minLength: SKETCH_BYTES, maxLength: SKETCH_BYTES });
/** The sketch with this number of its bins changed. */
const changed = (sketch: Uint8Array, bins: number) =>
  sketch.map((byte, at) => (at < bins >> 1 ? byte ^ 0x11 : at === bins >> 1 && bins & 1 ? byte ^ 1 : byte));

/** By the sketches alone, from 0.8 on. */
const clustersOf = (sketches: readonly Uint8Array[]) =>
  alikeClusters(joined(sketches), (a, b) => {
    const value = similarity(sketches[a]!, sketches[b]!);
    return value >= 0.8 ? value : 0;
  });

test('copies are found, each with the first text that it is nearly the same as', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(random, { minLength: 1, maxLength: 6, comparator: (a, b) => similarity(a, b) > 0.3 }),
      (texts) => {
        const sketches = [...texts, ...texts.map((text) => changed(text, 3))];
        const clusters = clustersOf(sketches);
        expect(clusters.map(({ original, others }) => [original, ...others.map(({ at }) => at)])).toEqual(
          texts.map((_, at) => [at, at + texts.length]),
        );
        for (const { others } of clusters) expect(others[0]?.similarity).toBeCloseTo(0.95, 1);
      },
    ),
  );
});

test('whatever the sketches are: no text is in two clusters, and each copy is nearly the same as its original', () => {
  const few = fc.constantFrom(0, 1, 0x10, 0xff);
  const alike = fc.uint8Array({ minLength: SKETCH_BYTES, maxLength: SKETCH_BYTES }).chain((base) =>
    fc.array(fc.tuple(fc.nat(SKETCH_BYTES - 1), few), { maxLength: 12 }).map((edits) => {
      const copy = Uint8Array.from(base, (byte) => byte & 1);
      for (const [at, byte] of edits) copy[at] = byte;
      return copy;
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(random, alike), { maxLength: 40 }), (sketches) => {
      const seen = new Set<number>();
      for (const { original, others } of clustersOf(sketches))
        for (const { at, similarity: value } of [{ at: original, similarity: 1 }, ...others]) {
          expect(seen.has(at)).toBe(false);
          seen.add(at);
          expect(value).toBeGreaterThanOrEqual(0.8);
          expect(similarity(sketches[original]!, sketches[at]!)).toBe(value);
        }
    }),
  );
});

test('a chain of texts is split where its ends are no longer alike; many equal texts are one cluster', () => {
  const first = new Uint8Array(SKETCH_BYTES).fill(0x5a);
  const chain = [0, 6, 12, 18, 24].map((bins) => changed(first, bins));
  const clusters = clustersOf(chain);
  expect(clusters.map(({ original, others }) => [original, ...others.map(({ at }) => at)])).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
  const equal = Array.from({ length: 5000 }, () => first);
  expect(clustersOf(equal).map(({ others }) => others.length)).toEqual([4999]);
  expect(clustersOf([])).toEqual([]);
});

test('texts are found whose sketches are alike to 0.6, and the same two are compared once', () => {
  const random = (seed: number) => {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    };
  };
  const next = random(7);
  const texts = Array.from({ length: 200 }, () => Uint8Array.from({ length: SKETCH_BYTES }, next));
  /** 24 of 64 bins, drawn for each. */
  const copies = texts.map((text) => {
    const bins = new Set<number>();
    while (bins.size < 24) bins.add((next() ^ (next() << 3)) & 63);
    return text.map((byte, at) => byte ^ (bins.has(2 * at) ? 0x01 : 0) ^ (bins.has(2 * at + 1) ? 0x10 : 0));
  });
  const asked = new Set<string>();
  const clusters = alikeClusters(joined([...texts, ...copies]), (a, b) => {
    if (b - a !== texts.length) {
      expect(asked.has(`${a} ${b}`)).toBe(false);
      asked.add(`${a} ${b}`);
    }
    return b - a === texts.length ? 0.9 : 0;
  });
  expect(clusters.length).toBeGreaterThan(185);
  for (const { original, others } of clusters) expect(others.map(({ at }) => at - original)).toEqual([200]);
});

test('of a long chain of texts only some are compared with all others; its rest is one cluster', () => {
  const texts = Array.from({ length: 300 }, () => new Uint8Array(SKETCH_BYTES));
  let asked = 0;
  // All are alike while the group forms.
  const clusters = alikeClusters(joined(texts), (a, b) => (asked++ < 299 || b - a === 1 ? 0.9 : 0));
  expect(asked).toBeLessThan(51 * 300);
  expect(clusters.map(({ others }) => others.length)).toEqual([199, ...new Array(50).fill(1)]);
});
