import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHtmlLinks, type HtmlLinksOptions } from '../../../shared/core/parser/html-links.ts';

function parse(html: string, options: Partial<HtmlLinksOptions> = {}, step = Number.POSITIVE_INFINITY) {
  const parser = createHtmlLinks({
    url: 'http://h/p/',
    contentType: 'text/html; charset=utf-8',
    maxLinks: 6000,
    wantsRequisites: true,
    wantsFeeds: true,
    wantsTextHash: true,
    ...options,
  });
  const bytes = Buffer.from(html);
  for (let at = 0; at < bytes.length; at += step) parser.write(bytes.subarray(at, at + step));
  return parser.end();
}
/** `kind path` of each link, without the host. */
const links = (html: string, options?: Partial<HtmlLinksOptions>) =>
  parse(html, options).links.map(({ kind, url }) => `${kind} ${url.replace('http://h/p/', '')}`);

describe('requisites of HTML', () => {
  test.each<[string, string[]]>([
    ['<img src=a srcset="b 1x, c,d 2x">', ['img a', 'img b', 'img c,d']],
    [
      '<picture><source srcset="a, b 2x"><source src=c><img src=d></picture>',
      ['img a', 'img b', 'img c', 'img d'],
    ],
    ['<img data-src=a data-srcset="b 1x">', ['img a', 'img b']],
    ['<img src=x data-original=a data-lazy-src=b data-lazy-srcset=c>', ['img x', 'img b', 'img a', 'img c']],
    ['<picture><source data-srcset="a 1x"><img data-src=b></picture>', ['img a', 'img b']],
    ['<img data-src=\'{"a": 1}\'><div data-src=a></div>', []],
    ['<p style="background:image-set(\'a\' 1x)">', ['css a']],
    ['<video src=a poster=b><source src=c><track src=d></video>', ['img b', 'media a', 'media c', 'media d']],
    ['<picture></picture><audio src=a><source src=b></audio>', ['media a', 'media b']],
    ['<link rel="Alternate StyleSheet" href=a>', ['style a']],
    [
      '<link rel="shortcut icon" href=a><link rel=apple-touch-icon href=b><link rel=mask-icon href=c>',
      ['img a', 'img b', 'img c'],
    ],
    [
      '<link rel=preload as=font href=a><link rel=preload as=Script href=b><link rel=preload as=document href=c>',
      ['font a', 'script b'],
    ],
    [
      '<link rel=preload as=image href=a imagesrcset="b 2x"><link rel=modulepreload href=c>',
      ['img a', 'img b', 'script c'],
    ],
    ['<link rel=manifest href=a><link rel=prefetch href=b><link href=c>', ['media a']],
    ['<script src=a></script><script>"<img src=b>"</script>', ['script a']],
    ['<embed src=a><object data=b></object>', ['media a', 'media b']],
    ['<input type=IMAGE src=a><input src=b>', ['img a']],
    [
      '<body background=a><table background=b><tr background=c><td background=d>',
      ['img a', 'img b', 'img c', 'img d'],
    ],
    [
      '<svg><image href=a /><image xlink:href=b /><use href="c#d"/><use href="#e"/><a href=f></a></svg>',
      ['img a', 'img b', 'img c', 'link f'],
    ],
    ['<style>@import "a"; @font-face{src:url(b)} p{background:url(c)}</style>', ['css a', 'font b', 'css c']],
    ['<p STYLE="background:url(&quot;a&amp;b&quot;)"><p title="url(c)">', ['css a&b']],
    ['<a href=a style="b:url(c)"><img src=d style="b:url(e)">', ['a a', 'css c', 'img d', 'css e']],
    ['<img src><img src=" "><img src="#a"><img src="data:image/png,x"><img srcset=",">', []],
    ['<template><img src=a><style>url(b)</style></template><noscript><img src=c></noscript>', ['img c']],
    ['<base href=b/><img src=a><iframe src=c></iframe>', ['img b/a', 'frame b/c']],
  ])('%s', (html, expected) => {
    expect(links(html)).toEqual(expected);
    expect(links(html, { wantsRequisites: false })).toEqual(
      expected.filter((link) => /^(?:a|frame|link) /.test(link)),
    );
  });

  test('a URL that is followed and part of the page is both, and its nofollow is that of the links', () => {
    const anchor = '<a rel=nofollow href=x>';
    for (const html of [
      `${anchor}<img src=x>`,
      `<img src=x>${anchor}`,
      `<img src=x>${anchor}<img src=../p/x>`,
    ])
      expect(parse(html).links).toEqual([
        { url: 'http://h/p/x', kind: 'a', requisite: 'img', nofollow: true },
      ]);
    expect(parse('<script src=x></script><img src=x>').links).toEqual([
      { url: 'http://h/p/x', kind: 'script' },
    ]);
  });

  test('feeds are alternates of their types', () => {
    const html = `<link rel=alternate type="Application/RSS+XML; charset=utf-8" href=a><link rel="alternate" type=application/atom+xml href=b>
      <link rel=alternate type=text/html href=c><link rel=self type=application/rss+xml href=d>`;
    expect(links(html)).toEqual(['feed a', 'feed b']);
    expect(links(html, { wantsFeeds: false })).toEqual([]);
  });
});

