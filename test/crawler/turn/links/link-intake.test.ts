import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createScope } from '../../../../shared/core/crawl/scope.ts';
import { NO_TOTALS } from '../../../../shared/core/frontier/host-totals.ts';
import type { Link } from '../../../../shared/core/frontier/message.ts';
import { createTemplateCounts } from '../../../../shared/core/frontier/template-counts.ts';
import { requestUrl } from '../../../../shared/core/url/request-url.ts';
import type { Skip } from '../../../../shared/crawler/ports/skip-log.ts';
import { TurnCounters } from '../../../../shared/crawler/turn/counters.ts';
import { LinkIntake, type LinkIntakeOptions } from '../../../../shared/crawler/turn/links/link-intake.ts';
import { TemplateQuota } from '../../../../shared/crawler/turn/links/template-quota.ts';
import { SitemapPace } from '../../../../shared/crawler/turn/pace/sitemap-pace.ts';
import { newStats } from '../../../../shared/crawler/turn/worker-stats.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { type CrawlOfTurn, crawlOfTurn, newLedger, ORIGIN } from '../turn-fakes.ts';

const page = (path: string) => `${ORIGIN}${path}`;
const linkTo = (url: string, fields: Partial<Link> = {}): Link => ({
  url,
  depth: 1,
  via: `${ORIGIN}/`,
  ...fields,
});

interface IntakeOptions extends CrawlOfTurn {
  readonly crawl?: ReturnType<typeof crawlOfTurn>;
  /** URLs of traps, which may become more. */
  readonly closed?: ReadonlySet<string>;
  readonly hostPages?: number;
  readonly trap?: string;
  readonly fullTemplate?: string;
  readonly hasLog?: boolean;
}

async function open({
  hostPages = 0,
  trap,
  fullTemplate,
  hasLog = true,
  crawl,
  closed = new Set(trap === undefined ? [] : [trap]),
  ...ofCrawl
}: IntakeOptions = {}) {
  const ledger = await newLedger();
  const counters = new TurnCounters({ ...NO_TOTALS, pages: hostPages }, newStats());
  const noted: Skip[] = [];
  const skips = {
    note(id: string, skip: Skip) {
      expect(id).toBe('c');
      noted.push(skip);
    },
  };
  const stored = createTemplateCounts();
  if (fullTemplate !== undefined) stored.add(fullTemplate);
  const options: LinkIntakeOptions = {
    crawl: crawl ?? crawlOfTurn(ofCrawl),
    ledger,
    counters,
    traps: { isClosed: (url: string) => closed.has(url) } as unknown as LinkIntakeOptions['traps'],
    templates: new TemplateQuota({ maxPagesPerTemplate: 1 }, stored.state()),
    sitemaps: new SitemapPace(),
    ...(hasLog && { skips }),
  };
  const urls = async () => {
    const found: string[] = [];
    for await (const { url } of ledger.records()) found.push(url);
    return found.sort();
  };
  /** An intake that has taken in no link before. */
  const renewed = () => new LinkIntake(options);
  return { intake: renewed(), renewed, ledger, counters, noted, urls };
}

test('links that are delivered come into the ledger, and the new ones are counted', async () => {
  const { intake, ledger, urls } = await open();
  expect(intake.mergeDelivered([linkTo(page('/1')), linkTo(page('/2')), linkTo(page('/1'))], T0)).toBe(2);
  expect(intake.mergeDelivered([linkTo(page('/2'))], T0)).toBe(0);
  expect(await urls()).toEqual([page('/1'), page('/2')]);
  expect(await ledger.lookUp(page('/1'))).toMatchObject({ seenAt: T0 });
});

test('a host with its share of pages takes in no further page, but parts of pages and what it knows', async () => {
  const { intake, counters, ledger, urls } = await open({ config: { maxPagesPerHost: 3 }, hostPages: 3 });
  ledger.merge(linkTo(page('/known'), { depth: 5 }), T0);
  const links = [linkTo(page('/new')), linkTo(page('/known')), linkTo(page('/s.css'), { kind: 'requisite' })];
  expect(intake.mergeDelivered(links, T0)).toBe(1);
  expect(counters.totals.skipped).toEqual({ pagesPerHost: 1 });
  expect(await urls()).toEqual([page('/known'), page('/s.css')]);
  expect((await ledger.lookUp(page('/known')))?.depth).toBe(1);
});

