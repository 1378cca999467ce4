import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../../shared/core/robots/retry-after.ts';

const now = Date.UTC(1994, 10, 6, 8, 48, 37);

test.each([
  ['0', 0],
  ['120', 120_000],
  [' 7\t', 7000],
  ['99999999999999999999999', Number.MAX_SAFE_INTEGER],
  // RFC 9110, section 5.6.7: the same moment in three forms
  ['Sun, 06 Nov 1994 08:49:37 GMT', 60_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 60_000],
  ['Sun Nov  6 08:49:37 1994', 60_000],
  ['sun, 06 nov 1994 08:49:37 gmt', 60_000],
  ['Sat, 31 Dec 1994 23:59:60 GMT', Date.UTC(1995, 0, 1) - now],
  ['Sun, 06 Nov 1994 08:47:37 GMT', 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['999999999', 999_999_999_000],
])('%j is %i ms', (value, ms) => expect(parseRetryAfter(value, now)).toBe(ms));

test.each([
  undefined,
  '',
  '-1',
  '1.5',
  '10 seconds',
  '1e3',
  '0x10',
  'soon',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 06 Nov 1994 08:49:37 CET',
  'Sun, 31 Feb 1994 08:49:37 GMT',
  'Sun, 00 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 24:00:00 GMT',
  '1994-11-06T08:49:37Z',
])('%j is no Retry-After', (value) => expect(parseRetryAfter(value, now)).toBeUndefined());

test('a year of two digits more than 50 years ahead is of the century before', () => {
  const in2026 = Date.UTC(2026, 0, 1);
  expect(parseRetryAfter('Wednesday, 01-Jan-76 00:00:00 GMT', in2026)).toBe(Date.UTC(2076, 0, 1) - in2026);
  expect(parseRetryAfter('Saturday, 01-Jan-77 00:00:00 GMT', in2026)).toBe(0);
});

test('a number that is a time since the epoch is that time', () => {
  const in2026 = Date.UTC(2026, 0, 1);
  expect(parseRetryAfter(String(in2026 / 1000 + 30), in2026)).toBe(30_000);
  expect(parseRetryAfter(String(in2026 + 30_000), in2026)).toBe(30_000);
  expect(parseRetryAfter(String(in2026 / 1000 - 30), in2026)).toBe(0);
});

test('a date as JavaScript writes it is read back', () => {
  const seconds = fc.integer({ min: 0, max: 4e9 });
  fc.assert(
    fc.property(seconds, (ahead) => {
      expect(parseRetryAfter(new Date(now + ahead * 1000).toUTCString(), now)).toBe(ahead * 1000);
    }),
  );
});

test('any other text does no harm', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const ms = parseRetryAfter(value, now);
      expect(ms === undefined || ms >= 0).toBe(true);
    }),
  );
});
