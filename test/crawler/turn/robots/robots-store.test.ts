/** Rules of robots.txt between turns: in the head or in a part, for how long, and for whom. */
import { describe, expect, test } from 'vitest';
import { StorageFailed } from '../../../../shared/core/base/storage-failed.ts';
import type { Head, HostRobots } from '../../../../shared/core/frontier/head.ts';
import { parseRobots } from '../../../../shared/core/robots/parse-robots.ts';
import type { RobotsRules } from '../../../../shared/core/robots/robots-rules.ts';
import { encodeRules } from '../../../../shared/core/robots/rules-text.ts';
import { RobotsStore, STALE_MS } from '../../../../shared/crawler/turn/robots/robots-store.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { CRAWL_ID, driven, openTurn, type TurnSituation } from '../turn-bench.ts';
import { HOST, ORIGIN } from '../turn-fakes.ts';

const HTTPS = 'https://a.test';
const ELSEWHERE = `${ORIGIN}/other/robots.txt`;
const LATER = T0 + 100_000;
const rulesOf = (text: string): RobotsRules => parseRobots(Buffer.from(text), 'strand');
const SECRET = rulesOf('User-agent: *\nDisallow: /secret\nCrawl-delay: 4\n');
const OPEN: RobotsRules = { rules: [], sitemaps: [] };

/** A store as a turn has it. `again`: the next turn's, which knows only the head. */
async function open(situation: TurnSituation = {}) {
  const turn = await openTurn(situation);
  const { parts, services } = turn;
  const named: unknown[] = [];
  const sitemapLinks = {
    takeNamed: (key: string, sitemaps: readonly string[], now: number) =>
      void named.push([key, sitemaps, now]),
  } as never;
  const known = parts.knownRobots;
  const options = { crawl: parts.crawl, known, pace: parts.pace, sitemapLinks, version: 1 };
  const newStore = () => new RobotsStore(services, options);
  return { ...turn, store: newStore(), newStore, known, named };
}

