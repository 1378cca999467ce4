import { expect, test } from 'vitest';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import { gatherFacts } from '../../invariants/gather-facts.ts';
import { createHistoryProbe, phasesOf } from '../../invariants/history-probe.ts';
import { createSimCloud } from '../../models/cloud.ts';
import { drive } from '../../models/virtual-time.ts';
import type { SimWeb, World } from '../../worlds/spec.ts';

const HOST = 'a.test';
const CRAWL = 'crawl';
const web: SimWeb = {
  seeds: [],
  memberHosts: [],
  lockedHosts: [],
  keysOf: () => ({}),
  someChange: () => undefined,
  isChange: () => false,
  someUrl: () => '',
  isDated: () => false,
  isAlternateFeed: () => false,
  isIndex: () => false,
  priorityIn: () => undefined,
  modifiedIn: () => undefined,
  someSitemap: () => '',
  sitemapsNamedIn: () => [],
  isTrap: () => false,
  isMissing: () => false,
  harmOf: () => undefined,
  log: [],
  parts: [],
  isScripted: () => false,
  partsOf: () => [],
  drawnOf: () => new Uint8Array(),
  fetcherOf: () => {
    throw new Error('Expected no request');
  },
  linksOf: () => [],
  requisitesOf: () => [],
  canonicalOf: () => undefined,
  redirectOf: () => undefined,
  allows: () => true,
  forbidsUse: () => false,
  reservesUse: () => undefined,
  crawlDelayMs: () => undefined,
};

/** A crawl with a host of some URLs, one token, one parcel of links and one WARC object. */
async function makeWorld(urls: number): Promise<World> {
  const cloud = createSimCloud({ seed: 1 });
  const { engine } = cloud.open(cloud.begin('test'));
  async function fill(): Promise<void> {
    await engine.registry.create(CRAWL, {
      config: { delayMs: 5 },
      scopeSeeds: ['http://a.test/', 'http://www.a.test/'],
      urlRulesVersion: 1,
      status: 'running',
    });
    const ledger = await HostLedger.open(HOST, NEW_HEAD.ledger, async () => new Uint8Array());
    for (let i = 0; i < urls; i++) ledger.merge({ url: `http://a.test/${i}`, depth: i } as Link, 0);
    const { parts, index } = await ledger.prepareCommit('1-x');
    for (const { name, bytes } of parts) await engine.ledgers.putPart(CRAWL, HOST, name, bytes);
    await engine.ledgers.commit(CRAWL, HOST, { ...NEW_HEAD, version: 1, token: '1-x', ledger: index });
    await engine.queue.send([{ host: HOST, message: { kind: 'token', crawl: CRAWL, token: '1-x' } }]);
    await engine.exchange.send({ crawl: CRAWL, links: [{ url: 'http://b.test/', depth: 1 }] });
    const archive = engine.archiveOf(CRAWL);
    await archive.append([[Buffer.from('a record')]]);
    await archive.flush();
  }
  const history = createHistoryProbe(cloud);
  await drive(cloud.time, fill());
  const crawls = [{ id: CRAWL, seeds: ['http://a.test/'], config: { delayMs: 5 } }];
  return {
    spec: { seed: 1, faults: [] },
    cloud,
    web,
    crawls,
    misfits: [],
    hasEnded: false,
    invocations: { worker: 0, small: 0, router: 0, waker: 0 },
    strayedStarts: [],
    failures: [],
    events: [],
    pageChanges: [],
    refusedHosts: [],
    seen: [],
    history,
    requestsOf: () => [],
    hasCompactor: false,
    recount: async () => {},
  };
}

