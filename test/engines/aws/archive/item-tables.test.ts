/** Tables of items, by processes that end, stall or meet at any call, on services in memory. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { type CompactOptions, compactCrawl } from '../../../../shared/engines/aws/archive/compactor.ts';
import { itemTablesPrefix } from '../../../../shared/engines/aws/archive/table-folders.ts';
import { createItemColumns, itemRows } from '../../../../shared/services/outputs/parquet/item-table.ts';
import { seededRandom } from '../../../crawler/worker/fake-clock.ts';
import { throttled } from '../throttled.ts';
import { type Around, createCloud } from './compact-cloud.ts';

const T0 = Date.UTC(2026, 0, 2, 3, 4, 5);
const HOUR = 3_600_000;
const NAMES = { crawlState: 'state', bucket: 'bucket' };
const ENDED = new Error('the process has ended');

type Item = Record<string, unknown>;

function createWorld() {
  const cloud = createCloud();
  const clock = {
    time: T0,
    now: () => clock.time,
    sleep: async () => {},
    random: () => 0.5,
    uuid: randomUUID,
  };
  const nameAt = (ms: number, id: string) =>
    `${new Date(T0 + ms).toISOString().replace(/\D/g, '').slice(0, 14)}-${id}.jsonl.gz`;
  const bytesOf = (items: readonly Item[]) =>
    gzipSync(`${items.map((item) => JSON.stringify(item)).join('\n')}\n`);
  return {
    cloud,
    clock,
    nameAt,
    stage: (name: string, ...items: Item[]) => cloud.put(`staged-items/news/${name}`, bytesOf(items)),
    publish: (name: string, ...items: Item[]) => cloud.put(`items/news/${name}`, bytesOf(items)),
    /** A turn publishes what was staged: the first half of it only, if the process dies. */
    publishStaged(name: string, dies = false) {
      const staged = cloud.objects.get(`staged-items/news/${name}`);
      if (staged) cloud.put(`items/news/${name}`, staged.bytes);
      if (!dies) cloud.objects.delete(`staged-items/news/${name}`);
    },
    compact: (options: Partial<CompactOptions> = {}, around?: Around) =>
      compactCrawl({
        ...cloud.clients(around),
        names: NAMES,
        crawl: 'news',
        clock,
        finished: true,
        ...options,
      }),
    tables: () => [...cloud.objects.keys()].filter((key) => key.startsWith(itemTablesPrefix('news'))).sort(),
    rows: () => rowsIn(cloud.objects),
  };
}

