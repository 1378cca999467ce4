import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  areAlike,
  decodeNotFoundPage,
  encodeNotFoundPage,
  isNotFoundPage,
  notFoundPage,
  wordsOf,
} from '../../../shared/core/alike/not-found-page.ts';
import { probeUrl } from '../../../shared/core/alike/probe-url.ts';
import { blocksOf } from './blocks-of.ts';

const URL = 'http://a.test/qwertzuiopasdf';
const framed = (main: string) =>
  blocksOf(`<nav><p>Our shop sells all kinds of good tools</nav>${main}<p>Imprint and help</p>`);
const OTHERS = [framed('<h1>Hammers</h1><p>Some hammers for you'), framed('<h1>Saws</h1><p>A saw cuts wood')];
const FOUND = notFoundPage(
  framed('<h1>Page not found</h1><p>We are sorry: qwertzuiopasdf is gone'),
  URL,
  OTHERS,
)!;
const isIt = (main: string, url = 'http://a.test/old-saw') => isNotFoundPage(framed(main), url, FOUND);

describe('a page is taken for the one that says that there is none', () => {
  test.each([
    ['if it is the same', '<h1>Page not found</h1><p>We are sorry: is gone'],
    ['if it repeats its own name', '<h1>Page not found</h1><p>We are sorry: old-saw is gone'],
    ['if it repeats the words of its name', '<h1>Page not found</h1><p>We are sorry: old saw is gone'],
    ['if it has other numbers', '<h1>Page not found</h1><p>We are sorry: is gone</p><p>17 visitors today'],
    ['if its blocks are cut in another way', '<h1>Page not found we are sorry is gone</h1>'],
  ])('%s', (_, main) => expect(isIt(main)).toBe(true));
});

describe('a page is none of those', () => {
  test.each([
    ['if it has a text of its own', '<h1>Saws</h1><p>A saw cuts wood, and is not found in every house'],
    ['if it is short', '<h1>Old saw</h1>'],
    ['if it is empty', ''],
    ['if it lacks a word of it', '<h1>Page not found</h1><p>We are sorry: it is'],
    [
      'if it says more besides',
      '<h1>Page not found</h1><p>We are sorry: is gone</p><p>This article explains what that means',
    ],
  ])('%s', (_, main) => expect(isIt(main)).toBe(false));
});

test('nothing is known by an answer that other pages give, too, that says nothing, or that says much', () => {
  expect(notFoundPage(OTHERS[0]!, URL, OTHERS)).toBeUndefined();
  expect(notFoundPage(framed(''), URL, OTHERS)).toBeUndefined();
  expect(notFoundPage(framed('<p>Oops'), URL, OTHERS)).toBeUndefined();
  expect(notFoundPage(framed('<p>qwertzuiopasdf'), URL, OTHERS)).toBeUndefined();
  const words = Array.from({ length: 300 }, (_, i) =>
    String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26)),
  );
  expect(notFoundPage(framed(`<p>${words.join(' ')}`), URL, OTHERS)).toBeUndefined();
});

test('what is stored is read again; anything else is nothing', () => {
  const read = decodeNotFoundPage(encodeNotFoundPage(FOUND))!;
  expect([...read.common].sort()).toEqual([...FOUND.common].sort());
  expect([...read.words].sort()).toEqual([...FOUND.words].sort());
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      const page = decodeNotFoundPage(text);
      expect(page === undefined || page.words.size > 0).toBe(true);
    }),
  );
});

test('a page whose own text shares no word with the answer is never taken for it', () => {
  const word = fc.constantFrom('xyz', 'zx', 'yyz', 'xxyx', 'zzzzy', 'yxz');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), fc.webUrl(), (words, url) => {
      expect(isIt(`<p>${words.join(' ')}`, url)).toBe(false);
    }),
  );
});

test('pages are alike whose words are, but for those of their URLs', () => {
  const [a, b] = ['Nothing called one here', 'Nothing called two here'].map((text) => framed(`<p>${text}`));
  expect(areAlike(wordsOf(a!, 'http://a.test/one'), wordsOf(b!, 'http://a.test/two'))).toBe(true);
  expect(areAlike(wordsOf(a!, 'http://a.test/'), wordsOf(OTHERS[0]!, 'http://a.test/'))).toBe(false);
});

test.each([
  ['http://a.test/', /^http:\/\/a\.test\/[a-z]{14}$/],
  ['http://a.test/x/y.html?z=1', /^http:\/\/a\.test\/x\/[a-z]{14}\.html$/],
  ['http://a.test/x/y/', /^http:\/\/a\.test\/x\/[a-z]{14}\/$/],
  ['https://a.test:8443/x/y.tar.gz', /^https:\/\/a\.test:8443\/x\/[a-z]{14}$/],
])('the URL beside %s under which nothing stands', (near, expected) => {
  expect(probeUrl(near, 'salt')).toMatch(expected);
  expect(probeUrl(near, 'salt')).toBe(probeUrl(near, 'salt'));
  expect(probeUrl(near, 'other')).not.toBe(probeUrl(near, 'salt'));
});
