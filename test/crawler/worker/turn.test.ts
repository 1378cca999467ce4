/** Tests of a turn's deliveries, and of its state after it is discarded. */
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../shared/core/frontier/message.ts';
import type { LedgerStore } from '../../../shared/crawler/ports/ledger-store.ts';
import { wakeAllHosts } from '../../../shared/crawler/routing/waker.ts';
import { page } from './scripted-fetcher.ts';
import {
  areQuiet,
  begin,
  CRAWL,
  createWorld,
  recordOf,
  runToEnd,
  said,
  startProcess,
  statesOf,
  type World,
} from './world.ts';

const A = 'http://a.test';
const HOST = 'a.test';

/** Calls of the ledger store's writing methods from now on. */
function countWrites(ledgers: LedgerStore): { count: number } {
  const writes = { count: 0 };
  const { commit, putPart } = ledgers;
  ledgers.commit = (...args) => {
    writes.count++;
    return commit(...args);
  };
  ledgers.putPart = (...args) => {
    writes.count++;
    return putPart(...args);
  };
  return writes;
}

async function finished(site = { [`${A}/`]: page('/1', '/2') }, config = {}): Promise<World> {
  const world = createWorld(site);
  await begin(world, [`${A}/`], config);
  expect(await runToEnd(world)).toEqual([]);
  return world;
}

const send = ({ engine }: World, message: Message) => engine.queue.send([{ host: HOST, message }]);
const head = ({ engine }: World) => engine.ledgers.loadHead(CRAWL, HOST);

