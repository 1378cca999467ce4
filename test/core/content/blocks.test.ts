import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textBlocks } from '../../../shared/core/content/blocks.ts';
import { parseElements } from '../../../shared/core/content/element-tree.ts';
import { fold } from '../../../shared/core/content/fold.ts';
import { readText } from '../../../shared/core/content/text-measure.ts';
import { withoutUnseen } from '../../../shared/core/text/unseen-characters.ts';

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
    [
      '<div>a<span style="display: Block">b</span>c</div>',
      [
        ['div', 'a'],
        ['span', 'b'],
        ['div', 'c'],
      ],
    ],
    [
      '<p>a<div style="display:inline">b</div>c',
      [
        ['p', 'a'],
        ['#document', 'bc'],
      ],
    ],
    [
      '<x-a><x-b><p>a</x-b>b</x-a>',
      [
        ['p', 'a'],
        ['x-a', 'b'],
      ],
    ],
    ['<p>a <x-b><template><p>c</template>b</x-b></p>', [['p', 'a b']]],
    [
      '<x-a><template shadowrootmode=open><p>a</p></template><p>b</p></x-a>',
      [
        ['p', 'a'],
        ['p', 'b'],
      ],
    ],
  ])('%s', (html, expected) => {
    expect(blocks(html)).toEqual(expected);
  });

  test.each(
    'x-term output meter progress math mi mrow rb rtc map meta link param data slot noscript area font unknown'.split(
      ' ',
    ),
  )('<%s> stands within a line', (name) => {
    expect(blocks(`<p>The planet <${name}>Jupiter</${name}> is large.</p>`)).toEqual([
      ['p', 'The planet Jupiter is large.'],
    ]);
  });

  test.each([
    ['10<sup>27</sup> kg', '10^27 kg'],
    ['x<sup>n+1</sup>, (a)<sup>2</sup>, e<sup>i x</sup>', 'x^(n+1), (a)^2, e^(i x)'],
    ['In 1702.<sup>2</sup> And <a href="#fn1"><sup>1</sup></a>', 'In 1702.[2] And 1'],
    [
      'in 1702<sup><a href="#fn2">2</a></sup> or 1702<sup class="reference"><a href="#c">[3]</a></sup>',
      'in 1702[2] or 1702[3]',
    ],
    [
      '1<sup>st</sup>, 2<sup>nd</sup>, Acme<sup>\u2122</sup>, note<sup>*</sup>',
      '1st, 2nd, Acme\u2122, note*',
    ],
    [
      'H<sub>2</sub>O, Ca(OH)<sub>2</sub>, x<sub>i</sub>, log<sub>2</sub>8, 101<sub>2</sub>',
      'H2O, Ca(OH)2, x_i, log_28, 101_2',
    ],
    ['a<sup>b<sup>c</sup></sup><sup></sup>', 'a^bc'],
    ['Do&shy;nau&#8203;dampf\0schiff &#8288;a&#65279;b', 'Donaudampfschiff ab'],
    ['\u0e44\u0e17\u0e22&#8203;\u0e44\u0e17\u0e22', '\u0e44\u0e17\u0e22\u200b\u0e44\u0e17\u0e22'],
  ])('the text of %s', (html, expected) => {
    expect(blocks(`<p>${html}</p>`)).toEqual([['p', expected]]);
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
  expect(readText(text).counts).toEqual(expected);
});

test('white space is folded and nothing unseen is kept, whatever the text is', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '東',
    '😀',
    'ก',
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u0000',
    '.',
    ',',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = fold(withoutUnseen(pieces.join('')));
      expect(readText(pieces.join(''))).toEqual({ text, counts: readText(text).counts });
    }),
  );
});

test.each([
  ['<h1><a href="/">Install it</a></h1>', 2],
  ['<h1><a onclick="go()">Install it</a></h1>', 2],
  ['<h1><a name="install">Install it</a></h1>', 0],
  ['<h1><a id="install"/>Install it</h1>', 0],
  ['<a name="install"><h1>Install it</h1></a>', 0],
  ['<h1><a name="install" href="#install">Install it</a></h1>', 2],
])('the mark of a place that others link to is no link: %s', (html, linkWords) => {
  expect(textBlocks(parseElements(html)[0]!).map((block) => block.linkWords)).toEqual([linkWords]);
});
