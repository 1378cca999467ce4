import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import type { CrawlRecord } from '../../../../shared/crawler/ports/crawl-registry.ts';
import { encodeCrawl } from '../../../../shared/engines/aws/state/crawl-record.ts';
import { CrawlStore } from '../../../../shared/engines/aws/state/crawl-store.ts';
import { type Item, itemKey, S } from '../../../../shared/engines/aws/table/item.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';
import { throttling } from '../throttled.ts';

/** Random names are hardly compressed. */
const recordOf = (seeds: number): CrawlRecord => ({
  config: {},
  scopeSeeds: Array.from(
    { length: seeds },
    (_, i) => `https://${(i * 2_654_435_761) % 4_294_967_296}.example/`,
  ),
  urlRulesVersion: 1,
  status: 'running',
});
const SMALL = recordOf(3);
const LARGE = recordOf(10_000);

function setUp() {
  const cloud = createSimCloud({ seed: 1 });
  const process = cloud.begin('worker');
  const { clock } = process;
  const { dynamo } = cloud.clientsOf(process);
  const table = cloud.settings.crawlState;
  /** The read units of all stores. */
  let units = 0;
  const send = dynamo.send.bind(dynamo) as (command: unknown) => Promise<object>;
  let onStamp: (() => Promise<void>) | undefined;
  const counting = {
    async send(command: { input: { Item?: Item }; constructor: { name: string } }) {
      const isStamp = command instanceof PutItemCommand && command.input.Item?.sk?.S === 'stamp';
      const hold = isStamp ? onStamp : undefined;
      if (hold) onStamp = undefined;
      await hold?.();
      const answer = await send(
        Object.assign(command, { input: { ...command.input, ReturnConsumedCapacity: 'TOTAL' } }),
      );
      const { ConsumedCapacity } = answer as { ConsumedCapacity?: { CapacityUnits?: number } };
      if (command.constructor.name === 'GetItemCommand') units += ConsumedCapacity?.CapacityUnits ?? 0;
      return answer;
    },
  } as unknown as typeof dynamo;
  const openOver = (dynamo: typeof counting) =>
    new CrawlStore({ dynamo, table, clock, onChange: async () => {} });
  return {
    clock,
    open: () => openOver(counting),
    /** A store whose calls are all refused once. */
    openThrottled: () => openOver(throttling(dynamo)),
    run: <T>(work: () => Promise<T>) => drive(cloud.time, work()),
    async reading(work: () => Promise<unknown>) {
      units = 0;
      await work();
      return units;
    },
    /** Holds the next write of a stamp. */
    holdStamp() {
      const held = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      onStamp = () => {
        held.resolve();
        return released.promise;
      };
      return { held: held.promise, now: () => released.resolve() };
    },
    async remove(name: string) {
      await dynamo.send(new DeleteItemCommand({ TableName: table, Key: itemKey('news', name) }));
    },
    async put(crawl: string, item: Item) {
      const Item = { ...itemKey(crawl, 'crawl'), ...item };
      await dynamo.send(new PutItemCommand({ TableName: table, Item }));
    },
    /** As a version before stamps wrote it. */
    async putAsBefore(record: CrawlRecord, version: number) {
      const item = encodeCrawl({ record, version, activeMs: 0 });
      const Item = { ...itemKey('news', 'crawl'), ...item, nonce: S(clock.uuid()) };
      await dynamo.send(new PutItemCommand({ TableName: table, Item }));
    },
  };
}

const stop = (record: CrawlRecord): CrawlRecord => ({ ...record, status: 'stopped' });

test('a large record is read once, and then its stamp alone until it changes', () => {
  const { open, run, reading, clock } = setUp();
  return run(async () => {
    const [worker, operator] = [open(), open()];
    await operator.put('news', { record: LARGE, version: 1, activeMs: 0 });
    const load = () => worker.load('news');
    expect(await reading(load)).toBeGreaterThan(10);
    for (let i = 0; i < 20; i++) {
      await clock.sleep(2000);
      expect(await reading(load)).toBe(1);
    }
    expect((await load())?.record).toEqual(LARGE);
    await operator.changeRecord('news', stop);
    expect((await load())?.record.status).toBe('stopped');
    expect(await reading(load)).toBe(1);
  });
});

test('a small record is read itself', () => {
  const { open, run, reading } = setUp();
  return run(async () => {
    const [worker, operator] = [open(), open()];
    await operator.put('news', { record: SMALL, version: 1, activeMs: 0 });
    for (let i = 0; i < 3; i++) expect(await reading(() => worker.load('news'))).toBe(1);
    await operator.changeRecord('news', stop);
    expect((await worker.load('news'))?.record.status).toBe('stopped');
  });
});