describe('deliveries', () => {
  test('a token that the head does not name is dropped, without any write', async () => {
    const world = await finished();
    const before = await head(world);
    const writes = countWrites(world.engine.ledgers);
    await send(world, { kind: 'token', crawl: CRAWL, token: '1-stale' });
    expect(await runToEnd(world)).toEqual([]);
    expect(writes.count).toBe(0);
    expect(await head(world)).toEqual(before);
    expect(world.engine.messages(HOST)).toEqual([]);
  });

  test('a message of a crawl that is not there is dropped', async () => {
    const world = await finished();
    await send(world, { kind: 'wake', crawl: 'nobody' });
    expect(await runToEnd(world)).toEqual([]);
    expect(world.engine.messages(HOST)).toEqual([]);
  });

  test('links delivered again change nothing in the ledger', async () => {
    const world = await finished();
    const { fetcher, engine } = world;
    const before = {
      states: await statesOf(engine),
      requests: fetcher.log.length,
      totals: (await head(world))?.totals,
    };
    const links = ['/', '/1', '/2'].map((path) => ({ url: `${A}${path}`, depth: 1, via: `${A}/` }));
    for (let i = 0; i < 3; i++) await send(world, { kind: 'links', crawl: CRAWL, links });
    expect(await runToEnd(world)).toEqual([]);
    expect({
      states: await statesOf(engine),
      requests: fetcher.log.length,
      totals: (await head(world))?.totals,
    }).toEqual(before);
  });

  test('links delivered again to a host whose token is on its way are not worth a write', async () => {
    const world = createWorld({ [`${A}/`]: page('/1', '/2', '/3') });
    await begin(world, [`${A}/`], { delayMs: 20_000 });
    const { clock, engine, fetcher } = world;
    const process = startProcess(engine, fetcher);
    await clock.drive(process.ended, () => fetcher.log.length === 2);
    await clock.advance(5000);
    const writes = countWrites(engine.ledgers);
    await send(world, { kind: 'links', crawl: CRAWL, links: [{ url: `${A}/`, depth: 1, via: `${A}/0` }] });
    await clock.drive(process.ended, () => engine.messages(HOST).length === 0 || fetcher.log.length > 2);
    expect(writes.count).toBe(0);
    process.stop();
    await clock.drive(process.ended);
  });

  test('a wake-up of a host with nothing to do is one commit and no request', async () => {
    const world = await finished();
    const requests = world.fetcher.log.length;
    const version = (await head(world))!.version;
    await send(world, { kind: 'wake', crawl: CRAWL });
    await runToEnd(world);
    expect(world.fetcher.log.length).toBe(requests);
    expect((await head(world))!.version).toBe(version + 1);
  });

  test('a host set aside is tried again when the crawl is resumed, and only then', async () => {
    let isUp = false;
    const site = {
      [`${A}/robots.txt`]: () => (isUp ? { status: 404 } : { status: 500 }),
      [`${A}/`]: page(),
    };
    const world = createWorld(site);
    await begin(world, [`${A}/`], { maxHostFailures: 2 });
    await runToEnd(world);
    isUp = true;
    await send(world, { kind: 'wake', crawl: CRAWL });
    await runToEnd(world);
    expect(await statesOf(world.engine)).toEqual({ [`${A}/`]: 'waiting' });
    await send(world, { kind: 'wake', crawl: CRAWL, resume: 1 });
    await runToEnd(world);
    expect(await statesOf(world.engine)).toEqual({ [`${A}/`]: 'fetched' });
    expect((await head(world))?.setAside).toBeUndefined();
  });

  test('a resumed crawl tries a host that was given up once for each resumption', async () => {
    const world = createWorld({ [`${A}/robots.txt`]: { fails: 'dns' }, [`${A}/`]: page() });
    await begin(world, [`${A}/`], { delayMs: 1000 });
    await runToEnd(world);
    const { clock, engine, fetcher } = world;
    for (const resume of [1, 2]) {
      const before = fetcher.log.length;
      await send(world, { kind: 'wake', crawl: CRAWL, resume });
      const until = clock.now() + 60_000;
      const process = startProcess(engine, fetcher);
      await clock.drive(process.ended, async () => clock.now() > until);
      process.stop();
      await clock.drive(process.ended);
      expect(fetcher.log.length - before).toBe(1);
      expect((await head(world))?.setAside).toBeDefined();
    }
  });

  test('ninety copies of the wake-up of a resumed crawl try a host that was given up once', async () => {
    const world = createWorld({ [`${A}/robots.txt`]: { fails: 'dns' }, [`${A}/`]: page() });
    await begin(world, [`${A}/`], { delayMs: 1000 });
    await runToEnd(world);
    const { clock, engine, fetcher } = world;
    const before = fetcher.log.length;
    const resume = await engine.registry.resume(CRAWL);
    for (let copy = 0; copy < 90; copy++) {
      await wakeAllHosts(engine, CRAWL, resume);
      const until = clock.now() + 10_000;
      const process = startProcess(engine, fetcher);
      await clock.drive(process.ended, async () => clock.now() > until);
      process.stop();
      await clock.drive(process.ended);
    }
    expect(fetcher.log.length - before).toBe(1);
    expect((await head(world))?.setAside).toBeDefined();
  });

  test.each([undefined, 1])(
    'a wake-up that comes alone gives the host one turn, however long that rests: resume %s',
    async (resume) => {
      const links = Array.from({ length: 12 }, (_, i) => `/${i}`);
      const world = createWorld({ [`${A}/`]: page(...links) }, { maxDeliveries: 1 });
      await begin(world, [`${A}/`], { delayMs: 1000, turnMaxPages: 1 });
      const { clock, engine, fetcher } = world;
      const process = startProcess(engine, fetcher);
      await clock.drive(process.ended, () => fetcher.log.length > 1);
      await send(world, { kind: 'wake', crawl: CRAWL, ...(resume && { resume }) });
      let most = 0;
      await clock.drive(process.ended, async () => {
        most = Math.max(most, engine.messages(HOST).length);
        return areQuiet(engine);
      });
      process.stop();
      await clock.drive(process.ended);
      expect(Object.values(await statesOf(engine))).not.toContain('waiting');
      expect(most).toBeLessThanOrEqual(3);
    },
  );

  test('a crawl that is paused fetches nothing, and continues where it was when it is resumed', async () => {
    const world = createWorld({ [`${A}/`]: page('/1', '/2') });
    await begin(world, [`${A}/`]);
    await world.engine.registry.setStatus(CRAWL, 'paused');
    await runToEnd(world);
    expect(world.fetcher.log).toEqual([]);
    expect(await statesOf(world.engine)).toEqual({ [`${A}/`]: 'waiting' });
    await world.engine.registry.setStatus(CRAWL, 'running');
    await send(world, { kind: 'wake', crawl: CRAWL, resume: 1 });
    await runToEnd(world);
    expect(Object.values(await statesOf(world.engine)).sort()).toEqual(['fetched', 'gone', 'gone']);
  });
});

describe('two workers on one host', () => {
  test('lose nothing, and leave one chain of tokens', async () => {
    const links = Array.from({ length: 12 }, (_, i) => `/${i}`);
    const world = createWorld({ [`${A}/`]: page(...links) }, { tookMs: 4000, leaseMs: 200_000 });
    await begin(world, [`${A}/`], { delayMs: 100, turnMaxPages: 3 });
    const { clock, engine, fetcher } = world;
    const one = startProcess(engine, fetcher);
    await clock.drive(one.ended, () => fetcher.log.length === 2);
    // Another process takes the host though the first one is at it: as if the lease had run out.
    const two = startProcess(engine.reopen(), fetcher);
    const both = Promise.all([one.ended, two.ended]);
    await clock.drive(both, () => areQuiet(engine));
    one.stop();
    two.stop();
    await clock.drive(both);
    expect(one.worker.stats.staleTurns + two.worker.stats.staleTurns).toBeGreaterThan(0);
    expect([...one.errors, ...two.errors]).toEqual([]);
    const states = Object.values(await statesOf(engine));
    expect(states.sort()).toEqual(['fetched', ...links.map(() => 'gone')]);
    expect((await head(world))?.totals.pages).toBe(13);
    expect((await head(world))?.token).toBeUndefined();
    // The turns that were discarded asked twice, but no chain went on beside the other.
    for (const link of links.slice(6)) expect(fetcher.count(`${A}${link}`)).toBe(1);
  });
});

