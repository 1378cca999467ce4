/** Who compacts a crawl, over the model of DynamoDB. */
import { expect, test } from 'vitest';
import { layOut } from '../../../../shared/engines/aws/archive/compact-layout.ts';
import { LeaseLost, takeLease } from '../../../../shared/engines/aws/archive/compact-lease.ts';
import { compactCrawl } from '../../../../shared/engines/aws/archive/compactor.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock, type FakeClock } from '../../../crawler/worker/fake-clock.ts';
import { throttled } from '../throttled.ts';
import { type Cloud, createCloud } from './compact-cloud.ts';

const MINUTE = 60_000;
const PLAN = layOut('joined.warc.gz', [
  { file: 'a.warc.gz', bytes: 10 },
  { file: 'b.warc.gz', bytes: 20 },
]);

function open() {
  const { clients, dynamo } = createServices();
  const clock = createFakeClock();
  const context = { dynamo: clients.dynamo, clock, table: 'T', crawl: 'crawl' };
  const take = async (crawl = 'crawl') => {
    const lease = await takeLease({ ...context, crawl });
    if (!lease) throw new Error('Expected to get the lease');
    return lease;
  };
  return { clock, context, take, items: () => [...dynamo.items('T')] };
}

test('one process compacts a crawl at a time, and others other crawls', async () => {
  const { context, take } = open();
  await take();
  expect(await takeLease(context)).toBeUndefined();
  await take('other');
});

test('a lease of which nothing is heard ends after five minutes, and its holder can do nothing more', async () => {
  const { clock, context, take } = open();
  const lost = await take();
  await clock.advance(5 * MINUTE);
  expect(await takeLease(context)).toBeUndefined();
  await clock.advance(1);
  const lease = await take();
  await expect(lost.keep()).rejects.toThrow(LeaseLost);
  await expect(lost.begin(PLAN)).rejects.toThrow(LeaseLost);
  await lost.release();
  expect(await takeLease(context)).toBeUndefined();
  await lease.keep();
});

test('a lease that is kept continues, and is written only when half of it is over', async () => {
  const { clock, context, take, items } = open();
  const lease = await take();
  const written = () => items()[0]?.leaseUntil?.N;
  const first = written();
  await clock.advance(2 * MINUTE);
  await lease.keep();
  expect(written()).toBe(first);
  await clock.advance(MINUTE);
  await lease.keep();
  await clock.advance(4 * MINUTE);
  expect(await takeLease(context)).toBeUndefined();
  await lease.keep();
});

test('a lease is held for as long as it is kept, also if DynamoDB was away in between', async () => {
  const { clock, context } = open();
  let isAway = false;
  const dynamo = {
    async send(command: never) {
      if (isAway) throw new Error('DynamoDB is away');
      return context.dynamo.send(command);
    },
  } as unknown as typeof context.dynamo;
  const lease = (await takeLease({ ...context, dynamo }))!;
  for (let kept = 0; kept < 4; kept++) {
    await clock.advance(3 * MINUTE);
    isAway = true;
    await expect(lease.keep()).rejects.toThrow('DynamoDB is away');
    isAway = false;
    await lease.keep();
    expect(await takeLease(context)).toBeUndefined();
  }
});

test('a lease that is released is free at once, and leaves nothing behind', async () => {
  const { take, items } = open();
  await (await take()).release();
  expect(items()).toEqual([]);
  await take();
});

test('the next compactor gets an unfinished plan unchanged, and whether its file exists', async () => {
  const { take } = open();
  const first = await take();
  expect([first.plan, first.isStored]).toEqual([undefined, false]);
  await first.begin(PLAN);
  await first.release();
  const second = await take();
  expect([second.plan, second.isStored]).toEqual([PLAN, false]);
  expect(await second.markStored(PLAN)).toBe(true);
  await second.release();
  const third = await take();
  expect([third.plan, third.isStored]).toEqual([PLAN, true]);
  await third.end(PLAN);
  await third.release();
  const last = await take();
  expect([last.plan, last.isStored]).toEqual([undefined, false]);
});

test('a plan that was ended is not marked, and not ended again by another plan', async () => {
  const { take } = open();
  const lease = await take();
  await lease.begin(PLAN);
  await lease.end(PLAN);
  expect(await lease.markStored(PLAN)).toBe(false);
  // By this very process: as if the first answer had been lost.
  await lease.end(PLAN);
  await lease.begin({ ...PLAN, file: 'other.warc.gz' });
  await expect(lease.end(PLAN)).rejects.toThrow(LeaseLost);
});

