import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { SeedEvent } from '../../../shared/crawler/turn/seed-events.ts';
import { page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { crawlToEnd, ledgersOf } from './world.ts';

const A = 'http://a.test';
const B = 'http://b.test';
const refused = { fails: 'connect' as const };

async function crawl(site: Site, seeds: readonly string[], config: CrawlOptions = {}) {
  const events: SeedEvent[] = [];
  const onSeed = (event: SeedEvent) => void events.push(event);
  return { ...(await crawlToEnd(site, { ...config, seeds }, { onSeed })), events };
}

describe('the seeds of a crawl', () => {
  test('are counted by their outcome, and not what they link to', async () => {
    const site: Site = {
      [`${A}/`]: page('/gone', '/1'),
      [`${A}/1`]: page(),
      [`${A}/denied`]: page(),
      [`${A}/403`]: { status: 403 },
      [`${A}/robots.txt`]: robots('User-agent: *\nDisallow: /denied\n'),
    };
    const seeds = ['/', '/missing', '/denied', '/403'].map((path) => `${A}${path}`);
    const { totals, events } = await crawl(site, seeds);
    expect(totals.seeds).toEqual({ fetched: 1, gone: 1, deniedByRobots: 1, failed: 1 });
    expect(events.map(({ url, state, httpStatus }) => [url, state, httpStatus]).sort()).toEqual([
      [`${A}/403`, 'failed', 403],
      [`${A}/denied`, 'deniedByRobots', undefined],
      [`${A}/missing`, 'gone', 404],
    ]);
  });

  test('count by their redirects, too', async () => {
    const site: Site = {
      [`${A}/`]: redirect('/home'),
      [`${A}/home`]: page(),
      [`${A}/old`]: redirect('/lost'),
    };
    const { totals } = await crawl(site, [`${A}/`, `${A}/old`]);
    expect(totals.seeds).toEqual({ redirect: 2, fetched: 1, gone: 1 });
  });

  test('are reported at each failed try, with the time of the next', async () => {
    const site: Site = { [`${A}/robots.txt`]: refused };
    const { events, fetcher } = await crawl(site, [`${A}/`]);
    const [first, second] = fetcher.log;
    expect(events).toEqual([
      {
        url: `${A}/`,
        host: 'a.test',
        state: 'waiting',
        cause: expect.objectContaining({ code: expect.any(String) }),
        nextTryAt: second?.startedAt,
      },
      {
        url: `${A}/`,
        host: 'a.test',
        state: 'waiting',
        cause: expect.objectContaining({ code: expect.any(String) }),
        isGivenUp: true,
      },
    ]);
    expect(second!.startedAt).toBeGreaterThan(first!.endedAt);
  });
});

describe('a crawl of which no host has ever answered', () => {
  const dead: Site = { [`${A}/robots.txt`]: refused, [`${B}/robots.txt`]: { fails: 'dns' } };

  test('ends after the second try of each', async () => {
    const { fetcher, engine, clock } = await crawl(dead, [`${A}/`, `${B}/`]);
    expect(fetcher.count(`${A}/robots.txt`)).toBe(2);
    expect(fetcher.count(`${B}/robots.txt`)).toBe(2);
    for (const { head } of (await ledgersOf(engine)).values()) expect(head.setAside).toBeDefined();
    // No rest as long as before a third try.
    expect(clock.now() - fetcher.log.at(-1)!.endedAt).toBeLessThan(5000);
  });

  test('also where robots.txt is not asked', async () => {
    const { fetcher } = await crawl({ [`${A}/`]: refused }, [`${A}/`], { robots: 'ignore' });
    expect(fetcher.count(`${A}/`)).toBe(2);
  });

  test('continues if it is asked to', async () => {
    const { fetcher } = await crawl(dead, [`${A}/`], { keepTrying: true, maxHostFailures: 5 });
    expect(fetcher.count(`${A}/robots.txt`)).toBe(5);
  });

  test('one host that answers gives all others their tries', async () => {
    const site = { [`${A}/robots.txt`]: refused, [`${B}/`]: page() };
    const { fetcher } = await crawl(site, [`${A}/`, `${B}/`], { maxHostFailures: 5 });
    expect(fetcher.count(`${A}/robots.txt`)).toBe(5);
  });
});
