import { expect, test } from 'vitest';
import { searchWords } from '../../../shared/core/url/search-words.ts';

test.each([
  ['https://a.com/search?q=Red+lamp&page=2', ['red', 'lamp']],
  ['https://a.com/?s=caf%C3%A9%20noir', ['caf\u00e9', 'noir']],
  ['https://a.com/x?search_query=red,lamp', ['red', 'lamp']],
  ['https://a.com/search/red-lamp?title=blue', ['red', 'lamp']],
  ['https://a.com/search?q=%ff+red', ['ff', 'red']],
  ['https://a.com/page?title=Red+lamp', []],
  ['https://a.com/search', []],
  ['https://a.com/search?q', []],
])('%s looks for %j', (url, words) => {
  expect([...searchWords(url)]).toEqual(words);
});

test('has 64 words at most', () => {
  const query = Array.from({ length: 1000 }, (_, i) => `w${i}`).join('+');
  expect(searchWords(`https://a.com/?q=${query}`).size).toBe(64);
});
