/** How many pages of a URL template a host gives. */
import { expect, test } from 'vitest';
import { page, type Site } from './scripted-fetcher.ts';
import { begin, crawlToEnd, createWorld, ledgersOf, recordOf, runToEnd } from './world.ts';

const A = 'http://a.test';
const B = 'http://b.test';
const items = Array.from({ length: 20 }, (_, i) => `/item/${i}`);
const words = ['/about', '/terms', '/help'];
const siteOf = (...hosts: string[]): Site =>
  Object.fromEntries(
    hosts.flatMap((host) => [
      [`${host}/`, page(...items, ...words)],
      ...[...items, ...words].map((path) => [`${host}${path}`, page()] as const),
    ]),
  );

const itemsAsked = (log: readonly { readonly url: string }[], host = A) =>
  log.filter(({ url }) => url.startsWith(`${host}/item/`)).length;

test.each([1, 3])(
  'a template gives no more pages than its quota, with %i requests at once',
  async (perHost) => {
    // Turns of two pages: the counts outlive them.
    const config = { maxPagesPerTemplate: 5, turnMaxPages: 2, perHost, delayMs: 0 };
    const { fetcher, totals, engine, states } = await crawlToEnd(siteOf(A), config);
    expect(itemsAsked(fetcher.log)).toBe(5);
    expect(totals.pages).toBe(1 + words.length + 5);
    expect(Object.values(states).filter((state) => state === 'skipped')).toHaveLength(15);
    expect(totals.urls.waiting).toBe(0);
    const left = items.find((path) => states[`${A}${path}`] === 'skipped');
    expect((await recordOf(engine, `${A}${left}`))?.result?.cause).toEqual({
      code: 'pagesPerTemplate',
      template: '/item/0',
    });
  },
);

test('links that come when the template has its pages are left out, counted and noted', async () => {
  const site = {
    [`${A}/`]: page('/item/0', '/item/1'),
    [`${A}/item/0`]: page('/about'),
    [`${A}/item/1`]: page(),
    [`${A}/about`]: page('/item/1', '/item/100', '/item/101'),
  };
  const { totals, states, fetcher } = await crawlToEnd(site, { maxPagesPerTemplate: 2 });
  expect(totals.skipped).toEqual({ pagesPerTemplate: 2 });
  expect(states).not.toHaveProperty([`${A}/item/100`]);
  expect(itemsAsked(fetcher.log)).toBe(2);
});

test('seeds are fetched whatever their template has had, and do not count', async () => {
  const seeds = [`${A}/`, ...items.slice(0, 8).map((path) => `${A}${path}`)];
  const { fetcher } = await crawlToEnd(siteOf(A), { seeds, maxPagesPerTemplate: 3 });
  expect(itemsAsked(fetcher.log)).toBe(8 + 3);
});

test('a quota of some hosts holds there alone, and heads of the others are stored as before', async () => {
  const { fetcher, engine } = await crawlToEnd(siteOf(A, B), {
    seeds: [`${A}/`, `${B}/`],
    overrides: [{ hosts: ['b.test'], maxPagesPerTemplate: 4 }],
  });
  expect([itemsAsked(fetcher.log, A), itemsAsked(fetcher.log, B)]).toEqual([20, 4]);
  const hosts = await ledgersOf(engine);
  expect(hosts.get('a.test')?.head).not.toHaveProperty('templatePages');
  expect(hosts.get('b.test')?.head).toHaveProperty('templatePages');
});

test('a turn that is discarded has counted nothing, and its pages count when they are fetched again', async () => {
  const world = createWorld(siteOf(A));
  const { ledgers } = world.engine;
  const commit = ledgers.commit.bind(ledgers);
  let commits = 0;
  ledgers.commit = async (...args) => {
    if (args[1] === 'a.test' && ++commits % 3 === 2) throw new Error('the store is not well');
    return commit(...args);
  };
  await begin(world, [`${A}/`], { maxPagesPerTemplate: 5, turnMaxPages: 2 });
  expect((await runToEnd(world)).length).toBeGreaterThan(0);
  const records = [...((await ledgersOf(world.engine)).get('a.test')?.records.values() ?? [])];
  const fetched = records.filter(({ url, state }) => url.startsWith(`${A}/item/`) && state === 'fetched');
  expect(fetched).toHaveLength(5);
  // Those of discarded turns were requested once more.
  expect(itemsAsked(world.fetcher.log)).toBeGreaterThan(5);
});
