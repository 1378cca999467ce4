import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseW3cDatetime } from '../../../shared/core/parser/w3c-datetime.ts';

describe('parseW3cDatetime', () => {
  test.each([
    ['1997', '1997-01-01T00:00:00Z'],
    ['1997-07', '1997-07-01T00:00:00Z'],
    ['1997-07-16', '1997-07-16T00:00:00Z'],
    ['1997-07-16T19:20+01:00', '1997-07-16T18:20:00Z'],
    ['1997-07-16T19:20:30-05:30', '1997-07-17T00:50:30Z'],
    ['1997-07-16T19:20:30.45Z', '1997-07-16T19:20:30.450Z'],
    ['1997-07-16 19:20:30', '1997-07-16T19:20:30Z'],
    ['1997-07-16T19:20:30+0100', '1997-07-16T18:20:30Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
  ])('%s is %s', (text, iso) => {
    expect(parseW3cDatetime(text)).toBe(Date.parse(iso));
  });

  test.each([
    '',
    'yesterday',
    '2023-02-29',
    '2023-13',
    '2023-00-10',
    '2023-1-1',
    '2023-01-01T24:00Z',
    '0000',
    '20230101',
    '2023-01-01T10:00+99:00',
  ])('%j is none', (text) => {
    expect(parseW3cDatetime(text)).toBeUndefined();
  });

  test('every time that Date writes is read again', () => {
    const year = (n: number) => Date.UTC(n, 0);
    fc.assert(
      fc.property(fc.integer({ min: year(1000), max: year(9000) }), (time) => {
        expect(parseW3cDatetime(new Date(time).toISOString())).toBe(time);
      }),
    );
  });
});
