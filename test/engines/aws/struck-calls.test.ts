/** Every call that the adapters of AWS make, struck: throttled, refused, or answered in vain. */

import { beforeAll, expect } from 'vitest';
import { createDeadLetter } from '../../../functions/dead-letter.ts';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import type { RecordLocation } from '../../../shared/core/archive/record-location.ts';
import type { WarcMember } from '../../../shared/core/archive/warc-member.ts';
import { recordId } from '../../../shared/core/archive/warc-record.ts';
import { BY_OPERATOR } from '../../../shared/core/causes/status-reason.ts';
import type { HostDeliveries } from '../../../shared/crawler/ports/turn-queue.ts';
import { warcKey } from '../../../shared/engines/aws/archive/archive.ts';
import { warcFolder } from '../../../shared/engines/aws/archive/archives.ts';
import { compactCrawl } from '../../../shared/engines/aws/archive/compactor.ts';
import { joinedResolver } from '../../../shared/engines/aws/archive/joined-warcs.ts';
import { controlEngineOf } from '../../../shared/engines/aws/control-engine.ts';
import { createMeter } from '../../../shared/engines/aws/cost/meter.ts';
import { CRAWL, drain, headOf, linkTo, RECORD, token } from '../../contract/subjects.ts';
import { captureOf, T0 } from '../../core/archive/captures.ts';
import { openGolden } from '../../golden.ts';
import type { World } from './struck-calls.ts';
import { describeOperations, operation } from './struck-suite.ts';

const HOST = 'a.test';
const HOSTS = ['a.test', 'b.test', 'c.test', 'd.test'];
/** Longer than any lease here. */
const LEASES_MS = 400_000;

const bytesOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);
const [ROW, OBJECT] = [bytesOf(100), bytesOf(5000)];

/** Several batches for each queue. */
const MESSAGES = HOSTS.flatMap((host) =>
  Array.from({ length: 12 }, (_, i) => ({ host, message: token(`${host} ${i}`) })),
);

const LINKS_BY_HOST = new Map(
  HOSTS.map((host) => {
    const link = linkTo(`http://${host}/`);
    return [host, new Map([[link.url, link]])] as const;
  }),
);

async function sendMessages({ engine, wait }: World): Promise<void> {
  await wait(engine.queue.send(MESSAGES));
}

/** All that is left in the turn queues, once every lease is over. */
async function leftInQueue(world: World): Promise<string[]> {
  await world.cloud.time.advance(LEASES_MS);
  const { engine, wait } = world.other();
  const left = await wait(drain(engine.queue, 0));
  return [...left.values()].flat().sort();
}

async function received({ engine, wait }: World): Promise<HostDeliveries> {
  await wait(engine.queue.send(['1', '2', '3', '4'].map((text) => ({ host: HOST, message: token(text) }))));
  const [first] = await wait(engine.queue.receive(1, 1000));
  return first as HostDeliveries;
}

/** How many hosts another process gets at once, when the first lease is over, and later. */
async function whenFree(world: World): Promise<number[]> {
  const { engine, wait } = world.other();
  const hostsAfter = async (ms: number) => {
    await world.cloud.time.advance(ms);
    return (await wait(engine.queue.receive(10, 0))).length;
  };
  return [await hostsAfter(0), await hostsAfter(100_000), await hostsAfter(200_000)];
}

const totalsOf = async (world: World) => {
  // A process adds what it could not add when it ends, at the latest.
  await world.wait(world.engine.registry.flushUsage());
  const {
    activeMs: _,
    usage: __,
    cost: ___,
    ...totals
  } = await world.other().wait(world.other().engine.registry.totals(CRAWL));
  return totals;
};

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const headsOf = async (world: World): Promise<unknown[]> => {
  const { engine, wait } = world.other();
  return wait(allOf(engine.ledgers.hosts(CRAWL)));
};

const createCrawl = ({ engine, wait }: World) => wait(engine.registry.create(CRAWL, RECORD));
const crawlOf = async (world: World) => {
  const { engine, wait } = world.other();
  const { registry } = engine;
  return [await wait(registry.load(CRAWL)), await wait(registry.list()), await wait(registry.listRunning())];
};

