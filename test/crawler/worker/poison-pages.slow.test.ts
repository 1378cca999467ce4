/** Tests how many processes a page kills, at hosts that are larger than a turn, in young and in old crawls. */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { crawlThrough, flatHost, makeOld } from './deaths.ts';
import { begin, createWorld, recordOf, said, statesOf, type World } from './world.ts';

const HOST = 'http://v.test';
const NEIGHBOURS = ['http://n1.test', 'http://n2.test'];
const CONFIG = {
  scope: 'host',
  delayMs: 1000,
  trapAfterPages: 0,
  soft404: false,
  turnMaxMs: 120_000,
} as const;

/** Pages that a turn of an old crawl fetches, of a host that answers at once. */
const pagesOfTurn = (pages: number): number =>
  Math.min(pages, parseConfig({}).turnMaxPages, CONFIG.turnMaxMs / CONFIG.delayMs);

const deathsAllowed = (pages: number): number => Math.floor(2 * Math.log2(pagesOfTurn(pages)));

async function open(pages: number, isOld: boolean): Promise<World> {
  const site = Object.assign({}, flatHost(HOST, pages), ...NEIGHBOURS.map((host) => flatHost(host, 60)));
  const world = createWorld(site, { leaseMs: 333_000, parcelLeaseMs: 60_000, tookMs: 50 });
  if (isOld) makeOld(world);
  await begin(world, [`${HOST}/`, ...NEIGHBOURS.map((host) => `${host}/`)], CONFIG);
  return world;
}

describe.each([
  ['a minute', false],
  ['an hour', true],
])('in a crawl that has run for %s', (_, isOld) => {
  test.each(
    [12, 120, 1000].flatMap((pages) =>
      [0, 6, Math.floor(pages / 2), pages - 1].map((at) => [pages, at === 0 ? '/' : `/${at}`] as const),
    ),
  )('at a host of %i pages, %s kills few processes, and no other page is lost', async (pages, path) => {
    const world = await open(pages, isOld);
    const poison = `${HOST}${path}`;
    const deaths = await crawlThrough(world, (url) => url === poison);
    const states = await statesOf(world.engine);
    expect(Object.keys(states).filter((url) => states[url] !== 'fetched')).toEqual([poison]);
    expect(said(await recordOf(world.engine, poison))).toMatch(/^the worker died 3 times/);
    const asked = world.fetcher.log.filter(({ url }) => url.startsWith(`${HOST}/`)).length;
    if (process.env.SHOW)
      console.log(pages, path, isOld, {
        deaths,
        asked,
        minutes: Math.round((world.clock.now() - 1767225600000) / 60000),
      });
    expect(deaths).toBeLessThanOrEqual(deathsAllowed(pages));
    expect(asked).toBeLessThanOrEqual((path === '/' ? 1 : pages) + 2 * pagesOfTurn(pages));
  });
});
