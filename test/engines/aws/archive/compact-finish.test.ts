/** The end of a joining: from its plan to the joined file and its index, from whatever step it stands at. */
import { beforeAll, expect, test } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { type FinishContext, finishPlan } from '../../../../shared/engines/aws/archive/compact-finish.ts';
import { indexName, planJoin } from '../../../../shared/engines/aws/archive/compact-layout.ts';
import { takeLease } from '../../../../shared/engines/aws/archive/compact-lease.ts';
import { scanObject } from '../../../../shared/engines/aws/archive/compact-scan.ts';
import { joinedSources } from '../../../../shared/engines/aws/archive/joined-warcs.ts';
import { captureOf, joined, RECORDS } from '../../../core/archive/captures.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { type Around, createCloud } from './compact-cloud.ts';

const FOLDER = 'warc/news/';
const sources: { file: string; body: Buffer }[] = [];

beforeAll(async () => {
  for (const i of [0, 1]) {
    const capture = captureOf({ url: `http://site.test/${i}`, body: Buffer.from(`page ${i}`) });
    const { members } = await encodeCapture(capture, RECORDS);
    const body = Buffer.concat(await Promise.all(members.map(joined)));
    sources.push({ file: `strand-20260102030405-abcdefghij-0000${i}.warc.gz`, body });
  }
});

/** A crawl with two objects, and the plan to join them. */
async function open(around?: Around) {
  const cloud = createCloud();
  for (const { file, body } of sources) cloud.put(FOLDER + file, body);
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const { s3, dynamo } = cloud.clients(around);
  const plan = planJoin(sources.map(({ file, body }) => ({ file, bytes: body.length })));
  const lease = (await takeLease({ dynamo, clock, table: 'state', crawl: 'news' }))!;
  await lease.begin(plan);
  const warnings: string[] = [];
  const folder = { s3, bucket: 'bucket', clock, sizes: SIZES, folder: FOLDER };
  const scan = { step: async () => {}, tables: false };
  const mapping = { dynamo, clock, table: 'state' };
  const context: FinishContext = {
    ...{ folder, mapping, crawl: 'news', lease, ...scan, beforeComplete: async () => {} },
    warn: (message) => void warnings.push(message),
    async check(source) {
      const found = await scanObject(folder, source, scan);
      return found.status === 'whole' ? found.captures : undefined;
    },
  };
  return {
    cloud,
    plan,
    warnings,
    finish: () => finishPlan(context, plan, false),
    index: () => cloud.objects.get(FOLDER + indexName(plan.file))?.bytes.toString(),
    announced: async () => [
      ...(
        await joinedSources(
          mapping,
          'news',
          sources.map(({ file }) => file),
        )
      ).keys(),
    ],
  };
}

const JOINED_LINES = /^test,site\)\/0 .*\ntest,site\)\/1 .*\n$/;

test('the sources are one file with an index, are announced, and are no more', async () => {
  const { cloud, plan, finish, index, announced } = await open();
  expect(await finish()).toBe(true);
  expect(
    cloud.objects.get(FOLDER + plan.file)?.bytes.equals(Buffer.concat(sources.map(({ body }) => body))),
  ).toBe(true);
  expect(index()).toMatch(JOINED_LINES);
  expect((await announced()).sort()).toEqual(sources.map(({ file }) => file));
  for (const { file } of sources) expect(cloud.objects.has(FOLDER + file)).toBe(false);
});

test('a joined file that an earlier process left without an index gets it, though the sources are gone', async () => {
  const { cloud, plan, finish, index } = await open();
  cloud.put(FOLDER + plan.file, Buffer.concat(sources.map(({ body }) => body)));
  for (const { file } of sources) cloud.objects.delete(FOLDER + file);
  expect(await finish()).toBe(true);
  expect(index()).toMatch(JOINED_LINES);
});

test('an index that is there is left as it is', async () => {
  const { cloud, plan, finish, index } = await open();
  cloud.put(FOLDER + plan.file, Buffer.concat(sources.map(({ body }) => body)));
  cloud.put(FOLDER + indexName(plan.file), Buffer.from('as it is'));
  expect(await finish()).toBe(true);
  expect(index()).toBe('as it is');
});

test('a plan of which a source goes while it is carried out is given up with a warning, and nothing is left of it', async () => {
  const { cloud, plan, warnings, finish, announced } = await open(async (command, carryOut) => {
    if (command === 'CreateMultipartUploadCommand') cloud.objects.delete(FOLDER + sources[1]!.file);
    return carryOut();
  });
  expect(await finish()).toBe(false);
  expect(warnings).toEqual([`${FOLDER}${plan.file} cannot be made: some of its objects are gone or damaged`]);
  expect([cloud.objects.has(FOLDER + plan.file), cloud.uploads.size]).toEqual([false, 0]);
  expect(await announced()).toEqual([]);
  expect(cloud.objects.has(FOLDER + sources[0]!.file)).toBe(true);
});

test('an upload that fails otherwise is no sign that the sources are gone', async () => {
  const { finish, warnings } = await open(async (command, carryOut) => {
    if (command === 'UploadPartCommand') throw new Error('S3 is away');
    return carryOut();
  });
  await expect(finish()).rejects.toThrow('S3 is away');
  expect(warnings).toEqual([]);
});

test('a joining of which any one call fails is carried out by the next try', async () => {
  const failed: string[] = [];
  for (let at = 1; failed.length === at - 1; at++) {
    let calls = Number.NEGATIVE_INFINITY;
    const { cloud, plan, warnings, finish, index, announced } = await open(async (command, carryOut) => {
      if (++calls !== at) return carryOut();
      failed.push(command);
      throw new Error(`${command} fails`);
    });
    calls = 0;
    const isDone = await finish().catch(() => false);
    calls = Number.POSITIVE_INFINITY;
    if (!isDone) expect(await finish()).toBe(true);
    expect(cloud.objects.has(FOLDER + plan.file)).toBe(true);
    expect(index()).toMatch(JOINED_LINES);
    expect((await announced()).sort()).toEqual(sources.map(({ file }) => file));
    for (const { file } of sources) expect(cloud.objects.has(FOLDER + file)).toBe(false);
    expect([...cloud.items.values()].filter(({ planFile }) => planFile)).toEqual([]);
    expect(warnings).toEqual([]);
  }
  expect(new Set(failed)).toEqual(
    new Set([
      ...['HeadObjectCommand', 'GetObjectCommand', 'ListMultipartUploadsCommand'],
      ...['CreateMultipartUploadCommand', 'UploadPartCommand', 'CompleteMultipartUploadCommand'],
      ...['PutObjectCommand', 'UpdateItemCommand', 'BatchWriteItemCommand', 'DeleteObjectsCommand'],
    ]),
  );
});