describe('rules that were kept', () => {
  test('are known until they expire, also to the next turn', async () => {
    const { store, newStore, clock } = await open();
    await store.keep(ORIGIN, SECRET, LATER);
    for (const one of [store, newStore()]) {
      expect(await one.fresh(ORIGIN)).toEqual(SECRET);
      expect(await one.fresh(HTTPS)).toBeUndefined();
    }
    await clock.advance(LATER - T0 - 1);
    expect(await store.fresh(ORIGIN)).toEqual(SECRET);
    await clock.advance(1);
    expect(await store.fresh(ORIGIN)).toBeUndefined();
  });

  test('are in the head with the Crawl-delay', async () => {
    const { store, known, calls } = await open();
    await store.keep(ORIGIN, SECRET, LATER);
    expect(known.of(ORIGIN)).toEqual({
      origin: ORIGIN,
      kind: 'rules',
      expiresAt: LATER,
      crawlDelayMs: 4000,
      rules: encodeRules(SECRET),
    });
    expect(calls).toEqual([]);
  });

  test('that allow everything are a word, with the Crawl-delay if there is one', async () => {
    const { store, known, newStore } = await open();
    await store.keep(ORIGIN, OPEN, LATER);
    expect(known.of(ORIGIN)).toStrictEqual({ origin: ORIGIN, kind: 'allowAll', expiresAt: LATER });
    expect(await newStore().fresh(ORIGIN)).toEqual(OPEN);
    await store.keep(HTTPS, { ...OPEN, crawlDelayMs: 3000 }, LATER);
    expect(known.of(HTTPS)).toEqual({
      origin: HTTPS,
      kind: 'allowAll',
      expiresAt: LATER,
      crawlDelayMs: 3000,
    });
    expect(await newStore().fresh(HTTPS)).toEqual({ ...OPEN, crawlDelayMs: 3000 });
  });

  test('replace those of before at once', async () => {
    const { store } = await open();
    await store.keep(ORIGIN, SECRET, LATER);
    await store.fresh(ORIGIN);
    await store.keep(ORIGIN, OPEN, LATER);
    expect(await store.fresh(ORIGIN)).toEqual(OPEN);
  });

  test('of two origins are two', async () => {
    const { store, newStore } = await open();
    await store.keep(ORIGIN, SECRET, LATER);
    await store.keep(HTTPS, OPEN, LATER);
    for (const one of [store, newStore()]) {
      expect(await one.fresh(ORIGIN)).toEqual(SECRET);
      expect(await one.fresh(HTTPS)).toEqual(OPEN);
      expect(await one.fresh(ORIGIN)).toEqual(SECRET);
    }
  });

  test('are a part of their own if they are longer than the head takes', async () => {
    const { length } = encodeRules(SECRET);
    const short = await open({ sizes: { maxHeadRules: length } });
    await short.store.keep(ORIGIN, SECRET, LATER);
    expect(short.known.of(ORIGIN)).not.toHaveProperty('part');

    const long = await open({ sizes: { maxHeadRules: length - 1 } });
    await long.store.keep(ORIGIN, SECRET, LATER);
    const { part, ...kept } = long.known.of(ORIGIN) as HostRobots & { part: string };
    expect(kept).toEqual({ origin: ORIGIN, kind: 'rules', expiresAt: LATER, crawlDelayMs: 4000 });
    expect(part).toMatch(/^robots1-/);
    expect(long.calls).toEqual(['putPart robots']);
    const bytes = await long.engine.ledgers.readPart(CRAWL_ID, HOST, part);
    expect(Buffer.from(bytes).toString('utf8')).toBe(encodeRules(SECRET));
    expect(await long.newStore().fresh(ORIGIN)).toEqual(SECRET);
  });

  test('are known at once if they are in the head, or were read in this turn', async () => {
    for (const [maxHeadRules, isInHead] of [
      [100_000, true],
      [0, false],
    ] as const) {
      const { store, newStore, clock } = await open({ sizes: { maxHeadRules } });
      await store.keep(ORIGIN, SECRET, LATER);
      const next = newStore();
      const atOnce = isInHead ? SECRET : undefined;
      expect([next.freshInHead(ORIGIN), next.lastInHead(ORIGIN)]).toEqual([atOnce, atOnce]);
      expect(next.freshInHead(HTTPS)).toBeUndefined();
      expect(await next.fresh(ORIGIN)).toEqual(SECRET);
      expect([next.freshInHead(ORIGIN), next.lastInHead(ORIGIN)]).toEqual([SECRET, SECRET]);
      await clock.advance(LATER - T0);
      expect([next.freshInHead(ORIGIN), next.lastInHead(ORIGIN)]).toEqual([undefined, SECRET]);
      expect([await next.fresh(ORIGIN), await next.last(ORIGIN)]).toEqual([undefined, SECRET]);
    }
  });

  test('are read once in a turn', async () => {
    const { store, newStore, engine } = await open({ sizes: { maxHeadRules: 0 } });
    await store.keep(ORIGIN, SECRET, LATER);
    const { readPart } = engine.ledgers;
    let reads = 0;
    engine.ledgers.readPart = (...args) => {
      reads++;
      return readPart(...args);
    };
    const next = newStore();
    await next.fresh(ORIGIN);
    await next.fresh(ORIGIN);
    expect(reads).toBe(1);
    await store.fresh(ORIGIN);
    expect(reads).toBe(1);
  });

  test('that another version wrote are not known', async () => {
    const { store } = await open({
      head: {
        robots: [{ origin: ORIGIN, kind: 'rules', expiresAt: LATER, rules: 'old {' }],
      } as Partial<Head>,
    });
    expect(await store.fresh(ORIGIN)).toBeUndefined();
  });

  test('whose part cannot be stored fail the turn and are not known', async () => {
    const { store, known, engine } = await open({ sizes: { maxHeadRules: 0 } });
    engine.ledgers.putPart = () => Promise.reject(new Error('no room'));
    await expect(store.keep(ORIGIN, SECRET, LATER)).rejects.toThrow('no room');
    expect(known.of(ORIGIN)).toBeUndefined();
  });
});

