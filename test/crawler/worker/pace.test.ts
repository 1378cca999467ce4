/** At what pace hosts are asked. */

import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { optionalText } from '../../../shared/core/causes/cause-text.ts';
import { page, redirect, robots, type Site } from './scripted-fetcher.ts';
import {
  begin,
  createWorld,
  gapsOf,
  leastGap,
  ledgersOf,
  recordOf,
  runToEnd,
  startProcess,
  statesOf,
  type World,
} from './world.ts';

const A = 'http://a.test';
const many = (n: number) => Array.from({ length: n }, (_, i) => `/${i}`);

async function crawl(site: Site, config = {}, seeds = [`${A}/`]): Promise<World> {
  const world = createWorld(site);
  await begin(world, seeds, config);
  expect(await runToEnd(world)).toEqual([]);
  return world;
}

describe('the gap between a response and the next request to its host', () => {
  test('is the delay within a turn, after robots.txt too', async () => {
    const { fetcher } = await crawl({ [`${A}/`]: page(...many(5)) }, { delayMs: 1000 });
    expect(gapsOf(fetcher, 'a.test')).toEqual([1000, 1000, 1000, 1000, 1000, 1000]);
  });

  test.each([50, 300, 5000, 60_000])('holds from turn to turn: %i ms', async (delayMs) => {
    const { fetcher } = await crawl({ [`${A}/`]: page(...many(5)) }, { delayMs, turnMaxPages: 1 });
    expect(gapsOf(fetcher, 'a.test').length).toBe(6);
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(delayMs);
  });

  test.each(['obey', 'ignore'] as const)(
    'is none where no connection is made, as the address is not allowed (robots: %s)',
    async (robots) => {
      const urls = many(20).map((path) => A + path);
      const blocked = { fails: 'blockedAddress' } as const;
      const site = Object.fromEntries([`${A}/robots.txt`, ...urls].map((url) => [url, blocked]));
      const { engine, fetcher } = await crawl(site, { delayMs: 60_000, robots }, urls);
      expect(new Set(Object.values(await statesOf(engine)))).toEqual(new Set(['skipped']));
      expect(Math.max(...gapsOf(fetcher, 'a.test'))).toBeLessThan(1000);
    },
  );

  test('holds though links to the host keep arriving', async () => {
    const hosts = many(8).map((name) => `http://h${name.slice(1)}.test`);
    const site: Site = Object.fromEntries(
      hosts.flatMap((host, i) => [
        [`${host}/`, page(...many(5), ...many(5).map((path) => `${A}${path}?${i}`))],
        ...many(5).map((path) => [`${host}${path}`, page(`${A}${path}/${i}`)]),
      ]),
    );
    const { fetcher, engine } = await crawl({ ...site, [`${A}/`]: page() }, { delayMs: 700 }, [
      `${A}/`,
      ...hosts.map((host) => `${host}/`),
    ]);
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(700);
    expect(Object.values(await statesOf(engine))).not.toContain('waiting');
  });

  test('holds over two crawls of one host', async () => {
    const world = createWorld({ [`${A}/`]: page(...many(5)) });
    const crawls = ['one', 'two', 'three'];
    for (const crawl of crawls) await begin(world, [`${A}/`], { delayMs: 2000, turnMaxPages: 2 }, crawl);
    expect(await runToEnd(world, crawls)).toEqual([]);
    expect(world.fetcher.log.length).toBe(3 * 7);
    expect(leastGap(world.fetcher)).toBeGreaterThanOrEqual(2000);
  });

  test('is not waited for by a crawl that is paused meanwhile', async () => {
    const world = createWorld({ [`${A}/`]: page() }, { leaseMs: 90_000 });
    const { engine, fetcher, clock } = world;
    await begin(world, [`${A}/`], { delayMs: 1000, totalTimeoutMs: 20_000 }, 'quick');
    await begin(world, [`${A}/`], { delayMs: 15_000, totalTimeoutMs: 20_000 }, 'slow');
    const process = startProcess(engine, fetcher);
    await clock.advance(5000);
    const { length } = fetcher.log;
    await engine.registry.setStatus('slow', 'paused');
    await clock.advance(60_000);
    process.stop();
    await clock.drive(process.ended);
    expect(fetcher.log.length).toBe(length);
  });

  test('is waited for, or else the request is not made and not counted', async () => {
    const world = createWorld({ [`${A}/`]: page(...many(3)) }, { leaseMs: 40_000 });
    const crawls = ['quick', 'slow'];
    await begin(world, [`${A}/`], { delayMs: 1000, totalTimeoutMs: 20_000 }, 'quick');
    await begin(world, [`${A}/`], { delayMs: 15_000, totalTimeoutMs: 20_000 }, 'slow');
    expect(await runToEnd(world, crawls)).toEqual([]);
    const heads = await Promise.all(crawls.map((crawl) => world.engine.ledgers.loadHead(crawl, 'a.test')));
    expect(heads.map((head) => head?.totals.requests)).toEqual([5, 5]);
    expect(world.fetcher.log.length).toBe(10);
  });

  test('holds when a worker stops while another crawl has links for the host', async () => {
    const world = createWorld({ [`${A}/`]: page(...many(3)) });
    const { clock, engine, fetcher } = world;
    await begin(world, [`${A}/`], { delayMs: 5000 }, 'one');
    const process = startProcess(engine, fetcher, { crawls: ['one', 'two'] });
    await clock.drive(process.ended, () => fetcher.log.length === 3);
    await begin(world, [`${A}/`], { delayMs: 5000 }, 'two');
    process.stop();
    await clock.drive(process.ended);
    await runToEnd(world, ['one', 'two']);
    expect(fetcher.log.length).toBe(3 + 3 + 5);
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(5000);
  });

  test.each([1, 2, 3])('holds though commits fail and turns are done again: commit %i', async (n) => {
    const world = createWorld({ [`${A}/`]: page(...many(3)) });
    const { ledgers } = world.engine;
    const commit = ledgers.commit.bind(ledgers);
    let commits = 0;
    ledgers.commit = async (...args) => {
      commits++;
      if (commits >= n && commits < n + 4) throw new Error('the store is not well');
      return commit(...args);
    };
    await begin(world, [`${A}/`], { delayMs: 20_000 });
    await runToEnd(world);
    expect(leastGap(world.fetcher)).toBeGreaterThanOrEqual(20_000);
    expect(Object.values(await statesOf(world.engine))).not.toContain('waiting');
  });

  test('is Crawl-delay where that is longer, from robots.txt on', async () => {
    const site = {
      [`${A}/robots.txt`]: robots('User-agent: *\nCrawl-delay: 7\n'),
      [`${A}/`]: page(...many(4)),
    };
    expect(gapsOf((await crawl(site)).fetcher, 'a.test')).toEqual([7000, 7000, 7000, 7000, 7000]);
    const cut = await crawl(site, { maxCrawlDelayMs: 3000 });
    expect(gapsOf(cut.fetcher, 'a.test')).toEqual([3000, 3000, 3000, 3000, 3000]);
  });

  test('is Crawl-delay after robots.txt was fetched again, too', async () => {
    const { fetcher } = await crawl({
      [`${A}/robots.txt`]: {
        ...robots('User-agent: *\nCrawl-delay: 50\n'),
        headers: { 'Cache-Control': 'no-cache' },
      },
      [`${A}/`]: page(...many(12)),
    });
    expect(fetcher.count(`${A}/robots.txt`)).toBeGreaterThan(1);
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(50_000);
  });

  test('is the Crawl-delay known so far, though robots.txt fails when it is fetched again', async () => {
    const { fetcher } = await crawl(
      {
        [`${A}/robots.txt`]: (before) =>
          before === 0
            ? { ...robots('User-agent: *\nCrawl-delay: 40\n'), headers: { 'Cache-Control': 'no-cache' } }
            : { status: 503 },
        [`${A}/`]: page(...many(14)),
      },
      { maxHostFailures: 50 },
    );
    expect(fetcher.count(`${A}/robots.txt`)).toBeGreaterThan(1);
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(40_000);
  });

  test('is that of the origin that is asked, where the robots.txt of the other one redirects there', async () => {
    const S = 'https://a.test';
    const { fetcher } = await crawl(
      {
        [`${S}/robots.txt`]: robots('User-agent: *\nCrawl-delay: 20\n'),
        [`${A}/robots.txt`]: redirect(`${S}/rules.txt`),
        [`${S}/rules.txt`]: (before) => (before < 2 ? { status: 503 } : robots('')),
        [`${S}/`]: page('/1', `${A}/2`, '/3'),
      },
      { scope: 'any', backoffMs: 1000, maxAttempts: 5 },
      [`${S}/`],
    );
    const { log } = fetcher;
    const asked = log.flatMap(({ url }, i) => (url === `${S}/rules.txt` && log[i + 1] ? [i] : []));
    expect(asked.length).toBeGreaterThan(0);
    const gaps = asked.map((i) => log[i + 1]!.startedAt - log[i]!.endedAt);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20_000);
  });

  test('is not waited for between the request of one origin and that of the other', async () => {
    const S = 'https://a.test';
    // Longer than a turn has time for.
    const rules = robots('User-agent: *\nCrawl-delay: 1000\n');
    const { engine } = await crawl(
      {
        [`${S}/robots.txt`]: rules,
        [`${A}/robots.txt`]: redirect(`${S}/rules.txt`),
        [`${S}/rules.txt`]: rules,
      },
      { turnMaxMs: 10_000, maxCrawlDelayMs: 1_000_000 },
      [`${S}/`, `${A}/2`],
    );
    expect(await statesOf(engine)).toEqual({ [`${S}/`]: 'gone', [`${A}/2`]: 'gone' });
  });

  test('is kept on the way of a robots.txt that redirects', async () => {
    const site = {
      [`${A}/robots.txt`]: redirect('/r1'),
      [`${A}/r1`]: redirect('http://b.test/robots.txt'),
      'http://b.test/robots.txt': redirect(`${A}/r2`),
      [`${A}/r2`]: robots('User-agent: *\nDisallow: /0\n'),
      [`${A}/`]: page(...many(2)),
    };
    const { fetcher, engine } = await crawl(site, { delayMs: 1000 });
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(1000);
    expect(await statesOf(engine)).toMatchObject({ [`${A}/0`]: 'deniedByRobots', [`${A}/1`]: 'gone' });
  });

  test('grows with the time that the host takes', async () => {
    const world = createWorld({ [`${A}/`]: page(...many(3)) }, { tookMs: 2000 });
    await begin(world, [`${A}/`], { adaptive: true, adaptiveFactor: 4 });
    await runToEnd(world);
    expect(gapsOf(world.fetcher, 'a.test')).toEqual([8000, 8000, 8000, 8000]);
  });

  test('with more requests at once than one, no more are in flight', async () => {
    const { fetcher } = await crawl({ [`${A}/`]: page(...many(20)) }, { perHost: 3, delayMs: 10 });
    const most = Math.max(
      ...fetcher.log.map(
        ({ startedAt }) =>
          fetcher.log.filter((r) => r.startedAt <= startedAt && startedAt < r.endedAt).length,
      ),
    );
    expect(most).toBe(3);
  });
});

