/** Tests of a turn's commit: the data it stores, the order, and the data that is left if a step fails. */
import { describe, expect, test } from 'vitest';
import { BY_OPERATOR } from '../../../shared/core/causes/status-reason.ts';
import type { Head, HostRobots } from '../../../shared/core/frontier/head.ts';
import { StaleTurn } from '../../../shared/crawler/ports/stale-turn.ts';
import { TurnCommit } from '../../../shared/crawler/turn/commit.ts';
import { captureOf } from '../../core/archive/captures.ts';
import { T0 } from '../worker/fake-clock.ts';
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
import { HOST, ORIGIN, recordOf } from './turn-fakes.ts';

const RULES = OPEN_ROBOTS.robots as readonly HostRobots[];

/** A turn with something for each step of its commit. */
async function fullTurn(situation: TurnSituation = {}) {
  const turn = await openTurn({
    hooks: SILENT,
    optional: {
      items: {
        async stage(crawl: string, host: string, version: number, lines: readonly string[]) {
          turn.calls.push(`stage ${crawl} ${host} ${version} ${lines.join()}`);
        },
        async publish(crawl: string, host: string, version: number) {
          turn.calls.push(`publish ${crawl} ${host} ${version}`);
        },
      } as never,
    },
    head: { ...OPEN_ROBOTS },
    links: [link('/a')],
    ...situation,
  });
  const { output, intake } = turn.parts;
  await output.archive(recordOf(`${ORIGIN}/x`), captureOf({ url: `${ORIGIN}/x` }), undefined);
  intake.take(link('', { url: 'http://b.test/' }), T0);
  intake.take(link('', { url: 'http://c.test/' }), T0);
  output.addItems(['{"n":1}']);
  turn.calls.length = 0;
  return { turn };
}

const headOf = async ({ engine }: OpenTurn) => (await engine.ledgers.loadHead(CRAWL_ID, HOST)) as Head;
const run = (turn: OpenTurn) => {
  const commit = new TurnCommit(turn.services, turn.parts);
  return { commit, done: driven(turn, commit.run()) };
};

test('everything becomes durable in the order that loses nothing, each step after the one before', async () => {
  const { turn } = await fullTurn({ config: { scope: 'any' } });
  const { commit, done } = run(turn);
  expect(commit.isDone).toBe(false);
  await done;
  expect(turn.calls).toEqual([
    'flush',
    'sendLinks http://b.test/,http://c.test/',
    'putPart s',
    `stage ${CRAWL_ID} ${HOST} 2 {"n":1}`,
    `send token to ${HOST}`,
    'commit 2',
    `publish ${CRAWL_ID} ${HOST} 2`,
  ]);
  expect(commit.isDone).toBe(true);
});

test.each([
  ['flush', 1],
  ['sendLinks', 2],
  ['putPart', 3],
  ['stage', 4],
  ['send token', 5],
  ['commit', 6],
])('a failure of %s ends the commit there, and the head is as it was', async (step, made) => {
  const { turn } = await fullTurn({ config: { scope: 'any' } });
  const push = turn.calls.push.bind(turn.calls);
  turn.calls.push = (...calls) => {
    const length = push(...calls);
    if (calls.some((call) => call.startsWith(step))) throw new Error(`no ${step}`);
    return length;
  };
  const { commit, done } = run(turn);
  await expect(done).rejects.toThrow(`no ${step}`);
  expect(turn.calls).toHaveLength(made);
  expect(commit.isDone).toBe(false);
  expect((await headOf(turn)).version).toBe(1);
});

test('what fails after the head is stored leaves the turn done', async () => {
  const { turn } = await fullTurn();
  turn.engine.items!.publish = () => Promise.reject(new Error('no publish'));
  const { commit, done } = run(turn);
  await expect(done).rejects.toThrow('no publish');
  expect(commit.isDone).toBe(true);
  expect((await headOf(turn)).version).toBe(2);
});

