import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from '../../../shared/core/text/nearest.ts';
import { optionsOf } from '../../cli/commands.ts';

const NAMES = optionsOf('crawl').map(({ name }) => name);

test.each([
  ['max-page', 'max-pages'],
  ['maxpages', 'max-pages'],
  ['max-pagse', 'max-pages'],
  ['DELAY', 'delay'],
  ['agent', 'user-agent'],
  ['contatc', 'contact'],
  ['allow-private', 'allow-private-addresses'],
  ['private-addr', 'allow-private-addresses'],
  ['in', undefined],
  ['zzz', undefined],
  ['', undefined],
])('%s is treated as %s', (word, meant) => {
  expect(nearest(word, NAMES)).toBe(meant);
});

test('a word is nearest to itself', () => {
  fc.assert(fc.property(fc.constantFrom(...NAMES), (name) => nearest(name, NAMES) === name));
});
