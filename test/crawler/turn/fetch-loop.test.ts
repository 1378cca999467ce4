/** How a turn goes through the URLs of its host: in which order, how many at once, and when it ends. */
import { describe, expect, test } from 'vitest';
import type { Head } from '../../../shared/core/frontier/head.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { encodeRules } from '../../../shared/core/robots/rules-text.ts';
import { FetchLoop } from '../../../shared/crawler/turn/fetch-loop.ts';
import { T0 } from '../worker/fake-clock.ts';
import { page, robots, type Site } from '../worker/scripted-fetcher.ts';
import { driven, link, OPEN_ROBOTS, openTurn, type TurnSituation } from './turn-bench.ts';
import { ORIGIN } from './turn-fakes.ts';

const ROBOTS = `${ORIGIN}/robots.txt`;
const pages = (...paths: string[]): Site => Object.fromEntries(paths.map((path) => [ORIGIN + path, page()]));
const fast = { delayMs: 100 };

async function open(situation: TurnSituation = {}) {
  const turn = await openTurn({ head: OPEN_ROBOTS, ...situation, config: { ...fast, ...situation.config } });
  const loop = new FetchLoop(turn.services, turn.parts);
  const asked = () => turn.fetcher.log.map(({ url }) => url.slice(ORIGIN.length));
  return { ...turn, ...turn.parts, asked, run: () => driven(turn, loop.run()) };
}

describe('a turn', () => {
  test('fetches what waits, the best first, at the pace of the host, and what that brings', async () => {
    const { run, asked, fetcher, ledger } = await open({
      site: { ...pages('/deep', '/b'), [`${ORIGIN}/a`]: page('/b') },
      links: [link('/deep', { depth: 3 }), link('/a')],
    });
    await run();
    expect(asked()).toEqual(['/a', '/b', '/deep']);
    const { log } = fetcher;
    for (const [i, { startedAt }] of log.entries())
      if (i > 0) expect(startedAt - (log[i - 1]?.endedAt ?? 0)).toBe(100);
    expect(ledger.counts).toMatchObject({ fetched: 3, waiting: 0 });
  });

  test('fetches robots.txt first where it is not known', async () => {
    const { run, asked, ledger } = await open({
      head: {},
      site: { ...pages('/a'), [ROBOTS]: robots('User-agent: *\nDisallow: /no\nCrawl-delay: 2\n') },
      links: [link('/a'), link('/no')],
      config: { delayMs: 100 },
    });
    await run();
    expect(asked()).toEqual(['/robots.txt', '/a']);
    expect(ledger.counts).toMatchObject({ fetched: 1, deniedByRobots: 1, waiting: 0 });
  });

  test('ends after as many URLs as it may fetch', async () => {
    const { run, asked } = await open({
      site: pages('/1', '/2', '/3'),
      links: [1, 2, 3].map((i) => link(`/${i}`)),
      config: { turnMaxPages: 2 },
    });
    await run();
    expect(asked()).toHaveLength(2);
  });

  test('ends after as many URLs that cost no request as it may settle', async () => {
    const { run, asked, ledger } = await open({
      head: { robots: [{ origin: ORIGIN, kind: 'rules', rules: '', expiresAt: T0 + 9e6 }] },
      site: { [ROBOTS]: robots('User-agent: *\nDisallow: /no\n') },
      links: [1, 2, 3].map((i) => link(`/no/${i}`)),
      sizes: { maxWithoutRequest: 2 },
    });
    await run();
    expect(asked()).toEqual(['/robots.txt']);
    expect(ledger.counts).toMatchObject({ deniedByRobots: 2, waiting: 1 });
  });

  test('ends when its ledger, or its links to other hosts, have as many changes as it may gather', async () => {
    const site = { [`${ORIGIN}/a`]: page('/b', '/c', 'http://b.test/1', 'http://b.test/2') };
    const config = { scope: 'any' } as const;
    const run = async (maxTurnChanges: number) => {
      const turn = await open({ site, links: [link('/a')], sizes: { maxTurnChanges }, config });
      await turn.run();
      return turn.asked();
    };
    expect(await run(1)).toEqual([]);
    expect(await run(2)).toEqual(['/a']);
    expect(await run(1000)).toEqual(['/a', '/b', '/c']);
    const outside = { [`${ORIGIN}/a`]: page('http://b.test/1', 'http://b.test/2', 'http://b.test/3', '/b') };
    const turn = await open({ site: outside, links: [link('/a')], sizes: { maxTurnChanges: 3 }, config });
    await turn.run();
    expect(turn.asked()).toEqual(['/a']);
  });

  test('ends when its items are full', async () => {
    const { run, asked, output } = await open({ site: pages('/1', '/2'), links: [link('/1'), link('/2')] });
    output.addItems(['x'.repeat(16_000_000)]);
    await run();
    expect(asked()).toEqual([]);
  });

  test('ends when nothing is left that it may fetch, without waiting for its moment', async () => {
    const { run, asked, clock, pace, crawl } = await open({
      config: { maxPages: 1, requisites: true },
      links: [link('/a')],
    });
    crawl.budget.commit(1, 0, 0);
    await crawl.budget.reserve();
    crawl.budget.settle(true);
    pace.postponeTo(T0 + 5000);
    await run();
    expect(asked()).toEqual([]);
    expect(clock.now()).toBe(T0);
  });

  test('does not begin after its time', async () => {
    const { run, asked } = await open({
      site: pages('/1', '/2', '/3'),
      links: [1, 2, 3].map((i) => link(`/${i}`)),
      endMs: 160,
    });
    await run();
    expect(asked()).toHaveLength(2);
  });

  test('ends when its host is given up', async () => {
    const { run, asked, pace, events } = await open({
      site: { [`${ORIGIN}/1`]: { fails: 'timeout' }, [`${ORIGIN}/2`]: { fails: 'timeout' } },
      links: [link('/1'), link('/2')],
      config: { maxHostFailures: 1, backoffMs: 1, maxBackoffMs: 2 },
    });
    await run();
    expect(asked()).toHaveLength(1);
    expect(pace.givenUp).toMatchObject({ cause: expect.anything() });
    expect(events.filter(({ type }) => type === 'hostBackoff')).toHaveLength(1);
  });
});

