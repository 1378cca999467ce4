/** The lines that a function writes to its log. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorFields, logLine, writeLine } from '../../functions/log.ts';

const write = process.stdout.write;
let written: string[];

beforeEach(() => {
  written = [];
  process.stdout.write = ((text: string) => written.push(text) > 0) as typeof write;
});
afterEach(() => {
  process.stdout.write = write;
});

test('a line is one JSON object with its level, and ends there', () => {
  logLine('warn', { crawl: 'c', message: 'two\nlines' });
  writeLine('as it is');
  const [first = '', ...rest] = written;
  expect(first.endsWith('\n')).toBe(true);
  expect(first.trimEnd()).not.toContain('\n');
  expect(JSON.parse(first)).toEqual({ level: 'warn', crawl: 'c', message: 'two\nlines' });
  expect(rest).toEqual(['as it is\n']);
});

test('an error is its name and message, with those of its cause', () => {
  const cause = new TypeError('inner');
  expect(errorFields(new RangeError('outer', { cause }))).toEqual({
    message: 'RangeError: outer',
    cause: 'TypeError: inner',
  });
  expect(errorFields(new Error('outer', { cause: 'text' })).cause).toBe('text');
  expect(errorFields(new Error('outer'))).toEqual({ message: 'Error: outer' });
  expect(errorFields('text')).toEqual({ message: 'text' });
});
