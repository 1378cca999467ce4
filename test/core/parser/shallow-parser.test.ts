import { expect, test } from 'vitest';
import { MAX_DEPTH, parseShallow } from '../../../shared/core/parser/shallow-parser.ts';

function tagsOf(html: string, wanted: readonly string[]) {
  const tags: [string, Readonly<Record<string, string>>][] = [];
  let forgotten = 0;
  const handler = {
    onopentag(name: string, attributes: Readonly<Record<string, string>>) {
      tags.push([name, attributes]);
    },
  };
  parseShallow(html, handler, () => forgotten++, new Set(wanted));
  return { tags, forgotten };
}

test('wanted attributes have names in lower case, and the first of a name counts', () => {
  const { tags } = tagsOf('<A HREF=/1 hREF=/2 hrefs=/3 Id title="a &amp; b"><img data-SRC=x>', [
    'href',
    'id',
    'title',
    'data-src',
  ]);
  expect(tags).toEqual([
    ['a', { href: '/1', id: '', title: 'a & b' }],
    ['img', { 'data-src': 'x' }],
  ]);
});

test('attributes that objects have anyway are attributes of pages, too', () => {
  const { tags } = tagsOf('<p constructor=1 toString>', ['constructor', 'tostring']);
  expect(tags).toEqual([['p', { constructor: '1', tostring: '' }]]);
});

test('elements around too many others are forgotten', () => {
  const { tags, forgotten } = tagsOf('<div>'.repeat(MAX_DEPTH + 10), ['id']);
  expect(tags).toHaveLength(MAX_DEPTH + 10);
  expect(forgotten).toBe(10);
});
