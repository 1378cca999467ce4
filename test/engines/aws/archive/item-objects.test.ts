/** Items in S3: each is published once, whatever process publishes it how often. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createItemObjects } from '../../../../shared/engines/aws/archive/item-objects.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { NO_FAULTS } from '../../../../simulation/models/faults.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';
import { throttled } from '../throttled.ts';

function open() {
  const cloud = createSimCloud({ seed: 1, faults: () => NO_FAULTS });
  /** The item store of another process. */
  const store = (name: string) => cloud.open(cloud.begin(name)).engine.items;
  const keys = (folder: string) =>
    [...cloud.s3.objects(cloud.settings.bucket).keys()].filter((key) => key.startsWith(`${folder}/`));
  const lines = () =>
    keys('items').flatMap((key) =>
      gunzipSync(cloud.s3.objects(cloud.settings.bucket).get(key)!.bytes)
        .toString()
        .split('\n')
        .filter(Boolean),
    );
  const run = <T>(work: Promise<T>): Promise<T> => drive(cloud.time, work);
  return { cloud, store, keys, lines, run };
}

test('staged items are published once, by however many processes', async () => {
  const { store, keys, lines, run } = open();
  const [a, b] = [store('worker a'), store('worker b')];
  const name = await run(a.stage('c', 'a.test', 1, ['{"n":1}', '{"n":2}']));
  expect([keys('staged-items').length, lines()]).toEqual([1, []]);
  for (const each of [a, b, a]) await run(each.publish('c', 'a.test', 1, name));
  expect([keys('staged-items').length, lines()]).toEqual([0, ['{"n":1}', '{"n":2}']]);
});

test('of several attempts at a version only the committed one is published', async () => {
  const { store, keys, lines, run } = open();
  const [a, b] = [store('worker a'), store('worker b')];
  const names = [
    await run(a.stage('c', 'a.test', 1, ['"first"'])),
    await run(b.stage('c', 'a.test', 1, ['"second"'])),
  ];
  await run(b.publish('c', 'a.test', 1, names[1]));
  expect(lines()).toEqual(['"second"']);
  expect(keys('staged-items')).toEqual([`staged-items/c/${names[0]}`]);
});

test('a turn without items stages nothing', async () => {
  const { store, keys, run } = open();
  expect(await run(store('worker').stage('c', 'a.test', 1, []))).toBeUndefined();
  await run(store('worker').publish('c', 'a.test', 1));
  expect([...keys('staged-items'), ...keys('items')]).toEqual([]);
});

test('items are staged and published though S3 is too busy for each call at first', async () => {
  const { cloud, keys, lines, run } = open();
  const { clients, engine } = cloud.open(cloud.begin('worker'));
  const { client: s3, refused } = throttled(clients.s3);
  const items = createItemObjects({ s3, bucket: cloud.settings.bucket, clock: engine.clock });
  const name = await run(items.stage('c', 'a.test', 1, ['{"n":1}']));
  await run(items.publish('c', 'a.test', 1, name));
  expect([keys('staged-items'), lines()]).toEqual([[], ['{"n":1}']]);
  expect(refused).toEqual(['PutObject', 'CopyObject', 'DeleteObjects']);
});
