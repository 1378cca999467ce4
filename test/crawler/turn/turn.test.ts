/** Tests of a turn: its beginning, its deliveries, and its state after a failure. */
import { describe, expect, test } from 'vitest';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import type { Message } from '../../../shared/core/frontier/message.ts';
import type { Crawl } from '../../../shared/crawler/crawl-state/crawls.ts';
import { StaleTurn } from '../../../shared/crawler/ports/stale-turn.ts';
import type { Delivery } from '../../../shared/crawler/ports/turn-queue.ts';
import { leastLeaseMs, runTurn } from '../../../shared/crawler/turn/turn.ts';
import { T0 } from '../worker/fake-clock.ts';
import { page, robots } from '../worker/scripted-fetcher.ts';
import { SILENT } from '../worker/world.ts';
import {
  CRAWL_ID,
  driven,
  link,
  OPEN_ROBOTS,
  type OpenTurn,
  openTurn,
  type TurnSituation,
} from './turn-bench.ts';
import { HOST, newLedger, ORIGIN, recordOf } from './turn-fakes.ts';

const DAY = 86_400_000;

type Given = Partial<Delivery> & { readonly message: Message };
const token = (text = 't'): Given => ({ message: { kind: 'token', crawl: CRAWL_ID, token: text } });
const resumed = (resume: number): Given => ({
  message: { kind: 'wake', crawl: CRAWL_ID, resume },
});
const wake = (fields: Partial<Delivery> = {}): Given => ({
  message: { kind: 'wake', crawl: CRAWL_ID },
  ...fields,
});
const links = (...paths: string[]): Given => ({
  message: { kind: 'links', crawl: CRAWL_ID, links: paths.map((path) => link(path)) },
});
const asks = (url: string, receiveCount = 1): Given => ({
  message: { kind: 'robots', crawl: CRAWL_ID, url },
  receiveCount,
});

interface Run extends TurnSituation {
  readonly deliveries: readonly Given[];
  readonly leaseMs?: number;
  /** The worker receives no hosts after that. Default: as long as the lease. */
  readonly receiveMs?: number;
  /** The worker is to end from then on. Default: never. */
  readonly drainMs?: number;
  /** Before the turn begins. */
  readonly prepare?: (turn: OpenTurn) => Promise<unknown>;
}

const SITE = Object.fromEntries(['/1', '/2', '/3', '/4'].map((path) => [ORIGIN + path, page()]));

/** The turn of a host by these deliveries, `d0`, `d1` ... */
async function run({
  deliveries,
  leaseMs = 600_000,
  receiveMs = leaseMs,
  drainMs = Infinity,
  prepare,
  ...situation
}: Run) {
  const config = { delayMs: 100, ...situation.config };
  const turn = await openTurn({ site: SITE, head: OPEN_ROBOTS, ...situation, config });
  await prepare?.(turn);
  turn.calls.length = 0;
  const { services, engine, fetcher } = turn;
  const lease = {
    endsAt: T0 + leaseMs,
    get receiveUntil() {
      return services.engine.clock.now() >= T0 + drainMs ? Number.NEGATIVE_INFINITY : T0 + receiveMs;
    },
    lockFor: async () => {},
  };
  const crawl = (await services.crawls.get(CRAWL_ID)) as Crawl;
  const given = deliveries.map((one, i): Delivery => ({ id: `d${i}`, receiveCount: 1, ...one }));
  const end = driven(turn, runTurn(services, crawl, { host: HOST, deliveries: given, lease }));
  const headOf = async () => (await engine.ledgers.loadHead(CRAWL_ID, HOST)) as Head;
  const asked = () => fetcher.log.map(({ url }) => url.slice(ORIGIN.length));
  return { ...turn, end, headOf, asked, crawl };
}

