/**
 * Conditional writes whose answer was lost: the SDK makes such a call again by itself, and the second one finds what the
 * first one has written. It counts as made, as if there had been one call.
 */
import { expect, test } from 'vitest';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { StaleTurn } from '../../../shared/crawler/ports/stale-turn.ts';
import { layOut } from '../../../shared/engines/aws/archive/compact-layout.ts';
import { takeLease } from '../../../shared/engines/aws/archive/compact-lease.ts';
import { openItemTables } from '../../../shared/engines/aws/archive/item-table-plan.ts';
import { ExportJobs } from '../../../shared/engines/aws/exports/export-jobs.ts';
import { createCrawlCounters } from '../../../shared/engines/aws/state/crawl-counters.ts';
import { CrawlStore } from '../../../shared/engines/aws/state/crawl-store.ts';
import { HookState } from '../../../shared/engines/aws/state/hook-state.ts';
import { createLedgerStore } from '../../../shared/engines/aws/state/ledger-store.ts';
import { createPartStore } from '../../../shared/engines/aws/state/part-store.ts';
import { StateCommits } from '../../../shared/engines/aws/state/state-commits.ts';
import { StateValues } from '../../../shared/engines/aws/state/state-values.ts';
import { AwsWorkerPool } from '../../../shared/engines/aws/workers/worker-pool.ts';
import { NO_PROGRESS } from '../../../shared/services/exports/held-export.ts';
import { createServices } from '../../../simulation/test/models/dynamo-services.ts';
import { headOf, RECORD } from '../../contract/subjects.ts';
import { createFakeClock } from '../../crawler/worker/fake-clock.ts';

const HOUR = 3_600_000;
const WRITES = new Set(['PutItemCommand', 'UpdateItemCommand', 'TransactWriteItemsCommand']);

/** A stack, and the same one for a process of which each write is made twice. */
function setUp() {
  const { clients } = createServices();
  const repeating = {
    async send(command: object) {
      if (WRITES.has(command.constructor.name)) await clients.dynamo.send(command as never).catch(() => {});
      return clients.dynamo.send(command as never);
    },
  } as unknown as typeof clients.dynamo;
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const names = { crawlState: 'T', urlSeen: 'U', bucket: 'b', dueShards: 1 };
  const plain = { ...clients, clock, table: 'T', bucket: 'b', names, crawl: 'c' };
  return { plain, stack: { ...plain, dynamo: repeating } };
}

test('a crawl is stored, and another process’s later write of that version is refused', async () => {
  const { plain, stack } = setUp();
  const store = new CrawlStore({ ...stack, onChange: async () => {} });
  const next = { record: RECORD, version: 1, activeMs: 0 };
  expect(await store.put('c', next)).toBe(true);
  expect(await new CrawlStore({ ...plain, onChange: async () => {} }).put('c', next)).toBe(false);
  let changes = 0;
  await store.changeRecord('c', (record) => {
    changes++;
    return { ...record, reason: 'x' };
  });
  expect([changes, (await store.load('c'))?.version]).toEqual([1, 2]);
});

test('a head is committed, and its counts say what it replaced', async () => {
  const { plain, stack } = setUp();
  const counted: unknown[] = [];
  const ledgers = createLedgerStore({
    ...stack,
    onCommit: async (_: string, before: Head | undefined, after: Head) =>
      void counted.push([before?.version, after.version]),
  } as never);
  await ledgers.commit('c', 'a.test', headOf(1));
  await ledgers.loadHead('c', 'a.test');
  await ledgers.commit('c', 'a.test', headOf(2));
  expect(counted).toEqual([
    [undefined, 1],
    [1, 2],
  ]);
  const other = createLedgerStore(plain as never);
  await expect(other.commit('c', 'a.test', headOf(2, { token: 'other' }))).rejects.toThrow(StaleTurn);
  await expect(other.commit('c', 'a.test', headOf(2, { token: 'other' }))).rejects.toThrow(
    'a.test is at version 2, not 1',
  );
});

test('a part of a ledger is stored, and one of that name with other bytes is refused', async () => {
  const { stack } = setUp();
  const parts = createPartStore({ ...stack, maxRowBytes: 3 });
  for (const bytes of [Uint8Array.of(1, 2), Uint8Array.of(1, 2, 3, 4)]) {
    const name = `s${bytes.length}`;
    await parts.putPart('c', 'a.test', name, bytes);
    expect([...(await parts.readPart('c', 'a.test', name))]).toEqual([...bytes]);
    await expect(parts.putPart('c', 'a.test', name, bytes.toReversed())).rejects.toThrow('differs');
  }
});