test('a host that answers one of several requests at once is not given up for the others', async () => {
  const fails = (before: number) => (before === 0 ? ({ fails: 'dns' } as const) : page());
  const site = { [`${A}/`]: page(...many(3)), [`${A}/0`]: page(), [`${A}/1`]: fails, [`${A}/2`]: fails };
  const { engine } = await crawl(site, { perHost: 3, delayMs: 0, maxHostFailures: 4 });
  expect((await ledgersOf(engine)).get('a.test')?.head.setAside).toBeUndefined();
  expect(Object.values(await statesOf(engine))).toEqual(['fetched', 'fetched', 'fetched', 'fetched']);
});

test('a host that fails all of several requests at once is given up', async () => {
  const fails = { fails: 'dns' } as const;
  const site = { [`${A}/`]: page(...many(3)), [`${A}/0`]: fails, [`${A}/1`]: fails, [`${A}/2`]: fails };
  const { engine } = await crawl(site, { perHost: 3, delayMs: 0, maxHostFailures: 4 });
  expect(optionalText((await ledgersOf(engine)).get('a.test')?.head.setAside?.cause)).toMatch(/^dns: /);
});

describe('a robots.txt that redirects on and on', () => {
  const hops = (location: (n: number) => string): Site =>
    Object.fromEntries([
      [`${A}/robots.txt`, redirect(location(1))],
      ...[1, 2, 3, 4].map((n) => [location(n), redirect(location(n + 1))]),
    ]);

  test('outlives no lease, and counts as a failure of its host', async () => {
    const world = createWorld(
      hops((n) => `${A}/r${n}`),
      { tookMs: 9000, leaseMs: 40_000 },
    );
    const { engine, fetcher, clock } = world;
    let leaseUntil = 0;
    const { receive } = engine.queue;
    engine.queue.receive = async (...args) => {
      const all = await receive(...args);
      for (const received of all) leaseUntil = received.leaseUntil;
      return all;
    };
    const left: number[] = [];
    const fetch = fetcher.fetch.bind(fetcher);
    fetcher.fetch = async (request) => {
      left.push(leaseUntil - clock.now());
      return fetch(request);
    };
    await begin(world, [`${A}/`], { totalTimeoutMs: 10_000, delayMs: 1000, maxHostFailures: 2 });
    expect(await runToEnd(world)).toEqual([]);
    expect(Math.min(...left)).toBeGreaterThanOrEqual(20_000);
    const { head } = (await ledgersOf(engine)).get('a.test')!;
    expect(optionalText(head.setAside?.cause)).toBe('robots.txt: its redirects take longer than a turn');
  });

  test('to a busy host does not make that host’s own request begin too late for its lease', async () => {
    const B = 'http://b.test';
    const world = createWorld({ [`${A}/robots.txt`]: redirect(`${B}/slow`) }, { leaseMs: 40_000 });
    const { engine, clock, fetcher } = world;
    const left: number[] = [];
    let leaseUntil = 0;
    const { receive } = engine.queue;
    engine.queue.receive = async (...args) => {
      const all = await receive(...args);
      for (const received of all) if (received.host === 'b.test') leaseUntil = received.leaseUntil;
      return all;
    };
    const fetch = fetcher.fetch.bind(fetcher);
    fetcher.fetch = async (request) => {
      if (request.url === `${B}/`) left.push(leaseUntil - clock.now());
      if (request.url === `${B}/slow`) await clock.sleep(25_000);
      return fetch(request);
    };
    await begin(world, [`${A}/`, `${B}/`], { totalTimeoutMs: 10_000, delayMs: 100, turnMaxMs: 100_000 });
    expect(await runToEnd(world)).toEqual([]);
    expect(left).toHaveLength(1);
    expect(left[0]).toBeGreaterThanOrEqual(20_000);
    expect(await statesOf(engine)).toEqual({ [`${A}/`]: 'gone', [`${B}/`]: 'gone' });
  });

  test('is not followed any further once the crawl is paused', async () => {
    const world = createWorld(
      hops((n) => `${A}/r${n}`),
      { tookMs: 3000 },
    );
    const { engine, fetcher, clock } = world;
    await begin(world, [`${A}/`], { delayMs: 5000 });
    const process = startProcess(engine, fetcher);
    await clock.advance(4000);
    await engine.registry.setStatus('crawl', 'paused');
    await clock.advance(60_000);
    process.stop();
    await clock.drive(process.ended);
    expect(fetcher.log.length).toBe(1);
    expect((await recordOf(engine, `${A}/`))?.attempts).toBe(0);
  });
});

