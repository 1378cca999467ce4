import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize, createResolver, URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import { baseUrl, reference } from './references.ts';

describe('canonicalize', () => {
  test.each([
    ['HTTP://Example.COM:80', 'http://example.com/', 'case of scheme and host, default port, empty path'],
    ['https://example.com:443/a', 'https://example.com/a', 'default port'],
    [
      'https://example.com:80/a',
      'https://example.com:80/a',
      'a port that is the default of the other scheme',
    ],
    ['http://u:p%40q@example.com/a@b', 'http://example.com/a@b', 'user information, and an @ in the path'],
    ['http://example.com/?a@b', 'http://example.com/?a@b', 'an @ in the query'],
    ['http://example.com/a#b?c', 'http://example.com/a', 'the fragment'],
    ['http://example.com/a?#b', 'http://example.com/a?', 'an empty query is not none'],
    ['http://example.com/a/%2E%2e/b/./c', 'http://example.com/b/c', 'dot segments, encoded or not'],
    ['http://example.com/%41%7E%2d%5f%2E', 'http://example.com/A~-_.', 'unreserved octets are decoded'],
    ['http://example.com/?%41=%7e', 'http://example.com/?A=~', 'in the query too'],
    ['http://example.com/a%2fb%c3%a9', 'http://example.com/a%2Fb%C3%A9', 'reserved ones in upper case'],
    ['http://example.com/100%', 'http://example.com/100%', 'a stray percent sign stays'],
    ['http://example.com/%%34%31', 'http://example.com/%%341', 'decoding never makes a new octet'],
    ['http://example.com/%4%31', 'http://example.com/%4%31', 'nor completes one'],
    ['http://example.com/%%67%31', 'http://example.com/%g1', 'and decodes what cannot'],
    ['http://example.com/%2541', 'http://example.com/%2541', 'decodes once, not twice'],
    ['http://bücher.example/é?ü', 'http://xn--bcher-kva.example/%C3%A9?%C3%BC', 'IDNA and UTF-8'],
    [
      'http://example.com/;a=1?b=2&a=1&utm_source=x',
      'http://example.com/;a=1?b=2&a=1&utm_source=x',
      'parameters',
    ],
    ['  http://example.com/a\n', 'http://example.com/a', 'white space around it'],
    [`http://${'a.'.repeat(125)}com/`, `http://${'a.'.repeat(125)}com/`, 'a host as long as DNS allows'],
  ])('%j becomes %j: %s', (input, expected) => {
    expect(canonicalize(input)).toBe(expected);
  });

  test.each([
    '',
    'example.com/a',
    '/a',
    'mailto:a@b.c',
    'javascript:void(0)',
    'ftp://a/b',
    'http://',
    'http://a b/',
  ])('%j without a base is no URL of ours', (input) => {
    expect(canonicalize(input)).toBeUndefined();
  });

  test('a reference needs a base that is a URL', () => {
    expect(canonicalize('http://a.com/', 'nonsense')).toBeUndefined();
    expect(canonicalize('b', 'http://a.com/c/d')).toBe('http://a.com/c/b');
  });

  test('the result is printable ASCII, its own canonical form, and what a parser makes of it', () => {
    fc.assert(
      fc.property(reference, baseUrl, (input, base) => {
        for (const url of [canonicalize(input), canonicalize(input, base)]) {
          if (url === undefined) continue;
          expect(url).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
          expect(canonicalize(url)).toBe(url);
          expect(new URL(url).href).toBe(url);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('whatever the platform parses as http or https is accepted, and nothing else', () => {
    fc.assert(
      fc.property(reference, baseUrl, (input, base) => {
        const parsed = URL.parse(input, base);
        const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
        expect(canonicalize(input, base) !== undefined).toBe(isHttp);
      }),
      { numRuns: 3000 },
    );
  });

  test('an octet has one canonical form, however it is spelled', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0x21, max: 0xff }), { maxLength: 20 }), (octets) => {
        const lower = octets.map((o) => `%${o.toString(16)}`).join('');
        const literal = octets.map((o) => {
          const character = String.fromCharCode(o);
          return /[A-Za-z0-9_~-]/.test(character) ? character : `%${o.toString(16).toUpperCase()}`;
        });
        const canonical = canonicalize(`http://a.com/x${lower}`);
        expect(canonicalize(`http://a.com/x${lower.toUpperCase()}`)).toBe(canonical);
        expect(canonicalize(`http://a.com/x${literal.join('')}`)).toBe(canonical);
      }),
    );
  });

  test('the version of the rules is a number to compare', () => {
    expect(URL_RULES_VERSION).toBe(2);
  });
});

describe('createResolver', () => {
  const base = 'https://www.example.com/news/2024/index.html?x=1';
  test.each([
    ['/a/b?c=d', 'https://www.example.com/a/b?c=d'],
    ['/a//b', 'https://www.example.com/a//b'],
    ['/', 'https://www.example.com/'],
    ['story.html#top', 'https://www.example.com/news/2024/story.html'],
    ['../2023/', 'https://www.example.com/news/2023/'],
    ['.hidden', 'https://www.example.com/news/2024/.hidden'],
    ['a/../b', 'https://www.example.com/news/2024/b'],
    ['?page=2', 'https://www.example.com/news/2024/index.html?page=2'],
    ['#top', base],
    ['', base],
    ['//cdn.example.org/x.js', 'https://cdn.example.org/x.js'],
    ['//cdn.example.org', 'https://cdn.example.org/'],
    ['http://example.org/a', 'http://example.org/a'],
    ['https:story.html', 'https://www.example.com/news/2024/story.html'],
    ['httpd.html', 'https://www.example.com/news/2024/httpd.html'],
    ['page:2', undefined],
    ['/page:2', 'https://www.example.com/page:2'],
    ['tel:+123', undefined],
    ['http://1.2/', 'http://1.0.0.2/'],
  ])('%j becomes %j', (reference, expected) => {
    expect(createResolver(base)(reference)).toBe(expected);
  });

  test('gives exactly what canonicalize gives', () => {
    fc.assert(
      fc.property(baseUrl, fc.array(reference, { maxLength: 20 }), (base, references) => {
        const resolve = createResolver(base);
        for (const one of references) expect(resolve(one)).toBe(canonicalize(one, base));
      }),
      { numRuns: 1000 },
    );
  });
});