describe('what is done with a URL', () => {
  test('each that was fetched is reported, each that failed has the host rest', async () => {
    const { run, events } = await open({
      site: { ...pages('/1'), [`${ORIGIN}/2`]: { fails: 'timeout' } },
      links: [link('/1'), link('/2')],
      config: { maxAttempts: 1, keepTrying: true },
    });
    await run();
    expect(events.map(({ type }) => type)).toEqual(['page', 'hostBackoff', 'page']);
  });

  test('one that is denied is reported', async () => {
    const { run, events } = await open({
      head: {},
      site: { [ROBOTS]: robots('User-agent: *\nDisallow: /\n') },
      links: [link('/no')],
    });
    await run();
    expect(events).toHaveLength(1);
  });

  test('robots.txt that cannot be fetched ends the turn, and a seed event says why', async () => {
    const { run, asked, ledger, seedEvents, events } = await open({
      head: {},
      site: { [ROBOTS]: { fails: 'timeout' } },
      links: [link('/', { isSeed: true, depth: 0 }), link('/1')],
      config: { keepTrying: true },
    });
    await run();
    expect(asked()).toEqual(['/robots.txt']);
    expect(ledger.counts.waiting).toBe(2);
    expect(seedEvents).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['hostBackoff']);
  });

  test('a URL that is due at a time that no right clock can have given is fetched', async () => {
    const { run, asked, ledger } = await open({ site: pages('/far'), links: [link('/far')] });
    const record = (await ledger.next(T0, true, false)) as UrlRecord;
    ledger.settle({ ...record, attempts: 1, dueAt: T0 + 20 * 365 * 86_400_000 });
    await run();
    expect(asked()).toEqual(['/far']);
  });

  test('a URL that is due later is not', async () => {
    const { run, asked, ledger } = await open({ site: pages('/later'), links: [link('/later')] });
    const record = (await ledger.next(T0, true, false)) as UrlRecord;
    ledger.settle({ ...record, attempts: 1, dueAt: T0 + 3_600_000 });
    await run();
    expect(asked()).toEqual([]);
  });

  test('sitemaps take turns with pages', async () => {
    const sitemap = (i: number) => link(`/${i}.xml`, { kind: 'sitemap' });
    const { run, asked } = await open({
      site: pages('/1', '/2'),
      links: [link('/1'), link('/2'), sitemap(1), sitemap(2)],
      config: { turnMaxPages: 3 },
    });
    await run();
    expect(asked()[0]).toMatch(/xml$/);
    expect(asked().slice(1)).toEqual(['/1', '/2']);
  });

  test('a failure of a service ends the turn, and is thrown', async () => {
    const { run, asked, engine } = await open({ site: pages('/1', '/2'), links: [link('/1'), link('/2')] });
    engine.archiveOf('c').append = () => Promise.reject(new Error('disk full'));
    await expect(run()).rejects.toThrow('disk full');
    expect(asked()).toHaveLength(1);
  });
});

