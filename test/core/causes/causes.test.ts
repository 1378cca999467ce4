import { expect, test } from 'vitest';
import { boundedText, type Cause } from '../../../shared/core/causes/cause.ts';
import { CAUSE_CODES, causeText, resultText } from '../../../shared/core/causes/cause-text.ts';
import { decodeCause, encodeCause, knownCause } from '../../../shared/core/causes/stored-cause.ts';

const TO = 'https://a.test/x?b=1,2';

/** Each cause with its sentence. */
const SENTENCES: readonly (readonly [Cause, string])[] = [
  [{ code: 'httpStatus', httpStatus: 503 }, 'HTTP 503'],
  [{ code: 'bodyBrokeOff', truncated: 'time' }, 'the body broke off (time)'],
  [{ code: 'challenged', vendor: 'DataDome', httpStatus: 405 }, 'challenged by DataDome (HTTP 405)'],
  [
    { code: 'challenged', vendor: 'Cloudflare', httpStatus: 403, at: 'robots' },
    'robots.txt: challenged by Cloudflare (HTTP 403)',
  ],
  [{ code: 'blocked', httpStatus: 999 }, 'blocked (HTTP 999)'],
  [{ code: 'priced', httpStatus: 402 }, 'priced (HTTP 402)'],
  [{ code: 'redirect', to: TO }, `to ${TO}`],
  [{ code: 'redirect', to: TO, isSoft: true }, `to ${TO} (meta refresh)`],
  [{ code: 'redirect', to: TO, joins: true }, `to ${TO} (another site, which joins the crawl like a seed)`],
  [
    { code: 'redirect', to: TO, notFollowed: 'redirects', redirects: 4 },
    `to ${TO}, not followed: 4 redirects in a row`,
  ],
  [
    { code: 'redirect', to: TO, notFollowed: 'scopeFull' },
    `to ${TO}, not followed: the record of the crawl cannot hold another URL of its scope`,
  ],
  [
    { code: 'redirect', to: TO, notFollowed: 'otherSite' },
    `to ${TO}, not followed: a sitemap of another site`,
  ],
  [{ code: 'redirectWithoutLocation' }, 'a redirect without Location'],
  [{ code: 'redirectToNoUrl', location: 'ftp://a b/' }, 'to ftp://a b/, which is not an http(s) URL'],
  [{ code: 'noindex' }, 'noindex'],
  [
    { code: 'needsJavaScript' },
    'it has scripts, but hardly any text or no links: probably it needs JavaScript (--render needed runs it)',
  ],
  [
    { code: 'notRendered', reason: 'crashed', detail: 'out of memory' },
    'it was not rendered: its browser process has ended (out of memory)',
  ],
  [{ code: 'notRendered', reason: 'timedOut' }, 'it was not rendered: it took too long'],
  [{ code: 'loginPage' }, 'it is a login page, to which a seed redirected'],
  [
    { code: 'linksDropped', links: 1, detail: 'too long to be URLs', besides: { code: 'noindex' } },
    '1 link left out: too long to be URLs; noindex',
  ],
  [{ code: 'linksDropped', links: 5, detail: 'more than 3 links' }, '5 links left out: more than 3 links'],
  [{ code: 'robotsDenied', line: 2, pattern: '/a' }, 'robots.txt, line 2: Disallow: /a'],
  [{ code: 'robotsDenied' }, 'robots.txt'],
  [{ code: 'robotsFailed', detail: 'no such host: a.test' }, 'robots.txt: no such host: a.test'],
  [{ code: 'robotsStatus', httpStatus: 503 }, 'robots.txt: the server answered HTTP 503'],
  [{ code: 'robotsBrokeOff', truncated: 'disconnect' }, 'robots.txt: the body broke off (disconnect)'],
  [{ code: 'robotsRedirectsTooSlow' }, 'robots.txt: its redirects take longer than a turn'],
  [{ code: 'robotsMoved', to: TO }, `robots.txt: it redirects to ${TO}, which cannot be had`],
  [{ code: 'crawlNotRunning' }, 'robots.txt: the crawl does not run'],
  [
    { code: 'trap', kind: 'template', group: 'http://a.test/0' },
    'a trap: the last pages with URLs like http://a.test/0 brought nothing new (--trap-after-pages 0 fetches them)',
  ],
  [
    { code: 'trap', kind: 'combinations', group: '/a' },
    'a trap: combinations of parameters at /a brought no new pages (--trap-after-pages 0 fetches them)',
  ],
  [
    { code: 'trap', kind: 'folder', group: '/a' },
    'a trap: the folder /a gives the same pages under ever new paths (--trap-after-pages 0 fetches them)',
  ],
  [{ code: 'workerDied', times: 3, at: 'page' }, 'the worker died 3 times when it fetched this'],
  [{ code: 'workerDied', times: 3, at: 'robots' }, 'the worker died 3 times when it fetched its robots.txt'],
  [{ code: 'threadBlocked', ms: 4000, step: 'parse' }, 'blocked its thread for 4 s when it was parsed'],
  [
    { code: 'robotsBlockedThread', ms: 4000, step: 'robots' },
    'it blocked its thread for 4 s when its robots.txt was read',
  ],
  [
    { code: 'pagesBlockedThread', pages: 3, ms: 4000, step: 'hook' },
    '3 of its pages blocked their thread; the last one blocked its thread for 4 s in a hook of the project',
  ],
  [{ code: 'hostFailed' }, 'it failed again and again'],
  [
    { code: 'accountsLocked', accounts: 'reader-1', detail: 'the form was refused' },
    'its accounts are locked (reader-1): the form was refused',
  ],
  [{ code: 'signOutLink' }, 'it would sign the account out'],
  [{ code: 'changeLink' }, 'signed in, it may change something at the site'],
  [{ code: 'ownRequest' }, 'requested by the project'],
  [{ code: 'other', text: 'connection refused by a.test:80' }, 'connection refused by a.test:80'],
  [
    { code: 'bodyUndecoded', detail: 'gzip: unexpected end of file' },
    'the body cannot be decoded to its end (gzip: unexpected end of file)',
  ],
  [
    { code: 'bodyUndecoded', detail: 'Content-Encoding: compress', isAll: true },
    'the body cannot be decoded (Content-Encoding: compress)',
  ],
  [
    { code: 'robotsUndecoded', detail: 'deflate: invalid block type' },
    'robots.txt: the body cannot be decoded (deflate: invalid block type)',
  ],
  [
    { code: 'nearDuplicate', of: 'http://a.test/1', similarity: 0.9 },
    'its text is nearly the same as that of http://a.test/1 (0.90)',
  ],
  [
    {
      code: 'nearDuplicate',
      of: 'http://a.test/1',
      similarity: 1,
      isSkipped: true,
      besides: { code: 'noindex' },
    },
    'its text is nearly the same as that of http://a.test/1 (1.00), so it was skipped; noindex',
  ],
  [{ code: 'otherLanguage', language: 'fr' }, 'it is in another language (fr)'],
  [
    { code: 'pagesPerTemplate', template: '/item/0' },
    'enough pages with URLs like /item/0 were fetched (--max-pages-per-template)',
  ],
  [
    { code: 'softNotFound', probe: 'http://a.test/qw' },
    'the same answer as for a page that does not exist (soft 404, by http://a.test/qw)',
  ],
  [
    { code: 'redirect', to: TO, wantsCookie: true },
    `to ${TO}, with a cookie, which was not sent back (--host-cookies turn sends it)`,
  ],
  [{ code: 'redirect', to: TO, isNotFound: true }, `to ${TO}, as for a page that does not exist (soft 404)`],
  [{ code: 'usageForbidden', use: 'train-ai' }, 'it forbids its use (train-ai)'],
  [{ code: 'usageForbidden', use: 'tdm', by: 'robots.txt' }, 'robots.txt forbids its use (tdm)'],
  [{ code: 'fetchFailed', failure: 'noTls', detail: 'no TLS' }, 'no TLS'],
  [{ code: 'badDocument', detail: 'ends inside <a>' }, 'ends inside <a>'],
  [
    { code: 'documentUnread', detail: 'it is encrypted' },
    'its text and links were not read: it is encrypted',
  ],
  [
    { code: 'documentCut', detail: '1 of 2 pages were read' },
    'it was not read to its end: 1 of 2 pages were read',
  ],
  [{ code: 'hookFailed', detail: 'no price' }, 'no price'],
  [{ code: 'awaitsFirstVisit' }, "a seed that waits for its host's first visit"],
  [{ code: 'ownRequest', label: 'a "b"' }, 'requested by the project with the label "a \\"b\\""'],
  [
    { code: 'redirect', to: TO, notFollowed: 'urlLength' },
    `to ${TO}, not followed: longer than maxUrlLength`,
  ],
  [
    { code: 'redirect', to: TO, notFollowed: 'otherHost' },
    `to ${TO}, not followed: a request of the project that is not a plain GET is not sent to another host`,
  ],
  [{ code: 'ledgerUnreadable', detail: 'x' }, 'its stored state cannot be read: x'],
  [{ code: 'hashRoute' }, 'a route behind #, which is not rendered, or shows nothing of its own'],
  [{ code: 'siteRemoved' }, 'the site is not in the list of sites any more'],
];

