import { describe, expect, test } from 'vitest';
import { textBlocks } from '../../../shared/core/content/blocks.ts';
import { parseElements } from '../../../shared/core/content/element-tree.ts';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { linkLists } from '../../../shared/core/content/link-lists.ts';
import { asideBlocks } from '../../../shared/core/content/marked-aside.ts';
import { withoutHang } from '../../hang-guard.ts';

const links = (count: number) =>
  Array.from({ length: count }, (_, i) => `<li><a href="/page-${i}.html">Topic ${i}</a></li>`).join('');
const TEXT =
  '<p>Returns the largest of the values that the source can give, whatever was asked of it before.</p>' +
  '<h2>Parameters</h2><p>None. The value depends on the type alone, and is never negative.</p>';
const textOf = (html: string) => extractContent(html, 'https://docs.example/max.html').text;

describe('a short page of a reference', () => {
  const page = (around: string, head = '') =>
    `<html><head><title>max</title>${head}</head><body>${around}<div id=content><h1>max</h1>${TEXT}</div></body></html>`;

  test.each([
    ['navbar of MediaWiki', `<div class="t-navbar"><table><tr><td>${links(9)}</td></tr></table></div>`],
    [
      'head of DocBook',
      '<div class="navheader"><table><tr><td><a href=p>Prev</a></td><td>Topic 3</td></tr></table></div>',
    ],
    ['path of Doxygen', `<div id="nav-path" class="navpath"><ul>${links(3)}</ul></div>`],
    [
      'neighbours of pydata-sphinx-theme',
      `<div class="prev-next-info"><p>next</p><p><a href=n>Topic 3</a></p></div>`,
    ],
    [
      'contents of the whole manual',
      `<div id=tocframe><h4>Manual</h4><ul class=toc>${links(200)}</ul></div>`,
    ],
  ])('is without the %s', (_, navigation) => {
    expect(textOf(page(navigation))).toContain('Returns the largest');
    expect(textOf(page(navigation))).not.toContain('Topic 3');
  });

  test.each([
    ['ocamldoc', '<div class="navigate"><a href=p>Previous</a> <a href=n>Next</a></div>'],
    ['Boost', '<div class="spirit-nav"><a href=p>Previous</a> <a href=n>Next</a></div>'],
    [
      'texi2any',
      '<table class=header><tr><td>[<a href=p> &lt;&lt; </a>]<td>[<a href=u> Up </a>]<td>&nbsp;<td>[<a href=i>Next</a>]</table>',
    ],
  ])('is without the links of %s to neighbours between its texts', (_, neighbours) => {
    const head = '<meta name="generator" content="mkdocs-1.5">';
    const html = `<html><head>${head}</head><body><main>${TEXT}${neighbours}${TEXT}</main></body></html>`;
    const { markdown } = extractContent(html, 'https://docs.example/max.html');
    expect(markdown).toContain('Returns the largest');
    expect(markdown).not.toMatch(/Previous|Next|Up/);
  });

  test('is without the pictures of its navigation', () => {
    const arrows = '<div class="spirit-nav"><a href=p><img src=prev.png alt=Prev></a></div>';
    const picture = '<p><img src=max.png alt="The largest"></p>';
    const html = page('').replace('</h1>', `</h1>${arrows}${picture}`);
    const { markdown } = extractContent(html, 'https://docs.example/max.html');
    expect(markdown).toContain('![The largest]');
    expect(markdown).not.toContain('Prev');
  });

  test('keeps what a class of such a name only aligns, and a table with a head of its own', () => {
    const item = (i: number) =>
      `<div class="pagination-right">3.${i}.</div><p>Step ${i} of the sort, which is done in place.</p>`;
    const table = '<table class=header><tr><td>[<a href=a>max</a>]<td>of [a] list of numbers</table>';
    const html = page('').replace('</h1>', `</h1>${item(1)}${item(2)}${table}${TEXT}`);
    expect(textOf(html)).toContain('3.2.');
    expect(textOf(html)).toContain('list of numbers');
  });

  test("has the name and the title of AsciiDoc's header", () => {
    const name =
      '<div id=header><h1>max(1) Manual Page</h1><h2>NAME</h2><div class=sectionbody><p>max - Find a maximum</p></div></div>';
    const head = '<meta name="generator" content="AsciiDoc 10.2.0">';
    const html = page('', head).replace('<h1>max</h1>', '').replace('<body>', `<body>${name}`);
    const foot = '<div id=footer><div id=footer-text>Last updated 2024-05-31</div></div></body>';
    const text = textOf(html.replace('</body>', foot));
    expect(text).toContain('NAME\n\nmax - Find a maximum\n\nReturns');
    expect(text).not.toContain('Last updated');
  });

  test('is without the titles of the pages before and behind, even if they are sentences', () => {
    const foot =
      '<div class="navfooter"><table><tr><td>4.2. How a loan of a friend is entered, in ten steps. Topic 3</td><td>4.4. How the account of a loan is reconciled, in ten steps</td></tr></table></div>';
    const paragraph =
      '<div class="para">The account of a loan, whatever it is for, shows what is owed to the bank, and what was paid in each month of the year. It is never negative.</div>';
    const html = `<body><div class="section"><h2 class="title">Loans</h2>${paragraph.repeat(2)}</div>${foot}</body>`;
    expect(textOf(html)).toContain('never negative');
    expect(textOf(html)).not.toContain('Topic 3');
  });

  test('keeps a sentence that stands in an element of such a name', () => {
    const note =
      '<div class="navigation-note">The keys of the keyboard move the focus, one after the other, from left to right.</div>';
    expect(textOf(page('').replace('</h1>', `</h1>${note}`))).toContain('keys of the keyboard');
  });

  test('has nothing from beside the main content that its generator marks', () => {
    const banner =
      '<div>Please answer the questions of our survey, which takes a minute, before the end of May.</div>';
    const header =
      '<div class=summary><a href=#m>Members</a></div><div class=headertitle><div class=title>max() file</div></div>';
    const marked = `<div class=header>${header}</div><div class=contents>${TEXT}</div>`;
    const body = `<body>${banner}<div id=doc-content>${marked}</div></body>`;
    const head = '<meta name="generator" content="Doxygen 1.9.4">';
    const { text, markdown } = extractContent(
      `<html><head>${head}</head>${body}`,
      'https://docs.example/max.html',
    );
    expect(text).not.toMatch(/survey|Members/);
    expect(text).toContain('Returns the largest');
    expect(markdown).toMatch(/^# max\(\) file\n/);
  });

  test('is without the contents of Scribble', () => {
    const row = (i: number) =>
      `<tr><td align="right">${i}&nbsp;</td><td><a href="t${i}.html" class="tocviewlink">Topic ${i}</a></td></tr>`;
    const rows = Array.from({ length: 8 }, (_, i) => row(i)).join('');
    const contents = `<div class="tocset"><div class="tocview"><div class="tocviewsublisttop"><table>${rows}</table></div></div></div>`;
    const main = `<div class="maincolumn"><div class="main"><h3>1 max</h3>${TEXT}</div></div>`;
    const text = textOf(`<html><head><title>max</title></head><body>${contents}${main}</body></html>`);
    expect(text).toContain('Returns the largest');
    expect(text).not.toContain('Topic 3');
  });

  test('has the name of a module of Haddock as its heading', () => {
    const info = '<table class="info"><tr><th>License</th><td>BSD3</td></tr></table>';
    const header = `<div id="module-header">${info}<p class="caption">Data.Max</p></div>`;
    const html = page('').replace('<h1>max</h1>', `${header}<div id="description">`);
    expect(extractContent(html, 'https://docs.example/max.html').markdown).toMatch(/^# Data\.Max$/m);
  });

  test.each([
    [
      'Doxygen',
      '<div class="fragment"><div class="line">int max();</div><div class="ttc" id="a1"><div class="ttname">Topic 3</div></div></div>',
    ],
    ['RDoc', '<h2>Max <span class="method-click-advice">Topic 3</span></h2>'],
  ])('is without what %s shows under the pointer', (_, hint) => {
    const text = textOf(page('').replace('<p>None', `${hint}<p>None`));
    expect(text).toMatch(/max\(\);|Max/);
    expect(text).not.toContain('Topic 3');
  });

  test('is without the path of Qt, which ends with its title', () => {
    const path = '<ul><li>Lib 5.15</li><li><a href="index.html">Lib Core</a></li><li>max</li></ul>';
    const bar = `<div class="header"><div class="main"><div class="navigationbar">${path}</div></div></div>`;
    expect(textOf(page(bar))).toMatch(/^max\s+Returns/);
  });

  test('has all that odoc marks as content', () => {
    const spec =
      '<div class="odoc-spec"><div class="spec type"><code>type state = </code><table><tr><td><code>| OPEN</code></td></tr></table></div></div>';
    const body = `<header class="odoc-preamble"><h1>Module <code>Max</code></h1></header><div class="odoc-content">${spec}${TEXT}</div>`;
    const text = textOf(
      `<html><head><meta name="generator" content="odoc 2.1.0"></head><body class="odoc">${body}</body></html>`,
    );
    expect(text).toMatch(/Module Max\s+type state =\s+\| OPEN\s+Returns/);
  });

  test('has a note of the API in what odoc 1 marks as content', () => {
    const body = `<div class="content"><header><nav><a href="../index.html">Up</a></nav><h1>Module Max</h1></header>${TEXT}<aside><p>The two functions above make a choice.</p></aside></div>`;
    const text = textOf(`<html><head><meta name="generator" content="odoc 1.5.3"></head>${body}</html>`);
    expect(text).toMatch(/^Module Max[\s\S]*functions above make a choice\.$/);
  });

  /** A member whose signature has more links than text. */
  const member = '<div><a href="max.html">max</a>(<a href="a.html">Any</a>): <a href="i.html">Int</a></div>';

  test.each([
    ['Scaladoc 3', '<script src="../scripts/scaladoc-scalajs.js"></script>', '', 'id="content"'],
    [
      'Dokka',
      '',
      '<div>© 2024 Copyright<span>Generated by <a href="d">dokka</a></span></div>',
      'id="content"',
    ],
    ['ExDoc', '<meta name="generator" content="ExDoc v0.39.1">', '', 'id="content"'],
    ['pydoctor', '<meta name="generator" content="pydoctor 25.10.1">', '', 'id="child-list"'],
  ])('has the signatures that are links in what %s marks as content', (_, head, foot, mark) => {
    const menu = `<div><div>max</div><ul>${links(30)}</ul></div>`;
    const body = `${menu}<div ${mark}><h1>Maxima</h1>${TEXT}<h2>Members</h2>${member}</div>${foot}`;
    const text = textOf(`<html><head>${head}</head><body>${body}</body></html>`);
    expect(text).toMatch(/^Maxima[\s\S]*Members\s+max\(Any\): Int$/);
  });

  test.each([
    ['name', '<h1>The Library</h1>'],
    ['name, which is a link', '<h1><a href="/">The Library</a></h1>'],
  ])('is without the list of pages below a %s of the site', (_, name) => {
    const text = textOf(page(`<div class=sidebar>${name}<ul>${links(80)}</ul></div>`));
    expect(text).toContain('Returns the largest');
    expect(text).not.toContain('Topic 3');
  });

  test('is without a sidebar, even if most of its own text are links', () => {
    const inherited = `<h2>Inherited</h2><p>${links(12)}</p>`;
    const html = `<div class=sidebar><ul>${links(300)}</ul></div><div id=content><h1>max</h1><p>A type.</p>${inherited}</div>`;
    expect(textOf(`<html><head><title>max</title></head><body>${html}</body></html>`)).not.toContain(
      'Topic 299',
    );
  });

  test('has all that a generator of documentation marks as its main content', () => {
    const cells = ['int', 'MAX_VALUE', 'static final int', 'MIN_VALUE'].map(
      (cell) => `<div class=col><code><a href=m>${cell}</a></code></div>`,
    );
    const html = `<nav>${links(4)}</nav><main><h1>max</h1>${TEXT}<div class=caption>Fields</div>${cells.join('')}</main>`;
    const text = textOf(
      `<html><head><meta name=generator content="javadoc/ClassWriter"></head><body><h1>API</h1>${html}<p>Copyright</p></body></html>`,
    );
    expect(text).toBe(
      [
        'max',
        'Returns the largest of the values that the source can give, whatever was asked of it before.',
        'Parameters',
        'None. The value depends on the type alone, and is never negative.',
        ...['Fields', 'int', 'MAX_VALUE', 'static final int', 'MIN_VALUE'],
      ].join('\n\n'),
    );
  });

  test('keeps a heading that has a link, above its text', () => {
    const html = page('').replace(
      '<h2>Parameters</h2>',
      '<h4><a href="#p">Parameters</a> <a href="/src">[src]</a></h4>',
    );
    expect(textOf(html)).toContain('Parameters [src]');
  });
});

test('a page of links keeps them, whatever they are called', () => {
  const text = textOf(`<body><h1>Modules</h1><div class="toc"><ul>${links(40)}</ul></div></body>`);
  expect(text).toContain('Topic 3');
  expect(textOf(`<body><h1>Modules</h1><ul class="navbar">${links(40)}</ul></body>`)).toContain('Topic 3');
});

test('a row of a table is kept with all of its cells', () => {
  const row = (name: string, i: number) =>
    `<tr><td class=left>${i % 3 ? 'QObject *' : ''}</td><td class=right><b><a href="#m${i}">${name}</a></b>(int <i>id</i>)</td></tr>`;
  const names = ['mapper', 'mapping', 'setMapping', 'removeMappings', 'map', 'mapped'];
  const table = `<div><table class=summary>${names.map(row).join('')}</table></div>`;
  const text = textOf(`<body><h1>Mapper</h1>${TEXT}<h2>Functions</h2>${table}${TEXT}</body>`);
  for (const name of names) expect(text).toContain(`${name}(int id)`);
});

test('a heading in front of the main element may be that of the page, unless it has one', () => {
  const isAside = (inner: string) => {
    const elements = parseElements(
      `<body><div><h1>The widgets</h1><main>${inner}${TEXT}</main></div></body>`,
    );
    return asideBlocks(elements, textBlocks(elements[0]!)).aside[0] === 1;
  };
  expect(isAside('')).toBe(false);
  expect(isAside('<h1>One</h1>')).toBe(true);
});

test('a note in an aside of its own is content', () => {
  const note = (role: string) =>
    textOf(
      `<div><h1>max</h1>${TEXT}<aside ${role}><p>The first of them was built in 1702.</p></aside></div>`,
    );
  expect(note('role=doc-footnote')).toContain('1702');
  expect(note('role=complementary')).not.toContain('1702');
});

test('a picture of a permalink is not content', () => {
  const link = '<a href="/x#m"> <img src="/link.png" alt="Permalink"></a>';
  const { markdown } = extractContent(
    `<main><h1>max</h1><h2>Members ${link}</h2>${TEXT}</main>`,
    'https://docs.example/',
  );
  expect(markdown).toContain('## Members\n');
});

test('the heading of a page stays if a part of it is a link, and so does the one above its code', () => {
  const html = `<div id=content><header><h1><a href=/c>Message</a>.new</h1></header><div><h4>Declaration</h4><pre>message_new (void)</pre></div>${TEXT}</div>`;
  expect(textOf(html)).toMatch(/^Message\.new\n\nDeclaration\n\nmessage_new/);
});

/** Sentences under a heading, as a manual has them. */
const SENTENCES =
  '<p>The server reads its settings once, when it starts, and keeps them until it ends.</p>'.repeat(3);

test('a list that is called the navigation is that, on a page without other marks', () => {
  const nav = ['Home', 'Download', 'Documentation', 'Mailing Lists'].map(
    (name) => `<li><a href="https://site.example/${name}">${name}</a></li>`,
  );
  const page = `<body><h1><a href="/">Internet Mailer</a></h1><div><ul class="nav">${nav.join('')}</ul><div id=content><h2><a href=c>Chapter 25</a></h2>${SENTENCES}</div></div></body>`;
  expect(textOf(page)).not.toContain('Download');
  expect(textOf(page)).toContain('settings once');
});

test('labels that a style sheet sets apart are words of their own', () => {
  const labels = '<span class="mlabel">inline</span><span class="mlabel">protected</span>';
  expect(
    textOf(`<main><h1>max</h1>${TEXT}<table><tr><td>max()</td><td>${labels}</td></tr></table></main>`),
  ).toContain('inline protected');
});

test.each([
  ['headings', '<h2>a</h2>'.repeat(90_000)],
  ['trees of links', `<div class=toc>${links(30)}</div>`.repeat(3_000)],
  ['nested navigation', `${'<div class=navbar>'.repeat(500)}${links(9_000)}`],
  ['names without end', `<div class="${'nav-'.repeat(100_000)}">x</div>`.repeat(10)],
])('many %s take linear time', (_, html) => {
  expect(withoutHang(() => textOf(`<h1>max</h1>${TEXT}${html}`))).toContain('Returns');
});

describe('lists of links beside a text', () => {
  const places = (count: number) =>
    Array.from({ length: count }, (_, i) => `<li><a href="#part-${i}">Part ${i}</a></li>`).join('');
  test('are those in a header, and contents of the page itself', () => {
    const head = `<header><h1>The manual</h1><ul><li>Example 18</li>${links(5)}</ul></header>`;
    const html = `${head}<div class="simple-toc"><ul>${places(5)}</ul></div><ul>${links(9)}</ul><ul class=toc>${links(9)}</ul>`;
    const elements = parseElements(html);
    const found = linkLists(elements, textBlocks(elements[0]!));
    expect(Array.from(found, ({ name, parent }) => [parent!.name, name])).toEqual([
      ['header', 'ul'],
      ['#document', 'div'],
    ]);
  });

  test('contents have a label', () => {
    const contents = (label: string) =>
      `<div class=toc><details><summary>${label}</summary><ul>${places(3)}</ul></details></div>`;
    const found = (html: string) => {
      const elements = parseElements(html);
      return linkLists(elements, textBlocks(elements[0]!)).size;
    };
    expect(found(contents('Table of contents'))).toBe(1);
    expect(found(contents('The contents in three parts'))).toBe(0);
    expect(found('<div class=toc>On this page <a href="#a">A</a><a href="#b">B</a></div>')).toBe(0);
  });

  test('a list of more than links is none', () => {
    const elements = parseElements(
      `<header><ul><li>Three words more <a href=/a>A</a></ul></header><ul class=toc><li>One`,
    );
    expect(linkLists(elements, textBlocks(elements[0]!)).size).toBe(0);
  });

  test('the contents of the page itself are left out, however few sentences it has', () => {
    const item = (i: number) =>
      `<div><h2 id="part-${i}">Part ${i}</h2><pre>proc part${i}()</pre><p>Returns what part ${i} has.</p></div>`;
    const page = `<div class=row><div class=three><ul class="simple simple-toc">${places(9)}</ul></div><div class=nine>${[0, 1, 2, 3, 4].map(item).join('')}</div></div>`;
    expect(textOf(page).match(/Part 7/g)).toBeNull();
    expect(textOf(page)).toContain('proc part3()');
  });

  test('a list that is named so and leads to other pages is the content of a page of links', () => {
    const text = textOf(`<h1>The manual</h1><p>All chapters of it.</p><ul class=toc>${links(6)}</ul>`);
    expect(text).toContain('Topic 5');
  });
});

test('a link to a place whose name only screen readers have is no line of its own', () => {
  const mark =
    '<a href="#one"><span aria-hidden="true"><svg></svg></span><span class="sr-only">Section titled “One”</span></a>';
  const { markdown } = extractContent(
    `<main><div><h2 id=one>One</h2>${mark}</div>${TEXT}</main>`,
    'https://docs.example/',
  );
  expect(markdown).toMatch(/^## One\n\nReturns/);
});

test('a caption for screen readers alone is none', () => {
  const code = (classes: string) =>
    textOf(
      `<main><h1>max</h1>${TEXT}<figure><figcaption><span class=${classes}>Terminal window</span></figcaption><pre>max 1 2</pre></figure></main>`,
    );
  expect(code('title')).toContain('Terminal window');
  expect(code('sr-only')).not.toContain('Terminal window');
});

test('a link to a place that only a pointer shows is no part of its heading', () => {
  const mark =
    '<span><a href="#one" aria-hidden="true">#</a> <a href="#toc" aria-hidden="true">TOC</a></span>';
  const { markdown } = extractContent(`<main><h2>One${mark}</h2>${TEXT}</main>`, 'https://docs.example/');
  expect(markdown).toMatch(/^## One$/m);
});

describe('the whole main content of a generator', () => {
  const short = '<h3>Green</h3><div>Green: 2</div>';

  test.each([
    [
      'TypeDoc',
      `<div class=col-content><h1>max</h1>${TEXT}${short}</div>`,
      'Generated using <a href="https://typedoc.org/">TypeDoc</a>',
    ],
    [
      'YARD',
      `<div id=content><h1>max</h1>${TEXT}${short}</div>`,
      'Generated by <a href="https://yardoc.org">yard</a> 0.9',
    ],
    [
      'JSDoc',
      `<div id=main><h1>max</h1>${TEXT}${short}</div>`,
      'Documentation generated by <a href="https://github.com/jsdoc/jsdoc">JSDoc 4.0.5</a>',
    ],
  ])('is kept if %s names itself in the foot of the page', (_, main, foot) => {
    const page = (text: string) =>
      textOf(`<body><p>Settings</p>${main}<footer><p>${text}</p></footer></body>`);
    expect(page(foot)).toMatch(/^max.*Green: 2$/s);
    expect(page('By us')).not.toContain('Green: 2');
  });

  test('is kept if Sphinx says by its script that it made the page', () => {
    const script = '<script src="_static/documentation_options.js?v=1"></script>';
    const main = `<main><p>Show the source</p><article class="bd-article"><h1>max</h1>${TEXT}${short}</article></main>`;
    const page = (head: string, end = '') => textOf(`<head>${head}</head><body>${main}${end}</body>`);
    expect(page(script)).toMatch(/^max.*Green: 2$/s);
    expect(page('', script)).toMatch(/^max.*Green: 2$/s);
    expect(page('<script src="options.js"></script>')).not.toContain('Green: 2');
  });

  test('is kept from the inner one of two elements that are marked', () => {
    const page = (inner: string) =>
      textOf(
        `<meta name=generator content="Sphinx 8"><body><main><p>Release 2.0</p><div ${inner}><h1>max</h1>${TEXT}${short}</div></main></body>`,
      );
    expect(page('role=main')).toMatch(/^max.*Green: 2$/s);
    expect(page('')).toMatch(/^Release 2.0.*Green: 2$/s);
  });

  test.each(['Docusaurus v3.10.2', 'VitePress v1.6.4', 'Starlight v0.42.4'])(
    'is kept if %s names itself, without the foot of the text',
    (name) => {
      const quotation = '<blockquote>Less is more.<footer>A builder</footer></blockquote>';
      const foot = '<footer><a href=e>Edit this page</a><p>Last updated on May 1</p></footer>';
      const main = `<main><article><h1>max</h1>${TEXT}${short}${quotation}</article>${foot}</main>`;
      const text = textOf(`<meta name=generator content="${name}"><body>${main}</body>`);
      expect(text).toMatch(/^max.*Green: 2\n\nLess is more.\n\nA builder$/s);
    },
  );

  test('is all of a short page, with a foot of sentences', () => {
    const foot =
      '<div role=contentinfo>The foundation is no company, and lives by donations, large and small ones.</div>';
    const side = '<div role=navigation><h3>Contents</h3><p>Previous topic</p></div>';
    const page = `<meta name=generator content="Sphinx 8"><body><div role=main><h1>The API</h1><dl><dt>make(a)<dd>Makes it.</dl></div>${side}${foot}`;
    expect(textOf(page)).toBe('The API\n\nmake(a)\n\nMakes it.');
  });

  test('is kept if it is short and of links, hardly anything else', () => {
    const head = '<meta name=generator content="javadoc/17">';
    const cell = (place: string, html: string) => `<div class="col-${place}">${html}</div>`;
    const rows =
      cell('first', '<a href=a>Widget</a>&lt;T&gt;') +
      cell('last', '<div>A widget that runs until it is stopped.</div>') +
      cell('first', '<a href=b>Widget.Colour</a>') +
      cell('last', '<div>The colours.</div>');
    const page = `${head}<body><main><h1>Package w</h1><div class="summary-table">${rows}</div></main>`;
    expect(textOf(page)).toBe(
      'Package w\n\nWidget<T>\n\nA widget that runs until it is stopped.\n\nWidget.Colour\n\nThe colours.',
    );
  });
});
