/** A host's robots.txt within a turn: when it is asked for, what is used meanwhile, and what others are given. */
import { describe, expect, test } from 'vitest';
import { type Head, NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import { MAX_ROBOTS_REDIRECTS } from '../../../../shared/core/robots/policy.ts';
import { encodeRules } from '../../../../shared/core/robots/rules-text.ts';
import { STALE_MS } from '../../../../shared/crawler/turn/robots/robots-store.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { redirect, robots } from '../../worker/scripted-fetcher.ts';
import { CRAWL_ID, driven, openTurn, type TurnSituation } from '../turn-bench.ts';
import { ORIGIN } from '../turn-fakes.ts';

const HTTPS = 'https://a.test';
const OWN = `${ORIGIN}/robots.txt`;
const THERE = `${ORIGIN}/for-others.txt`;
const ELSEWHERE = 'http://b.test/robots.txt';
const TOOK_MS = 50;
const LATER = T0 + 86_400_000;
const SECRET = robots('User-agent: *\nDisallow: /secret\nCrawl-delay: 4\n');
const DOWN = { status: 503 };
const CAUSE = { code: 'robotsStatus', httpStatus: 503 } as const;
const OPEN = { rules: [], sitemaps: [] };
const rulesOf = (origin: string, expiresAt: number, fields = {}): Head['robots'][number] => ({
  origin,
  kind: 'allowAll',
  expiresAt,
  ...fields,
});
const movedTo = (to: string, fields = {}) => ({
  ...{ from: ORIGIN, to, since: T0, expiresAt: LATER, tries: 0 },
  ...fields,
});

async function open(situation: TurnSituation = {}) {
  const turn = await openTurn({ tookMs: TOOK_MS, ...situation });
  const { robots: keeper, knownRobots: known, pace } = turn.parts;
  return {
    ...turn,
    keeper,
    known,
    pace,
    fetch: (origin = ORIGIN) => driven(turn, keeper.fetch(origin)),
    fetchForOthers: (url: string) => driven(turn, keeper.fetchForOthers(url)),
  };
}

describe('rules that were fetched', () => {
  test('are known, kept, and their Crawl-delay is the gap after robots.txt itself', async () => {
    const { fetch, keeper, pace, disposed } = await open({ site: { [OWN]: SECRET } });
    expect(await keeper.known(ORIGIN)).toBeUndefined();
    expect(keeper.isKnown(OWN)).toBe(false);
    const access = await fetch();
    expect(access).toMatchObject({ kind: 'known', rules: { crawlDelayMs: 4000 } });
    expect(await keeper.known(ORIGIN)).toMatchObject({ crawlDelayMs: 4000 });
    expect(keeper.isKnown(OWN)).toBe(true);
    expect(keeper.crawlDelayMs(ORIGIN)).toBe(4000);
    expect(pace.nextFetchAt).toBe(T0 + TOOK_MS + 4000);
    expect(disposed).toEqual([OWN]);
  });

  test('are requested once by two that need them at once, and again later', async () => {
    const turn = await open({ site: { [OWN]: SECRET } });
    const { keeper, fetcher } = turn;
    const [one, two] = await driven(turn, Promise.all([keeper.fetch(ORIGIN), keeper.fetch(ORIGIN)]));
    expect(one).toBe(two);
    expect(fetcher.count(OWN)).toBe(1);
    await turn.fetch();
    expect(fetcher.count(OWN)).toBe(2);
  });

  test('stay known as long as Cache-Control says, from the request on', async () => {
    const headers = { ...SECRET.headers, 'Cache-Control': 'max-age=600' };
    const { fetch, known } = await open({ site: { [OWN]: { ...SECRET, headers } } });
    await fetch();
    expect(known.of(ORIGIN)?.expiresAt).toBe(T0 + 600_000);
  });

  test('do not count if the crawl ignores robots.txt', async () => {
    const { keeper, fetcher } = await open({ config: { robots: 'ignore' } });
    expect(await keeper.known(ORIGIN)).toEqual(OPEN);
    expect(fetcher.log).toEqual([]);
  });

  test('of the cache that are old expire when asked to; others do not', async () => {
    const head = { robots: [rulesOf(ORIGIN, LATER, { isArchived: true }), rulesOf(HTTPS, LATER)] };
    const { keeper } = await open({ head });
    expect([keeper.isArchived(ORIGIN), keeper.isArchived(HTTPS)]).toEqual([true, false]);
    keeper.expireArchived(ORIGIN);
    keeper.expireArchived(HTTPS);
    expect(await keeper.known(ORIGIN)).toBeUndefined();
    expect(await keeper.known(HTTPS)).toEqual(OPEN);
  });
});

describe('a robots.txt that cannot be had', () => {
  test('makes its host unreachable, and its body is disposed of', async () => {
    const { fetch, known, disposed } = await open({ site: { [OWN]: DOWN } });
    expect(await fetch()).toEqual({ kind: 'unreachable', cause: CAUSE });
    expect(known.closedOrigin(ORIGIN)).toBeUndefined();
    expect(disposed).toEqual([OWN]);
  });

  test('closes its origin alone while another one of the host is open; it is not asked before its time', async () => {
    const head = { robots: [rulesOf(HTTPS, LATER)] };
    const { fetch, fetcher, clock } = await open({ site: { [OWN]: DOWN }, head, lastRequestMs: STALE_MS });
    const access = await fetch();
    expect(access).toMatchObject({ kind: 'closed', cause: CAUSE });
    const until = (access as { until: number }).until;
    expect(await fetch()).toEqual(access);
    await clock.advance(until - 1 - clock.now());
    expect(await fetch()).toEqual(access);
    expect(fetcher.count(OWN)).toBe(1);
    await clock.advance(1);
    await fetch();
    expect(fetcher.count(OWN)).toBe(2);
  });

  test.each([
    ['middleware', 'closed'],
    ['aborted', 'unreachable'],
  ] as const)('by our own doing: %s makes it %s', async (fails, kind) => {
    const { fetch } = await open({ site: { [OWN]: { fails } } });
    expect(await fetch()).toMatchObject({ kind });
  });

  test('an aborted request closes no origin, though another one is open', async () => {
    const head = { robots: [rulesOf(HTTPS, LATER)] };
    const { fetch } = await open({ site: { [OWN]: { fails: 'aborted' } }, head });
    expect(await fetch()).toMatchObject({ kind: 'unreachable' });
  });

  test('is replaced by the rules of before, unless the request was aborted or they are old ones of the cache', async () => {
    const old = (fields = {}) => ({ robots: [rulesOf(ORIGIN, T0 - 1, fields)] });
    const kept = await open({ site: { [OWN]: DOWN }, head: old() });
    expect(await kept.fetch()).toEqual({ kind: 'known', rules: OPEN });
    const aborted = await open({ site: { [OWN]: { fails: 'aborted' } }, head: old() });
    expect(await aborted.fetch()).toMatchObject({ kind: 'unreachable' });
    const archived = await open({ site: { [OWN]: DOWN }, head: old({ isArchived: true }) });
    expect(await archived.fetch()).toMatchObject({ kind: 'unreachable' });
  });

  test('is blocked where the address is', async () => {
    const { fetch, known } = await open({ site: { [OWN]: { fails: 'blockedAddress' } } });
    expect(await fetch()).toMatchObject({ kind: 'blocked' });
    expect(known.robots).toEqual([]);
  });
});

describe('a redirect to another host', () => {
  test('is remembered: that host is sent a message, and this one is not asked again', async () => {
    const { fetch, fetcher, calls, keeper } = await open({ site: { [OWN]: redirect(ELSEWHERE) } });
    expect(await fetch()).toEqual({ kind: 'awaited' });
    expect(await fetch()).toEqual({ kind: 'awaited' });
    expect(fetcher.count(OWN)).toBe(1);
    expect(calls.filter((call) => call.startsWith('send'))).toEqual(['send robots to b.test']);
    expect(keeper.isKnown(OWN)).toBe(true);
  });

  test('is used until its time', async () => {
    const head = { movedRobots: [movedTo(ELSEWHERE, { expiresAt: T0 })] };
    const { fetch, fetcher } = await open({ head, site: { [OWN]: SECRET } });
    expect(await fetch()).toMatchObject({ kind: 'known', rules: { crawlDelayMs: 4000 } });
    expect(fetcher.count(OWN)).toBe(1);
  });

  test('to one that is not to be asked at this hour lets this one rest again at each look, and sends it nothing', async () => {
    const overrides = [{ hosts: ['b.test'], hours: '12:00-13:00' }];
    const { fetch, pace, clock, calls, engine } = await open({
      config: { overrides },
      site: { [OWN]: redirect(ELSEWHERE) },
    });
    for (let look = 0; look < 3; look++) {
      expect(await fetch()).toEqual({ kind: 'awaited' });
      expect(pace.nextFetchAt - clock.now()).toBe(900_000);
      await clock.advance(900_000);
    }
    expect(calls.filter((call) => call.startsWith('send'))).toEqual([]);
    const robots = [rulesOf('http://b.test', clock.now() + 5000, { crawlDelayMs: 3000 })];
    await engine.ledgers.commit(CRAWL_ID, 'b.test', { ...NEW_HEAD, robots, version: 1 });
    expect(await fetch()).toMatchObject({ kind: 'known', rules: { crawlDelayMs: 3000 } });
  });

  test('whose rules could not be read at one look is followed at the next', async () => {
    const { fetch, engine } = await open({ site: { [OWN]: redirect(ELSEWHERE) } });
    const { ledgers } = engine;
    const robots = [{ ...rulesOf('http://b.test', LATER), kind: 'rules' as const, part: 'robots1-b' }];
    await ledgers.commit(CRAWL_ID, 'b.test', { ...NEW_HEAD, robots, version: 1 });
    expect(await fetch()).toEqual({ kind: 'awaited' });
    const rules = { rules: [{ allow: false, pattern: '/b', line: 2 }], sitemaps: [] };
    await ledgers.putPart(CRAWL_ID, 'b.test', 'robots1-b', Buffer.from(encodeRules(rules)));
    expect(await fetch()).toMatchObject({ kind: 'known', rules: { rules: [{ pattern: '/b' }] } });
  });

  test('that is looked at for too long leaves the rules that are known by then', async () => {
    const late = { tries: 6, asked: ELSEWHERE };
    const { fetch, known } = await open({ head: { movedRobots: [movedTo(ELSEWHERE, late)] } });
    expect(await fetch()).toMatchObject({ kind: 'unreachable' });
    known.set(rulesOf(ORIGIN, T0 - 1), T0);
    known.setRedirect(movedTo(ELSEWHERE, late));
    expect(await fetch()).toEqual({ kind: 'known', rules: OPEN });
  });

  test('that is one of too many means that there are no rules, until it expires', async () => {
    const chain = Array.from({ length: MAX_ROBOTS_REDIRECTS }, (_, i) =>
      movedTo(`${ORIGIN}/${i + 1}`, { from: `${ORIGIN}/${i}` }),
    );
    const head = { movedRobots: [movedTo(`${ORIGIN}/0`, { expiresAt: LATER - 5000 }), ...chain] };
    const { fetch, fetcher, known } = await open({ head });
    expect(await fetch()).toEqual({ kind: 'known', rules: OPEN });
    expect(known.of(ORIGIN)).toMatchObject({ kind: 'allowAll', expiresAt: LATER - 5000 });
    expect(fetcher.log).toEqual([]);
  });

  test('that is looked at for too long leaves the rules of before, at most STALE_MS; then it is forgotten', async () => {
    const late = { tries: 6, asked: ELSEWHERE };
    const before = { robots: [rulesOf(ORIGIN, T0 - 1)] };
    const fine = await open({ head: { ...before, movedRobots: [movedTo(ELSEWHERE, late)] } });
    expect(await fine.fetch()).toEqual({ kind: 'known', rules: OPEN });
    const since = T0 - STALE_MS;
    const stale = await open({ head: { ...before, movedRobots: [movedTo(ELSEWHERE, { ...late, since })] } });
    expect(await stale.fetch()).toMatchObject({ kind: 'unreachable', cause: { code: 'robotsMoved' } });
    expect(stale.known.movedRobots).toEqual([]);
  });

  test('that is looked at for so long that the rules of before are too old by then leaves none', async () => {
    const moved = movedTo(ELSEWHERE, { tries: 6, asked: ELSEWHERE, since: T0 - STALE_MS + 1000 });
    const head = { robots: [rulesOf(ORIGIN, T0 - 1)], movedRobots: [moved] };
    const { fetch, clock, engine, known } = await open({ head });
    const { queue } = engine;
    const send = queue.send.bind(queue);
    Object.assign(queue, {
      send: async (messages: Parameters<typeof send>[0]) => {
        clock.set(1000);
        await send(messages);
      },
    });
    expect(await fetch()).toMatchObject({ kind: 'unreachable' });
    expect(known.movedRobots).toEqual([]);
  });
});

describe('for another host whose robots.txt leads here', () => {
  test('the rules are kept by their URL, and are not this host’s pace', async () => {
    const { fetchForOthers, known, pace, disposed } = await open({ site: { [THERE]: SECRET } });
    await fetchForOthers(THERE);
    expect(known.of(THERE)).toMatchObject({ kind: 'rules', crawlDelayMs: 4000 });
    expect(known.of(ORIGIN)).toBeUndefined();
    expect(pace.nextFetchAt).toBe(T0 + TOOK_MS + 1000);
    expect(disposed).toEqual([THERE]);
  });

  test('this host’s own robots.txt is this host’s pace too', async () => {
    const { fetchForOthers, known, pace } = await open({ site: { [OWN]: SECRET } });
    await fetchForOthers(OWN);
    expect(known.of(ORIGIN)).toMatchObject({ kind: 'rules', crawlDelayMs: 4000 });
    expect(pace.nextFetchAt).toBe(T0 + TOOK_MS + 4000);
  });

  test('the rules are those of the last fetch', async () => {
    const site = { [THERE]: (before: number) => robots(`User-agent: *\nDisallow: /${before}\n`) };
    const { fetchForOthers, known } = await open({ site });
    for (const path of ['/0', '/1']) {
      await fetchForOthers(THERE);
      expect(known.of(THERE)?.rules).toContain(path);
    }
  });

  test('nothing is kept of a failure, nor of a blocked address', async () => {
    for (const answer of [DOWN, { fails: 'blockedAddress' }] as const) {
      const { fetchForOthers, known, disposed } = await open({ site: { [THERE]: answer } });
      await fetchForOthers(THERE);
      expect([known.robots, known.closedOrigins, known.movedRobots]).toEqual([[], [], []]);
      expect(disposed).toEqual('status' in answer ? [THERE] : []);
    }
  });

  test('a further redirect is noted with its time', async () => {
    const { fetchForOthers, known, calls } = await open({ site: { [THERE]: redirect(ELSEWHERE) } });
    await fetchForOthers(THERE);
    expect(known.movedRobots).toMatchObject([{ from: THERE, to: ELSEWHERE, since: T0, tries: 0 }]);
    expect(calls.some((call) => call.startsWith('send'))).toBe(false);
  });
});

test('rules that the other host has are adopted', async () => {
  const { fetch, fetcher, engine, known, calls } = await open({ site: { [OWN]: redirect(ELSEWHERE) } });
  const other = [rulesOf('http://b.test', LATER - 7000, { crawlDelayMs: 3000 })];
  await engine.ledgers.commit(CRAWL_ID, 'b.test', { ...NEW_HEAD, robots: other, version: 1 });
  expect(await fetch()).toMatchObject({ kind: 'known', rules: { crawlDelayMs: 3000 } });
  expect(known.of(ORIGIN)).toMatchObject({ kind: 'allowAll', crawlDelayMs: 3000 });
  expect(fetcher.log.length).toBe(1);
  expect(calls.filter((call) => call.startsWith('send'))).toEqual([]);
});

describe('an answer of the crawl’s cache', () => {
  const openWithCache = async (startedAt: number) => {
    const turn = await open({ site: { [OWN]: SECRET } });
    const { services, parts } = turn;
    const { fetch } = services.fetcherOf(parts.crawl.everywhere);
    const cache = { kind: 'hit', recordId: 'r' } as const;
    const fetcherOf = () => ({
      fetch: async (request: Parameters<typeof fetch>[0]) => ({
        ...(await fetch(request)),
        startedAt,
        cache,
      }),
      close: async () => {},
    });
    Object.assign(services, { fetcherOf });
    return turn;
  };

  test('that is old counts from now on, as old rules; the host’s pace stays', async () => {
    const day = 86_400_000;
    const { fetch, keeper, known, pace } = await openWithCache(T0 - 2 * day);
    expect(await fetch()).toMatchObject({ kind: 'known', rules: { crawlDelayMs: 4000 } });
    expect(keeper.isArchived(ORIGIN)).toBe(true);
    expect(known.of(ORIGIN)?.expiresAt).toBe(T0 + TOOK_MS + day);
    expect(pace.nextFetchAt).toBeLessThanOrEqual(T0);
  });

  test('that is fresh counts from its request on, and is not old', async () => {
    const { fetch, keeper, known } = await openWithCache(T0 - 60_000);
    await fetch();
    expect(keeper.isArchived(ORIGIN)).toBe(false);
    expect(known.of(ORIGIN)?.expiresAt).toBe(T0 - 60_000 + 86_400_000);
  });
});
