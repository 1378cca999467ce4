import { expect, test } from 'vitest';
import { urlText } from '../../../cli/export-rows.ts';
import { causeText } from '../../../shared/core/causes/cause-text.ts';
import { findFailedSeeds } from '../../../shared/services/report/failed-seeds.ts';
import { lookUpUrl } from '../../../shared/services/report/look-up-url.ts';
import { urlDetail } from '../../../shared/services/report/url-detail.ts';
import { page, redirect, robots, type Site } from '../../crawler/worker/scripted-fetcher.ts';
import { CRAWL, crawlToEnd } from '../../crawler/worker/world.ts';

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
  ['redirects to itself', { [`${A}/`]: redirect('/') }, `${A}/`, /^redirects to http:\/\/a.test\/$/],
  [
    'redirects in a circle',
    { [`${A}/`]: redirect('/x'), [`${A}/x`]: redirect('/') },
    `${A}/`,
    /^redirects to http:\/\/a.test\/x, then to http:\/\/a.test\/, and so on$/,
  ],
])('a seed that %s is named with its cause', async (_, site, url, cause) => {
  expect(await failedSeeds(site, [url])).toEqual([{ url, cause: expect.stringMatching(cause) }]);
});

test('a seed that redirects to a URL of thousands of characters is followed there', async () => {
  const long = `/${'x'.repeat(4000)}`;
  const { engine, totals } = await crawlToEnd(
    { [`${A}/`]: redirect(long) },
    { seeds: [`${A}/`], maxUrlLength: 8000 },
  );
  const [seed] = await findFailedSeeds(engine.ledgers, CRAWL, (await engine.registry.load(CRAWL))!, totals);
  expect(seed?.cause).toMatch(/x: HTTP 404 \(Not Found\)$/);
});

test('no seed is named where one was fetched', async () => {
  expect(await failedSeeds({ [`${A}/`]: page() }, [`${A}/`, `${A}/missing`])).toEqual([]);
});

test('a ledger that cannot be read keeps nobody from the summary', async () => {
  const { engine, totals } = await crawlToEnd({}, { seeds: [`${A}/x`] });
  const broken = {
    ...engine.ledgers,
    readPart: async () => {
      throw new Error('segment version 9: this program knows version 1');
    },
  };
  const record = (await engine.registry.load(CRAWL))!;
  expect(await findFailedSeeds(broken, CRAWL, record, totals)).toEqual([]);
});

test('at most ten seeds are named', async () => {
  const seeds = Array.from({ length: 30 }, (_, i) => `${A}/${i}`);
  expect(await failedSeeds({}, seeds)).toHaveLength(10);
});

test('a waiting URL shows the state of its host: given up, or tried again', async () => {
  const { engine } = await crawlToEnd({ [`${A}/robots.txt`]: { fails: 'connect' } });
  const { record, head } = await lookUpUrl(engine.ledgers, CRAWL, `${A}/`);
  expect(urlDetail(record!, head)).toMatchObject({
    status: 'waiting',
    hostGivenUp: causeText(head!.setAside!.cause),
  });
  const failing = { ...head!, setAside: undefined };
  const detail = urlDetail(record!, failing);
  expect(detail).toMatchObject({
    hostFailing: causeText(head!.clock.cause!),
    hostNextTryAt: expect.any(String),
  });
  expect(urlText(urlDetail(record!, head), { dir: 'crawls/a' })).toMatch(
    /Status +waits, but its host was given up: [\s\S]*Next +try the host again by strand resume crawls\/a/,
  );
  expect(urlText(detail)).toMatch(/the last try failed: [\s\S]*its host is tried again at/);
});