/** The turn of a host with `/1` waiting, and a head with the token `t` at version 2. */
async function again(fields: Partial<Head>, deliveries: readonly Given[], situation: Partial<Run> = {}) {
  const first = await run({ deliveries: [links('/1')], status: 'paused' });
  await first.end;
  const head = { ...(await first.headOf()), token: 't', ...fields };
  const [name] = head.ledger.segments as [string];
  const bytes = await first.engine.ledgers.readPart(CRAWL_ID, HOST, name);
  return run({
    ...situation,
    deliveries,
    async prepare(turn) {
      await turn.engine.ledgers.putPart(CRAWL_ID, HOST, name, bytes);
      await turn.engine.ledgers.commit(CRAWL_ID, HOST, head);
      await situation.prepare?.(turn);
    },
  });
}

describe('a turn is begun', () => {
  const DUE = { dueAt: T0 - 1 };
  const LATER = { dueAt: T0 + 5000 };

  test('by links that are new', async () => {
    const { end, asked, headOf } = await run({ deliveries: [links('/1', '/2')] });
    expect(await end).toMatchObject({ hasRequested: true });
    expect(asked()).toEqual(['/1', '/2']);
    expect((await headOf()).version).toBe(2);
  });

  test.each([
    ['its token', LATER, token('t'), true],
    ['an old token', LATER, token('old'), false],
    ['a wake-up', LATER, wake(), true],
    ['a wake-up that came back, while the host is due', DUE, wake({ receiveCount: 2 }), true],
    ['a wake-up that came back, while the host is due now', { dueAt: T0 }, wake({ receiveCount: 2 }), true],
    ['a wake-up that came back and was served', LATER, wake({ receiveCount: 2 }), false],
    [
      'a wake-up that came back, where nothing is due',
      { dueAt: undefined },
      wake({ receiveCount: 2 }),
      false,
    ],
    ["an operator's wake-up", LATER, resumed(1), true],
    ["an operator's wake-up that came back", LATER, { ...resumed(1), receiveCount: 2 }, true],
    [
      "an operator's wake-up that came back and was obeyed",
      { ...LATER, resumedBy: 1 },
      { ...resumed(1), receiveCount: 2 },
      false,
    ],
    ['one of a later resume', { ...LATER, resumedBy: 1 }, resumed(2), true],
    ['another copy of one', { ...LATER, resumedBy: 2 }, resumed(2), false],
    ['one of an earlier resume', { ...LATER, resumedBy: 2 }, resumed(1), false],
    ['another copy of one, while the host is due', { ...DUE, resumedBy: 2 }, resumed(2), true],
    ['links that are known', LATER, links('/1'), false],
  ] as const)('by %s or not', async (_, fields, delivery, isBegun) => {
    const { end, asked, headOf } = await again(fields, [delivery]);
    await end;
    expect(asked()).toEqual(isBegun ? ['/1'] : []);
    expect((await headOf()).version).toBe(isBegun ? 3 : 2);
  });

  test('by any of its deliveries', async () => {
    const { end, asked } = await again(LATER, [token('old'), token('t'), token('old')]);
    await end;
    expect(asked()).toEqual(['/1']);
    const woken = await again(LATER, [wake(), wake({ receiveCount: 2 })]);
    await woken.end;
    expect(woken.asked()).toEqual(['/1']);
  });

  test('by known links if URLs wait for which no turn is planned', async () => {
    const { end, asked } = await again({ token: undefined, dueAt: undefined }, [links('/1')]);
    await end;
    expect(asked()).toEqual(['/1']);
    const planned = await again({ token: undefined, ...LATER }, [links('/1')]);
    await planned.end;
    expect(planned.asked()).toEqual([]);
  });
});

