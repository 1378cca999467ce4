import { expect, test } from 'vitest';
import { AttributeList, readAttributes } from '../../../shared/core/parser/tag-attributes.ts';

function attributesOf(tag: string): AttributeList {
  const list = new AttributeList();
  readAttributes(tag, 0, list);
  return list;
}

function pairsOf(list: AttributeList): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  list.each((name, value) => {
    pairs.push([name, value]);
  });
  return pairs;
}

test('of a repeated attribute the first counts, in any case', () => {
  const list = attributesOf(' HREF=/a href=/b hrefs=/c>');
  expect(list.get('href')).toBe('/a');
  expect(list.has('hrefs')).toBe(true);
  expect(pairsOf(list)).toEqual([
    ['href', '/a'],
    ['hrefs', '/c'],
  ]);
});

test('a name of other letters is in lower case, too', () => {
  const list = attributesOf(' xmlns:É=one xmlns:İ=two XMLNS:K=three>');
  expect(list.namesWith('xmlns')).toEqual(['xmlns:é', 'xmlns:i̇', 'xmlns:k']);
  expect(list.get('xmlns:é')).toBe('one');
  expect(list.get('xmlns:k')).toBe('three');
});

test('an attribute without a value has an empty one, and one that is not there has none', () => {
  const list = attributesOf(' hidden id="" >');
  expect([list.get('hidden'), list.get('id'), list.get('class')]).toEqual(['', '', undefined]);
});

test('nothing of the tag before is left', () => {
  const list = attributesOf(' a=1 b=2/>');
  list.clear();
  readAttributes(' c=3>', 0, list);
  expect(pairsOf(list)).toEqual([['c', '3']]);
});

test('attributes beyond the limit are dropped', () => {
  const tag = `${Array.from({ length: 400 }, (_, i) => ` a${i}`).join('')}>`;
  expect(pairsOf(attributesOf(tag))).toHaveLength(256);
});
