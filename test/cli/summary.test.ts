import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../cli/exit-codes.ts';
import { summaryJson, summaryText } from '../../cli/summary.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';

const SUMMARY: CrawlSummary = {
  exact: true,
  losses: {},
  sites: {},
  refusals: {},
  render: {},
  accounts: {},
  pages: 1234,
  urls: 5120,
  hosts: 12,
  bytes: 31_000_000,
  seconds: 134,
  byStatus: {
    waiting: 3800,
    fetched: 1200,
    redirect: 34,
    gone: 6,
    deniedByRobots: 30,
    skipped: 50,
    failed: 0,
  },
  httpStatus: { '200': 1200, '301': 34, '404': 6 },
  skipped: { depth: 20, scope: 30 },
  errors: { dns: 3 },
  warcFiles: ['a.warc.gz', 'b.warc.gz'],
  state: 'limited',
  crawl: 'x.example',
  rate: 9.21,
  cost: 0,
  costByItem: {},
  reason: '2 pages',
  reasonCode: 'maxPages',
  setAside: [{ host: 'x.example', cause: 'no such host\x1b[2J' }],
  failing: [],
  seeds: { fetched: 1 },
  failedSeeds: [],
  hints: {},
  hooks: {},
  hookErrors: [],
  requisites: {},
  cache: {},
  overBudget: {},
  full: {},
  recrawl: {},
};

test('people read a short aligned account and what to do next', () => {
  expect(summaryText(SUMMARY, false, { dir: "crawls/it's" })).toBe(
    [
      'Limit reached: 2 pages',
      '  Pages       1,234 in 2m 14s, 9.2 a second',
      '  URLs        5,120 known, 3,800 waiting, 1,200 fetched, 34 redirect, 6 gone, 30 denied by robots,',
      '              50 skipped',
      '  Hosts       12',
      '  Bytes       31 MB',
      '  HTTP        200: 1,200, 301: 34, 404: 6, with robots.txt and sitemaps',
      '  Skipped     30 scope, 20 depth',
      '  Errors      3 dns',
      '  Given up    1 host',
      '              x.example: no such host\ufffd[2J',
      '  WARC files  2, a.warc.gz, b.warc.gz',
      '  Next        continue with a higher --max-pages, --max-bytes or --max-time:',
      "              strand resume 'crawls/it'\\''s'",
    ].join('\n'),
  );
});

test('pages that are kept from onPage are named with the option that includes them; many make the end doubtful', () => {
  const of = (hints: CrawlSummary['hints']) => summaryText({ ...SUMMARY, state: 'finished', hints }, true);
  expect(of({ canonicalCopy: 0 })).not.toContain('Hints');
  expect(of({ canonicalCopy: 3 })).toContain(
    '3 pages kept from onPage and documents: they name another page',
  );
  expect(of({ canonicalCopy: 3 })).toContain('--no-obey-canonical');
  expect(of({ noindex: 1 })).toContain('1 page kept from onPage and documents: they say noindex');
  const isYellow = (hints: CrawlSummary['hints']) => of(hints).startsWith('\x1b[33mFinished');
  expect(isYellow({})).toBe(false);
  expect(isYellow({ canonicalCopy: 1, noindex: 1 })).toBe(false);
  expect(isYellow({ canonicalCopy: SUMMARY.pages, noindex: 1 })).toBe(true);
  expect(isYellow({ login: 1 })).toBe(true);
  expect(of({ cutPage: 2 })).toContain('2 pages too large to be read to the end');
});

test('redirects that want a cookie are named if they are more than the pages, as of a site that lets nobody in without one', () => {
  const of = (cookie: number) => summaryText({ ...SUMMARY, state: 'finished', hints: { cookie } }, true);
  expect(of(SUMMARY.pages)).not.toContain('cookie');
  expect(of(SUMMARY.pages).startsWith('\x1b[33m')).toBe(false);
  expect(of(SUMMARY.pages + 1)).toContain('1,235 URLs redirected back with a cookie');
  expect(of(SUMMARY.pages + 1).startsWith('\x1b[33mFinished')).toBe(true);
});