describe('a turn', () => {
  const B = 'http://b.test/';
  const C = 'http://c.test/';
  /** A page a second; one at the beginning and one in the middle lead to other hosts. */
  const chain: Site = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [
      `${A}/${i}`,
      page(`/${i + 1}`, ...(i === 2 ? [B] : []), ...(i === 120 ? [C] : [])),
    ]),
  );
  const askedAt = ({ fetcher }: World, url: string) =>
    fetcher.log.find((request) => request.url === url)?.startedAt ?? Number.NaN;

  test('is short while the crawl is young, so that other hosts get their links', async () => {
    const world = await crawl(chain, { delayMs: 1000, scope: 'any' }, [`${A}/0`]);
    expect(askedAt(world, B) - askedAt(world, `${A}/2`)).toBeLessThan(12_000);
  });

  test('is so short at first that a crawl that is killed after three seconds keeps half of what it fetched', async () => {
    const world = createWorld(chain);
    const { engine, clock, fetcher } = world;
    await begin(world, [`${A}/0`], { delayMs: 100 });
    // Killed: it begins nothing more, and what it has in progress is not looked at.
    startProcess(engine, fetcher);
    await clock.advance(3000);
    const states = Object.values(await statesOf(engine));
    expect(states.filter((state) => state === 'fetched').length).toBeGreaterThan(fetcher.log.length / 2);
  });

  test('grows with the crawl up to `turnMaxMs`, and so there are few', async () => {
    const world = await crawl(chain, { delayMs: 1000, scope: 'any', turnMaxMs: 40_000 }, [`${A}/0`]);
    const waitedMs = askedAt(world, C) - askedAt(world, `${A}/120`);
    expect(waitedMs).toBeGreaterThan(10_000);
    expect(waitedMs).toBeLessThan(45_000);
    // 1, 1, 2, 4, 8, 16, 32, 40 s, and so on: a commit each.
    expect((await ledgersOf(world.engine)).get('a.test')!.head.version).toBeLessThanOrEqual(12);
  });
});

