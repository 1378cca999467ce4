import type { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headScan, hostPage, InvalidCursor } from '../../../../shared/engines/aws/state/host-page.ts';
import { HEAD, hostPartition, type Item, itemKey, S } from '../../../../shared/engines/aws/state/tables.ts';
import { NEW_HEAD } from '../../../../shared/frontier/head.ts';
import { SIZES } from '../../../../shared/sizes.ts';
import { createFakeClock } from '../../../worker/fake-clock.ts';
import { throttling } from '../throttled.ts';

const CRAWL = 'crawl';
const scan = headScan('state', CRAWL);

/** A table of items, in an order of its own, whose scans look at `Limit` items and filter them then. */
function openTable(items: readonly Item[]) {
  const limits: number[] = [];
  const indexOf = (key: Item | undefined) =>
    items.findIndex(({ pk, sk }) => pk?.S === key?.pk?.S && sk?.S === key?.sk?.S);
  const dynamo = {
    async send({ input }: ScanCommand) {
      limits.push(input.Limit!);
      const start = indexOf(input.ExclusiveStartKey) + 1;
      const end = start + input.Limit!;
      const looked = items.slice(start, end);
      const last = looked.at(-1);
      return {
        Items: looked.filter(({ pk, sk }) => pk!.S!.startsWith(`${CRAWL} `) && sk!.S === HEAD),
        ...(end < items.length && { LastEvaluatedKey: itemKey(last!.pk!.S!, last!.sk!.S!) }),
      };
    },
  };
  const clock = createFakeClock();
  const context = { dynamo: dynamo as unknown as DynamoDBClient, clock };
  return {
    clock,
    page: (cursor: string | undefined, limit: number) => hostPage(context, scan, cursor, limit),
    throttledPage: (limit: number) =>
      hostPage({ ...context, dynamo: throttling(context.dynamo) }, scan, undefined, limit),
    /** How many items each scan looked at, at most. */
    limits,
  };
}

const head = (crawl: string, host: string): Item => ({
  ...itemKey(hostPartition(crawl, host), HEAD),
  head: S(JSON.stringify({ ...NEW_HEAD, host })),
});

test('pages give each host of the crawl once, none with more than requested, each with bounded work', async () => {
  const crawls = fc.array(fc.constantFrom(CRAWL, 'other', 'crawl2'), { maxLength: 2500 });
  await fc.assert(
    fc.asyncProperty(crawls, fc.integer({ min: 1, max: 300 }), async (owners, limit) => {
      const { page, limits } = openTable([
        itemKey(CRAWL, 'crawl'),
        ...owners.map((crawl, i) => head(crawl, `h${i}.test`)),
      ]);
      const hosts: string[] = [];
      let cursor: string | undefined;
      do {
        const before = limits.length;
        const found = await page(cursor, limit);
        expect(found.hosts.length).toBeLessThanOrEqual(limit);
        expect(limits.length - before).toBeLessThanOrEqual(5);
        hosts.push(...found.hosts.map(({ host }) => host));
        cursor = found.cursor;
      } while (cursor !== undefined);
      expect(hosts).toEqual(owners.flatMap((crawl, i) => (crawl === CRAWL ? [`h${i}.test`] : [])));
    }),
    { numRuns: 30 },
  );
});

test.each([
  '',
  'nonsense',
  Buffer.from('["a"]').toString('base64url'),
  Buffer.from('[1,2]').toString('base64url'),
])('the cursor %j is refused', async (cursor) => {
  await expect(openTable([]).page(cursor, 10)).rejects.toThrow(InvalidCursor);
});

test.each([0, -1, 1.5])('a page of %s hosts is refused', async (limit) => {
  await expect(openTable([]).page(undefined, limit)).rejects.toThrow(`got ${limit}`);
});

test.each([SIZES.minScanned, 300, SIZES.maxScanned])(
  'a page of %s hosts that stand side by side takes one scan',
  async (count) => {
    const hosts = Array.from({ length: count }, (_, i) => head(CRAWL, `h${i}.test`));
    const exact = openTable(hosts);
    expect((await exact.page(undefined, count)).hosts).toHaveLength(count);
    expect(exact.limits).toEqual([count]);
  },
);

test('a scan looks at no fewer items than are worth a request, and at no more than it has time for', async () => {
  const { page, limits } = openTable([head(CRAWL, 'a.test')]);
  await page(undefined, 1);
  await page(undefined, SIZES.maxScanned + 1);
  expect(limits).toEqual([SIZES.minScanned, SIZES.maxScanned]);
});

test('a scan that is refused for its rate is made again', async () => {
  const { throttledPage, clock } = openTable([head(CRAWL, 'a.test')]);
  expect((await clock.drive(throttledPage(5)))?.hosts.map(({ host }) => host)).toEqual(['a.test']);
});
