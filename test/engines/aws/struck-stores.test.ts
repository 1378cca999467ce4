/** Every call of the smaller stores of a stack, struck: the objects of exports, links left out, notes, directories, workers that are started. */

import { gzipSync } from 'node:zlib';
import { compactCrawl } from '../../../shared/engines/aws/archive/compactor.ts';
import { openItemTables } from '../../../shared/engines/aws/archive/item-table-plan.ts';
import {
  allJoinedSources,
  announceJoined,
  joinedSources,
  resolveLocation,
} from '../../../shared/engines/aws/archive/joined-warcs.ts';
import { asideFiles, forgetAside, setAside } from '../../../shared/engines/aws/archive/quarantined-files.ts';
import { ExportObjects } from '../../../shared/engines/aws/exports/export-objects.ts';
import { CrawlDirectory } from '../../../shared/engines/aws/state/crawl-directory.ts';
import { createQuietNotes } from '../../../shared/engines/aws/state/quiet.ts';
import { AwsWorkerPool } from '../../../shared/engines/aws/workers/worker-pool.ts';
import { putJson, readJson, storeFile } from '../../../shared/services/exports/export-store.ts';
import { CRAWL, headOf, RECORD } from '../../contract/subjects.ts';
import { openGolden } from '../../golden.ts';
import type { World } from './struck-calls.ts';
import { describeOperations, operation } from './struck-suite.ts';

const LEASES_MS = 400_000;
const bytesOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);

const contextOf = ({ clients: { dynamo, sqs, s3 }, engine: { clock }, cloud: { settings } }: World) => ({
  ...{ dynamo, sqs, s3, clock, table: settings.crawlState, names: settings, bucket: settings.bucket },
  crawl: CRAWL,
});

const objectsOf = (world: World) => new ExportObjects(contextOf(world), CRAWL, 'x');
/** The bytes of each object in the folder. */
const stored = async ({ cloud }: World, folder = '') =>
  [...cloud.s3.objects(cloud.settings.bucket)]
    .filter(([key]) => key.startsWith(folder))
    .map(([key, { bytes }]) => [key, Buffer.from(bytes).toString('latin1').length]);
const NEW_UPLOAD = { name: 'file', uploadId: undefined, partBytes: 2000, parts: [], bytes: 0, held: 0 };

/** All that is stored in tables, but the times. */
async function rows({ cloud: { dynamo, settings } }: World): Promise<string[]> {
  return [...dynamo.items(settings.crawlState)].map(({ pk, sk }) => `${pk?.S} ${sk?.S}`).sort();
}

const createCrawl = ({ engine, wait }: World) => wait(engine.registry.create(CRAWL, RECORD));
const notesOf = (world: World) => createQuietNotes(contextOf(world));
const directoryOf = (world: World) => new CrawlDirectory({ ...contextOf(world), name: '#crawls' });
const PLAN = {
  file: 'joined',
  bytes: 30,
  sources: [
    { file: 'one', offset: 0, bytes: 10 },
    { file: 'two', offset: 10, bytes: 20 },
  ],
} as never;

/** The pool of a stack that starts small workers by this. */
const poolOf = (world: World, startSmall: (start: object) => Promise<boolean>) =>
  new AwsWorkerPool({
    ...contextOf(world),
    ...world.cloud.settings,
    startSmall,
    maxWorkers: world.cloud.settings.workersPerQueue,
    renewedMs: 90_000,
    table: world.cloud.settings.crawlState,
  });
const startsOf = async ({ cloud }: World) =>
  [...cloud.sqs.messages(cloud.settings.startQueueUrl)].map(({ body }) => body).sort();

