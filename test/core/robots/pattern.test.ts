import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRobots } from '../../../shared/core/robots/parse-robots.ts';
import { matchesPattern, normalPath, normalPattern } from '../../../shared/core/robots/pattern.ts';
import { isAllowed, MAX_MATCH_STEPS } from '../../../shared/core/robots/rules.ts';

const octets = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const matches = (pattern: string, path: string) =>
  matchesPattern(normalPattern(octets(pattern)), normalPath(path), { left: MAX_MATCH_STEPS });
const disallowing = (patterns: readonly string[]) =>
  parseRobots(
    Buffer.from(['User-agent: *', ...patterns.map((each) => `Disallow: ${each}`)].join('\n')),
    'Strand',
  );

test.each([
  // RFC 9309, section 2.2.2
  ['/foo/bar?baz=quz', '/foo/bar?baz=quz', true],
  ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https://foo.bar', true],
  ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
  ['/foo/bar/%E3%83%84', '/foo/bar/ツ', true],
  ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
  ['/%7ejoe', '/~joe', true],
  ['/a%2fb', '/a%2Fb', true],
  ['/a%2fb', '/a/b', false],
  ['/a%3Cd', '/a<d', true],
  ['/a b', '/a%20b', true],
  ['/100%', '/100%25', true],
  ['/a%zz', '/a%ZZ', false],
  // Section 2.2.3
  ['/file-with-a-%2A.html', '/file-with-a-*.html', true],
  ['/file-with-a-%2A.html', '/file-with-a-b.html', false],
  ['/foo-%24', '/foo-$', true],
  ['/a$b', '/a$b', true],
  ['/a$b', '/a', false],
  ['/a$', '/a', true],
  ['/a$', '/a$', false],
  ['*.gif$', '/x/a.gif', true],
  ['*.gif$', '/a.gif.gif', true],
  ['*.gif$', '/a.gif?b', false],
  ['/*$', '/anything', true],
  ['/**', '/', true],
  ['/a*b*c', '/a-c-b', false],
  ['/a*b*c', '/a-b-bc', true],
  ['/*ab$', '/aab', true],
  ['/', '', true],
])('%s on %s: %s', (pattern, path, expected) => expect(matches(pattern, path)).toBe(expected));

const characters = fc.constantFrom('a', 'b', '/', '*', '%2A', '%41', '%', 'é', '?', '=', '$', ' ');
const text = fc.array(characters, { maxLength: 14 }).map((parts) => `/${parts.join('')}`);

describe('for any text', () => {
  test('a pattern that does not end in $ matches itself as a path', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          fc.webPath().map((path) => `/${path}`),
        ),
        (written) => {
          fc.pre(!written.endsWith('$'));
          expect(matches(written, written)).toBe(true);
          expect(matches(written, `${written}/more`)).toBe(true);
        },
      ),
    );
  });

  test('the normal form is a form of itself, and printable ASCII without spaces', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (written) => {
        const path = normalPath(written);
        expect(normalPath(path)).toBe(path);
        expect(path).toMatch(/^[!-~]+$/);
        const pattern = normalPattern(octets(written));
        expect(normalPattern(pattern)).toBe(pattern);
        expect(pattern).toMatch(/^[!-~]*$/);
      }),
    );
  });

  test('the match is that of a regular expression', () => {
    const few = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 10 }).map((parts) => parts.join(''));
    const path = fc.array(fc.constantFrom('a', 'b'), { maxLength: 14 }).map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(few, fc.boolean(), path, (stars, anchored, path) => {
        const regex = new RegExp(`^/${stars.replaceAll('*', '.*')}${anchored ? '$' : ''}`);
        expect(matches(`/${stars}${anchored ? '$' : ''}`, path)).toBe(regex.test(path));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('hostile patterns', () => {
  const path = `/${'a'.repeat(2000)}`;
  const steps = (pattern: string) => {
    const budget = { left: 1e9 };
    matchesPattern(pattern, path, budget);
    return 1e9 - budget.left;
  };

  test('take a few steps a character, however many stars they have', () => {
    for (const stars of [1, 10, 100, 1000]) {
      expect(steps(`/${'*a'.repeat(stars)}b`)).toBeLessThan(4 * path.length);
      expect(steps(`/${'*a'.repeat(stars)}*b$`)).toBeLessThan(4 * path.length);
      expect(steps(`/${'*'.repeat(stars)}b`)).toBeLessThan(4 * path.length);
    }
  });

  test('take at most path times pattern, for any of them', () => {
    const hostile = fc.array(fc.constantFrom('a', 'aa', '*', 'b'), { maxLength: 40 });
    fc.assert(
      fc.property(hostile, (parts) => {
        const pattern = `/${parts.join('')}$`;
        expect(steps(pattern)).toBeLessThanOrEqual(path.length * pattern.length);
      }),
    );
  });

  test('in great number are given up at the limit of steps, and nothing is allowed', () => {
    const rules = disallowing(Array.from({ length: 400 }, (_, i) => `/*${'a'.repeat(1000)}b${i}`));
    expect(rules.rules).toHaveLength(400);
    expect(isAllowed(rules, path)).toEqual({ allowed: false });
    expect(isAllowed(rules, '/robots.txt')).toEqual({ allowed: true });
  });

  test('of real files, ten thousand at once, stay far below that limit', () => {
    const real = Array.from({ length: 10_000 }, (_, i) => `/*/product-${i}$`);
    expect(isAllowed(disallowing(real), `/shop/${'a/'.repeat(60)}product-x?y=z`)).toEqual({ allowed: true });
  });
});
