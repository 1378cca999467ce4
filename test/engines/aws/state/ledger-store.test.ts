/** Heads of hosts on AWS: which are due, and what a commit passes on, over the model of DynamoDB. */
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { SIZES, type Sizes } from '../../../../shared/core/base/sizes.ts';
import { createLedgerStore } from '../../../../shared/engines/aws/state/ledger-store.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';
import { headOf } from '../../../contract/subjects.ts';
import { throttling } from '../throttled.ts';

const MINUTE = 60_000;

/** A table with shards of its due index, whose index shows all that was written. */
function open({ sizes = {}, dueShards = 4 }: { sizes?: Partial<Sizes>; dueShards?: number } = {}) {
  const cloud = createSimCloud({ seed: 1, latency: () => 0 });
  const process = cloud.begin('test');
  const committed: [host: string, before: number | undefined, after: number][] = [];
  const { dynamo, s3 } = cloud.clientsOf(process);
  let queries = 0;
  let headsRead = 0;
  const counting = {
    send(command: object) {
      if (command.constructor.name === 'QueryCommand') queries++;
      if (command instanceof BatchGetItemCommand)
        for (const { Keys = [] } of Object.values(command.input.RequestItems ?? {})) headsRead += Keys.length;
      return dynamo.send(command as never);
    },
  } as unknown as typeof dynamo;
  const openOver = (dynamo: typeof counting) =>
    createLedgerStore({
      ...{ dynamo, s3 },
      names: { ...cloud.settings, dueShards },
      clock: process.clock,
      sizes: { ...SIZES, ...sizes },
      onCommit: async (crawl, before, after) => void committed.push([crawl, before?.version, after.version]),
    });
  const store = openOver(counting);
  const run = <T>(work: Promise<T>): Promise<T> => drive(cloud.time, work);
  const t0 = process.clock.now();
  const commit = (crawl: string, host: string, dueInMs?: number, version = 1) =>
    run(store.commit(crawl, host, headOf(version, dueInMs === undefined ? {} : { dueAt: t0 + dueInMs })));
  /** Those that are due after `ms`; with `farMs`, those too that are due only after that time. */
  const due = async (ms: number, limit = 100, farMs = Number.POSITIVE_INFINITY) => {
    await cloud.time.advance(10_000);
    const found = await run(store.dueHosts('c', t0 + ms, limit, t0 + farMs));
    return found.map(({ host, version }) => `${host} ${version}`);
  };
  return {
    ...{ store, run, commit, due, committed },
    throttled: openOver(throttling(dynamo)),
    /** The same store for a process of which `around` carries out each call, or does not. */
    storeAround: (around: (command: string, carryOut: () => Promise<unknown>) => Promise<unknown>) =>
      openOver({
        send: (command: object) =>
          around(command.constructor.name, () => dynamo.send(command as never) as Promise<unknown>),
      } as unknown as typeof dynamo),
    queries: () => queries,
    headsRead: () => headsRead,
  };
}

test('hosts of all shards are due by their times, the earliest first, at most as many as wanted', async () => {
  const { commit, due } = open();
  const hosts = Array.from({ length: 12 }, (_, i) => `h${i}.test`);
  for (const [i, host] of hosts.entries()) await commit('c', host, ((i * 5) % 12) * MINUTE);
  await commit('c', 'rests.test');
  await commit('other', 'stranger.test', 0);
  const inOrder = hosts
    .map((host, i) => ({ host: `${host} 1`, at: (i * 5) % 12 }))
    .sort((a, b) => a.at - b.at)
    .map(({ host }) => host);
  expect(await due(60 * MINUTE)).toEqual(inOrder);
  expect(await due(60 * MINUTE, 5)).toEqual(inOrder.slice(0, 5));
  expect(await due(3 * MINUTE)).toEqual(inOrder.slice(0, 4));
  expect(await due(-1)).toEqual([]);
});

test('however many shards have due hosts, few more heads are read than are wanted', async () => {
  const { commit, due, headsRead } = open({ sizes: { dueSlack: 1 } });
  for (let i = 0; i < 40; i++) await commit('c', `h${i}.test`, i * MINUTE);
  expect(await due(60 * MINUTE, 2)).toEqual(['h0.test 1', 'h1.test 1']);
  expect(headsRead()).toBe(3);
});

test('a host that is due much later than it may be is found, once', async () => {
  const { commit, due } = open();
  await commit('c', 'now.test', 0);
  await commit('c', 'soon.test', 10 * MINUTE);
  await commit('c', 'far.test', 1000 * MINUTE);
  expect(await due(5 * MINUTE)).toEqual(['now.test 1']);
  expect(await due(5 * MINUTE, 100, 500 * MINUTE)).toEqual(['now.test 1', 'far.test 1']);
  // Both are asked for.
  expect(await due(20 * MINUTE, 100, -1)).toEqual(['now.test 1', 'soon.test 1', 'far.test 1']);
  expect(await due(20 * MINUTE, 2, -1)).toEqual(['now.test 1', 'soon.test 1']);
});

