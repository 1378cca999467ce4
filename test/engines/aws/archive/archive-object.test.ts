/** A WARC object that is made as it is uploaded. */
import type { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import {
  beginWarcUpload,
  capturesIn,
  FILTERED_BYTES,
  putWarcObject,
} from '../../../../shared/engines/aws/archive/archive-object.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { throttled } from '../throttled.ts';
import { type Around, createCloud } from './compact-cloud.ts';

/** A bucket that takes all parts; gives the calls with what they were given. */
function openBucket(fails: (name: string) => boolean = () => false) {
  const calls: { readonly name: string; readonly input: Record<string, unknown> }[] = [];
  const s3 = {
    async send(command: { readonly input: Record<string, unknown> }) {
      const { name } = command.constructor;
      calls.push({ name, input: command.input });
      if (fails(name)) throw new Error(`${name} failed`);
      return { UploadId: 'u', ETag: 'e', ChecksumCRC32: 'c' };
    },
  } as unknown as S3Client;
  const begin = (partBytes: number) =>
    beginWarcUpload({ s3, bucket: 'b', clock: createFakeClock() }, 'k', partBytes);
  return { begin, calls, named: (name: string) => calls.filter((call) => call.name === name) };
}

test('parts are uploaded when they are full, the last one when it is complete, with checksums', async () => {
  const { begin, named } = openBucket();
  const upload = await begin(3);
  const reused = Uint8Array.of(1, 2);
  await upload.add(reused);
  reused.fill(9);
  await upload.add(Uint8Array.of(3, 4));
  await upload.add(Uint8Array.of(5));
  await upload.complete();
  expect(
    named('UploadPartCommand').map(({ input }) => [
      input.PartNumber,
      [...(input.Body as Uint8Array)],
      input.ChecksumAlgorithm,
    ]),
  ).toEqual([
    [1, [1, 2, 3, 4], 'CRC32'],
    [2, [5], 'CRC32'],
  ]);
  expect(named('CreateMultipartUploadCommand')[0]?.input).toEqual({
    ...{ Bucket: 'b', Key: 'k', ChecksumAlgorithm: 'CRC32', ContentType: 'application/warc' },
  });
  const part = (PartNumber: number) => ({ PartNumber, ETag: 'e', ChecksumCRC32: 'c' });
  expect(named('CompleteMultipartUploadCommand')[0]?.input).toEqual({
    ...{ Bucket: 'b', Key: 'k', UploadId: 'u' },
    MultipartUpload: { Parts: [part(1), part(2)] },
  });
});

test('what ends with a full part has no empty one', async () => {
  const { begin, named } = openBucket();
  const upload = await begin(2);
  await upload.add(Uint8Array.of(1, 2));
  await upload.complete();
  expect(named('UploadPartCommand')).toHaveLength(1);
});

test('an upload has at most 10,000 parts', async () => {
  const { begin } = openBucket();
  const upload = await begin(1);
  for (let part = 1; part <= 10_000; part++) await upload.add(Uint8Array.of(1));
  await expect(upload.add(Uint8Array.of(1))).rejects.toThrow('k has no room for more than 10000 parts');
});

test('what could not be completed fails with why, and what could not be aborted with nothing', async () => {
  const { begin } = openBucket((name) => /^(Complete|Head|Abort)/.test(name));
  const upload = await begin(9);
  await upload.add(Uint8Array.of(1));
  await expect(upload.complete()).rejects.toThrow('CompleteMultipartUploadCommand failed');
  await expect(upload.abort()).resolves.toBeUndefined();
});

/** A bucket with objects in memory. */
function openStored(around?: Around) {
  const cloud = createCloud(1);
  const clock = createFakeClock();
  const { s3 } = cloud.clients(around);
  return {
    cloud,
    context: { s3, bucket: 'b', clock },
    run: <T>(work: Promise<T>) => clock.drive(work),
    text: () => cloud.objects.get('k')?.bytes.toString(),
  };
}

test('each call that is throttled is made again', async () => {
  const { context, run, cloud, text } = openStored();
  const { client: s3, refused } = throttled(context.s3);
  const busy = { ...context, s3 };
  async function work() {
    const upload = await beginWarcUpload(busy, 'k', 2);
    await upload.add(Buffer.from('one'));
    await upload.add(Buffer.from('two'));
    await upload.complete();
    expect([text(), cloud.uploads.size]).toEqual(['onetwo', 0]);
    await putWarcObject(busy, 'k', Buffer.alloc(FILTERED_BYTES, 'x'), 'filter');
    return capturesIn(busy, 'k');
  }
  expect(await run(work())).toBe('filter');
  expect(refused).toEqual([
    ...['CreateMultipartUpload', 'UploadPart', 'UploadPart', 'CompleteMultipartUpload'],
    ...['PutObject', 'HeadObject'],
  ]);
});

test.each([
  ['is complete if the object is there', true, undefined, undefined],
  ['fails if there is none', false, undefined, 'the connection broke'],
  ['fails if there is one of another size', false, 'other', 'the connection broke'],
])('an upload whose completion has no answer %s', async (_, isCarriedOut, before, problem) => {
  const { context, run, cloud } = openStored(async (command, carryOut) => {
    if (command !== 'CompleteMultipartUploadCommand') return carryOut();
    if (isCarriedOut) carryOut();
    throw new Error('the connection broke');
  });
  if (before !== undefined) cloud.put('k', Buffer.from(before));
  const upload = await beginWarcUpload(context, 'k', 9);
  await upload.add(Buffer.from('text'));
  const error = await run(upload.complete()).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  expect(error).toBe(problem);
});
