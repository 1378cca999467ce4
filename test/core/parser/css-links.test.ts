import { describe, expect, test } from 'vitest';
import { createCssLinks } from '../../../shared/core/parser/css-links.ts';

function parse(bytes: Buffer, contentType: string | undefined, step: number) {
  const parser = createCssLinks({ url: 'http://h/c/a.css', contentType, maxLinks: 2 });
  for (let at = 0; at < bytes.length; at += step) parser.write(bytes.subarray(at, at + step));
  return parser.end();
}

describe('createCssLinks', () => {
  test.each<[string, Buffer, string | undefined, string]>([
    ['the byte order mark', Buffer.from('\ufeff@charset "latin1";url(\u00e9)'), undefined, 'utf-8'],
    [
      'Content-Type',
      Buffer.from('@charset "utf-8";url(\u00e9)', 'latin1'),
      'text/css;charset=latin1',
      'windows-1252',
    ],
    ['@charset', Buffer.from('@charset "latin1";url(\u00e9)', 'latin1'), 'text/css', 'windows-1252'],
    ['@charset, which cannot mean UTF-16', Buffer.from('@charset "utf-16";url(\u00e9)'), 'text/css', 'utf-8'],
    ['nothing', Buffer.from('url(\u00e9)'), 'text/css', 'utf-8'],
  ])('the charset follows from %s, however the sheet arrives', (_, bytes, contentType, charset) => {
    for (const step of [1, 7, 1000])
      expect(parse(bytes, contentType, step)).toEqual({
        links: [{ url: 'http://h/c/%C3%A9', kind: 'css' }],
        droppedLinks: 0,
        charset,
      });
  });

  test('what the end of a sheet closes is none: the sheet may have broken off', () => {
    for (const end of [
      'url(http://exam',
      'url("http://exam',
      '@import "http://exam',
      '@import "http://exam\\',
    ])
      expect(parse(Buffer.from(`url(a);${end}`), 'text/css', 5).links.map(({ url }) => url)).toEqual([
        'http://h/c/a',
      ]);
  });

  test('references are relative to the sheet, and beyond the limit counted', () => {
    const { links, droppedLinks } = parse(Buffer.from('url(a)url(../b)url(a)url(c)'), 'text/css', 5);
    expect(links.map(({ url }) => url)).toEqual(['http://h/c/a', 'http://h/b']);
    expect(droppedLinks).toBe(1);
  });
});