describeOperations(
  [
    operation({
      name: 'stores what an export keeps, and reads it',
      isCompressed: true,
      async run(world) {
        const objects = objectsOf(world);
        await objects.putWork('part', bytesOf(50));
        const size = await putJson(objects, 'facts', { n: 1 });
        await storeFile(objects, 'result', [bytesOf(20)]);
        const read = objects.workReader('part', 50);
        return [
          await readJson(objects, 'facts', size),
          await readJson(objects, 'facts'),
          await objects.readWork('part', 10),
          await read(40, 30),
          await read(10, 5),
        ];
      },
      look: (world) => stored(world, 'export'),
    }),
    operation({
      name: 'deletes some of what an export keeps, then all',
      async prepare(world) {
        for (const name of ['a', 'b', 'c']) await world.wait(objectsOf(world).putWork(name, bytesOf(9)));
        await world.wait(storeFile(objectsOf(world), 'a', [bytesOf(9)]));
      },
      async run(world) {
        await objectsOf(world).deleteWork(['a']);
        const left = await stored(world, 'export');
        await objectsOf(world).deleteAllWork();
        return left;
      },
      look: (world) => stored(world, 'export'),
      isOnce: true,
    }),
    operation({
      name: 'uploads a small file of an export',
      async run(world) {
        const upload = objectsOf(world).create('file');
        await upload.add(bytesOf(30));
        await upload.add(bytesOf(40));
        const { bytes } = upload;
        await upload.complete();
        return bytes;
      },
      look: (world) => stored(world, 'export'),
    }),
    operation({
      name: 'uploads a file of an export in parts, in two slices',
      async run(world) {
        const objects = objectsOf(world);
        const first = objects.resume(NEW_UPLOAD);
        for (const size of [1500, 1500, 300]) await first.add(bytesOf(size));
        const paused = await first.pause();
        const second = objects.resume(paused);
        const before = second.bytes;
        for (const size of [2500, 100]) await second.add(bytesOf(size));
        await second.complete();
        return [before, second.bytes, paused.bytes, paused.held, paused.parts.length];
      },
      look: (world) => stored(world, 'exports'),
      // A lifecycle rule of the bucket ends an upload of which nobody knows.
      excuses: ['repeated', 'lost'],
      isConcurrent: true,
    }),
    operation({
      name: 'gives up a file of an export',
      async run(world) {
        const upload = objectsOf(world).resume(NEW_UPLOAD);
        await upload.add(bytesOf(2100));
        await upload.abort();
        await objectsOf(world).create('none').abort();
      },
      look: async ({ cloud }) => [...cloud.s3.uploads(cloud.settings.bucket)].length,
      hides: ['CreateMultipartUploadCommand', 'UploadPartCommand', 'AbortMultipartUploadCommand'],
      // A lifecycle rule of the bucket ends what is left over.
      excuses: ['throttled', 'fails', 'isDown', 'lost', 'repeated'],
    }),
    operation({
      name: 'keeps links that were left out',
      async run({ engine: { skips } }) {
        skips.note(CRAWL, { url: 'http://a.test/1', reason: 'trap', via: 'http://a.test/' });
        skips.note(CRAWL, { url: 'http://a.test/1', reason: 'trap', via: 'http://a.test/' });
        skips.note('other', { url: 'http://b.test/1', reason: 'scope' });
        await skips.makeDurable(CRAWL);
        await skips.makeDurable(CRAWL);
        await skips.makeDurable('none');
      },
      look: async (world) => (await stored(world, 'skips')).length,
      isOnce: true,
    }),
    operation({
      name: 'stages changes and publishes them',
      async run({ engine }) {
        const changes = engine.changes as NonNullable<typeof engine.changes>;
        const none = await changes.stage(CRAWL, 'a.test', 1, []);
        const name = await changes.stage(CRAWL, 'a.test', 1, ['{"a":1}', '{"b":2}']);
        for (const one of [name, name, none]) await changes.publish(CRAWL, 'a.test', 1, one);
      },
      look: async (world) => (await stored(world)).map(([key, bytes]) => [String(key).split('/')[0], bytes]),
      excuses: ['fails', 'isDown', 'lost'],
    }),
    operation({
      name: 'notes the first pass of a crawl, its rules, and that something was sent to it',
      prepare: createCrawl,
      async run({ engine: { registry } }) {
        await registry.noteFirstPass(CRAWL, { at: 5 });
        await registry.noteFirstPass(CRAWL, { at: 6, isAnnounced: true });
        await registry.setUrlRulesVersion(CRAWL, 7);
        await registry.setUrlRulesVersion(CRAWL, 7);
        await registry.noteSent?.(CRAWL);
      },
      look: ({ engine: { registry }, wait }) => wait(registry.load(CRAWL)),
    }),
    operation({
      name: 'finishes a crawl that is quiet, and not one that is not',
      prepare: createCrawl,
      async run(world) {
        const { registry } = world.engine;
        const finish = () =>
          registry.setStatus(CRAWL, 'finished', undefined, { from: ['running'], isQuiet: true });
        const before = await finish();
        await notesOf(world).noteIdle(CRAWL, false);
        const other = await registry.setStatus(CRAWL, 'limited', undefined, { from: ['paused'] });
        return [before, other, await finish()];
      },
      look: ({ engine: { registry }, wait }) => wait(registry.listRunning()),
      isOnce: true,
    }),
    operation({
      name: 'counts the hosts that wait',
      async prepare(world) {
        await createCrawl(world);
        const { ledgers } = world.engine;
        for (const host of ['a.test', 'b.test'])
          await world.wait(ledgers.commit(CRAWL, host, headOf(1, { urls: { waiting: 2 } })));
        await world.wait(ledgers.commit(CRAWL, 'c.test', headOf(1, { urls: { fetched: 2 } })));
      },
      run: ({ engine: { registry } }) => registry.countWaitingHosts(CRAWL),
    }),
    operation({
      name: 'announces a crawl, after a try without success',
      prepare: createCrawl,
      async run({ engine: { registry } }) {
        const unannounced = await registry.loadUnannounced(CRAWL);
        if (unannounced === undefined) return [];
        await registry.delayAnnouncement({ ...unannounced, tries: 3, retryAt: 7 });
        await registry.noteAnnounced(unannounced);
        return registry.listUnannounced();
      },
      look: rows,
    }),
    operation({
      name: 'ends the copy of a crawl',
      prepare: async ({ engine, wait }) => {
        await wait(engine.registry.create(CRAWL, { ...RECORD, status: 'paused' }));
      },
      run: ({ engine: { registry } }) => registry.endCopy(CRAWL, { status: 'finished', activeMs: 9 }),
      look: ({ engine: { registry }, wait }) => wait(registry.load(CRAWL)),
    }),
    operation({
      name: 'notes since when a crawl is quiet',
      async run(world) {
        const notes = notesOf(world);
        await notes.noteIdle(CRAWL, true);
        await notes.noteRecounted(CRAWL);
        const { isRecounted } = await notes.noteIdle(CRAWL, false);
        const isNoted = await notes.isNoted(CRAWL);
        await notes.noteBusy(CRAWL);
        await notes.noteRecounted(CRAWL);
        return [isRecounted, isNoted];
      },
      look: rows,
      isOnce: true,
    }),
    operation({
      name: 'keeps the names of crawls',
      async run(world) {
        const directory = directoryOf(world);
        for (const crawl of ['a', 'b', 'c']) await directory.enter(crawl);
        await directory.strike('b');
        return directory.list();
      },
      look: rows,
    }),
    operation({
      name: 'announces a joined file, and finds records there',
      async run(world) {
        const context = contextOf(world);
        await announceJoined(context, CRAWL, PLAN);
        return [
          await allJoinedSources(context, CRAWL),
          await joinedSources(context, CRAWL, ['two', 'none']),
          await resolveLocation(context, CRAWL, { file: 'two', offset: 3, length: 4 }),
          await resolveLocation(context, CRAWL, { file: 'none', offset: 3, length: 4 }),
        ];
      },
      look: rows,
    }),
    operation({
      name: 'sets a file aside, and takes it back',
      async run(world) {
        const context = contextOf(world);
        await setAside(context, { file: 'f', problem: 'bad' }, 'e');
        await setAside(context, { file: 'g', problem: 'worse' }, 'e');
        const files = await asideFiles(context);
        await forgetAside(context, 'f');
        return files;
      },
      look: rows,
    }),
    operation({
      name: 'notes which items are in tables',
      async run(world) {
        const tables = await openItemTables(contextOf(world));
        await tables.replace({ until: 'a', late: [], tables: 1 });
        await tables.replace({ until: 'b', late: ['x'], tables: 2 });
        return (await openItemTables(contextOf(world))).state;
      },
      look: rows,
      isOnce: true,
    }),
    operation({
      name: 'makes tables of items',
      isCompressed: true,
      async prepare(world) {
        await createCrawl(world);
        const { s3, settings } = world.cloud;
        const put = (Key: string, text: string) =>
          s3.handle('PutObjectCommand', { Bucket: settings.bucket, Key, Body: gzipSync(text) });
        put(`items/${CRAWL}/20260101000000-a.jsonl.gz`, '{"n":1}\n{"n":2,"t":"x"}\n');
        put(`items/${CRAWL}/20260101000001-b.jsonl.gz`, '{"n":3}\nno JSON\n');
        put(`staged-items/${CRAWL}/20260101000000-c.jsonl.gz`, '{"n":4}\n');
        put(`items/${CRAWL}/mine.txt`, 'x');
        await world.cloud.time.advance(1000);
      },
      async run({ clients, cloud, engine }) {
        const warnings: string[] = [];
        const { itemTables, isCut } = await compactCrawl({
          ...{ s3: clients.s3, dynamo: clients.dynamo, names: cloud.settings, crawl: CRAWL },
          ...{ clock: engine.clock, sizes: cloud.sizes, finished: true, minAgeMs: 0 },
          warn: (message: string) => void warnings.push(message),
        });
        return [itemTables, isCut, warnings];
      },
      look: async (world) => (await stored(world)).map(([key]) => key),
      againAfterMs: LEASES_MS,
      hides: ['DeleteItemCommand'],
      excuses: ['repeated'],
      isConcurrent: true,
      isOnce: true,
    }),
    operation({
      name: 'starts workers at once and later',
      run: async ({ engine: { workers } }) => {
        await workers.start(0, 2, 5);
        await workers.start(1, 1, 1, { delayMs: 1500, isSmall: true });
        await workers.start(1, 1, 1, { delayMs: 10_000_000 });
      },
      look: startsOf,
      isOnce: true,
      excuses: ['repeated', 'lost', 'fails', 'isDown'],
    }),
    operation({
      name: 'starts a small worker',
      async run(world) {
        const asked: object[] = [];
        const pool = poolOf(world, async (start) => asked.push(start) > 1);
        return [
          await pool.startSmall(0, 1),
          await pool.startSmall(1, 2),
          await pool.members(1),
          asked.length,
        ];
      },
      look: async (world) => (await rows(world)).length,
      isOnce: true,
      excuses: ['fails', 'isDown', 'lost'],
    }),
    operation({
      name: 'makes sure that a turn queue has a worker',
      async run({ engine: { workers } }) {
        await workers.ensure(0);
        await workers.noteFewHosts(0);
        await workers.ensure(0);
        await workers.show(1, { id: 'w', hosts: 1, maxHosts: 10, isEnding: false });
        await workers.ensure(1);
        return [await workers.hasLostSmall(0), await workers.members(0)];
      },
      look: startsOf,
      isOnce: true,
      excuses: ['repeated', 'lost', 'fails', 'isDown'],
    }),
  ],
  openGolden('struck-stores.txt', import.meta.url),
);
