import { describe, expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { markdown, texts } from './to-markdown.ts';

const fenced = (code: string, language = '') => `\`\`\`${language}\n${code}\n\`\`\``;

describe('lines of code that are elements', () => {
  const gutter = (n: number) => `<div class="gutter"><div class="ln" aria-hidden="true">${n}</div></div>`;
  test.each([
    ['blocks', '<pre><code><div>a = 1</div><div>b = 2</div></code></pre>', 'a = 1\nb = 2'],
    [
      'blocks that end with a line feed',
      '<pre><div>a\n</div><div>\n</div><div>  b\n</div></pre>',
      'a\n\n  b',
    ],
    [
      'Expressive Code',
      `<pre><code>${['a', '\n', '  b'].map((line, i) => `<div class="ec-line">${gutter(i + 1)}<div class="code">${line}</div></div>`).join('')}</code></pre>`,
      'a\n\n  b',
    ],
    [
      'empty blocks among others',
      '<pre><div class=l>a</div><div class=l></div><div class=l>b</div></pre>',
      'a\n\nb',
    ],
    ['breaks', '<pre>a<br>b<br><br>c</pre>', 'a\nb\n\nc'],
    [
      'spans shown as blocks',
      '<pre><span style="display:block">a</span><span style="display: block">b</span></pre>',
      'a\nb',
    ],
    [
      'spans that a style sheet shows as blocks',
      '<pre><code><span class="line">a</span><span class="line"> b</span></code></pre>',
      'a\n b',
    ],
    ['spans with line feeds', '<pre><span class="line">a</span>\n<span class="line">b</span></pre>', 'a\nb'],
    ['items', '<pre class="prettyprint linenums"><ol><li class=L0>a<li class=L1>b</ol></pre>', 'a\nb'],
    [
      'a table of rows',
      '<pre><table class="hljs-ln"><tr><td class="hljs-ln-numbers">1</td><td>a</td></tr><tr><td class="hljs-ln-numbers">2</td><td> b</td></tr></table></pre>',
      'a\n b',
    ],
    [
      'a table of Scribble, whose blanks are elements',
      '<blockquote class=SCodeFlow><table class="RktBlk"><tr><td>(<a href=d>define</a> x</td></tr><tr><td><span class=hspace>&nbsp;</span></td></tr><tr><td><span class=hspace>&nbsp;&nbsp;</span>1)</td></tr></table></blockquote>',
      '(define x\n \n  1)',
    ],
    [
      'a table of two columns in code',
      '<pre><code><table><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td><td class="rouge-code"><pre>a\nb\n</pre></td></tr></table></code></pre>',
      'a\nb',
    ],
    [
      'a column of numbers beside the code',
      '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td><td class="code"><pre>a\nb</pre></td></tr></table>',
      'a\nb',
    ],
    [
      'numbers without a class',
      '<table><tr><td><pre>9\n10</pre></td><td><pre>a\nb</pre></td></tr></table>',
      'a\nb',
    ],
    [
      'Doxygen',
      '<div class="fragment"><div class="line"><span class="lineno">    1</span>int a;</div>\n<div class="line"><span class="lineno">    2</span>  b();</div>\n</div>',
      'int a;\n  b();',
    ],
    [
      'Doxygen, with lines that fold',
      '<div class="fragment"><div class="foldopen"><div class="line"><span class="lineno">1</span>int a;</div></div><div class="line">b();</div></div>',
      'int a;\nb();',
    ],
    [
      'SyntaxHighlighter',
      '<div class="syntaxhighlighter"><table><tr><td class="gutter"><div class="line">1</div><div class="line">2</div></td><td class="code"><div><div class="line">a</div><div class="line">b</div></div></td></tr></table></div>',
      'a\nb',
    ],
    ['code outside of pre', '<code><div>a</div><div>b</div></code>', 'a\nb'],
    ['code with breaks outside of pre', '<p><code>a<br>b</code></p>', 'a\nb'],
    ['listing', '<listing>a\nb</listing>', 'a\nb'],
    ['xmp', '<xmp><b>a</b>\nb</xmp>', '<b>a</b>\nb'],
    [
      'numbers that a highlighter marks',
      '<pre>a = <span class="number">3.0</span>;\n<span class="hljs-number">4</span> <span class="token number">5</span> <i class="num">6</i> <b class="mi">7</b></pre>',
      'a = 3.0;\n4 5 6 7',
    ],
    ['numbers that are the code', '<pre>1\n2\n3</pre>', '1\n2\n3'],
    ['exponents and notes', '<pre>x<sup>2</sup> = 4</pre>', 'x^2 = 4'],
  ])('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(fenced(expected));
    expect(texts(html)).toEqual([expected.replace(/\s+/g, ' ').trim()]);
  });

  test('are kept as a whole on a short page', () => {
    const line = (text: string) => `<div class="ec-line"><div class="code"><span>${text}</span></div></div>`;
    const page = (code: string) =>
      extractContent(
        `<title>Install</title><nav><a href=a>One</a> <a href=b>Two</a></nav><main><h1>Install</h1><p>Install the package with npm, and import it, as the following lines show.</p><pre><code>${code}</code></pre><p>Then it runs by itself, and you can look at its output, which is in the folder.</p></main>`,
        'https://example.org/',
      );
    const lines = ['npm i x', 'import x', 'x()'];
    const { markdown: written, text } = page(lines.map(line).join(''));
    expect(written).toContain(fenced(lines.join('\n')));
    expect(written).toBe(page(lines.join('\n')).markdown);
    expect(text).toBe(page(lines.join('\n')).text);
  });

  test('a pre around paragraphs and headings is none of lines', () => {
    expect(texts('<pre><h2>Name</h2>a<p>b</pre>')).toEqual(['Name', 'a', 'b']);
  });

  test.each([1, 95, 9_990])('numbers beside it in one text, from %i, are left out', (first) => {
    const numbers = Array.from({ length: 30 }, (_, i) => first + i).join('\n');
    const html = `<div><pre><code>let a;\nlet b;</code></pre><div class="line-numbers">${numbers}</div></div>`;
    expect(markdown(html)).toBe(fenced('let a;\nlet b;'));
  });

  test('many numbers of lines take linear time', () => {
    const row = '<tr><td class="gutter">1</td><td>code</td></tr>';
    const html = `<pre><table>${row.repeat(25_000)}</table></pre>`;
    expect(markdown(html).length).toBe('```\n'.length + 5 * 25_000 + 3);
  });
});