test('counts are added once, and usage alone too', async () => {
  const { stack } = setUp();
  let used: [string, object][] = [];
  const meter = {
    take: () => used.splice(0),
    run: (_: string, work: () => Promise<unknown>) => work(),
  };
  // A crawl that is there by its counters is not looked for.
  const counters = createCrawlCounters({ ...stack, meter: meter as never, exists: async () => false });
  await counters.add('c', { pages: 1 });
  await counters.add('c', { pages: 2 });
  used = [['c', { sqsFifoRequests: 5 }]];
  await counters.flush();
  expect((await counters.read('c')).counts).toEqual({ pages: 3, 'usage.sqsFifoRequests': 5 });
});

test('totals are replaced, and not if something was added meanwhile', async () => {
  const { stack } = setUp();
  const counters = createCrawlCounters(stack);
  await counters.add('c', { pages: 1 });
  const read = await counters.read('c');
  expect(await counters.replace('c', read, { pages: 7 })).toBe(true);
  expect(await counters.replace('c', read, { pages: 8 })).toBe(false);
  expect((await counters.read('c')).counts).toEqual({ pages: 7 });
  // Later ones are known by what stands there then.
  expect(await counters.replace('c', await counters.read('c'), { pages: 9 })).toBe(true);
  expect((await counters.read('c')).counts).toEqual({ pages: 9 });
});

test('values of hooks are changed once', async () => {
  const { stack } = setUp();
  const state = new HookState(stack);
  const more = { key: 'n', apply: (before = '0') => String(Number(before) + 1) };
  await state.change('c', [more]);
  await state.change('c', [more, { key: 'm', apply: () => '9' }]);
  const values = new StateValues();
  await new StateCommits({ ...stack, values }).add({
    head: undefined,
    changes: [{ key: 'k', apply: () => '1' }],
  });
  expect([...(await state.readNow('c')).entries()].sort()).toEqual([
    ['k', '1'],
    ['m', '9'],
    ['n', '2'],
  ]);
});

test('an export is begun, taken and advanced, and another function has none of it', async () => {
  const { plain, stack } = setUp();
  const [jobs, others] = [new ExportJobs(stack), new ExportJobs(plain)];
  const until = stack.clock.now() + HOUR;
  expect((await jobs.begin('c', { format: 'wet' }, 'x')).state).toBe('waiting');
  const held = await jobs.take('c', 'x', until);
  expect(held).toMatchObject({ version: 0, tries: 1 });
  expect(await others.take('c', 'x', until)).toBeUndefined();
  const after = await jobs.advance(held!, { ...NO_PROGRESS, files: 1 });
  expect(after.version).toBe(1);
  await expect(others.advance(held!, NO_PROGRESS)).rejects.toThrow('another function works on x');
  await jobs.end(after, 'done');
  expect((await others.load('c', 'x'))?.state).toBe('done');
});

test('a plan of the compactor is begun and ended', async () => {
  const { stack } = setUp();
  const lease = (await takeLease(stack))!;
  const plan = layOut('joined', [{ file: 'one', bytes: 9 }]);
  await lease.begin(plan);
  expect(await lease.markStored(plan)).toBe(true);
  await lease.end(plan);
  await lease.release();
  expect((await takeLease(stack))?.plan).toBeUndefined();
});

test('tables of items are noted, and not over the note of another process', async () => {
  const { plain, stack } = setUp();
  const [ours, theirs] = [await openItemTables(stack), await openItemTables(plain)];
  await ours.replace({ until: 'a', late: [], tables: 1 });
  await ours.replace({ until: 'b', late: [], tables: 2 });
  await expect(theirs.replace({ until: 'c', late: [], tables: 1 })).rejects.toThrow('another process');
  expect((await openItemTables(plain)).state.until).toBe('b');
});

test('hosts that were handed over are claimed by one worker', async () => {
  const { plain, stack } = setUp();
  const [ours, theirs] = [stack, plain].map(
    (table) => new AwsWorkerPool({ ...table, turnQueueUrls: [] } as never),
  );
  expect(await ours?.claimApart(0, 'm')).toBe(true);
  expect(await theirs?.claimApart(0, 'm')).toBe(false);
});
