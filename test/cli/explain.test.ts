import { describe, expect, test } from 'vitest';
import { explanationText } from '../../cli/explain-text.ts';
import { type CrawlOptions, parseConfig } from '../../shared/core/crawl/config.ts';
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { createTemplateCounts } from '../../shared/core/frontier/template-counts.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { templateOf } from '../../shared/core/url/template-of.ts';
import { type ExplainFacts, explainUrl } from '../../shared/services/report/explain.ts';

const NOW = Date.parse('2026-01-02T12:00:00Z');
const SEED = 'https://a.example/';
const ROBOTS = 'https://a.example/robots.txt';
const RULES = {
  rules: [
    { allow: true, pattern: '/private/open', line: 7 },
    { allow: false, pattern: '/private', line: 3 },
  ],
  sitemaps: [],
};
const HEAD: Head = {
  ...NEW_HEAD,
  version: 3,
  robots: [{ origin: 'https://a.example', kind: 'rules', expiresAt: NOW + 3_600_000 }],
};

function record(url: string, more: Partial<UrlRecord> = {}): UrlRecord {
  const found = { depth: 2, level: 1, via: SEED, seenAt: NOW - 60_000 };
  return { url, state: 'waiting', ...found, redirects: 0, attempts: 0, dueAt: 0, ...more };
}

function facts(url: string, options: CrawlOptions = {}, more: Partial<ExplainFacts> = {}): ExplainFacts {
  return {
    url,
    config: parseConfig(options),
    crawl: { id: 'news', state: 'running', scopeSeeds: [SEED] },
    head: HEAD,
    robots: RULES,
    now: NOW,
    ...more,
  };
}

/** A head with this clock, and so on. */
const twoItems = () => {
  const counts = createTemplateCounts();
  for (let i = 0; i < 2; i++) counts.add('/item/0');
  return counts.state() as string;
};
const head = (more: Partial<Head>): Partial<ExplainFacts> => ({ head: { ...HEAD, ...more } });

/** A URL that is first in the line of a host which waits for 20 s. */
const resting = (wait: { for: 'bytes' } | { for: 'crawlBytes'; bytes: number }): Partial<ExplainFacts> => ({
  ...head({ clock: { nextFetchAt: NOW + 20_000, failures: 0 }, wait: { ...wait, until: NOW + 20_000 } }),
  record: record(`${SEED}p`),
  line: { before: 0, alike: 0 },
});

