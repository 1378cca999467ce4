import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import { factorCode } from '../../../shared/core/recrawl/page-importance.ts';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import { T0 } from './fake-clock.ts';
import { type Answer, page, type Site } from './scripted-fetcher.ts';
import { begin, CRAWL, createWorld, ledgersOf, recordOf, startProcess, type World } from './world.ts';

const A = 'http://a.test';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Crawls for a time; virtual, so a week takes a second. */
async function crawlFor(world: World, ms: number, hooks?: PageHooks): Promise<void> {
  const { clock, engine, fetcher } = world;
  // The waker looks each ten minutes, or weeks would take minutes.
  const process = startProcess(engine, fetcher, { hooks, wakerMs: 600_000 });
  const until = clock.now() + ms;
  await clock.drive(process.ended, () => clock.now() >= until);
  process.stop();
  await clock.drive(process.ended);
  expect(process.errors).toEqual([]);
}

async function recrawled(site: Site, ms: number, config: CrawlOptions): Promise<World> {
  const world = createWorld(site, { tookMs: 10 });
  await begin(world, [`${A}/`], config);
  await crawlFor(world, ms);
  return world;
}

const textOf = (word: string, more = ''): Answer => ({ body: `<title>t</title><p>It says ${word}.${more}` });
const words = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

/** Fetches of the URL, as hours since the beginning. */
const hoursOf = ({ fetcher }: World, path: string): number[] =>
  fetcher.log.filter(({ url }) => url === A + path).map(({ startedAt }) => (startedAt - T0) / HOUR);

const headOf = async ({ engine }: World) => (await ledgersOf(engine)).get('a.test')!.head;

describe('a crawl with a fixed interval', () => {
  test('fetches each page again after it, counts each once, and goes on', async () => {
    const world = await recrawled({ [`${A}/`]: page('/1'), [`${A}/1`]: (n) => textOf(words(n)) }, 25 * HOUR, {
      recrawlEveryMs: 6 * HOUR,
    });
    expect(hoursOf(world, '/1').map(Math.round)).toEqual([0, 6, 12, 18, 24]);
    const totals = await world.engine.registry.totals(CRAWL);
    expect(totals).toMatchObject({ pages: 2, seeds: { fetched: 1 }, recrawl: { changed: 4, unchanged: 4 } });
    expect(totals.urls).toMatchObject({ fetched: 2, waiting: 0 });
    expect((await world.engine.registry.load(CRAWL))?.status).toBe('running');
    expect(await world.engine.registry.isQuiet(CRAWL), 'never finished').toBe(false);
  });

  test('is as polite as ever', async () => {
    const site: Site = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`${A}/${i}`, textOf(String(i))] as const),
    );
    const links = Object.keys(site).map((url) => new URL(url).pathname);
    const world = await recrawled({ ...site, [`${A}/`]: page(...links) }, 3 * HOUR, {
      recrawlEveryMs: HOUR,
      delayMs: 5000,
    });
    const { log } = world.fetcher;
    expect(log.length).toBeGreaterThan(90);
    for (const [i, { startedAt }] of log.entries())
      if (i > 0) expect(startedAt - log[i - 1]!.endedAt).toBeGreaterThanOrEqual(5000);
  });

  test('finds the new links of a page that has changed', async () => {
    const site = { [`${A}/`]: (n: number) => (n === 0 ? page('/1') : page('/1', '/2')), [`${A}/1`]: page() };
    const world = await recrawled({ ...site, [`${A}/2`]: page() }, 13 * HOUR, { recrawlEveryMs: 6 * HOUR });
    expect(hoursOf(world, '/2').map(Math.round)).toEqual([6, 12]);
  });

  test('a limit of pages ends the first pass alone', async () => {
    const site = {
      [`${A}/`]: page('/1', '/2', '/3'),
      [`${A}/1`]: page(),
      [`${A}/2`]: page(),
      [`${A}/3`]: page(),
    };
    const world = await recrawled(site, 13 * HOUR, { recrawlEveryMs: 6 * HOUR, maxPages: 2 });
    expect((await world.engine.registry.load(CRAWL))?.status).toBe('running');
    const totals = await world.engine.registry.totals(CRAWL);
    expect(totals).toMatchObject({ pages: 2, recrawl: { unchanged: 4 } });
  });
});

