import { expect, test } from 'vitest';
import { keyRanges, type MatchType, secondOf } from '../../../shared/core/archive/capture-query.ts';
import { surt } from '../../../shared/core/archive/surt.ts';

const matches = (url: string, matchType: MatchType, other: string): boolean =>
  keyRanges(url, matchType)!.some(({ from, below }) => surt(other) >= from && surt(other) < below);

test.each<[MatchType, string, readonly string[], readonly string[]]>([
  [
    'exact',
    'http://example.com/a',
    ['https://www.example.com/A', 'http://example.com/a/'],
    ['http://example.com/a/b', 'http://example.com/a?x', 'http://example.com/'],
  ],
  [
    'prefix',
    'http://example.com/a',
    ['http://example.com/a', 'http://example.com/ab', 'http://example.com/a/b?c=d'],
    ['http://example.com/b', 'http://example.com/', 'http://a.example.com/a'],
  ],
  [
    'prefix',
    'http://example.com/a/',
    ['http://example.com/a/b'],
    ['http://example.com/ab', 'http://example.com/b'],
  ],
  [
    'prefix',
    'http://example.com/a?',
    ['http://example.com/a?b'],
    ['http://example.com/ab', 'http://example.com/a/b'],
  ],
  [
    'prefix',
    'http://example.com',
    ['http://example.com/', 'https://example.com/a'],
    ['http://example.com.au/'],
  ],
  [
    'host',
    'example.com/a',
    ['http://example.com/', 'https://example.com/z?y'],
    ['http://a.example.com/', 'http://example.com:8080/', 'http://example.com.au/', 'http://example-a.com/'],
  ],
  ['host', 'http://example.com:8080/', ['http://example.com:8080/a'], ['http://example.com/']],
  [
    'domain',
    'example.com',
    [
      'http://example.com/',
      'http://a.b.example.com/c',
      'http://example.com:8080/',
      'http://a.example.com:81/',
    ],
    ['http://anexample.com/', 'http://example.com.au/', 'http://example-a.com/', 'http://example.org/'],
  ],
  ['domain', 'com', ['http://example.com/'], ['http://example.org/', 'http://example.company/']],
])('%s of %s', (matchType, url, found, others) => {
  for (const other of found) expect.soft([other, matches(url, matchType, other)]).toEqual([other, true]);
  for (const other of others) expect.soft([other, matches(url, matchType, other)]).toEqual([other, false]);
});

test('what is no URL has no keys', () => {
  for (const text of [
    '',
    ' ',
    'javascript://x',
    'file:///etc/passwd',
    'http://[',
    `http://a.example/${'a'.repeat(20_000)}`,
  ])
    expect.soft([text.slice(0, 20), keyRanges(text, 'exact')]).toEqual([text.slice(0, 20), undefined]);
});

test('a time may end after any of its parts', () => {
  const both = (text: string) => [secondOf(text, 'first'), secondOf(text, 'last')];
  expect(both('2026')).toEqual(['20260101000000', '20261231235959']);
  expect(both('2026-02')).toEqual(['20260201000000', '20260231235959']);
  expect(both('20260203')).toEqual(both('2026-02-03'));
  expect(both('2026-02-03T04:05Z')).toEqual(['20260203040500', '20260203040559']);
  expect(both('20260203040506')).toEqual(['20260203040506', '20260203040506']);
  for (const bad of [
    '',
    '1',
    '202',
    '20261',
    '202613',
    '20260132',
    '2026010125',
    '20260101000099',
    'now',
    '9'.repeat(40),
    '-2026',
  ])
    expect.soft([bad, ...both(bad)]).toEqual([bad, undefined, undefined]);
});
