/** Lists of runs that are read block by block, from a storage that fails at times. */
import { expect, test } from 'vitest';
import { ListReader, type ReadPart } from '../../../shared/core/frontier/list-reader.ts';
import { buildRun, isAtEnd, startOf } from '../../../shared/core/frontier/run.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';

const HOST = 'example.org';

const waiting = (i: number): UrlRecord => ({
  ...{ url: `https://${HOST}/${i}`, state: 'waiting', kind: undefined, depth: 1, level: 0 },
  ...{ via: undefined, seenAt: 1_800_000_000_000, redirects: 0, attempts: 0, dueAt: 0, result: undefined },
});

/** All URLs of the list by a reader whose every read, of a block's head or of the block, fails once. */
async function readAll(list: Uint8Array, readAheadBytes: number) {
  const failed = new Set<string>();
  const read: ReadPart = async (name, offset = 0, length = list.length) => {
    const call = `${name} ${offset} ${length}`;
    if (!failed.has(call)) {
      failed.add(call);
      throw new Error('the storage is away');
    }
    return list.subarray(offset, offset + length);
  };
  const reader = new ListReader(HOST, read, { name: 'r1.ready', start: startOf(list), readAheadBytes });
  const urls: string[] = [];
  let failures = 0;
  while (!isAtEnd(reader.cursor)) {
    const { cursor } = reader;
    const record = await reader.take().catch((error) => {
      expect(error.message).toBe('the storage is away');
      expect(reader.cursor).toEqual(cursor);
      expect(++failures).toBeLessThan(99);
      return undefined;
    });
    if (record) urls.push(record.url);
  }
  return { urls: urls.sort(), failures };
}

test('a record that could not be read is given by the next call, and none is left out', async () => {
  const records = Array.from({ length: 10 }, (_, i) => waiting(i));
  const { ready } = buildRun(HOST, records, 3);
  const urls = records.map(({ url }) => url);
  // Four blocks. With less than a block's head read ahead, each takes two reads.
  expect(await readAll(ready, 100_000)).toEqual({ urls, failures: 4 });
  expect(await readAll(ready, 1)).toEqual({ urls, failures: 8 });
});
