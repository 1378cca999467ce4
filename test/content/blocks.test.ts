import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textBlocks } from '../../shared/content/blocks.ts';
import { parseElements } from '../../shared/content/element-tree.ts';
import { measureText } from '../../shared/content/text-measure.ts';

const blocks = (html: string) =>
  textBlocks(parseElements(html)[0]!).map(({ text, element }) => [element.name, text]);

describe('the text of a page falls into blocks', () => {
  test.each([
    [
      '<p>a <b>b</b><p>c',
      [
        ['p', 'a b'],
        ['p', 'c'],
      ],
    ],
    [
      '<div>a<p>b</p>c</div>',
      [
        ['div', 'a'],
        ['p', 'b'],
        ['div', 'c'],
      ],
    ],
    [
      '<a><div>a</div>b</a>',
      [
        ['div', 'a'],
        ['a', 'b'],
      ],
    ],
    ['<td>a<br>b', [['td', 'a b']]],
    ['<p>a<script>b</script>c', [['p', 'ac']]],
  ])('%s', (html, expected) => {
    expect(blocks(html)).toEqual(expected);
  });

  test('no text is lost, and none stands twice', () => {
    const node = fc.letrec((tie) => ({
      node: fc.oneof(
        { weight: 2, arbitrary: fc.nat({ max: 9 }).map((n) => ` w${n} `) },
        fc
          .tuple(
            fc.constantFrom('div', 'b', 'a', 'ul', 'li', 'span', 'section'),
            fc.array(tie('node'), { maxLength: 4 }),
          )
          .map(([name, inner]) => `<${name}>${inner.join('')}</${name}>`),
      ),
    })).node;
    fc.assert(
      fc.property(node, (html) => {
        const words = (text: string) => text.match(/w\d/g) ?? [];
        const found = blocks(html as string).flatMap(([, text]) => words(text!));
        expect(found).toEqual(words(html as string));
      }),
    );
  });
});

test.each([
  ['', { words: 0, sentences: 0, commas: 0, digits: 0, capitals: 0 }],
  ['One, two. Three 45!', { words: 4, sentences: 2, commas: 1, digits: 2, capitals: 2 }],
  ['example.org 3.5', { words: 4, sentences: 0, commas: 0, digits: 2, capitals: 0 }],
  ['Größe, Ελλάδα; 東京。', { words: 3, sentences: 1, commas: 2, digits: 0, capitals: 2 }],
])('counts in %j', (text, expected) => {
  expect(measureText(text)).toEqual(expected);
});
