import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_ROBOTS_BYTES,
  parseRobots,
  productToken,
  robotName,
} from '../../../shared/core/robots/parse-robots.ts';
import { isAllowed, pathAndQuery } from '../../../shared/core/robots/rules.ts';
import { decodeRules, encodeRules } from '../../../shared/core/robots/rules-text.ts';

const parse = (text: string, token = 'Strand') => parseRobots(Buffer.from(text), token);
const allows = (text: string, path: string, token?: string) => isAllowed(parse(text, token), path).allowed;

describe('the product token', () => {
  test.each([
    ['Strand/0.1 (+https://example.com)', 'Strand'],
    ['Strand', 'Strand'],
    ['my_own-Bot 2', 'my_own-Bot'],
    ['MJ12bot/1.4', 'MJ'],
    ['360Spider', ''],
    ['', ''],
  ])('of %j is %j', (userAgent, token) => expect(productToken(userAgent)).toBe(token));

  test.each([
    ['Mozilla/5.0 (compatible; MyBot/1.0; +https://example.org/bot)', 'MyBot'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla'],
    ['Strand/0.1', 'Strand'],
  ])('by which %j goes is %j', (userAgent, name) => expect(robotName(userAgent)).toBe(name));

  test('that is empty is named by no group, not even by an empty one', () => {
    expect(allows('User-agent:\nUser-agent: 360Spider\nDisallow: /\n', '/a', '360Spider')).toBe(true);
    expect(allows('User-agent: *\nDisallow: /\n', '/a', '360Spider')).toBe(false);
  });
});

describe('groups', () => {
  test.each([
    [
      'that name us are merged',
      'User-agent: strand\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: STRAND\nDisallow: /c',
    ],
    ['may name us among others', 'User-agent: x\nUser-agent: Strand\nDisallow: /a\nDisallow: /c'],
    ['may name us with a version', 'User-agent: Strand/2.1\nDisallow: /a\nDisallow: /c'],
    [
      'continue past blank, unknown and sitemap lines',
      'User-agent: Strand\n\nFoo: bar\nUser-agent: x\nSitemap: /s\nDisallow: /a\n\nDisallow: /c',
    ],
    [
      'keep us out of those for everyone',
      'User-agent: *\nDisallow: /b\nUser-agent: Strand\nDisallow: /a\nDisallow: /c',
    ],
    [
      'for everyone are merged where none names us',
      'User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: *\nDisallow: /c',
    ],
  ])('%s', (_, text) => {
    expect(['/a', '/b', '/c'].map((path) => allows(text, path))).toEqual([false, true, false]);
  });

  test('that name us and rule nothing allow everything', () => {
    expect(allows('User-agent: *\nDisallow: /\nUser-agent: Strand\n', '/a')).toBe(true);
    expect(allows('User-agent: *\nDisallow: /\nUser-agent: Strand\nDisallow:\n', '/a')).toBe(true);
  });

  test('must have begun before a rule counts', () => {
    expect(allows('Disallow: /a\nUser-agent: *\nDisallow: /b', '/a')).toBe(true);
  });

  test('do not match a token that only begins like ours', () => {
    expect(allows('User-agent: Strand-News\nUser-agent: Str\nDisallow: /', '/a')).toBe(true);
  });
});

describe('the crawl delay', () => {
  test.each([
    ['User-agent: *\nCrawl-delay: 2.5', 2500],
    ['User-agent: *\nCrawl-delay: .5 # half a second', 500],
    ['User-agent: *\nCrawl-delay: 3 seconds\nCrawl-delay: 1', 3000],
    ['User-agent: *\nCrawl-delay: 5\nUser-agent: Strand\nDisallow: /a', undefined],
    ['User-agent: *\nCrawl-delay: 5\nUser-agent: x\nCrawl-delay: 7', 5000],
    ['Crawl-delay: 5\nUser-agent: *\nDisallow: /a', undefined],
    ['User-agent: *\nCrawl-delay: -1', undefined],
    ['User-agent: *\nCrawl-delay: 5s', undefined],
    ['User-agent: *\nCrawl-delay: 99999999999999999999', undefined],
  ])('of %j is %s', (text, delayMs) => expect(parse(text).crawlDelayMs).toBe(delayMs));
});

test('sitemaps are listed once, with their bytes, whatever group they are in', () => {
  const text =
    'Sitemap: https://h/é.xml\nUser-agent: x\nSITEMAP: /s.xml\nDisallow: /\nsitemap: /s.xml\nSitemap:';
  expect(parse(text).sitemaps).toEqual(['https://h/%C3%A9.xml', '/s.xml']);
});

test('what is not UTF-8 is compared and requested byte by byte', () => {
  const text = 'User-agent: *\nDisallow: /caf\xe9\nSitemap: /pl\xe9.xml';
  const rules = parseRobots(Buffer.from(text, 'latin1'), 'Strand');
  expect(rules.sitemaps).toEqual(['/pl%E9.xml']);
  expect([isAllowed(rules, '/caf%E9').allowed, isAllowed(rules, '/caf%C3%A9').allowed]).toEqual([
    false,
    true,
  ]);
});

test('the rule that decided is returned with its line, whatever the line ends', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const rules = parse(['# top', 'User-agent: *', 'Disallow: /a', '', 'Allow: /a/b'].join(end));
    expect(isAllowed(rules, '/a/b/c')).toEqual({
      allowed: true,
      rule: { allow: true, pattern: '/a/b', line: 5 },
    });
    expect(isAllowed(rules, '/a/c')).toEqual({
      allowed: false,
      rule: { allow: false, pattern: '/a', line: 3 },
    });
    expect(isAllowed(rules, '/x')).toEqual({ allowed: true });
  }
});