describe('a turn that is not begun', () => {
  test('says how long the host rests, and keeps the ledger for the next one', async () => {
    const clock = { nextFetchAt: T0 + 7000, failures: 0 };
    const known = await again({ clock, dueAt: T0 + 9000 }, [links('/1')]);
    expect(await known.end).toEqual({ restUntil: T0 + 7000 });
    expect(known.services.ledgers.take(CRAWL_ID, HOST, 2)).toBeDefined();
    const dropped = await again({ clock, dueAt: T0 + 9000 }, [token('old')]);
    expect(await dropped.end).toEqual({ restUntil: T0 + 7000 });
  });

  test('does not wait for a host that was given up', async () => {
    const setAside = { cause: { code: 'hostFailed' } as const, at: T0 };
    const clock = { nextFetchAt: T0 + 7000, failures: 9 };
    const { end } = await again({ clock, setAside, dueAt: T0 + 9000 }, [token('old')]);
    expect(await end).toEqual({ restUntil: 0 });
  });
});

describe('an operator who wants a host tried again', () => {
  const setAside = { cause: { code: 'hostFailed' } as const, at: T0 };
  const clock = { nextFetchAt: 0, failures: 9 };

  test('gets it tried', async () => {
    const { end, asked, headOf } = await again({ setAside, clock }, [resumed(5)]);
    await end;
    expect(asked()).toEqual(['/1']);
    expect(await headOf()).toMatchObject({ resumedBy: 5, clock: { failures: 0 } });
    expect((await headOf()).setAside).toBeUndefined();
  });

  test('gets it tried by the last of several wake-ups', async () => {
    const { end, headOf } = await again({ setAside, clock }, [resumed(5), wake(), resumed(6)]);
    await end;
    expect((await headOf()).resumedBy).toBe(6);
  });

  test.each([
    [undefined, [1], 1, true],
    [1, [1], 1, false],
    [1, [2], 2, true],
    [2, [1], 2, false],
    [1, [3, 2], 3, true],
    [2, [1, 2, 1], 2, false],
  ] as const)(
    'gets it tried once for each resume: after %s by the copies of %j',
    async (resumedBy, numbers, last, isTried) => {
      // Due, so that the wake-ups give it a turn at any rate.
      const { end, asked, headOf } = await again(
        { dueAt: T0, setAside, clock, resumedBy },
        numbers.map(resumed),
      );
      await end;
      expect(asked()).toEqual(isTried ? ['/1'] : []);
      const { setAside: after, resumedBy: by } = await headOf();
      expect([after !== undefined, by]).toEqual([!isTried, last]);
    },
  );

  test('is the only one who does', async () => {
    const { end, asked, headOf } = await again({ setAside, clock }, [wake(), token('t')]);
    await end;
    expect(asked()).toEqual([]);
    expect((await headOf()).setAside).toEqual(setAside);
  });
});

describe("another host's robots.txt", () => {
  const url = `${ORIGIN}/shared/robots.txt`;
  const site = { ...SITE, [url]: robots('') };

  test('that leads here is fetched', async () => {
    const { end, asked } = await again({ dueAt: T0 + 9000 }, [asks(url)], { site });
    await end;
    expect(asked()[0]).toBe('/shared/robots.txt');
  });

  test('is not fetched by a message that has come back', async () => {
    const { end, asked } = await again({ dueAt: T0 + 9000 }, [asks(url, 2)], { site });
    await end;
    expect(asked()).toEqual([]);
  });
});

describe('a quarantine turn', () => {
  test.each([
    [3, {}, true],
    [2, {}, false],
    [1, { intent: { url: `${ORIGIN}/1`, tries: 1 } }, true],
  ] as const)(
    'is one whose delivery was received %i times, or whose head names a URL: %j',
    async (receiveCount, fields, is) => {
      const { end, calls } = await again(fields, [{ ...token('t'), receiveCount }]);
      await end;
      expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(is ? 2 : 1);
    },
  );

  test('is one if any of its deliveries was', async () => {
    const { end, calls } = await again({}, [{ ...token('t'), receiveCount: 3 }, links('/2')]);
    await end;
    expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(2);
  });

  test.each([
    ['of a suspect is put off while others of the process announce', false, true],
    ['of another host is not put off while others of the process announce', false, false],
    ['of any host is put off while a suspect of the process is tried', true, false],
  ])('%s', async (_, isAloneBefore, isSuspect) => {
    const clock = { nextFetchAt: T0 - 5, failures: 0 };
    const intent = isSuspect ? { url: `${ORIGIN}/1`, tries: 1 } : undefined;
    const { end, asked, calls } = await again({ clock, intent }, [{ ...token('t'), receiveCount: 3 }], {
      prepare: ({ services }) => services.intentLock(T0, isAloneBefore),
    });
    if (isSuspect || isAloneBefore) {
      expect(await end).toEqual({ restUntil: T0 - 5, isPostponed: true });
      expect([asked(), calls]).toEqual([[], []]);
      return;
    }
    await end;
    expect(asked()).toHaveLength(1);
  });
});

