import { describe, expect, test } from 'vitest';
import { csvLine } from '../../../shared/core/text/csv.ts';

describe('a text', () => {
  test.each([
    '=1+1',
    "=cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    '-1+1',
    '-5 EUR',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '=',
    '\ufeff=1',
    '\uff1d1+1',
    '\uff0b1',
    '\uff0d1+1',
    '\uff20SUM(A1)',
    '+49 30 1234',
    '-5,5;=1',
    '-'.repeat(50),
  ])('%j is no formula: an apostrophe is before it', (text) => {
    const line = csvLine(['x', text]);
    expect(line.replaceAll('""', '"')).toMatch(/^x,"?'/);
    expect(line).toContain(text.replaceAll('"', '""'));
  });

  test.each([
    '-5',
    '+5',
    '-5.25',
    '-1,000.5',
    '-.5',
    '-1e-7',
    '-12%',
    '1+1',
    'a=b',
    "'=1",
    '',
    ' =1',
    'https://a.test/?=1',
  ])('%j stays as it is', (text) => {
    expect(csvLine([text, 1])).toBe(/,/.test(text) ? `"${text}",1\r\n` : `${text},1\r\n`);
  });
});

test('numbers and booleans stay as they are, and nothing is empty', () => {
  expect(csvLine([-5, 1e21, -1e-7, true, undefined])).toBe('-5,1e+21,-1e-7,true,\r\n');
});

test('quotes are around commas, quotes and line breaks', () => {
  expect(csvLine(['a,b', 'a"b', 'a\nb', 'a;b'])).toBe('"a,b","a""b","a\nb",a;b\r\n');
});