describe('the verdict names what decides', () => {
  const PAGE = `${SEED}p`;
  const cases: [what: string, facts: ExplainFacts, isFetched: boolean, verdict: string][] = [
    ['a link within the scope', facts(PAGE), true, 'It would be fetched if a page linked to it.'],
    [
      'a link to another host',
      facts('https://b.example/'),
      false,
      "It would be skipped: scope host: the host b.example is not a seed's.",
    ],
    [
      'a link that is excluded',
      facts(`${SEED}logout`, { exclude: ['/logout'] }),
      false,
      'It would be skipped: exclude: /logout matches.',
    ],
    [
      'a path that repeats itself',
      facts(`${SEED}a/b/a/b/a/b/a/b/`),
      false,
      'It would be skipped: maxRepeatedSegments: the same segments stand more than 3 times in a row.',
    ],
    [
      'a combination of words in a path that is closed',
      facts(
        `${SEED}shop/red/large`,
        {},
        {
          ...head({ combinations: [{ group: '/shop/*+*', pages: 90, fresh: 0.01, isClosed: true }] }),
          isKnown: (url) => url === `${SEED}shop/large`,
        },
      ),
      false,
      'It would be skipped: trap: combinations of parameters at /shop/*+* brought no new pages (--trap-after-pages 0 fetches them).',
    ],
    [
      'a template that is closed',
      facts(`${SEED}day/17`, {}, head({ templates: [watched(`${SEED}day/1`, true)] })),
      false,
      `It would be skipped: trap: the last pages with URLs like ${templateOf(`${SEED}day/1`)} brought nothing new (--trap-after-pages 0 fetches them).`,
    ],
    [
      'a template whose pages forbid their use',
      facts(`${SEED}day/17`, {}, head({ templates: [{ ...watched(`${SEED}day/1`, true), unused: 50 }] })),
      false,
      `It would be skipped: trap: the last pages with URLs like ${templateOf(`${SEED}day/1`)} said noindex and nofollow (--trap-after-pages 0 fetches them).`,
    ],
    [
      'a template that is open',
      facts(`${SEED}day/17`, {}, head({ templates: [watched(`${SEED}day/1`, false)] })),
      true,
      'It would be fetched if a page linked to it.',
    ],
    [
      'a URL that robots.txt denies',
      facts(`${SEED}private/x`),
      false,
      'It would not be fetched: line 3 of robots.txt, Disallow: /private.',
    ],
    [
      'a URL that robots.txt allows',
      facts(`${SEED}private/open`),
      true,
      'It would be fetched if a page linked to it.',
    ],
    [
      'robots.txt ignored for this host',
      facts(`${SEED}private/x`, { overrides: [{ hosts: ['*.example'], robots: 'ignore' }] }),
      true,
      'It would be fetched if a page linked to it.',
    ],
    [
      'rules that are too old',
      facts(PAGE, {}, { now: NOW + 7_200_000 }),
      true,
      `It would be fetched if a page linked to it, if robots.txt, requested first, allows it (${ROBOTS}).`,
    ],
    [
      'the other origin of a host, not asked yet',
      facts('http://a.example/p'),
      true,
      'It would be fetched if a page linked to it, if robots.txt, requested first, allows it (http://a.example/robots.txt).',
    ],
    [
      'an origin that cannot be fetched',
      facts(
        PAGE,
        {},
        head({
          closedOrigins: [
            {
              origin: 'https://a.example',
              until: NOW + 60_000,
              failures: 1,
              cause: { code: 'other', text: 'tls' },
            },
          ],
        }),
      ),
      true,
      `It would be fetched if a page linked to it, if robots.txt, requested first, allows it (${ROBOTS}), not before 12:01:00 UTC.`,
    ],
    [
      'a host set aside',
      facts(PAGE, {}, head({ setAside: { cause: { code: 'other', text: 'HTTP 503' }, at: NOW } })),
      false,
      'It would not be fetched: its host was given up (HTTP 503), until the crawl is resumed.',
    ],
    [
      'a host that had its pages',
      facts(PAGE, { maxPagesPerHost: 5 }, head({ totals: { ...HEAD.totals, pages: 5 } })),
      false,
      'It would be skipped: maxPagesPerHost: its host has had 5 pages.',
    ],
    [
      'a page whose template had its pages',
      facts(`${SEED}item/7`, { maxPagesPerTemplate: 2 }, head({ templatePages: twoItems() })),
      false,
      'It would be skipped: maxPagesPerTemplate: 2 pages with URLs like /item/0 were fetched.',
    ],
    [
      'a URL of a host that has sent many bytes',
      facts(PAGE, { maxBytesPerSecondPerHost: 50_000 }, resting({ for: 'bytes' })),
      true,
      "It would be fetched, 1st in its host's line, not before 12:00:20 UTC, as it waits for the time that its bytes take at its rate (--limit-rate-per-host).",
    ],
    [
      'a URL of a host that has sent many bytes of a crawl with few',
      facts(PAGE, { maxBytesPerSecond: 50_000, maxBytesPerSecondPerHost: 60_000 }, resting({ for: 'bytes' })),
      true,
      "It would be fetched, 1st in its host's line, not before 12:00:20 UTC, as it waits for the time that its bytes take at its rate (--limit-rate).",
    ],
    [
      'a URL of a host that waits for the bytes of others',
      facts(PAGE, { maxBytesPerSecond: 50_000 }, resting({ for: 'crawlBytes', bytes: 9000 })),
      true,
      "It would be fetched, 1st in its host's line, not before 12:00:20 UTC, as it waits for the crawl's byte rate, which is used up by other hosts (--limit-rate).",
    ],
    [
      'a URL of a host that is asked at other hours',
      facts(
        PAGE,
        { overrides: [{ hosts: ['a.example'], hours: '20:00-06:00', timeZone: 'Europe/Berlin' }] },
        { record: record(PAGE), line: { before: 0, alike: 0 } },
      ),
      true,
      "It would be fetched, 1st in its host's line, not before 19:00:00 UTC, as its host is requested at certain hours only (20:00-06:00 Europe/Berlin).",
    ],
    [
      'a URL in the line of a host that rests',
      facts(
        PAGE,
        {},
        {
          ...head({
            clock: { nextFetchAt: NOW + 5000, failures: 1, cause: { code: 'other', text: 'HTTP 503' } },
          }),
          record: record(PAGE),
          line: { before: 11, alike: 0 },
        },
      ),
      true,
      "It would be fetched, 12th in its host's line, not before 12:00:05 UTC.",
    ],
    [
      'one of several that are as urgent, in a crawl that is over',
      facts(
        PAGE,
        {},
        {
          record: record(PAGE),
          line: { before: 0, alike: 2 },
          crawl: { id: 'news', state: 'limited', scopeSeeds: [SEED] },
        },
      ),
      true,
      "It would be fetched, 1st to 3rd in its host's line, once the crawl is resumed (it is limited).",
    ],
    [
      'a URL to be tried again tomorrow',
      facts(PAGE, {}, { record: record(PAGE, { dueAt: NOW + 86_400_000, attempts: 1 }) }),
      true,
      'It would be fetched, not before 2026-01-03 12:00:00 UTC.',
    ],
    [
      'a page that was fetched',
      facts(
        PAGE,
        {},
        { record: record(PAGE, { state: 'fetched', result: { fetchedAt: NOW, httpStatus: 200 } }) },
      ),
      false,
      'It was fetched at 2026-01-02T12:00:00.000Z (HTTP 200); it is not fetched again.',
    ],
    [
      'a page that is fetched again',
      facts(
        PAGE,
        {},
        {
          record: record(PAGE, {
            state: 'fetched',
            dueAt: NOW + 3_600_000,
            result: { fetchedAt: NOW, httpStatus: 200 },
          }),
        },
      ),
      true,
      'It was fetched at 2026-01-02T12:00:00.000Z (HTTP 200); it is fetched again after 2026-01-02T13:00:00.000Z, as the crawl recrawls.',
    ],
    [
      'a URL that was denied',
      facts(
        PAGE,
        {},
        {
          record: record(PAGE, {
            state: 'deniedByRobots',
            result: { fetchedAt: NOW, cause: { code: 'other', text: 'line 3' } },
          }),
        },
      ),
      false,
      'It was denied by robots.txt (line 3); it is not fetched again.',
    ],
    [
      'a part of a page, of another host',
      facts(
        'https://b.example/a.png',
        {},
        {
          record: record('https://b.example/a.png', { kind: 'requisite' }),
          head: undefined,
        },
      ),
      true,
      'It would be fetched, if robots.txt, requested first, allows it (https://b.example/robots.txt).',
    ],
    [
      'a seed, by the settings alone',
      { url: SEED, config: parseConfig({}), now: NOW },
      true,
      `It would be fetched, if robots.txt, requested first, allows it (${ROBOTS}).`,
    ],
    [
      'what is no URL',
      facts('mailto:a@b.example'),
      false,
      'It would be skipped: it is not an http or https URL.',
    ],
  ];
  test.each(cases)('%s', (_, given, isFetched, verdict) => {
    const explained = explainUrl(given);
    expect(explained.verdict).toBe(verdict);
    expect(explained.wouldBeFetched).toBe(isFetched);
    expect(explanationText(explained).split('\n').at(-1)).toBe(verdict);
  });
});

