import { describe, expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { withoutHang } from '../../hang-guard.ts';
import { markdown, texts } from './to-markdown.ts';

const annotated = (tex: string, attributes = '') =>
  `<math ${attributes}><semantics><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">${tex}</annotation></semantics></math>`;

describe('formulas within a sentence', () => {
  test.each([
    ['MathML with its TeX', annotated('E = mc^2'), 'E = mc^2', '$E = mc^2$'],
    [
      'KaTeX',
      `<span class="katex"><span class="katex-mathml">${annotated('a_1')}</span><span class="katex-html" aria-hidden="true">a1</span></span>`,
      'a_1',
      '$a_1$',
    ],
    [
      'KaTeX on a line of its own',
      `<span class="katex-display"><span class="katex"><span class="katex-mathml">${annotated('a_1', 'display="block"')}</span><span class="katex-html" aria-hidden="true">a1</span></span></span>`,
      'a_1',
      '$$a_1$$',
    ],
    [
      'MathJax 2',
      '<span class="MathJax_Preview">x1</span><span class="MathJax" id=M1><nobr>x1</nobr></span><script type="math/tex">x_1</script>',
      'x_1',
      '$x_1$',
    ],
    [
      'MathJax 2 before it ran',
      '<script type="math/tex; mode=display">\\sum x</script>',
      '\\sum x',
      '$$\\sum x$$',
    ],
    [
      'MathJax 3',
      '<mjx-container class="MathJax" jax="CHTML"><mjx-math aria-hidden="true"><mjx-mi>x</mjx-mi></mjx-math><mjx-assistive-mml><math><msqrt><mi>x</mi></msqrt></math></mjx-assistive-mml></mjx-container>',
      'sqrt(x)',
      '$\\sqrt{x}$',
    ],
    [
      'MediaWiki',
      `<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">${annotated('{\\displaystyle E=mc^{2}}', 'alttext="{\\displaystyle E=mc^{2}}"')}</span><img src=x.svg class="mwe-math-fallback-image-inline" aria-hidden=true alt="{\\displaystyle E=mc^{2}}"></span>`,
      'E=mc^{2}',
      '$E=mc^{2}$',
    ],
    ['alttext', '<math alttext="\\alpha"><mi>\u03b1</mi></math>', '\\alpha', '$\\alpha$'],
    ['a picture', '<img class="latex" src=x alt="$\\beta$">', '\\beta', '$\\beta$'],
    [
      'an attribute',
      '<span class="math-inline" data-math="a^2"><span>a</span><span>2</span></span>',
      'a^2',
      '$a^2$',
    ],
    ['another one', '<span class="ztext-math" data-tex="\\beta">b</span>', '\\beta', '$\\beta$'],
    ['Sphinx', '<span class="math notranslate">\\(a^2\\)</span>', 'a^2', '$a^2$'],
    ['pandoc', '<span class="math inline">a^2</span>', 'a^2', '$a^2$'],
    ['Stack Exchange', '<span class="math-container">$a^2$</span>', 'a^2', '$a^2$'],
  ])('%s', (_, html, text, written) => {
    expect(texts(`<p>We know ${html} well.</p>`)).toEqual([`We know ${text} well.`]);
    expect(markdown(`<p>We know ${html} well.</p>`)).toBe(`We know ${written} well.`);
  });

  test.each([
    ['<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>', 'E = mc^2', 'E = mc^{2}'],
    ['<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>', '(a + b)/2', '\\frac{a + b}{2}'],
    [
      '<msubsup><mo>\u2211</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></msubsup>',
      '\u2211_(i = 0)^n',
      '\u2211_{i = 0}^{n}',
    ],
    [
      '<mroot><mi>x</mi><mn>3</mn></mroot><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>',
      'root(x, 3)sinx',
      '\\sqrt[3]{x}\\mathrm{sin}x',
    ],
    [
      '<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable>',
      '[1, 2; 3, 4]',
      '\\begin{matrix} 1 & 2 \\\\ 3 & 4 \\end{matrix}',
    ],
    [
      '<mtext>50 %</mtext><mphantom><mi>x</mi></mphantom><msup><mi>x</mi></msup>',
      '50 %x^',
      '\\text{50 \\%}x^{}',
    ],
    [
      '<munder><mi>lim</mi><mi>x</mi></munder><mover><mi>y</mi><mo>\u00af</mo></mover>',
      'lim_xy^(\u00af)',
      '\\underset{x}{\\mathrm{lim}}\\overset{\u00af}{y}',
    ],
  ])('MathML without TeX: %s', (mathml, text, tex) => {
    expect(texts(`<p>a <math>${mathml}</math> b`)).toEqual([`a ${text} b`]);
    expect(markdown(`<p>a <math>${mathml}</math> b`)).toBe(`a $${tex}$ b`);
  });
});

test('a block of its own', () => {
  const html =
    '<div class="math"><span class="eqno">(1)<a href="#e">\u00b6</a></span>\\[a =\nb % why\n + c\\]</div>';
  expect(markdown(`<p>a</p>${html}<p>b</p>`)).toBe('a\n\n$$a = b + c$$\n\nb');
});

test.each([
  ['a price beside a formula', `<p>$5 for ${annotated('x')}, $6</p>`, '\\$5 for $x$, \\$6'],
  ['a digit behind it', `<p>${annotated('x')}2</p>`, '$x$ 2'],
  ['a formula with a dollar', `<p>${annotated('\\text{\\$5}')}</p>`, '`\\text{\\$5}`'],
  [
    'HTML in a formula',
    `<p>${annotated('a &lt;img src=x onerror=alert(1)&gt;')}</p>`,
    '$a \\lt img src=x onerror=alert(1)\\gt$',
  ],
  ['a link in a formula', `<p>${annotated('[x](javascript:alert(1))')}</p>`, '$[x] (javascript:alert(1))$'],
  ['a norm', `<p>${annotated('\\|x\\|')}</p>`, '$\\Vert x\\Vert$'],
  [
    'words that only have such a class',
    '<p class="math-course">Maths <span class="latex">paint</span> is fun</p>',
    'Maths paint is fun',
  ],
])('%s', (_, html, expected) => {
  expect(markdown(html)).toBe(expected);
});

test('a formula of a million elements has an end', () => {
  expect(markdown(`<p><math>${'<msup><mi>x</mi>'.repeat(20_000)}</math>`).length).toBeLessThan(100_000);
});

test.each([
  ['formulas in one another', `${'<math>'.repeat(400)}${'<mi>x</mi>'.repeat(80_000)}`],
  [
    'scripts behind what they show',
    `${'<span class=MathJax>x</span>'.repeat(40_000)}${'<script type="math/tex">x</script>'.repeat(40_000)}`,
  ],
  ['exponents in one another', `a${'<sup>b'.repeat(500)}${'x'.repeat(1_000_000)}`],
])('%s take linear time', (_, html) => {
  expect(withoutHang(() => markdown(`<p>${html}`)).length).toBeGreaterThan(0);
});

test('a formula of the main content is in text and Markdown', () => {
  const html = `<main><h1>Energy</h1><p>The energy of a body at rest, ${annotated('E = mc^2')}, was found by Einstein in 1905.</p></main>`;
  const { text, markdown: written } = extractContent(html, 'https://example.org/');
  expect(text).toContain('at rest, E = mc^2, was found');
  expect(written).toContain('at rest, $E = mc^2$, was found');
});
