import { expect, test } from 'vitest';
import { createSeedLines, createSilenceLine } from '../../cli/seed-lines.ts';
import type { FailureCode } from '../../shared/core/outcome/failure-codes.ts';
import type { SeedEvent } from '../../shared/crawler/turn/seed-events.ts';

const seed = (name: string, event: Partial<SeedEvent>): SeedEvent => ({
  url: `http://${name}/`,
  host: name,
  state: 'waiting',
  ...event,
});

const failed = (detail: string, failure: FailureCode) => ({ code: 'fetchFailed', failure, detail }) as const;

function printed(events: readonly SeedEvent[]): string[] {
  const lines: string[] = [];
  const onSeed = createSeedLines(
    (line) => lines.push(line),
    () => 1000,
  );
  for (const event of events) onSeed(event);
  return lines;
}

test('each kind of failure is printed once a seed, with the time of the next try, and so is the end', () => {
  const cause = failed('connection refused by a.test:80', 'connectionRefused');
  const events = [
    seed('a.test', { cause, nextTryAt: 6200 }),
    seed('a.test', { cause, nextTryAt: 16_000 }),
    seed('a.test', { cause, isGivenUp: true }),
    seed('b.test', { state: 'gone', httpStatus: 404 }),
    seed('c.test', { state: 'deniedByRobots', cause: { code: 'robotsDenied', line: 2, pattern: '/' } }),
    seed('m.test', { state: 'redirect', cause: { code: 'redirect', to: 'http://m.test/home' } }),
    seed('m.test', { state: 'redirect', cause: { code: 'redirect', to: 'http://n.test/', joins: true } }),
    seed('d.test', { cause: failed('no answer', 'noResponse'), nextTryAt: 1000 }),
  ];
  expect(printed(events)).toEqual([
    'http://a.test/: connection refused by a.test:80; next try in 5s',
    'http://a.test/: connection refused by a.test:80; given up',
    'http://b.test/: HTTP 404 (Not Found)',
    'http://c.test/: denied by robots.txt, line 2: Disallow: /',
    'http://m.test/: redirects to http://n.test/ (another site, which joins the crawl like a seed)',
    'http://d.test/: no answer; next try in 1s',
  ]);
});

test('of many seeds with the same failure three are printed', () => {
  const events = Array.from({ length: 100 }, (_, i) => {
    const host = `h${i}.test`;
    return seed(host, { cause: failed(`no such host: ${host}`, 'noSuchHost'), nextTryAt: 2000 });
  });
  const lines = printed(events);
  expect(lines).toHaveLength(4);
  expect(lines.at(-1)).toBe('More seeds like these are counted in the summary');
});

test('control characters of a host do not reach the terminal', () => {
  expect(
    printed([seed('a.test', { cause: failed('\x1b[2Jno answer', 'noResponse'), isGivenUp: true })])[0],
  ).not.toContain('\x1b');
});

test.each([
  ['is reported once, after ten seconds', [0, 0, 0, 0], 1],
  ['is none where a request has ended', [0, 1, 1, 1], 0],
])('silence %s', (_, requests, count) => {
  const lines: string[] = [];
  const onProgress = createSilenceLine((line) => lines.push(line), 30_000);
  for (const [i, ended] of requests.entries())
    onProgress({ requests: ended, hostsActive: 1, hostsWaiting: 0 }, 5000 + 5000 * i);
  expect(lines).toEqual(Array(count).fill('No host has answered yet; a request waits 30s for its answer'));
});

test.each([
  [
    'one host',
    { hostsWaiting: 1, restsUntil: 3_600_000 },
    'the host rests until 01:00:00 UTC (strand hosts shows why)',
  ],
  [
    'several hosts, until another day',
    { hostsWaiting: 3, restsUntil: 90_000_000 },
    'all 3 hosts rest, the first one until 1970-01-02 01:00:00 UTC (strand hosts shows why)',
  ],
  ['a time that is not known', { hostsWaiting: 2 }, 'all 2 hosts rest (strand hosts shows why)'],
  [
    'a turn that waits for its first request',
    { hostsActive: 1, hostsWaiting: 0, restsUntil: 30_000 },
    'the host rests until 00:00:30 UTC (strand hosts shows why)',
  ],
])('silence is no lack of answers where hosts rest: %s', (_, more, text) => {
  const lines: string[] = [];
  const onProgress = createSilenceLine((line) => lines.push(line), 30_000);
  for (const now of [0, 10_000, 20_000]) onProgress({ requests: 0, hostsActive: 0, ...more }, now);
  expect(lines).toEqual([`Nothing may be requested yet: ${text}`]);
});
