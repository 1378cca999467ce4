import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HostOverride, InvalidConfig, type ScopePreset } from '../../../shared/core/crawl/config.ts';
import { createScope, type ScopeConfig } from '../../../shared/core/crawl/scope.ts';
import type { SkipReason } from '../../../shared/core/crawl/skip-reason.ts';

const config = (given: Partial<ScopeConfig> = {}): ScopeConfig => ({
  scope: 'any',
  include: [],
  exclude: [],
  maxUrlLength: 2083,
  ...given,
});

test.each([
  ['http://a.com/x', true],
  ['https://www.deep.a.com:8443/', true],
  ['http://nota.com/', false],
  ['http://a.com.evil.org/', false],
  ['http://10.0.0.1/', true],
  ['http://1.10.0.0.1.test/', false],
  ['http://[::1]/', false],
])('within the domains a.com and 10.0.0.1, %s belongs is %s, seed or not', (url, belongs) => {
  const scope = createScope(config({ domains: ['a.com', '10.0.0.1'] }), []);
  const verdict = belongs ? undefined : 'domain';
  expect([scope.check(url, 1), scope.check(url, 0, true)]).toEqual([verdict, verdict]);
  expect(scope.hasHost(new URL(url).host)).toBe(belongs);
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

  test.each<[string, object, boolean, SkipReason | undefined]>([
    ['http://a.test:25/', {}, false, 'port'],
    ['https://a.test:6666/', {}, true, 'port'],
    ['http://[::1]:22/', {}, false, 'port'],
    ['http://a.test:8080/', {}, false, undefined],
    ['http://[2001:db8::25]/', {}, false, undefined],
    ['http://a.test:25/', { allowPorts: [22, 25] }, false, undefined],
  ])('%s under %j (a seed: %s): %s', (url, given, isSeed, expected) => {
    const { check, explain } = createScope(config({ scope: 'any', ...given }), []);
    expect(check(url, 0, isSeed)).toBe(expected);
    if (expected) expect(explain(url, 0, isSeed).rule).toContain('browsers refuse the port of');
  });

  test('a pattern that is none is reported with its key and the reason', () => {
    const broken = () => createScope(config({ exclude: ['fine', 'a(b'] }), []);
    expect(broken).toThrow(InvalidConfig);
    expect(broken).toThrow(/`exclude`.*"a\(b".*Unterminated group/);
    expect(() => createScope(config({ include: ['['] }), [])).toThrow(/`include`/);
  });
});

describe('traps', () => {
  const given = config({ maxPathDepth: 4, maxRepeatedSegments: 2, maxQueryParameters: 3 });
  const { check } = createScope(given, []);
  test.each<[string, SkipReason]>([
    ['http://a.com/1/2/3/4/5', 'pathDepth'],
    ['http://a.com/a/a/a', 'repeatedSegments'],
    ['http://a.com/?1&2&3&4', 'queryParameters'],
    ['http://a.com/%2525252F', 'repeatedEscapes'],
  ])('keep %s out, unless it is a seed', (url, reason) => {
    expect(check(url, 1)).toBe(reason);
    expect(check(url, 0, true)).toBeUndefined();
  });

  test('are looked for within the preset only, and before the patterns', () => {
    const around = createScope({ ...given, scope: 'host', exclude: ['a'] }, ['http://a.com/']);
    expect(around.check('http://b.com/a/a/a', 1)).toBe('scope');
    expect(around.check('http://a.com/a/a/a', 1)).toBe('repeatedSegments');
  });
});

describe('overrides', () => {
  const given = config({
    maxDepth: 3,
    exclude: ['/no'],
    overrides: [
      { hosts: ['*.b.com'], exclude: ['/b-no'], maxDepth: 1 },
      { hosts: ['x.b.com'], include: ['/yes'], maxDepth: 5 },
      { hosts: ['slow.com'], delayMs: 9 },
    ],
  });
  const { check } = createScope(given, []);
  test.each<[string, number, SkipReason | undefined]>([
    ['http://a.com/b-no', 3, undefined],
    ['http://a.com/no', 1, 'exclude'],
    ['http://y.b.com/', 2, 'depth'],
    ['http://y.b.com/b-no', 1, 'exclude'],
    ['http://y.b.com/no', 1, 'exclude'],
    ['http://y.b.com/', 1, undefined],
    ['http://x.b.com/yes', 5, undefined],
    ['http://x.b.com/yes', 6, 'depth'],
    ['http://x.b.com/', 1, 'include'],
    ['http://x.b.com/yes/b-no', 1, 'exclude'],
    ['http://slow.com/', 3, undefined],
  ])('hold for their hosts, besides what holds for all: %s at depth %i', (url, depth, expected) => {
    expect(check(url, depth)).toBe(expected);
    expect(check(url, depth)).toBe(expected);
  });

  test('include of one host leaves the include of all in force for it', () => {
    const both = config({ include: ['/q'], overrides: [{ hosts: ['b.com'], include: ['/r'] }] });
    const scope = createScope(both, []);
    const asked = ['http://b.com/q', 'http://b.com/r', 'http://b.com/', 'http://c.com/r'];
    expect(asked.map((url) => scope.check(url, 1))).toEqual([undefined, undefined, 'include', 'include']);
  });

  test('are looked up again when more hosts were met than are remembered', () => {
    for (let i = 0; i < 25_000; i++)
      if (check(`http://h${i % 12_000}.b.com/`, 2) !== 'depth') expect(i).toBeUndefined();
  });
});

