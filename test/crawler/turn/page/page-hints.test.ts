/** Pages whose markup does not hold what their reader sees. */
import { describe, expect, test } from 'vitest';
import { MAX_LEVEL } from '../../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import { hintOf, wantsSigns } from '../../../../shared/crawler/turn/page/page-hints.ts';
import { PLAIN_FACTS, recordOf } from '../turn-fakes.ts';

const SIGNS = { hasPasswordField: false, hasScripts: false, textChars: 5000 };
const BLANK = { ...SIGNS, hasScripts: true, textChars: 10 };
const facts = (signs: object | undefined, more: object = {}): DocumentFacts =>
  ({ ...PLAIN_FACTS, signs, ...more }) as never;
const linkOf = (kind: string) => ({ url: 'http://a.test/x', kind });

describe('a page is examined', () => {
  test.each<[string, Partial<UrlRecord>, number, boolean]>([
    ['the first ten of a host', { depth: 3 }, 9, true],
    ['none after them', { depth: 3 }, 10, false],
    ['a seed', { depth: 0 }, 1000, true],
    ['what is no page', { depth: 0, kind: 'sitemap' }, 0, false],
  ])('%s', (_which, record, pages, wants) => {
    expect(wantsSigns(recordOf('http://a.test/', record), pages)).toBe(wants);
  });
});

describe('a page needs JavaScript', () => {
  const hint = (given: DocumentFacts, record: Partial<UrlRecord> = {}) =>
    hintOf(recordOf('http://a.test/p', record), given);

  test.each<[string, DocumentFacts, string | undefined]>([
    ['it has scripts and hardly any text', facts(BLANK), 'javascript'],
    ['it has 200 characters', facts({ ...BLANK, textChars: 200 }), 'javascript'],
    ['it has more', facts({ ...BLANK, textChars: 201 }), undefined],
    ['it has no scripts', facts({ ...BLANK, hasScripts: false }), undefined],
    ['it links to a page', facts(BLANK, { links: [linkOf('img'), linkOf('a')] }), undefined],
    [
      'it links to what it needs alone, and to a feed',
      facts(BLANK, { links: [linkOf('img'), linkOf('feed'), linkOf('link')] }),
      'javascript',
    ],
    ['it was not examined', facts(undefined), undefined],
    ['it is no HTML', facts(BLANK, { type: 'xml' }), undefined],
  ])('if %s: %#', (_why, given, found) => {
    expect(hint(given)).toBe(found);
  });

  describe('though it has text, if it is a seed', () => {
    const seed = { depth: 0, level: MAX_LEVEL };
    const filled = (links: readonly object[]) => facts({ ...SIGNS, hasScripts: true }, { links });
    const to = (url: string, kind = 'a') => ({ url, kind });

    test.each<[string, DocumentFacts, Partial<UrlRecord>, string | undefined]>([
      ['without links', filled([]), seed, 'javascript'],
      [
        'with links to other hosts and to itself',
        filled([to('http://b.test/x'), to('http://a.test/p')]),
        seed,
        'javascript',
      ],
      ['with a link to its host', filled([to('http://a.test/x')]), seed, undefined],
      ['with a frame', filled([to('http://a.test/menu', 'frame')]), seed, undefined],
      ['without scripts', facts(SIGNS), seed, undefined],
      ['that is none', filled([]), { depth: 1 }, undefined],
    ])('%s', (_which, given, record, found) => {
      expect(hint(given, record)).toBe(found);
    });
  });

  test('not if it is a part of one', () => {
    expect(hint(facts(BLANK), { kind: 'requisite' })).toBeUndefined();
  });
});

describe('a seed leads to a login page', () => {
  const FORM = facts({ ...SIGNS, hasPasswordField: true });
  const led = (url: string, fields: Partial<UrlRecord> = {}, given = FORM) =>
    hintOf(
      recordOf(url, { depth: 0, level: MAX_LEVEL, redirects: 1, via: 'http://a.test/', ...fields }),
      given,
    );

  test.each([
    '/login',
    '/log-in',
    '/log_in',
    '/logon',
    '/signin',
    '/sign-in',
    '/signon',
    '/sso',
    '/auth',
    '/authenticate',
    '/user/LOGIN.php',
    '/account/login/',
    '/x-login?next=/',
    '/a_login',
    '/login.html',
  ])('at %s', (path) => {
    expect(led(`http://a.test${path}`)).toBe('login');
  });

  test.each(['/', '/blogin', '/loginfo', '/author', '/authority', '/ssoap', '/catalogon1'])(
    'not at %s',
    (path) => {
      expect(led(`http://a.test${path}`)).toBeUndefined();
    },
  );

  test('if it was redirected there from elsewhere, and there is a password to be given', () => {
    const url = 'http://a.test/login';
    expect(led(url, { redirects: 0 })).toBeUndefined();
    expect(led(url, { via: undefined })).toBeUndefined();
    expect(led(url, { via: 'http://a.test/sign-in' })).toBeUndefined();
    expect(led(url, { depth: 1 })).toBeUndefined();
    expect(led(url, {}, facts(SIGNS))).toBeUndefined();
  });
});
