import { describe, expect, test } from 'vitest';
import { markdown } from './to-markdown.ts';

describe('HTML becomes the Markdown that a person would write', () => {
  test.each([
    ['headings', '<h1>One</h1><h2 class=x>Two <em>three</em></h2>', '# One\n\n## Two *three*'],
    ['paragraphs', '<p>One\n two</p><p>three</p>', 'One two\n\nthree'],
    ['text between elements', 'one<div>two<p>three</p>four</div>', 'one\n\ntwo\n\nthree\n\nfour'],
    ['marks over line breaks', '<p><b>one<br>- two</b></p>', '**one**  \n**- two**'],
    [
      'a link and a picture that begin like a note',
      '<p><a href=x>^1</a> <img src=y alt="^a"></p>',
      '[\\^1](https://example.org/a/x) ![\\^a](https://example.org/a/y)',
    ],
    ['an emoji as a sign', '<p>a<b>😀</b> b</p>', 'a<strong>😀</strong> b'],
    ['code in two marks', '<p><b><code>a</code></b><b><code>b</code></b></p>', '<strong>`a`</strong>**`b`**'],
    ['marks within two marks', '<p><del>a</del><del><i>"b"</i></del></p>', '<del>a</del>~~*"b"*~~'],
    ['several marks within a mark', '<p><b><i>a</i> "<i>b</i></b></p>', '<strong>*a* "*b*</strong>'],
    ['a mark at the beginning of a mark', '<p><b><i>a</i>: b</b></p>', '***a*: b**'],
    ['code that begins a quote', '<blockquote><p><code>``</code> a</p></blockquote>', '> ``` `` ``` a'],
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
      '[text](<https://example.org/a/c?d=(1)>) here',
    ],
    [
      'images with a description',
      '<p>a <img src=/i.png alt="An image"> <img src=/j.png></p>',
      'a ![An image](https://example.org/i.png)',
    ],
    ['code', '<p><code>`a`</code></p>', '`` `a` ``'],
    [
      'code with blanks at its ends',
      '<p>a<code> b  c </code>d <code>static </code>void <code> </code>e</p>',
      'a `b c` d `static` void e',
    ],
    [
      'a link around blocks, at its heading',
      '<a href=x><div>Today</div><h3>A [b]</h3><p>Text</p></a><p>After</p>',
      'Today\n\n### [A \\[b\\]](https://example.org/a/x)\n\nText\n\nAfter',
    ],
    [
      'a link around blocks without a heading, at the first text',
      '<ul><li><a href=x><p>- One<br>line</p><p>two</p></a></ul><a href=y><div><img src=i alt=A></div></a>',
      '- [- One line](https://example.org/a/x)\n\n  two\n\n[![A](https://example.org/a/i)](https://example.org/a/y)',
    ],
    [
      'a link around blocks to nowhere, and to the page itself',
      '<a><p>One</p></a><a href=#top><p>Two</p></a><a href=x><h2><br></h2><p hidden>no</p><p>Three</p></a>',
      'One\n\nTwo\n\n[Three](https://example.org/a/x)',
    ],
    [
      'a link within a link, which it ends',
      '<p><a href=x>a <i><a href=y>b</a></i> c</a> d</p><a href=x><div><a href=y><p>one</p></a></div><p>two</p></a><p>z</p>',
      '[a](https://example.org/a/x) *[b](https://example.org/a/y)* c d\n\n[one](https://example.org/a/y)\n\ntwo\n\nz',
    ],
    [
      'code that is a link',
      '<p><code><a href=s>String</a></code></p>',
      '[`String`](https://example.org/a/s)',
    ],
    [
      'links within code',
      '<p><code>get(<a href=s>String</a> key, <span><a href="t"> T[]&nbsp;</a></span>x<sup>2</sup>)</code></p>',
      '`get(`[`String`](https://example.org/a/s) `key,` [`T[]`](https://example.org/a/t) `x^2)`',
    ],
    [
      'links within code to nowhere, and to the page itself',
      '<p><code>a<a href="http://[">b</a><a href="#c">c</a><a name=d>d</a><a href=e> </a>f</code></p>',
      '`abcd f`',
    ],
    [
      'names of variables, terms and works',
      '<p>Set <var>n</var> of a <dfn>heap</dfn>, see <cite>Sorting</cite>: x<var>[i]</var>y</p>',
      'Set *n* of a *heap*, see *Sorting*: x<em>\\[i\\]</em>y',
    ],
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
    ['code in a quote', '<blockquote><pre>a</pre></blockquote>', '```\na\n```'],
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
    ['terms with bold words', '<dl><dt><b>where</b> <strong>it</strong> is</dl>', '**where it is**'],
    ['items with numbers of their own', '<ol><li value=3>a<li>b<li value=9>c</ol>', '3. a\n4. b\n9) c'],
    ['lists that count down', '<ol reversed><li>a<li>b<li>c</ol>', '3. a\n2) b\n1. c'],
    ['numbers below zero', '<ol start=-1><li>a<li>b</ol>', '- -1\\. a\n0. b'],
    ['two lists in a row', '<ul><li>a</ul><div><ul><li>b</ul></div><ul><li>c</ul>', '- a\n\n* b\n\n- c'],
    ['two numbered lists in a row', '<ol><li>a</ol><ol><li>b<li>c</ol>', '1. a\n\n1) b\n2) c'],
    ['lists of other numbers in an item', '<ul><li>a<ol start=5><li>b</ol></ul>', '- a\n\n  5. b'],
    ['two lists in an item', '<ul><li><ul><li>a</ul><ul><li>b</ul></ul>', '- - a\n  * b'],
    ['lists between items', '<ul><li>a<ul><li>b</ul></li><ul><li>c</ul></ul>', '- a\n  - b\n  - c'],
    [
      'items within other elements of the list',
      '<ul><div><li>a</div><div><li>b<ul><li>c</ul></div></ul><ol start=4><a href=x><li>d</a><x-item><li>e</x-item></ol>',
      '- a\n- b\n  - c\n\n4. [d](https://example.org/a/x)\n5. e',
    ],
    [
      'lists of tasks, and a form',
      '<ul><li><input type=checkbox disabled checked> a<li><p><input disabled type="checkbox"> b</p><li><input type=checkbox> c</ul>',
      '- [x] a\n- [ ] b\n- c',
    ],
    [
      'a picture of AMP',
      '<amp-img src=a.png alt=A><noscript><img src=a.png alt=A></noscript></amp-img>',
      '![A](https://example.org/a/a.png)',
    ],
    ['items without a list', '<div><li>a<li>b<p>c</p></div>', '- a\n\n- b\n\n  c'],
    [
      'text between items, at its place',
      '<ul>One:<li>a<h3>Two</h3><li>b</li>three</ul><ol><li>a</li><p>b</p><li>c</ol>',
      'One:\n\n- a\n\n  ### Two\n\n- b\n\nthree\n\n1. a\n\nb\n\n2. c',
    ],
    ['marks beside one another', '<p><b>a</b><b>b</b> <code>c</code><code>d</code></p>', '**ab** `cd`'],
    ['emphasis within bold', '<p><b>a <i>b</i></b></p>', '**a *b***'],
    [
      'marks that would be none',
      '<p>这是<b>“强调”</b>的 a<i>(b)</i>c</p>',
      '这是<strong>“强调”</strong>的 a<em>(b)</em>c',
    ],
    [
      'exponents',
      '<p>10<sup>27</sup> H<sub>2</sub>O 1<sup>st</sup></p>',
      '10<sup>27</sup> H<sub>2</sub>O 1<sup>st</sup>',
    ],
    ['notes', '<p>In 1702.<sup><a href="#n2">2</a></sup></p>', 'In 1702.<sup>2</sup>'],
    [
      'signs that link to a heading',
      '<h2>One<a href="#one">\u00b6</a></h2><h2>Two <a href="#two">#</a></h2><h2><span><a href="#c">&#9670;&nbsp;</a></span>Three</h2>',
      '## One\n\n## Two\n\n## Three',
    ],
    [
      'arrows back from a note',
      '<ol><li>Text <a href="#ref1">\u21a9\ufe0e</a></li><li><a href="#ref2">\u2191</a> Text</li></ol><p><a href="x">\u2191</a></p>',
      '1. Text\n2. Text\n\n[\u2191](https://example.org/a/x)',
    ],
    [
      'what opens a text that is open, in rustdoc',
      '<details open><summary class="hideme"><span>Expand description</span></summary><p>One</p></details>',
      'One',
    ],
    [
      'what edits a section of MediaWiki',
      '<h2><span>One</span><span class="mw-editsection">[<a href="/w?action=edit">edit</a>]</span></h2>',
      '## One',
    ],
    [
      'links that say that they are one',
      '<p>See <a href="#one">#1</a> <a href="x">#</a></p>',
      'See #1 [#](https://example.org/a/x)',
    ],
    [
      'addresses with marks',
      '<p><a href="http://a.test/?a=\\*&amp;copy;=1">a</a> <a href="w/A_(b)">b</a> <a href="mailto:a%28@b.test">c</a></p>',
      '[a](http://a.test/?a=\\\\*&amp;copy;=1) [b](<https://example.org/a/w/A_(b)>) [c](mailto:a%28@b.test)',
    ],
    [
      'hyphens that are not seen',
      '<p>Do&shy;nau<wbr>dampf&#8203;schiff <code>a&#8203;b</code></p>',
      'Donaudampfschiff `ab`',
    ],
  ])('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  test.each([
    ['<p># a</p>', '\\# a'],
    ['<p>1. a</p>', '1\\. a'],
    ['<p>- a</p>', '\\- a'],
    ['<p>a*b_c[d]&lt;e&gt;`f`</p>', 'a\\*b\\_c\\[d\\]\\<e>\\`f\\`'],
    ['<p>a ~b~ &amp;amp; R&amp;D &amp;#38;</p>', 'a \\~b\\~ \\&amp; R&D \\&#38;'],
    ['<p>$x$ is $5, US$</p>', '\\$x\\$ is $5, US\\$'],
    ['<p>a | b<br>|---|:-:|<br>:--|--:</p>', 'a | b  \n\\|---|:-:|  \n\\:--|--:'],
    ['<p>: a</p><p>| b</p>', '\\: a\n\n\\| b'],
    ['<p>Wow!<a href=c>d</a></p>', 'Wow\\![d](https://example.org/a/c)'],
    ['<h2>About C #</h2><h2>C#</h2><h2>#</h2>', '## About C \\#\n\n## C#\n\n## \\#'],
    ['<h2>1. One</h2><h2>- Two</h2>', '## 1. One\n\n## - Two'],
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
