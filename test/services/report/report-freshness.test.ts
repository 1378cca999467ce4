import { describe, expect, test } from 'vitest';
import { freshnessText } from '../../../cli/report/freshness-text.ts';
import { reportHtml } from '../../../cli/report/report-html.ts';
import { type CrawlOptions, parseConfig } from '../../../shared/core/crawl/config.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { URL_STATES, type UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { rateCode } from '../../../shared/core/recrawl/change-rate.ts';
import { demandOf } from '../../../shared/core/recrawl/demand-curve.ts';
import { buildReport } from '../../../shared/services/report/report.ts';
import { Freshness, type FreshnessReport } from '../../../shared/services/report/report-freshness.ts';

const NOW = Date.UTC(2026, 10, 25);
const DAY = 86_400_000;
const BY_STATUS = Object.fromEntries(
  URL_STATES.map((state) => [state, state === 'fetched' ? 100 : 0]),
) as never;

interface Page {
  readonly days: number;
  readonly rate: number;
  readonly level?: number;
  readonly more?: Partial<UrlRecord>;
}

const recordOf = (path: string, { days, rate, level = 0, more }: Page): UrlRecord => ({
  url: `https://a.test${path}`,
  state: 'fetched',
  depth: 1,
  level,
  seenAt: NOW - 90 * DAY,
  redirects: 0,
  attempts: 0,
  dueAt: NOW + DAY,
  result: { fetchedAt: NOW - days * DAY, httpStatus: 200 },
  recrawl: {
    history: 0x200101,
    rate: rateCode(rate),
    changedAt: NOW - 9 * DAY,
    misses: 0,
    capturedAt: NOW - 9 * DAY,
  },
  ...more,
});

function reportOf(
  pages: readonly (readonly [string, Page])[],
  options: CrawlOptions = { recrawl: 'changes', recrawlPerDay: 10 },
  hints?: readonly number[],
): FreshnessReport | undefined {
  const freshness = new Freshness(NOW);
  for (const [path, page] of pages) freshness.add(recordOf(path, page));
  const demand = demandOf('changes', { changeRate: 0.1, importance: 1 });
  const totals = { ...NO_TOTALS, demand: Object.fromEntries(demand.map((perDay, n) => [n, 1e8 * perDay])) };
  freshness.endHost('a.test', { ...NEW_HEAD, totals, recrawl: { pool: [0, 0, 0], ...(hints && { hints }) } });
  return freshness.report(parseConfig(options), BY_STATUS);
}

describe('the freshness of copies', () => {
  test('falls with the time since their fetch and with the rate of their changes', () => {
    const report = reportOf([
      ['/a', { days: 0, rate: 1 }],
      ['/b', { days: 10, rate: 0.1 }],
    ]);
    expect(report?.freshShare).toBeCloseTo((1 + Math.exp(-1)) / 2, 1);
    // A copy of ten days, of a page that changes once in ten: 10 - (1 - 1/e) / 0.1.
    expect(report?.meanAgeDays).toBeCloseTo((10 - 10 * (1 - Math.exp(-1))) / 2, 0);
    expect(report?.oldest).toMatchObject({ url: 'https://a.test/b', days: 10 });
    expect(report?.sinceFetch.map(({ pages }) => pages)).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0]);
  });

  test('is weighted by importance', () => {
    const report = reportOf([
      ['/a', { days: 0, rate: 1, level: 5 }],
      ['/b', { days: 100, rate: 1 }],
    ]);
    expect(report?.freshShare).toBeCloseTo(0.5, 2);
    expect(report?.weightedFreshShare).toBeCloseTo(32 / 33, 2);
  });

  test('counts no errors, sitemaps, redirects and URLs that are fetched once', () => {
    const page = { days: 1, rate: 1 };
    const more = [
      { state: 'gone' as const },
      { kind: 'sitemap' as const },
      { state: 'redirect' as const },
      { dueAt: 0 },
      { recrawl: undefined },
    ];
    const others = more.map((fields, n) => [`/${n}`, { ...page, more: fields }] as const);
    expect(reportOf([['/a', page], ...others])?.pages).toBe(1);
    expect(reportOf(others), 'nothing').toBeUndefined();
    expect(reportOf([['/a', page]], {}), 'a crawl that fetches each page once').toBeUndefined();
  });

  test('has the budget and the price of a crawl that goes by one, and what it would fetch', () => {
    // 100 pages of rate 0.1 and a budget of a tenth of them a day.
    const { byPrice } = reportOf([['/a', { days: 1, rate: 0.1 }]]) ?? {};
    expect(byPrice).toMatchObject({ objective: 'changes', budgetPerDay: 10 });
    expect(byPrice?.plannedPerDay).toBeCloseTo(10, 0);
    expect(reportOf([['/a', { days: 1, rate: 0.1 }]], { recrawlEveryMs: DAY })?.byPrice).toBeUndefined();
    expect(reportOf([['/a', { days: 1, rate: 1 }]], { recrawl: 'changes' })?.byPrice?.budgetPerDay).toBe(20);
  });

  test('names the templates that change most, and how true hints are', () => {
    const news = Array.from({ length: 5 }, (_, n) => [`/news/${n}`, { days: 1, rate: 2 }] as const);
    const report = reportOf([...news, ['/about', { days: 1, rate: 0.01 }]], undefined, [90, 10, 20, 80]);
    expect(report?.templates.map(({ template, pages }) => [template, pages])).toEqual([
      ['/news/0', 5],
      ['/about', 1],
    ]);
    expect(report?.templates[0]?.changesPerDay).toBeCloseTo(10, 0);
    expect(report?.hints[0]).toMatchObject({ host: 'a.test', hintedFetches: 100 });
    expect(report?.hints[0]?.precision).toBeGreaterThan(0.8);
  });

  test('is shown as text and as a page, whatever the names are', async () => {
    const page: Page = { days: 3, rate: 0.3 };
    const records = [recordOf('/<script>\u001b[31m', page), recordOf('/b', { days: 99, rate: 1 })];
    const freshness = reportOf([['/<script>\u001b[31m', page]], undefined, [9, 1, 2, 8]) as FreshnessReport;
    const text = freshnessText(freshness, false);
    expect(text.join('\n')).toMatch(/up to date +41%|up to date +40%/);
    expect(text.join('\n')).not.toContain('\u001b');
    for (const line of text) expect(line.length).toBeLessThanOrEqual(110);
    async function* hosts() {
      yield {
        host: 'a.test',
        head: NEW_HEAD,
        records: (async function* () {
          yield* records;
        })(),
      };
    }
    const summary = {
      byStatus: BY_STATUS,
      cache: {},
      overBudget: {},
      full: {},
      hosts: 1,
      skipped: {},
      errors: {},
      httpStatus: {},
    };
    const config = parseConfig({ recrawl: 'changes' });
    const made = await buildReport(hosts(), { ...summary, crawl: 'a', state: 'running' } as never, NOW, {
      config,
    });
    expect(made.freshness?.pages).toBe(2);
    const html = reportHtml(made, true);
    expect(html).toContain('up to date');
    expect(html).not.toMatch(/<script>/);
  });
});
