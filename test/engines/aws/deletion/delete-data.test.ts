/** Deleting what a crawl has stored, from every place, and nothing of another crawl. */
import { expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { domainKey } from '../../../../shared/core/frontier/domain-state.ts';
import { SETTLE_MS } from '../../../../shared/engines/aws/deletion/begin-deletion.ts';
import { createCrawlDeletions } from '../../../../shared/engines/aws/deletion/crawl-deletions.ts';
import { type DeletedData, deleteCrawlData } from '../../../../shared/engines/aws/deletion/delete-data.ts';
import { requestDeletion } from '../../../../shared/engines/aws/deletion/deletions.ts';
import { createReferrers } from '../../../../shared/engines/aws/deletion/referrers.ts';
import { ExportJobs } from '../../../../shared/engines/aws/exports/export-jobs.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';
import { headOf, RECORD } from '../../../contract/subjects.ts';
import { throttled } from '../throttled.ts';

const ARCHIVE = ['warc', 'items', 'exports'];
const OTHERS = ['staged-items', 'skips', 'changes', 'staged-changes'];
/** More than a batch of hosts. */
const HOSTS = Array.from({ length: 23 }, (_, i) => `h${i}.test`);

async function setUp(crawls: readonly string[], hosts: readonly string[] = ['a.test']) {
  const cloud = createSimCloud({ seed: 1, sizes: { ...SIZES, maxRowBytes: 200 } });
  const process = cloud.begin('compactor');
  const { engine } = cloud.open(process);
  const { settings } = cloud;
  const run = <T>(work: Promise<T>): Promise<T> => drive(cloud.time, work);
  const context = {
    ...{ ...cloud.clientsOf(process), clock: process.clock, names: settings },
    ...{
      ledgers: engine.ledgers,
      registry: engine.registry,
      table: settings.crawlState,
      bucket: settings.bucket,
    },
  };
  const put = (Key: string) =>
    cloud.s3.handle('PutObjectCommand', { Bucket: settings.bucket, Key, Body: Buffer.from('x') });
  for (const crawl of crawls) {
    await run(engine.registry.create(crawl, RECORD));
    for (const host of hosts) {
      await run(engine.ledgers.commit(crawl, host, headOf(1, { token: host, dueAt: 1000 })));
      await run(engine.ledgers.putPart(crawl, host, 'row', new Uint8Array(100)));
      await run(engine.ledgers.putPart(crawl, host, 'object', new Uint8Array(500)));
    }
    await run(engine.state.change(crawl, [{ key: 'k', apply: () => '1' }]));
    await run(new ExportJobs(context).begin(crawl, { format: 'wet' }, 'x'));
    for (const folder of [...ARCHIVE, ...OTHERS]) for (const n of [1, 2]) put(`${folder}/${crawl}/${n}`);
    put(`export-work/${crawl}/x/cursor`);
    put(`index/crawl=${crawl}/subset=warc/file`);
    for (const folder of ['warc', 'exports', 'items'])
      cloud.s3.handle('CreateMultipartUploadCommand', {
        Bucket: settings.bucket,
        Key: `${folder}/${crawl}/unfinished`,
      });
  }
  return {
    cloud,
    context,
    run,
    engine,
    now: () => process.clock.now(),
    delete: (crawl: string, options: Parameters<typeof deleteCrawlData>[2]) =>
      run(deleteCrawlData(context, crawl, options)),
    /** Keys with the name of the crawl. The waker strikes what is left of it in the agenda. */
    left(crawl: string): string[] {
      const isOf = (key: string) => key.split(/[ /=]/).includes(crawl) && !/^#(soon|agenda) /.test(key);
      const items = [settings.crawlState, settings.urlSeen].flatMap((table) =>
        [...cloud.dynamo.items(table)].map(({ pk, sk }) => `${pk?.S} ${sk?.S}`),
      );
      const uploads = [...cloud.s3.uploads(settings.bucket).values()].map((one) => `upload ${one.key}`);
      return [...items, ...cloud.s3.objects(settings.bucket).keys(), ...uploads].filter(isOf).sort();
    },
  };
}

test('all of a crawl is deleted, and nothing of one whose name begins like it', async () => {
  const { left, delete: remove } = await setUp(['news', 'news2', 'new']);
  const before = [left('news2'), left('new')];
  expect(left('news').length).toBeGreaterThan(30);
  expect(await remove('news', { archive: true })).toBe(true);
  expect(left('news')).toEqual(['upload items/news/unfinished']);
  expect([left('news2'), left('new')]).toEqual(before);
  // Safe to repeat, also after the last step.
  expect(await remove('news', { archive: true })).toBe(true);
});

test('without its archive, what people keep of it stays', async () => {
  const { left, delete: remove } = await setUp(['news']);
  expect(await remove('news', { archive: false })).toBe(true);
  expect(left('news')).toEqual(
    [
      ...ARCHIVE.flatMap((folder) => [`${folder}/news/1`, `${folder}/news/2`]),
      'index/crawl=news/subset=warc/file',
      'upload items/news/unfinished',
    ].sort(),
  );
});

test('progress counts hosts, rows and objects; a domain is no host', async () => {
  const { delete: remove, cloud, engine, run } = await setUp(['news'], HOSTS);
  await run(engine.ledgers.commit('news', domainKey('h.test'), headOf(1)));
  const rows = [...cloud.dynamo.items(cloud.settings.urlSeen)].length;
  const objects = cloud.s3.objects(cloud.settings.bucket).size;
  const reports: DeletedData[] = [];
  await remove('news', { archive: true, onProgress: (deleted) => void reports.push({ ...deleted }) });
  const hosts = reports.map((one) => one.hosts);
  expect(hosts).toEqual([...hosts].sort((a, b) => a - b));
  // Batches of twenty.
  expect(hosts.filter((count) => count < HOSTS.length).length).toBeGreaterThanOrEqual(1);
  expect(reports.at(-1)?.hosts).toBe(HOSTS.length);
  expect(reports.at(-1)?.objects).toBe(objects);
  expect(rows).toBe(2 * HOSTS.length);
  expect(reports.at(-1)?.rows).toBeGreaterThanOrEqual(rows);
});

test('when its time is up it stops, and the record stays until a later call is through', async () => {
  const { delete: remove, left, now, engine, run } = await setUp(['news'], HOSTS);
  const before = left('news').length;
  expect(await remove('news', { archive: true, deadline: now() })).toBe(false);
  const after = left('news').length;
  // One batch of hosts is gone.
  expect(after).toBeLessThan(before);
  expect(after).toBeGreaterThan(20);
  expect(await run(engine.registry.load('news'))).toBeDefined();
  expect(await remove('news', { archive: true, deadline: now() + 600_000 })).toBe(true);
  expect(left('news')).toEqual(['upload items/news/unfinished']);
});

test('the data is deleted when nothing can hold a part of it any more, and no earlier', async () => {
  const { context, run, left, cloud } = await setUp(['news']);
  const deletions = createCrawlDeletions(context);
  expect(await run(deletions.proceed('news'))).toBeUndefined();
  await run(requestDeletion(context, 'news', { archive: true }));
  expect(await run(deletions.pending())).toEqual(['news']);
  const stopped = await run(deletions.proceed('news'));
  const all = left('news');
  await cloud.time.advance(stopped!.stoppedAt! + SETTLE_MS - 5000 - cloud.time.now());
  expect((await run(deletions.proceed('news')))?.deletedAt).toBeUndefined();
  expect(left('news')).toEqual(all);
  await cloud.time.advance(5000);
  const done = await run(deletions.proceed('news'));
  expect(done).toMatchObject({ stoppedAt: stopped!.stoppedAt, archive: true });
  expect(done?.deletedAt).toBeGreaterThan(done!.stoppedAt!);
  expect(left('news')).toEqual(['#deleted news', 'upload items/news/unfinished']);
  expect(await run(deletions.pending())).toEqual([]);
  expect(await run(deletions.proceed('news'))).toEqual(done);
});

test('an archive that another crawl has come to refer to stays, and so does the note about it', async () => {
  const { context, run, left, cloud } = await setUp(['news', 'later']);
  const deletions = createCrawlDeletions(context);
  await run(createReferrers(context).add('later', ['news']));
  for (const crawl of ['news', 'later']) {
    await run(requestDeletion(context, crawl, { archive: true }));
    await run(deletions.proceed(crawl));
  }
  await cloud.time.advance(SETTLE_MS);
  expect(await run(deletions.proceed('news'))).toMatchObject({ archive: false, archiveKeptFor: ['later'] });
  expect(left('news')).toContain('warc/news/1');
  expect(left('news')).toContain('#referrers news later');
  // With the archive that refers to it, the note goes.
  expect(await run(deletions.proceed('later'))).toMatchObject({ archive: true });
  expect(left('later')).toEqual(['#deleted later', 'upload items/later/unfinished']);
});

/** A client whose calls `around` carries out, or does not. */
const wrapped = <C extends object>(
  client: C,
  around: (name: string, carryOut: () => unknown) => unknown,
): C =>
  ({
    send: async (command: object) =>
      around(command.constructor.name, () =>
        (client as unknown as { send(given: object): unknown }).send(command),
      ),
  }) as unknown as C;

test('each call that is throttled is made again', async () => {
  const { context, run, left } = await setUp(['news']);
  const [s3, dynamo] = [throttled(context.s3), throttled(context.dynamo)];
  const busy = { ...context, s3: s3.client, dynamo: dynamo.client };
  expect(await run(deleteCrawlData(busy, 'news', { archive: true }))).toBe(true);
  expect(left('news')).toEqual(['upload items/news/unfinished']);
  expect(new Set(s3.refused)).toEqual(
    new Set(['ListObjectsV2', 'DeleteObjects', 'ListMultipartUploads', 'AbortMultipartUpload']),
  );
});

test('a call that fails ends the deletion: no other one is in progress then, and none follows', async () => {
  /** A crawl without hosts, as the rows of several are deleted at once. The number of calls, if none fails. */
  async function failingAt(n: number): Promise<number> {
    const { cloud, context, run } = await setUp(['news'], []);
    const { bucket: Bucket } = cloud.settings;
    for (const folder of ['warc', 'exports'])
      cloud.s3.handle('CreateMultipartUploadCommand', { Bucket, Key: `${folder}/news/another` });
    let calls = 0;
    const around = (_: string, carryOut: () => unknown) => {
      if (++calls === n) throw new Error(`call ${n} fails`);
      return carryOut();
    };
    const failing = { ...context, s3: wrapped(context.s3, around), dynamo: wrapped(context.dynamo, around) };
    const deletion = run(deleteCrawlData(failing, 'news', { archive: true }));
    if (n === 0) await deletion;
    else await expect(deletion).rejects.toThrow(`call ${n} fails`);
    await cloud.time.advance(60_000);
    if (n > 0) expect(calls).toBe(n);
    return calls;
  }
  const calls = await failingAt(0);
  expect(calls).toBeGreaterThan(30);
  for (let n = 1; n <= calls; n++) await failingAt(n);
});

test('whatever part of a host cannot be deleted, its crawl is not struck out, and a repetition finds the part', async () => {
  /** The number of calls that delete rows, if none fails. */
  async function failingAt(n: number): Promise<number> {
    const { context, run, left, engine, delete: remove } = await setUp(['news'], ['a.test', 'b.test']);
    let deletions = 0;
    const around = (name: string, carryOut: () => unknown) => {
      if (name === 'BatchWriteItemCommand' && ++deletions === n) throw new Error(`deletion ${n} fails`);
      return carryOut();
    };
    const failing = { ...context, dynamo: wrapped(context.dynamo, around) };
    const deletion = run(deleteCrawlData(failing, 'news', { archive: true }));
    if (n === 0) await deletion;
    else {
      await expect(deletion).rejects.toThrow(`deletion ${n} fails`);
      expect(await run(engine.registry.load('news'))).toBeDefined();
      await remove('news', { archive: true });
    }
    expect(left('news')).toEqual(['upload items/news/unfinished']);
    return deletions;
  }
  const deletions = await failingAt(0);
  // Rows of two hosts, their heads, their entries.
  expect(deletions).toBeGreaterThanOrEqual(4);
  for (let n = 1; n <= deletions; n++) await failingAt(n);
});

test('an upload that its process has ended by now is no failure, any other refusal is', async () => {
  const { context, run, left } = await setUp(['news']);
  const aborting = (abort: (carryOut: () => unknown) => unknown) => ({
    ...context,
    s3: wrapped(context.s3, (name, carryOut) =>
      name === 'AbortMultipartUploadCommand' ? abort(carryOut) : carryOut(),
    ),
  });
  const refused = aborting(() => {
    throw Object.assign(new Error('no'), { name: 'AccessDenied' });
  });
  await expect(run(deleteCrawlData(refused, 'news', { archive: true }))).rejects.toThrow('no');
  expect(await run(context.registry.load('news'))).toBeDefined();
  const ended = aborting(async (carryOut) => {
    await carryOut();
    return carryOut();
  });
  expect(await run(deleteCrawlData(ended, 'news', { archive: true }))).toBe(true);
  expect(left('news')).toEqual(['upload items/news/unfinished']);
});

test('a deletion whose time comes while it is looked up is carried out', async () => {
  const { context, run, cloud, left } = await setUp(['news']);
  await run(requestDeletion(context, 'news', { archive: true }));
  const stopped = await run(createCrawlDeletions(context).proceed('news'));
  await cloud.time.advance(stopped!.stoppedAt! + SETTLE_MS - 1000 - cloud.time.now());
  const dynamo = wrapped(context.dynamo, async (name, carryOut) => {
    if (name === 'GetItemCommand') await cloud.time.sleep(2000);
    return carryOut();
  });
  const deletion = await run(createCrawlDeletions({ ...context, dynamo }).proceed('news'));
  expect(deletion?.deletedAt).toBeDefined();
  expect(left('news')).toEqual(['#deleted news', 'upload items/news/unfinished']);
});
