import { describe, expect, test } from 'vitest';
import { MODEL_FEATURES } from '../../../shared/core/content/block-model.ts';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { FEATURES } from '../../../shared/core/content/feature-names.ts';

const SENTENCES = [
  'The old harbour was built in three stages, and each of them left its mark on the quay.',
  'Fishermen moved their boats to the northern basin, because the southern one silted up every winter.',
  'When the railway arrived, warehouses grew along the water, and most of them still stand today.',
  'A visitor who walks from the lighthouse to the market passes all of them in half an hour.',
];
const paragraph = (i: number) =>
  `<p>${[0, 1, 2].map((n) => SENTENCES[(i + n) % SENTENCES.length]).join(' ')}</p>`;
const links = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => `<li><a href="/${prefix}/${i}">${prefix} ${i}</a></li>`).join('');

const ARTICLE = `<!doctype html><html lang=en><head><title>The harbour – Town News</title>
<meta property="og:title" content="The harbour"><meta name=description content="How the harbour grew">
<meta property="article:published_time" content="2026-01-31T12:00:00Z">
<script type="application/ld+json">{"@type":"NewsArticle","headline":"The harbour","author":[{"name":"A. Writer"}]}</script></head>
<body><header class="site-header"><nav class=menu><ul>${links('section', 12)}</ul></nav></header>
<div class="cookie-banner"><p>We use cookies. By using this site you accept our cookie policy.</p><button>Accept</button></div>
<main><article><h1>The harbour</h1><p class=byline>By A. Writer</p>${paragraph(0)}${paragraph(1)}
<h2>The railway</h2>${paragraph(2)}<ul><li>The first line was opened in 1871, from the coast to the hills.</li><li>The second followed in 1880.</li></ul>
${paragraph(3)}</article></main>
<aside class=sidebar><h3>Most read</h3><ul>${links('story', 10)}</ul></aside>
<footer class="site-footer"><p>Copyright Town News. All rights reserved.</p><ul>${links('legal', 8)}</ul></footer></body></html>`;

describe('an article in a page with navigation', () => {
  const { text, markdown, metadata } = extractContent(ARTICLE, 'https://example.org/news/harbour');

  test('is extracted without what stands around it', () => {
    for (const sentence of SENTENCES) expect(text).toContain(sentence);
    expect(text).toContain('The first line was opened in 1871');
    expect(text).not.toMatch(/section 3|story 4|legal 2|cookies|All rights reserved/);
  });

  test('is Markdown with its headings and lists', () => {
    expect(markdown).toContain('\n\n## The railway\n\n');
    expect(markdown).toContain(
      '\n\n- The first line was opened in 1871, from the coast to the hills.\n- The second followed in 1880.',
    );
  });

  test('has the metadata that the page gives', () => {
    expect(metadata).toEqual({
      title: 'The harbour',
      description: 'How the harbour grew',
      author: 'A. Writer',
      published: '2026-01-31T12:00:00Z',
      language: 'en',
      types: ['NewsArticle'],
    });
  });
});

test.each([
  ['Comments - The Book', '<h1>The Book</h1><h2>Comments</h2>', 'Comments'],
  ['Option in std::option - Rust', '<h1>Enum Option</h1>', 'Enum Option'],
  ['News | The harbour', '<h1>The harbour</h1>', 'The harbour'],
  ['A - Keywords - The Book', '<h1>The Book</h1><h2>Appendix A: Keywords</h2>', 'Appendix A: Keywords'],
  ['cli [Tools]', '<h1><a href="/"><img> Tools</a></h1><h1 id=cli>The command line</h1>', 'cli'],
  ['Command line [Tools]', '<h1><a href="/">Tools</a></h1><h1>The command line</h1>', 'The command line'],
  ['Maps [Tools]', '<h1><a href="/">Tools</a></h1><h2>Maps</h2>', 'Maps'],
  ['Only a title', '<p>No heading</p>', 'Only a title'],
  ['Creating maps - Guide', '<h1>Guide</h1><h2>Contents</h2><h2>Creating maps of towns</h2>', 'Guide'],
  ['Root: "quoted" --- #x', '<h1>Root</h1>', 'Root'],
  ['Maps | Harbour News', '<p>No heading</p>', 'Maps'],
  ['Harbour News - Maps - Old', '<p>No heading</p>', 'Maps - Old'],
  ['Maps - Old | harbour-news.example.org', '<p>No heading</p>', 'Maps - Old'],
  ['The 8 best maps, tested by us', '<h1>The best maps</h1>', 'The best maps'],
  ['The 8 best maps', '<h1>Our harbour</h1>', 'The 8 best maps'],
  ['Maps of towns', '<h1>Towns</h1><h1>Maps</h1>', 'Towns'],
  ['', '<h1>Maps \u00b6</h1>', 'Maps'],
  ['', '<h1>Maps <a href="#maps">\u200b</a></h1>', 'Maps'],
  ['Ann&amp;#39;s maps', '', "Ann's maps"],
  ['|', '', undefined],
])('the title of %s with %s is %s', (title, body, expected) => {
  const { metadata } = extractContent(
    `<title>${title}</title>${body}${paragraph(0)}`,
    'https://www.harbour-news.example.org/',
  );
  expect(metadata.title).toBe(expected);
});