test.each([
  ['that grows', SMALL, LARGE],
  ['that shrinks', LARGE, SMALL],
])('a record %s is seen at once', (_, before, after) => {
  const { open, run } = setUp();
  return run(async () => {
    const [worker, operator] = [open(), open()];
    await operator.put('news', { record: before, version: 1, activeMs: 0 });
    await worker.load('news');
    await worker.load('news');
    await operator.changeRecord('news', () => after);
    expect((await worker.load('news'))?.record).toEqual(after);
    await operator.changeRecord('news', stop);
    expect((await worker.load('news'))?.record.status).toBe('stopped');
  });
});

test('a record that has shrunk costs one read again, and is gone once it was not found', () => {
  const { open, run, reading, remove } = setUp();
  return run(async () => {
    const [worker, operator] = [open(), open()];
    await operator.put('news', { record: LARGE, version: 1, activeMs: 0 });
    await worker.load('news');
    await operator.changeRecord('news', () => SMALL);
    await worker.load('news');
    expect(await reading(() => worker.load('news'))).toBe(1);
    await operator.changeRecord('news', () => LARGE);
    await worker.load('news');
    // Its stamp is still there.
    await remove('crawl');
    expect(await worker.loadNow('news')).toBeUndefined();
    expect(await worker.load('news')).toBeUndefined();
  });
});

test.each([
  ['small', SMALL],
  ['large', LARGE],
])('a %s record is stored, read and changed, though each call is refused once for its rate', (_, record) => {
  const { open, openThrottled, run } = setUp();
  return run(async () => {
    const store = openThrottled();
    expect(await store.put('news', { record, version: 1, activeMs: 0 })).toBe(true);
    expect((await store.load('news'))?.record).toEqual(record);
    await store.changeRecord('news', stop);
    expect((await store.load('news'))?.record.status).toBe('stopped');
    expect((await open().load('news'))?.version).toBe(2);
  });
});

test('a crawl of a version without stamps is read, and its changes by such a version within a minute', () => {
  const { open, run, clock, putAsBefore, reading } = setUp();
  return run(async () => {
    const worker = open();
    await putAsBefore(LARGE, 1);
    for (let i = 0; i < 3; i++) expect((await worker.load('news'))?.record).toEqual(LARGE);
    await worker.changeRecord('news', (record) => ({ ...record, begunBy: 'ours' }));
    await worker.load('news');
    expect(await reading(() => worker.load('news'))).toBe(1);
    // Rolled back: the stamp stays as it is.
    await putAsBefore(stop(LARGE), 3);
    await clock.sleep(60_000);
    expect((await worker.load('news'))?.record.status).toBe('stopped');
    // And deployed again.
    await worker.changeRecord('news', () => LARGE);
    expect(await worker.load('news')).toMatchObject({ version: 4, record: { status: 'running' } });
  });
});

test('the stamp of an earlier change that comes late does not hide a later one', () => {
  const { open, run, holdStamp } = setUp();
  return run(async () => {
    const [worker, first, second] = [open(), open(), open()];
    await first.put('news', { record: LARGE, version: 1, activeMs: 0 });
    const release = holdStamp();
    const changed = first.changeRecord('news', (record) => ({ ...record, begunBy: 'first' }));
    await release.held;
    expect((await worker.load('news'))?.record.begunBy).toBe('first');
    await second.changeRecord('news', stop);
    release.now();
    await changed;
    expect((await worker.load('news'))?.record.status).toBe('stopped');
  });
});

test('the late stamp of a crawl that was deleted does not hide the one that has its name now', () => {
  const { open, run, holdStamp, remove } = setUp();
  return run(async () => {
    const [worker, first, second] = [open(), open(), open()];
    await first.put('news', { record: LARGE, version: 1, activeMs: 0 });
    const release = holdStamp();
    const changed = first.changeRecord('news', (record) => ({ ...record, begunBy: 'deleted' }));
    await release.held;
    expect((await worker.load('news'))?.record.begunBy).toBe('deleted');
    await remove('crawl');
    await remove('stamp');
    await second.put('news', { record: LARGE, version: 1, activeMs: 0 });
    await second.changeRecord('news', (record) => ({ ...record, begunBy: 'new' }));
    release.now();
    await changed;
    expect((await worker.load('news'))?.record.begunBy).toBe('new');
  });
});

