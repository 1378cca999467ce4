/** Limits of registrable domains: pages in a period, hosts. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { domainKey, periodAt } from '../../../shared/core/frontier/domain-state.ts';
import { countLinkers, NO_LINKERS } from '../../../shared/core/frontier/linker-sketch.ts';
import { domainOf } from '../../../shared/core/url/registrable-domain.ts';
import { page, type Site } from './scripted-fetcher.ts';
import {
  begin,
  CRAWL,
  type CrawledWorld,
  crawlToEnd,
  createWorld,
  ledgersOf,
  runToEnd,
  startProcess,
} from './world.ts';

const EVERY_MS = 600_000;
const QUICK: CrawlOptions = { scope: 'any', delayMs: 100, domainBudgetEveryMs: EVERY_MS };

/** A site whose start page links to all its pages. */
function hostOf(name: string, pages: number, ...links: string[]): Site {
  const urls = Array.from({ length: pages }, (_, i) => `http://${name}/${i}`);
  return {
    [`http://${name}/`]: page(...urls.map((url) => new URL(url).pathname), ...links),
    ...Object.fromEntries(urls.map((url) => [url, page()])),
  };
}

/** Requests for pages by domain and period. */
function requestsOf({ fetcher }: Pick<CrawledWorld, 'fetcher'>): Record<string, number[]> {
  const pages = fetcher.log.filter(({ url }) => !url.endsWith('/robots.txt'));
  const byDomain = Map.groupBy(pages, ({ host }) => domainOf(host));
  return Object.fromEntries(
    [...byDomain].map(([domain, requests]) => {
      const periods = Map.groupBy(requests, ({ startedAt }) => periodAt(domain, startedAt, EVERY_MS));
      return [domain, [...periods].sort(([a], [b]) => a - b).map(([, some]) => some.length)];
    }),
  );
}

/** How many messages a crawl of the site sends to hosts. */
async function messagesOf(site: Site, options: CrawlOptions): Promise<number> {
  const world = createWorld(site);
  let sent = 0;
  const { send } = world.engine.queue;
  const queue = {
    ...world.engine.queue,
    send: (messages: Parameters<typeof send>[0]) => {
      sent += messages.length;
      return send(messages);
    },
  };
  const counting = { ...world, engine: { ...world.engine, queue } };
  await begin(counting, ['http://a.org/'], { ...QUICK, ...options });
  expect(await runToEnd(counting)).toEqual([]);
  return sent;
}

