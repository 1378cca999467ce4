import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileHostPattern } from '../../../shared/core/url/host-pattern.ts';

test.each([
  ['example.org', 'example.org', true],
  ['example.org', 'www.example.org', false],
  ['example.org', 'example.org:8080', false],
  ['example.org:8080', 'example.org:8080', true],
  ['Example.ORG.', 'example.org', true],
  ['example.org:8080', 'example.org.:8080', true],
  ['*.example.org', 'a.b.example.org', true],
  ['*.example.org', 'example.org', false],
  ['*.example.org', '.example.org', false],
  ['*.example.org', 'a.example.org:8080', false],
  ['*.example.org:*', 'a.example.org:8080', true],
  ['*', 'a.example.org:8080', true],
  ['**', 'a', true],
  ['a*a', 'aa', false],
  ['a*a', 'aba', true],
  ['a*b*a', 'aba', false],
  ['a*b*a', 'axbxa', true],
  ['*.*.org', 'a.org', false],
  ['*.*.org', 'a.b.org', true],
  ['[::1]:*', '[::1]:8080', true],
])('%s means %s: %s', (pattern, host, means) => {
  expect(compileHostPattern(pattern)(host)).toBe(means);
});

test('a star matches one character or more, wherever it is and however many there are', () => {
  const text = (letters: string[]) =>
    fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
  fc.assert(
    fc.property(text(['a', 'b', '-', '*']), text(['a', 'b', '-']), (pattern, host) => {
      const regExp = new RegExp(`^${pattern.replace(/\*+/g, '.+')}$`);
      expect(compileHostPattern(pattern)(host)).toBe(regExp.test(host));
    }),
    { numRuns: 5000 },
  );
});

test('many stars take no long time', () => {
  expect(compileHostPattern(`${'*a'.repeat(100)}*b`)('a'.repeat(250))).toBe(false);
});