describe('explain', () => {
  const around = (given: Partial<ScopeConfig>) =>
    createScope(config({ maxPathDepth: 4, maxRepeatedSegments: 2, maxQueryParameters: 3, ...given }), [
      'http://a.com/x/y',
    ]);
  test.each<[Partial<ScopeConfig>, string, string]>([
    [{ scope: 'host' }, 'http://a.com/', "scope host: the host a.com is a seed's"],
    [{ scope: 'host' }, 'http://b.a.com/', "scope host: the host b.a.com is not a seed's"],
    [{ scope: 'domain' }, 'http://b.a.com/', "scope domain: the domain a.com is a seed's"],
    [{ scope: 'domain' }, 'http://127.0.0.1:1/', "scope domain: the domain 127.0.0.1 is not a seed's"],
    [{ scope: 'prefix' }, 'http://a.com/x/?q', "scope prefix: /x/ is below a seed's folder on a.com"],
    [{ scope: 'prefix' }, 'http://a.com/y', "scope prefix: /y is below no seed's folder on a.com"],
    [{ scope: 'page' }, 'http://a.com/x/y', 'scope page: it is the URL of a seed'],
    [{ scope: 'page' }, 'http://a.com/x', 'scope page: it is no URL of a seed'],
    [{}, 'http://a.com/', 'scope any: every URL belongs'],
    [{ include: ['/n', '/m'] }, 'http://a.com/m', 'scope any: every URL belongs; include: /m matches'],
    [{ include: ['/n', '/m'] }, 'http://a.com/', 'include: none of the 2 patterns matches'],
    [{ include: ['/n'] }, 'http://a.com/', 'include: /n does not match'],
    [{ exclude: ['/n', '/logout'] }, 'http://a.com/logout', 'exclude: /logout matches'],
    [{ domains: ['a.com', 'c.com'] }, 'http://b.com:81/', 'domains: b.com:81 is not within a.com, c.com'],
    [{ maxDepth: 0 }, 'http://a.com/', 'maxDepth: it is 1 hop from a seed, more than 0'],
    [{ maxUrlLength: 9 }, 'http://a.com/', 'maxUrlLength: it has 13 characters, more than 9'],
    [{}, 'http://a.com/1/2/3/4/5', 'maxPathDepth: its path has 5 segments, more than 4'],
    [{}, 'http://a.com/a/a/a', 'maxRepeatedSegments: the same segments stand more than 2 times in a row'],
    [{}, 'http://a.com/?1&2&3&4', 'maxQueryParameters: its query has 4 parameters, more than 3'],
    [
      { maxQueryParameters: 9 },
      'http://a.com/?1&1&1&1',
      'maxQueryParameters: the same parameter with the same value stands more than 3 times in its query',
    ],
  ])('with %j says about %s: %s', (given, url, rule) => {
    expect(around(given).explain(url, 1).rule).toBe(rule);
  });

  test('says that a seed is one', () => {
    expect(around({ scope: 'page' }).explain('http://b.com/', 0, true)).toEqual({ rule: 'it is a seed' });
  });

  test('gives the reason that check gives', () => {
    const url = fc.constantFrom(
      'http://a.com/',
      'http://b.com/x',
      'http://a.com/a/a/a',
      'http://a.com/x?1&2',
    );
    const given = fc.record({
      scope: fc.constantFrom('page', 'prefix', 'host', 'domain', 'any'),
      include: fc.constantFrom<string[]>([], ['x']),
      exclude: fc.constantFrom<string[]>([], ['b']),
      maxDepth: fc.nat(2),
      maxUrlLength: fc.integer({ min: 14, max: 20 }),
      maxQueryParameters: fc.integer({ min: 1, max: 3 }),
      overrides: fc.constantFrom<HostOverride[]>([], [{ hosts: ['b.com'], exclude: ['x'], maxDepth: 1 }]),
    });
    fc.assert(
      fc.property(given, url, fc.nat(3), fc.boolean(), (settings, asked, depth, isSeed) => {
        const scope = around(settings);
        const { reason, rule } = scope.explain(asked, depth, isSeed);
        expect(reason).toBe(scope.check(asked, depth, isSeed));
        expect(rule).not.toBe('');
      }),
    );
  });
});
