import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../../../shared/core/base/iso-time.ts';

test('a time is written as Date writes it', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e12, max: 2.6e14, noNaN: true }), (at) => {
      expect(isoTime(at)).toBe(new Date(at).toISOString());
    }),
    { numRuns: 3000 },
  );
});

test('days at the ends of months, leap years and centuries are those of the calendar', () => {
  for (const year of [1970, 1972, 1999, 2000, 2001, 2024, 2026, 2100, 2400, 9999])
    for (let month = 0; month < 12; month++)
      for (const ms of [0, -1]) {
        const at = Date.UTC(year, month, 1) + ms;
        expect(isoTime(at)).toBe(new Date(at).toISOString());
      }
});

test('a time that is none is refused', () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