describe('a page that is to be fetched again and is not', () => {
  const DAY = 86_400_000;
  const url = `${ORIGIN}/old`;

  /** Runs a turn in which a page is due that was fetched a month ago. Returns what is known of it then. */
  async function runAgain(situation: TurnSituation) {
    const turn = await open({
      links: [link('/old')],
      ...situation,
      config: { recrawlEveryMs: DAY, ...situation.config },
    });
    const record = (await turn.ledger.next(T0, false)) as UrlRecord;
    const result = { fetchedAt: T0 - 30 * DAY, httpStatus: 200, digest: new Uint8Array(20) };
    const recrawl = { history: 1, rate: 1, changedAt: T0, misses: 0, capturedAt: result.fetchedAt };
    turn.ledger.settle({ ...record, state: 'fetched', dueAt: T0 - DAY, result, recrawl });
    await turn.recrawl.times.load();
    await turn.run();
    const known = await turn.ledger.lookUp(url);
    expect(known).toMatchObject({ state: 'fetched', result: { fetchedAt: result.fetchedAt } });
    return { ...turn, dueIn: (known?.dueAt ?? 0) - turn.clock.now() };
  }

  test('since robots.txt denies it now is kept, and looked at again after a day', async () => {
    const { asked, dueIn } = await runAgain({
      head: {},
      site: { [ROBOTS]: robots('User-agent: *\nDisallow: /old\n') },
    });
    expect(asked()).toEqual(['/robots.txt']);
    // The turn has waited for its host's next moment since.
    expect(dueIn).toBe(DAY - fast.delayMs);
  });

  test('since robots.txt cannot be fetched is kept, and due when its host may be asked again', async () => {
    const { asked, dueIn, pace, clock } = await runAgain({
      head: {},
      site: { [ROBOTS]: { fails: 'timeout' } },
      config: { keepTrying: true },
    });
    expect(asked()).toEqual(['/robots.txt']);
    expect(dueIn).toBeGreaterThanOrEqual(1000);
    expect(dueIn).toBeGreaterThanOrEqual(pace.nextFetchAt - clock.now());
    expect(dueIn).toBeLessThan(DAY);
  });
});

describe('with several requests at once', () => {
  const perHost = (count: number, config: TurnSituation['config'] = {}) => ({
    ...config,
    perHost: count,
    delayMs: 0,
  });
  const many = [1, 2, 3, 4, 5, 6].map((i) => `/${i}`);
  const overlap = (log: readonly { startedAt: number; endedAt: number }[]) =>
    Math.max(
      ...log.map(
        ({ startedAt }) => log.filter((one) => one.startedAt <= startedAt && one.endedAt > startedAt).length,
      ),
    );

  test('as many are in flight, and each URL is asked for once', async () => {
    const { run, asked, fetcher } = await open({
      site: pages(...many),
      links: many.map((path) => link(path)),
      config: perHost(3),
    });
    await run();
    expect(asked().toSorted()).toEqual(many);
    expect(overlap(fetcher.log)).toBe(3);
  });

  test('those that find no URL wait for what the others bring', async () => {
    const site = { [`${ORIGIN}/a`]: page('/b', '/c'), ...pages('/b', '/c') };
    const { run, asked, fetcher } = await open({ site, links: [link('/a')], config: perHost(2) });
    await run();
    expect(asked().toSorted()).toEqual(['/a', '/b', '/c']);
    expect(overlap(fetcher.log)).toBe(2);
  });

  test('no more are begun than the turn may fetch', async () => {
    const { run, asked } = await open({
      site: pages(...many),
      links: many.map((path) => link(path)),
      config: perHost(2, { turnMaxPages: 4 }),
    });
    await run();
    expect(asked().length).toBeGreaterThanOrEqual(4);
    expect(asked().length).toBeLessThanOrEqual(5);
  });

  test('the last one in flight decides whether the host is given up', async () => {
    const site: Site = { [`${ORIGIN}/1`]: { fails: 'dns' }, [`${ORIGIN}/2`]: page() };
    const { run, pace } = await open({
      site,
      links: [link('/1'), link('/2')],
      config: perHost(2, { maxHostFailures: 2, backoffMs: 1, maxBackoffMs: 2 }),
    });
    await run();
    expect(pace.givenUp).toBeUndefined();
  });

  test('a failure of one is thrown when nothing is in flight any more', async () => {
    const turn = await open({
      site: pages(...many),
      links: many.map((path) => link(path)),
      config: perHost(3),
    });
    const archive = turn.engine.archiveOf('c');
    const append = archive.append.bind(archive);
    let first = true;
    archive.append = async (...args) => {
      if (first) {
        first = false;
        throw new Error('disk full');
      }
      await turn.clock.sleep(500);
      return append(...args);
    };
    await expect(turn.run()).rejects.toThrow('disk full');
    expect(turn.clock.now()).toBeGreaterThanOrEqual(T0 + 500);
    expect(turn.asked()).toHaveLength(3);
  });

  test('a quarantine turn goes one URL at a time, and announces each', async () => {
    const { run, asked, calls } = await open({
      site: pages(...many),
      links: many.map((path) => link(path)),
      config: perHost(3),
      caution: { maxUrls: 1, announced: 4 },
    });
    await run();
    expect(asked()).toEqual(['/1']);
    expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(1);
  });
});