test('a turn whose host went to another worker is stale, and stores no head', async () => {
  const { turn } = await fullTurn();
  await turn.engine.ledgers.commit(CRAWL_ID, HOST, { ...(await headOf(turn)), version: 2, dueAt: 5 });
  const { commit, done } = run(turn);
  await expect(done).rejects.toThrow(StaleTurn);
  expect(commit.isDone).toBe(false);
  expect(await headOf(turn)).toMatchObject({ version: 2, dueAt: 5 });
  expect(turn.calls.filter((call) => call.startsWith('publish'))).toEqual([]);
});

test('the head names the token that was sent, and the part that was stored', async () => {
  const { turn } = await fullTurn();
  await run(turn).done;
  const { token, ledger } = await headOf(turn);
  expect(turn.engine.messages(HOST)).toEqual([{ kind: 'token', crawl: CRAWL_ID, token }]);
  expect(token).toMatch(/^2-/);
  expect(ledger.segments).toEqual([`s${token}`]);
  expect(await turn.engine.ledgers.listParts(CRAWL_ID, HOST)).toEqual([`s${token}`]);
});

test('without hooks no items are staged; with hooks those of an attempt that was thrown away are removed', async () => {
  const without = await fullTurn({ hooks: undefined });
  await run(without.turn).done;
  expect(without.turn.calls.filter((call) => call.startsWith('stage'))).toEqual([]);

  const staged: unknown[] = [];
  const items = {
    stage: async (...args: unknown[]) => void staged.push(args),
    publish: async () => staged.push('published'),
  };
  const turn = await openTurn({ hooks: SILENT, optional: { items: items as never }, links: [link('/a')] });
  await run(turn).done;
  expect(staged).toEqual([[CRAWL_ID, HOST, 1, []]]);
});

test('a host with nothing left gets no token, and its head has nothing that is empty', async () => {
  const turn = await openTurn();
  const restUntil = await run(turn).done;
  expect(restUntil).toBe(0);
  expect(turn.calls).toEqual(['commit 1']);
  const { ledger, ...head } = await headOf(turn);
  expect(head).toEqual({
    version: 1,
    clock: { nextFetchAt: 0, failures: 0 },
    robots: [],
    totals: expect.objectContaining({ pages: 0, requests: 0 }),
  });
  expect(ledger.segments).toEqual([]);
});

test('the head holds all that the turn has learnt', async () => {
  const closed = {
    origin: 'https://a.test',
    until: T0 + 5,
    failures: 1,
    cause: { code: 'hostFailed' } as const,
  };
  const moved = {
    from: 'https://a.test',
    to: 'http://b.test/robots.txt',
    since: T0,
    expiresAt: T0 + 9,
    tries: 1,
  };
  const intent = { url: `${ORIGIN}/bad`, tries: 2 };
  const quarantine = [{ url: `${ORIGIN}/slow`, cause: { code: 'hostFailed' } as const }];
  const turn = await openTurn({
    head: {
      ...OPEN_ROBOTS,
      closedOrigins: [closed],
      movedRobots: [moved],
      intent,
      quarantine,
      sitemaps: { known: 2, rest: 3 },
    },
    links: [link('/a')],
    caution: { maxUrls: 2, announced: 3 },
  });
  const { pace, counters, caution } = turn.parts;
  caution.countUrl();
  counters.countPage();
  pace.resume(7);
  pace.postponeTo(T0 + 3000);
  pace.giveUp({ code: 'hostFailed' });
  await run(turn).done;
  const { ledger, ...head } = await headOf(turn);
  expect(head).toEqual({
    version: 2,
    clock: { nextFetchAt: T0 + 3000, failures: 0 },
    robots: RULES,
    closedOrigins: [closed],
    movedRobots: [moved],
    intent,
    caution: { maxUrls: 4, announced: 2 },
    quarantine,
    sitemaps: { known: 2, rest: 3 },
    resumedBy: 7,
    setAside: { cause: { code: 'hostFailed' }, at: T0 },
    totals: expect.objectContaining({ pages: 1 }),
  });
  expect(ledger.counts.waiting).toBe(1);
});

