/** Words that readers see apart are words of their own, and what they do not see within a line is not there. */
import { describe, expect, test } from 'vitest';
import { withoutHang } from '../../hang-guard.ts';
import { markdown, texts } from './to-markdown.ts';

/** Plain text of the first block, the same in the Markdown, links and marks aside. */
const lineOf = (html: string): string => {
  const [line = ''] = texts(html);
  expect(
    markdown(html)
      .replace(/\]\([^)]*\)|[[*`#\]]/g, '')
      .trim(),
  ).toBe(line);
  return line;
};

describe('a blank is between', () => {
  test.each([
    ['links', '<div><a href=a>Privacy</a><a href=b><span>Terms</span></a></div>', 'Privacy Terms'],
    [
      'a link and a count in it',
      '<div><a class=tag_zVej href=t>Docusaurus<span>4</span></a></div>',
      'Docusaurus 4',
    ],
    [
      'a title and a text',
      '<h1><span class="name clip">Vite Widgets</span><span class=text>Widgets that are fast</span></h1>',
      'Vite Widgets Widgets that are fast',
    ],
    [
      'a description and a title',
      '<p><span class=desc>Next page</span><span class=title>Start</span></p>',
      'Next page Start',
    ],
    ['a text and its badge', '<p>Messages<span class="badge bg-info">4</span></p>', 'Messages 4'],
    ['a text and its count', '<p>coffee<span class=tagCount_x>3</span>or tea</p>', 'coffee 3 or tea'],
    ['a term and its class', '<dl><dt>start<span class=classifier>integer</span></dt></dl>', 'start integer'],
    ['a time and a link', '<p><time>2012-03-30</time><a href=w>Welcome</a></p>', '2012-03-30 Welcome'],
    ['tabs', '<div><span role=tab>npm</span><span role=tab>pnpm</span></div>', 'npm pnpm'],
    ['what stands beside a button', '<div>Copy<button>go</button>this</div>', 'Copy this'],
    ['what stands beside a picture', '<div>Home<svg><path d=""/></svg>Products</div>', 'Home Products'],
  ])('%s', (_, html, text) => {
    expect(lineOf(html)).toBe(text);
  });
});

describe('a word stays whole', () => {
  test.each([
    ['in bold type', '<p><b>W</b>ord <span class=dropcap>O</span>nce</p>', 'Word Once'],
    [
      'of runs with the same class',
      '<p><span class="run text">child</span><span class="run text">ren</span></p>',
      'children',
    ],
    [
      'of runs that only style sheets know',
      '<p><span class=c3>H</span><span class=c2>ello</span></p>',
      'Hello',
    ],
    ['in a link', '<p>two <a href=c>chair</a>s, CO<span>2</span></p>', 'two chairs, CO2'],
    ['behind the mark of a place', '<p>w<a name=x></a><a href=y>ord</a></p>', 'word'],
    ['after a link that ends with a dot', '<p><a href=m>mod</a>.<a href=f>fn</a></p>', 'mod.fn'],
    ['in code', '<p><code>a<span class=tag>b</span><a href=x>c</a><a href=y>d</a></code></p>', 'abcd'],
  ])('%s', (_, html, text) => {
    expect(lineOf(html)).toBe(text);
  });

  test('in lines of code, and at exponents', () => {
    expect(markdown('<pre>a<span class=tag>b</span><a href=x>c</a><a href=y>d</a></pre>')).toBe(
      '```\nabcd\n```',
    );
    expect(texts('<p><a href=a>note</a><a href=b><sup>5</sup></a> x<sup class=date>2</sup></p>')).toEqual([
      'note^5 x^2',
    ]);
  });
});

describe('text for screen readers', () => {
  test.each([
    [
      'is left out beside other text',
      '<ul><li><span class=icon-dir><span class=sr-only>Directory</span><svg></svg></span>src</ul>',
      'src',
    ],
    [
      'in a link, too',
      '<p><a href=g>GitHub<span class="VisuallyHidden-x visually-hidden">(new tab)</span></a></p>',
      'GitHub',
    ],
    [
      'names a link that is a picture',
      '<p>See <a href=g><svg></svg><span class=sr-only>GitHub</span></a><a href=x>X</a></p>',
      'See GitHub X',
    ],
    [
      'is the text of a cell with a picture',
      '<table><tr><th>Safari<tr><td><i class="mark"></i><span class=visually-hidden>Yes</span></table>',
      'Safari',
    ],
    ['that a wide screen shows stays', '<p>Go <span class="not-sr-only">home</span></p>', 'Go home'],
  ])('%s', (_, html, text) => {
    expect(texts(html)[0]).toBe(text);
  });

  test('stays where it is all of a cell or a heading', () => {
    const cell = '<table><tr><td>Safari<td><svg></svg><span class=visually-hidden>Yes</span></table>';
    expect(texts(cell)).toEqual(['Safari', 'Yes']);
    expect(markdown('<h2 class=sr-only>Results</h2><p>one</p>')).toBe('## Results\n\none');
  });
});

describe('icons are no words', () => {
  test.each([
    ['by the name of a picture', '<p><i class="material-icons red">arrow_back</i>Docs</p>', 'Docs'],
    ['by a character of private use', '<p>Mail<i class=fa>&#xf015;</i>us</p>', 'Mail us'],
    [
      'by a letter',
      '<p><span class=icona><span class=icon>N</span></span><a href=w>widgets</a></p>',
      'widgets',
    ],
  ])('%s', (_, html, text) => {
    expect(lineOf(html)).toBe(text);
  });

  test('but arrows are text', () => {
    expect(lineOf('<p>f() <span class=sig-return-icon>→</span> int</p>')).toBe('f() → int');
  });
});

test('many elements of a line take linear time', () => {
  const hidden = '<span class=sr-only>a</span>';
  const html = `<p>${hidden.repeat(30_000)}</p><p>${'<a href=x>a</a>'.repeat(30_000)}</p>${'<i class=icon>'.repeat(5_000)}x`;
  expect(withoutHang(() => texts(html)).length).toBeGreaterThan(1);
});