test('people read each rule that applies on its own line', () => {
  const asked = `${SEED}private/open?b=1&utm_source=x#top`;
  const url = `${SEED}private/open?b=1`;
  const explained = explainUrl(
    facts(
      asked,
      { overrides: [{ hosts: ['a.example'], delayMs: 5000 }] },
      {
        ...head({
          clock: { nextFetchAt: NOW + 5000, failures: 2, cause: { code: 'other', text: 'HTTP 503\x1b[2J' } },
        }),
        record: record(url),
        line: { before: 3, alike: 1 },
      },
    ),
  );
  expect(explanationText(explained)).toBe(
    [
      asked,
      `  Becomes   ${url}, by trackingParameters`,
      "  Scope     in: scope host: the host a.example is a seed's",
      '  Robots    allowed by line 7: Allow: /private/open',
      '  Known     waits to be fetched, depth 2, found on https://a.example/',
      '  Rank      14 of 0 to 67, by depth and links; the lowest is first',
      '  Settings  delayMs 5000',
      '  Host      0 pages, 2 failures: HTTP 503\ufffd[2J',
      '  Next      2026-01-02T12:00:05.000Z',
      '  Crawl     news, running',
      "It would be fetched, 4th to 5th in its host's line, not before 12:00:05 UTC.",
    ].join('\n'),
  );
});

test('what robots.txt states about the use of a URL is shown, unless the URL is denied', () => {
  const usage = [
    { signal: 'content-usage', pattern: '/private', value: 'train-ai=n' },
    { signal: 'content-signal', pattern: '/', value: 'search=yes' },
  ] as const;
  const explained = (url: string) => explainUrl(facts(url, {}, { robots: { ...RULES, usage } }));
  const open = explained(`${SEED}private/open`);
  expect(open.robots?.usage).toEqual(['content-usage: train-ai=n', 'content-signal: search=yes']);
  expect(explanationText(open)).toContain(
    '\n  Usage     content-usage: train-ai=n; content-signal: search=yes\n',
  );
  expect(explained(`${SEED}p`).robots?.usage).toEqual(['content-signal: search=yes']);
  expect(explained(`${SEED}private/x`).robots).not.toHaveProperty('usage');
});

function watched(url: string, isClosed: boolean) {
  return {
    template: templateOf(url),
    pages: 80,
    fresh: 0.01,
    seen: [],
    ...(isClosed && { isClosed: true as const }),
  };
}