test('the ledger is kept for the next turn, under the version that was stored', async () => {
  const turn = await openTurn({ head: OPEN_ROBOTS, links: [link('/a')] });
  await run(turn).done;
  expect(turn.services.ledgers.take(CRAWL_ID, HOST, 2)).toBe(turn.parts.ledger);
});

test('the commit says until when the host rests', async () => {
  const turn = await openTurn({ head: OPEN_ROBOTS, links: [link('/a')] });
  turn.parts.pace.postponeTo(T0 + 4000);
  expect(await run(turn).done).toBe(T0 + 4000);
  expect((await headOf(turn)).dueAt).toBe(T0 + 4000 + 900_000);
});

test('requisites that wait are counted before the head is stored', async () => {
  const turn = await openTurn({
    config: { requisites: true },
    head: OPEN_ROBOTS,
    links: [link('/a.css', { kind: 'requisite' })],
  });
  await run(turn).done;
  expect((await headOf(turn)).totals.requisites).toEqual({ waiting: 1, sent: 0, awaited: 1 });
});

test('parts that neither this head nor the last one names are deleted; those of this version or later stay', async () => {
  const first = await openTurn({ links: [link('/a')], sizes: { maxSegments: 1 } });
  const store = first.engine.ledgers;
  await run(first).done;
  const [named] = (await headOf(first)).ledger.segments as [string];
  // A second and a third turn of the same host, over the same store.
  const other = ['s0-left', 'r1-left.keys', 's1-left', 's2-underway', 's3-later', 'odd'];
  for (const name of other) await store.putPart(CRAWL_ID, HOST, name, Buffer.from('x'));
  const before = await headOf(first);
  const robots = [{ ...(RULES[0] as HostRobots), part: 'robots0-r' }];
  await store.putPart(CRAWL_ID, HOST, 'robots0-r', Buffer.from(''));
  const results = first.parts;
  await results.head.replace({ ...before, robots });
  // As a turn at version 2 that makes other parts obsolete.
  results.ledger.merge(link('/b'), T0);
  first.calls.length = 0;
  await run(first).done;
  const after = await headOf(first);
  const calls = first.calls.slice(-3);
  expect(after.version).toBe(3);
  expect(after.ledger.segments).not.toContain(named);
  const left = await store.listParts(CRAWL_ID, HOST);
  expect(left.toSorted()).toEqual(
    [named, ...after.ledger.segments, 's3-later', 'odd', 'robots0-r'].toSorted(),
  );
  expect(calls).toEqual(['commit 3', 'listParts', 'deleteParts s0-left,r1-left.keys,s1-left,s2-underway']);
});

test('each commit deletes the parts that are obsolete by then', async () => {
  const turn = await openTurn({ links: [link('/0')], sizes: { maxSegments: 1 } });
  const segments: string[] = [];
  for (let i = 1; i <= 6; i++) {
    await run(turn).done;
    segments.push(...(await headOf(turn)).ledger.segments);
    turn.parts.ledger.merge(link(`/${i}`), T0);
  }
  // Those that the last head names, and the head before it.
  expect(await turn.engine.ledgers.listParts(CRAWL_ID, HOST)).toEqual(segments.slice(-2));
});

test('long rules that the new head names stay, though they are named by the version before', async () => {
  const turn = await openTurn({
    head: OPEN_ROBOTS,
    links: [link('/a'), link('/b')],
    sizes: { maxSegments: 1, maxHeadRules: 0 },
  });
  await run(turn).done;
  const { parts, engine } = turn;
  const robots: HostRobots = { origin: ORIGIN, kind: 'rules', expiresAt: T0 + 99_999, part: 'robots2-long' };
  await engine.ledgers.putPart(CRAWL_ID, HOST, 'robots2-long', Buffer.from('x'));
  await engine.ledgers.putPart(CRAWL_ID, HOST, 'robots2-older', Buffer.from('x'));
  parts.knownRobots.set(robots, T0);
  parts.ledger.merge(link('/c'), T0);
  await run(turn).done;
  const left = await engine.ledgers.listParts(CRAWL_ID, HOST);
  expect(left).toContain('robots2-long');
  expect(left).not.toContain('robots2-older');
});

