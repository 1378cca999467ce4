/** How many pages a host gives. */
import { expect, test } from 'vitest';
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
