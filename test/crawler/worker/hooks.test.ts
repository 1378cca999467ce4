import { expect, test } from 'vitest';
import { type CrawlOptions, parseConfig } from '../../../shared/core/crawl/config.ts';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { begin, crawlToEnd, createWorld, recordOf, SILENT, said, startProcess } from './world.ts';

const A = 'http://a.test';

const crawl = (site: Site, hooks: Partial<PageHooks>, config: CrawlOptions = {}) =>
  crawlToEnd(site, config, { hooks: { ...SILENT, ...hooks } });

test('onPage is called for each public page, and for no other', async () => {
  const seen: string[] = [];
  const site: Site = {
    [`${A}/`]: page('/noindex', '/copy', '/gone', '/1'),
    [`${A}/noindex`]: { body: '<meta name=robots content=noindex>' },
    [`${A}/copy`]: { body: '<link rel=canonical href=/1>' },
    [`${A}/1`]: page(),
  };
  const hooks = { onPage: async ({ url }: { url: string }) => ({ items: [], ...(seen.push(url) && {}) }) };
  const { engine } = await crawl(site, hooks);
  expect(seen.sort()).toEqual([`${A}/`, `${A}/1`]);
  expect(said(await recordOf(engine, `${A}/noindex`))).toBe('noindex');
  seen.length = 0;
  await crawl(site, hooks, { obeyNoindex: false, obeyCanonical: false });
  expect(seen).toHaveLength(4);
});

test('a hook that fails is counted against its page, which stays fetched', async () => {
  const onPage = async () => ({ items: [], error: 'onPage: no price' });
  const { totals, engine } = await crawl({ [`${A}/`]: page() }, { onPage });
  expect(totals.errors).toEqual({ onPage: 1 });
  expect(await recordOf(engine, `${A}/`)).toMatchObject({
    state: 'fetched',
    result: { cause: { code: 'hookFailed', detail: 'onPage: no price' } },
  });
});

test('pages that hooks were called for, those at which one failed, and items are counted', async () => {
  const onPage: PageHooks['onPage'] = async ({ url }) =>
    url.endsWith('/1') ? { items: [], error: 'no price' } : { items: ['{}', '{}'] };
  const site: Site = {
    [`${A}/`]: page('/1', '/noindex'),
    [`${A}/1`]: page(),
    [`${A}/noindex`]: { body: '<meta name=robots content=noindex>' },
  };
  const { totals } = await crawl(site, { onPage });
  expect(totals.hooks).toEqual({ pages: 2, failed: 1, items: 2 });
});

test('links are those that the extraction gives', async () => {
  const extract: PageHooks['extract'] = async ({ facts }) => ({
    facts: { ...facts, links: [{ url: `${A}/added`, kind: 'a' }] },
  });
  const { states } = await crawl({ [`${A}/`]: page('/1'), [`${A}/added`]: { body: '' } }, { extract });
  expect(Object.keys(states).sort()).toEqual([`${A}/`, `${A}/added`]);
});

test('onError is called once for each URL that failed finally', async () => {
  const heard: string[] = [];
  const onError = async (url: string, message: string) => {
    heard.push(`${url}: ${message}`);
  };
  await crawl({ [`${A}/`]: page('/1'), [`${A}/1`]: { status: 500 } }, { onError });
  expect(heard).toEqual([`${A}/1: HTTP 500`]);
});

test('hooks that may take longer than any turn are refused, where they would have turns end before they begin', async () => {
  expect(() => parseConfig({ hookTimeoutMs: 3_600_000 })).toThrow('hookTimeoutMs');
  const world = createWorld({ [`${A}/`]: page() }, { leaseMs: 200_000 });
  await begin(world, [`${A}/`], { hookTimeoutMs: 60_000 });
  const process = startProcess(world.engine, world.fetcher, { maxHosts: 10, hooks: SILENT });
  await world.clock.drive(process.ended, async () => process.errors.length > 0);
  process.stop();
  await world.clock.drive(process.ended);
  expect(process.errors[0]).toContain('Expected a lease of more than 310000 ms');
  expect((await world.engine.ledgers.loadHead('crawl', 'a.test'))?.version).toBeUndefined();
});

test.each(['extract', 'onPage', 'onError'] as const)(
  'a worker that is stopped while %s awaits ends within 5 s, and a page of which an item may be missing waits for the next one',
  async (hook) => {
    const world = createWorld({ [`${A}/`]: hook === 'onError' ? { status: 500 } : page('/1') });
    await begin(world, [`${A}/`], { hookTimeoutMs: 60_000, maxAttempts: 1 });
    let isCalled = false;
    const never = () => {
      isCalled = true;
      return new Promise<never>(() => {});
    };
    const process = startProcess(world.engine, world.fetcher, {
      maxHosts: 10,
      hooks: { ...SILENT, [hook]: never },
    });
    await world.clock.drive(process.ended, async () => isCalled);
    const stoppedAt = world.clock.now();
    process.stop();
    await world.clock.drive(process.ended);
    expect(world.clock.now() - stoppedAt).toBeLessThanOrEqual(5000);
    const record = await recordOf(world.engine, `${A}/`);
    expect(record).toMatchObject(
      hook === 'onError' ? { state: 'failed' } : { state: 'waiting', attempts: 0 },
    );
    const totals = await world.engine.registry.totals('crawl');
    expect(totals.hooks ?? {}).toEqual({});
  },
);
