import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { beginStackCrawl, readStackOptions } from '../../../api/stack/start-stack-crawl.ts';
import { seedLinks } from '../../../shared/core/frontier/seed-links.ts';
import { tableKey } from '../../../shared/engines/aws/archive/table-folders.ts';
import type { SimCloud } from '../../../simulation/models/cloud.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { type DeployedWorld, deployedWorld } from './deployed-world.ts';

const MINUTE = 60_000;
/** Two hosts, one of which no crawl of one page reaches. */
const PAGES = {
  'http://a.test/0': ['/1', 'http://b.test/0'],
  'http://a.test/1': ['/2'],
  'http://a.test/2': ['/3'],
  'http://a.test/3': [],
  'http://b.test/0': ['/1'],
  'http://b.test/1': [],
};

const optionsOf = (crawl: string, more = {}) =>
  readStackOptions({
    stack: 'Strand',
    crawl,
    seeds: ['http://a.test/0'],
    contact: 'https://sim.test/',
    scope: 'any',
    delayMs: 2000,
    ...more,
  });

/** Keys of the crawl's items and objects in the account. */
function remainsOf({ dynamo, s3, settings }: SimCloud, crawl: string): string[] {
  const isOf = (key = '') =>
    key === crawl ||
    key.startsWith(`${crawl} `) ||
    key.includes(` ${crawl} `) ||
    key.includes(`/${crawl}/`) ||
    key.includes(`/crawl=${crawl}/`);
  const items = [settings.crawlState, settings.urlSeen].flatMap((table) =>
    [...dynamo.items(table)].flatMap(({ pk, sk }) => (isOf(pk?.S) || isOf(sk?.S) ? `${pk?.S} ${sk?.S}` : [])),
  );
  return [...items, ...[...s3.objects(settings.bucket).keys()].filter(isOf)].sort();
}

async function inWorld(script: (world: DeployedWorld) => Promise<void>, options = {}): Promise<void> {
  const world = deployedWorld(PAGES, { project: { onPage: () => ({ seen: true }) }, ...options });
  await drive(world.time, script(world));
  world.deployment.stop();
}

test('a running crawl is deleted by the stack: state, items and archive, and no other crawl', async () => {
  await inWorld(
    async ({ cloud, connection, time }) => {
      const { control } = connection;
      await beginStackCrawl(connection, optionsOf('gone'));
      await beginStackCrawl(connection, optionsOf('kept'));
      await time.sleep(8000);
      const tables = ['gone', 'kept'].map((crawl) =>
        tableKey(crawl, 'warc', 'joined-20260101000000-x.warc.gz'),
      );
      const { bucket: Bucket } = cloud.settings;
      const { s3 } = cloud.clientsOf(cloud.begin('compactor'));
      for (const Key of tables) await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'rows' }));
      const deletion = await control.delete('gone', { archive: true });
      const { requestedAt } = deletion;
      expect(deletion).toMatchObject({ crawl: 'gone', state: 'deleting', archive: true });
      expect(Date.parse(requestedAt)).toBeCloseTo(time.now(), -3);
      expect(await control.status('gone')).toMatchObject({ state: 'stopped', reason: 'it is being deleted' });
      const config = { contact: 'https://sim.test/' };
      for (const refused of [
        () => control.resume('gone'),
        () => control.addSeeds('gone', ['http://a.test/2']),
        () => control.create({ crawl: 'gone', seeds: ['http://a.test/0'], config }),
      ])
        await expect(refused()).rejects.toMatchObject({ code: 'conflict' });
      await time.sleep(130 * MINUTE);
      expect(remainsOf(cloud, 'gone')).toEqual(['#deleted gone']);
      expect(tables.map((key) => cloud.s3.objects(Bucket).has(key))).toEqual([false, true]);
      expect((await control.list()).crawls).toMatchObject([{ crawl: 'kept', state: 'finished', pages: 6 }]);
      expect(await control.delete('gone')).toMatchObject({ state: 'deleted', archive: true, requestedAt });
      await expect(control.status('gone')).rejects.toMatchObject({ code: 'notFound' });
    },
    { hasCompactor: true },
  );
});

