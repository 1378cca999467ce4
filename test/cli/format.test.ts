import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBytes, formatDuration, formatRate, parseBytes, parseDuration } from '../../cli/format.ts';
import { printable } from '../../shared/core/text/printable.ts';

describe('quantities are written for people', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [12_345, '12.3 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [1_234_567_890, '1.23 GB'],
    [Number.MAX_SAFE_INTEGER, '9.01 PB'],
  ])('%d bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  test.each([
    [0, '0s'],
    [1, '1ms'],
    [999, '999ms'],
    [999.6, '1s'],
    [1500, '1.5s'],
    [9_949, '9.9s'],
    [9_950, '10s'],
    [59_499, '59s'],
    [59_500, '1m'],
    [134_000, '2m 14s'],
    [3_599_500, '1h'],
    [11_100_000, '3h 5m'],
    [187_200_000, '2d 4h'],
  ])('%d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  test.each([
    [0, '0'],
    [5e-324, '0'],
    [0.345, '0.34'],
    [9.24, '9.2'],
    [99.94, '100'],
    [1234.4, '1,234'],
  ])('%d a second as %s', (rate, text) => expect(formatRate(rate)).toBe(text));
});

test('a whole number with a unit is read back exactly', () => {
  const bytes = fc.constantFrom<[string, number]>(
    ['', 1],
    ['B', 1],
    ['k', 1e3],
    ['kB', 1e3],
    ['MiB', 2 ** 20],
    ['G', 1e9],
  );
  fc.assert(fc.property(fc.nat(100_000), bytes, (n, [unit, size]) => parseBytes(n + unit) === n * size));
  const times = fc.constantFrom<[string, number]>(
    ['', 1000],
    ['ms', 1],
    ['s', 1000],
    ['m', 60_000],
    ['d', 86_400_000],
  );
  fc.assert(fc.property(fc.nat(100_000), times, (n, [unit, size]) => parseDuration(n + unit) === n * size));
});

test.each([
  '',
  '-1',
  '+1',
  '1e3',
  'Infinity',
  'NaN',
  '1,000',
  '.',
  '1 0',
  '0x10',
  '1m2',
  '5x',
  '9'.repeat(400),
])('%s is neither a size nor a duration', (text) => {
  expect(parseBytes(text)).toBeUndefined();
  expect(parseDuration(text)).toBeUndefined();
});

test('what the web sends cannot steer the terminal', () => {
  expect(printable('a\x1b[31mb\r\nc\u202ed\x9b')).toBe('a\ufffd[31mb\ufffd\ufffdc\ufffdd\ufffd');
});
