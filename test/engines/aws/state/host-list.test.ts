/** Lists of a crawl's hosts, over the model of DynamoDB. */
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SIZES, type Sizes } from '../../../../shared/core/base/sizes.ts';
import { NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import { URL_RULES_VERSION } from '../../../../shared/core/url/canonical.ts';
import { HostList } from '../../../../shared/engines/aws/state/host-list.ts';
import { type HostEntry, InvalidCursor } from '../../../../shared/engines/aws/state/host-page.ts';
import { hostShardOf } from '../../../../shared/engines/aws/state/tables.ts';
import { itemKey } from '../../../../shared/engines/aws/table/item.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';

const RECORD = {
  config: {},
  scopeSeeds: [],
  urlRulesVersion: URL_RULES_VERSION,
  status: 'running',
} as const;

/** A stack with crawls, each of as many hosts as are given for it. */
async function openStack(crawls: Readonly<Record<string, number>>, sizes: Partial<Sizes> = {}) {
  const cloud = createSimCloud({ seed: 1, latency: () => 0, sizes: { ...SIZES, ...sizes } });
  const { engine, meter, clients } = cloud.open(cloud.begin('test'));
  const { ledgers, registry } = engine;
  const run = <T>(work: Promise<T>): Promise<T> => drive(cloud.time, work);
  const add = (crawl: string, host: string, version = 1) =>
    ledgers.commit(crawl, host, { ...NEW_HEAD, version });
  for (const [crawl, hosts] of Object.entries(crawls)) {
    await run(registry.create(crawl, RECORD));
    await run(Promise.all(Array.from({ length: hosts }, (_, i) => add(crawl, `h${i}.test`))).then(() => {}));
  }
  const all = async (crawl: string) => {
    const found: string[] = [];
    for await (const { host } of ledgers.hosts(crawl)) found.push(host);
    return found;
  };
  /** The read units that the work takes. */
  const reads = async (work: () => Promise<unknown>): Promise<number> => {
    meter.takeTotal();
    await run(work());
    return meter.takeTotal().dynamoReadUnits ?? 0;
  };
  const page = (crawl: string, cursor: string | undefined, limit: number) =>
    ledgers.hostPage(crawl, cursor, limit);
  const create = (crawl: string) => registry.create(crawl, RECORD);
  return { run, add, all, create, reads, page, dynamo: clients.dynamo, table: cloud.settings.crawlState };
}

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `h${i}.test`).sort();

test('a list has each host of the crawl once, and no other crawl’s', async () => {
  const { run, all } = await openStack({ news: 250, other: 30, 'news-2': 3 }, { maxScanned: 7 });
  expect((await run(all('news'))).sort()).toEqual(namesOf(250));
  expect((await run(all('news-2'))).sort()).toEqual(namesOf(3));
  expect(await run(all('none'))).toEqual([]);
});

test('what a list reads does not grow with the hosts of other crawls', async () => {
  const alone = await openStack({ news: 20 });
  const beside = await openStack({ news: 20, other: 2000 });
  for (const work of [
    ({ all }: typeof alone) => all('news'),
    ({ page }: typeof alone) => page('news', undefined, 10),
  ])
    expect(await beside.reads(() => work(beside))).toBe(await alone.reads(() => work(alone)));
});

test('pages give each host once, none with more than requested, and a small crawl is one page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 120 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 50 }),
      async (hosts, limit, maxScanned) => {
        const { run, page } = await openStack({ news: hosts, other: 10 }, { maxScanned });
        const found: string[] = [];
        let cursor: string | undefined;
        let pages = 0;
        do {
          const next = await run(page('news', cursor, limit));
          expect(next.hosts.length).toBeLessThanOrEqual(limit);
          found.push(...next.hosts.map(({ host }) => host));
          cursor = next.cursor;
          pages++;
        } while (cursor !== undefined);
        expect(found.sort()).toEqual(namesOf(hosts));
        if (hosts < limit && maxScanned >= limit) expect(pages).toBe(1);
      },
    ),
    { numRuns: 25 },
  );
});

test('a crawl that was asked for before it was created is listed by its directory once it is', async () => {
  const { run, all, add, create, reads } = await openStack({ other: 500 });
  expect(await run(all('late'))).toEqual([]);
  await run(create('late'));
  await run(add('late', 'a.test'));
  const alone = await openStack({ late: 1 });
  expect(await reads(() => all('late'))).toBe(await alone.reads(() => alone.all('late')));
});

test('each list and each page has the hosts of the crawl and their heads as they are then', async () => {
  const { run, add, create, dynamo, table } = await openStack({ other: 2 });
  const list = new HostList({ dynamo, table, clock: { sleep: async () => {}, random: () => 0 } });
  const shown = ({ host, head }: HostEntry) => `${host} ${head.version}`;
  const listed = async () => {
    const all: string[] = [];
    for await (const entry of list.all('news')) all.push(shown(entry));
    const { hosts } = await list.page('news', undefined, 10);
    expect(hosts.map(shown).toSorted()).toEqual(all.toSorted());
    return all.toSorted();
  };
  const found = [await run(listed())];
  await run(create('news'));
  for (const [host, version] of [
    ['a.test', 1],
    ['a.test', 2],
    ['b.test', 1],
  ] as const) {
    await run(add('news', host, version));
    found.push(await run(listed()));
  }
  await run(dynamo.send(new DeleteItemCommand({ TableName: table, Key: itemKey('news a.test', 'head') })));
  found.push(await run(listed()));
  expect(found).toEqual([[], ['a.test 1'], ['a.test 2'], ['a.test 2', 'b.test 1'], ['b.test 1']]);
});

test('a host that has an entry and no head is left out', async () => {
  const { run, all, page, dynamo, table } = await openStack({ news: 3 });
  const gone = new DeleteItemCommand({ TableName: table, Key: itemKey('news h1.test', 'head') });
  await run(dynamo.send(gone));
  expect((await run(all('news'))).sort()).toEqual(['h0.test', 'h2.test']);
  expect((await run(page('news', undefined, 10))).hosts).toHaveLength(2);
});

test.each(['', 'nonsense', '["a"]', '[8]', '[-1]', '[0.5]', '[0,1]', '[0,"a",1]', '["news h1.test","head"]'])(
  'the cursor of %j is refused',
  async (text) => {
    const { run, page } = await openStack({ news: 1 });
    const cursor = Buffer.from(text).toString('base64url');
    await expect(run(page('news', cursor, 10))).rejects.toThrow(InvalidCursor);
  },
);

test.each([0, -1, 1.5])('a page of %s hosts is refused', async (limit) => {
  const { run, page } = await openStack({ news: 1 });
  await expect(run(page('news', undefined, limit))).rejects.toThrow(`got ${limit}`);
});

test('a page takes a bounded number of requests, however many entries have no head', async () => {
  const { run, page, all, dynamo, table } = await openStack({ news: 1 }, { maxScanned: 2 });
  for (let i = 0; i < 60; i++)
    await run(
      dynamo.send(
        new PutItemCommand({
          TableName: table,
          Item: itemKey(hostShardOf('news', `none${i}.test`), `none${i}.test`),
        }),
      ),
    );
  const found: string[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const got = await run(page('news', cursor, 50));
    found.push(...got.hosts.map(({ host }) => host));
    cursor = got.cursor;
    pages++;
  } while (cursor !== undefined);
  expect([found, await run(all('news'))]).toEqual([['h0.test'], ['h0.test']]);
  // 61 entries, two a request, in eight partitions: some 35 requests, 13 for a page.
  expect(pages).toBe(3);
});