test('links that may change something are named where they are more than the pages', () => {
  const of = (changeLink: number) =>
    summaryText({ ...SUMMARY, state: 'finished', hints: { changeLink } }, true);
  expect(of(SUMMARY.pages)).not.toContain('changeLink');
  expect(of(SUMMARY.pages).startsWith('\x1b[33m')).toBe(false);
  expect(of(SUMMARY.pages + 1)).toContain('1,235 URLs not fetched, as signed in they may change something');
  expect(of(SUMMARY.pages + 1).startsWith('\x1b[33mFinished')).toBe(true);
});

test('links that were left out are named with what includes them where they may have been the site', () => {
  const of = (changes: Partial<CrawlSummary>) =>
    summaryText({ ...SUMMARY, state: 'finished', ...changes }, false);
  const few = { pages: 3, skipped: { scope: 30, nofollow: 2 } };
  expect(of(few)).toContain('30 links out of the scope');
  expect(of(few)).toContain('2 links not followed: their page');
  expect(of({ ...few, pages: 4 })).not.toContain('Hints');
  expect(of({ ...few, state: 'limited' })).not.toContain('Hints');
  const routes = { ...few, skipped: { hashRoute: 4 }, render: {} };
  expect(of(routes)).toContain('4 links to routes behind #');
  expect(of({ ...routes, render: { trials: 1 } })).not.toContain('routes behind');
  expect(of({ pages: 1, skipped: { depth: 3 } })).not.toContain('Hints');
  const skipped = { ...SUMMARY.byStatus, skipped: 1200 };
  expect(of({ byStatus: skipped, skipped: { trap: 35 } })).toContain('report lists the groups of URLs');
  expect(of({ byStatus: skipped, skipped: { trap: 34 } })).not.toContain('Hints');
  expect(of({ byStatus: { ...skipped, skipped: 2000 }, skipped: {} })).not.toContain('Hints');
});

test('a crawl that was finished and has new seeds waits to be resumed', () => {
  const waiting: CrawlSummary = {
    ...SUMMARY,
    state: 'interrupted',
    reason: 'seeds were added',
    reasonCode: 'seedsAdded',
  };
  expect(summaryText(waiting, false)).toMatch(/^Waiting to be resumed: seeds were added\n/);
  expect(summaryText({ ...waiting, reason: undefined, reasonCode: undefined }, false)).toMatch(
    /^Interrupted\n/,
  );
});

test('a crawl that ended because nothing is due is up to date', () => {
  const due: CrawlSummary = {
    ...SUMMARY,
    state: 'interrupted',
    reason: 'nothing is due before 2026-12-01T00:00:00Z',
    reasonCode: 'nothingDue',
    recrawl: { changed: 8, unchanged: 7, notModified: 1200, gone: 1 },
  };
  const text = summaryText(due, false);
  expect(text).toMatch(/^Up to date: nothing is due before 2026-12-01T00:00:00Z\n/);
  expect(text).toContain('  Recrawl     1,216 pages fetched again, 8 changed, 1,207 the same, 1 gone\n');
  expect(text).toContain('resume with: strand resume DIR');
  expect(exitCodeOf(due)).toBe(0);
});

test('a crawl that recrawls says when its first pass was complete', () => {
  const firstPassAt = '2026-12-01T08:30:59.120Z';
  const text = (recrawl: CrawlSummary['recrawl']) => summaryText({ ...SUMMARY, firstPassAt, recrawl }, false);
  expect(text({})).toContain('  Recrawl     first pass complete at 2026-12-01 08:30 UTC\n');
  expect(text({ changed: 8 })).toContain(
    '  Recrawl     first pass complete at 2026-12-01 08:30 UTC, 8 pages fetched again, 8 changed\n',
  );
  expect(summaryJson({ ...SUMMARY, firstPassAt })).toContain(`"recrawl":{},"firstPassAt":"${firstPassAt}"`);
});