describe('sitemaps that robots.txt names', () => {
  const withSitemaps = (count: number): RobotsRules => ({
    ...SECRET,
    sitemaps: Array.from({ length: count }, (_, i) => `${ORIGIN}/${i}.xml`),
  });

  test('of an origin are taken in and not kept', async () => {
    const { store, newStore, named } = await open();
    const rules = withSitemaps(2);
    await store.keep(ORIGIN, rules, LATER);
    expect(named).toEqual([[ORIGIN, rules.sitemaps, T0]]);
    expect(await newStore().fresh(ORIGIN)).toEqual(SECRET);
  });

  test('of a file that other hosts use are kept for them, a hundred of them', async () => {
    const { store, newStore, named } = await open();
    await store.keep(ELSEWHERE, withSitemaps(101), LATER, { isForOthers: true });
    expect(named).toEqual([]);
    expect(await newStore().fresh(ELSEWHERE)).toEqual(withSitemaps(100));
    await store.keep(ELSEWHERE, { rules: [], sitemaps: [`${ORIGIN}/s.xml`] }, LATER, { isForOthers: true });
    expect(await newStore().fresh(ELSEWHERE)).toEqual({ rules: [], sitemaps: [`${ORIGIN}/s.xml`] });
  });

  test('of a host of which only parts of pages are fetched are kept: a host whose robots.txt leads there may be of the crawl', async () => {
    const { store, newStore } = await open({ config: { scope: 'host' }, seeds: ['http://b.test/'] });
    await store.keep(ORIGIN, withSitemaps(2), LATER);
    expect(await newStore().fresh(ORIGIN)).toEqual(withSitemaps(2));
  });

  test('of an origin that others use, too, are for both', async () => {
    const { store, newStore, named } = await open();
    await store.keep(ORIGIN, withSitemaps(1), LATER, { isForOthers: true });
    expect(named).toHaveLength(1);
    expect(await newStore().fresh(ORIGIN)).toEqual(withSitemaps(1));
  });
});

describe("another host's rules", () => {
  const OTHER = 'b.test';
  const found = (fields: Partial<HostRobots> = {}) => ({
    host: OTHER,
    robots: {
      origin: 'http://b.test',
      kind: 'rules',
      rules: encodeRules(SECRET),
      crawlDelayMs: 4000,
      expiresAt: LATER,
      ...fields,
    } as HostRobots,
  });

  test('become those of the origin, until they expire there', async () => {
    const { store, newStore, known } = await open();
    expect(await store.adopt(ORIGIN, found())).toEqual(SECRET);
    expect(known.of(ORIGIN)).toMatchObject({ origin: ORIGIN, expiresAt: LATER, crawlDelayMs: 4000 });
    expect(await newStore().fresh(ORIGIN)).toEqual(SECRET);
  });

  test('are read from a part of that host', async () => {
    const { store, engine } = await open();
    await engine.ledgers.putPart(CRAWL_ID, OTHER, 'robots7-x', Buffer.from(encodeRules(SECRET)));
    const robots = found({ part: 'robots7-x' });
    const { rules: _, ...inPart } = robots.robots as HostRobots & { rules: string };
    expect(await store.adopt(ORIGIN, { host: OTHER, robots: inPart as HostRobots })).toEqual(SECRET);
  });

  test('give the host their Crawl-delay from now on', async () => {
    const { store, parts, clock } = await open({ config: { delayMs: 1000 } });
    await clock.advance(500);
    await store.adopt(ORIGIN, found());
    expect(parts.pace.nextFetchAt).toBe(T0 + 500 + 4000);
    const without = await open({ config: { delayMs: 1000 } });
    await without.store.adopt(ORIGIN, found({ kind: 'allowAll', crawlDelayMs: undefined } as never));
    expect(without.parts.pace.nextFetchAt).toBe(0);
  });

  test('give it where the host is asked at a pace that goes by its answers', async () => {
    const { store, parts } = await open({ config: { adaptive: true } });
    await store.adopt(ORIGIN, found());
    expect(parts.pace.nextFetchAt).toBe(T0 + 4000);
  });

  test('fail the turn where they cannot be kept', async () => {
    const { store, engine } = await open({ sizes: { maxHeadRules: 0 } });
    engine.ledgers.putPart = () => Promise.reject(new Error('no room'));
    await expect(store.adopt(ORIGIN, found())).rejects.toThrow('no room');
  });

  test('give it though they forbid nothing', async () => {
    const { store, parts } = await open();
    const robots = {
      origin: 'http://b.test',
      kind: 'allowAll',
      expiresAt: LATER,
      crawlDelayMs: 9000,
    } as const;
    expect(await store.adopt(ORIGIN, { host: OTHER, robots })).toEqual({ ...OPEN, crawlDelayMs: 9000 });
    expect(parts.pace.nextFetchAt).toBe(T0 + 9000);
  });

  test('that were replaced while they were read are not known; a storage that fails is no such case', async () => {
    const { store, known, engine } = await open();
    const gone = found({ part: 'robots7-gone', rules: undefined } as never);
    expect(await store.adopt(ORIGIN, gone)).toBeUndefined();
    expect(known.of(ORIGIN)).toBeUndefined();
    engine.ledgers.readPart = () => Promise.reject(new StorageFailed('disk full'));
    await expect(store.adopt(ORIGIN, gone)).rejects.toThrow(StorageFailed);
  });
});