test.each([
  ['lib.max', '<h1><code><a href=a>lib</a></code><wbr>.<code>max</code></h1>', 'lib.max'],
  [
    'Category:Ports - Wiki',
    '<h1><span>Category</span><span>:</span><span>Ports</span></h1>',
    'Category:Ports',
  ],
  ['The harbour', '<h1><span>T</span>he harbour <a href="#h">¶</a></h1>', 'The harbour'],
  ['Kettle Aurora', '<h1><span>Kettle</span><span>Aurora</span></h1>', 'Kettle Aurora'],
  ['A B', '<h1>A<br>B</h1>', 'A B'],
  ['Ports', '<h1>Ports<x-menu hidden>Saved</x-menu></h1>', 'Ports'],
])('the title of %s with %s is %s, as readers see it', (title, body, expected) => {
  const { metadata } = extractContent(
    `<title>${title}</title>${body}${paragraph(0)}`,
    'https://example.org/',
  );
  expect(metadata.title).toBe(expected);
});

test('a declared title is the heading that it resembles, and references in it are decoded', () => {
  const of = (head: string, body: string) =>
    extractContent(`${head}${body}${paragraph(0)}`, 'https://example.org/').metadata.title;
  const json =
    '<script type="application/ld+json">{"@type":"Article","headline":"Ann&#39;s harbour"}</script>';
  expect(of(json, '')).toBe("Ann's harbour");
  const graph =
    '<meta property="og:title" content="Maps | Town News"><meta property="og:site_name" content="Town News">';
  expect(of(graph, '<h1>Town News</h1>')).toBe('Maps');
  expect(of(graph, '<h1>Town News</h1><h1>Maps</h1>')).toBe('Maps');
});

test('a text has no holes: code, headings and lists between its paragraphs stay', () => {
  const html = `<body><nav><a href=/>Home</a></nav><main><article><h1>How to reverse a list</h1>${paragraph(0)}<p>First:</p>
<pre><code>const reversed = [...list].reverse();</code></pre><p>It copies.</p><p>Second, without a copy, for a list that you may change:</p>
<pre>list.reverse();</pre><h2>Notes</h2><ul><li>Fast</li><li>Simple</li></ul>${paragraph(1)}</article></main><footer>Copyright Ann</footer></body>`;
  const { markdown } = extractContent(html, 'https://example.org/');
  for (const part of ['[...list].reverse()', 'It copies.', 'list.reverse();', '## Notes', '- Fast\n- Simple'])
    expect(markdown).toContain(part);
  expect(markdown).not.toMatch(/Copyright|Home/);
});

describe('a page of documentation', () => {
  const wrapped = (html: string) => `<div class=sectionbody><div class=block><div>${html}</div></div></div>`;
  const sidebar = links('function', 300);
  const page = (around: (list: string) => string) =>
    `<body><div>${around(`<ul>${sidebar}</ul>`)}<div><h1>reverse</h1>${paragraph(0)}${wrapped('<pre>list reverse(list items);</pre>')}${paragraph(1)}
${wrapped('<dl><dt>items</dt><dd>The list.</dd><dt><a href=/more>more</a></dt><dd><a href=/x>x</a></dd><dt>size</dt><dd>Its size, which is counted if it is not given.</dd></dl>')}
<table><tr><th>Flag</th><th>Meaning</th></tr><tr><td>a</td><td>Reverses a copy of the list, which costs some memory.</td></tr><tr><td><a href=/b>b</a></td><td></td></tr></table>
${paragraph(2)}</div></div></body>`;

  test('keeps code, terms and whole tables between its paragraphs, whatever wraps them', () => {
    const { markdown } = extractContent(
      page((list) => `<nav>${list}</nav>`),
      'https://example.org/',
    );
    expect(markdown).toContain('\n```\nlist reverse(list items);\n```\n');
    for (const part of [
      '**items**',
      '[more]',
      '**size**',
      '| a | Reverses a copy',
      '| [b](https://example.org/b) |',
    ])
      expect(markdown).toContain(part);
  });

  test.each([
    ['nav', (list: string) => `<nav>${list}</nav>`],
    ['role', (list: string) => `<div role=navigation>${list}</div>`],
    ['aside', (list: string) => `<aside>${list}</aside>`],
  ])('is without what is marked as no part of it: %s', (_, around) => {
    const { text } = extractContent(page(around), 'https://example.org/');
    expect(text).not.toContain('function 7');
    for (const sentence of SENTENCES) expect(text).toContain(sentence);
  });

  test('is found though all of it is marked as navigation', () => {
    const html = `<body><nav><h1>The harbour</h1>${paragraph(0)}${paragraph(1)}</nav><p>Copyright</p></body>`;
    expect(extractContent(html, 'https://example.org/').text).toContain(SENTENCES[0]);
  });
});