test('parts that cannot be deleted fail the run, though the turn is done', async () => {
  const turn = await openTurn({ head: OPEN_ROBOTS, links: [link('/a')], sizes: { maxSegments: 1 } });
  await run(turn).done;
  turn.parts.ledger.merge(link('/b'), T0);
  turn.engine.ledgers.deleteParts = async () => {
    await turn.clock.sleep(10);
    throw new Error('no delete');
  };
  const { commit, done } = run(turn);
  await expect(done).rejects.toThrow('no delete');
  expect(commit.isDone).toBe(true);
});

test('links leave in parcels of the size that the engine takes, one after the other', async () => {
  const { turn } = await fullTurn({ config: { scope: 'any' }, sizes: { maxParcelLinks: 1 } });
  const { exchange, clock } = turn.engine;
  const sent: string[] = [];
  exchange.send = async ({ crawl, links }) => {
    sent.push(`${crawl} ${links.map(({ url }) => url).join()}`);
    await clock.sleep(10);
    sent.push('sent');
  };
  await run(turn).done;
  expect(sent).toEqual([`${CRAWL_ID} http://b.test/`, 'sent', `${CRAWL_ID} http://c.test/`, 'sent']);
});

test('parts are stored one after the other', async () => {
  const turn = await openTurn({
    head: OPEN_ROBOTS,
    links: Array.from({ length: 6 }, (_, i) => link(`/${i}`)),
    sizes: { maxSegments: 1, maxSegmentRecords: 2, maxFreshRecords: 3 },
  });
  const { ledgers, clock } = turn.engine;
  const { putPart } = ledgers;
  const stored: string[] = [];
  ledgers.putPart = async (...args) => {
    stored.push('begin');
    await clock.sleep(10);
    await putPart(...args);
    stored.push('end');
  };
  await run(turn).done;
  expect(stored).toEqual(Array(4).fill(['begin', 'end']).flat());
});

test('a paused crawl sends its host no token, but the host stays due', async () => {
  const turn = await openTurn({ head: OPEN_ROBOTS, links: [link('/a')], status: 'paused' });
  turn.parts.pace.postponeTo(T0 + 4000);
  expect(await run(turn).done).toBe(T0 + 4000);
  expect(turn.engine.messages(HOST)).toEqual([]);
  const head = await headOf(turn);
  expect(head.token).toBeUndefined();
  expect(head.dueAt).toBe(T0 + 4000);
});

test('what the trap watch has seen is in the head', async () => {
  const turn = await openTurn({ head: OPEN_ROBOTS, links: [link('/a')], sizes: { minTrapPages: 1 } });
  for (const i of [1, 2, 3, 4])
    turn.parts.traps.count(`${ORIGIN}/x/${i}?a=${i}&b=1`, { newLinks: [], textHash: 7, isCopy: false });
  await run(turn).done;
  const state = turn.parts.traps.state();
  expect(Object.keys(state)).not.toEqual([]);
  expect(await headOf(turn)).toMatchObject(JSON.parse(JSON.stringify(state)));
});

test('whether requisites are awaited goes by the time after all that was written', async () => {
  const turn = await openTurn({
    config: { requisites: true },
    head: OPEN_ROBOTS,
    links: [link('/a.css', { kind: 'requisite' })],
  });
  turn.parts.pace.postponeTo(T0 + 900_005);
  const { ledgers, clock } = turn.engine;
  const { putPart } = ledgers;
  ledgers.putPart = async (...args) => {
    await clock.sleep(5);
    await putPart(...args);
  };
  await run(turn).done;
  expect((await headOf(turn)).totals.requisites).toMatchObject({ awaited: 1 });
});