describe('how long a turn is', () => {
  const many = Array.from({ length: 60 }, (_, i) => `/${i}`);
  const site = Object.fromEntries(many.map((path) => [ORIGIN + path, page()]));
  const count = async (
    config: TurnSituation['config'],
    more: Pick<Run, 'leaseMs' | 'receiveMs' | 'drainMs' | 'prepare'> = {},
  ) => {
    const { end, asked } = await run({ deliveries: [links(...many)], site, config, ...more, tookMs: 100 });
    await end;
    return asked().length;
  };

  test('a second at least, for a crawl that has just begun', async () => {
    expect(await count({ delayMs: 100, turnMaxPages: 60 })).toBe(6);
  });

  test('long enough for two pages of a slow host', async () => {
    expect(await count({ delayMs: 10_000, turnMaxPages: 60, turnMaxWaitMs: 60_000 })).toBe(3);
  });

  test('no longer than the configuration says', async () => {
    expect(await count({ delayMs: 100, turnMaxPages: 60, turnMaxMs: 300 })).toBe(2);
  });

  test('as long as its worker receives hosts, but long enough for some pages', async () => {
    const config = { delayMs: 100, turnMaxPages: 60, turnMaxMs: 60_000 };
    const prepare = ({ clock }: OpenTurn) => clock.advance(60_000);
    expect(await count(config, { prepare })).toBe(60);
    expect(await count(config, { prepare, receiveMs: 65_000 })).toBe(26);
    expect(await count(config, { prepare, receiveMs: 60_000 })).toBe(6);
    expect(await count(config, { prepare, drainMs: 64_000 })).toBe(20);
  });

  test('no request is begun that could outlive the lease', async () => {
    const config = { delayMs: 100, turnMaxPages: 60, totalTimeoutMs: 5000 };
    expect(await count(config, { leaseMs: 15_300 })).toBe(2);
    expect(await count(config, { leaseMs: 14_999 })).toBe(0);
  });

  test('the lease lasts for an exchange, the hooks after it, and the commit', async () => {
    const { crawl } = await run({ deliveries: [], config: { totalTimeoutMs: 5000, hookTimeoutMs: 700 } });
    expect(leastLeaseMs({}, crawl)).toBe(15_000);
    expect(leastLeaseMs({ hooks: SILENT }, crawl)).toBe(17_100);
  });
});