test.each<[CrawlSummary['state'], number, RegExp]>([
  ['finished', 3, /^Finished(?![\s\S]*Next)/],
  ['finished', 0, /url DIR URL/],
  ['interrupted', 3, /resume with: strand resume DIR$/],
  ['stopped', 3, /resume with: strand resume DIR$/],
  ['paused', 3, /resume with: strand resume DIR$/],
  ['running', 3, /^Running(?![\s\S]*Next)/],
])('a crawl that is %s with %d pages says what to do next', (state, pages, text) => {
  expect(summaryText({ ...SUMMARY, state, pages, reason: undefined }, false)).toMatch(text);
});

describe('a crawl that ended without what it was begun for says so', () => {
  const text = (change: Partial<CrawlSummary>) =>
    summaryText({ ...SUMMARY, state: 'finished', reason: undefined, setAside: [], ...change }, false);

  test('why no seed was fetched', () => {
    const failedSeeds = [{ url: 'http://a.test/', cause: 'HTTP 404 (Not Found)' }];
    const lines = text({ pages: 1, seeds: { gone: 1 }, failedSeeds }).split('\n');
    expect(lines[0]).toBe('No seed could be fetched');
    expect(lines).toContain('  Seeds       http://a.test/: HTTP 404 (Not Found)');
    expect(lines).toContain('              strand url DIR URL');
  });

  test('what the hooks threw, where, and how many items there are', () => {
    const error = {
      source: 'onPage',
      url: 'http://a.test/',
      message: 'no price',
      stack: 'at onPage (a.ts:3:9)',
    } as const;
    const shown = text({ hooks: { pages: 3, failed: 3, items: 2 }, hookErrors: [error] });
    expect(shown).toMatch(/^Finished, but a hook failed at every page\n/);
    expect(shown).toContain(
      [
        '  Hooks       a hook failed at 3 of 3 pages',
        '              onPage at http://a.test/: no price',
        '                  at onPage (a.ts:3:9)',
      ].join('\n'),
    );
    expect(shown).toContain('\n  Items       2\n');
    expect(text({ hooks: { pages: 3, failed: 1 } })).toMatch(/^Finished\n/);
    expect(text({ hooks: { pages: 3 } })).toContain(
      '\n  Items       none: hooks were called for 3 pages and returned nothing\n',
    );
    expect(text({ hooks: { pages: 3, failed: 3 } })).not.toContain('Items');
  });

  test('which hosts fail at the moment, and when they are tried again', () => {
    const failing = [{ host: 'a.test', cause: 'no answer', nextTryAt: '2026-01-01T00:00:00.000Z' }];
    expect(text({ state: 'running', failing })).toContain(
      '  Failing     1 host\n              a.test: no answer; next try at 2026-01-01T00:00:00.000Z',
    );
  });
});

test('scripts read one line of exactly the promised keys', () => {
  const line = summaryJson(SUMMARY);
  expect(line).not.toContain('\n');
  const keys = [
    'pages',
    'urls',
    'hosts',
    'bytes',
    'seconds',
    'byStatus',
    'skipped',
    'errors',
    'warcFiles',
    'state',
    'crawl',
    'rate',
    'cost',
    'costByItem',
    'reason',
    'setAside',
    'httpStatus',
    'failing',
    'seeds',
    'failedSeeds',
    'hints',
    'hooks',
    'hookErrors',
    'requisites',
    'reasonCode',
    'cache',
    'recrawl',
    'overBudget',
    'full',
    'exact',
    'losses',
    'sites',
    'refusals',
    'render',
    'accounts',
  ];
  expect(Object.keys(JSON.parse(line))).toEqual(keys);
  expect(JSON.parse(line).warcFiles).toEqual(['a.warc.gz', 'b.warc.gz']);
});

