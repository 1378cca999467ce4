import { describe, expect, test } from 'vitest';
import { textBlocks } from '../../shared/content/blocks.ts';
import { parseElements } from '../../shared/content/element-tree.ts';
import { markdownOf } from '../../shared/content/markdown.ts';

/** Markdown of all blocks, whether they are main content or not. */
function markdown(html: string): string {
  const [root] = parseElements(html);
  return markdownOf(
    root!,
    textBlocks(root!),
    (reference) => URL.parse(reference, 'https://example.org/a/b')?.href,
  );
}

describe('HTML becomes the Markdown that a person would write', () => {
  test.each([
    ['headings', '<h1>One</h1><h2 class=x>Two <em>three</em></h2>', '# One\n\n## Two *three*'],
    ['paragraphs', '<p>One\n two</p><p>three</p>', 'One two\n\nthree'],
    ['text between elements', 'one<div>two<p>three</p>four</div>', 'one\n\ntwo\n\nthree\n\nfour'],
    ['line breaks', '<p>one<br>two<br><br>three</p>', 'one  \ntwo  \nthree'],
    [
      'emphasis',
      '<p>a <b> bold </b>and <i>italic</i>, <del>gone</del></p>',
      'a **bold** and *italic*, ~~gone~~',
    ],
    ['emphasis inside itself', '<b>a <strong>b</strong></b>', '**a b**'],
    [
      'links, absolute',
      '<p><a href="c?d=(1)">text</a> <a href="#x">here</a></p>',
      '[text](https://example.org/a/c?d=%281%29) here',
    ],
    [
      'images with a description',
      '<p>a <img src=/i.png alt="An image"> <img src=/j.png></p>',
      'a ![An image](https://example.org/i.png)',
    ],
    ['code', '<p><code>`a`</code></p>', '`` `a` ``'],
    ['code with backticks', '<p>Call <code>f(`x`)</code></p>', 'Call ``f(`x`)``'],
    [
      'code blocks with their language',
      '<pre><code class="language-rust">fn main() {\n    x();\n}\n</code></pre>',
      '```rust\nfn main() {\n    x();\n}\n```',
    ],
    ['code that holds a fence', '<pre>```\na\n```</pre>', '````\n```\na\n```\n````'],
    ['lists', '<ul><li>one<li>two<ul><li>three</ul></ul>', '- one\n- two\n  - three'],
    ['numbered lists', '<ol start=3><li>one</li><li>two</li></ol>', '3. one\n4. two'],
    ['lists of paragraphs', '<ul><li><p>a</p><p>b</p></li><li>c</li></ul>', '- a\n\n  b\n\n- c'],
    ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    [
      'tables',
      '<table><caption>T</caption><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>2<br>3</td></tr></table>',
      'T\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 3 |',
    ],
    [
      'tables for the layout of a page',
      '<table><tr><td><h2>a</h2></td><td><ul><li>b</li></ul></td></tr><tr><td>c</td></tr></table>',
      '## a\n\n- b\n\nc',
    ],
    ['definitions', '<dl><dt>term<dd>meaning</dl>', '**term**\n\nmeaning'],
  ])('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  test.each([
    ['<p># a</p>', '\\# a'],
    ['<p>1. a</p>', '1\\. a'],
    ['<p>- a</p>', '\\- a'],
    ['<p>a*b_c[d]&lt;e&gt;`f`</p>', 'a\\*b\\_c\\[d\\]\\<e>\\`f\\`'],
  ])('text that looks like Markdown is escaped: %s', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  test('quotes nested without end grow no more than their text', () => {
    expect(markdown('<blockquote>a'.repeat(500)).length).toBeLessThan(500 * 80);
    expect(markdown('<ul><li>a'.repeat(200)).length).toBeLessThan(200 * 80);
  });

  test('what is not seen is left out', () => {
    const html =
      '<style>a</style><script>b</script><p hidden>c</p><p style="display: none">d</p><p>e<template>f</template></p><!-- g -->';
    expect(markdown(html)).toBe('e');
  });
});
