/** The engine's own adapters on the models of DynamoDB and S3, held to the contract suite. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import type { RecordLocation } from '../../../shared/core/archive/record-location.ts';
import { encodeWarcinfo } from '../../../shared/core/archive/warcinfo.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { Clock } from '../../../shared/crawler/ports/clock.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import { createS3Archive, warcKey } from '../../../shared/engines/aws/archive/archive.ts';
import { compactCrawl } from '../../../shared/engines/aws/archive/compactor.ts';
import { resolveLocation } from '../../../shared/engines/aws/archive/joined-warcs.ts';
import { createLedgerStore } from '../../../shared/engines/aws/state/ledger-store.ts';
import { createRegistry } from '../../../shared/engines/aws/state/registry.ts';
import { ledgerStoreContract } from '../../../test/contract/ledger-store-contract.ts';
import { registryContract } from '../../../test/contract/registry-contract.ts';
import type { Subject } from '../../../test/contract/subject.ts';
import { CRAWL } from '../../../test/contract/subjects.ts';
import { captureOf, joined, newId, RECORDS } from '../../../test/core/archive/captures.ts';
import { createMemoryEngine } from '../../../test/crawler/worker/memory-engine.ts';
import { type Faults, NO_FAULTS } from '../../models/faults.ts';
import { randomOf, uuidsOf } from '../../models/random.ts';
import { always, createServices, often } from './dynamo-services.ts';

function createWorld(faults: Faults) {
  const services = createServices(faults);
  services.dynamo.createTable({
    name: 'CrawlState',
    index: { name: 'due', partitionKey: 'dueShard', sortKey: 'dueAt' },
  });
  services.dynamo.createTable({ name: 'UrlSeen' });
  const clock: Clock = {
    now: () => services.clock.at,
    random: randomOf('clock'),
    uuid: uuidsOf(randomOf('uuids')),
    async sleep(ms) {
      services.clock.at += Math.ceil(ms);
    },
  };
  const names = { crawlState: 'CrawlState', urlSeen: 'UrlSeen', bucket: 'b' };
  return { ...services, clock, names };
}

type World = ReturnType<typeof createWorld>;

function engineOn({ clients, clock, names }: World) {
  const memory = createMemoryEngine(clock);
  const registry = createRegistry({
    ...clients,
    names,
    clock,
    settleMs: 1000,
    hasMessages: async () => !(await memory.registry.isQuiet(CRAWL)),
  });
  return {
    ...memory,
    registry,
    ledgers: createLedgerStore({ ...clients, names, clock, onCommit: registry.onCommit }),
  };
}

test('a head that is damaged is an error that names table and key, by each way to read it', async () => {
  const world = createWorld(NO_FAULTS);
  const { ledgers } = engineOn(world);
  await ledgers.commit(CRAWL, 'a.test', { ...NEW_HEAD, version: 1 });
  const item = [...world.dynamo.items('CrawlState')].find(({ sk }) => sk?.S === 'head');
  const damaged = { ...item, head: { S: '{"clock"' } };
  await world.clients.dynamo.send(new PutItemCommand({ TableName: 'CrawlState', Item: damaged }));
  const all = async () => {
    for await (const entry of ledgers.hosts(CRAWL)) void entry;
  };
  for (const read of [() => ledgers.loadHead(CRAWL, 'a.test'), all])
    await expect(read()).rejects.toThrow(
      `in the table CrawlState, at pk ${CRAWL} a.test and sk head, is damaged: "{"clock""`,
    );
});

describe.each([
  ['as they are', () => NO_FAULTS],
  [
    'that leave keys unprocessed, end pages early and fail single deletes',
    () => often('unprocessedKeys', 'batchEntryFails'),
  ],
])('on models %s', (_, faultsOf) => {
  let world: World;
  let engine: Engine;
  beforeEach(() => {
    world = createWorld(faultsOf());
    engine = engineOn(world);
  });

  const subject: Subject = {
    get engine() {
      return engine;
    },
    get opened() {
      return { engine, reopen: async () => engineOn(world), close: async () => {} };
    },
    openWith: async () => engine,
    lacks: () => undefined,
    pass: (ms) => world.clock.sleep(ms),
    until: (promise) => promise,
  };

  describe('ledger store', () => ledgerStoreContract(subject));
  describe('crawl registry', () => registryContract(subject));
});

test('a part that is young is read, though its row may be seen late', async () => {
  const world = createWorld(always('staleRead', 0.5));
  const { ledgers } = engineOn(world);
  const large = Buffer.alloc(20_000, 'x');
  await ledgers.putPart(CRAWL, 'a.test', 'small', Buffer.from('abc'));
  await ledgers.putPart(CRAWL, 'a.test', 'large', large);
  expect(Buffer.from(await ledgers.readPart(CRAWL, 'a.test', 'small', 1)).toString()).toBe('bc');
  expect(Buffer.compare(await ledgers.readPart(CRAWL, 'a.test', 'large'), large)).toBe(0);
  await ledgers.putPart(CRAWL, 'a.test', 'large', large);
  await expect(ledgers.putPart(CRAWL, 'a.test', 'large', large.fill('y'))).rejects.toThrow('differs');
});

test('members that come in pieces are uploaded in their order, those read before the upload began too', async () => {
  const { clients, clock, names, s3 } = createWorld(NO_FAULTS);
  const folder = `warc/${CRAWL}`;
  const warcinfo = () => [Buffer.from('info')];
  const archive = createS3Archive({
    client: clients.s3,
    bucket: names.bucket,
    folder,
    prefix: 'Sim',
    clock,
    warcinfo,
  });
  const piece = (number: number) => Buffer.alloc(1_000_000, number);
  async function* pieces(from: number, to: number) {
    for (let i = from; i < to; i++) yield piece(i);
  }
  const locations = await archive.append([[Buffer.from('head')], pieces(1, 9), pieces(9, 12)]);
  const expected = [
    Buffer.from('head'),
    ...[
      [1, 9],
      [9, 12],
    ].map(([from = 0, to = 0]) =>
      Buffer.concat(Array.from({ length: to - from }, (_, i) => piece(from + i))),
    ),
  ];
  expect(locations).toHaveLength(3);
  for (const [i, { file, offset, length }] of locations.entries()) {
    const object = s3.objects('b').get(warcKey(folder, file))?.bytes;
    expect(
      Buffer.compare(object?.subarray(offset, offset + length) ?? Buffer.of(), expected[i] as Buffer),
    ).toBe(0);
  }
});

test('an upload whose member breaks off leaves nothing behind', async () => {
  const { clients, clock, names, s3, callS3 } = createWorld(NO_FAULTS);
  const archive = createS3Archive({
    client: clients.s3,
    bucket: names.bucket,
    folder: `warc/${CRAWL}`,
    prefix: 'Sim',
    clock,
    warcinfo: () => [Buffer.from('info')],
  });
  async function* breaksOff() {
    for (let i = 0; i < 12; i++) yield Buffer.alloc(1_000_000);
    throw new Error('the file is gone');
  }
  await expect(archive.append([breaksOff()])).rejects.toThrow('the file is gone');
  await archive.flush();
  expect(s3.objects('b').size).toBe(0);
  expect(callS3<{ Uploads?: unknown[] }>('ListMultipartUploads', {}).Uploads ?? []).toEqual([]);
});

test('an archive is written by whole objects and by parts, joined within S3, and read where it stands', async () => {
  const world = createWorld(often('unprocessedKeys', 'batchEntryFails'));
  const { clients, clock, names, s3, dynamo } = world;
  const folder = `warc/${CRAWL}`;
  const archive = createS3Archive({
    client: clients.s3,
    bucket: names.bucket,
    folder,
    prefix: 'Sim',
    clock,
    maxBytes: 20_000,
    warcinfo: (filename) => encodeWarcinfo({ id: newId(), filename, date: clock.now(), software: 'test' }),
  });
  const random = randomOf('noise');
  const written: { bytes: Buffer; location: RecordLocation }[] = [];
  for (let i = 0; i < 30; i++) {
    const noise = Buffer.from(Uint8Array.from({ length: i === 7 ? 6_000_000 : 3000 }, () => random() * 256));
    const capture = captureOf({
      url: `http://a.test/${i}`,
      startedAt: clock.now(),
      headers: [['Content-Type', 'image/png']],
      body: noise,
    });
    const { members } = await encodeCapture(capture, RECORDS);
    const bytes = await Promise.all(members.map(joined));
    const locations = await archive.append(bytes.map((one) => [one]));
    await archive.flush();
    for (const [j, location] of locations.entries()) written.push({ location, bytes: bytes[j] as Buffer });
  }
  const before = s3.objects('b').size;
  await clock.sleep(2 * 60 * 60_000);
  const done = await compactCrawl({ ...clients, names, crawl: CRAWL, clock, finished: true });
  expect(done).toMatchObject({ joined: 1, objects: before, aside: [] });
  const files = [...s3.objects('b').keys()].map((key) => key.replace(/.*[.]/, '.'));
  expect(files.toSorted()).toEqual(['.cdxj', '.gz', '.parquet']);
  for (const { location, bytes } of written) {
    const { file, offset, length } = await resolveLocation(
      { ...clients, clock, table: names.crawlState },
      CRAWL,
      location,
    );
    const object = s3.objects('b').get(warcKey(folder, file))?.bytes;
    expect(Buffer.compare(object?.subarray(offset, offset + length) ?? Buffer.of(), bytes)).toBe(0);
  }
  // The lease is given back.
  expect([...dynamo.items('CrawlState')].map(({ sk }) => sk?.S)).not.toContain('compact');
});