describe('a turn that fails', () => {
  test('leaves the head as it was, gives its pages back, and lets the host rest', async () => {
    const { end, engine, headOf, services, crawl, clock } = await run({
      deliveries: [links('/1')],
      config: { maxPages: 1, delayMs: 3000 },
    });
    engine.archiveOf('c').flush = () => Promise.reject(new Error('disk full'));
    await expect(end).rejects.toThrow('disk full');
    expect((await headOf()).version).toBe(1);
    expect(crawl.budget.metLimit()).toBeUndefined();
    expect(crawl.budget.tryReserve()).toBe(true);
    expect(services.lanes.restUntil(HOST)).toBe(clock.now() + 3000);
    expect(services.stats.open.size).toBe(0);
    expect(services.ledgers.take(CRAWL_ID, HOST, 1)).toBeUndefined();
  });

  test('is stale if another worker has gone on with the host', async () => {
    const { end, engine, headOf } = await run({ deliveries: [links('/1')] });
    const head = await headOf();
    await engine.ledgers.commit(CRAWL_ID, HOST, { ...head, version: 2 });
    await expect(end).rejects.toThrow(StaleTurn);
  });

  test('after its head was stored keeps its pages', async () => {
    const { end, engine, headOf, crawl } = await run({
      deliveries: [links('/1')],
      config: { maxPages: 1 },
      hooks: { ...SILENT, onPage: async () => ({ items: ['{}'] }) },
      optional: {
        items: { stage: async () => {}, publish: () => Promise.reject(new Error('no items')) } as never,
      },
    });
    await expect(end).rejects.toThrow('no items');
    expect((await headOf()).version).toBe(2);
    expect(crawl.budget.metLimit()).toBeDefined();
    expect(engine.messages(HOST)).toEqual([]);
  });

  test('takes back what it announced if a service failed, and lets others announce', async () => {
    const { end, engine, headOf, services, clock } = await run({
      deliveries: [{ ...links('/1'), receiveCount: 4 }],
    });
    engine.archiveOf('c').flush = () => Promise.reject(new Error('disk full'));
    await expect(end).rejects.toThrow('disk full');
    expect((await headOf()).intent).toBeUndefined();
    expect(await services.intentLock(clock.now(), true)).toBeTypeOf('function');
  });
});

describe('a turn whose claims of bytes cannot be settled at its end', () => {
  /** A page of more bytes than were expected; the table takes no claim of what is owed. */
  async function runOwing(flush?: () => Promise<never>) {
    const given = await run({
      deliveries: [{ ...links('/1'), receiveCount: 4 }],
      config: { maxPages: 1, maxBytesPerSecond: 1000 },
      site: { [`${ORIGIN}/1`]: { body: 'x'.repeat(1_000_000) } },
      async prepare({ services }) {
        services.rates.settle = () => Promise.reject(new Error('no table'));
      },
    });
    if (flush) given.engine.archiveOf(CRAWL_ID).flush = flush;
    return given;
  }

  test('fails, counts its page, and holds nothing any more', async () => {
    const { end, services, crawl, headOf, clock } = await runOwing();
    await expect(end).rejects.toThrow('no table');
    expect((await headOf()).version).toBe(3);
    expect(crawl.budget.metLimit()).toMatchObject({ status: 'limited' });
    expect(services.stats.open.size).toBe(0);
    expect(await services.intentLock(clock.now(), true)).toBeTypeOf('function');
  });

  test('gives its page back if it was discarded', async () => {
    const { end, services, crawl, clock } = await runOwing(() => Promise.reject(new Error('disk full')));
    await expect(end).rejects.toThrow();
    expect(crawl.budget.tryReserve()).toBe(true);
    expect(services.stats.open.size).toBe(0);
    expect(await services.intentLock(clock.now(), true)).toBeTypeOf('function');
  });
});

describe('what a turn has used', () => {
  /** A turn of one page, at the crawl's limit, while the usage of the crawl is read at that moment. */
  async function runWithRead(moment: 'page' | 'commit') {
    const refresh = () =>
      given.crawl.budget.refresh(given.crawl.config, async () => ({ pages: 0, bytes: 0, activeMs: 0 }));
    const given = await run({
      deliveries: [links('/1')],
      config: { maxPages: 1 },
      hooks: {
        ...SILENT,
        async onPage() {
          if (moment === 'page') await refresh();
          return { items: [] };
        },
      },
      async prepare({ engine }) {
        const { ledgers } = engine;
        const commit = ledgers.commit.bind(ledgers);
        ledgers.commit = async (...head) => {
          await commit(...head);
          if (moment === 'commit') await refresh();
        };
      },
    });
    await given.end;
    return given.crawl.budget;
  }

  test('counts finally when it is committed, though the usage of the crawl was read in the turn', async () => {
    const budget = await runWithRead('page');
    expect([budget.isInDoubt(), budget.metFinally()?.status]).toEqual([false, 'limited']);
  });

  test('does not if that was read while it was committed: it may be counted there already', async () => {
    const budget = await runWithRead('commit');
    expect([budget.isInDoubt(), budget.metFinally()]).toEqual([true, undefined]);
  });
});

