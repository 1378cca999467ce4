import { describe, expect, test } from 'vitest';
import type { Archive } from '../../../../shared/crawler/ports/archive.ts';
import type { LinkParcel } from '../../../../shared/crawler/ports/link-exchange.ts';
import type { HostDeliveries } from '../../../../shared/crawler/ports/turn-queue.ts';
import { createMeter } from '../../../../shared/engines/aws/cost/meter.ts';
import { meterEngine, REGISTRY_PAYERS } from '../../../../shared/engines/aws/cost/metered-engine.ts';
import type { AwsEngine } from '../../../../shared/engines/aws/engine.ts';
import { createRegistry } from '../../../../shared/engines/aws/state/registry.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { headOf } from '../../../contract/subjects.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

/** An engine each of whose calls costs one read, after a while. */
function setUp() {
  const meter = createMeter({ clock: { now: () => 0 } });
  const cost = async () => {
    await new Promise(setImmediate);
    meter.add('s3Gets', 1);
  };
  const port = <T extends string>(...names: T[]) =>
    Object.fromEntries(names.map((name) => [name, cost])) as Record<T, typeof cost>;
  const archives = new Map<string, Archive>();
  let ended = 0;
  const engine = {
    clock: {},
    queue: port('send', 'receive', 'acknowledge', 'park'),
    exchange: port('send', 'receive', 'acknowledge'),
    linkShards: { ...port('send'), count: 2 },
    ledgers: {
      ...port('loadHead', 'commit', 'putPart'),
      async *hosts() {
        try {
          for (const host of ['a.test', 'b.test']) {
            await cost();
            yield { host, head: headOf(1) };
          }
        } finally {
          ended++;
        }
      },
    },
    registry: {
      ...port('load', 'totals', 'list', 'flushUsage', 'noteFinish', 'delayAnnouncement'),
      isShared: true,
    },
    jars: port('load', 'replace'),
    items: port('stage', 'publish'),
    payloads: port('find', 'add'),
    skips: port('note', 'makeDurable'),
    archiveOf(crawl: string) {
      const archive = archives.get(crawl) ?? (port('append', 'flush') as unknown as Archive);
      archives.set(crawl, archive);
      return archive;
    },
  } as unknown as AwsEngine;
  return { meter, engine: meterEngine(engine, meter), ended: () => ended };
}

const token = (crawl: string) => ({ kind: 'token' as const, crawl, token: 't' });
const received = (...crawls: string[]): HostDeliveries => ({
  host: 'h.test',
  deliveries: crawls.map((crawl, i) => ({ id: String(i), message: token(crawl), receiveCount: 1 })),
  leaseUntil: 0,
});
const parcel = (crawl: string): LinkParcel => ({ id: crawl, outLinks: { crawl, links: [] } });

describe('a call is paid for by the crawl it is made for', () => {
  test.each<[string, (engine: AwsEngine) => unknown]>([
    ['a head', ({ ledgers }) => ledgers.loadHead('a', 'h.test')],
    ['a commit', ({ ledgers }) => ledgers.commit('a', 'h.test', headOf(1))],
    ['a crawl’s record', ({ registry }) => registry.load('a')],
    [
      'a note about a crawl',
      ({ registry }) => registry.noteFinish({ crawl: 'a', entry: 'e', finishTries: 1, isFinishDone: false }),
    ],
    [
      'a later try',
      ({ registry }) => registry.delayAnnouncement({ crawl: 'a', entry: 'e', tries: 1, retryAt: 0 }),
    ],
    ['messages of one crawl', ({ queue }) => queue.send([{ host: 'h.test', message: token('a') }])],
    ['an acknowledgement', ({ queue }) => queue.acknowledge(received('a', 'a'), [])],
    ['a host parked', ({ queue }) => queue.park(received('a'), 1000)],
    ['links', ({ exchange }) => exchange.send({ crawl: 'a', links: [] })],
    ['links to shards', ({ linkShards }) => linkShards.send('a', new Map())],
    ['parcels done with', ({ exchange }) => exchange.acknowledge([parcel('a'), parcel('a')])],
    ['records', ({ archiveOf }) => archiveOf('a').append([])],
    ['a flush', ({ archiveOf }) => archiveOf('a').flush()],
    ['items', ({ items }) => items.stage('a', 'a.test', 1, ['{}'])],
    ['a payload', ({ payloads }) => payloads.find('a', new Uint8Array(20))],
    ['links left out', ({ skips }) => skips.makeDurable('a')],
  ])('%s', async (_, call) => {
    const { meter, engine } = setUp();
    await call(engine);
    expect(meter.take()).toEqual(new Map([['a', { s3Gets: 1 }]]));
  });

  test('so is each step of an iteration, and not what is done between its steps', async () => {
    const { meter, engine } = setUp();
    const hosts: string[] = [];
    await meter.run('b', async () => {
      for await (const { host } of engine.ledgers.hosts('a')) {
        hosts.push(host);
        meter.add('s3Puts', 1);
      }
    });
    expect(hosts).toEqual(['a.test', 'b.test']);
    expect(meter.take()).toEqual(
      new Map([
        ['a', { s3Gets: 2 }],
        ['b', { s3Puts: 2 }],
      ]),
    );
  });
});