describe('middleware that breaks', () => {
  test.each([
    ['at a page', `${A}/1`, { [`${A}/`]: 'fetched', [`${A}/1`]: 'failed', [`${A}/2`]: 'gone' }],
    ['at robots.txt', `${A}/robots.txt`, { [`${A}/`]: 'failed' }],
  ])('%s costs its URLs their tries, and the host nothing', async (_, url, states) => {
    const site: Site = { [`${A}/`]: page('/1', '/2'), [url]: { fails: 'middleware' } };
    const { engine } = await crawl(site, { delayMs: 100 });
    expect(await statesOf(engine)).toEqual(states);
    const { head } = (await ledgersOf(engine)).get('a.test')!;
    expect([head.setAside, head.clock.failures]).toEqual([undefined, 0]);
    expect(head.totals.errors).toEqual({ middleware: 3 });
  });
});

describe('a host in trouble', () => {
  test('is not asked anything by rules of robots.txt that expired, where the new request was broken off by ourselves', async () => {
    const { fetcher } = await crawl(
      {
        [`${A}/robots.txt`]: (before) => {
          if (before === 0)
            return { ...robots('User-agent: *\nAllow: /\n'), headers: { 'Cache-Control': 'no-cache' } };
          return before < 3 ? { fails: 'aborted' } : robots('User-agent: *\nDisallow: /\n');
        },
        [`${A}/`]: page(...many(14)),
      },
      { delayMs: 40_000 },
    );
    const paths = fetcher.log.map(({ url }) => new URL(url).pathname);
    const again = paths.indexOf('/robots.txt', 1);
    expect(again).toBeGreaterThan(1);
    expect(paths.slice(again)).toEqual(Array(3).fill('/robots.txt'));
  });

  test.each(['park', 'acknowledge'] as const)(
    'is given back although its first `%s` fails, and the error is reported',
    async (name) => {
      const world = createWorld({ [`${A}/`]: page(...many(3)) });
      const { queue } = world.engine;
      const call = queue[name].bind(queue) as (...args: unknown[]) => Promise<void>;
      let calls = 0;
      queue[name] = async (...args: unknown[]) => {
        if (calls++ === 0) throw new Error('no connection');
        return call(...args);
      };
      await begin(world, [`${A}/`], { delayMs: 120_000 });
      expect(await runToEnd(world)).toEqual(['a.test: no connection']);
      expect(Object.values(await statesOf(world.engine))).not.toContain('waiting');
      expect(leastGap(world.fetcher)).toBeGreaterThanOrEqual(120_000);
    },
  );

  test('that rests for an hour takes in links meanwhile', async () => {
    const world = createWorld({ [`${A}/`]: { status: 429, headers: { 'Retry-After': '3600' } } });
    const { engine, fetcher, clock } = world;
    await begin(world, [`${A}/`], { maxAttempts: 1 });
    const process = startProcess(engine, fetcher);
    await clock.advance(10_000);
    await engine.exchange.send({ crawl: 'crawl', links: [{ url: `${A}/1`, depth: 1 }] });
    await clock.advance(1_000_000);
    expect(await recordOf(engine, `${A}/1`)).toMatchObject({ state: 'waiting' });
    await clock.advance(3_000_000);
    process.stop();
    await clock.drive(process.ended);
    expect(await recordOf(engine, `${A}/1`)).toMatchObject({ state: 'gone' });
    expect(fetcher.log.at(-1)!.startedAt - fetcher.log.at(-2)!.endedAt).toBeGreaterThanOrEqual(3_600_000);
  });

  test('rests as long as Retry-After says, and another of its URLs is tried before the same one', async () => {
    const busy = (before: number) =>
      before === 0 ? { status: 503, headers: { 'Retry-After': '100' } } : page();
    const { fetcher, engine } = await crawl({
      [`${A}/`]: page('/1', '/2', '/3'),
      [`${A}/1`]: busy,
      [`${A}/2`]: busy,
    });
    const requests = fetcher.log.map(({ url }) => new URL(url).pathname);
    const [first, second] = requests.slice(2, 4);
    expect(first).not.toBe(second);
    const refused = requests.flatMap((path, i) =>
      i > 1 && requests.indexOf(path) === i && /[12]$/.test(path) ? [i] : [],
    );
    const gaps = gapsOf(fetcher, 'a.test');
    for (const i of refused) expect(gaps[i]).toBeGreaterThanOrEqual(100_000);
    expect(Object.values(await statesOf(engine))).not.toContain('waiting');
    expect(fetcher.count(`${A}/1`)).toBe(2);
  });

  test('waits a whole hour between turns if it asks for it, and is woken then', async () => {
    const busy = (before: number) =>
      before === 0 ? { status: 429, headers: { 'Retry-After': '7200' } } : page();
    const { fetcher, engine } = await crawl({ [`${A}/`]: busy }, { maxRetryAfterMs: 3_600_000 });
    expect(gapsOf(fetcher, 'a.test')[1]).toBeGreaterThanOrEqual(3_600_000);
    expect(await statesOf(engine)).toEqual({ [`${A}/`]: 'fetched' });
  });

  test.each([
    ['with no other messages', 0],
    ['while links keep coming', 60],
  ])('that rests for two hours, %s, does not look as if it killed its workers', async (_, parcels) => {
    const busy = (before: number) =>
      before === 0 ? { status: 429, headers: { 'Retry-After': '7200' } } : page(...many(8));
    const world = createWorld({ [`${A}/`]: busy });
    const { engine, clock, fetcher } = world;
    const receives: number[] = [];
    const versions: number[] = [];
    const { queue, ledgers } = engine;
    const watched = {
      ...engine,
      queue: {
        ...queue,
        async receive(...args: Parameters<typeof queue.receive>) {
          const groups = await queue.receive(...args);
          for (const { deliveries } of groups) receives.push(...deliveries.map((one) => one.receiveCount));
          return groups;
        },
      },
      ledgers: {
        ...ledgers,
        async commit(...args: Parameters<typeof ledgers.commit>) {
          await ledgers.commit(...args);
          versions.push(args[2].version);
        },
      },
    };
    await begin(world, [`${A}/`], { maxRetryAfterMs: 7_200_000 });
    const process = startProcess(watched, fetcher);
    for (let i = 0; i < 60; i++) {
      if (i < parcels)
        await engine.exchange.send({ crawl: 'crawl', links: [{ url: `${A}/late/${i}`, depth: 1 }] });
      await clock.advance(100_000);
    }
    expect(fetcher.log.length).toBe(2);
    expect(Math.max(...receives)).toBe(2);
    // Links are taken in each 15 minutes or so, not each time that some come.
    expect(versions.length).toBeLessThan(15);
    await clock.drive(process.ended, () => fetcher.count(`${A}/`) > 1);
    await clock.advance(500_000);
    process.stop();
    await clock.drive(process.ended);
    expect(Object.values(await statesOf(engine))).not.toContain('waiting');
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...receives)).toBe(2);
  });

  test('gets requests for one URL at most maxAttempts times', async () => {
    const site = {
      [`${A}/`]: page('/1', '/2'),
      [`${A}/1`]: { status: 503 },
      [`${A}/2`]: { fails: 'reset' as const },
    };
    const { fetcher, engine } = await crawl(site, { maxAttempts: 3, maxHostFailures: 100 });
    expect(fetcher.count(`${A}/1`)).toBe(3);
    expect(fetcher.count(`${A}/2`)).toBe(3);
    expect(await recordOf(engine, `${A}/1`)).toMatchObject({
      state: 'failed',
      attempts: 3,
      result: { cause: { code: 'httpStatus', httpStatus: 503 } },
    });
    expect(await recordOf(engine, `${A}/2`)).toMatchObject({ state: 'failed', attempts: 3 });
  });

  test('that breaks the first connection for each URL is read all the same, at its pace', async () => {
    const links = many(12);
    const once: Site[string] = (before) => (before === 0 ? { fails: 'reset' } : page());
    const site = { [`${A}/`]: page(...links), ...Object.fromEntries(links.map((path) => [A + path, once])) };
    const { fetcher, engine } = await crawl(site, { delayMs: 1000, maxHostFailures: 3 });
    expect(Object.values(await statesOf(engine))).toEqual(Array(13).fill('fetched'));
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(1000);
    for (const path of links) expect(fetcher.count(A + path)).toBe(2);
    expect(await recordOf(engine, A + links[0])).toMatchObject({ attempts: 2 });
  });

  test('that breaks each connection is given up after one request more than failures', async () => {
    const links = many(12);
    const site = Object.fromEntries(links.map((path) => [A + path, { fails: 'reset' } as const]));
    const { fetcher } = await crawl({ ...site, [`${A}/`]: page(...links) }, { maxHostFailures: 3 });
    expect(links.reduce((sum, path) => sum + fetcher.count(A + path), 0)).toBe(4);
  });

  test('gets requests for one URL at most maxAttempts times, also if it is in a run and links keep raising it', async () => {
    const site: Site = {
      [`${A}/`]: page('/x'),
      [`${A}/x`]: (before) => {
        void world.engine.exchange.send({
          crawl: 'crawl',
          links: [{ url: `${A}/x`, depth: 1, level: before + 3 }],
        });
        return { fails: 'reset', isStaleConnection: true };
      },
    };
    const { engine, ...others } = createWorld(site);
    const sizes = { ...SIZES, maxSegments: 1, maxSegmentRecords: 0, maxFreshRecords: 0 };
    const world = { ...others, engine: { ...engine, sizes } };
    await begin(world, [`${A}/`], { maxAttempts: 2, turnMaxPages: 1 });
    expect(await runToEnd(world)).toEqual([]);
    expect(world.fetcher.count(`${A}/x`)).toBe(2);
  });

  test('is set aside by a robots.txt that fails at last, though its old rules may still be used', async () => {
    const links = many(5);
    const site: Site = {
      [`${A}/robots.txt`]: (before) => (before === 0 ? robots('User-agent: *') : { fails: 'timeout' }),
      [`${A}/`]: page(...links),
      ...Object.fromEntries(links.map((path) => [`${A}${path}`, { fails: 'timeout' as const }])),
    };
    const { fetcher, engine } = await crawl(site, {
      maxHostFailures: 3,
      backoffMs: 200_000,
      robotsMaxAgeMs: 300_000,
    });
    expect(optionalText((await ledgersOf(engine)).get('a.test')?.head.setAside?.cause)).toMatch(/timeout/);
    expect(fetcher.count(`${A}/robots.txt`)).toBe(2);
    expect(fetcher.log).toHaveLength(2 + 1 + 2);
  });

  test.each([2, 3, 4])('is not set aside while %i of its pages always fail and others wait', async (bad) => {
    const pages = many(100);
    const failing = Array.from({ length: bad }, (_, i) => `/bad${i}`);
    const site: Site = {
      [`${A}/`]: page(...pages),
      ...Object.fromEntries(pages.map((path) => [A + path, page()])),
      ...Object.fromEntries(failing.map((path) => [A + path, { status: 503 }])),
    };
    // Seeds come before all other pages.
    const { engine, fetcher } = await crawl(
      site,
      {},
      ['/', ...failing].map((path) => A + path),
    );
    const states = await statesOf(engine);
    for (const path of pages) expect(states[A + path], path).toBe('fetched');
    for (const path of failing) expect(fetcher.count(A + path)).toBeLessThanOrEqual(3);
  });

  test('is set aside after maxHostFailures, with its cause, and holds up no other host', async () => {
    const links = many(10);
    const site: Site = {
      [`${A}/`]: page(...links),
      ...Object.fromEntries(links.map((path) => [`${A}${path}`, { fails: 'timeout' as const }])),
      'http://b.test/': page(...links),
    };
    const { fetcher, engine } = await crawl(site, { maxHostFailures: 5 }, [`${A}/`, 'http://b.test/']);
    const hosts = await ledgersOf(engine);
    expect(optionalText(hosts.get('a.test')?.head.setAside?.cause)).toMatch(/^timeout: /);
    expect(hosts.get('a.test')?.head.ledger.counts).toMatchObject({ fetched: 1, failed: 0, waiting: 10 });
    expect(fetcher.log.filter(({ host }) => host === 'a.test').length).toBe(2 + 5);
    expect(hosts.get('b.test')?.head.ledger.counts).toMatchObject({ fetched: 1, gone: 10, waiting: 0 });
    const endOfB = fetcher.log.filter(({ host }) => host === 'b.test').at(-1)!.endedAt;
    expect(endOfB - fetcher.log[0]!.startedAt).toBeLessThan(15_000);
  });
});