test.each([
  ['<pre><code class="language-JS">a</code></pre>', 'js'],
  ['<pre class="sourceCode python"><code class="sourceCode python">a</code></pre>', 'python'],
  ['<div class="sourceCode" id=cb1><pre class="sourceCode numberSource c"><code>a</code></pre></div>', 'c'],
  ['<div class="highlight-python3 notranslate"><div class="highlight"><pre>a</pre></div></div>', 'python3'],
  ['<div class="highlight-default"><div class="highlight"><pre>a</pre></div></div>', ''],
  ['<div class="highlight highlight-source-shell"><pre>a</pre></div>', 'shell'],
  ['<pre data-language="rust"><code>a</code></pre>', 'rust'],
  ['<pre><code data-lang="go" class="language-switcher">a</code></pre>', 'go'],
  ['<div class="language-switcher-tab"><pre>a</pre></div>', ''],
  ['<pre class="brush: php; toolbar: false">a</pre>', 'php'],
  ['<pre class="lang-c++">a</pre>', 'c++'],
  ['<pre><code class="hljs yaml">a</code></pre>', 'yaml'],
  ['<pre class="source">a</pre>', ''],
  ['<pre><code class="language-none">a</code></pre>', ''],
  ['<div class="mw-highlight mw-highlight-lang-js mw-content-ltr"><pre>a</pre></div>', 'js'],
  ['<figure class="highlight sh"><table><tr><td class="code"><pre>a</pre></td></tr></table></figure>', 'sh'],
  ['<figure class="highlight plaintext"><pre>a</pre></figure>', ''],
  ['<figure class="highlight"><pre>a</pre></figure>', ''],
  ['<pre class="code c++">a</pre>', 'c++'],
  ['<pre class="src src-emacs-lisp">a</pre>', 'emacs-lisp'],
  ['<pre class="code python literal-block">a</pre>', 'python'],
  ['<pre class="code literal-block">a</pre>', ''],
  ['<pre class="code">a</pre>', ''],
  ['<pre class="rust rust-example-rendered"><code>a</code></pre>', 'rust'],
  ['<pre class="sh"><code>a</code></pre>', 'sh'],
  ['<pre class="wide sh">a</pre>', ''],
  ['<div class="code js"><pre>a</pre></div>', ''],
])('the language of %s', (html, language) => {
  expect(markdown(html)).toBe(fenced('a', language));
});

describe('beside code in an element for it alone', () => {
  const numbers = '<div class="line-numbers-wrapper"><span>1</span><br><span>2</span><br></div>';
  const code = (around: string) => `<div class="language-js">${around}<pre><code>a\nb</code></pre></div>`;

  test('the name of its language and its line numbers are no text', () => {
    expect(
      markdown(code('<button>Copy</button><span class=lang>JS</span>').replace('</pre>', `</pre>${numbers}`)),
    ).toBe(fenced('a\nb', 'js'));
  });

  test('other text is', () => {
    expect(markdown(code('<span class=lang>app.js</span>'))).toContain('app.js');
    expect(markdown(code('<p>js</p>'))).toContain('js\n\n`');
    expect(markdown(code('').replace('</pre>', '</pre><div class=lineno>1 4</div>'))).toContain('1 4');
    expect(markdown(`<div>${numbers}</div>`)).toContain('2');
    expect(markdown(code('').replace('</pre>', '</pre><div>js</div>'))).toMatch(/js$/);
  });
});

test('labels beside each other are words of their own', () => {
  expect(markdown('<div><input><label>npm</label><input><label>pnpm</label></div>')).toBe('npm pnpm');
  expect(markdown('<div>w<label>ord</label></div>')).toBe('word');
});