describe('a head that takes long to read', () => {
  /** The turn of `again`, whose process stands still for so long while the head is read. */
  const afterMs = (ms: number, fields: Partial<Head>, delivery: Given) =>
    again(fields, [delivery], {
      leaseMs: 10 * DAY,
      async prepare({ engine, clock }) {
        const { ledgers } = engine;
        const loadHead = ledgers.loadHead.bind(ledgers);
        ledgers.loadHead = async (...asked) => {
          await clock.sleep(ms);
          ledgers.loadHead = loadHead;
          return loadHead(...asked);
        };
      },
    });

  test('has the host asked at its moment, as another worker has committed it meanwhile', async () => {
    const moment = T0 + 5 * DAY + 500;
    const robots = [{ origin: ORIGIN, kind: 'allowAll', expiresAt: moment + 3_600_000 }] as const;
    const { end, fetcher } = await afterMs(
      5 * DAY,
      { clock: { nextFetchAt: moment, failures: 0 }, robots },
      token('t'),
    );
    await end;
    expect(fetcher.log.map(({ url, startedAt }) => [url, startedAt])).toEqual([[`${ORIGIN}/1`, moment]]);
  });

  test('gives the host its turn, if it has become due meanwhile', async () => {
    const { end, asked } = await afterMs(2000, { dueAt: T0 + 1500 }, wake({ receiveCount: 2 }));
    await end;
    expect(asked()).toEqual(['/1']);
  });
});

test.each([
  [DAY, ['/1']],
  [DAY - 1, []],
])('a crawl that recrawls tries a host again that was given up %i ms ago', async (ms, expected) => {
  const fields = { setAside: { cause: { code: 'hostFailed' } as const, at: T0 - ms }, dueAt: T0 - 1 };
  const { end, asked, headOf } = await again(
    { ...fields, clock: { nextFetchAt: 0, failures: 9 } },
    [token()],
    {
      config: { recrawlEveryMs: 30 * DAY },
    },
  );
  await end;
  expect(asked()).toEqual(expected);
  expect((await headOf()).setAside === undefined).toBe(expected.length > 0);
});

test('a turn that ends well counts its pages and frees what it held', async () => {
  const { end, services, crawl } = await run({
    deliveries: [{ ...links('/1'), receiveCount: 4 }],
    config: { maxPages: 1 },
  });
  expect(services.stats.open.size).toBe(0);
  await end;
  expect(services.stats.open.size).toBe(0);
  expect(crawl.budget.metLimit()).toMatchObject({ status: 'limited' });
  expect(await services.intentLock(T0, true)).toBeTypeOf('function');
});

test('a crawl that is paused has no page fetched, and the host stays due', async () => {
  const { end, asked, headOf } = await again({ dueAt: T0 - 1 }, [token('t')], { status: 'paused' });
  await end;
  expect(asked()).toEqual([]);
  expect(await headOf()).toMatchObject({ version: 3, dueAt: T0 });
});

test('times that no right clock can have given do not hold a host back', async () => {
  const clock = { nextFetchAt: T0 + 20 * 365 * 86_400_000, failures: 0 };
  const { end, asked } = await again({ clock, dueAt: undefined }, [token('t')]);
  await end;
  expect(asked()).toEqual(['/1']);
});

