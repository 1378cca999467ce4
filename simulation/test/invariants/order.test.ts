/**
 * Tests of the invariants about order: the requests that come first, by configuration, and none after a limit
 * was met. Each fault is found where it must be.
 */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { levelOf, MAX_LEVEL } from '../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { HeadChange, StatusChange } from '../../invariants/history-probe.ts';
import {
  crawlFacts,
  HOME,
  headAt,
  hostWith,
  makeFacts,
  messagesOf,
  OLD,
  PAGE,
  ROBOTS,
  request,
  struck,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const T = headAt(0, undefined, {}).at;
const totals = (requests: number, more = {}) => ({ ...NEW_HEAD.totals, requests, ...more });

describe('bestFirst', () => {
  const DEEP = 'http://a.test/deep';
  const records = [
    urlRecord(HOME, 'fetched', 200),
    urlRecord(PAGE, 'fetched', 200),
    urlRecord(DEEP, 'fetched', 200, { depth: 2, level: levelOf(DEEP, PAGE), via: PAGE }),
  ];
  /** Home, then a page of depth 2 before one of depth 1, that home links to. */
  function facts({ order = [DEEP, PAGE], counted = 4, robots = {}, config = {}, found = records } = {}) {
    const log = [
      request(ROBOTS, 0, 0.1, robots),
      request(HOME, 10, 10.1),
      ...order.map((url, i) => request(url, 20 + 10 * i, 20.1 + 10 * i)),
    ];
    const heads = [headAt(60, undefined, { totals: totals(counted) })];
    return makeFacts({ log, crawls: [hostWith(heads, found, config)] });
  }

  test('links of a seed that came after a link to it are as deep as that link makes them', () => {
    const deep = urlRecord(DEEP, 'fetched', 200, { depth: 3, level: MAX_LEVEL, via: PAGE });
    const home = (depth: number) => urlRecord(HOME, 'fetched', 200, { depth });
    const page = urlRecord(PAGE, 'fetched', 200);
    expect(violationsOf('bestFirst', facts({ found: [home(0), page, deep] }))).toHaveLength(1);
    expect(violationsOf('bestFirst', facts({ found: [home(1), page, deep] }))).toEqual([]);
  });

  test('a page of a later rank before one that was known is found', () => {
    expect(violationsOf('bestFirst', facts({ order: [PAGE, DEEP] }))).toEqual([]);
    const rank = (depth: number, url: string, via: string) => 4 * depth + MAX_LEVEL - levelOf(url, via);
    expect(violationsOf('bestFirst', facts())).toEqual([
      `bestFirst: crawl: ${DEEP} (rank ${rank(2, DEEP, PAGE)}) was requested T0+20.000 s, before ${PAGE} (rank ${rank(1, PAGE, HOME)}), which was known and is requested T0+30.000 s`,
    ]);
  });

  test('nor a page that was in a run when it was to be fetched once more: its rank is that of its canonical URL', () => {
    const deep = (more: object) => urlRecord(DEEP, 'fetched', 200, { depth: 2, level: 0, ...more });
    const found = (record: UrlRecord) => {
      const made = facts({ found: [...records.slice(0, 2), record, urlRecord(OLD, 'redirect', 301)] });
      const canonicalOf = (url: string) => (url === DEEP ? OLD : undefined);
      return violationsOf('bestFirst', { ...made, web: { ...made.web, canonicalOf } });
    };
    expect(found(deep({ via: undefined }))).toEqual([]);
    expect(found(deep({ via: PAGE }))).toHaveLength(1);
  });

  test('not where a turn was discarded, robots.txt did not answer, or several requests are in flight', () => {
    expect(violationsOf('bestFirst', facts({ counted: 3 }))).toEqual([]);
    expect(violationsOf('bestFirst', facts({ robots: { httpStatus: 503 } }))).toEqual([]);
    expect(violationsOf('bestFirst', facts({ config: { perHost: 2 } }))).toEqual([]);
  });

  test('a URL that is tried again goes before those that were never tried', () => {
    const log = facts().web.log;
    const again = [...log.slice(0, 2), request(DEEP, 5, 5.1), ...log.slice(2)];
    const heads = [headAt(60, undefined, { totals: totals(5) })];
    expect(violationsOf('bestFirst', makeFacts({ log: again, crawls: [hostWith(heads, records)] }))).toEqual(
      [],
    );
  });
});

describe('configured', () => {
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'];
  function facts(changes: readonly { at: number; turnMaxPages: number }[], counted = 5) {
    const log = [
      request(ROBOTS, 1, 1.1),
      ...[HOME, ...urls].map((url, i) => request(url, 20 + 5 * i, 21 + 5 * i)),
    ];
    const first = headAt(10, undefined, { totals: totals(1) });
    const heads = [first, headAt(60, first, { totals: totals(counted) })];
    const crawl = hostWith(heads, [], { turnMaxPages: 4 });
    // Without records there would be no host.
    const [host] = hostWith(heads, [urlRecord(HOME, 'fetched', 200)]).hosts;
    if (!host) throw new Error('expected a host');
    const stored = changes.map(({ at, turnMaxPages }) => ({ at: T + at * 1000, turnMaxPages }));
    return makeFacts({ log, crawls: [{ ...crawl, hosts: new Map([host]), changes: stored }] });
  }

  test('a turn that asks for more pages than were configured three seconds before it is found', () => {
    const began = { at: 0, turnMaxPages: 4 };
    expect(violationsOf('configured', facts([began]))).toEqual([]);
    expect(violationsOf('configured', facts([began, { at: 8, turnMaxPages: 3 }]))).toEqual([]);
    expect(violationsOf('configured', facts([began, { at: 7, turnMaxPages: 3 }]))).toEqual([
      'configured: crawl: a turn asked a.test for 4 pages from T0+20.000 s on; expected at most 3 (turnMaxPages)',
    ]);
    expect(
      violationsOf(
        'configured',
        facts([
          { at: 0, turnMaxPages: 3 },
          { at: 30, turnMaxPages: 9 },
        ]),
      ),
    ).toEqual([]);
  });

  test('not where a turn was discarded', () => {
    expect(violationsOf('configured', facts([{ at: 0, turnMaxPages: 1 }], 4))).toEqual([]);
  });
});

describe('limitsKept, after a limit of bytes, time or money', () => {
  const status = (at: number, name: StatusChange['status'], limits: StatusChange['limits']) => ({
    at: T + at * 1000,
    status: name,
    messages: 0,
    limits,
  });
  function facts(limits: StatusChange['limits'], askedAt: number, more = {}, strikes = struck()) {
    const heads: HeadChange[] = [headAt(20, undefined, { totals: totals(2, { bytes: 5000 }) })];
    const crawl = hostWith(heads, [urlRecord(PAGE, 'fetched', 200)], {}, [status(0, 'running', limits)]);
    const log = [request(ROBOTS, 0, 0.1), request(PAGE, askedAt, askedAt + 1)];
    return makeFacts({ log, strikes, crawls: [{ ...crawl, ...more }] });
  }

  test('a page that is requested later than 13 seconds after it is found', () => {
    expect(violationsOf('limitsKept', facts({ maxBytes: 5000 }, 33))).toEqual([]);
    expect(violationsOf('limitsKept', facts({ maxBytes: 5001 }, 34))).toEqual([]);
    expect(violationsOf('limitsKept', facts({ maxBytes: 5000 }, 34))).toEqual([
      `limitsKept: crawl had met maxBytes T0+20.000 s, and worker-1 requested ${PAGE} 14.000 s later; expected none after 13.000 s`,
    ]);
    expect(violationsOf('limitsKept', facts({ maxTimeMs: 10_000 }, 23))).toEqual([]);
    expect(violationsOf('limitsKept', facts({ maxTimeMs: 10_000 }, 24)).join()).toContain(
      'had met maxTimeMs T0+10.000 s',
    );
    const costs = [
      { at: T + 1000, cost: 0.01 },
      { at: T + 5000, cost: 0.02 },
    ];
    expect(violationsOf('limitsKept', facts({ maxCost: 0.02 }, 18, { costs }))).toEqual([]);
    expect(violationsOf('limitsKept', facts({ maxCost: 0.02 }, 19, { costs })).join()).toContain(
      'had met maxCost T0+5.000 s',
    );
  });

  test('a limit that is raised while the crawl runs counts from then on', () => {
    const raised = (at: number) => ({
      statuses: [
        {
          ...status(0, 'running', { maxBytes: 5000 }),
          later: [{ at: T + at * 1000, limits: { maxBytes: 6000 } }],
        },
      ],
    });
    expect(violationsOf('limitsKept', facts({}, 40, raised(30)))).toEqual([]);
    expect(violationsOf('limitsKept', facts({}, 40, raised(45)))).toHaveLength(1);
  });

  test('not where counters may be wrong, nor time where a clock was set, nor after the limit was raised', () => {
    expect(violationsOf('limitsKept', facts({ maxBytes: 5000 }, 40, {}, struck('workerKilled')))).toEqual([]);
    expect(violationsOf('limitsKept', facts({ maxTimeMs: 10_000 }, 40, {}, struck('clockStepped')))).toEqual(
      [],
    );
    const statuses = [
      status(0, 'running', { maxBytes: 5000 }),
      status(25, 'limited', { maxBytes: 5000 }),
      status(30, 'running', { maxBytes: 9000 }),
    ];
    expect(violationsOf('limitsKept', facts({}, 60, { statuses }))).toEqual([]);
  });
});

test('nothingLost: what was requested must be in the ledger of its crawl, host by host', () => {
  const heads = (requests: number) => [headAt(60, undefined, { totals: totals(requests) })];
  const log = [request(ROBOTS, 0, 0.1), request(HOME, 5, 5.1), request(PAGE, 10, 10.1)];
  const records = [urlRecord(HOME, 'fetched', 200)];
  const lost = (requests: number, strikes = struck()) =>
    violationsOf(
      'nothingLost',
      makeFacts({ log, strikes, crawls: [hostWith(heads(requests), records)] }),
    ).filter((text) => text.includes('requested'));
  expect(lost(3, struck('workerKilled'))).toEqual([
    `nothingLost: ${PAGE} was requested, and no ledger knows it`,
  ]);
  expect(lost(2, struck('workerKilled'))).toEqual([]);
  expect(lost(2)).toHaveLength(1);
});

test('unhurried: the gap after a request is that of the crawl whose contact it names', () => {
  const quick = crawlFacts(undefined, { config: { delayMs: 100, contact: 'https://sim.test/quick' } });
  const slow = {
    ...crawlFacts(undefined, { config: { delayMs: 4000, contact: 'https://sim.test/slow' } }),
    id: 'slow',
  };
  const by = (contact: string) => [
    request('http://a.test/x', 50, 51, { contact }),
    request('http://a.test/y', 52, 53, { contact: 'https://sim.test/quick' }),
  ];
  const hurried = (contact: string) =>
    violationsOf('unhurried', makeFacts({ log: by(contact), crawls: [quick, slow] })).length;
  expect(hurried('https://sim.test/quick')).toBe(0);
  expect(hurried('https://sim.test/slow')).toBe(1);
});

test('unhurried: requests of a crawl that was deleted keep its delay, at hosts that only a slower one knows', () => {
  const contact = 'https://sim.test/gone';
  const slow = crawlFacts(undefined, { config: { delayMs: 4000, contact: 'https://sim.test/slow' } });
  const hurried = (gapMs: number, perHost = 1) => {
    const requests = [
      request('http://a.test/x', 50, 51, { contact }),
      request('http://a.test/y', 51 + gapMs / 1000, 53, { contact }),
    ];
    const config = parseConfig({ delayMs: 100, contact, perHost });
    const deletion = { id: 'gone', config, isDone: true, heads: new Map(), requests, left: [] };
    const found = messagesOf(makeFacts({ log: [], crawls: [slow], deletion }));
    return found.filter((text) => /^(unhurried|oneRequest)/.test(text));
  };
  expect(hurried(100)).toEqual([]);
  expect(hurried(99)).toEqual([expect.stringMatching(/expected at least 0.100 s/)]);
  expect(hurried(-100)).toEqual([expect.stringMatching(/^oneRequest/)]);
  expect(hurried(-100, 2)).toEqual([]);
});
