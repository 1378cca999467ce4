import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPTIONS } from '../../../cli/options.ts';
import { nearest } from '../../../shared/core/text/nearest.ts';

const NAMES = OPTIONS.filter(({ verbs }) => verbs?.includes('crawl') ?? true).map(({ name }) => name);

test.each([
  ['max-page', 'max-pages'],
  ['maxpages', 'max-pages'],
  ['max-pagse', 'max-pages'],
  ['DELAY', 'delay'],
  ['agent', 'user-agent'],
  ['contatc', 'contact'],
  ['zzz', undefined],
  ['', undefined],
])('%s is treated as %s', (word, meant) => {
  expect(nearest(word, NAMES)).toBe(meant);
});

test('a word is nearest to itself', () => {
  fc.assert(fc.property(fc.constantFrom(...NAMES), (name) => nearest(name, NAMES) === name));
});
