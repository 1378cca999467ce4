import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  InvalidLinkMessage,
  parseLinkText,
  wakeAllText,
} from '../../../../shared/engines/aws/queues/link-message.ts';
import { parcelTexts } from '../../../../shared/engines/aws/queues/message-text.ts';
import { withoutHang } from '../../../hang-guard.ts';

const URLS = ['https://a.test/', 'https://b.test/x?y=1#z'];

describe('seeds, as people write them', () => {
  test.each<[string, string, object]>([
    ['one URL', '{"url": "https://a.test/"}', { urls: ['https://a.test/'] }],
    ['several', JSON.stringify({ urls: URLS }), { urls: URLS }],
    [
      'one and several',
      JSON.stringify({ url: 'https://c.test/', urls: URLS }),
      { urls: ['https://c.test/', ...URLS] },
    ],
    [
      'a crawl with its configuration',
      ` ${JSON.stringify({ crawl: 'news', urls: URLS, config: { maxPages: 5 } }, undefined, 2)}\n`,
      { crawl: 'news', urls: URLS, config: { maxPages: 5 } },
    ],
    ['lines', URLS.join('\n'), { urls: URLS }],
    ['lines of Windows, with blanks', `  ${URLS.join('\r\n\r\n\t')}  \r\n`, { urls: URLS }],
    ['blanks', URLS.join('   '), { urls: URLS }],
    ['comments', `# mine\n${URLS[0]} # the first\n  # no more\n${URLS[1]}\n`, { urls: URLS }],
    ['without a scheme', 'example.org localhost:8080', { urls: ['example.org', 'localhost:8080'] }],
  ])('%s', (_, body, expected) => {
    expect(parseLinkText(body)).toEqual({ kind: 'seeds', ...expected });
  });
});

test('a message holds as many URLs as it may, as text and as JSON', () => {
  const urls = Array.from({ length: 10_000 }, (_, i) => `a.test/${i}`);
  for (const body of [urls.join('\n'), JSON.stringify({ urls })])
    expect(parseLinkText(body)).toEqual({ kind: 'seeds', urls });
});

test('brackets of any depth are refused by that one error', () => {
  const text = '{"urls":['.repeat(20_000) + ']}'.repeat(20_000);
  expect(() => parseLinkText(text)).toThrow(InvalidLinkMessage);
  expect(() => parseLinkText(text)).toThrow(/urls\[0\].*got an object of too many levels/);
  const array = `{"url":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  expect(() => parseLinkText(array)).toThrow(/url.*got an array of too many levels/);
});

test('a text of comments with line separators of Unicode ends', () => {
  const text = `https://a.test/${' #'.repeat(60_000)}\u2028x`;
  expect(withoutHang(() => parseLinkText(text))).toEqual({ kind: 'seeds', urls: ['https://a.test/'] });
});

describe('what is refused, with its reason', () => {
  test.each<[string, string, RegExp]>([
    ['an empty text', ' \n', /^Expected URLs, got an empty text$/],
    ['nothing but a comment', '# https://a.test/', /empty text/],
    ['prose', 'Please crawl https://a.test/ soon.', /^Expected URLs such as .*, got "Please"$/],
    ['a word', 'hello', /^Expected URLs, a JSON object, or a parcel of links, got "hello": /],
    ['JSON that is broken', '{"url": ', /^Expected JSON, got "{\\?"url\\?":": /],
    ['a list', '["https://a.test/"]', /^Expected JSON of an object such as/],
    ['an object without URLs', '{"crawl": "news"}', /^Expected `url` or `urls` to hold a URL, got none$/],
    [
      'a wrong type',
      '{"urls": "https://a.test/"}',
      /^Expected `urls` to be of type array, got "https:\/\/a\.test\/"$/,
    ],
    [
      'a wrong item',
      '{"urls": ["https://a.test/", 5]}',
      /^Expected `urls\[1\]` to be of type string, got 5$/,
    ],
    [
      'the key of the API',
      '{"seeds": ["https://a.test/"]}',
      /^Unknown key seeds in the message; there are crawl, url, urls, config$/,
    ],
    ['an unknown key', '{"confg": {}}', /^Unknown key confg in the message; did you mean config\?$/],
    [
      'a name that is none',
      '{"crawl": "a b", "url": "https://a.test/"}',
      /^Expected `crawl` to be 1 to 64 letters/,
    ],
    ['too many URLs', 'a.test '.repeat(10_001), /^Expected at most 10000 URLs in one message, got 10001$/],
    [
      'too many in JSON',
      JSON.stringify({ urls: Array.from({ length: 10_001 }, () => 'a.test') }),
      /^Expected `urls` to have at most 10000 items/,
    ],
    ['waking for no resume', '{"wakeAll": "news", "resume": 0}', /resume/],
    ['waking for a part of a resume', '{"wakeAll": "news", "resume": 1.5}', /resume/],
    [
      'waking with more than is known',
      '{"wakeAll": "news", "resume": 1, "all": true}',
      /^Unknown key all in the message/,
    ],
  ])('%s', (_, body, reason) => {
    expect(() => parseLinkText(body)).toThrow(InvalidLinkMessage);
    expect(() => parseLinkText(body)).toThrow(reason);
  });
});

describe('parcels and texts are not mistaken for each other', () => {
  const url = fc.webUrl({ withQueryParameters: true, withFragments: true });

  test('any parcel is read as the links it holds', () => {
    fc.assert(
      fc.property(fc.array(url, { minLength: 1, maxLength: 20 }), (urls) => {
        const links = [...new Set(urls)].sort().map((url) => ({ url, depth: 1 }));
        const [text] = parcelTexts({ crawl: 'news', links }, 1e6);
        expect(parseLinkText(text as string)).toEqual({ kind: 'parcel', outLinks: { crawl: 'news', links } });
      }),
      { numRuns: 50 },
    );
  });

  test('any URLs are read as those URLs', () => {
    fc.assert(
      fc.property(fc.array(url, { minLength: 1, maxLength: 5 }), (urls) => {
        expect(parseLinkText(urls.join('\n'))).toEqual({ kind: 'seeds', urls });
      }),
      { numRuns: 50 },
    );
  });

  test('any text at all is understood or refused by that one error', () => {
    const texts = fc.oneof(fc.string(), fc.json(), fc.base64String(), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, (text) => {
        try {
          expect(['parcel', 'seeds', 'wakeAll']).toContain(parseLinkText(text).kind);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidLinkMessage);
        }
      }),
    );
  });
});

test.each([
  [1, undefined],
  [7, 'abc'],
])('the message that wakes all hosts is read as written, resume: %s, cursor: %s', (resume, cursor) => {
  expect(parseLinkText(wakeAllText('news', resume, cursor))).toEqual({
    kind: 'wakeAll',
    crawl: 'news',
    ...(cursor && { cursor }),
    resume,
  });
});