test('accounts that were used have lines of their own, with the reason of a failure', () => {
  const reader = { name: 'reader', domain: 'members.test', pages: 33, logins: 1, failures: 0 };
  const failure = 'the page after the login does not show the sign of being signed in (signedIn)';
  const text = summaryText(SUMMARY, false, undefined, [
    { ...reader, state: 'signedIn' },
    { ...reader, name: 'two', state: 'locked', logins: 0, failures: 3, failure },
  ]);
  expect(text.slice(text.indexOf('  Accounts')).split('\n').slice(0, 4)).toEqual([
    '  Accounts    reader (members.test): signed in, 33 requests, 1 login',
    '              two (members.test): locked, 33 requests, 0 logins, 3 failed: the page after the',
    '                login does not show the sign of being signed in (signedIn)',
    expect.anything(),
  ]);
  expect(text.split('\n').every((line) => line.length <= 100)).toBe(true);
});

test('URLs that wait at hosts which have had all their pages are said, with the option that limits them', () => {
  const text = (full: Record<string, number>) =>
    summaryText({ ...SUMMARY, state: 'finished', reason: undefined, full }, false);
  expect(text({})).not.toContain('Full hosts');
  expect(text({ urls: 1, hosts: 1 })).toContain(
    '\n  Full hosts  1 URL waiting at 1 host that has had its share of pages:\n              resume with a higher --max-pages-per-host\n',
  );
  expect(text({ urls: 2800, hosts: 12 })).toContain(
    '\n  Full hosts  2,800 URLs waiting at 12 hosts that have had their share of pages:\n              resume with a higher --max-pages-per-host\n',
  );
});

test('hosts set aside, statuses and files are shown by their first ones', () => {
  const setAside = Array.from({ length: 25 }, (_, i) => ({ host: `h${i}.example`, cause: 'dns' }));
  const httpStatus = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [String(400 + i), 20 - i]));
  const warcFiles = Array.from({ length: 9 }, (_, i) => `${i}.warc.gz`);
  const text = summaryText({ ...SUMMARY, setAside, httpStatus, warcFiles }, false);
  expect(text).toContain('h9.example');
  expect(text).not.toContain('h10.example');
  expect(text).toContain('and 15 more');
  expect(text).toContain('other: 36');
  expect(text).toContain('2.warc.gz, and 6 more');
});

test('lines stay within 100 columns whatever the web named its hosts and causes', () => {
  const counts = fc.dictionary(fc.string({ maxLength: 200 }), fc.nat(), { maxKeys: 30 });
  const setAside = fc.array(
    fc.record({ host: fc.string({ maxLength: 300 }), cause: fc.string({ maxLength: 300 }) }),
  );
  fc.assert(
    fc.property(counts, counts, setAside, fc.string({ maxLength: 300 }), (skipped, errors, hosts, reason) => {
      const text = summaryText(
        { ...SUMMARY, skipped, errors, reason, setAside: hosts, state: 'finished' },
        false,
      );
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    }),
  );
});

