/** HTML pages and what is in their attributes. */
import assert from 'node:assert/strict';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { decodeAttribute, decodeText } from '../../../shared/core/parser/character-references.ts';
import { createDocumentParser, type DocumentFacts } from '../../../shared/core/parser/document.ts';
import { refreshReference } from '../../../shared/core/parser/meta-refresh.ts';
import {
  bothRobotsDirectives,
  ourDirectives,
  parseRobotsDirectives,
} from '../../../shared/core/parser/robots-directives.ts';
import { srcsetReferences } from '../../../shared/core/parser/srcset.ts';
import { xhtmlAsHtml } from '../../../shared/core/parser/xhtml-as-html.ts';
import { type FuzzTarget, MB } from '../target.ts';

const URL_OF_PAGE = 'http://example.com/dir/page.html';

interface Reading {
  readonly contentType: string;
  readonly all?: boolean;
  readonly kind?: 'sitemap';
}

/** Reads a body as the crawl does: the whole of the parser. */
export async function readDocument(
  body: Buffer,
  { contentType, all = false, kind }: Reading,
  step = body.length,
) {
  const parser = createDocumentParser({
    url: URL_OF_PAGE,
    headers: [['Content-Type', contentType]],
    maxDecodedBytes: 64 * MB,
    maxLinks: 6000,
    wantsRequisites: all,
    wantsFeeds: all,
    wantsTextHash: all,
    robotName: 'strand',
    ...(kind && { kind }),
  });
  for (let at = 0; at < body.length; at += Math.max(1, step)) parser.write(body.subarray(at, at + step));
  const facts = await parser.end();
  if (facts.error !== undefined) throw new Error(`it has an error: ${facts.error}`);
  return facts;
}

/** However the bytes were cut, the facts are the same; every link is an absolute URL in printable ASCII. */
export async function checkDocument(body: Buffer, reading: Reading): Promise<void> {
  const facts = await readDocument(body, reading);
  for (const step of [1, 7])
    assert.deepEqual(await readDocument(body, reading, step), facts, `cut at ${step}`);
  checkLinks(facts);
}

function checkLinks({ links, canonical, refresh, title }: DocumentFacts): void {
  for (const url of [...links.map((link) => link.url), canonical, refresh])
    assert.match(url ?? 'http://a/', /^https?:\/\/[^/\s]+\/[!-~]*$/);
  assert.equal(new Set(links.map((link) => link.url)).size, links.length, 'a URL stands twice');
  assert.ok((title ?? '').length <= 1024, 'a long title');
}

const MARKUP = [
  ...[
    '<',
    '</',
    '>',
    '/>',
    '<!',
    '<!--',
    '-->',
    '--!>',
    '<!-->',
    '<?',
    '?>',
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE html>',
  ],
  ...[
    '<html>',
    '<head>',
    '<body>',
    '<p>',
    '</p>',
    '<div>',
    '</div>',
    '<br/>',
    '<table>',
    '<td>',
    '<plaintext>',
  ],
  ...[
    '<title>',
    '</title>',
    '<script>',
    '</script>',
    '<style>',
    '</style>',
    '<textarea>',
    '</textarea>',
    '<noscript>',
  ],
  ...[
    '<svg>',
    '</svg>',
    '<svg ',
    '<math>',
    '</math>',
    '<g>',
    '</g>',
    '<foreignObject>',
    '</foreignObject>',
    '<mi>',
  ],
  ...[
    '<mglyph>',
    '<annotation-xml encoding="text/html">',
    '<desc>',
    '<template>',
    '</template>',
    '<select>',
    '</select>',
  ],
  ...[
    '</x>',
    '<x',
    '<g {#}="1">',
    '</g{#}>',
    '<x{#}>',
    '<font color=a>',
    '<xmp>',
    '<iframe>',
    '</iframe>',
    '<noframes>',
  ],
  ...[
    '<a href="',
    '<a href=',
    '<a href={#}>',
    '<a href="//a{#}.example/">',
    '<a href="?{#}">',
    '</a>',
    '<a ',
  ],
  ...[
    '<base href="',
    '<base href="/',
    '<link rel=canonical href="',
    '<link rel="alternate" type="application/rss+xml" href="',
  ],
  ...[
    '<img src="',
    '<img srcset="',
    ' 1x, ',
    '<source media="',
    '<video poster=',
    '<object data="',
    '<embed src=',
  ],
  ...[
    '<meta charset="',
    '<meta http-equiv="refresh" content="',
    '0;url=',
    '<meta name=robots content="',
    '<meta ',
  ],
  ...[
    '<link rel="stylesheet" href="',
    '<style>@import url(',
    '<div style="',
    'background:url(',
    '<svg><image href="',
  ],
  ...[
    ' href="',
    ' src=',
    ' rel="nofollow ',
    ' {#}=x',
    ' a',
    '=',
    '"',
    "'",
    '">',
    ' "/>',
    '"/>',
    "'>",
    '&amp;',
    '&#',
    '&#x',
  ],
  ...[
    '&#x41;',
    '&#{#};',
    '&notit;',
    '&',
    '&a',
    'http://',
    'https://',
    '//',
    '/../',
    '/%2e%2e/',
    'http://a.example/',
  ],
  ...[
    'xn--',
    'ü',
    'ü.example',
    'javascript:',
    'data:text/html,',
    'mailto:',
    '#',
    '?a={#}',
    'word ',
    'url(',
    '/*',
    '*/',
  ],
];

