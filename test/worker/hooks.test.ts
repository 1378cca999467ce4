import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../shared/crawl/config.ts';
import type { OptionalPorts } from '../../shared/optional-ports.ts';
import type { PageHooks } from '../../shared/worker/page-hooks.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, recordOf, runToEnd, statesOf } from './world.ts';

const A = 'http://a.test';

const SILENT: PageHooks = {
  extract: async ({ facts }) => ({ facts }),
  onPage: async () => ({ items: [] }),
  onError: async () => {},
};

async function crawl(
  site: Site,
  hooks: Partial<PageHooks>,
  optional?: OptionalPorts,
  config: CrawlOptions = {},
) {
  const world = createWorld(site, { hooks: { ...SILENT, ...hooks }, optional });
  await begin(world, [`${A}/`], config);
  expect(await runToEnd(world)).toEqual([]);
  const totals = await world.engine.registry.totals('crawl');
  return { ...world, totals, states: await statesOf(world.engine) };
}

test('a project hears of each page that is for everybody, and of no other', async () => {
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
  expect((await recordOf(engine, `${A}/noindex`))?.result?.cause).toBe('noindex');
  seen.length = 0;
  await crawl(site, hooks, undefined, { obeyNoindex: false, obeyCanonical: false });
  expect(seen).toHaveLength(4);
});

test('items are staged before the head that they belong to is committed, and published after it', async () => {
  const steps: string[] = [];
  const items = {
    stage: async (_: string, host: string, version: number, lines: readonly string[]) => {
      steps.push(`stage ${host} ${version} ${lines.join(' ')}`);
    },
    publish: async (_: string, host: string, version: number) => {
      steps.push(`publish ${host} ${version}`);
    },
  };
  const onPage = async ({ url }: { url: string }) => ({ items: [JSON.stringify({ url })] });
  await crawl({ [`${A}/`]: page('/1'), [`${A}/1`]: page() }, { onPage }, { items });
  expect(steps).toEqual([`stage a.test 1 {"url":"${A}/"} {"url":"${A}/1"}`, 'publish a.test 1']);
});

test('a hook that fails is counted against its page, which stays fetched', async () => {
  const onPage = async () => ({ items: [], error: 'onPage: no price' });
  const { totals, engine } = await crawl({ [`${A}/`]: page() }, { onPage });
  expect(totals.errors).toEqual({ onPage: 1 });
  expect(await recordOf(engine, `${A}/`)).toMatchObject({
    state: 'fetched',
    result: { cause: 'onPage: no price' },
  });
});

test('links are those that the extraction gives', async () => {
  const extract: PageHooks['extract'] = async ({ facts }) => ({
    facts: { ...facts, links: [{ url: `${A}/added`, kind: 'a' }] },
  });
  const { states } = await crawl({ [`${A}/`]: page('/1'), [`${A}/added`]: { body: '' } }, { extract });
  expect(Object.keys(states).sort()).toEqual([`${A}/`, `${A}/added`]);
});

test('a project hears of what failed for good, once', async () => {
  const heard: string[] = [];
  const onError = async (url: string, message: string) => {
    heard.push(`${url}: ${message}`);
  };
  await crawl({ [`${A}/`]: page('/1'), [`${A}/1`]: { status: 500 } }, { onError });
  expect(heard).toEqual([`${A}/1: HTTP 500`]);
});