async function commitHosts({ engine, wait }: World): Promise<void> {
  for (const [i, host] of HOSTS.entries())
    await wait(engine.ledgers.commit(CRAWL, host, headOf(1, { token: host, dueAt: 1000 * (i + 1) })));
}

async function storeParts({ engine, wait }: World): Promise<void> {
  await wait(engine.ledgers.putPart(CRAWL, HOST, 'row', ROW));
  await wait(engine.ledgers.putPart(CRAWL, HOST, 'object', OBJECT));
}

const partsOf = async (world: World) => {
  const { engine, wait } = world.other();
  const names = await wait(engine.ledgers.listParts(CRAWL, HOST));
  const objects = [...world.cloud.s3.objects(world.cloud.settings.bucket).keys()];
  return [names.sort(), objects.sort()];
};

/** Whatever a crash leaves is listed: objects that no row names would never be deleted. */
async function listsAllObjects(world: World): Promise<void> {
  const [names, objects] = (await partsOf(world)) as [string[], string[]];
  for (const object of objects) expect(names).toContain(object.slice(object.lastIndexOf('/') + 1));
}

/** The bytes of a WARC record, wherever they are. */
function bytesAt({ cloud }: World, { file, offset, length }: RecordLocation): string {
  const stored = cloud.s3.objects(cloud.settings.bucket).get(warcKey(warcFolder(CRAWL), file));
  return Buffer.from(stored?.bytes.subarray(offset, offset + length) ?? []).toString('latin1');
}

const uploadsLeft = async ({ cloud }: World) => cloud.s3.uploads(cloud.settings.bucket).size;

/** A member that comes in pieces, as those of large bodies do. */
async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield bytesOf(500 + i);
}

/** The members of some pages, one of them large. */
let archived: WarcMember[][];

beforeAll(async () => {
  let ids = 0;
  const records = { newId: () => recordId(`00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`) };
  archived = await Promise.all(
    [100, 6000, 200, 300].map(async (size) => {
      const body = bytesOf(size);
      const { members } = await encodeCapture(
        captureOf({ url: `http://${HOST}/${size}`, startedAt: T0, body }),
        records,
      );
      return [...members];
    }),
  );
});

/** Some WARC objects: small ones, one that is copied within S3, and one that is none. */
async function archive(world: World): Promise<RecordLocation[]> {
  const { engine, wait } = world;
  await createCrawl(world);
  const locations: RecordLocation[] = [];
  for (const members of archived) {
    locations.push(...(await wait(engine.archiveOf(CRAWL).append(members))));
    await wait(engine.archiveOf(CRAWL).flush());
  }
  const { bucket } = world.cloud.settings;
  const damaged = `${warcFolder(CRAWL)}/T-20260101000000-aaaaaaaaaa-00000.warc.gz`;
  world.cloud.s3.handle('PutObjectCommand', { Bucket: bucket, Key: damaged, Body: Buffer.from('no WARC') });
  await world.cloud.time.advance(1000);
  return locations;
}

async function compact({ clients, cloud, engine }: World) {
  const { bytes: _, ...done } = await compactCrawl({
    ...{ s3: clients.s3, dynamo: clients.dynamo, names: cloud.settings, crawl: CRAWL },
    ...{ clock: engine.clock, sizes: cloud.sizes, finished: true },
  });
  return done;
}

/** Every record where it is now, and what else is in the crawl's folder. */
async function archiveNow(world: World, locations: RecordLocation[]) {
  const { engine, clients, cloud, wait } = world.other();
  const resolver = joinedResolver(
    { dynamo: clients.dynamo, clock: engine.clock, table: cloud.settings.crawlState },
    CRAWL,
  );
  const records = (await wait(resolver.resolveAll(locations))).map((location) => bytesAt(world, location));
  const stored = cloud.s3.objects(cloud.settings.bucket);
  // A joined file's name is made of its bytes, among them random ids.
  const files = [...stored.keys()].map((key) => key.replace(/-[0-9a-f]{20}\./, '-HASH.')).sort();
  return { records, files, uploads: await uploadsLeft(world) };
}