describe('the head', () => {
  test.each([
    ['0;url=x', 0],
    ['5; url=x', 5000],
    ['5.9 x', 5000],
    ['.9;x', 0],
    [`${'9'.repeat(400)};x`, Number.MAX_SAFE_INTEGER],
  ])('a refresh of %j comes after %i ms', (content, refreshMs) => {
    expect(parse(`<meta http-equiv=refresh content="${content}">`)).toMatchObject({
      refresh: 'http://h/p/x',
      refreshMs,
    });
  });

  test('directives to our own name count, those to others do not', () => {
    const html = '<meta name=Strand content=noindex><meta name=otherbot content=nofollow>';
    expect(parse(html, { robotName: 'strand' }).robots).toEqual({ noindex: true, nofollow: false });
    expect(parse(html).robots).toEqual({ noindex: false, nofollow: false });
  });
});

describe('the hash of the text', () => {
  const hash = (html: string) => parse(html).textHash;
  test('is of what a reader sees, without dates and counters', () => {
    const html = '<title>A 7</title><p>Page 12 of\n 30</p>';
    expect(hash(html)).toBe(
      hash(
        '<title>A  12</title><script>x</script><style>y</style><!--z--><p class=c>Page 1 of 2</p><template>t</template>',
      ),
    );
    expect(hash(html)).not.toBe(hash('<title>A 7</title><p>Page 12 by 30</p>'));
    // The pages of a site that scripts fill differ in nothing else.
    expect(hash(html)).not.toBe(hash('<title>B 7</title><p>Page 12 of 30</p>'));
    expect(parse(html, { wantsTextHash: false }).textHash).toBeUndefined();
  });
});

describe('however the document arrives', () => {
  const fragments = [
    '<img src=a srcset="b 1x, c 2x">',
    '<style>p{b:url(d)}</style>',
    '<p style="b:url(e)">',
    '<P STYLE=\'b:URL("\u00e9")\'>',
    '<svg><use href=f /><style>url(x)</style></svg>',
    'url(',
    'text 12 34\n ',
    ' < 5 ',
    '<template>t',
    '</template>',
    '<style>',
    '<select>',
    '<link rel=alternate type=application/rss+xml href=g>',
    '<a href=a>',
  ];
  test('the result is the same', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...fragments), { maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        (list, step) => {
          // Beyond the bytes that are sniffed, which are kept together.
          const html = `${'<p>x'.repeat(4096)}${list.join('')}`;
          expect(parse(html, {}, step)).toEqual(parse(html));
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each([
    ['a million styles', '<p style="url(a)">'.repeat(1_000_000), 1],
    ['a million url(', `<p>${'url('.repeat(1_000_000)}<p>`, 0],
    ['a million tags after one url(', `${'<p>'.repeat(1_000_000)}url(`, 0],
    ['a million candidates', `<img srcset="${'a 1x,'.repeat(1_000_000)}">`, 1],
    ['a style that never ends', `<style>${'url(a)'.repeat(1_000_000)}`, 1],
    [
      'two million names of attributes',
      `<img ${Array.from({ length: 2_000_000 }, (_, n) => `a${n}`).join(' ')} src=b>`,
      0,
    ],
  ])('%s take linear time and bounded memory', (_, html, count) => {
    expect(parse(html, {}, 16_384).links).toHaveLength(count);
  });

  test('long references that differ at their ends are dropped and counted', () => {
    const html = Array.from({ length: 500 }, (_, n) => `<img src="/${'x'.repeat(20_000)}${1000 + n}">`);
    expect(parse(html.join(''), {}, 16_384)).toMatchObject({ links: [], droppedLinks: 500 });
  });
});
