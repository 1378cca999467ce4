import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combinationOf, pathCombinationOf } from '../../../shared/core/url/combination-of.ts';
import { templateOf } from '../../../shared/core/url/template-of.ts';

const A = 'http://a.com';

test.each([
  ['/shop', undefined],
  ['/shop?color=red', undefined],
  ['/shop?color=red&page=2', undefined],
  ['/shop?q=large+red+shirt', undefined],
  ['/shop?color=red&size=l', ['color=red', 'size=l']],
  ['/shop?color=red&page=last', ['color=red', 'page=last']],
  ['/shop?color=red&color=blue', ['color=red', 'color=blue']],
  ['/shop?color[]=red&color[1]=blue', ['color=red', 'color=blue']],
  ['/shop?filter=red,large', ['filter=red', 'filter=large']],
  ['/shop?filter=red%7Clarge|new', ['filter=red', 'filter=large', 'filter=new']],
  ['/shop?color=&&size=', ['color=', 'size=']],
])('%s combines %j', (path, parts) => {
  expect(combinationOf(A + path)?.parts).toEqual(parts);
});

test('what a query combines, and its template, do not depend on the order of its parameters', () => {
  const parameter = fc.tuple(
    fc.constantFrom('color', 'size[]', 'brand', 'page'),
    fc.constantFrom('', 'red', '2'),
  );
  fc.assert(
    fc.property(fc.array(parameter, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (parameters, keys) => {
      const shuffled = parameters
        .map((one) => ({ one, key: keys.next().value as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ one }) => one);
      const url = (pairs: typeof parameters) => `${A}/shop?${pairs.map((pair) => pair.join('=')).join('&')}`;
      const [before, after] = [combinationOf(url(parameters)), combinationOf(url(shuffled))];
      expect(after?.groups).toEqual(before?.groups);
      expect(after?.parts.toSorted()).toEqual(before?.parts.toSorted());
      expect(templateOf(url(shuffled))).toBe(templateOf(url(parameters)));
    }),
  );
});

test('a query of any length is looked at to a bound', () => {
  expect(combinationOf(`${A}/?${'a=1,2&'.repeat(100_000)}`)?.parts.length).toBeLessThanOrEqual(64);
  expect(combinationOf(`${A}/?a=${','.repeat(1_000_000)}`)?.parts.length).toBeLessThanOrEqual(64);
  expect(pathCombinationOf(`${A}/${'a+'.repeat(1_000_000)}b`, () => true)?.groups).toEqual(['/*+*', '/*+*']);
});

describe('words of a path', () => {
  const known = new Set([
    '/shop/red/',
    '/shop/large/',
    '/shop/red/large/',
    '/shop/large/red/',
    '/docs/v1/x',
    '/docs/x',
  ]);
  const isKnown = (url: string) => known.has(url.slice(A.length));

  test('are combined if the host has both orders and the last word alone', () => {
    expect(pathCombinationOf(`${A}/shop/red/large/`, isKnown)?.groups).toEqual(['/shop/*+*', '/shop/*+*']);
    known.add('/shop/t/a').add('/shop/t/a+b').add('/shop/t/b+a');
    expect(pathCombinationOf(`${A}/shop/t/b+a`, isKnown)?.groups).toEqual(['/shop/t/*+*', '/shop/*+*']);
  });

  test('are not in a version of a page, in a pair, or in a date', () => {
    expect(pathCombinationOf(`${A}/docs/v1/x`, isKnown)).toBeUndefined();
    known.add('/trains/x/y').add('/trains/y/x').add('/2026/01/02/').add('/2026/02/01/').add('/2026/02/');
    expect(pathCombinationOf(`${A}/trains/x/y`, isKnown)).toBeUndefined();
    expect(pathCombinationOf(`${A}/2026/01/02/`, isKnown)).toBeUndefined();
  });

  test('nothing is asked of the ledger where no group matters', () => {
    const fail = () => {
      throw new Error('asked');
    };
    expect(pathCombinationOf(`${A}/shop/red/large/`, fail, { wants: () => false })).toBeUndefined();
  });
});
