import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { allowLinearFlag, matchInLinearTime } from '../../shared/engines/linear-regexps.ts';
import { checkPatterns } from '../../shared/services/control/check-patterns.ts';

beforeAll(() => {
  allowLinearFlag();
  matchInLinearTime();
});

/** Throws for a match that takes forever: the time-out is there to end the test, and no measure. */
const matches = (pattern: string, text: string): boolean =>
  runInNewContext('new RegExp(pattern).test(text)', { pattern, text }, { timeout: 120_000 });

const isAccepted = (pattern: string): boolean => {
  try {
    checkPatterns({ exclude: [pattern] }, 2083);
    return true;
  } catch {
    return false;
  }
};

const LONG = `https://a.test/${'a'.repeat(2067)}!`;

describe('a pattern of a request', () => {
  test.each(['(a+)+$', '(/?a+)*x$', '(a|aa)+$', '((a*)*)*x', `${'.*a'.repeat(60)}x`, `${'a?'.repeat(90)}x`])(
    '%s is accepted, and ends',
    (pattern) => {
      expect(isAccepted(pattern)).toBe(true);
      expect(matches(pattern, LONG)).toBe(false);
    },
  );

  test.each(['^(?!.*foo)(a+)+$', '(?=a)(a|aa)*!!', '(a{1,50}){1,50}$', '(a+)+\\1$', '.*.*a{1000}(?=x)'])(
    '%s is refused, as it might not end',
    (pattern) => {
      expect(() => checkPatterns({ include: ['ok', pattern] }, 2083)).toThrow(
        /^config.include.1: .* too long/,
      );
    },
  );

  test.each([
    '\\.(jpe?g|png|gif|pdf)($|\\?)',
    '^https?://[^/]+/(en|de)/\\d{4}/',
    '^(?!.*/(login|logout|cart))',
    '[?&](sid|session)=[a-f0-9]{32}',
    '^https://example\\.org/(?!private/)',
  ])('%s is accepted', (pattern) => {
    expect(isAccepted(pattern)).toBe(true);
  });

  test.each([
    ['(?:(?!z).)*z', 2083],
    ['^(?:(?!z).)*z.*y', 2083],
    ['^(?:(?!z).)*z', 10_000_000],
    ['.*a.*b', 100_000],
  ])('%s is refused for URLs of %i characters: it takes more than some milliseconds', (pattern, length) => {
    expect(() => checkPatterns({ exclude: [pattern] }, length)).toThrow(/may take too long/);
    expect(() => checkPatterns({ exclude: [pattern], maxUrlLength: length }, 9)).toThrow(/may take too long/);
    expect(() => checkPatterns({ exclude: [pattern], maxUrlLength: 99 }, length)).not.toThrow();
  });

  test('is accepted beside hundreds of others', () => {
    const exclude = Array.from({ length: 500 }, (_, i) => `^https://example${i}\\.org/`);
    expect(() => checkPatterns({ exclude }, 2083)).not.toThrow();
  });

  test('that is accepted ends on every text', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[^/]', '\\w', '(?=a)', '(?!b)', '(?:a|ab)', '(a)');
    const count = fc.constantFrom('', '', '*', '+', '?', '{2}', '{20}', '{1,30}', '*?');
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: 'small' },
        fc.tuple(atom, count).map((parts) => parts.join('')),
        fc.array(tie('pattern'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
        fc.tuple(tie('pattern'), tie('pattern'), count).map(([a, b, n]) => `(?:${a}|${b})${n}`),
      ),
    }));
    const text = fc
      .tuple(fc.constantFrom('a', 'ab', 'aab/', 'b'), fc.constantFrom('!', 'c', ''))
      .map(([part, end]) => `https://a.test/${part.repeat(2000 / part.length)}${end}`);
    fc.assert(
      fc.property(
        fc.tuple(fc.constantFrom('', '^'), pattern, fc.constantFrom('x', '$')),
        text,
        (parts, of) => {
          const one = parts.join('');
          if (isAccepted(one)) matches(one, of);
        },
      ),
      { numRuns: 300 },
    );
  });
});