/** The rows of all tables as DuckDB reads them together. */
async function rowsIn(objects: ReadonlyMap<string, { readonly bytes: Uint8Array }>): Promise<Item[]> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-items-'));
  const duck = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    let files = 0;
    for (const [key, { bytes }] of objects)
      if (key.startsWith(itemTablesPrefix('news')))
        writeFileSync(join(folder, `${files++}-${key.slice(key.lastIndexOf('/') + 1)}`), bytes);
    if (files === 0) return [];
    const query = `SELECT * FROM read_parquet('${folder}/*.parquet', union_by_name = true)`;
    return (await duck.runAndReadAll(query)).getRowObjectsJson();
  } finally {
    duck.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The items in the rows, as they were given. */
const itemsOf = (rows: readonly Item[]) => rows.map(({ item }) => JSON.parse(item as string)).sort(byN);
const byN = (a: Item, b: Item) => Number(a.n) - Number(b.n);
const numbers = async ({ rows }: Pick<ReturnType<typeof createWorld>, 'rows'>) =>
  itemsOf(await rows()).map(({ n }) => n);

/** Objects of three items each: those of an hour ago are to be put into tables, a younger one is not. */
function withObjects(count: number) {
  const world = createWorld();
  for (let i = 0; i < count; i++)
    world.publish(
      world.nameAt(i * 1000 - 2 * HOUR, `a${i}`),
      ...[0, 1, 2].map((k) => ({ n: 3 * i + k, name: `item ${3 * i + k}` })),
    );
  return world;
}

const SMALL = { ...SIZES, maxSources: 2 };

describe('tables of items', () => {
  test('have the columns and rows of an export, and each item as it is', async () => {
    const world = createWorld();
    const given: Item[] = [
      { n: 0, title: 'Ä ü', tags: ['x', { y: 1 }], price: 1.5 },
      { n: 1, title: null, isNew: true, price: 2 },
      { n: 2, title: 'c', Item: 'a key of this name', mixed: 1 },
      { n: 3, mixed: 'one', constructor: 1 },
    ];
    world.publish(world.nameAt(-2 * HOUR, 'a'), given[0]!, given[1]!);
    world.publish(world.nameAt(-2 * HOUR, 'b'), given[2]!, given[3]!);
    expect(await world.compact()).toMatchObject({ itemTables: 1, isCut: false, isDone: true });
    const found = createItemColumns();
    for (const item of given) found.add(item);
    const columns = found.columns().filter(({ name }) => name !== 'Item');
    const rows = (await world.rows()).sort(byN);
    expect(itemsOf(rows)).toEqual(given);
    const expected = given.map(itemRows(columns));
    const withoutItem = rows.map(({ item: _, ...row }) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])),
    );
    expect(withoutItem).toEqual(expected);
  });

  test('have what is an hour old, when there is enough of it, or the crawl has ended; each item once', async () => {
    const world = withObjects(5);
    world.publish(world.nameAt(0, 'young'), { n: 100 });
    world.publish('notes.txt', { n: -1 });
    expect(await world.compact({ finished: false })).toMatchObject({ itemTables: 0 });
    expect(await world.compact({ finished: false, sizes: SMALL })).toMatchObject({ itemTables: 2 });
    expect(await numbers(world)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    expect(await world.compact({ sizes: SMALL })).toMatchObject({ itemTables: 1 });
    expect(await world.compact()).toMatchObject({ itemTables: 0, isDone: false });
    expect(await numbers(world)).toEqual(Array.from({ length: 15 }, (_, n) => n));
    world.clock.time += 2 * HOUR;
    expect(await world.compact()).toMatchObject({ itemTables: 1, isDone: true });
    expect(await numbers(world)).toEqual([...Array.from({ length: 15 }, (_, n) => n), 100]);
    expect(world.tables()).toEqual(
      [0, 1, 2, 3].map((i) => `item-tables/crawl=news/items-00000${i}.zstd.parquet`),
    );
  });

  test('are full by their bytes, too; without tables of captures there are none of items', async () => {
    const world = withObjects(4);
    expect(await world.compact({ tables: false })).toMatchObject({ itemTables: 0 });
    const sizes = { ...SIZES, itemTableBytes: 1 };
    expect(await world.compact({ finished: false, sizes })).toMatchObject({ itemTables: 4 });
    expect(await numbers(world)).toEqual(Array.from({ length: 12 }, (_, n) => n));
  });

  test('get what was staged before and is published after them, and nothing of an attempt that never counted', async () => {
    const world = withObjects(2);
    const [late, never, half] = ['late', 'never', 'half'].map((id) => world.nameAt(-2 * HOUR, id)) as [
      string,
      string,
      string,
    ];
    world.stage(late, { n: 50 });
    world.stage(never, { n: 60 });
    world.stage(half, { n: 70 });
    world.publishStaged(half, true);
    await world.compact();
    expect(await numbers(world)).toEqual([0, 1, 2, 3, 4, 5, 70]);
    // The host's next turn publishes it once more.
    world.publishStaged(half);
    await world.compact();
    expect(await numbers(world)).toEqual([0, 1, 2, 3, 4, 5, 70]);
    world.publishStaged(late);
    await world.compact();
    await world.compact();
    expect(await numbers(world)).toEqual([0, 1, 2, 3, 4, 5, 50, 70]);
    world.publishStaged(late);
    await world.compact();
    expect(await numbers(world)).toEqual([0, 1, 2, 3, 4, 5, 50, 70]);
  });

  test('of objects that are none say so, and have the others', async () => {
    const world = withObjects(1);
    world.cloud.put(`items/news/${world.nameAt(-2 * HOUR, 'bad')}`, Buffer.from('no gzip'));
    world.cloud.put(`items/news/${world.nameAt(-2 * HOUR, 'b2')}`, gzipSync('{"n":7}\nnull\n[1]\n{"n"\n5\n'));
    const heard: string[] = [];
    await world.compact({ warn: (message) => heard.push(message) });
    expect(await numbers(world)).toEqual([0, 1, 2, 7]);
    expect(heard).toHaveLength(5);
    expect(heard.join('\n')).toMatch(/bad\.jsonl\.gz is not in the tables of items: .*header/);
    expect(heard.join('\n')).toMatch(/b2\.jsonl\.gz is not in the tables of items: line 4 is no object/);
    await world.compact();
    expect(world.tables()).toHaveLength(1);
  });

  test('of nothing but such objects are none, and nobody looks at them again', async () => {
    const world = createWorld();
    world.cloud.put(`items/news/${world.nameAt(-2 * HOUR, 'bad')}`, Buffer.from('no gzip'));
    const heard: string[] = [];
    const warn = (message: string) => heard.push(message);
    for (let i = 0; i < 2; i++) expect(await world.compact({ warn })).toMatchObject({ itemTables: 0 });
    expect(heard).toHaveLength(1);
  });

  test('of items with more keys together have columns for the first ones', async () => {
    const world = createWorld();
    const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, 1]));
    world.publish(world.nameAt(-2 * HOUR, 'a'), { n: 0, ...wide }, { n: 1 });
    await world.compact();
    const rows = await world.rows();
    expect(rows.map((row) => Object.keys(row).length)).toEqual([1001, 1001]);
    expect(itemsOf(rows)).toEqual([{ n: 0, ...wide }, { n: 1 }]);
  });

  test('are begun in a quarter of a run; one that takes longer is made all the same', async () => {
    const world = withObjects(6);
    const slow: Around = async (name, carryOut) => {
      if (name === 'GetObjectCommand') world.clock.time += 10_000;
      return carryOut();
    };
    const run = (ms: number) => world.compact({ sizes: SMALL, deadline: world.clock.time + ms }, slow);
    expect(await run(60_000)).toMatchObject({ itemTables: 1, isCut: true });
    // Not even for one table: it is made as soon as there is time.
    expect(await run(15_000)).toMatchObject({ itemTables: 0, isCut: true });
    expect(await run(35_000)).toMatchObject({ itemTables: 1, isCut: true });
    for (let i = 0; i < 5 && (await run(60_000)).isCut; i++);
    expect(await numbers(world)).toEqual(Array.from({ length: 18 }, (_, n) => n));
  });
});

