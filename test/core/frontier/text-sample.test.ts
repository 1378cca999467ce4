import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import { sampleText, type TextSample } from '../../../shared/core/frontier/text-sample.ts';

test('a text in the sample is new the first time and never again; others have no result', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 200 }), { maxLength: 500 }), (texts) => {
      const sample: TextSample = { level: 0, texts: [] };
      const met = new Set<number>();
      for (const text of texts) {
        const isNew = sampleText(sample, mixHash(text));
        if (isNew !== undefined) expect(isNew).toBe(!met.has(text));
        met.add(text);
        expect(sample.texts.length).toBeLessThanOrEqual(8);
      }
      // Nothing leaves it but by the level.
      if (met.size <= 8) expect(sample.texts.length).toBe(met.size);
    }),
  );
});

test('of 100,000 distinct texts a sample stays, at a level that fits their number', () => {
  const sample: TextSample = { level: 0, texts: [] };
  for (let text = 0; text < 100_000; text++) sampleText(sample, mixHash(text));
  expect(sample.texts.length).toBeGreaterThan(0);
  expect(sample.level).toBeGreaterThanOrEqual(12);
  expect(sample.level).toBeLessThanOrEqual(16);
});