test('the archive stays unless it is to be deleted, and can be deleted afterwards', async () => {
  await inWorld(async ({ cloud, connection, time }) => {
    const { control, deletions } = connection;
    await beginStackCrawl(connection, optionsOf('c'));
    await time.sleep(10 * MINUTE);
    await control.delete('c');
    await time.sleep(16 * MINUTE);
    expect(await deletions.proceed('c')).not.toHaveProperty('deletedAt');
    expect(await control.status('c')).toMatchObject({ pages: 6 });
    await time.sleep(MINUTE);
    const counts: number[] = [];
    const done = await deletions.proceed('c', { onProgress: ({ hosts }) => counts.push(hosts) });
    expect(done).toMatchObject({ archive: false, deletedAt: expect.any(Number) });
    expect(counts.at(-1)).toBe(2);
    const left = remainsOf(cloud, 'c').filter((key) => key !== '#deleted c');
    expect(left).not.toEqual([]);
    expect(left.filter((key) => !/^(warc|items)\/c\//.test(key))).toEqual([]);
    await control.delete('c', { archive: true });
    await deletions.proceed('c');
    expect(remainsOf(cloud, 'c')).toEqual(['#deleted c']);
  });
});

test('late messages of a deleted crawl begin nothing, and its name is free after 15 days', async () => {
  await inWorld(async ({ cloud, connection, deployment, time }) => {
    const { control, deletions } = connection;
    await beginStackCrawl(connection, optionsOf('c'));
    await time.sleep(10 * MINUTE);
    await control.delete('c', { archive: true });
    await time.sleep(18 * MINUTE);
    await deletions.proceed('c');
    const { send, sendText } = deployment.operator();
    await send('c', seedLinks(['http://b.test/1'], []));
    await sendText(JSON.stringify({ crawl: 'c', urls: ['http://a.test/0'] }));
    await time.sleep(10 * MINUTE);
    expect(remainsOf(cloud, 'c')).toEqual(['#deleted c']);
    const dead = [...cloud.sqs.messages(cloud.settings.linkDeadLetterUrl)];
    expect(dead.map(({ body }) => body)).toEqual(['{"crawl":"c","urls":["http://a.test/0"]}']);
    await time.sleep(15 * 86_400_000);
    await control.create({
      crawl: 'c',
      seeds: ['http://a.test/0'],
      config: { contact: 'https://sim.test/' },
    });
    await time.sleep(10 * MINUTE);
    expect(await control.status('c')).toMatchObject({ state: 'finished' });
  });
});

test('a deletion that has no time to end continues where it stands', async () => {
  await inWorld(async ({ cloud, connection, time }) => {
    const { control, deletions, clock } = connection;
    await beginStackCrawl(connection, optionsOf('c'));
    await time.sleep(10 * MINUTE);
    await control.delete('c', { archive: true });
    await time.sleep(18 * MINUTE);
    expect(await deletions.proceed('c', { deadline: clock.now() })).not.toHaveProperty('deletedAt');
    expect(await control.status('c')).toMatchObject({ state: 'stopped' });
    expect(await deletions.pending()).toEqual(['c']);
    await deletions.proceed('c');
    expect(await deletions.pending()).toEqual([]);
    expect(remainsOf(cloud, 'c')).toEqual(['#deleted c']);
  });
});

test('questions about a crawl that is not there leave nothing in the tables', async () => {
  await inWorld(async ({ cloud, connection }) => {
    await expect(connection.control.status('c')).rejects.toMatchObject({ code: 'notFound' });
    await expect(connection.control.delete('c')).rejects.toMatchObject({ code: 'notFound' });
    await expect(openStackCrawl(connection, 'c')).rejects.toMatchObject({ code: 'notFound' });
    await connection.close();
    expect(remainsOf(cloud, 'c')).toEqual([]);
  });
});