test('links to a template that has its pages are left out: not those that are known, seeds, parts of pages and requests', async () => {
  const { intake, counters, noted, ledger, urls } = await open({ fullTemplate: '/item/0' });
  ledger.merge(linkTo(page('/item/1'), { depth: 5 }), T0);
  const request = requestUrl(page('/item/4'), { method: 'POST' });
  const links = [
    linkTo(page('/item/1')),
    linkTo(page('/item/2')),
    linkTo(page('/item/3'), { depth: 0, isSeed: true }),
    linkTo(page('/item/5'), { kind: 'requisite' }),
    linkTo(request),
    linkTo(page('/item/a')),
  ];
  expect(intake.mergeDelivered(links, T0)).toBe(4);
  expect(intake.take(linkTo(page('/item/6')), T0)).toBe(false);
  expect(counters.totals.skipped).toEqual({ pagesPerTemplate: 2 });
  expect(noted.map(({ url, reason }) => [url, reason])).toEqual([
    [page('/item/2'), 'pagesPerTemplate'],
    [page('/item/6'), 'pagesPerTemplate'],
  ]);
  expect(await urls()).toEqual(
    [page('/item/1'), page('/item/3'), request, page('/item/5'), page('/item/a')].sort(),
  );
});

test('a page’s link goes into the ledger of its own host, and leaves the turn for another one', async () => {
  const { intake, urls } = await open({ config: { scope: 'any' } });
  expect(intake.take(linkTo(page('/1')), T0)).toBe(true);
  expect(intake.take(linkTo(page('/1')), T0)).toBe(false);
  expect(intake.take(linkTo('http://b.test/'), T0)).toBe(false);
  expect(intake.take(linkTo('http://b.test/', { depth: 0, kind: undefined }), T0)).toBe(false);
  expect(await urls()).toEqual([page('/1')]);
  expect([...intake.outLinks.values()]).toMatchObject([{ url: 'http://b.test/', depth: 0 }]);
});

test('a link that does not belong to the crawl is left out, counted and noted with its page', async () => {
  const { intake, counters, noted, urls } = await open({ config: { maxDepth: 3 } });
  expect(intake.take(linkTo('http://b.test/'), T0)).toBe(false);
  expect(intake.take(linkTo(page('/deep'), { depth: 4 }), T0)).toBe(false);
  expect(counters.totals.skipped).toEqual({ scope: 1, depth: 1 });
  expect(noted).toEqual([
    { url: 'http://b.test/', reason: 'scope', via: `${ORIGIN}/` },
    { url: page('/deep'), reason: 'depth', via: `${ORIGIN}/` },
  ]);
  expect([await urls(), intake.outLinks.size]).toEqual([[], 0]);
});

test('without a log links that are left out are counted all the same', async () => {
  const { intake, counters } = await open({ hasLog: false });
  expect(intake.skip(linkTo(page('/x')), 'nofollow')).toBe(false);
  intake.noteSkip({ url: page('/x'), reason: 'linksPerPage' });
  expect(counters.totals.skipped).toEqual({ nofollow: 1 });
});

test('what was counted already is only noted', async () => {
  const { intake, counters, noted } = await open();
  intake.noteSkip({ url: page('/x'), reason: 'linksPerPage' });
  expect(noted).toEqual([{ url: page('/x'), reason: 'linksPerPage' }]);
  expect(counters.totals.skipped).toEqual({});
});

test('a page of a trap is left out, but no seed and nothing that is no page', async () => {
  const trapped = async (fields: Partial<Link>) => {
    const { intake, counters } = await open({ trap: page('/trap') });
    return [intake.take(linkTo(page('/trap'), fields), T0), counters.totals.skipped];
  };
  expect(await trapped({})).toEqual([false, { trap: 1 }]);
  expect(await trapped({ isSeed: true })).toEqual([true, {}]);
  expect(await trapped({ kind: 'requisite' })).toEqual([true, {}]);
  expect(await trapped({ kind: 'sitemap' })).toEqual([true, {}]);
});