const FRAMES: readonly (readonly [string, string])[] = [
  ...([
    ['<a href="', '">'],
    ['<a href=', '>'],
    ['<a href="//', '">'],
    ['<base href="', '">'],
    ['<base href="/', '">'],
  ] as const),
  ...([
    ['<a ', '>'],
    ['<x ', '/>'],
    ['<svg ', '"/>'],
    ['<svg><g ', '/>'],
    ['<img srcset="', '">'],
    ['<img src=', '>'],
  ] as const),
  ...([
    ['<meta http-equiv=refresh content="', '">'],
    ['<meta charset="', '">'],
    ['<meta name=robots content="', '">'],
  ] as const),
  ...([
    ['<link rel=canonical href="', '">'],
    ['<link rel="', '" href=x>'],
    ['<link type="', '" rel=alternate href=x>'],
  ] as const),
  ...([
    ['<style>', '</style>'],
    ['<p style="', '">'],
    ['<script>', '</script>'],
    ['<title>', '</title>'],
    ['<!--', '-->'],
  ] as const),
  ...([
    ['<svg>', '</svg>'],
    ['<math>', '</math>'],
    ['<svg><![CDATA[', ']]>'],
    ['<svg><title>', '</title>'],
  ] as const),
  ...([
    ['<template>', '</template>'],
    ['<select>', '</select>'],
    ['<textarea>', '</textarea>'],
    ['<p>', '</p>'],
    ['</', '>'],
  ] as const),
  ...([
    ['<body>&', ';'],
    ['<iframe src="', '">'],
    ['<object data="', '">'],
    ['<a rel="', '" href=x>'],
    ['<!DOCTYPE ', '>'],
  ] as const),
];
const NESTS = ['<g>', '<svg><g>', '<svg>', '<math><mi>', '<template>', '<div>', '<svg><desc>', '<select>'];

const page = (name: string, contentType: string, all: boolean): FuzzTarget => ({
  name,
  tokens: MARKUP,
  frames: FRAMES,
  nests: NESTS,
  seeds: ['page.html', 'foreign.html'],
  maxBytes: MB,
  maxUsPerByte: 0.6,
  maxHeldPerByte: 64,
  run: (body) => readDocument(body, { contentType, all }),
  check: (body) => checkDocument(body, { contentType, all }),
});

const text = (
  name: string,
  tokens: readonly string[],
  run: (text: string) => unknown,
  more: Partial<FuzzTarget> = {},
): FuzzTarget => ({
  name,
  tokens,
  maxBytes: MB,
  maxUsPerByte: 0.6,
  maxHeldPerByte: 64,
  run: (input) => run(input.toString()),
  ...more,
});

const REFERENCES = [
  '&',
  '&amp',
  '&amp;',
  '&#',
  '&#x',
  '&#38;',
  '&#x26;',
  '&notin;',
  '&not',
  ';',
  '&CounterClockwiseContourIntegral;',
];

export const TARGETS: readonly FuzzTarget[] = [
  { ...page('html', 'text/html; charset=utf-8', true), share: 4 },
  { ...page('html links', 'text/html', false), isSwept: false },
  page('xhtml', 'application/xhtml+xml', true),
  text('character references', REFERENCES, (given) => [decodeAttribute(given), decodeText(given)]),
  text(
    'srcset',
    ['a.png ', ' 1x', ' 2w,', ', ', 'data:,', '(', ')', 'a{#} ', ' 1.5x 2w', '{#}w'],
    (given) => {
      const found: string[] = [];
      srcsetReferences(given, (reference) => found.push(reference));
      return found;
    },
  ),
  text(
    'meta refresh',
    ['0', '5', '0.', ';', ',', ' url', ' URL =', "url='", 'url="', '=', 'http://a/', "'"],
    refreshReference,
  ),
  text(
    'robots directives',
    [
      'noindex',
      'nofollow',
      'none',
      'all',
      ',',
      ' , ',
      'strand:',
      'otherbot: ',
      'unavailable_after: ',
      'max-snippet:1',
      ':',
    ],
    (given) =>
      bothRobotsDirectives(
        parseRobotsDirectives(given),
        parseRobotsDirectives(ourDirectives(given, 'strand')),
      ),
  ),
  text('XHTML as HTML', MARKUP, xhtmlAsHtml, { seeds: ['page.html'] }),
  // htmlparser2 does it, for hooks only, within the time that a hook has.
  text('visible text', MARKUP, (html) => extractContent(html, URL_OF_PAGE).visibleText, {
    seeds: ['page.html'],
    maxUsPerByte: 2,
  }),
  text('main content', MARKUP, (html) => extractContent(html, URL_OF_PAGE).markdown, {
    seeds: ['page.html'],
    // Some 20 us for each block of text, of which a document has 6,000 at most; for hooks only, once for a
    // page.
    maxUsPerByte: 8,
  }),
];