test('facts are read from the services, in no virtual time: ledgers, counters, messages, objects', async () => {
  const world = await makeWorld(3);
  const before = world.cloud.time.now();
  const facts = await gatherFacts(world);
  expect(world.cloud.time.now()).toBe(before);
  const crawl = facts.crawls[0];
  expect(crawl).toMatchObject({
    status: 'running',
    config: { delayMs: 5, scope: 'host' },
    scopeSeeds: ['http://a.test/', 'http://www.a.test/'],
    totals: { hosts: 1, hostsWaiting: 1, 'urls.waiting': 3 },
  });
  expect([...(crawl?.known.values() ?? [])].map(({ url, depth }) => [url, depth])).toEqual([
    ['http://a.test/0', 0],
    ['http://a.test/1', 1],
    ['http://a.test/2', 2],
  ]);
  expect(crawl?.hosts.get(HOST)).toMatchObject({
    head: { version: 1, token: '1-x' },
    records: { length: 3 },
  });
  expect(facts.messages).toEqual([
    expect.objectContaining({ kind: 'token', crawl: CRAWL, host: HOST, token: '1-x' }),
    expect.objectContaining({ kind: 'links', crawl: CRAWL, urls: ['http://b.test/'] }),
  ]);
  const [file] = [...(crawl?.files.values() ?? [])];
  expect(Buffer.from(file ?? []).toString('latin1')).toMatch(/a record$/);
});

test('limits that are raised while a crawl runs are kept with its status', async () => {
  const { cloud, history } = await makeWorld(1);
  const { registry } = cloud.open(cloud.begin('operator')).engine;
  await drive(cloud.time, registry.configure(CRAWL, { delayMs: 6 }));
  await drive(cloud.time, registry.configure(CRAWL, { maxPages: 7 }));
  const [status, ...others] = history.statuses.get(CRAWL) ?? [];
  expect(others).toEqual([]);
  expect(status?.later).toEqual([{ at: expect.any(Number), limits: { maxPages: 7 } }]);
  const phases = status ? phasesOf(status, Infinity) : [];
  expect(phases.map(({ limits }) => limits)).toEqual([{}, { maxPages: 7 }]);
  expect(phases[0]?.until).toBe(phases[1]?.at);
});

test('a ledger large enough for runs and objects of its own is read whole', async () => {
  const { crawls } = await gatherFacts(await makeWorld(6000));
  const host = crawls[0]?.hosts.get(HOST);
  expect(host?.head.ledger.runs).toHaveLength(1);
  expect(host?.problem).toBeUndefined();
  expect(new Set(host?.records.map(({ url }) => url)).size).toBe(6000);
});

test('a part that is named and not there is a fact, too', async () => {
  const world = await makeWorld(3);
  const { engine } = world.cloud.open(world.cloud.begin('other'));
  await drive(world.cloud.time, engine.ledgers.deleteParts(CRAWL, HOST, ['s1-x']));
  const { crawls } = await gatherFacts(world);
  expect(crawls[0]?.hosts.get(HOST)?.problem).toContain('the head names the part s1-x, which is not there');
});

test('what a crawl has cost never falls, though its counters are replaced by one, and the others deleted', async () => {
  const { cloud, history } = await makeWorld(1);
  const crawl = 'limited';
  const work = async () => {
    const operator = cloud.open(cloud.begin('operator'));
    const { registry, ledgers } = operator.engine;
    await registry.create(crawl, {
      config: { maxCost: 1 },
      scopeSeeds: [],
      urlRulesVersion: 1,
      status: 'running',
    });
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 8; i++) {
        const { engine, meter, flushMeter } = cloud.open(cloud.begin(`worker-${i}`));
        // Less would be added to the usage of the stack.
        await meter.run(crawl, async () => {
          for (let load = 0; load < 12; load++) await engine.registry.load(crawl);
        });
        await flushMeter();
      }
      await cloud.time.sleep(30 * 60_000);
      await registry.recount(crawl, ledgers);
    }
    return registry.totals(crawl);
  };
  const { cost } = await drive(cloud.time, work());
  const costs = (history.costs.get(crawl) ?? []).map((change) => change.cost);
  expect(costs.length).toBeGreaterThan(20);
  expect(costs).toEqual(costs.toSorted((a, b) => a - b));
  expect(costs.at(-1)).toBeCloseTo(cost ?? 0, 12);
});