describe("files that other hosts' robots.txt lead to", () => {
  const asked1 = `${ORIGIN}/shared/robots.txt`;
  const asked2 = `${ORIGIN}/more/robots.txt`;
  const site = { [asked1]: robots('User-agent: *\nDisallow: /x\n'), [asked2]: robots('') };

  test('are fetched before all else, each once, at the pace of the host', async () => {
    const { run, asked, knownRobots, fetcher } = await open({
      site: { ...site, ...pages('/a') },
      links: [link('/a')],
      askedRobots: [asked1, asked1, asked2],
    });
    await run();
    expect(asked()).toEqual(['/shared/robots.txt', '/more/robots.txt', '/a']);
    expect(knownRobots.of(asked1)).toMatchObject({ kind: 'rules' });
    const [first, second] = fetcher.log;
    expect((second?.startedAt ?? 0) - (first?.endedAt ?? 0)).toBe(100);
  });

  test('are not fetched while they are known', async () => {
    const robotsOf = [
      ...(OPEN_ROBOTS.robots ?? []),
      { origin: asked1, kind: 'allowAll', expiresAt: T0 + 9e6 } as const,
    ];
    const { run, asked } = await open({ head: { robots: robotsOf }, site, askedRobots: [asked1, asked2] });
    await run();
    expect(asked()).toEqual(['/more/robots.txt']);
  });

  test('are left if there is no time', async () => {
    const { run, asked, pace } = await open({ site, askedRobots: [asked1, asked2], endMs: 60 });
    await run();
    expect(asked()).toEqual(['/shared/robots.txt']);
    expect(pace.givenUp).toBeUndefined();
  });

  test('that fail count for the host, which may be given up by them', async () => {
    const { run, pace, asked } = await open({
      head: {},
      site: { [asked1]: { fails: 'timeout' } },
      askedRobots: [asked1],
      config: { maxHostFailures: 1 },
    });
    await run();
    expect(asked()).toEqual(['/shared/robots.txt']);
    expect(pace.givenUp).toBeDefined();
  });

  test('are announced in a quarantine turn, and no longer suspected once they are fetched', async () => {
    const intent = { url: asked1, tries: 1 };
    const { run, calls, quarantine } = await open({
      head: { ...OPEN_ROBOTS, intent },
      site,
      askedRobots: [asked1],
    });
    expect(quarantine.suspect).toEqual(intent);
    await run();
    expect(calls[0]).toBe('commit 2');
    expect(quarantine.suspect).toBeUndefined();
  });

  test('that killed their workers too often are not fetched again', async () => {
    const { run, asked } = await open({
      head: { ...OPEN_ROBOTS, intent: { url: asked1, tries: 3 } },
      site,
      askedRobots: [asked1],
    });
    await run();
    expect(asked()).toEqual([]);
  });
});

