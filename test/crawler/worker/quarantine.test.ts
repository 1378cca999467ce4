import { describe, expect, test } from 'vitest';
import { optionalText } from '../../../shared/core/causes/cause-text.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { PageTask } from '../../../shared/crawler/turn/page/page-work.ts';
import { quarantinePage, withQuarantine } from '../../../shared/crawler/turn/quarantine-page.ts';
import { page, robots, type Site } from './scripted-fetcher.ts';
import { begin, CRAWL, createWorld, recordOf, runToEnd, said, statesOf } from './world.ts';

const task = (url: string, step: PageTask['step'] = 'parse'): PageTask => ({ crawl: CRAWL, url, step });
const SITE: Site = {
  'http://a.test/': page('/1', '/2', '/3', '/4', '/5'),
  ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`http://a.test/${n}`, page()])),
};

describe('a page in quarantine', () => {
  test.each([
    ['before its host is known', 0],
    ['while its host is crawled', 3000],
  ])('%s is never fetched again, and has failed with that cause', async (_, afterMs) => {
    const world = createWorld(SITE);
    await begin(world, ['http://a.test/'], { delayMs: 1000 });
    const { clock, engine, fetcher } = world;
    const put = clock
      .sleep(afterMs)
      .then(() => quarantinePage(engine.ledgers, task('http://a.test/3'), 4100, clock.now()));
    const [errors] = await Promise.all([runToEnd(world), put]);
    // A turn that was in progress is discarded: it is stale, which is no error.
    expect(errors).toEqual([]);
    const record = await recordOf(engine, 'http://a.test/3');
    expect([record?.state, said(record)]).toEqual([
      'failed',
      'blocked its thread for 4 s when it was parsed',
    ]);
    expect((await engine.registry.totals(CRAWL)).errors).toEqual({ blocked: 1 });
    const states = await statesOf(engine);
    expect(Object.values(states).filter((state) => state === 'fetched')).toHaveLength(5);
    if (afterMs === 0) expect(fetcher.log.map(({ url }) => url)).not.toContain('http://a.test/3');
  });
});

describe('a host', () => {
  test('is given up at its third page that blocks, and the same page counts once', () => {
    let head = NEW_HEAD;
    for (const path of ['/1', '/2', '/2']) head = withQuarantine(head, task(`http://a.test${path}`), 4000, 5);
    expect([head.version, head.quarantine?.length, head.setAside]).toEqual([3, 2, undefined]);
    head = withQuarantine(head, task('http://a.test/3', 'links'), 4000, 7);
    expect(head.setAside).toEqual({
      cause: { code: 'pagesBlockedThread', pages: 3, ms: 4000, step: 'links' },
      at: 7,
    });
  });

  test('is given up at once if its robots.txt blocks', () => {
    const head = withQuarantine(NEW_HEAD, task('http://a.test/robots.txt', 'robots'), 4000, 7);
    expect(optionalText(head.setAside?.cause)).toBe(
      'it blocked its thread for 4 s when its robots.txt was read',
    );
  });

  test('keeps the suspicion of another page, and drops that of this one', () => {
    const intent = { url: 'http://a.test/1', tries: 2 };
    expect(withQuarantine({ ...NEW_HEAD, intent }, task('http://a.test/2'), 4000, 7).intent).toEqual(intent);
    expect(withQuarantine({ ...NEW_HEAD, intent }, task('http://a.test/1'), 4000, 7).intent).toBeUndefined();
  });

  test('keeps at most twenty such pages', () => {
    let head = NEW_HEAD;
    for (let n = 0; n < 50; n++) head = withQuarantine(head, task(`http://a.test/${n}`), 4000, 5);
    expect(head.quarantine?.map(({ url }) => url).slice(0, 1)).toEqual(['http://a.test/30']);
    expect(head.quarantine).toHaveLength(20);
  });
});

test('a site of which nothing is in quarantine is crawled as ever', async () => {
  const world = createWorld({ ...SITE, 'http://a.test/robots.txt': robots('User-agent: *\nDisallow: /5') });
  await begin(world, ['http://a.test/'], { delayMs: 0 });
  expect(await runToEnd(world)).toEqual([]);
  const states = await statesOf(world.engine);
  expect(Object.values(states).sort()).toEqual([
    ...Array(1).fill('deniedByRobots'),
    ...Array(5).fill('fetched'),
  ]);
});