describe('a crawl that has lost a part says so in its first line', () => {
  const firstLines = (change: Partial<CrawlSummary>) =>
    summaryText({ ...SUMMARY, state: 'finished', reason: undefined, ...change }, false).split('\n  Pages')[0];

  test.each<[CrawlSummary['losses'], string]>([
    [{ hostsGivenUp: 1, urlsGivenUp: 8 }, 'Finished, but 1 host given up (8 URLs not fetched)'],
    [{ hostsRefused: 1 }, 'Finished, but 1 host that refuses this crawler'],
    [{ pagesRefused: 12 }, 'Finished, but 12 pages refused'],
    [{ quarantined: 2 }, 'Finished, but 2 pages in quarantine'],
    [{ undecoded: 3 }, 'Finished, but 3 responses not decoded'],
    [{ brokeOff: 1 }, 'Finished, but 1 response not read to the end'],
    [{ cut: 1200 }, 'Finished, but 1,200 pages cut at a limit'],
    [{ traps: 154 }, 'Finished, but 154 links left out as traps'],
    [
      { undecoded: 3, brokeOff: 2, traps: 1 },
      'Finished, but 3 responses not decoded, 2 responses not read to the end and 1 link left out as\n  traps',
    ],
    [
      { hostsGivenUp: 2, urlsGivenUp: 1, undecoded: 3, brokeOff: 2, cut: 4 },
      'Finished, but 2 hosts given up (1 URL not fetched), 3 responses not decoded, 2 responses not read\n  to the end and 4 pages cut at a limit',
    ],
  ])('%j', (losses, line) => {
    expect(firstLines({ losses })).toBe(line);
  });

  test('beside another outcome', () => {
    const losses = { brokeOff: 1 };
    const lost = '1 response not read to the end';
    expect(firstLines({ losses, state: 'limited', reason: '2 pages' })).toBe(
      `Limit reached: 2 pages; ${lost}`,
    );
    expect(firstLines({ losses, hooks: { pages: 3, failed: 3 } })).toBe(
      `Finished, but a hook failed at every page; ${lost}`,
    );
    expect(firstLines({ losses, pages: 0 })).toBe('No seed could be fetched');
    const due = { state: 'interrupted', reason: 'nothing is due', reasonCode: 'nothingDue' } as const;
    expect(firstLines({ losses, ...due })).toBe(`Up to date: nothing is due; ${lost}`);
    expect(firstLines({ losses, state: 'running' })).toBe('Running');
    expect(firstLines({ losses, state: 'stopped' })).toBe('Stopped');
  });

  test('in red where servers are to blame, and in yellow where settings are', () => {
    const of = (losses: CrawlSummary['losses']) =>
      summaryText({ ...SUMMARY, state: 'finished', reason: undefined, losses }, true);
    expect(of({ brokeOff: 1 })).toContain('\x1b[31mFinished, but 1 response');
    expect(of({ traps: 1 })).toContain('\x1b[33mFinished, but 1 link');
  });
});

describe('a crawl that is refused', () => {
  const refused = { since: '2026-11-01T00:00:00Z', urls: 35 };
  const cause = 'challenged by Cloudflare (HTTP 403)';
  const ended = { ...SUMMARY, state: 'finished', reason: undefined, reasonCode: undefined } as const;
  const everywhere: CrawlSummary = {
    ...ended,
    byStatus: { ...SUMMARY.byStatus, fetched: 0 },
    pages: 0,
    seeds: {},
    refusals: { hosts: 2, challenged: 1, priced: 1, urls: 40 },
    losses: { hostsRefused: 2, hostsGivenUp: 2, urlsGivenUp: 40 },
    setAside: [{ host: 'a.example', cause, causeCode: 'challenged', refused }],
  };

  test('everywhere says so in its first line, and ends with the code of a crawl that fetched nothing', () => {
    expect(summaryText(everywhere, false).split('\n')[0]).toBe('Refused: 2 hosts: 1 challenged, 1 priced');
    expect(exitCodeOf(everywhere)).toBe(4);
    const byStatus = { ...everywhere, refusals: {}, losses: {}, httpStatus: { '200': 1, '403': 1 } };
    expect(summaryText(byStatus, false).split('\n')[0]).toBe('Refused');
    expect(summaryText({ ...byStatus, httpStatus: { '404': 1 } }, false).split('\n')[0]).toBe(
      'No seed could be fetched',
    );
  });

  test('in part names its hosts, since when, and what can be done', () => {
    const text = summaryText(
      {
        ...ended,
        refusals: { hosts: 2, challenged: 2, urls: 70, pages: 1 },
        losses: { hostsRefused: 2, hostsGivenUp: 1, urlsGivenUp: 35, pagesRefused: 1 },
        setAside: [{ host: 'a.example', cause, causeCode: 'challenged', refused }],
        failing: [
          { host: 'b.example', cause, causeCode: 'challenged', refused, nextTryAt: '2026-11-02T00:00:00Z' },
        ],
      },
      false,
    );
    expect(text).toContain('but 2 hosts that refuse this crawler, 1 host given up (35 URLs not fetched)');
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.startsWith('  Refused'));
    expect(lines.slice(at, at + 6)).toMatchInlineSnapshot(`
      [
        "  Refused     2 hosts: 2 challenged; 70 URLs waiting",
        "              b.example: challenged by Cloudflare (HTTP 403), 35 URLs since 11-01 00:00, next 11-...",
        "              a.example: challenged by Cloudflare (HTTP 403), 35 URLs since 11-01 00:00",
        "              1 page, while other pages were there: export --format jsonl names the causes",
        "              sign the requests (--identity), ask the sites to let this crawler in,",
        "              or go slower (--delay)",
      ]
    `);
    expect(text).not.toContain('Given up');
    expect(text).not.toContain('Failing');
    expect(exitCodeOf({ ...ended, losses: { pagesRefused: 1 } })).toBe(8);
  });
});