describe('domainBudget', () => {
  test('holds over all hosts of a domain; what is beyond waits for the next period and is fetched then', async () => {
    const hosts = ['www.a.org', 'x.a.org', 'y.a.org'];
    const site = {
      ...hostOf('www.a.org', 8, 'http://x.a.org/', 'http://y.a.org/', 'http://b.org/'),
      ...hostOf('x.a.org', 8),
      ...hostOf('y.a.org', 8),
      ...hostOf('b.org', 8),
    };
    const world = await crawlToEnd(site, { ...QUICK, seeds: ['http://www.a.org/'], domainBudget: 10 });
    const requests = requestsOf(world);
    expect(Math.max(...(requests['a.org'] ?? []))).toBeLessThanOrEqual(10);
    expect(requests['a.org']?.[0]).toBe(10);
    expect(requests['a.org']?.reduce((a, b) => a + b)).toBe(27);
    expect(requests['b.org']).toEqual([9]);
    expect(Object.values(world.states).every((state) => state === 'fetched')).toBe(true);
    expect(world.totals.hosts).toBe(hosts.length + 1);
  });

  test('counts redirects and pages that fail', async () => {
    const site: Site = {
      'http://a.org/': page('/r1', '/r2', '/gone', '/ok'),
      'http://a.org/r1': { status: 301, headers: { location: '/t1' } },
      'http://a.org/r2': { status: 301, headers: { location: '/t2' } },
      'http://a.org/t1': page(),
      'http://a.org/t2': page(),
      'http://a.org/ok': page(),
    };
    const world = await crawlToEnd(site, { ...QUICK, seeds: ['http://a.org/'], domainBudget: 2 });
    expect(requestsOf(world)).toEqual({ 'a.org': [2, 2, 2, 1] });
  });

  test('private suffixes are domains of their own', async () => {
    const site = { ...hostOf('one.github.io', 5, 'http://two.github.io/'), ...hostOf('two.github.io', 5) };
    const world = await crawlToEnd(site, { ...QUICK, seeds: ['http://one.github.io/'], domainBudget: 6 });
    expect(requestsOf(world)).toEqual({ 'one.github.io': [6], 'two.github.io': [6] });
  });

  test('a host over budget is not asked for its robots.txt, and its URLs are counted', async () => {
    const site = { ...hostOf('a.org', 1, 'http://x.a.org/', 'http://x.a.org/2'), ...hostOf('x.a.org', 3) };
    const world = createWorld(site);
    await begin(world, ['http://a.org/'], { ...QUICK, domainBudget: 2 });
    const process = startProcess(world.engine, world.fetcher);
    const until = world.clock.now() + 20_000;
    await world.clock.drive(process.ended, () => world.clock.now() >= until);
    expect(world.fetcher.log.map(({ url }) => url)).toEqual([
      'http://a.org/robots.txt',
      'http://a.org/',
      'http://a.org/0',
    ]);
    const { head } = (await ledgersOf(world.engine)).get('x.a.org')!;
    expect(head.ledger.counts.waiting).toBe(2);
    expect(head.totals.overBudget).toEqual({ urls: 2, hosts: 1 });
    expect(head.dueAt).toBeGreaterThan(world.clock.now());
    process.stop();
    await world.clock.drive(process.ended);
    expect(await runToEnd(world)).toEqual([]);
    const totals = await world.engine.registry.totals(CRAWL);
    expect(totals.overBudget).toEqual({ urls: 0, hosts: 0 });
    expect(totals.urls.waiting).toBe(0);
  });

  test('an operator who raises it need not wait for the next period', async () => {
    const world = createWorld(hostOf('a.org', 9));
    await begin(world, ['http://a.org/'], { ...QUICK, domainBudget: 3 });
    const process = startProcess(world.engine, world.fetcher);
    const until = world.clock.now() + 20_000;
    await world.clock.drive(process.ended, () => world.clock.now() >= until);
    process.stop();
    await world.clock.drive(process.ended);
    expect(requestsOf(world)).toEqual({ 'a.org': [3] });
    await world.engine.registry.configure(CRAWL, { domainBudget: 100 });
    await world.engine.queue.send([{ host: 'a.org', message: { kind: 'wake', crawl: CRAWL, resume: 1 } }]);
    expect(await runToEnd(world)).toEqual([]);
    expect(requestsOf(world)).toEqual({ 'a.org': [10] });
  });

  test('what a host was granted and cannot use goes back to its domain', async () => {
    // The first host denies all that it was granted pages for.
    const denied = Array.from({ length: 9 }, (_, i) => `http://a.org/${i}`);
    const site: Site = {
      'http://a.org/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /',
      },
      ...hostOf('x.a.org', 90),
    };
    const world = await crawlToEnd(site, {
      ...QUICK,
      seeds: [...denied, 'http://x.a.org/'],
      domainBudget: 100,
    });
    expect(requestsOf(world)).toEqual({ 'a.org': [91] });
  });
});

describe('maxHostsPerDomain', () => {
  test('links to further hosts are skipped and counted, also in crowds; seeds are not', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `s${i}.a.org`);
    const site = {
      ...hostOf('a.org', 1, ...names.map((name) => `http://${name}/`)),
      ...Object.assign({}, ...names.map((name) => hostOf(name, 0))),
      ...hostOf('seed.a.org', 0, 'http://late.a.org/', 'http://b.org/'),
      ...hostOf('late.a.org', 0),
      ...hostOf('b.org', 0),
    };
    const seeds = ['http://a.org/', 'http://seed.a.org/'];
    const world = await crawlToEnd(site, { ...QUICK, seeds, maxHostsPerDomain: 5, domainBudget: 'off' });
    const hosts = Object.keys(world.states).map((url) => new URL(url).host);
    const opened = new Set(hosts.filter((host) => domainOf(host) === 'a.org'));
    expect(opened.size).toBe(5);
    expect(opened).toContain('seed.a.org');
    expect(hosts).toContain('b.org');
    // 60 and the one that came alone, less those that were opened besides the seeds.
    expect(world.totals.skipped).toEqual({ hostsPerDomain: 61 - 3 });
    expect(world.totals.hosts).toBe(6);
  });

  test('a seed is visited though its domain has no room', async () => {
    const site = { ...hostOf('a.org', 0), ...hostOf('x.a.org', 0), ...hostOf('y.a.org', 0) };
    const seeds = ['http://a.org/', 'http://x.a.org/', 'http://y.a.org/'];
    const { states, totals } = await crawlToEnd(site, { ...QUICK, seeds, maxHostsPerDomain: 1 });
    expect(Object.keys(states).sort()).toEqual(seeds);
    expect(totals.skipped).toEqual({});
  });
});

