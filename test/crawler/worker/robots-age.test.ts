/** For how long the rules of a robots.txt are used. */
import { expect, test } from 'vitest';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, runToEnd } from './world.ts';

const ROBOTS = 'http://a.test/robots.txt';
const MOVED = 'http://b.test/robots.txt';
const LEAST_AGE_MS = 300_000;
const DELAY_MS = 5000;
const STOOD_STILL_MS = 25_000;
const RULES = { ...robots('User-agent: *\nDisallow: /no\n'), headers: { 'Cache-Control': 'no-cache' } };
const PAGES = { 'http://a.test/': page(...Array.from({ length: 150 }, (_, i) => `/${i}`)) };

/** Crawls the site with a process that freezes after each answer of one URL. Returns the web's log. */
async function crawlStandingStill(site: Site, after: string) {
  const world = createWorld(site);
  const { clock, fetcher } = world;
  const freezing: Fetcher = {
    ...fetcher,
    async fetch(request) {
      const outcome = await fetcher.fetch(request);
      if (request.url === after) await clock.sleep(STOOD_STILL_MS);
      return outcome;
    },
  };
  await begin(world, ['http://a.test/'], { delayMs: DELAY_MS });
  expect(await runToEnd({ ...world, fetcher: { ...fetcher, ...freezing } })).toEqual([]);
  return fetcher.log;
}

test.each([
  ['an answer', { ...PAGES, [ROBOTS]: RULES }, ROBOTS],
  ['the answer of another host', { ...PAGES, [ROBOTS]: redirect(MOVED), [MOVED]: RULES }, MOVED],
])(
  'the age of robots.txt counts from its request, though the process froze after %s',
  async (_, site, asked) => {
    const log = await crawlStandingStill(site, asked);
    const served = log.filter(({ url }) => url === asked).map(({ startedAt }) => startedAt);
    expect(served.length).toBeGreaterThan(1);
    for (const { url, startedAt } of log) {
      if (url === ROBOTS || url === MOVED) continue;
      // The page may have waited for the host's moment after its rules were looked up.
      const last = served.findLast((at) => at <= startedAt) as number;
      expect(startedAt - last, url).toBeLessThanOrEqual(LEAST_AGE_MS + DELAY_MS);
    }
  },
);
