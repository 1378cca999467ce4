import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { PAGE_KINDS } from '../../../shared/core/content/page-kind.ts';

const sentence =
  'The ships of the harbour leave in the morning, and come back in the evening with the tide. ';
const long = `<p>${sentence.repeat(4)}</p>`.repeat(6);
const ld = (type: string) =>
  `<script type="application/ld+json">{"@type":"${type}","name":"Harbour"}</script>`;
const kindOf = (html: string, path = '/') => extractContent(html, `https://example.org${path}`).kind;

test.each([
  ['article', '/blog/2026/11/harbour', `${ld('BlogPosting')}<article><h1>Harbour</h1>${long}</article>`],
  [
    'documentation',
    '/docs/harbour.html',
    `<main><h1>harbour()</h1>${`<h2>Use</h2><p>${sentence}</p><pre><code>harbour(1)</code></pre>`.repeat(6)}</main>`,
  ],
  [
    'forum',
    '/forum/thread/12',
    `${ld('DiscussionForumPosting')}<h1>Harbour?</h1>${`<div class="post message reply"><p>${sentence}</p></div>`.repeat(8)}`,
  ],
  [
    'product',
    '/products/anchor',
    `${ld('Product')}<div class="product"><h1>Anchor</h1><p class="price">€ 99</p><button>Add to cart</button><p>${sentence}</p></div>`,
  ],
  [
    'listing',
    '/category/anchors',
    `${ld('ItemList')}<h1>Anchors</h1><div class="grid">${Array.from({ length: 40 }, (_, n) => `<div class="product"><a href="/p/${n}">Anchor ${n}</a> <span class="price">€ ${n}</span></div>`).join('')}</div><div class="pagination"><a href="?page=2">2</a></div>`,
  ],
] as const)('a page is recognized as %s', (kind, path, html) => {
  expect(kindOf(html, path)).toBe(kind);
});

test('whatever a page is, it has one of the kinds', () => {
  fc.assert(
    fc.property(fc.string(), fc.webUrl(), (html, url) => {
      expect(PAGE_KINDS).toContain(extractContent(html, url).kind);
    }),
  );
});

test.each([
  ['<link rel="canonical" href="/a?b=c">', 'https://example.org/a?b=c'],
  ['<link rel="alternate canonical" href="https://other.org/">', 'https://other.org/'],
  ['<base href="https://example.org/b/"><link rel=CANONICAL href=c>', 'https://example.org/b/c'],
  ['<link rel="canonical" href="javascript:x">', undefined],
  ['<link rel="canonical" href="/a"><link rel="canonical" href="//example.org/a">', 'https://example.org/a'],
  ['<link rel="canonical" href="/a"><link rel="canonical" href="/b">', undefined],
  ['<head></head><body><p><link rel="canonical" href="/a">', undefined],
  [
    '<head><link rel="canonical" href="/a"></head><body><link rel="canonical" href="/b">',
    'https://example.org/a',
  ],
  ['<link rel="canonical">', undefined],
  ['<link rel="noncanonical" href="/a">', undefined],
])('the canonical page of %s', (html, expected) => {
  expect(extractContent(html, 'https://example.org/x/').canonical).toBe(expected);
});
