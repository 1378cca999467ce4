import { describe, expect, test } from 'vitest';
import { primaryLanguage, SHORTEST } from '../../../shared/core/text/primary-language.ts';

describe('the primary language of a tag', () => {
  test.each([
    ['en-US', 'en'],
    [' EN_us ', 'en'],
    ['eng', 'en'],
    ['iw', 'he'],
    ['nb-NO', 'no'],
    ['nn', 'no'],
    ['zh-Hant-TW', 'zh'],
    ['gsw', 'gsw'],
    ['', undefined],
    ['und', undefined],
    ['mul', undefined],
    ['english', undefined],
    ['x-default', undefined],
    ['{{ lang }}', undefined],
    ['1', undefined],
  ])('%j is %j', (tag, language) => {
    expect(primaryLanguage(tag)).toBe(language);
  });
});

test('codes that are not asked for are the shortest ones', () => {
  expect([...SHORTEST].filter((code) => new Intl.Locale(code).language !== code)).toEqual([]);
});
