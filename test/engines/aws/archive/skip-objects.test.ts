/** Links that were left out, in S3: durable when a turn is to be committed, and each read once. */
import { expect, test } from 'vitest';
import { stackSkips } from '../../../../api/stack/stack-skips.ts';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import type { Skip } from '../../../../shared/crawler/ports/skip-log.ts';
import { createSkipObjects } from '../../../../shared/engines/aws/archive/skip-objects.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { NO_FAULTS } from '../../../../simulation/models/faults.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';
import { throttled } from '../throttled.ts';

function open() {
  const cloud = createSimCloud({ seed: 1, faults: () => NO_FAULTS });
  const { bucket } = cloud.settings;
  const opened = cloud.open(cloud.begin('worker'));
  const { s3 } = opened.clients;
  const { clock } = opened.engine;
  const log = (more = {}) => createSkipObjects({ s3, bucket, clock, gatherMs: 1000, ...more });
  const objects = () => [...cloud.s3.objects(bucket).keys()];
  async function run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    // Virtual time goes on while files are read.
    void (async () => {
      while (!isDone) await cloud.time.sleep(1000);
    })();
    return drive(
      cloud.time,
      work.finally(() => {
        isDone = true;
      }),
    );
  }
  async function read(): Promise<{ skips: Skip[]; beyond: number }> {
    const skips: Skip[] = [];
    let beyond = 0;
    const context = { s3, bucket, clock, sizes: SIZES };
    const stored = { context, crawl: 'c', run: <R>(call: () => Promise<R>) => call() };
    for await (const skip of stackSkips(stored, (links) => {
      beyond += links;
    }))
      skips.push(skip);
    return { skips, beyond };
  }
  return { s3, clock, log, objects, run, read };
}

const link = (path: string, more: Partial<Skip> = {}): Skip => ({
  url: `http://a.test/${path}`,
  reason: 'scope',
  ...more,
});

test('links of several turns are stored together, and nothing is stored before a turn ends', async () => {
  const { log, objects, run, read } = open();
  const skips = log();
  skips.note('c', link('1', { via: 'http://b.test/', cause: { code: 'trap' } as never }));
  const both = [skips.makeDurable('c')];
  skips.note('c', link('2'));
  both.push(skips.makeDurable('other'));
  expect(objects()).toEqual([]);
  await run(Promise.all(both));
  expect(objects()).toEqual([expect.stringMatching(/^skips\/c\/\d{14}-.*\.jsonl\.gz$/)]);
  await run(skips.makeDurable('c'));
  expect(objects()).toHaveLength(1);
  const { skips: stored } = await run(read());
  expect(stored.map(({ url, via }) => [url, via])).toEqual([
    ['http://a.test/1', 'http://b.test/'],
    ['http://a.test/2', undefined],
  ]);
});

test('a link that several workers met is read once for each reason, whatever is in its URL', async () => {
  const { log, run, read } = open();
  for (const skips of [log(), log()]) {
    for (let i = 0; i < 3; i++) for (const path of ['{a}', 'b"c', 'ü', '{a}d']) skips.note('c', link(path));
    skips.note('c', link('ü', { reason: 'exclude' }));
    await run(skips.makeDurable('c'));
  }
  const { skips } = await run(read());
  expect(skips.map(({ url, reason }) => `${reason} ${url.slice(14)}`).sort()).toEqual([
    'exclude ü',
    'scope b"c',
    'scope {a}',
    'scope {a}d',
    'scope ü',
  ]);
});

test('links that could not be stored fail the commit, and are stored with the next one', async () => {
  const { s3, log, run, read } = open();
  const send = s3.send;
  const skips = log();
  skips.note('c', link('1'));
  s3.send = async () => {
    throw new Error('no S3');
  };
  await expect(run(skips.makeDurable('c'))).rejects.toThrow('no S3');
  s3.send = send;
  skips.note('c', link('2'));
  await run(skips.makeDurable('c'));
  expect((await run(read())).skips).toHaveLength(2);
});

test('links beyond the memory for them are counted', async () => {
  const { log, run, read } = open();
  const skips = log({ maxChars: 1000 });
  for (let n = 0; n < 100; n++) skips.note('c', link(String(n)));
  await run(skips.makeDurable('c'));
  skips.note('c', link('last'));
  await run(skips.makeDurable('c'));
  const { skips: stored, beyond } = await run(read());
  expect(stored.length + beyond).toBe(101);
  expect(stored.map(({ url }) => url)).toContain('http://a.test/last');
  expect(beyond).toBeGreaterThan(50);
});

test('all crawls share the memory for links, of which each has a little for itself', async () => {
  const { log, run, read } = open();
  const skips = log({ maxChars: 400_000 });
  for (let n = 0; n < 20_000; n++) skips.note('large', link(String(n)));
  for (let n = 0; n < 1000; n++) skips.note('c', link(String(n)));
  await run(skips.makeDurable('c'));
  const { skips: stored, beyond } = await run(read());
  expect(stored.length + beyond).toBe(1000);
  expect(stored.length).toBeGreaterThan(50);
  expect(beyond).toBeGreaterThan(50);
  await run(skips.makeDurable('large'));
  for (let n = 0; n < 1000; n++) skips.note('c', link(`next ${n}`));
  await run(skips.makeDurable('c'));
  const all = await run(read());
  expect(all.skips.length).toBe(stored.length + 1000);
});

test('links are stored though S3 is too busy at first, as often as it takes them', async () => {
  const { s3, log, objects, run, read } = open();
  const { client, refused } = throttled(s3);
  const skips = log({ s3: client });
  skips.note('c', link('1'));
  await run(skips.makeDurable('c'));
  expect([refused, objects().length]).toEqual([['PutObject'], 1]);
  expect((await run(read())).skips).toHaveLength(1);
});

test('an object has the time at which it is stored, after it has waited for other links', async () => {
  const { clock, log, objects, run } = open();
  const skips = log({ gatherMs: 60_000 });
  skips.note('c', link('1'));
  const begun = clock.now();
  await run(skips.makeDurable('c'));
  const [stamp] = objects().map((key) => key.slice('skips/c/'.length).slice(0, 14));
  expect(stamp).toBe(new Date(begun + 60_000).toISOString().replace(/\D/g, '').slice(0, 14));
});