test('a host has a number of sitemaps that it names; seeds and known ones do not count', async () => {
  const { intake, counters, urls } = await open({ config: { maxSitemapsPerHost: 1 } });
  const map = (path: string, fields: Partial<Link> = {}) =>
    linkTo(page(path), { kind: 'sitemap', depth: 0, ...fields });
  expect(intake.take(map('/seed.xml', { isSeed: true, via: undefined }), T0)).toBe(true);
  expect(intake.take(map('/1.xml'), T0)).toBe(true);
  expect(intake.take(map('/1.xml'), T0)).toBe(false);
  expect(intake.take(map('/2.xml'), T0)).toBe(false);
  expect(counters.totals.skipped).toEqual({ sitemapsPerHost: 1 });
  expect(await urls()).toEqual([page('/1.xml'), page('/seed.xml')]);
  // A page that is no sitemap is not one of them.
  expect(intake.take(linkTo(page('/p')), T0)).toBe(true);
});

test('the folders above a new page are taken in up to a known one, within the scope', async () => {
  const config = { ascendPaths: true, exclude: ['/a/b/$'] };
  const { intake, ledger, urls } = await open({ config });
  expect(intake.take(linkTo(page('/a/b/c/d.html')), T0)).toBe(true);
  expect(await urls()).toEqual([page('/'), page('/a/'), page('/a/b/c/'), page('/a/b/c/d.html')]);
  expect(await ledger.lookUp(page('/a/'))).toMatchObject({ depth: 1, via: `${ORIGIN}/`, seenAt: T0 });
  // Above a known folder nothing is looked for.
  expect(intake.take(linkTo(page('/a/b/c/e.html')), T0)).toBe(true);
  expect(intake.take(linkTo(page('/a/b/c/e.html')), T0)).toBe(false);
  // Those of a link without a page are found on the link itself.
  intake.take(linkTo(page('/x/y.html'), { via: undefined }), T0);
  expect(await ledger.lookUp(page('/x/'))).toMatchObject({ via: page('/x/y.html') });
});

test('folders are taken in for pages alone, and only if that is wanted', async () => {
  const off = await open();
  off.intake.take(linkTo(page('/a/b.html')), T0);
  expect(await off.urls()).toEqual([page('/a/b.html')]);
  const on = await open({ config: { ascendPaths: true } });
  on.intake.take(linkTo(page('/a/b.css'), { kind: 'requisite' }), T0);
  expect(await on.urls()).toEqual([page('/a/b.css')]);
});

test('a plain GET of the project represents the link to its URL, which is not fetched besides', async () => {
  const { intake, ledger } = await open();
  const own = requestUrl(page('/api'), { label: 'list' });
  expect(intake.take(linkTo(own, { depth: 2 }), T0)).toBe(true);
  expect(intake.take(linkTo(own, { depth: 2 }), T0)).toBe(false);
  expect(await ledger.lookUp(page('/api'))).toMatchObject({
    state: 'skipped',
    depth: 2,
    level: 0,
    attempts: 0,
    dueAt: 0,
    redirects: 0,
    via: `${ORIGIN}/`,
    kind: undefined,
    seenAt: T0,
    result: { fetchedAt: T0, cause: { code: 'ownRequest', label: 'list' } },
  });
  intake.take(linkTo(requestUrl(page('/other'), { data: 1 })), T0);
  expect((await ledger.lookUp(page('/other')))?.result?.cause).toEqual({ code: 'ownRequest' });
  expect(intake.take(linkTo(page('/api')), T0)).toBe(false);
  expect(ledger.counts).toMatchObject({ waiting: 2, skipped: 2 });
});

test('another request of the project leaves the link to its URL free', async () => {
  const { intake, ledger } = await open({ trap: page('/api') });
  const own = requestUrl(page('/api'), { method: 'POST', body: 'x' });
  expect(intake.take(linkTo(own), T0)).toBe(true);
  expect(ledger.has(page('/api'))).toBe(false);
});

test('of more sitemaps than a host may have the first ones of a message are taken in', async () => {
  const { intake, urls, counters } = await open({ config: { maxSitemapsPerHost: 2 } });
  const sitemaps = ['/1.xml', '/2.xml', '/3.xml'].map((path) => linkTo(page(path), { kind: 'sitemap' }));
  expect(intake.mergeDelivered(sitemaps, T0)).toBe(2);
  expect(await urls()).toEqual([page('/1.xml'), page('/2.xml')]);
  expect(counters.totals.skipped).toEqual({ sitemapsPerHost: 1 });
});