describe('a process that makes them', () => {
  const sizes = { ...SIZES, maxSources: 3 };
  const objects = () => {
    const world = withObjects(7);
    world.stage(world.nameAt(-2 * HOUR, 'late'), { n: 50 });
    return world;
  };

  async function undisturbed() {
    const world = objects();
    let calls = 0;
    await world.compact({ sizes }, (_, carryOut) => {
      calls++;
      return Promise.resolve(carryOut());
    });
    return { calls, tables: stateOf(world) };
  }

  const stateOf = ({ cloud, tables }: ReturnType<typeof createWorld>) =>
    tables().map((key) => [key, cloud.objects.get(key)!.bytes.toString('base64')]);

  test.each([true, false])(
    'may end at any call (carried out: %s): the next one makes the same',
    async (isCarriedOut) => {
      const { calls, tables } = await undisturbed();
      expect(tables).toHaveLength(3);
      for (let n = 1; n <= calls; n++) {
        const world = objects();
        let call = 0;
        const dying: Around = async (_, carryOut) => {
          call++;
          if (call > n || (call === n && !isCarriedOut)) throw ENDED;
          const answer = await carryOut();
          if (call === n) throw ENDED;
          return answer;
        };
        await world.compact({ sizes }, dying).catch((error) => expect(error).toBe(ENDED));
        world.clock.time += 6 * 60_000;
        await world.compact({ sizes });
        expect(stateOf(world)).toEqual(tables);
      }
    },
  );

  test('makes the same though S3 and the table are too busy for each call at first', async () => {
    const { tables } = await undisturbed();
    const world = objects();
    const clients = world.cloud.clients();
    const [s3, dynamo] = [throttled(clients.s3), throttled(clients.dynamo)];
    await world.compact({ sizes, s3: s3.client, dynamo: dynamo.client });
    expect(stateOf(world)).toEqual(tables);
    expect(s3.refused.filter((command) => command === 'PutObject')).toHaveLength(tables.length);
  });

  test('may stall at any call and go on after another one, who found more: each item is there once', async () => {
    const { calls } = await undisturbed();
    for (let n = 1; n <= calls; n++) {
      const world = objects();
      let call = 0;
      await world.compact({ sizes }, async (_, carryOut) => {
        if (++call !== n) return carryOut();
        world.clock.time += 6 * 60_000;
        world.publishStaged(world.nameAt(-2 * HOUR, 'late'));
        world.publish(world.nameAt(-1.5 * HOUR, 'more'), { n: 60 });
        await world.compact({ sizes: { ...sizes, maxSources: 5 } });
        return carryOut();
      });
      await world.compact({ sizes });
      expect([n, await numbers(world)]).toEqual([n, [...Array.from({ length: 21 }, (_, i) => i), 50, 60]]);
    }
  });
});

test('whatever turns and runs do one after the other, in the end each item is in one row', async () => {
  for (let seed = 1; seed <= 15; seed++) {
    const random = seededRandom(seed);
    const world = createWorld();
    const waiting: string[] = [];
    const published: number[] = [];
    const publish = (name: string) => {
      const dies = random() < 0.3;
      world.publishStaged(name, dies);
      if (!dies) waiting.splice(waiting.indexOf(name), 1);
      const n = Number(/-n(\d+)\./.exec(name)?.[1]);
      if (!published.includes(n)) published.push(n);
    };
    const act = async (n: number) => {
      world.clock.time += random() * HOUR;
      const what = random();
      if (what < 0.5) {
        const name = world.nameAt(world.clock.time - T0, `n${n}`);
        world.stage(name, { n });
        if (random() < 0.9) waiting.push(name);
        if (random() < 0.7 && waiting.includes(name)) publish(name);
      } else if (what < 0.7 && waiting.length > 0) {
        publish(waiting[Math.floor(random() * waiting.length)]!);
      } else {
        const end = Math.floor(random() * 30);
        let call = 0;
        const around: Around = async (_, carryOut) => {
          if (++call > end) throw ENDED;
          return carryOut();
        };
        const options = {
          sizes: { ...SIZES, maxSources: 1 + Math.floor(random() * 4) },
          finished: random() < 0.3,
        };
        await world.compact(options, random() < 0.4 ? around : undefined).catch(() => {});
      }
    };
    for (let n = 0; n < 60; n++) await act(n);
    while (waiting.length > 0) publish(waiting[0]!);
    world.clock.time += 2 * HOUR;
    await world.compact();
    expect([seed, await numbers(world)]).toEqual([seed, published.sort((a, b) => a - b)]);
  }
});