describe('rules that cannot be had any more', () => {
  test('are used until then if they were known, though they have expired', async () => {
    const { store, newStore, clock } = await open();
    await store.keep(ORIGIN, SECRET, T0 + 5);
    await clock.advance(10);
    expect(await store.fresh(ORIGIN)).toBeUndefined();
    expect(await newStore().knownLonger(ORIGIN, LATER)).toEqual(SECRET);
    expect(await store.fresh(ORIGIN)).toEqual(SECRET);
    await clock.advance(LATER - T0 - 10);
    expect(await store.fresh(ORIGIN)).toBeUndefined();
    expect(STALE_MS).toBe(600_000);
  });

  test('are not known longer if they never were, or cannot be read', async () => {
    const robots = [{ origin: ORIGIN, kind: 'rules', expiresAt: T0 - 1, rules: 'old {' }];
    const { store, known } = await open({ head: { robots } as unknown as Partial<Head> });
    expect(await store.knownLonger(HTTPS, LATER)).toBeUndefined();
    expect(await store.knownLonger(ORIGIN, LATER)).toBeUndefined();
    expect(known.of(ORIGIN)?.expiresAt).toBe(T0 - 1);
  });

  test('close the origin, twice as long each time', async () => {
    const config = { backoffMs: 1000, maxBackoffMs: 3000 };
    const { store, known } = await open({ config });
    const cause = { code: 'robotsStatus', httpStatus: 503 } as const;
    expect(store.close(ORIGIN, cause)).toBe(T0 + 1000);
    expect(known.closedOrigin(ORIGIN)).toEqual({ origin: ORIGIN, until: T0 + 1000, failures: 1, cause });
    expect(store.close(ORIGIN, cause)).toBe(T0 + 2000);
    expect(store.close(ORIGIN, cause)).toBe(T0 + 3000);
    expect(known.closedOrigin(ORIGIN)).toMatchObject({ failures: 3 });
    expect(store.close(HTTPS, cause)).toBe(T0 + 1000);
  });
});

test('the gap that adopted rules ask for begins when they are kept, however long that takes', async () => {
  const turn = await open({ sizes: { maxHeadRules: 1 } });
  const { store, clock, engine, parts } = turn;
  const { putPart } = engine.ledgers;
  engine.ledgers.putPart = async (...given) => {
    await clock.sleep(30_000);
    return putPart(...given);
  };
  const robots: HostRobots = {
    origin: ELSEWHERE,
    kind: 'rules',
    rules: encodeRules(SECRET),
    crawlDelayMs: 4000,
    expiresAt: LATER,
  };
  await driven(turn, store.adopt(ORIGIN, { host: 'b.test', robots }));
  expect(parts.pace.nextFetchAt).toBe(T0 + 30_000 + 4000);
});
