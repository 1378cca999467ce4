/** Lists of records in blocks, each with a due time in whole seconds. */
import { expect, test } from 'vitest';
import {
  blockPayload,
  encodeBlocks,
  listBlocks,
  readBlockHeader,
} from '../../../shared/core/frontier/block-list.ts';
import { CorruptBytes } from '../../../shared/core/frontier/bytes.ts';
import { rankOf } from '../../../shared/core/frontier/rank.ts';
import { decodeRecords } from '../../../shared/core/frontier/record-block.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';

const HOST = 'example.org';
const NOW = 1_800_000_000_000;

const recordOf = (path: string, more: Partial<UrlRecord> = {}): UrlRecord => ({
  url: `https://${HOST}/${path}`,
  state: 'waiting',
  kind: undefined,
  depth: 1,
  level: 0,
  via: undefined,
  seenAt: NOW,
  redirects: 0,
  attempts: 1,
  dueAt: 0,
  result: undefined,
  ...more,
});

const listOf = (records: readonly UrlRecord[], options: { blockRecords: number; isMixed?: boolean }) =>
  Buffer.concat(encodeBlocks(HOST, records, options));

test.each([
  [0, 0],
  [NOW, NOW],
  [NOW + 1, NOW + 1000],
  [NOW + 999, NOW + 1000],
  [NOW + 1000, NOW + 1000],
])(
  'a block whose first record is due at %s is due no earlier, and within a second: at %s',
  (dueAt, expected) => {
    const list = listOf([recordOf('a', { dueAt }), recordOf('b', { dueAt: dueAt + 5000 })], {
      blockRecords: 9,
    });
    expect(listBlocks(list).map((header) => header.dueAt)).toEqual([expected]);
  },
);

test('a block begins where one is full, and where the rank changes unless ranks are mixed', () => {
  const records = [1, 1, 1, 1, 3, 3, 1].map((depth, i) => recordOf(String(i), { depth }));
  const shown = (isMixed: boolean) => {
    const list = listOf(records, { blockRecords: 3, isMixed });
    const headers = listBlocks(list);
    const urls = headers.flatMap((header) =>
      decodeRecords(HOST, blockPayload(list, header)).map(({ url }) => url),
    );
    expect(urls).toEqual(records.map(({ url }) => url));
    expect(headers.at(-1)!.at + headers.at(-1)!.size).toBe(list.length);
    return headers.map(({ count, rank }) => [count, rank]);
  };
  const [near, far] = [rankOf(1, 0), rankOf(3, 0)];
  expect(shown(false)).toEqual([
    [3, near],
    [1, near],
    [2, far],
    [1, near],
  ]);
  expect(shown(true)).toEqual([
    [3, 0],
    [3, 0],
    [1, 0],
  ]);
});

test('a list that is cut short is refused', () => {
  const list = listOf([recordOf('a')], { blockRecords: 3 });
  const [header] = listBlocks(list);
  expect(() => readBlockHeader(list, list.length - 5)).toThrow(CorruptBytes);
  expect(() => blockPayload(list.subarray(0, list.length - 1), header!)).toThrow('is cut short');
});