describe('domainBudget: links', () => {
  const linkersOf = async (world: CrawledWorld, domain: string) => {
    const head = await world.engine.ledgers.loadHead(CRAWL, domainKey(domain));
    return countLinkers(head?.domain?.linkers ?? NO_LINKERS);
  };

  test('a domain to which many others link has more', async () => {
    const others = Array.from({ length: 12 }, (_, i) => `o${i}.test`);
    const site = {
      ...Object.assign({}, ...others.map((name) => hostOf(name, 0, 'http://www.a.org/', 'http://b.org/'))),
      ...hostOf('www.a.org', 40),
      ...hostOf('x.b.org', 0, 'http://b.org/'),
      ...hostOf('b.org', 40, ...others.map((name) => `http://${name}/`)),
    };
    // Those that begin are linked to by one domain, as is the median.
    const seeds = [...others, 'x.b.org'].map((name) => `http://${name}/`);
    const world = await crawlToEnd(site, { ...QUICK, seeds, domainBudget: 'links:5' });
    expect(await linkersOf(world, 'a.org')).toBe(12);
    expect(await linkersOf(world, 'b.org')).toBe(12);
    expect(await linkersOf(world, 'o0.test')).toBe(1);
    const requests = requestsOf(world);
    for (const domain of ['a.org', 'b.org']) expect(Math.max(...requests[domain]!)).toBe(17);
    expect(world.totals.linking).toMatchObject({ 1: 12, 12: 2 });
    expect(world.totals.urls.waiting).toBe(0);
  });

  test('links within a domain, redirects, parts of pages and seeds are no votes, and a domain has one', async () => {
    const farm = Array.from({ length: 9 }, (_, i) => `s${i}.spam.test`);
    const site: Site = {
      ...Object.assign({}, ...farm.map((name) => hostOf(name, 2, 'http://a.org/', 'http://spam.test/'))),
      ...hostOf('spam.test', 20),
      ...hostOf('a.org', 20, 'http://x.a.org/', 'http://a.org/0'),
      ...hostOf('x.a.org', 0, 'http://a.org/1'),
      'http://moved.test/': { status: 301, headers: { location: 'http://a.org/' } },
      'http://shown.test/': { body: '<img src="http://a.org/logo.png">' },
    };
    const seeds = [...farm, 'moved.test', 'shown.test', 'a.org', 'spam.test'].map(
      (name) => `http://${name}/`,
    );
    const world = await crawlToEnd(site, { ...QUICK, seeds, requisites: true, domainBudget: 'links:6' });
    expect(await linkersOf(world, 'a.org')).toBe(1);
    expect(await linkersOf(world, 'spam.test')).toBe(0);
    const requests = requestsOf(world);
    expect(Math.max(...requests['spam.test']!)).toBe(6);
  });

  test('a host that is out of its budget is asked again when its domain learns of more links', async () => {
    // The second domain to link has its links sent after two pages, with a minute between.
    const site = {
      ...hostOf('a.org', 30),
      // To the median domain one links.
      ...hostOf('one.test', 0, 'http://a.org/', 'http://b.org/', 'http://c.org/', 'http://d.org/'),
      ...hostOf('slow.test', 2, 'http://a.org/29', 'http://a.org/new'),
      'http://slow.test/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nCrawl-delay: 60',
      },
      'http://a.org/new': page(),
    };
    const world = createWorld(site);
    await begin(world, ['http://one.test/', 'http://slow.test/0', 'http://slow.test/'], {
      ...QUICK,
      domainBudget: 'links:10',
      domainBudgetEveryMs: 20 * 86_400_000,
    });
    const process = startProcess(world.engine, world.fetcher);
    const until = world.clock.now() + 400_000;
    await world.clock.drive(process.ended, () => world.clock.now() >= until);
    process.stop();
    await world.clock.drive(process.ended);
    const requests = world.fetcher.log.filter(
      ({ host, url }) => host === 'a.org' && !url.endsWith('robots.txt'),
    );
    // The root of two: one domain links to the median one.
    expect(requests).toHaveLength(14);
  });

  test('adds no message', async () => {
    const site = {
      ...hostOf('a.org', 20, 'http://x.a.org/', 'http://b.org/'),
      ...hostOf('x.a.org', 20, 'http://a.org/3'),
      ...hostOf('b.org', 20, 'http://a.org/', 'http://x.a.org/5'),
    };
    expect(await messagesOf(site, { domainBudget: 'links' })).toBe(
      await messagesOf(site, { domainBudget: 'off', maxHostsPerDomain: 'off' }),
    );
  });
});

test('limits of domains add no message', async () => {
  const site = {
    ...hostOf('a.org', 20, 'http://x.a.org/', 'http://b.org/'),
    ...hostOf('x.a.org', 20, 'http://a.org/3'),
    ...hostOf('b.org', 20, 'http://a.org/', 'http://x.a.org/5'),
  };
  const without = await messagesOf(site, { domainBudget: 'off', maxHostsPerDomain: 'off' });
  expect(await messagesOf(site, {})).toBe(without);
});