const control = ({ engine, clients, cloud }: World) =>
  controlEngineOf({ engine, clients, meter: createMeter({ clock: engine.clock }) }, cloud.settings);

const TOTALS = 'UpdateItemCommand';
const OPERATIONS = [
  operation({
    name: 'sends messages to hosts',
    run: ({ engine }) => engine.queue.send(MESSAGES),
    look: leftInQueue,
    isConcurrent: true,
  }),
  operation({
    name: 'receives messages',
    prepare: sendMessages,
    run: async ({ engine }) => {
      await engine.queue.receive(2, 1000);
    },
    look: leftInQueue,
    // Messages received by then are returned.
    hides: ['ReceiveMessageCommand'],
  }),
  operation({
    name: 'acknowledges messages',
    prepare: received,
    run: ({ engine }, got) => engine.queue.acknowledge(got, got.deliveries),
    look: leftInQueue,
  }),
  operation({
    name: 'holds a host',
    prepare: received,
    run: ({ engine }, got) => engine.queue.hold(got, engine.clock.now() + 200_000),
    look: whenFree,
  }),
  operation({
    name: 'parks a host',
    prepare: received,
    run: ({ engine }, got) => engine.queue.park(got, 200_000),
    look: whenFree,
  }),
  operation({
    name: 'sends links, in several messages',
    run: ({ engine }) =>
      engine.exchange.send({
        crawl: CRAWL,
        links: Array.from({ length: 200 }, (_, i) => linkTo(`http://h${i * 7919}.test/${i ** 5}`)),
      }),
    async look(world) {
      const { engine, wait } = world.other();
      const parcels = await wait(engine.exchange.receive(100, 0));
      return [...new Set(parcels.flatMap(({ outLinks }) => outLinks.links.map(({ url }) => url)))].sort();
    },
    isConcurrent: true,
  }),
  operation({
    name: 'sends texts to the router',
    run: ({ engine }) => engine.exchange.sendTexts(['http://a.test/', 'http://b.test/']),
    look: async ({ cloud }) => {
      const bodies = [...cloud.sqs.messages(cloud.settings.linkQueueUrl)].map(({ body }) => body);
      return [...new Set(bodies)].sort();
    },
  }),
  operation({
    name: 'receives and acknowledges links',
    prepare: ({ engine, wait }) =>
      wait(engine.exchange.send({ crawl: CRAWL, links: [linkTo('http://a.test/')] })),
    async run({ engine, cloud }) {
      const parcels = await engine.exchange.receive(10, 1000);
      await engine.exchange.acknowledge(parcels);
      return [...cloud.sqs.messages(cloud.settings.linkQueueUrl)].length;
    },
    isOnce: true,
    hides: ['ReceiveMessageCommand'],
  }),
  operation({
    name: 'sends links to the shards',
    run: ({ engine }) => engine.linkShards.send(CRAWL, LINKS_BY_HOST),
    look: async ({ cloud }) =>
      (cloud.settings.linkShardUrls ?? []).map(
        (url) => new Set([...cloud.sqs.messages(url)].map(({ body }) => body)).size,
      ),
    isConcurrent: true,
  }),
  operation({
    name: 'stores a small part',
    run: ({ engine }) => engine.ledgers.putPart(CRAWL, HOST, 'row', ROW),
    look: partsOf,
  }),
  operation({
    name: 'stores a large part',
    run: ({ engine }) => engine.ledgers.putPart(CRAWL, HOST, 'object', OBJECT),
    look: partsOf,
    meanwhile: listsAllObjects,
  }),
  operation({
    name: 'reads a small part',
    prepare: storeParts,
    run: ({ engine }) => engine.ledgers.readPart(CRAWL, HOST, 'row', 10, 20),
  }),
  operation({
    name: 'reads a range of a large part',
    prepare: storeParts,
    run: ({ engine }) => engine.ledgers.readPart(CRAWL, HOST, 'object', 10, 20),
  }),
  operation({
    name: 'lists parts',
    prepare: storeParts,
    run: async ({ engine }) => (await engine.ledgers.listParts(CRAWL, HOST)).sort(),
  }),
  operation({
    name: 'deletes parts',
    prepare: storeParts,
    run: ({ engine }) => engine.ledgers.deleteParts(CRAWL, HOST, ['row', 'object', 'none']),
    look: partsOf,
    meanwhile: listsAllObjects,
  }),
  operation({
    name: 'commits the first head of a host',
    run: ({ engine }) => engine.ledgers.commit(CRAWL, HOST, headOf(1, { token: 't', urls: { waiting: 3 } })),
    look: async (world) => [await headsOf(world), await totalsOf(world)],
    hides: [TOTALS],
  }),
  operation({
    name: 'replaces a head',
    async prepare({ engine, wait }) {
      await wait(engine.ledgers.commit(CRAWL, HOST, headOf(1, { urls: { waiting: 3 } })));
    },
    async run({ engine }) {
      await engine.ledgers.loadHead(CRAWL, HOST);
      await engine.ledgers.commit(
        CRAWL,
        HOST,
        headOf(2, { dueAt: 7, urls: { waiting: 1, fetched: 2, gone: 9, failed: 1 } }),
      );
    },
    look: async (world) => [await headsOf(world), await totalsOf(world)],
    hides: [TOTALS],
    // A head that was replaced in vain is not at hand any more, so the difference is not known: `recount`
    // finds it.
    excuses: ['lost'],
  }),
  operation({
    name: 'loads a head',
    prepare: commitHosts,
    run: ({ engine }) => engine.ledgers.loadHead(CRAWL, HOST),
  }),
  operation({
    name: 'lists the hosts that are due',
    prepare: commitHosts,
    run: ({ engine }) => engine.ledgers.dueHosts(CRAWL, 2500, 10),
    readsIndex: true,
    isConcurrent: true,
  }),
  operation({
    name: 'goes through all hosts',
    prepare: commitHosts,
    run: async ({ engine }) => (await allOf(engine.ledgers.hosts(CRAWL))).map(({ host }) => host).sort(),
  }),
  operation({
    name: 'gives the hosts page by page',
    prepare: commitHosts,
    async run(world) {
      const hosts: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await control(world).ledgers.hostPage(CRAWL, cursor, 3);
        hosts.push(...page.hosts.map(({ host }) => host));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return hosts.sort();
    },
  }),
  operation({
    name: 'creates a crawl',
    async run({ engine }) {
      if (!(await engine.registry.load(CRAWL))) await engine.registry.create(CRAWL, RECORD);
    },
    look: crawlOf,
  }),
  operation({
    name: 'pauses a crawl',
    prepare: createCrawl,
    run: ({ engine }) => engine.registry.setStatus(CRAWL, 'paused', BY_OPERATOR),
    look: crawlOf,
  }),
  operation({
    name: 'resumes a crawl',
    async prepare(world) {
      await createCrawl(world);
      await world.wait(world.engine.registry.setStatus(CRAWL, 'paused'));
    },
    run: ({ engine }) =>
      engine.registry.setStatus(CRAWL, 'running', undefined, { from: ['paused', 'running'] }),
    look: crawlOf,
  }),
  operation({
    name: 'configures a crawl',
    prepare: createCrawl,
    run: ({ engine }) => engine.registry.configure(CRAWL, { maxPages: 99 }),
    look: crawlOf,
  }),
  operation({
    name: 'adds scope seeds',
    prepare: createCrawl,
    run: ({ engine }) => engine.registry.addScopeSeeds(CRAWL, ['http://b.test/']),
    look: crawlOf,
  }),
  operation({
    name: 'reads the totals',
    async prepare(world) {
      await createCrawl(world);
      await commitHosts(world);
    },
    run: async ({ engine }) => {
      const { activeMs: _, ...totals } = await engine.registry.totals(CRAWL);
      return totals;
    },
    isConcurrent: true,
  }),
  operation({
    name: 'finds that a host is due',
    readsIndex: true,
    async prepare(world) {
      await createCrawl(world);
      await commitHosts(world);
    },
    run: ({ engine }) => engine.registry.isQuiet(CRAWL),
    isConcurrent: true,
  }),
  operation({
    name: 'finds that a crawl is quiet',
    async prepare(world) {
      await createCrawl(world);
      await world.wait(world.engine.registry.isQuiet(CRAWL));
      await world.cloud.time.advance(120_000);
    },
    run: ({ engine }) => engine.registry.isQuiet(CRAWL),
    isConcurrent: true,
  }),
  operation({
    name: 'counts all heads again',
    async prepare(world) {
      await createCrawl(world);
      await commitHosts(world);
      // Other processes' shares of the totals are replaced, too.
      const { engine, wait } = world.other();
      await wait(engine.ledgers.commit(CRAWL, 'z.test', headOf(1, { urls: { gone: 5 } })));
    },
    run: ({ engine }) => engine.registry.recount(CRAWL, engine.ledgers),
    look: totalsOf,
  }),
  operation({
    name: 'archives small records',
    prepare: createCrawl,
    async run(world) {
      const archive = world.engine.archiveOf(CRAWL);
      const locations = await archive.append([[bytesOf(100)], [bytesOf(200)]]);
      await archive.flush();
      return locations.map((location) => bytesAt(world, location));
    },
  }),
  operation({
    name: 'archives more than an object holds',
    prepare: createCrawl,
    async run(world) {
      const archive = world.engine.archiveOf(CRAWL);
      const locations: RecordLocation[] = [];
      for (let i = 0; i < 3; i++) locations.push(...(await archive.append([[bytesOf(1900 + i)]])));
      await archive.flush();
      return locations.map((location) => bytesAt(world, location));
    },
    isConcurrent: true,
  }),
  operation({
    name: 'archives on and on',
    prepare: createCrawl,
    async run(world) {
      const archive = world.engine.archiveOf(CRAWL);
      const locations: RecordLocation[] = [];
      for (let i = 0; i < 3; i++) locations.push(...(await archive.append([[bytesOf(1900 + i)]])));
      // A block that is stored at once is stored by then, or has failed: then the flush stores it.
      await world.engine.clock.sleep(1000);
      await archive.flush();
      return locations.map((location) => bytesAt(world, location));
    },
    hides: ['PutItemCommand', 'PutObjectCommand'],
    isConcurrent: true,
  }),
  operation({
    name: 'archives a large record in parts',
    prepare: createCrawl,
    async run(world) {
      const locations = await world.engine.archiveOf(CRAWL).append([pieces(10), pieces(2)]);
      return locations.map((location) => bytesAt(world, location));
    },
    look: uploadsLeft,
    // A lifecycle rule of the bucket ends what nobody could.
    excuses: ['isDown', 'lost', 'repeated'],
  }),
  operation({
    name: 'compacts an archive',
    isCompressed: true,
    prepare: archive,
    run: compact,
    look: archiveNow,
    hides: ['AbortMultipartUploadCommand', 'DeleteItemCommand'],
    // A lease that could not be given back ends by itself. A lifecycle rule ends an upload of which it is
    // unknown.
    againAfterMs: LEASES_MS,
    excuses: ['repeated'],
    isConcurrent: true,
  }),
  operation({
    name: 'finds joined records',
    isCompressed: true,
    async prepare(world) {
      const locations = await archive(world);
      await world.wait(compact(world));
      return locations;
    },
    async run(world, locations) {
      const resolver = control(world);
      const records: string[] = [];
      for (const location of locations) {
        const place = await resolver.locate?.(CRAWL, location);
        records.push(bytesAt(world, place ?? location));
      }
      return records;
    },
  }),
  operation({
    name: 'lists WARC files',
    isCompressed: true,
    prepare: archive,
    run: async (world) => (await control(world).warcFiles?.(CRAWL))?.length,
  }),
  operation({
    name: 'puts a message on the dead letters',
    run: ({ clients, engine, cloud }) =>
      createDeadLetter({
        client: clients.sqs,
        queueUrl: cloud.settings.linkDeadLetterUrl,
        clock: engine.clock,
      })('x', 'y'),
    look: async ({ cloud }) => [...cloud.sqs.messages(cloud.settings.linkDeadLetterUrl)][0]?.body,
  }),
];

describeOperations(OPERATIONS, openGolden('struck-calls.txt', import.meta.url));
