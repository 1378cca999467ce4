import { expect, test } from 'vitest';
import type { RobotsRules } from '../../../shared/core/robots/robots-rules.ts';
import { usageAt } from '../../../shared/core/robots/rules.ts';
import { forbiddenUse, PURPOSES } from '../../../shared/core/usage/purpose.ts';
import type { UsageStatement } from '../../../shared/core/usage/usage-statement.ts';

const stated = (signal: UsageStatement['signal'], value: string): UsageStatement => ({
  signal,
  source: 'header',
  value,
});
/** The purposes that a statement forbids. */
const forbiddenBy = (...statements: UsageStatement[]) =>
  PURPOSES.filter((purpose) => forbiddenUse(purpose, statements) !== undefined);

test('each purpose obeys what is about it', () => {
  expect(forbiddenBy(stated('content-usage', 'train-ai=n'))).toEqual(['train-ai']);
  expect(forbiddenBy(stated('content-signal', 'ai-input=no, ai-train=no, search=yes'))).toEqual([
    'ai-input',
    'train-ai',
  ]);
  expect(forbiddenBy(stated('content-usage', 'search=n'))).toEqual(['search']);
  expect(forbiddenBy(stated('robots', 'noai'))).toEqual(['train-ai']);
  expect(forbiddenBy(stated('tdm-reservation', '1'))).toEqual(['ai-input', 'train-ai', 'research']);
  expect(forbiddenBy(stated('robots', 'noarchive, nosnippet'), stated('license', 'http://a.test/l'))).toEqual(
    [],
  );
});

test('without a purpose, or without a statement, nothing is forbidden', () => {
  expect(forbiddenUse(undefined, [stated('content-usage', 'train-ai=n')])).toBeUndefined();
  expect(forbiddenUse('train-ai')).toBeUndefined();
  expect(forbiddenUse('train-ai', [stated('content-usage', 'train-ai=y')])).toBeUndefined();
});

test('one statement that forbids counts more than those that allow', () => {
  const both = [stated('content-usage', 'train-ai=y'), stated('content-signal', 'ai-train=no')];
  expect(forbiddenUse('train-ai', both)).toBe('train-ai');
});

test('rules that take too long to compare forbid, if one of them forbids anything', () => {
  const pattern = `/*${'a'.repeat(400)}b`;
  const slow = (last: string) =>
    Array.from({ length: 9 }, (_, i) => ({
      signal: 'content-usage',
      pattern,
      value: i === 8 ? last : 'train-ai=y',
    }));
  const useOf = (last: string) =>
    forbiddenUse(
      'train-ai',
      usageAt({ rules: [], usage: slow(last) } as unknown as RobotsRules, `/${'a'.repeat(6000)}`),
    );
  expect(useOf('train-ai=n')).toBe('train-ai');
  expect(useOf('search=y')).toBeUndefined();
});
