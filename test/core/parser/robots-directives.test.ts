import { describe, expect, test } from 'vitest';
import { ourDirectives, parseRobotsDirectives } from '../../../shared/core/parser/robots-directives.ts';

describe('ourDirectives', () => {
  test.each<[string, string]>([
    ['noindex', 'noindex'],
    ['NoArchive, NONE', 'noindex nofollow'],
    ['otherbot: noindex', ''],
    ['otherbot: noindex, nofollow', ''],
    ['strand: noindex', 'noindex'],
    ['Strand : nofollow, noindex', 'noindex nofollow'],
    ['nofollow, otherbot: noindex', 'nofollow'],
    ['otherbot: noindex, strand: nofollow, thirdbot: none', 'nofollow'],
    ['*: noindex', 'noindex'],
    ['max-snippet: 20, noindex', 'noindex'],
    ['unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, nofollow', 'nofollow'],
    ['strand: max-snippet: 20, noindex', 'noindex'],
    ['otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex', ''],
    ['strandbot: noindex', ''],
    ['', ''],
  ])('%j asks of us: %s', (field, expected) => {
    const { noindex, nofollow } = parseRobotsDirectives(ourDirectives(field, 'strand'));
    expect([noindex && 'noindex', nofollow && 'nofollow'].filter(Boolean).join(' ')).toBe(expected);
  });

  test('without a name of our own only what is for all counts', () => {
    expect(parseRobotsDirectives(ourDirectives('strand: noindex, nofollow', undefined))).toEqual({
      noindex: false,
      nofollow: false,
    });
  });
});
