import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createCaptureFilter,
  filterKeyOf,
  MAX_FILTER_KEYS,
  mayHold,
} from '../../../shared/core/archive/capture-filter.ts';
import { keyRanges, type MatchType } from '../../../shared/core/archive/capture-query.ts';
import { surt } from '../../../shared/core/archive/surt.ts';

const filterOf = (urls: readonly string[]): string => {
  const filter = createCaptureFilter();
  for (const url of urls) filter.add(`${surt(url)} 20260101000000 {"url": "${url}"`);
  return filter.text();
};
const keyOf = (url: string, matchType: MatchType): string | undefined =>
  filterKeyOf(keyRanges(url, matchType)![0]!);
const page = (n: number) => `http://host-${n % 50}.test/page/${n}`;

test('what a file holds is never denied, by its URL, by what the URL begins with, or by its host', () => {
  fc.assert(
    fc.property(
      fc.array(fc.webUrl({ withQueryParameters: true }), { minLength: 1, maxLength: 12 }),
      fc.nat(),
      (urls, n) => {
        const filter = filterOf(urls);
        const url = urls[n % urls.length] as string;
        for (const matchType of ['exact', 'prefix', 'host'] as const) {
          const key = keyOf(url, matchType);
          expect(key, matchType).toBeDefined();
          expect(mayHold(filter, key as string), `${matchType} ${url}`).toBe(true);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('of a full filter, one URL in a hundred at most seems to be there that is not', () => {
  const filter = createCaptureFilter();
  let count = 0;
  for (; !filter.isFull; count++) filter.add(`${surt(page(count))} 2026`);
  expect(count).toBe(MAX_FILTER_KEYS - 50);
  const text = filter.text();
  expect(text.length).toBeLessThan(1940);
  let wrong = 0;
  for (let n = 0; n < 2000; n++) if (mayHold(text, surt(`http://other-${n}.test/`))) wrong++;
  expect(wrong).toBeLessThan(20);
});

test('the filter of a few captures is short, and of more than it is made for true', () => {
  expect(filterOf(['http://a.test/']).length).toBeLessThan(12);
  const urls = Array.from({ length: 2000 }, (_, n) => page(n));
  const text = filterOf(urls);
  expect(text.length).toBeLessThan(1940);
  for (const url of urls) expect(mayHold(text, surt(url))).toBe(true);
});

test('a question about one URL or host has a key, and one about several hosts has none', () => {
  expect(keyOf('http://www.a.test/b?c', 'exact')).toBe('test,a)/b?c');
  expect(filterKeyOf({ from: 'test,a)/b ', below: 'test,a)/b!' })).toBe('test,a)/b');
  expect(keyOf('http://a.test/b', 'prefix')).toBe('test,a)');
  expect(keyOf('http://a.test:8080/', 'host')).toBe('test,a:8080)');
  for (const range of keyRanges('http://a.test/', 'domain')!.slice(1))
    expect(filterKeyOf(range)).toBeUndefined();
  expect(filterKeyOf({ from: '', below: '~' })).toBeUndefined();
  expect(filterKeyOf({ from: 'test,a)/', below: 'test,b)' })).toBeUndefined();
});

test.each([undefined, '', 'b12.', 'b13.AAAA', 'b12.!', `b12.${'A'.repeat(4000)}`])(
  'a foreign text %j denies nothing',
  (text) => expect(mayHold(text, 'test,a)/')).toBe(true),
);
