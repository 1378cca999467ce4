import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ticksUpTo } from '../../cli/report/column-plot.ts';
import { reportHtml } from '../../cli/report/report-html.ts';
import { reportText } from '../../cli/report/report-text.ts';
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { NO_TOTALS } from '../../shared/core/frontier/host-totals.ts';
import type { FetchResult, UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { buildReport, type ReportedHost } from '../../shared/services/report/report.ts';
import { createDuplicates } from '../../shared/services/report/report-duplicates.ts';
import { createHistogram, quantile } from '../../shared/services/report/report-histogram.ts';
import { createTimeline } from '../../shared/services/report/report-timeline.ts';
import { createTop } from '../../shared/services/report/report-top.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';

const T0 = Date.UTC(2026, 0, 2, 3, 4, 5);

const SUMMARY: CrawlSummary = {
  exact: true,
  losses: {},
  sites: {},
  refusals: {},
  render: {},
  accounts: {},
  pages: 3,
  urls: 9,
  hosts: 2,
  bytes: 6000,
  seconds: 10,
  byStatus: { waiting: 4, fetched: 3, redirect: 1, gone: 1, deniedByRobots: 0, skipped: 0, failed: 0 },
  httpStatus: { '200': 3, '301': 1, '404': 1 },
  skipped: { scope: 7 },
  errors: { timeout: 2 },
  warcFiles: ['a.warc.gz'],
  state: 'finished',
  crawl: 'x.test',
  rate: 0.3,
  cost: 0,
  costByItem: {},
  setAside: [],
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

function recordOf(url: string, changes: Partial<UrlRecord> & { result?: FetchResult } = {}): UrlRecord {
  return {
    url,
    state: 'fetched',
    depth: 0,
    level: 0,
    seenAt: T0,
    redirects: 0,
    attempts: 0,
    dueAt: 0,
    ...changes,
  };
}

const resultOf = (changes: Partial<FetchResult> = {}): FetchResult => ({
  fetchedAt: T0,
  httpStatus: 200,
  contentType: 'text/html; charset=utf-8',
  bodyBytes: 1000,
  tookMs: 20,
  ...changes,
});

function hostOf(host: string, records: readonly UrlRecord[], changes: Partial<Head> = {}): ReportedHost {
  async function* each() {
    yield* records;
  }
  return { host, head: { ...NEW_HEAD, ...changes }, records: each() };
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

const digest = (n: number) => Buffer.alloc(20, n);

const HOSTS = () => [
  hostOf(
    'a.test',
    [
      recordOf('http://a.test/', { result: resultOf({ digest: digest(1) }) }),
      recordOf('http://a.test/b', {
        depth: 1,
        result: resultOf({ digest: digest(1), fetchedAt: T0 + 5000 }),
      }),
      recordOf('http://a.test/c', { depth: 1, result: resultOf({ digest: digest(2), tookMs: 900 }) }),
      recordOf('http://a.test/d.png', {
        kind: 'requisite',
        result: resultOf({ contentType: 'image/png', bodyBytes: 5000, digest: digest(3) }),
      }),
      recordOf('http://a.test/gone', { state: 'gone', depth: 2, result: resultOf({ httpStatus: 404 }) }),
      recordOf('http://a.test/moved', { state: 'redirect', result: resultOf({ httpStatus: 301 }) }),
      recordOf('http://a.test/new', { state: 'waiting' }),
    ],
    {
      totals: { ...NO_TOTALS, pages: 5, bytes: 9000, requests: 7 },
      templates: [{ template: '/day/0', pages: 86, fresh: 0.01, seen: [], isClosed: true }],
    },
  ),
  hostOf('b.test', [], {
    totals: { ...NO_TOTALS, requests: 2, errors: { timeout: 2 } },
    setAside: { cause: { code: 'other', text: 'no answer' }, at: T0 },
  }),
];

describe('a report', () => {
  test('counts pages by type, depth and time, and what is no page apart', async () => {
    const report = await buildReport(each(HOSTS()), SUMMARY, T0);
    expect(report.types).toEqual([
      { type: 'text/html', count: 4, bytes: 4000 },
      { type: 'image/png', count: 1, bytes: 5000 },
    ]);
    expect(report.depths).toEqual([1, 2]);
    expect(report.requisites).toBe(1);
    expect(report.duplicates).toEqual({ pages: 1, of: 4, isEstimate: false });
    expect(report.timeline).toEqual({ startAt: T0, intervalMs: 1000, counts: [5, 0, 0, 0, 0, 1] });
    expect([report.sizes.count, report.sizes.max, report.times.count, report.times.max]).toEqual([
      5, 5000, 6, 900,
    ]);
  });

  test('counts pages deeper than 28 hops with those of 28, and says so', async () => {
    const records = [0, 27, 28, 29, 90].map((depth) =>
      recordOf(`http://a.test/${depth}`, { depth, result: resultOf({}) }),
    );
    const report = await buildReport(each([hostOf('a.test', records)]), SUMMARY, T0);
    expect(report.depths.slice(26)).toEqual([0, 1, 3]);
    expect(reportText(report, false)).toContain('28 and more: 3');
    const page = reportHtml(report);
    expect(page).toContain('28 and more from a seed: 3 pages');
    expect(page).toContain('>28+</text>');
  });

  test('names the hosts with most pages, the slowest, the failing, those set aside, and closed templates', async () => {
    const { hosts, closedGroups } = await buildReport(each(HOSTS()), SUMMARY, T0);
    expect(hosts.byPages.map(({ host }) => host)).toEqual(['a.test']);
    expect(hosts.slowest).toMatchObject([{ host: 'a.test', meanMs: 167, maxMs: 900 }]);
    expect(hosts.failing).toMatchObject([{ host: 'b.test', errors: 2, cause: 'no answer' }]);
    expect([hosts.setAside.length, hosts.setAsideCount]).toEqual([1, 1]);
    expect(closedGroups).toEqual([{ host: 'a.test', kind: 'template', group: '/day/0', pages: 86 }]);
  });

  test('of a crawl that has fetched nothing can be printed, too', async () => {
    const empty: CrawlSummary = { ...SUMMARY, pages: 0, httpStatus: {}, skipped: {}, errors: {} };
    const report = await buildReport(each([]), empty, T0);
    expect(reportText(report, false)).toMatch(/^No seed could be fetched\n/);
    expect(reportHtml(report)).toContain('<b class="state red">No seed could be fetched</b>');
    expect(reportHtml(report)).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('as text has lines of at most 100 characters, whatever the names', async () => {
    const long = `${'very-'.repeat(40)}long.test`;
    const head = {
      totals: { ...NO_TOTALS, pages: 1, requests: 2, errors: { dns: 1 } },
      clock: { nextFetchAt: 0, failures: 1, cause: { code: 'other', text: 'x'.repeat(300) } as const },
    };
    const report = await buildReport(each([...HOSTS(), hostOf(long, [], head)]), SUMMARY, T0);
    const text = reportText(report, false);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(text).toContain('1 of 4 have the bytes of another page');
    expect(text).toContain('Traps: groups of URLs');
  });
});

describe('the page of HTML', () => {
  const HOSTILE = '"><img src=x onerror=alert(1)>\'&<script>x</script>';

  test('has nothing in it that a host name, a type, a template or a cause has put there', async () => {
    const records = [recordOf('http://x.test/', { result: resultOf({ contentType: HOSTILE }) })];
    const host = hostOf(HOSTILE, records, {
      totals: { ...NO_TOTALS, pages: 1, requests: 2, errors: { [HOSTILE]: 1 } },
      setAside: { cause: { code: 'other', text: HOSTILE }, at: T0 },
      templates: [{ template: HOSTILE, pages: 1, fresh: 0, seen: [], isClosed: true }],
    });
    const summary = {
      ...SUMMARY,
      crawl: HOSTILE,
      reason: HOSTILE,
      errors: { [HOSTILE]: 1 },
      httpStatus: { [HOSTILE]: 1 },
    };
    const page = reportHtml(await buildReport(each([host]), summary, T0));
    expect(page).not.toMatch(/<img|<script|<[^>]*onerror/);
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  test('needs nothing from elsewhere, and may load nothing', async () => {
    const page = reportHtml(await buildReport(each(HOSTS()), SUMMARY, T0));
    expect(page).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">/,
    );
    expect(page).not.toMatch(/<(?:script|link|img|iframe)|url\(|@import|href=|src=/);
    expect(page.match(/<svg /g)?.length).toBe(4);
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('its parts', () => {
  test('a top is what sorting all would give', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5, max: 50 })),
        fc.integer({ min: 1, max: 8 }),
        (values, size) => {
          const top = createTop<number>(size, (value) => value);
          for (const value of values) top.add(value);
          const sorted = values.filter((value) => value > 0).sort((a, b) => b - a);
          expect(top.values()).toEqual(sorted.slice(0, size));
        },
      ),
    );
  });

  test('a quantile is no less than the exact one, and at most a step of the scale more', () => {
    const values = fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.constantFrom(0.1, 0.5, 0.9, 0.99, 1), (all, q) => {
        const histogram = createHistogram();
        for (const value of all) histogram.add(value);
        const exact = [...all].sort((a, b) => a - b)[Math.ceil(q * all.length) - 1]!;
        const about = quantile(histogram.histogram(), q);
        expect(about).toBeGreaterThanOrEqual(exact * 0.999);
        expect(about).toBeLessThanOrEqual(exact * 1.2591);
      }),
    );
  });

  test('a timeline loses no event, in any order, and has a bounded number of intervals', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000_000_000), { minLength: 1 }), (offsets) => {
        const timeline = createTimeline();
        for (const offset of offsets) timeline.add(T0 + offset);
        const { startAt, intervalMs, counts } = timeline.timeline()!;
        expect(counts.reduce((sum, count) => sum + count)).toBe(offsets.length);
        expect(counts.length).toBeLessThanOrEqual(120);
        for (const offset of offsets)
          expect(counts[Math.floor((T0 + offset - startAt) / intervalMs)]).toBeGreaterThan(0);
      }),
    );
  });

  test('duplicates are exact while all digests are kept, and near when they are sampled', () => {
    const digestOf = (n: number) => {
      const bytes = Buffer.alloc(20);
      // Spread over all values, as digests are.
      bytes.writeUInt32BE(Math.imul(n, 2654435761) >>> 0);
      return bytes;
    };
    const [exact, sampled] = [createDuplicates(), createDuplicates(100)];
    for (let i = 0; i < 4000; i++) for (const counter of [exact, sampled]) counter.add(digestOf(i % 2000));
    expect(exact.duplicates()).toEqual({ pages: 2000, of: 4000, isEstimate: false });
    expect(sampled.duplicates()).toEqual({ pages: 2000, of: 4000, isEstimate: true });
  });

  test('the marks of an axis begin at 0, are even, and reach the largest value', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1e9, noNaN: true }), (max) => {
        const ticks = ticksUpTo(max);
        expect(ticks[0]).toBe(0);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(max * 0.999999);
        expect(ticks.at(-2)).toBeLessThan(max);
        expect(ticks.length).toBeGreaterThanOrEqual(3);
        expect(ticks.length).toBeLessThanOrEqual(6);
      }),
    );
  });
});
