/** How many pages a host gives. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { wakeAllHosts } from '../../../shared/crawler/routing/waker.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { begin, CRAWL, createWorld, runToEnd } from './world.ts';

const A = 'http://a.test';

test.each([2, 3, 5])(
  'a host gives no more than its share, though %i lanes begin at the same moment',
  async (perHost) => {
    const seeds = Array.from({ length: 12 }, (_, i) => `${A}/${i}`);
    const site: Site = Object.fromEntries(seeds.map((url) => [url, page()]));
    const world = createWorld(site);
    await begin(world, seeds, { perHost, maxPagesPerHost: 1, turnMaxPages: 10, delayMs: 0 });
    expect(await runToEnd(world)).toEqual([]);
    expect((await world.engine.registry.totals(CRAWL)).pages).toBe(1);
  },
);

test('URLs that wait beyond a share are counted with their hosts, until the share is raised', async () => {
  const paths = Array.from({ length: 9 }, (_, i) => `/${i}`);
  const site: Site = {
    [`${A}/`]: page(...paths, 'http://b.test/'),
    ...Object.fromEntries(paths.map((path) => [A + path, page()])),
    'http://b.test/': page('/1'),
    'http://b.test/1': page(),
  };
  const world = createWorld(site);
  const { registry } = world.engine;
  const waiting = async () => {
    expect(await runToEnd(world)).toEqual([]);
    const { full, pages } = await registry.totals(CRAWL);
    return { full, pages };
  };
  await begin(world, [`${A}/`], { scope: 'any', maxPagesPerHost: 3, delayMs: 0 });
  expect(await waiting()).toEqual({ full: { urls: 7, hosts: 1 }, pages: 5 });
  for (const [maxPagesPerHost, urls, pages] of [
    [4, 6, 6],
    [50, 0, 12],
  ] as const) {
    await registry.configure(CRAWL, { scope: 'any', maxPagesPerHost, delayMs: 0 });
    const number = await registry.resume(CRAWL);
    const { config } = (await registry.load(CRAWL)) ?? {};
    await wakeAllHosts(world.engine, CRAWL, number, parseConfig(config ?? {}));
    expect(await waiting()).toEqual({ full: { urls, hosts: urls > 0 ? 1 : 0 }, pages });
  }
});