describe('a crawl with a schedule', () => {
  const site: Site = { [`${A}/`]: page('/1'), [`${A}/1`]: (n) => textOf(words(n)) };
  /** The first time of a schedule that begins every four hours. */
  const first = Math.ceil((T0 + 1) / (4 * HOUR)) * 4 * HOUR;

  test('fetches all pages again at its times, and nothing between', async () => {
    const world = await recrawled(site, first - T0 + 9 * HOUR, { recrawlSchedule: '0 */4 * * *' });
    const expected = [T0, first, first + 4 * HOUR, first + 8 * HOUR].map((at) => (at - T0) / HOUR);
    for (const path of ['/', '/1'])
      hoursOf(world, path).forEach((hour, i) => {
        // The waker of this world looks each ten minutes.
        expect(hour - expected[i]!).toBeLessThan(0.2);
        expect(hour).toBeGreaterThanOrEqual(expected[i]!);
      });
    expect(hoursOf(world, '/1').length).toBe(4);
    const { recrawl } = await world.engine.registry.totals(CRAWL);
    expect(recrawl).toEqual({ changed: 3, unchanged: 3 });
  });

  test('a page that is late skips a time, is fetched once for both, and is counted', async () => {
    const slow = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${A}/${i}`, textOf(words(i))]));
    const links = Object.keys(slow).map((url) => new URL(url).pathname);
    const world = await recrawled({ ...slow, [`${A}/`]: page(...links) }, 24 * HOUR, {
      recrawlSchedule: '0 */4 * * *',
      delayMs: 1_800_000 * 1.5,
    });
    const { recrawl } = await world.engine.registry.totals(CRAWL);
    expect(recrawl?.late).toBeGreaterThan(0);
    for (const { url } of world.fetcher.log) {
      const times = world.fetcher.log.filter((other) => other.url === url).map(({ startedAt }) => startedAt);
      const slots = times.slice(1).map((at) => Math.floor(at / (4 * HOUR)));
      expect(new Set(slots).size, url).toBe(slots.length);
    }
  });
});

describe('a page that does not answer as before', () => {
  const EVERY = { recrawlEveryMs: 6 * HOUR, maxAttempts: 2, retryMs: 60_000 };

  test('that fails keeps its copy, is tried again, and is no change', async () => {
    const site: Site = { [`${A}/`]: (n) => (n === 0 || n > 3 ? page() : { status: 500 }) };
    const world = await recrawled(site, 3 * DAY, EVERY);
    const [first, second, third, fourth] = hoursOf(world, '/');
    expect([first, second].map((at) => Math.round(at as number))).toEqual([0, 6]);
    expect((third as number) - (second as number), 'after retryMs').toBeLessThan(0.5);
    expect((fourth as number) - (third as number), 'then after the interval').toBeGreaterThan(5.9);
    const record = await recordOf(world.engine, `${A}/`);
    expect(record).toMatchObject({ state: 'fetched', attempts: 0, result: { httpStatus: 200 } });
    expect(await headOf(world)).toMatchObject({ totals: { recrawl: { failed: 3 } } });
  });

  test('that failed at first counts as a page once it answers, and one that redirected', async () => {
    const site: Site = {
      [`${A}/`]: page('/1', '/2'),
      [`${A}/1`]: (n) => (n < 2 ? { fails: 'reset' } : page()),
      [`${A}/2`]: (n) => (n < 1 ? { status: 302, headers: { Location: '/' } } : page()),
    };
    const world = await recrawled(site, 3 * DAY, EVERY);
    const { totals, ledger } = await headOf(world);
    expect(ledger.counts).toMatchObject({ fetched: 3, failed: 0, redirect: 0 });
    expect(totals.pages).toBe(3);
  });

  test('that is gone is looked for after one week; one that comes back is fetched', async () => {
    const site: Site = {
      [`${A}/`]: page('/1'),
      [`${A}/1`]: (n) => (n === 1 ? { status: 404 } : page()),
    };
    const world = await recrawled(site, 8 * DAY, { recrawlEveryMs: 6 * HOUR });
    expect(hoursOf(world, '/1').slice(0, 4).map(Math.round)).toEqual([0, 6, 6 + 7 * 24, 12 + 7 * 24]);
    expect(await recordOf(world.engine, `${A}/1`)).toMatchObject({
      state: 'fetched',
      recrawl: { misses: 0 },
    });
  });

  test('a host that was given up is tried again after a day', async () => {
    let isDown = false;
    const site: Site = { [`${A}/`]: () => (isDown ? { fails: 'connect' } : page()) };
    const world = createWorld(site, { tookMs: 10 });
    await begin(world, [`${A}/`], { recrawlEveryMs: HOUR, maxHostFailures: 2, maxAttempts: 2 });
    await crawlFor(world, HOUR / 2);
    isDown = true;
    await crawlFor(world, 3 * HOUR);
    expect((await headOf(world)).setAside).toBeDefined();
    const before = world.fetcher.count(`${A}/`);
    isDown = false;
    await crawlFor(world, DAY);
    expect((await headOf(world)).setAside).toBeUndefined();
    expect(world.fetcher.count(`${A}/`)).toBeGreaterThan(before);
    expect(await recordOf(world.engine, `${A}/`)).toMatchObject({ state: 'fetched' });
  });

  test('robots.txt that denies it later keeps its copy', async () => {
    const site: Site = {
      [`${A}/robots.txt`]: (n) => ({ body: n === 0 ? '' : 'User-agent: *\nDisallow: /1\n' }),
      [`${A}/`]: page('/1'),
      [`${A}/1`]: page(),
    };
    const world = await recrawled(site, 3 * DAY, { recrawlEveryMs: 6 * HOUR, robotsMaxAgeMs: HOUR });
    expect(hoursOf(world, '/1')).toHaveLength(1);
    expect(await recordOf(world.engine, `${A}/1`)).toMatchObject({
      state: 'fetched',
      result: { httpStatus: 200 },
    });
  });
});

describe('conditional requests', () => {
  const BODY = 'long '.repeat(1000);

  /** Answers 304 if the request has the validator. */
  const withEtag =
    (etagOf: (n: number) => string, answer: (n: number) => Answer) =>
    (n: number, { headers }: FetchRequest): Answer => {
      const etag = etagOf(n);
      if (headers?.['If-None-Match'] === etag) return { status: 304, headers: { ETag: etag } };
      return { ...answer(n), headers: { ETag: etag } };
    };

  test('a 304 is a revisit, keeps the location of the content, and takes no bytes', async () => {
    const site: Site = {
      [`${A}/`]: withEtag(
        () => '"v1"',
        () => textOf('the same', BODY),
      ),
    };
    const world = await recrawled(site, 3 * DAY, { recrawlEveryMs: HOUR });
    const { totals } = await headOf(world);
    const { notModified = 0, unchanged = 0 } = totals.recrawl ?? {};
    expect(notModified + unchanged).toBe(world.fetcher.count(`${A}/`) - 1);
    expect(notModified / unchanged, 'few are checked in full').toBeGreaterThan(3);
    const { result, recrawl } = (await recordOf(world.engine, `${A}/`)) as never as {
      result: { location: never; fetchedAt: number };
      recrawl: { capturedAt: number };
    };
    const text = gunzipSync(world.engine.archiveOf(CRAWL).read(result.location)).toString('latin1');
    expect(text).toContain('WARC-Type: response');
    expect(text).toContain(`WARC-Date: ${new Date(recrawl.capturedAt).toISOString()}`);
    expect(result.fetchedAt).toBeGreaterThan(recrawl.capturedAt + 2 * DAY);
  });

  test('a server that says 304 though its page changes is found out within 40 fetches', async () => {
    // The validator covers less than the page: the text changes with each fetch.
    const site: Site = {
      [`${A}/`]: withEtag(
        () => '"never changes"',
        (n) => textOf(words(n), BODY),
      ),
    };
    const world = await recrawled(site, 60 * HOUR, { recrawlEveryMs: HOUR });
    const { totals, recrawl } = await headOf(world);
    expect(recrawl?.validators?.liesUntil).toBeGreaterThan(T0 + 80 * DAY);
    expect(totals.recrawl?.notModified, 'fetches that were believed').toBeLessThan(40);
    expect(totals.recrawl?.changed).toBeGreaterThan(20);
  });

  test('a server that ignores validators gets no more of them', async () => {
    const fields: (string | undefined)[] = [];
    const site: Site = {
      [`${A}/`]: (_, { headers }) => {
        fields.push(headers?.['If-None-Match']);
        return { ...textOf('the same', BODY), headers: { ETag: '"v1"' } };
      },
    };
    await recrawled(site, 40 * HOUR, { recrawlEveryMs: HOUR });
    expect(fields.filter((field) => field !== undefined)).toHaveLength(10);
    expect(fields.slice(-10)).toEqual(Array(10).fill(undefined));
  });

  test('sends the Last-Modified of the server byte for byte, where there is no ETag', async () => {
    const modified = 'Thu, 1 jan 2026 0:00:00 +0000';
    const sent: unknown[] = [];
    const site: Site = {
      [`${A}/`]: (_, { headers }) => {
        sent.push(headers?.['If-Modified-Since']);
        return { ...textOf('x', BODY), headers: { 'Last-Modified': modified } };
      },
    };
    await recrawled(site, 20 * HOUR, { recrawlEveryMs: HOUR });
    expect(new Set(sent)).toEqual(new Set([undefined, modified]));
  });
});

describe('a crawl with a budget', () => {
  test('keeps to it, and fetches pages the more often the more they change', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `/${i}`);
    /** A quarter of the pages changes at each fetch, the others never. */
    const site: Site = Object.fromEntries(
      names.map(
        (name, i) => [A + name, (n: number) => textOf(i % 4 === 0 ? words(n) : 'the same', name)] as const,
      ),
    );
    const world = await recrawled({ ...site, [`${A}/`]: page(...names) }, 9 * DAY, {
      recrawl: 'changes',
      recrawlPerDay: 40,
    });
    const countOf = (isWanted: (i: number) => boolean, fromDay: number) =>
      names
        .filter((_, i) => isWanted(i))
        .flatMap((name) => hoursOf(world, name).filter((at) => at >= fromDay * 24)).length;
    const changing = countOf((i) => i % 4 === 0, 4) / 10;
    const still = countOf((i) => i % 4 !== 0, 4) / 30;
    expect(changing).toBeGreaterThan(2 * still);
    const perDay = countOf(() => true, 4) / 5;
    expect(perDay).toBeGreaterThan(30);
    expect(perDay).toBeLessThan(50);
  });
});

test('an override that sets the importance of a host has its pages fetched more often', async () => {
  const B = 'http://b.test';
  const paths = Array.from({ length: 20 }, (_, i) => `/${i}`);
  const site: Site = Object.fromEntries(
    [A, B].flatMap((origin) => [
      [`${origin}/`, page(...paths)] as const,
      ...paths.map((path) => [origin + path, (n: number) => textOf(words(1000 + n))] as const),
    ]),
  );
  const world = createWorld(site, { tookMs: 10 });
  const overrides = [{ hosts: ['b.test'], importance: 100 }];
  await begin(world, [`${A}/`, `${B}/`], { recrawl: 'changes', recrawlPerDay: 100, overrides });
  await crawlFor(world, DAY);
  const fetches = (origin: string) => world.fetcher.log.filter(({ url }) => url.startsWith(origin)).length;
  expect(fetches(B)).toBeGreaterThan(2 * fetches(A));
});

describe('a hook that sets the importance of pages', () => {
  const site: Site = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`${A}/${i}`, (n: number) => textOf(words(1000 + n))] as const),
  );
  const links = Object.keys(site).map((url) => new URL(url).pathname);

  test('has them fetched more often, also after fetches that call no hook', async () => {
    const world = createWorld({ ...site, [`${A}/`]: page(...links) }, { tookMs: 10 });
    const hooks: PageHooks = {
      extract: async ({ facts }) => ({ facts }),
      onPage: async ({ url }) => ({ items: [], ...(/[01]$/.test(url) && { importance: 100 }) }),
      onError: async () => {},
    };
    await begin(world, [`${A}/`], { recrawl: 'changes', recrawlPerDay: 100 });
    await crawlFor(world, DAY, hooks);
    const fetches = (path: string) => hoursOf(world, path).length;
    const [important, others] = [
      links.filter((path) => /[01]$/.test(path)),
      links.filter((path) => !/[01]$/.test(path)),
    ];
    const mean = (paths: readonly string[]) =>
      paths.reduce((sum, path) => sum + fetches(path), 0) / paths.length;
    expect(mean(important)).toBeGreaterThan(2 * mean(others));
    expect((await recordOf(world.engine, `${A}/1`))?.recrawl?.factor).toBe(factorCode(100));
    expect((await recordOf(world.engine, `${A}/2`))?.recrawl?.factor).toBeUndefined();
  });
});
