import { expect, test } from 'vitest';
import { answerHeaders, partHeaders } from '../../../shared/core/render/answer-headers.ts';
import { LinkList } from '../../../shared/core/render/link-list.ts';

test('a browser gets an answer without what concerned its transfer, and without what makes it report or connect', () => {
  const headers = [
    ['Content-Type', 'text/html; charset=iso-8859-1'],
    ['Content-Encoding', 'br'],
    ['Content-Length', '3'],
    ['Transfer-Encoding', 'chunked'],
    ['Set-Cookie', 'a=1'],
    ['Set-Cookie', 'b=\u00e9'],
    ['NEL', '{}'],
    ['Alt-Svc', 'h3=":443"'],
    ['Critical-CH', 'dpr'],
  ] as const;
  expect(answerHeaders(headers).toString('latin1').split('\0')).toEqual([
    'Content-Type: text/html; charset=iso-8859-1',
    'Set-Cookie: a=1',
    'Set-Cookie: b=\u00e9',
  ]);
});

test('a site gets no header that names the browser, and none that the crawler sets', () => {
  const headers = new Map([
    ['accept', '*/*'],
    ['user-agent', 'Chrome'],
    ['accept-encoding', 'zstd'],
    ['sec-ch-ua', 'x'],
    ['cookie', 'a=1'],
    ['x-own', '1'],
    ['origin', 'https://a.example'],
  ]);
  expect(partHeaders(headers)).toEqual({ accept: '*/*', 'x-own': '1', origin: 'https://a.example' });
});

test('links of a page are of the web, each once, and bounded', () => {
  const links = new LinkList(2);
  for (const url of [
    'javascript:1',
    'https://a.example/',
    'https://a.example/',
    `https://a.example/${'x'.repeat(9000)}`,
    'http://b.example/',
    'http://c.example/',
  ])
    links.add(url);
  expect(links.all()).toEqual(['https://a.example/', 'http://b.example/']);
});
