/** A robots.txt that redirects to another host: fetched by that host's own turn, at its pace. */

import { describe, expect, test } from 'vitest';
import { optionalText } from '../../../shared/core/causes/cause-text.ts';
import { page, redirect, robots, type Site } from './scripted-fetcher.ts';
import {
  areQuiet,
  begin,
  crawlToEnd,
  createWorld,
  gapsOf,
  leastGap,
  ledgersOf,
  startProcess,
  statesOf,
} from './world.ts';

const A = 'http://example.test';
const WWW = 'http://www.example.test';
const many = (n: number) => Array.from({ length: n }, (_, i) => `/${i}`);
const RULES = robots('User-agent: *\nDisallow: /no\n');

const SITE: Site = {
  [`${A}/robots.txt`]: redirect(`${WWW}/robots.txt`),
  [`${A}/`]: page('/yes', '/no'),
  [`${WWW}/robots.txt`]: RULES,
  [`${WWW}/`]: page(...many(10), '/no'),
};

describe('a robots.txt that redirects to that of another host of the crawl', () => {
  test('gives both hosts its Crawl-delay, also when it forbids nothing', async () => {
    const site = { ...SITE, [`${WWW}/robots.txt`]: robots('User-agent: *\nCrawl-delay: 7\nDisallow:\n') };
    const { fetcher } = await crawlToEnd(site, { seeds: [`${A}/`, `${WWW}/`], delayMs: 1000 });
    for (const host of ['example.test', 'www.example.test']) {
      // The gap after the redirect itself: no rules were known yet.
      const gaps = gapsOf(fetcher, host).slice(host === 'example.test' ? 1 : 0);
      expect(gaps.length, host).toBeGreaterThan(0);
      expect(Math.min(...gaps), host).toBeGreaterThanOrEqual(7000);
    }
  });

  test('counts for both, is fetched once, and a page is requested within seconds', async () => {
    const { fetcher, states, clock } = await crawlToEnd(SITE, { seeds: [`${A}/`, `${WWW}/`], delayMs: 1000 });
    expect(states).toMatchObject({
      [`${A}/yes`]: 'gone',
      [`${A}/no`]: 'deniedByRobots',
      [`${WWW}/no`]: 'deniedByRobots',
    });
    expect([fetcher.count(`${A}/robots.txt`), fetcher.count(`${WWW}/robots.txt`)]).toEqual([1, 1]);
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(1000);
    const [asked, first] = fetcher.log.filter(({ host }) => host === 'example.test');
    expect(first!.startedAt - asked!.endedAt).toBeLessThan(5000);
    expect(clock.now()).toBeGreaterThan(0);
  });

  test('leaves both hosts their pace and one request at a time, though each is served by another process', async () => {
    const world = createWorld(SITE, { tookMs: 300 });
    const { engine, fetcher, clock } = world;
    await begin(world, [`${A}/`, `${WWW}/`], { delayMs: 1500 });
    const processes = [1, 2, 3].map(() => startProcess(engine, fetcher, { maxHosts: 1 }));
    const ended = Promise.all(processes.map((process) => process.ended));
    await clock.drive(ended, () => areQuiet(engine));
    for (const process of processes) process.stop();
    await clock.drive(ended);
    expect(processes.flatMap(({ errors }) => errors)).toEqual([]);
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(1500);
    expect(Object.values(await statesOf(engine))).not.toContain('waiting');
  });

  test('waits while that one rests, and costs its own host no failure', async () => {
    const busy = (before: number) =>
      before === 0 ? { status: 503, headers: { 'Retry-After': '15' } } : RULES;
    const site = { ...SITE, [`${WWW}/robots.txt`]: busy };
    const { fetcher, states, engine } = await crawlToEnd(site, {
      seeds: [`${A}/`, `${WWW}/`],
      delayMs: 1000,
    });
    expect(Object.values(states)).not.toContain('waiting');
    expect(gapsOf(fetcher, 'www.example.test')[0]).toBeGreaterThanOrEqual(15_000);
    const { head } = (await ledgersOf(engine)).get('example.test')!;
    expect([head.clock.failures, head.movedRobots]).toEqual([0, undefined]);
  });
});