describe('a URL that kills its worker', () => {
  /** A host with these links, whose worker falls over at `/bad`. */
  function fallingWorld(...links: string[]): World {
    const world = createWorld({ [`${A}/`]: page(...links) });
    const { fetcher } = world;
    const fetch = fetcher.fetch.bind(fetcher);
    fetcher.fetch = async (request) => {
      if (request.url.endsWith('/bad')) throw new Error('the parser fell over');
      return fetch(request);
    };
    return world;
  }

  test('is failed with its cause after some deliveries, and its host continues', async () => {
    const world = fallingWorld('/1', '/bad', '/2');
    const { engine } = world;
    await begin(world, [`${A}/`]);
    const errors = await runToEnd(world);
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors.length).toBeLessThan(10);
    expect(await statesOf(engine)).toEqual({
      [`${A}/`]: 'fetched',
      [`${A}/1`]: 'gone',
      [`${A}/2`]: 'gone',
      [`${A}/bad`]: 'failed',
    });
    expect(said(await recordOf(engine, `${A}/bad`))).toMatch(/^the worker died 3 times/);
  });

  test('takes no page from the budget', async () => {
    const world = fallingWorld('/bad', '/1', '/2');
    const { engine } = world;
    await begin(world, [`${A}/`, `${A}/bad`], { maxPages: 20 });
    await runToEnd(world);
    expect((await engine.registry.totals(CRAWL)).pages).toBe(3);
    expect(Object.values(await statesOf(engine))).not.toContain('waiting');
  });

  test('a page whose announcement fails is given back to the budget', async () => {
    const world = createWorld({ [`${A}/`]: page('/1') });
    const { engine } = world;
    const { commit } = engine.ledgers;
    let failures = 6;
    engine.ledgers.commit = async (crawl, host, next) => {
      if (failures > 0) {
        failures--;
        throw new Error('the store is not well');
      }
      return commit(crawl, host, next);
    };
    await begin(world, [`${A}/`], { maxPages: 3 });
    await runToEnd(world);
    expect(Object.values(await statesOf(engine)).sort()).toEqual(['fetched', 'gone']);
  });
});

describe('a worker that is stopped', () => {
  test('commits its turns, and the URLs in flight wait again', async () => {
    const hosts = ['http://a.test', 'http://b.test', 'http://c.test'];
    const site = Object.fromEntries(hosts.map((host) => [`${host}/`, page('/1', '/2', '/3')]));
    const world = createWorld(site, { tookMs: 5000 });
    const { clock, engine, fetcher } = world;
    await begin(
      world,
      hosts.map((host) => `${host}/`),
    );
    const process = startProcess(engine, fetcher);
    await clock.drive(process.ended, () => fetcher.log.length === 9);
    const stoppedAt = clock.now();
    process.stop();
    await clock.drive(process.ended);
    expect(process.errors).toEqual([]);
    expect(clock.now() - stoppedAt).toBeLessThanOrEqual(1000);
    const totals = await engine.registry.totals(CRAWL);
    expect(totals.urls).toMatchObject({ fetched: 3, waiting: 9, gone: 0, failed: 0 });
    expect(await recordOf(engine, 'http://a.test/1')).toMatchObject({ state: 'waiting', attempts: 0 });
    await runToEnd(world);
    expect((await engine.registry.totals(CRAWL)).urls).toMatchObject({ fetched: 3, gone: 9, waiting: 0 });
    expect(fetcher.log.length).toBe(9 + 9);
  });

  test('forgives a failing host nothing by requests that it dropped itself', async () => {
    const world = createWorld({ [`${A}/robots.txt`]: { status: 503 } }, { tookMs: 5000 });
    const { clock, engine, fetcher } = world;
    await begin(world, [`${A}/`], { maxHostFailures: 4 });
    for (let requests = 1; requests <= 6; requests++) {
      const process = startProcess(engine, fetcher);
      await clock.drive(process.ended, () => fetcher.log.length === requests);
      if (requests % 2 === 1) await clock.advance(5000);
      process.stop();
      await clock.drive(process.ended);
      expect((await head(world))?.clock.failures).toBe(Math.ceil(requests / 2));
    }
  });
});