describe('the exit code', () => {
  test.each<[CrawlSummary['state'], number, number]>([
    ['finished', 1, 0],
    ['limited', 1, 3],
    ['finished', 0, 4],
    ['limited', 0, 4],
    ['interrupted', 1, 130],
    ['interrupted', 0, 130],
    ['stopped', 1, 130],
    ['paused', 1, 130],
  ])('of a crawl that is %s with %d pages is %d', (state, pages, code) => {
    expect(exitCodeOf({ state, pages, seeds: { fetched: pages }, hooks: {}, losses: {} })).toBe(code);
  });

  test.each<[string, Partial<CrawlSummary>, number]>([
    ['whose seeds were all refused', { seeds: { failed: 2 }, pages: 2 }, 4],
    ['whose only seed led to a login page', { seeds: { redirect: 1, login: 1 } }, 4],
    ['of which one seed was fetched', { seeds: { failed: 2, fetched: 1 } }, 0],
    ['whose hooks failed at every page', { hooks: { pages: 3, failed: 3 } }, 5],
    [
      'whose hooks failed at every page up to its limit',
      { hooks: { pages: 3, failed: 3 }, state: 'limited' },
      5,
    ],
    ['whose hooks failed at some pages', { hooks: { pages: 3, failed: 2 } }, 0],
    [
      'paused at its limit of cost, whatever the text',
      { state: 'paused', reason: 'x', reasonCode: 'maxCost' },
      3,
    ],
    ['paused for its proxy', { state: 'paused', reason: 'maxCost: x', reasonCode: 'proxy' }, 7],
    ['paused by the operator', { state: 'paused', reason: 'proxy: x', reasonCode: 'operator' }, 130],
    ['that gave up a host', { losses: { hostsGivenUp: 1, urlsGivenUp: 8 } }, 8],
    ['with a page in quarantine', { losses: { quarantined: 1 } }, 8],
    ['with a response that could not be decoded', { losses: { undecoded: 1 } }, 8],
    ['with a response that broke off', { losses: { brokeOff: 1 } }, 8],
    [
      'that gave up a host before nothing was due',
      { losses: { hostsGivenUp: 1 }, state: 'interrupted', reasonCode: 'nothingDue' },
      8,
    ],
    ['that cut pages and closed traps', { losses: { cut: 1, traps: 9 } }, 0],
    ['that gave up a host before a limit', { losses: { hostsGivenUp: 1 }, state: 'limited' }, 3],
    ['that gave up a host and was interrupted', { losses: { hostsGivenUp: 1 }, state: 'stopped' }, 130],
    ['that was interrupted before', { seeds: { failed: 1 }, state: 'interrupted' }, 130],
  ])('of a crawl %s', (_, change, code) => {
    expect(
      exitCodeOf({ ...SUMMARY, state: 'finished', reason: undefined, reasonCode: undefined, ...change }),
    ).toBe(code);
  });
});