test('the content of a forum that is in noscript is found', () => {
  const posts = [0, 1, 2].map(
    (i) =>
      `<div class="topic-body crawler-post"><span class=creator>user${i}</span><div class=post>${paragraph(i)}</div></div>`,
  );
  const html = `<body><noscript><header><a href=/>Forum</a></header><div id=main-outlet><h1>A question</h1>${posts.join('')}</div></noscript><div id=app></div></body>`;
  const { text } = extractContent(html, 'https://example.org/t/1');
  for (const sentence of SENTENCES) expect(text).toContain(sentence);
});

test('what React sends late is found, other hidden parts are not', () => {
  const html = `<body><div id=app></div><div hidden id="S:0"><main>${paragraph(0)}${paragraph(1)}</main></div><div hidden>${'<p>A secret that nobody sees, ever.</p>'.repeat(3)}</div>`;
  const { text } = extractContent(html, 'https://example.org/');
  expect(text).toContain(SENTENCES[0]);
  expect(text).not.toContain('secret');
});

test('references are relative to the base element', () => {
  const html = `<base href="/dir/"><article>${paragraph(0)}<p>${SENTENCES[1]} See <a href="a.html">the map</a>, <a href="javascript:x()">not this</a>.</p></article>`;
  const { markdown } = extractContent(html, 'https://example.org/');
  expect(markdown).toContain('[the map](https://example.org/dir/a.html), not this.');
});

test.each([
  ['nothing', ''],
  ['no text', '<html><body><img src=a.png></body></html>'],
  ['text alone', 'just a few words'],
  ['broken JSON-LD', '<script type="application/ld+json">{"@type": [</script><p>a</p>'],
  [
    'JSON-LD nested deep',
    `<script type="application/ld+json">${'['.repeat(5000)}${']'.repeat(5000)}</script>`,
  ],
  [
    'JSON-LD of other types',
    '<script type="application/ld+json">{"@type":"Article","headline":5,"author":[null,{"name":{}}]}</script>',
  ],
  ['a million open elements', '<div>'.repeat(1_000_000)],
  ['a million inline elements', '<b>'.repeat(1_000_000)],
  ['plaintext', '<plaintext><p>a'],
  ['a heading of 200,000 pieces', `<h1>${'a<br>'.repeat(99_000)}</h1>${paragraph(0)}`],
  ['300,000 backticks in a row of code', `<p>${SENTENCES[0]} <code>${'` a'.repeat(300_000)}</code></p>`],
  [
    '40,000 links in code',
    `<article>${paragraph(0)}<p>${SENTENCES[0]} <code>${'<a href=b>T</a>,<sup>a</sup>'.repeat(40_000)}</code></p></article>`,
  ],
  [
    'links in code in code',
    `<article>${paragraph(0)}<p>${SENTENCES[0]} ${'<code>a<a href=b>T</a>'.repeat(40_000)}</p></article>`,
  ],
  ['300,000 fences', `<article>${paragraph(0)}<pre>${'``` a\n'.repeat(300_000)}</pre></article>`],
  ['90,000 paragraphs', `<article>${'some words of it<p>'.repeat(90_000)}</article>`],
  [
    'a list of 150,000 texts',
    `<article>${paragraph(0)}<ul>${`${SENTENCES[1]}<li>${SENTENCES[0]}</li>`.repeat(75_000)}</ul></article>`,
  ],
])('whatever a page is, there is an answer: %s', (_, html) => {
  const { text, markdown } = extractContent(html, 'https://example.org/');
  expect(typeof text).toBe('string');
  expect(typeof markdown).toBe('string');
});

test('a table whose short rows would be filled up to gigabytes is not one of data', () => {
  const cell = `<td>${SENTENCES[0]}`;
  const html = `<article>${paragraph(0)}<table><tr>${cell.repeat(5000)}${`<tr>${cell}`.repeat(5000)}</table></article>`;
  expect(extractContent(html, 'https://example.org/').markdown.length).toBeLessThan(2 * html.length);
});

test('the model was trained with the features that are measured', () => {
  expect(MODEL_FEATURES).toEqual(FEATURES);
});
