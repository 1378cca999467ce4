import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits, changeOf } from '../../mutants/edit.ts';

/** Few letters, so that different edits often lead to the same text. */
const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });

/** One or two edits that do not overlap. */
const editsOf = (text: string) =>
  fc
    .tuple(
      fc
        .uniqueArray(fc.nat(text.length), { minLength: 2, maxLength: 4 })
        .map((at) => at.sort((a, b) => a - b)),
      letters(3),
      letters(3),
    )
    .map(([[a, b, c, d], first, second]) => [
      { start: a as number, end: b as number, text: first },
      ...(d === undefined ? [] : [{ start: c as number, end: d, text: second }]),
    ]);

test('edits are the same change if, and only if, they lead to the same text', () => {
  const cases = letters(8)
    .filter(({ length }) => length > 0)
    .chain((text) => fc.tuple(fc.constant(text), editsOf(text), editsOf(text)));
  let alike = 0;
  fc.assert(
    fc.property(cases, ([text, one, other]) => {
      const isAlike = applyEdits(text, one) === applyEdits(text, other);
      if (isAlike) alike++;
      expect(changeOf(text, one) === changeOf(text, other)).toBe(isAlike);
      expect(changeOf(text, one) === undefined).toBe(applyEdits(text, one) === text);
    }),
    { numRuns: 2000, seed: 1 },
  );
  expect(alike).toBeGreaterThan(50);
});