test('a suspected URL that was fetched, or settled without a request, is no longer suspected', async () => {
  const run = async (path: string, tries: number, head: Partial<Head> = OPEN_ROBOTS) => {
    const turn = await open({
      head: { ...head, intent: { url: ORIGIN + path, tries } },
      site: pages('/a'),
      links: [link(path)],
    });
    await turn.run();
    const { state } = (await turn.ledger.lookUp(ORIGIN + path)) as UrlRecord;
    return [state, turn.asked(), turn.quarantine.suspect];
  };
  expect(await run('/a', 1)).toEqual(['fetched', ['/a'], undefined]);
  // It has killed its workers too often.
  expect(await run('/a', 3)).toEqual(['failed', [], undefined]);
  const rules = encodeRules({ rules: [{ allow: false, pattern: '/a', line: 1 }] as never, sitemaps: [] });
  const robots = [{ origin: ORIGIN, kind: 'rules' as const, rules, expiresAt: T0 + 9e6 }];
  expect(await run('/a', 1, { robots })).toEqual(['deniedByRobots', [], undefined]);
});

test('each URL is decided about as things are then, and the host is asked for what does not exist as soon as that is due', async () => {
  const turn = await open({ site: pages('/1', '/2'), links: [link('/1'), link('/2')] });
  const { parts, services, asked } = turn;
  let decisions = 0;
  let looks = 0;
  const admission = {
    async decide(record: UrlRecord, origin: string) {
      // Other hosts of its domain have had the last pages, and then more are granted.
      if (++decisions === 1) return { outcome: 'putBack', record };
      return parts.admission.decide(record, origin);
    },
  };
  const probe = {
    isDue: true,
    async runIfDue() {
      // It is due once, after the first page.
      return ++looks > 1 && asked().length === 1 && looks < 5;
    },
  };
  await driven(turn, new FetchLoop(services, { ...parts, admission, probe } as never).run());
  // The one that waits again comes last.
  expect(asked()).toEqual(['/2', '/1']);
  expect([decisions, looks > 3]).toEqual([3, true]);
});

test('known pages that are due are all fetched again', async () => {
  const paths = ['/1', '/2', '/3'];
  const turn = await open({
    site: pages(...paths),
    links: paths.map((path) => link(path)),
    config: { recrawlEveryMs: 3_600_000 },
  });
  for (const _ of paths) {
    const record = (await turn.ledger.next(T0, false)) as UrlRecord;
    const fetchedAt = T0 - 7_200_000;
    const recrawl = { history: 1, rate: 1, changedAt: fetchedAt, misses: 0, capturedAt: fetchedAt };
    const result = { fetchedAt, httpStatus: 200, digest: new Uint8Array(20) };
    turn.ledger.settle({ ...record, state: 'fetched', dueAt: T0 - 1000, result, recrawl });
  }
  await turn.recrawl.times.load();
  await turn.run();
  expect(turn.asked().toSorted()).toEqual(paths);
});

test('known pages that are not worth their fetch are all put off', async () => {
  const paths = ['/1', '/2', '/3'];
  const turn = await open({
    links: paths.map((path) => link(path)),
    config: { recrawl: 'changes', recrawlPerDay: 1 },
  });
  for (const _ of paths) {
    const record = (await turn.ledger.next(T0, false)) as UrlRecord;
    const fetchedAt = T0 - 3_600_000;
    const recrawl = { history: 1, rate: 1, changedAt: fetchedAt, misses: 0, capturedAt: fetchedAt };
    const result = { fetchedAt, httpStatus: 200, digest: new Uint8Array(20) };
    turn.ledger.settle({ ...record, state: 'fetched', dueAt: T0 - 1000, result, recrawl });
  }
  await turn.recrawl.times.load();
  Object.assign(turn.recrawl.times, { isWorthFetch: () => false });
  await turn.run();
  expect(turn.asked()).toEqual([]);
  for (const path of paths) expect((await turn.ledger.lookUp(ORIGIN + path))?.dueAt).toBeGreaterThan(T0);
});

test('a seed whose host is given up by its failure is reported as one that is not tried again', async () => {
  const { run, seedEvents } = await open({
    site: { [`${ORIGIN}/`]: { fails: 'timeout' } },
    links: [link('/', { isSeed: true, depth: 0 })],
    config: { maxHostFailures: 1 },
  });
  await run();
  expect(seedEvents).toMatchObject([{ url: `${ORIGIN}/`, state: 'waiting', isGivenUp: true }]);
});
