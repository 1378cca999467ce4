/**
 * Heads, parts and crawls on DynamoDB and S3, held to the contract suite; queues and clock are the tests'
 * double.
 */
import { type BatchWriteItemCommandInput, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { type DeleteObjectsCommandInput, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SIZES } from '../../shared/core/base/sizes.ts';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import { createDeletions } from '../../shared/engines/aws/deletion/begin-deletion.ts';
import { createCrawlDeletions } from '../../shared/engines/aws/deletion/crawl-deletions.ts';
import { type AwsLedgerStore, createLedgerStore } from '../../shared/engines/aws/state/ledger-store.ts';
import { type AwsCrawlRegistry, createRegistry } from '../../shared/engines/aws/state/registry.ts';
import { partsPrefix, QUIET } from '../../shared/engines/aws/state/tables.ts';
import { itemKey } from '../../shared/engines/aws/table/item.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { ledgerStoreContract } from '../contract/ledger-store-contract.ts';
import { registryContract } from '../contract/registry-contract.ts';
import type { Subject } from '../contract/subject.ts';
import { CRAWL, headOf, RECORD } from '../contract/subjects.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { hasEmulator, makeResources, type Resources } from './resources.ts';

interface StateEngine extends Engine {
  readonly ledgers: AwsLedgerStore;
  readonly registry: AwsCrawlRegistry;
}

function engineOn({ dynamo, s3, ...resources }: Resources, dueShards?: number): StateEngine {
  const names = { ...resources.names, dueShards };
  const memory = createMemoryEngine(systemClock);
  const registry = createRegistry({
    dynamo,
    names,
    clock: systemClock,
    settleMs: 1000,
    hasMessages: async () => !(await memory.registry.isQuiet(CRAWL)),
  });
  const ledgers = createLedgerStore({ dynamo, s3, names, clock: systemClock, onCommit: registry.onCommit });
  return { ...memory, registry, ledgers };
}

describe.runIf(hasEmulator())('state on DynamoDB and S3', () => {
  let resources: Resources;
  let engine: StateEngine;
  beforeEach(async () => {
    resources = await makeResources();
    engine = engineOn(resources);
  });
  afterEach(() => resources.remove());

  const subject: Subject = {
    get engine() {
      return engine;
    },
    get opened() {
      // Another process has nothing in memory, and finds the same tables.
      return { engine, reopen: async () => engineOn(resources), close: async () => {} };
    },
    openWith: async () => engine,
    lacks: () => undefined,
    pass: (ms) => systemClock.sleep(ms),
    until: (promise) => promise,
  };

  describe('ledger store', () => ledgerStoreContract(subject));
  describe('crawl registry', () => registryContract(subject));

  /**
   * Ends the connection after the next command of that name was carried out, or the `nth`; gives how often it was
   * then sent.
   */
  function loseAnswerTo(command: string, nth = 1): () => number {
    let sent = 0;
    resources.dynamo.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const isStruck = commandName === command && ++sent === nth;
          const result = await next(args);
          if (isStruck) throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
          return result;
        },
      // Within the SDK's own retries.
      { step: 'finalizeRequest', priority: 'low', name: 'loseAnswer', override: true },
    );
    return () => sent;
  }

  test('a head whose answer was lost is committed, and counts once', async () => {
    const { ledgers, registry } = engine;
    // The first is the entry in the directory of hosts.
    const first = loseAnswerTo('PutItemCommand', 2);
    await ledgers.commit(CRAWL, 'a.test', headOf(1, { token: 'a', urls: { waiting: 2 } }));
    expect(first()).toBe(3);
    expect((await registry.totals(CRAWL)).urls.waiting).toBe(2);
    await ledgers.loadHead(CRAWL, 'a.test');
    const second = loseAnswerTo('PutItemCommand');
    await ledgers.commit(CRAWL, 'a.test', headOf(2, { token: 'b', urls: { waiting: 5 } }));
    expect(second()).toBe(2);
    expect(await registry.totals(CRAWL)).toMatchObject({ hosts: 1, urls: { waiting: 5 } });
    expect((await ledgers.loadHead(CRAWL, 'a.test'))?.token).toBe('b');
  });

  test('a counter whose answer was lost counts once', async () => {
    const sent = loseAnswerTo('UpdateItemCommand');
    await engine.ledgers.commit(CRAWL, 'a.test', headOf(1, { totals: { pages: 3 } }));
    expect(sent()).toBe(2);
    expect((await engine.registry.totals(CRAWL)).pages).toBe(3);
  });

  test('a change of a crawl whose answer was lost is made once', async () => {
    await engine.registry.create(CRAWL, RECORD);
    const sent = loseAnswerTo('TransactWriteItemsCommand');
    await engine.registry.setStatus(CRAWL, 'paused');
    expect(sent()).toBe(2);
    await expect(engine.registry.create(CRAWL, RECORD)).rejects.toThrow('already');
  });

  test('differences that could not be counted are counted with the next ones, or by a recount', async () => {
    const { dynamo, names } = resources;
    const isDown = { value: true };
    dynamo.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'UpdateItemCommand' && isDown.value) throw new Error('no counters today');
          return next(args);
        },
      { step: 'initialize' },
    );
    const { ledgers, registry } = engine;
    await ledgers.commit(CRAWL, 'a.test', headOf(1, { totals: { pages: 3 } }));
    await ledgers.commit(CRAWL, 'b.test', headOf(1, { totals: { pages: 4, httpStatus: { 200: 4 } } }));
    expect((await registry.totals(CRAWL)).pages).toBe(0);
    const another = createRegistry({ dynamo, names, clock: systemClock, hasMessages: async () => false });
    await another.recount(CRAWL, ledgers);
    expect(await another.totals(CRAWL)).toMatchObject({ hosts: 2, pages: 7, httpStatus: { 200: 4 } });
    await another.recount('nobody', ledgers);
    isDown.value = false;
    await ledgers.commit(CRAWL, 'c.test', headOf(1, { totals: { pages: 10 } }));
    expect(await registry.totals(CRAWL)).toMatchObject({ hosts: 5, pages: 24 });
    await registry.recount(CRAWL, ledgers);
    expect(await registry.totals(CRAWL)).toMatchObject({ hosts: 3, pages: 17 });
  });

  test('concurrent commits add up, few updates serving many', async () => {
    let updates = 0;
    resources.dynamo.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          if (commandName === 'UpdateItemCommand') updates++;
          return next(args);
        },
      { step: 'initialize' },
    );
    const hosts = Array.from({ length: 100 }, (_, i) => `h${i}.test`);
    await Promise.all(
      hosts.map((host, i) =>
        engine.ledgers.commit(CRAWL, host, headOf(1, { urls: { waiting: i }, totals: { pages: 1 } })),
      ),
    );
    expect(await engine.registry.totals(CRAWL)).toMatchObject({
      hosts: 100,
      hostsWaiting: 99,
      pages: 100,
      urls: { waiting: 4950 },
    });
    expect(updates).toBeLessThan(100);
  });

  test('large parts are objects, small ones rows; what is deleted leaves no object', async () => {
    const { ledgers } = engine;
    const objects = async () => {
      const { s3, names } = resources;
      const listing = new ListObjectsV2Command({ Bucket: names.bucket, Prefix: partsPrefix(CRAWL) });
      return (await s3.send(listing)).KeyCount;
    };
    await ledgers.putPart(CRAWL, '[::1]:8080', 's1-a', new Uint8Array(SIZES.maxRowBytes));
    expect(await objects()).toBe(0);
    await ledgers.putPart(CRAWL, '[::1]:8080', 's2-a', new Uint8Array(SIZES.maxRowBytes + 1));
    expect(await objects()).toBe(1);
    await ledgers.deleteParts(CRAWL, '[::1]:8080', ['s1-a', 's2-a', 's3-never']);
    expect(await objects()).toBe(0);
    expect(await ledgers.listParts(CRAWL, '[::1]:8080')).toEqual([]);
  });

  test.each([100, 20_000])('a name of a part of %i bytes is not used for other bytes', async (size) => {
    const { ledgers } = engine;
    await ledgers.putPart(CRAWL, 'a.test', 's1-a', new Uint8Array(size));
    await expect(ledgers.putPart(CRAWL, 'a.test', 's1-a', new Uint8Array(size).fill(1))).rejects.toThrow(
      'differs',
    );
    await expect(ledgers.putPart(CRAWL, 'a.test', 's1-a', new Uint8Array(size + 1))).rejects.toThrow(
      'differs',
    );
    expect(await ledgers.readPart(CRAWL, 'a.test', 's1-a')).toEqual(new Uint8Array(size));
  });

  test('more parts than one call takes are listed and deleted', async () => {
    const { ledgers } = engine;
    const names = Array.from({ length: 130 }, (_, i) => `s${i}-a`);
    await Promise.all(
      names.map((name) => ledgers.putPart(CRAWL, 'a.test', name, Buffer.alloc(SIZES.maxRowBytes))),
    );
    expect((await ledgers.listParts(CRAWL, 'a.test')).sort()).toEqual([...names].sort());
    await ledgers.deleteParts(CRAWL, 'a.test', names);
    expect(await ledgers.listParts(CRAWL, 'a.test')).toEqual([]);
  });

  test('entries of a batch that were not done are done at the next try, and refused ones throw', async () => {
    const { ledgers } = engine;
    const names = Array.from({ length: 10 }, (_, i) => `s${i}-a`);
    for (const name of names) await ledgers.putPart(CRAWL, 'a.test', name, Buffer.alloc(10));
    let calls = 0;
    let code = 'SlowDown';
    resources.s3.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          if (commandName === 'DeleteObjectsCommand' && ++calls === 1) {
            const { Objects } = (args.input as DeleteObjectsCommandInput).Delete!;
            const Errors = Objects!.slice(3, 5).map(({ Key }) => ({ Key, Code: code }));
            return { ...result, output: { ...result.output, Errors } };
          }
          return result;
        },
      { step: 'initialize' },
    );
    let writes = 0;
    resources.dynamo.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          const { RequestItems } = args.input as BatchWriteItemCommandInput;
          if (commandName !== 'BatchWriteItemCommand' || ++writes > 1) return next(args);
          // As a throttled table: it takes none of them.
          const output = { UnprocessedItems: RequestItems, $metadata: {} };
          return Promise.resolve({ output, response: undefined }) as ReturnType<typeof next>;
        },
      { step: 'initialize' },
    );
    await ledgers.deleteParts(CRAWL, 'a.test', names);
    expect([calls, writes]).toEqual([2, 2]);
    expect(await ledgers.listParts(CRAWL, 'a.test')).toEqual([]);
    calls = 0;
    code = 'AccessDenied';
    await expect(ledgers.deleteParts(CRAWL, 'a.test', names)).rejects.toThrow('AccessDenied');
  });

  test('of very many due hosts, as many are given as requested', async () => {
    const hosts = Array.from({ length: 300 }, (_, i) => `h${i}.test`);
    await Promise.all(
      hosts.map((host, i) => engine.ledgers.commit(CRAWL, host, headOf(1, { dueAt: 1e6 + i * 20_000 }))),
    );
    const due = await engine.ledgers.dueHosts(CRAWL, 1e6 + 249 * 20_000, 200);
    expect(due.map(({ host }) => host)).toEqual(hosts.slice(0, 200));
    expect((await engine.ledgers.dueHosts(CRAWL, 1e6 + 49 * 20_000, 200)).length).toBe(50);
  });

  test('due hosts are found, and keep a crawl busy, after the index has got more shards', async () => {
    const hosts = Array.from({ length: 20 }, (_, i) => `h${i}.test`);
    await engine.registry.create(CRAWL, RECORD);
    const few = engineOn(resources, 2);
    for (const [i, host] of hosts.entries())
      await few.ledgers.commit(CRAWL, host, headOf(1, { dueAt: 1e6 + i }));
    const many = engineOn(resources, 64);
    const due = await many.ledgers.dueHosts(CRAWL, 2e6, 100);
    expect(due.map(({ host }) => host)).toEqual(hosts);
    expect(await many.registry.isQuiet(CRAWL)).toBe(false);
  });

  test('gives the hosts of one crawl page by page', async () => {
    const hosts = Array.from({ length: 45 }, (_, i) => `h${i}.test`);
    await Promise.all(
      hosts.flatMap((host) => [CRAWL, 'other'].map((crawl) => engine.ledgers.commit(crawl, host, headOf(1)))),
    );
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await engine.ledgers.hostPage(CRAWL, cursor, 10);
      expect(page.hosts.length).toBeLessThanOrEqual(10);
      for (const { host, head } of page.hosts) {
        expect(head.version).toBe(1);
        found.push(host);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(found.sort()).toEqual([...hosts].sort());
  });

  test('a crawl that does not run is quiet though hosts stay due; what is noted of it may expire', async () => {
    const { dynamo, s3, names } = resources;
    let now = 1e12;
    const clock = { ...systemClock, now: () => now };
    const registry = createRegistry({ dynamo, names, clock, hasMessages: async () => false });
    const ledgers = createLedgerStore({ dynamo, s3, names, clock });
    await registry.create(CRAWL, RECORD);
    await ledgers.commit(CRAWL, 'a.test', headOf(1, { dueAt: 5 }));
    expect(await registry.isQuiet(CRAWL)).toBe(false);
    now += 100_000;
    expect(await registry.isQuiet(CRAWL)).toBe(false);
    await registry.setStatus(CRAWL, 'paused');
    expect(await registry.isQuiet(CRAWL)).toBe(false);
    now += 60_000;
    expect(await registry.isQuiet(CRAWL)).toBe(true);
    const { Item } = await dynamo.send(
      new GetItemCommand({ TableName: names.crawlState, Key: itemKey(CRAWL, QUIET) }),
    );
    expect(Number(Item?.expiresAt?.N)).toBe(now / 1000 + 7 * 86_400);
    await registry.setStatus(CRAWL, 'running');
    now += 60_000;
    expect(await registry.isQuiet(CRAWL)).toBe(false);
  });

  test('is quiet after two looks that found nothing, with nothing between them', async () => {
    const { dynamo, s3, names } = resources;
    let now = 1e12;
    let hasMessages = false;
    const clock = { ...systemClock, now: () => now };
    const open = () =>
      createRegistry({ dynamo, names, clock, settleMs: 60_000, hasMessages: async () => hasMessages });
    // Each look is another process's.
    const look = async (afterMs: number) => {
      now += afterMs;
      return open().isQuiet(CRAWL);
    };
    await open().create(CRAWL, RECORD);
    expect(await look(0)).toBe(false);
    expect(await look(59_999)).toBe(false);
    expect(await look(1)).toBe(true);
    hasMessages = true;
    expect(await look(1)).toBe(false);
    hasMessages = false;
    expect(await look(1)).toBe(false);
    expect(await look(59_999)).toBe(false);
    const { onCommit } = open();
    await createLedgerStore({ dynamo, s3, names, clock, onCommit }).commit(CRAWL, 'a.test', headOf(1));
    expect(await look(1)).toBe(false);
    expect(await look(59_999)).toBe(true);
    await open().addScopeSeeds(CRAWL, RECORD.scopeSeeds);
    expect(await look(1)).toBe(false);
    expect(await look(60_000)).toBe(true);
  });

  test('is quiet in the end while other crawls keep the queues busy, if nothing comes to it', async () => {
    const { dynamo, s3, names } = resources;
    let now = 1e12;
    const clock = { ...systemClock, now: () => now };
    const registry = createRegistry({ dynamo, names, clock, hasMessages: async () => true });
    const ledgers = createLedgerStore({ dynamo, s3, names, clock, onCommit: registry.onCommit });
    await registry.create(CRAWL, RECORD);
    expect(await registry.isQuiet(CRAWL)).toBe(false);
    now += 449_000;
    expect(await registry.isQuiet(CRAWL)).toBe(false);
    await ledgers.commit(CRAWL, 'a.test', headOf(1, { dueAt: 5 }));
    expect(await registry.isQuiet(CRAWL)).toBe(false);
    await ledgers.commit(CRAWL, 'a.test', headOf(2));
    expect(await registry.isQuiet(CRAWL)).toBe(false);
    // As often as the waker looks: a clock that is set forward passes no time.
    for (let looks = 0; looks < 6; looks++) {
      now += 449_000 / 6;
      expect(await registry.isQuiet(CRAWL)).toBe(false);
    }
    now += 1000;
    expect(await registry.isQuiet(CRAWL)).toBe(true);
  });

  test('lists crawls, keeps thousands of seeds, and counts the time that a crawl runs', async () => {
    const { registry } = engine;
    expect(await registry.list()).toEqual([]);
    const scopeSeeds = Array.from(
      { length: 10_000 },
      (_, i) => `http://host-${i}.test/some/path?id=${i * 7}`,
    );
    await registry.create('large', { ...RECORD, scopeSeeds });
    await registry.create('paused', { ...RECORD, status: 'paused' });
    expect((await registry.load('large'))?.scopeSeeds).toEqual(scopeSeeds);
    expect(await registry.list()).toEqual(['large', 'paused']);
    expect(await registry.listRunning()).toEqual(['large']);
    const { activeMs } = await registry.totals('large');
    await registry.setStatus('large', 'stopped');
    expect(await registry.listRunning()).toEqual([]);
    const stopped = (await registry.totals('large')).activeMs;
    expect(stopped).toBeGreaterThanOrEqual(activeMs);
    expect((await registry.totals('large')).activeMs).toBe(stopped);
    expect((await registry.totals('paused')).activeMs).toBe(0);
    await expect(registry.setStatus('nobody', 'paused')).rejects.toThrow('no crawl nobody');
  });

  test('a crawl is to be announced until its end was announced, and again when it has run again', async () => {
    const { registry } = engine;
    const unfinished = { entry: expect.any(String), finishTries: 0, isFinishDone: false };
    const loaded = async () => (await registry.loadUnannounced('ending'))!;
    await registry.create('ending', { ...RECORD, status: 'running' });
    expect(await registry.listUnannounced()).toEqual([
      { crawl: 'ending', tries: 0, retryAt: 0, ...unfinished },
    ]);
    const before = await loaded();
    await registry.resume('ending');
    // It has run since.
    await registry.noteAnnounced(before);
    expect(await registry.listUnannounced()).toHaveLength(1);
    await registry.setStatus('ending', 'finished');
    const ended = await loaded();
    await registry.delayAnnouncement({ ...ended, tries: 2, retryAt: 5 });
    expect(await registry.listUnannounced()).toEqual([
      { crawl: 'ending', tries: 2, retryAt: 5, ...unfinished },
    ]);
    await registry.noteAnnounced(ended);
    await registry.delayAnnouncement({ ...ended, tries: 3, retryAt: 9 });
    expect(await registry.listUnannounced()).toEqual([]);
    await registry.setStatus('ending', 'running');
    expect(await registry.listUnannounced()).toEqual([
      { crawl: 'ending', tries: 0, retryAt: 0, ...unfinished },
    ]);
    await registry.setStatus('ending', 'stopped');
    await registry.noteAnnounced(await loaded());
  });

  test('a crawl is deleted from both tables and the bucket, and another crawl stays', async () => {
    const { registry, ledgers } = engine;
    const { dynamo, s3, names } = resources;
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const context = { dynamo, s3, clock, names, registry, ledgers };
    const control = createDeletions({ ...context, table: names.crawlState });
    const deletions = createCrawlDeletions(context);
    for (const crawl of ['gone', 'kept']) {
      await registry.create(crawl, RECORD);
      await ledgers.putPart(crawl, 'a.test', 's1-a', new Uint8Array(10));
      await ledgers.putPart(crawl, 'a.test', 'r1-a.done', new Uint8Array(SIZES.maxRowBytes + 1));
      await ledgers.commit(crawl, 'a.test', headOf(1));
      await s3.send(
        new PutObjectCommand({ Bucket: names.bucket, Key: `warc/${crawl}/x.warc.gz`, Body: 'x' }),
      );
    }
    expect(await control.begin('gone', { archive: false })).toMatchObject({ stoppedAt: now, archive: false });
    expect(await control.begin('gone', { archive: true })).toMatchObject({ stoppedAt: now, archive: true });
    await deletions.proceed('gone');
    expect((await registry.load('gone'))?.status).toBe('stopped');
    now += control.settleMs;
    expect(await deletions.proceed('gone')).toMatchObject({ deletedAt: now });
    expect(await deletions.pending()).toEqual([]);
    expect(await registry.load('gone')).toBeUndefined();
    expect(await registry.list()).toEqual(['kept']);
    expect(await ledgers.listParts('gone', 'a.test')).toEqual([]);
    expect(await ledgers.listParts('kept', 'a.test')).toHaveLength(2);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: names.bucket }));
    expect(Contents.map(({ Key }) => Key?.split('/')[1])).toEqual(['kept', 'kept']);
    now += 16 * 86_400_000;
    expect(await control.load('gone')).toBeUndefined();
  });
});
