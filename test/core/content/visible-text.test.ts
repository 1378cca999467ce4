import { expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { withoutHang } from '../../hang-guard.ts';

const visibleText = (html: string) => extractContent(html, 'http://a.test/').visibleText;

test.each(['<math>', '<div>', '<div></x>', '<b>'])('a page of a million open elements %s ends', (tag) => {
  expect(withoutHang(() => visibleText(`a${tag.repeat(1_000_000)}b`))).toMatch(/^a/);
});

const tex =
  '<math><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">E = mc^2</annotation></math>';

test.each([
  [
    'The planet <x-term>Jupiter</x-term> is <output>large</output>.<p>b<div>c</div>',
    'The planet Jupiter is large. b c',
  ],
  ['a<button>b</button>c<br>d', 'a b c d'],
  ['a<x-b><template shadowrootmode=open><p>b</p></template>c</x-b>', 'a b c'],
  ['10<sup>27</sup> kg, H<sub>2</sub>O, 1<sup>st</sup>, x<sub>i</sub>', '10^27 kg, H2O, 1st, x_i'],
  [
    'in 1702.<sup>2</sup> or 1702<sup><a href="#n">3</a></sup> or 1702<a href="#n"><sup>4</sup></a>',
    'in 1702.[2] or 1702[3] or 1702[4]',
  ],
  ['x<sup>a<sup>b</sup></sup>c', 'x^abc'],
  ['<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>', 'E=mc^2'],
  ['<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math> c', 'a/b c'],
  [
    `<span class="katex"><span class="katex-mathml">${tex}</span><span class="katex-html">E=mc2</span></span>`,
    'E = mc^2',
  ],
  ['Do&shy;nau&#8203;dampf&#0;', 'Donaudampf\ufffd'],
])('the visible text of %s', (html, expected) => {
  expect(visibleText(html)).toBe(expected);
});