describe('a crawl that was called limited too early, as requisites of the host were not counted', () => {
  const limited = async (calledAt: 'before' | 'during') => {
    const turn = await openTurn({
      config: { requisites: true, maxPages: 1 },
      head: OPEN_ROBOTS,
      links: [link('/a.css', { kind: 'requisite' })],
    });
    const { engine, parts, clock, services } = turn;
    const { registry, ledgers } = engine;
    await parts.crawl.budget.reserve();
    parts.crawl.budget.settle(true);
    const call = () => registry.setStatus(CRAWL_ID, 'limited', BY_OPERATOR);
    if (calledAt === 'before') {
      await call();
      services.crawls.refresh(CRAWL_ID);
    }
    const { commit } = ledgers;
    ledgers.commit = async (...args) => {
      await commit(...args);
      if (calledAt === 'during') await call();
    };
    const setStatus = registry.setStatus.bind(registry);
    registry.setStatus = async (...args) => {
      await clock.sleep(10);
      return setStatus(...args);
    };
    return { turn, ...run(turn) };
  };

  test('runs again with a token for the host if the turn knows of it', async () => {
    const { turn, done } = await limited('before');
    await done;
    expect((await turn.engine.registry.load(CRAWL_ID))?.status).toBe('running');
    expect(turn.engine.messages(HOST)).toHaveLength(1);
  });

  test('runs again if it was called so while the head was stored', async () => {
    const { turn, done } = await limited('during');
    await done;
    expect((await turn.engine.registry.load(CRAWL_ID))?.status).toBe('running');
  });

  test('fails the run where it cannot be set running', async () => {
    const { turn, done, commit } = await limited('during');
    turn.engine.registry.totals = () => Promise.reject(new Error('no totals'));
    await expect(done).rejects.toThrow('no totals');
    expect(commit.isDone).toBe(true);
  });
});

test('nothing is listed or deleted while nothing is obsolete', async () => {
  const turn = await openTurn({ head: OPEN_ROBOTS, links: [link('/a')] });
  await turn.engine.ledgers.putPart(CRAWL_ID, HOST, 's0-left', Buffer.from('x'));
  await run(turn).done;
  expect(turn.calls).not.toContain('listParts');
  expect(await turn.engine.ledgers.listParts(CRAWL_ID, HOST)).toContain('s0-left');
});

test('the parts of runs that a head names are kept, those of runs that were merged are deleted', async () => {
  const sizes = { maxSegments: 1, maxSegmentRecords: 2, maxFreshRecords: 3, runRatio: 100 };
  const links = Array.from({ length: 12 }, (_, i) => link(`/${i}`));
  const turn = await openTurn({ head: OPEN_ROBOTS, links, sizes });
  const runsOf = async () => (await headOf(turn)).ledger.runs.map(({ id }) => id);
  await run(turn).done;
  const [first] = await runsOf();
  for (const round of ['x', 'y']) {
    for (let i = 0; i < 4; i++) turn.parts.ledger.merge(link(`/${round}${i}`), T0);
    await run(turn).done;
  }
  const [last] = await runsOf();
  expect(await runsOf()).toHaveLength(1);
  const left = await turn.engine.ledgers.listParts(CRAWL_ID, HOST);
  for (const part of ['keys', 'ready', 'later', 'done']) {
    expect(left).toContain(`${last}.${part}`);
    expect(left).not.toContain(`${first}.${part}`);
  }
  // And those that only the head before this one named, for those who are reading by it.
  expect(left.filter((name) => name.endsWith('.keys'))).toHaveLength(2);
});

test('a commit whose head is stored is done, though the changes of its pages cannot be published', async () => {
  const { turn } = await fullTurn({
    config: { changeFeed: true, recrawlEveryMs: 86_400_000 },
    optional: {
      changes: {
        stage: async () => 'staged',
        publish: () => Promise.reject(new Error('no events')),
      } as never,
    },
  });
  turn.parts.output.addChange({ url: `${ORIGIN}/a` } as never);
  const { commit, done } = run(turn);
  await expect(done).rejects.toThrow('no events');
  expect(commit.isDone).toBe(true);
  expect((await headOf(turn)).version).toBe(2);
});
