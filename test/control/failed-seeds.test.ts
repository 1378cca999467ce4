import { expect, test } from 'vitest';
import { findFailedSeeds } from '../../shared/control/failed-seeds.ts';
import { page, redirect, robots, type Site } from '../worker/scripted-fetcher.ts';
import { CRAWL, crawlToEnd } from '../worker/world.ts';

const A = 'http://a.test';

async function failedSeeds(site: Site, seeds: readonly string[]) {
  const { engine, totals } = await crawlToEnd(site, { seeds });
  return findFailedSeeds(engine.ledgers, CRAWL, (await engine.registry.load(CRAWL))!, totals);
}

test.each<[string, Site, string, RegExp]>([
  ['is refused', { [`${A}/`]: { status: 403 } }, `${A}/`, /^HTTP 403 \(Forbidden: .*login/],
  ['is missing', {}, `${A}/x`, /^HTTP 404 \(Not Found\)$/],
  [
    'is denied',
    { [`${A}/robots.txt`]: robots('User-agent: *\nDisallow: /') },
    `${A}/`,
    /^denied by robots.txt, line 2/,
  ],
  ['cannot be reached', { [`${A}/robots.txt`]: { fails: 'connect' } }, `${A}/`, /connect/],
  [
    'redirects to what is missing',
    { [`${A}/`]: redirect('/x') },
    `${A}/`,
    /^redirects to http:\/\/a.test\/x: HTTP 404/,
  ],
  ['redirects to itself', { [`${A}/`]: redirect('/') }, `${A}/`, /^redirects to/],
])('a seed that %s is named with its cause', async (_, site, url, cause) => {
  expect(await failedSeeds(site, [url])).toEqual([{ url, cause: expect.stringMatching(cause) }]);
});

test('no seed is named where one was fetched', async () => {
  expect(await failedSeeds({ [`${A}/`]: page() }, [`${A}/`, `${A}/missing`])).toEqual([]);
});

test('a ledger that cannot be read keeps nobody from the summary', async () => {
  const { engine, totals } = await crawlToEnd({}, { seeds: [`${A}/x`] });
  const broken = {
    ...engine.ledgers,
    readPart: async () => {
      throw new Error('segment version 9: this program knows 1 to 2');
    },
  };
  const record = (await engine.registry.load(CRAWL))!;
  expect(await findFailedSeeds(broken, CRAWL, record, totals)).toEqual([]);
});

test('at most ten seeds are named', async () => {
  const seeds = Array.from({ length: 30 }, (_, i) => `${A}/${i}`);
  expect(await failedSeeds({}, seeds)).toHaveLength(10);
});