test('a name that was deleted and is used again has the new record', () => {
  const { open, run, remove } = setUp();
  return run(async () => {
    const [worker, operator] = [open(), open()];
    await operator.put('news', { record: LARGE, version: 1, activeMs: 0 });
    await operator.changeRecord('news', stop);
    await worker.load('news');
    await remove('stamp');
    await remove('crawl');
    expect(await worker.load('news')).toBeUndefined();
    expect(
      await operator.put('news', { record: { ...LARGE, begunBy: 'again' }, version: 1, activeMs: 0 }),
    ).toBe(true);
    expect((await worker.load('news'))?.record.begunBy).toBe('again');
    expect(await operator.put('news', { record: LARGE, version: 1, activeMs: 0 })).toBe(false);
    expect((await worker.load('news'))?.record.begunBy).toBe('again');
  });
});

test('changes by several at once are all made, each on what the others have left', () => {
  const { open, run } = setUp();
  return run(async () => {
    const stores = [open(), open(), open()];
    await stores[0]!.put('news', { record: SMALL, version: 1, activeMs: 0 });
    const made = stores.map(() => 0);
    await Promise.all(
      stores.map((store, i) =>
        store.changeRecord('news', (record) => {
          made[i]!++;
          return { ...record, begunBy: `${record.begunBy ?? ''}${i}` };
        }),
      ),
    );
    const { record } = (await open().load('news'))!;
    expect([...(record.begunBy ?? '')].sort()).toEqual(['0', '1', '2']);
    // Some of them came second, and began again.
    expect(made.reduce((sum, times) => sum + times, 0)).toBeGreaterThan(3);
  });
});

test('a change that others come before waits longer each time, up to a limit, and is given up after twenty', async () => {
  const cloud = createSimCloud({ seed: 1, latency: () => 0 });
  const process = cloud.begin('worker');
  const { dynamo } = cloud.clientsOf(process);
  const slept: number[] = [];
  const clock = { ...process.clock, random: () => 1, sleep: async (ms: number) => void slept.push(ms) };
  const table = cloud.settings.crawlState;
  const plain = new CrawlStore({ dynamo, table, clock, onChange: async () => {} });
  const waiting = async (others: number) => {
    slept.length = 0;
    let left = others;
    const busy = {
      async send(command: object) {
        // Another process writes between the reading and the writing.
        if (command instanceof PutItemCommand && left-- > 0) {
          const stored = (await plain.loadNow('news'))!;
          await plain.put('news', { ...stored, version: stored.version + 1 });
        }
        return dynamo.send(command as never);
      },
    } as unknown as typeof dynamo;
    const store = new CrawlStore({ dynamo: busy, table, clock, onChange: async () => {} });
    await store.changeRecord('news', (record) => ({ ...record, begunBy: `after ${others}` }));
    return slept.length;
  };
  await drive(
    cloud.time,
    (async () => {
      await plain.put('news', { record: SMALL, version: 1, activeMs: 0 });
      expect(await waiting(6)).toBe(6);
      expect(slept).toEqual([100, 200, 400, 800, 800, 800]);
      expect(await waiting(19)).toBe(19);
      await expect(waiting(20)).rejects.toThrow('the crawl news is being changed by too many at once');
      expect((await plain.loadNow('news'))?.record.begunBy).toBe('after 19');
    })(),
  );
});

test('a change that could not be stored is made by the next call', async () => {
  const cloud = createSimCloud({ seed: 1, latency: () => 0 });
  const process = cloud.begin('worker');
  const { dynamo } = cloud.clientsOf(process);
  let isAway = false;
  const failing = {
    async send(command: object) {
      if (isAway && command instanceof PutItemCommand) throw new Error('the table is away');
      return dynamo.send(command as never);
    },
  } as unknown as typeof dynamo;
  const { clock } = process;
  const table = cloud.settings.crawlState;
  const store = new CrawlStore({ dynamo: failing, table, clock, onChange: async () => {} });
  await drive(
    cloud.time,
    (async () => {
      await store.put('news', { record: SMALL, version: 1, activeMs: 0 });
      isAway = true;
      await expect(store.changeRecord('news', stop)).rejects.toThrow('the table is away');
      isAway = false;
      await store.changeRecord('news', stop);
      expect(await store.loadNow('news')).toMatchObject({ version: 2, record: { status: 'stopped' } });
    })(),
  );
});

test('a record that is damaged is said with its crawl, and keeps no other one from being read', () => {
  const { run, open, put } = setUp();
  return run(async () => {
    await put('good', encodeCrawl({ record: SMALL, version: 1, activeMs: 0 }));
    await put('bad', { record: { B: Buffer.from('garbage') } });
    expect([...(await open().loadMany(['bad', 'good'])).keys()]).toEqual(['good']);
    await expect(open().load('bad')).rejects.toThrow(
      /^The record of the crawl "bad" is damaged: .*header.*\. Restore it from a backup$/,
    );
  });
});