test('a process that has lost its lease ends no plan of the next one', async () => {
  const { clock, take } = open();
  const lost = await take();
  await lost.begin(PLAN);
  await clock.advance(6 * MINUTE);
  const lease = await take();
  await expect(lost.end(PLAN)).rejects.toThrow(LeaseLost);
  expect(await lease.markStored(PLAN)).toBe(true);
});

test('a plan is marked as stored as often as that is asked for, but not once another process has ended it', async () => {
  const { clock, take } = open();
  const stalled = await take();
  await stalled.begin(PLAN);
  expect(await stalled.markStored(PLAN)).toBe(true);
  expect(await stalled.markStored(PLAN)).toBe(true);
  await clock.advance(6 * MINUTE);
  const other = await take();
  expect([other.plan, other.isStored]).toEqual([PLAN, true]);
  expect(await stalled.markStored(PLAN)).toBe(true);
  await other.end(PLAN);
  expect(await stalled.markStored(PLAN)).toBe(false);
});

test('a run for which there is no lease, or no time, does nothing, and says that nothing is left for it', async () => {
  const { clock, context, take } = open();
  const compact = (deadline?: number) =>
    compactCrawl({
      s3: {} as never,
      dynamo: context.dynamo,
      names: { crawlState: 'T', bucket: 'bucket' },
      crawl: 'crawl',
      clock,
      ...(deadline !== undefined && { deadline }),
    });
  const nothing = { isDone: false, joined: 0, objects: 0, bytes: 0, aside: [], itemTables: 0, isCut: false };
  expect(await compact(clock.now())).toEqual(nothing);
  await take();
  expect(await compact()).toEqual(nothing);
});

test('a lease is taken, kept and used for a plan though the table is too busy at first', async () => {
  const { clock, context, items } = open();
  const { client: dynamo, refused } = throttled(context.dynamo);
  async function work() {
    const lease = await takeLease({ ...context, dynamo });
    await clock.sleep(3 * MINUTE);
    await lease?.keep();
    await lease?.begin(PLAN);
    await lease?.markStored(PLAN);
    expect(items()[0]).toMatchObject({ planFile: { S: PLAN.file }, isStored: { BOOL: true } });
    await lease?.end(PLAN);
  }
  await clock.drive(work());
  expect(refused).toEqual(Array(5).fill('UpdateItem'));
  expect(items()[0]).not.toHaveProperty('planFile');
});

/** A run that meets one object; `meanwhile` comes before the objects are listed. */
async function runOver(meanwhile: (world: { cloud: Cloud; clock: FakeClock }) => void) {
  const cloud = createCloud();
  const clock = createFakeClock();
  cloud.put('warc/crawl/strand-20260102030405-abcdefghij-00000.warc.gz', Buffer.from('no WARC'));
  const clients = cloud.clients(async (command, carryOut) => {
    if (command === 'ListObjectsV2Command') meanwhile({ cloud, clock });
    return carryOut();
  });
  const run = compactCrawl({
    ...{ ...clients, names: { crawlState: 'T', bucket: 'bucket' }, crawl: 'crawl', clock },
    ...{ finished: true, tables: false, deadline: clock.now() + 10 * MINUTE },
  });
  return { done: await clock.drive(run), items: [...cloud.items.values()] };
}

test('a run whose time ends says that there is more to do, and lets others in', async () => {
  const { done, items } = await runOver(({ clock }) => clock.set(10 * MINUTE));
  expect(done).toMatchObject({ joined: 0, aside: [], isCut: true });
  expect(items).toEqual([]);
});

test('a run that has lost its lease ends without an error, and leaves the lease to its holder', async () => {
  const { done, items } = await runOver(({ cloud, clock }) => {
    clock.set(6 * MINUTE);
    const [key, item] = [...cloud.items][0]!;
    cloud.items.set(key, { ...item, holder: { S: 'another' } });
  });
  expect(done).toMatchObject({ joined: 0, aside: [], isCut: false });
  expect(items).toMatchObject([{ holder: { S: 'another' } }]);
});

test('a run that fails says why, and lets others in', async () => {
  let leases = () => 1;
  const failing = runOver(({ cloud }) => {
    leases = () => cloud.items.size;
    throw new Error('S3 is away');
  });
  await expect(failing).rejects.toThrow('S3 is away');
  expect(leases()).toBe(0);
});