test('links to known pages are left out from the moment when a trap is closed or the scope changes', async () => {
  const closed = new Set<string>();
  const crawl = crawlOfTurn({ config: { maxDepth: 5 } });
  const { intake, counters } = await open({ crawl, closed });
  const skippedAfter = (path: string, depth: number) => {
    for (let i = 0; i < 3; i++) intake.take(linkTo(page(path), { depth }), T0);
    return counters.totals.skipped;
  };
  const rescope = (config: object) =>
    Object.assign(crawl, { scope: createScope({ ...crawl.config, ...config }, [`${ORIGIN}/`]) });
  expect(skippedAfter('/p', 5)).toEqual({});
  expect(skippedAfter('/p', 6)).toEqual({ depth: 3 });
  closed.add(page('/p'));
  expect(skippedAfter('/p', 5)).toEqual({ depth: 3, trap: 3 });
  closed.clear();
  rescope({ exclude: ['/p$'] });
  expect(skippedAfter('/q', 5)).toEqual({ depth: 3, trap: 3 });
  expect(skippedAfter('/p', 5)).toEqual({ depth: 3, trap: 3, exclude: 3 });
  rescope({ maxDepth: 3 });
  expect(skippedAfter('/p', 1)).toEqual({ depth: 3, trap: 3, exclude: 3 });
  expect(skippedAfter('/p', 4)).toEqual({ depth: 6, trap: 3, exclude: 3 });
});

test('links to a seed outside the scope are left out, and seeds themselves never as traps', async () => {
  const { intake, counters } = await open({ config: { include: ['/in/'] }, trap: page('/in/trap') });
  const take = (path: string, isSeed?: boolean) =>
    intake.take(linkTo(page(path), { depth: 0, ...(isSeed && { isSeed, via: undefined }) }), T0);
  for (let i = 0; i < 3; i++) take('/out', true);
  take('/out');
  expect(counters.totals.skipped).toEqual({ include: 1 });
  take('/in/trap', true);
  take('/in/trap');
  for (let i = 0; i < 3; i++) take('/in/trap', true);
  expect(counters.totals.skipped).toEqual({ include: 1, trap: 1 });
});

const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('link' as const),
      path: fc.constantFrom('/a', '/b', '/trap', '/x', '/x?a=1'),
      depth: fc.nat({ max: 5 }),
      from: fc.nat({ max: 300 }),
      kind: fc.constantFrom(undefined, undefined, undefined, 'requisite' as const, 'sitemap' as const),
      isSeed: fc.constantFrom(undefined, undefined, undefined, undefined, true),
      isOwn: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('rescope' as const, 'close' as const) }) },
);

test('links make the same of a ledger whether earlier ones were taken in before or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 80 }), async (operations) => {
      const results = [true, false].map(async (isOne) => {
        const closed = new Set<string>();
        const crawl = crawlOfTurn({ config: { maxDepth: 4 } });
        const { intake, ledger, counters, noted, renewed } = await open({ crawl, closed });
        let now = T0;
        for (const op of operations) {
          now++;
          if (op.do === 'link') {
            const { path, depth, from, kind, isSeed, isOwn } = op;
            const url = isOwn ? requestUrl(page(path), { label: 'own' }) : page(path);
            const link = linkTo(url, { depth, via: page(`/${from}`), kind, ...(isSeed && { isSeed }) });
            (isOne ? intake : renewed()).take(link, now);
          } else if (op.do === 'close') closed.add(page('/trap'));
          else {
            const scope = createScope({ ...crawl.config, exclude: ['/x$'] }, [`${ORIGIN}/`]);
            Object.assign(crawl, { scope });
          }
        }
        const records = [...ledger.inMemory()].sort((a, b) => (a.url < b.url ? -1 : 1));
        return { records, counts: ledger.counts, skipped: counters.totals.skipped, noted };
      });
      const [one, many] = await Promise.all(results);
      expect(one).toEqual(many);
    }),
  );
});
