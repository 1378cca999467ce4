/** How the tables are keyed: names that are stored, and that later versions must find. */
import { expect, test } from 'vitest';
import { shardOf } from '../../../../shared/engines/aws/shard-of.ts';
import * as tables from '../../../../shared/engines/aws/state/tables.ts';
import { itemKey, N, S } from '../../../../shared/engines/aws/table/item.ts';

const HOSTS = ['a.test', 'b.test:8080', '[::1]', 'xn--bcher-kva.test'];
const T0 = Date.UTC(2026, 0, 1);
const SECOND = 1000;
const MINUTE = 60 * SECOND;

test('the names in the tables are those of earlier versions', () => {
  const names = Object.entries(tables).filter(([, value]) => typeof value !== 'function');
  expect(Object.fromEntries(names)).toEqual({
    DUE_INDEX: 'due',
    DUE_SHARD: 'dueShard',
    DUE_AT: 'dueAt',
    HEAD: 'head',
    CRAWL: 'crawl',
    STAMP: 'stamp',
    TOTALS_PREFIX: 'totals#',
    QUIET: 'quiet',
    COMPACTION: 'compact',
    ITEM_TABLES: 'itemTables',
    JOINED_PREFIX: 'joined#',
    ASIDE_PREFIX: 'aside#',
    SITES_PREFIX: 'sites#',
    WORKERS_PREFIX: '#workers ',
    DIRECTORY: '#crawls',
    RUNNING: '#running',
    SOON: '#soon',
    AGENDA: '#agenda',
    UNANNOUNCED: '#unannounced',
    UNJOINED: '#unjoined',
    COMPACTOR: '#compactor',
    STACK_USAGE: '#stack',
    DELETED: '#deleted',
    DELETING: '#deleting',
    REFERRED: '#referred',
    REFERRERS: '#referrers',
    EXPORTS: '#exports',
    SPEND: '#spend',
    UNTIL_NEXT_DAY: '#untilNextDay',
    ATTENTION: '#attention',
    EXPIRES_AT: 'expiresAt',
    TOTALS_SHARDS: 8,
    HOST_SHARDS: 8,
  });
});

test('keys are made of crawls and hosts', () => {
  expect(itemKey('a', 'b')).toEqual({ pk: { S: 'a' }, sk: { S: 'b' } });
  expect([S('x'), N(1.5)]).toEqual([{ S: 'x' }, { N: '1.5' }]);
  expect(tables.hostPartition('c', 'a.test')).toBe('c a.test');
  expect(tables.hostPrefix('c')).toBe('c ');
  expect(tables.hostOf('c a.test')).toBe('a.test');
  expect(tables.statePartition('c')).toBe('#state c');
  expect(tables.partsPrefix('c')).toBe('parts/c/');
  expect(tables.partObject('c', 'a.test', 'name')).toBe('parts/c/52dcf5eeb77a59de2eb72211/name');
  expect(tables.allDueShards('c', 3)).toEqual(['c 0', 'c 1', 'c 2']);
  expect(tables.allHostShards('c')).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((shard) => `#hosts c ${shard}`));
  for (const host of HOSTS) {
    expect(tables.dueShardOf('c', host, 5)).toBe(`c ${shardOf(host, 5)}`);
    expect(tables.hostShardOf('c', host)).toBe(`#hosts c ${shardOf(host, 8)}`);
  }
});

test('the index of due hosts has 1 to 64 partitions, 8 by default', () => {
  expect([
    tables.dueShardsOf({}),
    tables.dueShardsOf({ dueShards: 1 }),
    tables.dueShardsOf({ dueShards: 64 }),
  ]).toEqual([8, 1, 64]);
  for (const dueShards of [0, 65, 1.5, -1, Number.NaN])
    expect(() => tables.dueShardsOf({ dueShards })).toThrow(`Expected 1 to 64 dueShards, got ${dueShards}`);
});

test('due times are rounded up: to 15 s for ten minutes, then to 5 minutes', () => {
  const indexed = (aheadMs: number) => tables.indexedDueAt(T0 + aheadMs, T0) - T0;
  expect([0, 1, 15 * SECOND, 15 * SECOND + 1].map(indexed)).toEqual([0, 15, 15, 30].map((s) => s * SECOND));
  expect(indexed(-1)).toBe(0);
  expect([10 * MINUTE, 10 * MINUTE + 1, 15 * MINUTE, 15 * MINUTE + 1].map(indexed)).toEqual(
    [10, 15, 15, 20].map((minutes) => minutes * MINUTE),
  );
  expect([T0, T0 + 1].map(tables.indexedUntil)).toEqual([T0, T0 + 15 * SECOND]);
});

test('writes replace a version, or none', () => {
  expect(tables.replacing(0)).toEqual({ condition: 'attribute_not_exists(pk)' });
  expect(tables.replacing(3)).toEqual({ condition: '#version = :expected', values: { expected: N(3) } });
  expect(tables.replacingUpTo(3)).toEqual({
    condition: 'attribute_not_exists(pk) OR #version <= :version',
    values: { version: N(3) },
  });
});
