import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alikeClusters } from '../../shared/alike/alike-clusters.ts';
import { SKETCH_BYTES, similarity } from '../../shared/recrawl/text-sketch.ts';

const joined = (sketches: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(sketches));
const random = fc.uint8Array({ minLength: SKETCH_BYTES, maxLength: SKETCH_BYTES });
/** The sketch with this number of its bins changed. */
const changed = (sketch: Uint8Array, bins: number) =>
  sketch.map((byte, at) => (at < bins >> 1 ? byte ^ 0x11 : at === bins >> 1 && bins & 1 ? byte ^ 1 : byte));

test('copies are found, each with the first text that it is nearly the same as', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(random, { minLength: 1, maxLength: 6, comparator: (a, b) => similarity(a, b) > 0.3 }),
      (texts) => {
        const sketches = [...texts, ...texts.map((text) => changed(text, 3))];
        const clusters = alikeClusters(joined(sketches));
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
      for (const { original, others } of alikeClusters(joined(sketches)))
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
  const clusters = alikeClusters(joined(chain));
  expect(clusters.map(({ original, others }) => [original, ...others.map(({ at }) => at)])).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
  const equal = Array.from({ length: 5000 }, () => first);
  expect(alikeClusters(joined(equal)).map(({ others }) => others.length)).toEqual([4999]);
  expect(alikeClusters(new Uint8Array(0))).toEqual([]);
});
