import { describe, expect, test } from 'vitest';
import { NoContact } from '../../../shared/core/crawl/crawl-errors.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/crawl-options.ts';
import { InvalidConfig } from '../../../shared/core/crawl/invalid-config.ts';
import { URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import { planCrawl } from '../../../shared/services/begin/plan-crawl.ts';
import { leftOutLines } from '../../../shared/services/begin/sort-seeds.ts';

const A = 'http://a.test/';
const B = 'http://b.test/';
const contact = 'me@example.org';

const plan = (seeds: readonly string[], options: CrawlOptions = {}, sites?: readonly { url: string }[]) =>
  planCrawl({ seeds, sites, options: { contact, ...options } });

describe('a planned crawl', () => {
  test('has its seeds once, canonical and by the URL rules, and is called after the first one', () => {
    const { crawl, record, seeds, sitemaps } = plan(
      ['a.test', 'HTTP://A.test:80/?utm_source=x', 'https://a.test/'],
      { sitemapUrls: ['http://a.test/map.xml#x', 'http://a.test/map.xml'] },
    );
    expect(crawl).toBe('a.test');
    expect(seeds).toEqual({ accepted: ['https://a.test/', A], refused: [] });
    expect(record).toEqual({
      config: { contact, sitemapUrls: expect.anything() },
      scopeSeeds: ['https://a.test/', A],
      urlRulesVersion: URL_RULES_VERSION,
      status: 'running',
    });
    expect(sitemaps).toEqual(['http://a.test/map.xml']);
  });

  test('has a route behind # as a seed if it renders, and its shell for the scope', () => {
    const seed = 'http://a.test/docs/#/guide/start#top';
    const { seeds, record } = plan([seed], { render: 'needed', scope: 'prefix' });
    expect(seeds.accepted).toEqual(['http://a.test/docs/#/guide/start']);
    expect(record.scopeSeeds).toEqual(['http://a.test/docs/']);
    expect(plan([seed]).seeds.accepted).toEqual(['http://a.test/docs/']);
  });

  test('has a seed or a site', () => {
    expect(() => plan([])).toThrow(
      new InvalidConfig('Expected seeds or sites, got neither', { field: 'seeds' }),
    );
  });

  test('begins without the seeds that it leaves out, and draws no scope around them', () => {
    const { crawl, record, seeds } = plan(['http://no.test/', A, 'http://b.test:25/'], { exclude: ['no'] });
    expect(crawl).toBe('a.test');
    expect(record.scopeSeeds).toEqual([A]);
    expect(seeds.accepted).toEqual([A]);
    expect(leftOutLines(seeds.refused)).toEqual([
      'Left out the seed http://no.test/: one of the patterns of `exclude` matches',
      'Left out the seed http://b.test:25/: browsers refuse its port; `allowPorts` (`--allow-port N`) allows it',
    ]);
  });

  test('has the passwords of its seeds among its settings', () => {
    const { record, seeds } = plan(['http://user:secret@a.test/']);
    expect(seeds.accepted).toEqual([A]);
    expect(record.config.auth).toEqual({ 'a.test': 'user:secret' });
  });

  test('has the URLs of its sites as seeds, and its scope around the others', () => {
    const sites = [{ url: A }, { url: B }];
    expect(plan(['http://c.test/'], {}, sites)).toMatchObject({
      seeds: { accepted: ['http://c.test/', A, B] },
      record: { scopeSeeds: ['http://c.test/'] },
    });
    expect(plan([], {}, sites).record.scopeSeeds).toEqual([A]);
  });

  test('has a name that a crawl may have', () => {
    expect(plan(['http://../x']).crawl).toBe('crawl');
  });
});

test.each<[why: string, calling: () => unknown, message: RegExp, field: string]>([
  [
    'none of its seeds is left',
    () => plan([B, `${A}b`], { exclude: ['b'] }),
    /^seeds.0 .*`exclude`.*; seeds.1/,
    'seeds.0',
  ],
  ['a site is left out', () => plan([A], { exclude: ['b'] }, [{ url: B }]), /^seeds.1 cannot/, 'seeds.1'],
  [
    'a site leaves out its own URL',
    () => planCrawl({ seeds: [], sites: [{ url: B, exclude: ['b'] }], options: { contact } }),
    /^seeds.0 cannot be a seed: one of the patterns/,
    'seeds.0',
  ],
  ['a sitemap is not a URL', () => plan([A], { sitemapUrls: ['x:y'] }), /as a sitemap/, 'config.sitemapUrls'],
])('a crawl cannot begin if %s', (_, calling, message, field) => {
  expect(calling).toThrow(InvalidConfig);
  expect(calling).toThrow(message);
  expect(calling).toThrow(expect.objectContaining({ field }));
});

test('a crawl of other hosts cannot begin without a contact', () => {
  expect(() => planCrawl({ seeds: [A], options: {} })).toThrow(NoContact);
  expect(planCrawl({ seeds: ['http://localhost/'], options: {} }).crawl).toBe('localhost');
  // The seed of another host is left out.
  expect(planCrawl({ seeds: ['http://localhost/', A], options: { exclude: ['a.test'] } }).crawl).toBe(
    'localhost',
  );
});

test('of many seeds that are left out, the first ten are named', () => {
  const refused = Array.from({ length: 12 }, (_, n) => ({ url: `${A}${n}`, reason: 'why' }));
  const lines = leftOutLines(refused, ': look there');
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('Left out 12 seeds: look there');
});