describe('bytes', () => {
  test('that are not UTF-8 are compared as they stand', () => {
    const rules = parseRobots(
      Buffer.from('\xef\xbb\xbfUser-agent: *\nDisallow: /b\xfccher\n', 'latin1'),
      'Strand',
    );
    expect(isAllowed(rules, '/b%fccher').allowed).toBe(false);
    expect(isAllowed(rules, '/b%C3%BCcher').allowed).toBe(true);
  });

  test('of a letter that ends in 0xA0 are not taken for a space', () => {
    expect(parse('User-agent: *\nDisallow: /voilà').rules[0]?.pattern).toBe('/voil%C3%A0');
  });

  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  test.each([
    ['of UTF-16 with its mark', utf16('\ufeffUser-agent: *\r\nDisallow: /ü\r\n')],
    ['of UTF-16, the other way round', utf16('\ufeffUser-agent: *\nDisallow: /ü').swap16()],
    ['of UTF-16 without a mark', utf16('User-agent: *\nDisallow: /ü')],
    ['of UTF-16 without a mark, the other way round', utf16('User-agent: *\nDisallow: /ü').swap16()],
    ['of UTF-16 that was cut', utf16('\ufeffUser-agent: *\nDisallow: /ü\nx').subarray(0, -1)],
    ['behind two marks', Buffer.from('\ufeff\ufeffUser-agent: *\nDisallow: /ü')],
    ['of files that were joined', Buffer.from('\ufeff# one\n\ufeffUser-agent: *\n\ufeffDisallow: /ü')],
    [
      'beside blanks that nobody sees',
      Buffer.from('\u00a0User-agent:\u00a0*\u200b \nDisallow\u200b: \u00a0/ü\u00a0'),
    ],
  ])('%s are rules', (_, body) => {
    const rules = parseRobots(body, 'Strand');
    expect(rules.rules.map(({ pattern }) => pattern)).toEqual(['/%C3%BC']);
  });

  test('of UTF-16 beyond the limit are not read, nor is the line that was cut', () => {
    const text = `User-agent: *\nDisallow: /early\n${'#\n'.repeat(MAX_ROBOTS_BYTES / 4)}Disallow: /late`;
    const cut = utf16(text).subarray(0, MAX_ROBOTS_BYTES + 90);
    expect(parseRobots(cut, 'Strand').rules.map(({ pattern }) => pattern)).toEqual(['/early']);
  });

  const head = 'User-agent: *\nDisallow: /early\n';
  const padded = (size: number) => head + '#'.repeat(size - head.length - 1);

  test('up to the limit are read, the last line too if it is whole', () => {
    const last = '\nAllow: /early/whole';
    const whole = padded(MAX_ROBOTS_BYTES - last.length + 1) + last;
    expect(whole.length).toBe(MAX_ROBOTS_BYTES);
    expect(allows(whole, '/early/whole')).toBe(true);
    expect(allows(`${whole}\n`, '/early/whole')).toBe(true);
    expect(allows(`${whole}/longer\n`, '/early/whole')).toBe(false);
  });

  test('beyond the limit are not read', () => {
    const text = `${padded(MAX_ROBOTS_BYTES)}\nAllow: /early\n`;
    expect(allows(text, '/early')).toBe(false);
  });

  test('of any kind are a robots.txt', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (body, path) => {
        const rules = parseRobots(body, 'Strand');
        isAllowed(rules, path);
        expect(decodeRules(encodeRules(rules))).toEqual(rules);
      }),
    );
  });
});

test.each([
  ['http://example.com/a/b?c=d', '/a/b?c=d'],
  ['http://example.com/?', '/?'],
  ['http://example.com/', '/'],
  ['http://example.com', '/'],
  ['http://example.com?q=/x', '?q=/x'],
  ['https://u:p@example.com:8080/a#b?c', '/a'],
])('path and query of %s are %s', (url, path) => expect(pathAndQuery(url)).toBe(path));
