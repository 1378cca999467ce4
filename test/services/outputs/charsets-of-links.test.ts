import { expect, test } from 'vitest';
import { replay } from '../../../api/local/serve/replay.ts';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { collectRequests } from '../../../shared/services/hooks/collect-requests.ts';
import { htmlOf, resolvedLinks } from '../../../shared/services/outputs/resolved-links.ts';
import { rewritePayload } from '../../../shared/services/outputs/rewrite-payload.ts';

const PAGE = 'https://a.test/dir/';
const payload = (html: string, type = 'text/html') => ({
  status: 200,
  headers: [['Content-Type', `${type}; charset=windows-1251`]] as const,
  body: Uint8Array.from([...html].map((letter) => (letter === 'ж' ? 0xe6 : letter.charCodeAt(0)))),
});
const HTML = '<a href="/ж?ж&amp;&#x436;&eacute;">x</a>';
const TARGET = 'https://a.test/%D0%B6?%E6&%E6%26%23233%3B';

test('links that are listed again have the query of the crawl', () => {
  expect(resolvedLinks(htmlOf(payload(HTML)), PAGE)).toMatchObject([{ target: TARGET }]);
  expect(resolvedLinks(htmlOf(payload('<base href="/b?ж"><a href="">')), PAGE)).toMatchObject([
    { target: 'https://a.test/b?%E6' },
  ]);
});

test('links in the document of a frame are links of the page, relative to its base', () => {
  const inner = "<base href='/x/'><a href='ж?ж'>a <b>b</b></a><iframe srcdoc='<img src=i alt=c>'></iframe>";
  const html = `<base href="/b/"><iframe srcdoc="${inner}"></iframe><a href=z>z</a>`;
  expect(resolvedLinks(htmlOf(payload(html)), PAGE)).toEqual([
    { target: 'https://a.test/b/%D0%B6?%E6', text: 'a b', element: 'a' },
    { target: 'https://a.test/b/i', text: 'c', element: 'img' },
    { target: 'https://a.test/b/z', text: 'z', element: 'a' },
  ]);
});

test.each([
  ['a link', HTML, TARGET, 'text/html'],
  ['a set', '<img srcset="/ж?ж 1x">', 'https://a.test/%D0%B6?%E6', 'text/html'],
  ['a style', '<style>a{b:url(/ж?ж)}</style>', 'https://a.test/%D0%B6?%E6', 'text/html'],
  ['a style in an attribute', '<p style="a:url(/ж?ж)">', 'https://a.test/%D0%B6?%E6', 'text/html'],
  ['a frame', '<iframe srcdoc="&lt;a href=/ж?ж>"></iframe>', 'https://a.test/%D0%B6?%E6', 'text/html'],
  ['a style sheet', 'a{b:url(/ж?ж)}', 'https://a.test/%D0%B6?%E6', 'text/css'],
])('a mirror and a replay look for %s under the URL of the crawl', (_, text, target, type) => {
  const seen: string[] = [];
  const rewrite = (url: string) => {
    seen.push(url);
    return 'x';
  };
  rewritePayload(payload(text, type), type, PAGE, rewrite);
  replay(payload(text, type), { url: PAGE, shownAt: 'http://127.0.0.1/x/', isDocument: true, rewrite });
  expect(seen).toEqual([target, target]);
});

test('a character reference beside bytes of the charset is none of them', () => {
  const page = {
    headers: [['content-type', 'text/html; charset=utf-8']] as const,
    body: Buffer.from('<a href="/caf&eacute;/é">x'),
  };
  const seen: string[] = [];
  rewritePayload(page, 'text/html', PAGE, (url) => {
    seen.push(url);
    return 'x';
  });
  expect(seen).toEqual(['https://a.test/caf%C3%A9/%C3%A9']);
});

test('Markdown has the links of the crawl', () => {
  const html = '<p>A text that is long enough to be one, with a <a href="/ж?ж">link</a> in it, and more.</p>';
  expect(extractContent(html, PAGE, undefined, 'windows-1251').markdown).toContain(
    'https://a.test/%D0%B6?%E6',
  );
});

test('what a hook has found in a page is requested as a link of the page', () => {
  const requests = collectRequests(PAGE, 10, 'windows-1251');
  requests.enqueue('/ж?ж');
  requests.enqueue(new URL('/?ж', PAGE));
  expect(requests.end().requests.map(({ url }) => url)).toEqual([
    'https://a.test/%D0%B6?%E6',
    'https://a.test/?%D0%B6',
  ]);
});
