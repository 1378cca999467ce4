import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidConfig, type ScopePreset } from '../../shared/crawl/config.ts';
import { createScope, type ScopeConfig, type SkipReason } from '../../shared/crawl/scope.ts';

const config = (given: Partial<ScopeConfig> = {}): ScopeConfig => ({
  scope: 'any',
  include: [],
  exclude: [],
  maxUrlLength: 2083,
  ...given,
});

describe('presets', () => {
  const table: [ScopePreset, string, string, boolean][] = [
    ['page', 'http://a.com/x', 'http://a.com/x', true],
    ['page', 'http://a.com/x', 'http://a.com/x?', false],
    ['page', 'http://a.com/x', 'https://a.com/x', false],

    ['prefix', 'http://a.com/a/b.html', 'http://a.com/a/b.html', true],
    ['prefix', 'http://a.com/a/b.html', 'http://a.com/a/', true],
    ['prefix', 'http://a.com/a/b.html', 'http://a.com/a/c/d?e', true],
    ['prefix', 'http://a.com/a/b.html', 'https://a.com/a/c', true],
    ['prefix', 'http://a.com/a/b.html', 'http://a.com/a', false],
    ['prefix', 'http://a.com/a/b.html', 'http://a.com/', false],
    ['prefix', 'http://a.com/a/', 'http://a.com/ab', false],
    ['prefix', 'http://a.com/a/', 'http://a.com/b?/a/', false],
    ['prefix', 'http://a.com/a/?q=/x/y/z', 'http://a.com/a/b', true],
    ['prefix', 'http://a.com/a', 'http://a.com/b', true],
    ['prefix', 'http://a.com/a/', 'http://a.com:8080/a/b', false],
    ['prefix', 'http://a.com/a/', 'http://www.a.com/a/b', false],

    ['host', 'http://a.com/x/y', 'http://a.com/z', true],
    ['host', 'http://a.com/', 'https://a.com/', true],
    ['host', 'http://a.com/', 'http://a.com:8080/', false],
    ['host', 'http://a.com/', 'http://www.a.com/', false],
    ['host', 'http://a.com/', 'http://a.com.evil.org/', false],

    ['domain', 'http://www.a.co.uk/', 'https://b.c.a.co.uk:8080/x', true],
    ['domain', 'http://www.a.co.uk/', 'http://b.co.uk/', false],
    ['domain', 'http://a.com/', 'http://nota.com/', false],
    ['domain', 'http://me.github.io/', 'http://you.github.io/', false],
    ['domain', 'http://github.io/', 'http://you.github.io/', false],
    ['domain', 'http://localhost:3000/', 'http://localhost:4000/', true],
    ['domain', 'http://localhost/', 'http://other/', false],
    ['domain', 'http://127.0.0.1:80/', 'http://127.0.0.1:8080/', true],
    ['domain', 'http://127.0.0.1/', 'http://126.0.0.1/', false],
    ['domain', 'http://[::1]:8080/', 'http://[::1]/', true],

    ['any', 'http://a.com/', 'https://b.org/', true],
  ];
  test.each(table)('%s around %s: %s belongs is %s', (scope, seed, url, belongs) => {
    expect(createScope(config({ scope }), [seed]).check(url, 1)).toBe(belongs ? undefined : 'scope');
  });

  test('without a seed nothing belongs, but to any', () => {
    for (const scope of ['page', 'prefix', 'host', 'domain'] as const)
      expect(createScope(config({ scope }), []).check('http://a.com/', 1)).toBe('scope');
    expect(createScope(config(), []).check('http://a.com/', 1)).toBeUndefined();
  });

  test('prefix with many seeds is the union of their folders', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'a-', 'a.', '~'), { maxLength: 3 })
      .chain((names) =>
        fc.constantFrom('', '/').map((end) => `/${names.join('/')}${names.length ? end : ''}`),
      );
    const url = fc
      .tuple(fc.constantFrom('http://a.com', 'http://b.com:81'), path)
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(url, { maxLength: 8 }), url, (seeds, asked) => {
        const expected = seeds.some((seed) => asked.startsWith(seed.slice(0, seed.lastIndexOf('/') + 1)));
        expect(createScope(config({ scope: 'prefix' }), seeds).check(asked, 1) === undefined).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['page', 'prefix', 'host', 'domain'] as const)(
    'every one of 100,000 seeds belongs to its own %s',
    (scope) => {
      const seeds = Array.from({ length: 100_000 }, (_, i) => `http://h${i % 1000}.com/f${i}/x`);
      const { check } = createScope(config({ scope }), seeds);
      expect(seeds.filter((seed) => check(seed, 0) !== undefined)).toEqual([]);
      expect(check('http://other.com/f0/x', 1)).toBe('scope');
    },
  );
});

describe('patterns and limits', () => {
  const a = 'http://a.com/a';
  const table: [string, Partial<ScopeConfig>, number, boolean, SkipReason | undefined][] = [
    ['no include pattern lets all in', {}, 1, false, undefined],
    ['one of the include patterns is enough', { include: ['/b', '/a$'] }, 1, false, undefined],
    ['none of the include patterns keeps out', { include: ['/b', '/A$'] }, 1, false, 'include'],
    ['seeds are exempt from include', { include: ['/b'] }, 0, true, undefined],
    ['an exclude pattern keeps out', { exclude: ['/b', '^http:'] }, 1, false, 'exclude'],
    ['exclude wins over include', { include: ['/a'], exclude: ['/a'] }, 1, false, 'exclude'],
    ['exclude holds for seeds too', { exclude: ['/a'] }, 0, true, 'exclude'],
    ['a seed belongs by being one', { scope: 'page' }, 0, true, undefined],
    ['as deep as the limit', { maxDepth: 2 }, 2, false, undefined],
    ['deeper than the limit', { maxDepth: 2 }, 3, false, 'depth'],
    ['depth zero is the seeds alone', { maxDepth: 0 }, 0, true, undefined],
    ['as long as the limit', { maxUrlLength: a.length }, 1, false, undefined],
    ['longer than the limit', { maxUrlLength: a.length - 1 }, 1, false, 'urlLength'],
  ];
  test.each(table)('%s', (_, given, depth, isSeed, expected) => {
    const { check } = createScope(config(given), []);
    expect(check(a, depth, isSeed)).toBe(expected);
    expect(check(a, depth, isSeed)).toBe(expected);
  });

  test('a pattern that is none is reported with its key and the reason', () => {
    const broken = () => createScope(config({ exclude: ['fine', 'a(b'] }), []);
    expect(broken).toThrow(InvalidConfig);
    expect(broken).toThrow(/`exclude`.*"a\(b".*Unterminated group/);
    expect(() => createScope(config({ include: ['['] }), [])).toThrow(/`include`/);
  });
});