test('a host that is in no crawl serves the robots.txt of many at its own pace', async () => {
  const hosts = many(6).map((name) => `http://h${name.slice(1)}.test`);
  const site: Site = Object.fromEntries([
    ...hosts.flatMap((host, i) => [
      [`${host}/robots.txt`, redirect(`http://rules.test/of/${i % 3}.txt`)],
      [`${host}/`, page('/no')],
    ]),
    ...[0, 1, 2].map((i) => [`http://rules.test/of/${i}.txt`, RULES]),
  ]);
  const seeds = hosts.map((host) => `${host}/`);
  const { fetcher, states, engine } = await crawlToEnd(site, { seeds, delayMs: 2000 });
  expect(hosts.map((host) => states[`${host}/no`])).toEqual(hosts.map(() => 'deniedByRobots'));
  expect(fetcher.log.filter(({ host }) => host === 'rules.test')).toHaveLength(3);
  expect(leastGap(fetcher)).toBeGreaterThanOrEqual(2000);
  const { records } = (await ledgersOf(engine)).get('rules.test')!;
  expect(records.size).toBe(0);
});

test('its sitemaps are those of the host whose robots.txt redirects', async () => {
  const site: Site = {
    [`${A}/robots.txt`]: redirect('http://rules.test/a.txt'),
    'http://rules.test/a.txt': robots(`User-agent: *\nAllow: /\nSitemap: ${A}/map.xml\n`),
    [`${A}/`]: page(),
    [`${A}/map.xml`]: {
      headers: { 'Content-Type': 'application/xml' },
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${A}/listed</loc></url></urlset>`,
    },
  };
  const { states } = await crawlToEnd(site, { seeds: [`${A}/`], delayMs: 100 });
  expect(states).toMatchObject({ [`${A}/listed`]: 'gone' });
});

test('a host whose robots.txt leads to one that is dead is given up, and that takes some minutes', async () => {
  const site: Site = {
    [`${A}/robots.txt`]: redirect(`${WWW}/robots.txt`),
    [`${WWW}/robots.txt`]: { fails: 'connect' },
    [`${A}/`]: page(),
  };
  const { engine, fetcher, states } = await crawlToEnd(site, { seeds: [`${A}/`], delayMs: 100 });
  expect(states).toEqual({ [`${A}/`]: 'waiting' });
  const { head } = (await ledgersOf(engine)).get('example.test')!;
  expect(optionalText(head.setAside?.cause)).toBe(
    `robots.txt: it redirects to ${WWW}/robots.txt, which cannot be had`,
  );
  expect(fetcher.log.length).toBeLessThan(12);
});

test.each([
  ['a circle of two hosts', `${WWW}/robots.txt`, `${A}/robots.txt`],
  ['a circle by other URLs', `${WWW}/r1`, `${A}/r2`],
])('%s is left after five redirects: all is allowed', async (_, there, back) => {
  const site: Site = {
    [`${A}/robots.txt`]: redirect(there),
    [there]: redirect(back),
    [`${A}/r2`]: redirect(there),
    [`${A}/`]: page(),
  };
  const { fetcher, states } = await crawlToEnd(site, { seeds: [`${A}/`], delayMs: 100 });
  expect(states).toEqual({ [`${A}/`]: 'fetched' });
  expect(fetcher.log.length).toBeLessThan(12);
});

test('a robots.txt that redirects to a URL of 200,000 characters counts as one that is not there', async () => {
  const site: Site = {
    [`${A}/robots.txt`]: redirect(`${WWW}/${'a'.repeat(200_000)}`),
    [`${A}/`]: page(),
  };
  const { engine, fetcher, states } = await crawlToEnd(site, { seeds: [`${A}/`], delayMs: 100 });
  expect(states).toEqual({ [`${A}/`]: 'fetched' });
  expect(fetcher.log.filter(({ host }) => host !== 'example.test')).toEqual([]);
  const { head } = (await ledgersOf(engine)).get('example.test')!;
  expect(JSON.stringify(head).length).toBeLessThan(2000);
});