test('a host counts by its head as it is now, whatever the index says of it', async () => {
  const { commit, due } = open({ sizes: { dueSlack: 3 } });
  await commit('c', 'a.test', 0);
  await commit('c', 'b.test', MINUTE);
  await commit('c', 'a.test', 30 * MINUTE, 2);
  expect(await due(5 * MINUTE)).toEqual(['b.test 1']);
  await commit('c', 'b.test', undefined, 2);
  expect(await due(5 * MINUTE)).toEqual([]);
  expect(await due(40 * MINUTE)).toEqual(['a.test 2']);
});

test('a commit passes on the head that it has replaced', async () => {
  const { commit, committed, run, store } = open();
  await commit('c', 'a.test');
  await commit('c', 'a.test', 0, 2);
  await run(store.importHead('c', 'a.test', headOf(7)));
  await run(store.importHead('c', 'b.test', headOf(3)));
  expect(committed).toEqual([
    ['c', undefined, 1],
    ['c', 1, 2],
    ['c', 2, 7],
    ['c', undefined, 3],
  ]);
  // An older copy does not take the place of a newer head.
  await expect(run(store.importHead('c', 'a.test', headOf(6)))).rejects.toThrow(
    'a.test is at version 7, not 5: another turn went first',
  );
});

test.each(['commit', 'importHead'] as const)(
  'the first head of a host is stored once the host is in the directory, and not if it cannot be entered: %s',
  async (method) => {
    for (const fails of [false, true]) {
      const events: string[] = [];
      const { storeAround, run, store } = open();
      const entered = storeAround(async (command, carryOut) => {
        if (command !== 'PutItemCommand') return carryOut();
        events.push('begins');
        if (fails) throw new Error('the table is full');
        const answer = await carryOut();
        events.push('ends');
        return answer;
      });
      const stored = run(entered[method]('c', 'a.test', headOf(1)));
      if (fails) await expect(stored).rejects.toThrow('the table is full');
      else await stored;
      expect(events).toEqual(fails ? ['begins'] : ['begins', 'ends', 'begins', 'ends']);
      expect((await run(store.loadHead('c', 'a.test')))?.version).toBe(fails ? undefined : 1);
    }
  },
);

test('changes of the state of hooks are refused where there is nothing to commit them by', async () => {
  const { store, run } = open();
  const changes = [{ key: 'k', apply: () => '1' }];
  await expect(run(store.commit('c', 'a.test', headOf(1), changes))).rejects.toThrow('Expected no changes');
  expect(await run(store.loadHead('c', 'a.test'))).toBeUndefined();
});

test('a head is loaded and committed, though each call is refused once for its rate', async () => {
  const { throttled, run, committed } = open();
  await run(throttled.commit('c', 'a.test', headOf(1)));
  await run(throttled.commit('c', 'a.test', headOf(2)));
  expect((await run(throttled.loadHead('c', 'a.test')))?.version).toBe(2);
  await run(throttled.importHead('c', 'a.test', headOf(7)));
  expect(committed.map(([, before, after]) => [before, after])).toEqual([
    [undefined, 1],
    [1, 2],
    [2, 7],
  ]);
});

test.each(['commit', 'importHead'] as const)(
  'a head that could not be stored is stored by the next call: %s',
  async (method) => {
    const { storeAround, store, run } = open();
    let isAway = true;
    const entered = storeAround(async (_, carryOut) => {
      if (isAway) throw new Error('the table is away');
      return carryOut();
    });
    const put = () => run(entered[method]('c', 'a.test', headOf(1)));
    await expect(put()).rejects.toThrow('the table is away');
    isAway = false;
    await put();
    expect((await run(store.loadHead('c', 'a.test')))?.version).toBe(1);
  },
);

test('a copy of the same version replaces the one that an earlier import has left, also if it was there before', async () => {
  const { store, run } = open();
  const tokens = ['first', 'second', 'first'];
  for (const token of tokens) {
    await run(store.importHead('c', 'a.test', headOf(7, { token })));
    expect((await run(store.loadHead('c', 'a.test')))?.token).toBe(token);
  }
});

test('as many due hosts as are wanted, and the slack, are found by one query for each shard', async () => {
  const { commit, due, queries } = open({ sizes: { dueSlack: 3 }, dueShards: 1 });
  for (let i = 0; i < 9; i++) await commit('c', `h${i}.test`, i * 20_000);
  const before = queries();
  expect(await due(60 * MINUTE, 2)).toEqual(['h0.test 1', 'h1.test 1']);
  expect(queries() - before).toBe(1);
});

test('the first due host is found if one is wanted and there is no slack', async () => {
  const { commit, due } = open({ sizes: { dueSlack: 0 } });
  await commit('c', 'a.test', 0);
  expect(await due(MINUTE, 1)).toEqual(['a.test 1']);
});