test('each code has a sentence here', () => {
  const codes = new Set(SENTENCES.map(([{ code }]) => code));
  expect([...codes].sort()).toEqual([...CAUSE_CODES].sort());
});

test.each(SENTENCES)('%j is printed and stored', (cause, sentence) => {
  expect(causeText(cause)).toBe(sentence);
  expect(decodeCause(encodeCause(cause))).toEqual(cause);
  expect(knownCause(cause)).toEqual(cause);
});

test.each(['', 'HTTP 503', '{"code":"', '{"code":"silentResolvers"}', 'null', '7'])(
  'what no version of today wrote is kept as it is: %s',
  (text) => {
    expect(decodeCause(text)).toEqual({ code: 'other', text });
  },
);

test('a duplicate is named after the other causes', () => {
  expect(resultText({ duplicateOf: TO })).toBe(`its canonical URL is ${TO}`);
  expect(resultText({ cause: { code: 'linksDropped', links: 2, detail: 'd' }, duplicateOf: TO })).toBe(
    `2 links left out: d; its canonical URL is ${TO}`,
  );
  expect(resultText({})).toBeUndefined();
});

test('texts of the web are kept up to 2,000 characters', () => {
  expect(boundedText('a'.repeat(2000))).toBe('a'.repeat(2000));
  expect(boundedText('a'.repeat(9000))).toBe(`${'a'.repeat(2000)}...`);
});