test('an iteration that its caller ends, or that fails, ends in the engine too', async () => {
  const { meter, engine, ended } = setUp();
  for await (const _ of engine.ledgers.hosts('a')) break;
  expect(ended()).toBe(1);
  const failing = async () => {
    for await (const _ of engine.ledgers.hosts('a')) throw new Error('no room');
  };
  await expect(failing()).rejects.toThrow('no room');
  expect(ended()).toBe(2);
  expect(meter.take()).toEqual(new Map([['a', { s3Gets: 2 }]]));
});

describe('a call for several crawls, or for none, is paid for by all', () => {
  test.each<[string, (engine: AwsEngine) => unknown]>([
    [
      'messages',
      ({ queue }) => queue.send(['a', 'b'].map((crawl) => ({ host: 'h.test', message: token(crawl) }))),
    ],
    ['an acknowledgement', ({ queue }) => queue.acknowledge(received('a', 'b'), [])],
    ['parcels done with', ({ exchange }) => exchange.acknowledge([parcel('a'), parcel('b')])],
    ['a receive', ({ queue }) => queue.receive(10, 0)],
    ['parcels received', ({ exchange }) => exchange.receive(10, 0)],
    ['the list of crawls', ({ registry }) => registry.list()],
  ])('%s', async (_, call) => {
    const { meter, engine } = setUp();
    await call(engine);
    expect(meter.take()).toEqual(new Map());
    meter.add('s3Puts', 1, 'a');
    meter.add('s3Puts', 1, 'b');
    const usages = [...meter.take().values()];
    expect(usages.reduce((gets, { s3Gets = 0 }) => gets + s3Gets, 0)).toBe(1);
  });
});

test('a crawl’s archive is the same one each time, and other members stay', () => {
  const { engine } = setUp();
  expect(engine.archiveOf('a')).toBe(engine.archiveOf('a'));
  expect(engine.archiveOf('a')).not.toBe(engine.archiveOf('b'));
  expect(engine.registry.isShared).toBe(true);
});

test('each method of a stack’s registry names the crawl that pays, if there is one', async () => {
  const { clients } = createServices();
  const registry = createRegistry({
    ...{ dynamo: clients.dynamo, names: { crawlState: 'T' }, clock: createFakeClock() },
    hasMessages: async () => false,
  });
  const methods = Object.entries(registry).flatMap(([name, member]) =>
    typeof member === 'function' ? [name] : [],
  );
  expect(Object.keys(REGISTRY_PAYERS).toSorted()).toEqual(methods.toSorted());
  const ofAll = ['flushUsage', 'list', 'listRunning', 'listUnannounced', 'loadMany'];
  const ofNotes = ['delayAnnouncement', 'noteAnnounced', 'noteFinish'];
  const payers = REGISTRY_PAYERS as unknown as Record<string, (about: unknown) => unknown>;
  for (const name of methods) {
    const about = ofNotes.includes(name) ? { crawl: 'a' } : 'a';
    expect([name, payers[name]?.(about)]).toEqual([name, ofAll.includes(name) ? undefined : 'a']);
  }
});