describe('a host’s share of the budget of its domain', () => {
  const BUDGET = { config: { scope: 'any', domainBudget: 100, maxHostsPerDomain: 'off' } } as const;

  /** The reads of the domain and the requests of a turn, in their order. */
  async function steps(situation: Partial<Run> = {}) {
    const made: string[] = [];
    const { end } = await again({ robots: [] }, [token()], {
      ...BUDGET,
      ...situation,
      async prepare({ engine: { ledgers }, services }) {
        const { loadHead } = ledgers;
        ledgers.loadHead = async (crawl, host) => {
          if (host.startsWith('@')) made.push('share');
          return loadHead(crawl, host);
        };
        const { fetcherOf } = services;
        Object.assign(services, {
          fetcherOf: (...given: Parameters<typeof fetcherOf>) => ({
            ...fetcherOf(...given),
            fetch(request: { url: string }) {
              made.push(request.url.slice(ORIGIN.length));
              return fetcherOf(...given).fetch(request);
            },
          }),
        });
      },
    });
    await end;
    return made;
  }

  test('is asked for before robots.txt if a page is due', async () => {
    const made = await steps();
    expect(made.slice(0, 2)).toEqual(['share', '/robots.txt']);
  });

  test('is not asked for by a turn that can request no page', async () => {
    expect(await steps({ status: 'paused' })).toEqual([]);
  });
});

test('a turn that is discarded lets its host rest before it takes back what it had announced', async () => {
  const rests: boolean[] = [];
  const { end, services } = await run({
    deliveries: [{ ...links('/1'), receiveCount: 4 }],
    async prepare({ engine, services: given }) {
      const { ledgers } = engine;
      const { commit } = ledgers;
      // The rest after the request is over by then.
      engine.archiveOf(CRAWL_ID).append = async () => {
        await given.engine.clock.sleep(500);
        throw new Error('no archive');
      };
      ledgers.commit = async (crawl, host, head) => {
        rests.push(given.lanes.restUntil(HOST) > given.engine.clock.now());
        return commit(crawl, host, head);
      };
    },
  });
  await expect(end).rejects.toThrow('no archive');
  // The announcement, and its retraction.
  expect(rests.at(0)).toBe(false);
  expect(rests.at(-1)).toBe(true);
  expect(services.lanes.restUntil(HOST)).toBeGreaterThan(services.engine.clock.now());
});

test('what the last turn had staged is published before the ledger is read, also by a turn that is not begun', async () => {
  const published: string[] = [];
  const port = (name: string) => ({
    stage: async () => 'none',
    publish: async (_crawl: string, _host: string, version: number, staged: string) =>
      void published.push(`${name} ${version} ${staged}`),
  });
  const optional = { items: port('items'), changes: port('changes') } as never;
  const staged = { stagedItems: 'one', stagedChanges: 'two' };
  const dropped = await again({ ...staged, dueAt: T0 + 9000 }, [token('old')], { optional });
  await dropped.end;
  expect(published.splice(0)).toEqual(['items 2 one', 'changes 2 two']);
  const begun = await again({ ...staged, dueAt: T0 + 9000 }, [token('t')], {
    optional,
    async prepare({ engine: { ledgers } }) {
      const { readPart } = ledgers;
      ledgers.readPart = (...given) => {
        published.push('read');
        return readPart(...given);
      };
    },
  });
  await begun.end;
  expect(published.slice(0, 3)).toEqual(['items 2 one', 'changes 2 two', 'read']);
});

test('a copy that its original, on another host, redirects to is fetched once more in the order that it had', async () => {
  const away = 'http://b.test/page';
  const ledger = await newLedger();
  const result = { fetchedAt: T0, duplicateOf: away };
  ledger.addSettled(recordOf(`${ORIGIN}/1`, { state: 'fetched', result }));
  ledger.merge(link('/2', { level: 3 }), T0);
  const redirected = link('/1', { via: away, redirects: 1, level: 7 });
  const { end, asked } = await run({
    head: { ...OPEN_ROBOTS, totals: { ...NO_TOTALS, hints: { canonicalCopy: 1 } } },
    deliveries: [{ message: { kind: 'links', crawl: CRAWL_ID, links: [redirected] } }],
    prepare: async ({ services }) => services.ledgers.put(CRAWL_ID, HOST, 1, ledger),
  });
  await end;
  expect(asked()).toEqual(['/2', '/1']);
});
