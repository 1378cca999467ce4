import { randomBytes } from 'node:crypto';
import { DeleteObjectsCommand, type S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { ExportObjects, type PausedUpload } from '../../../../shared/engines/aws/exports/export-objects.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { createCloud } from '../archive/compact-cloud.ts';

const MB = 1024 * 1024;

function openObjects() {
  const cloud = createSimCloud({ seed: 1 });
  const open = (name: string) => {
    const process = cloud.begin(name);
    const { s3 } = cloud.clientsOf(process);
    return new ExportObjects({ s3, bucket: cloud.settings.bucket, clock: process.clock }, 'c', 'id');
  };
  const stored = (key: string) => cloud.s3.objects(cloud.settings.bucket).get(key)?.bytes;
  return { cloud, open, stored };
}

test('a file is uploaded in parts by several processes, one of which repeats what another one did', async () => {
  const { cloud, open, stored } = openObjects();
  const pieces = Array.from({ length: 30 }, (_, i) => randomBytes(i % 3 === 0 ? 3 * MB : 17 * 1024 + i));
  async function work() {
    let paused: PausedUpload | undefined;
    for (let from = 0; from < pieces.length; from += 7) {
      const at = JSON.stringify(paused);
      // The first try dies after its uploads.
      for (const attempt of ['dies', 'counts']) {
        const objects = open(`${attempt}-${from}`);
        const given = at === undefined ? undefined : (JSON.parse(at) as PausedUpload);
        const upload = given ? objects.resume(given) : objects.create('file');
        for (const piece of pieces.slice(from, from + 7)) await upload.add(piece);
        paused = await upload.pause();
      }
    }
    const last = open('last').resume(paused!);
    expect(last.bytes).toBe(Buffer.concat(pieces).length);
    expect(stored('exports/c/id/file')).toBeUndefined();
    await last.complete();
  }
  await drive(cloud.time, work());
  expect(Buffer.compare(stored('exports/c/id/file')!, Buffer.concat(pieces))).toBe(0);
});

test('a small file is stored at once, and parts grow with what is to be stored', async () => {
  const { cloud, open, stored } = openObjects();
  async function work() {
    const upload = open('one').create('small');
    await upload.add(Buffer.from('text'));
    await upload.complete();
    const large = await open('two')
      .create('large', 2 ** 40)
      .pause();
    expect(large.partBytes * 10_000).toBeGreaterThan(2 ** 40);
  }
  await drive(cloud.time, work());
  expect(Buffer.from(stored('exports/c/id/small')!).toString()).toBe('text');
});

test('a file whose slice is repeated after it was completed is there, and one whose upload was ended otherwise fails', async () => {
  const { cloud, open, stored } = openObjects();
  async function work() {
    const begun = open('one').create('file');
    await begun.add(randomBytes(17 * MB));
    const paused = await begun.pause();
    const slice = async (name: string) => {
      const upload = open(name).resume(paused);
      for (const n of [1, 2]) await upload.add(Buffer.alloc(17 * MB, n));
      return upload;
    };
    // Its process dies before the slice counts.
    await (await slice('two')).complete();
    await (await slice('three')).complete();
    await expect((await slice('four')).pause()).rejects.toThrow('upload');
    expect(stored('exports/c/id/file')).toHaveLength(51 * MB);
    const shorter = open('five').resume(paused);
    await shorter.add(Buffer.alloc(17 * MB));
    await expect(shorter.complete()).rejects.toThrow('upload');
  }
  await drive(cloud.time, work());
});

test('a file that could not be completed is complete after a later call, also if the answer to that is lost', async () => {
  const cloud = createCloud();
  let tries = 0;
  const { s3 } = cloud.clients(async (command, carryOut) => {
    if (command !== 'CompleteMultipartUploadCommand') return carryOut();
    if (++tries > 1) carryOut();
    throw new Error('S3 is away');
  });
  const upload = new ExportObjects({ s3, bucket: 'b', clock: createFakeClock() }, 'c', 'id').create('file');
  await upload.add(Buffer.alloc(17 * MB));
  await expect(upload.complete()).rejects.toThrow('S3 is away');
  expect(cloud.objects.size).toBe(0);
  await upload.complete();
  expect(cloud.objects.get('exports/c/id/file')?.bytes).toHaveLength(17 * MB);
});

test('a file is not complete without the bytes that an earlier process kept for its next part', async () => {
  const { cloud, open, stored } = openObjects();
  async function work() {
    const begun = open('one').create('file');
    await begun.add(randomBytes(17 * MB));
    await begun.add(Buffer.from('kept'));
    const paused = await begun.pause();
    expect(paused.held).toBe(4);
    const { bucket } = cloud.settings;
    const { s3 } = cloud.clientsOf(cloud.begin('other'));
    const Objects = [...cloud.s3.objects(bucket).keys()].map((Key) => ({ Key }));
    await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
    await expect(open('two').resume(paused).complete()).rejects.toThrow(/NoSuchKey|does not exist/);
    expect(stored('exports/c/id/file')).toBeUndefined();
  }
  await drive(cloud.time, work());
});

test('a file that would have more parts than S3 allows fails: it is not completed without its end', async () => {
  const calls: string[] = [];
  const s3 = {
    async send(command: object) {
      calls.push(command.constructor.name.replace('Command', ''));
      return { ETag: 'e', ChecksumCRC32: 'c' };
    },
  } as unknown as S3Client;
  const objects = new ExportObjects({ s3, bucket: 'b', clock: createFakeClock() }, 'c', 'id');
  const parts = Array.from({ length: 9999 }, (_, i) => [`e${i}`, 'c'] as const);
  const upload = objects.resume({
    name: 'file',
    uploadId: 'u',
    partBytes: 10,
    parts,
    bytes: 99_990,
    held: 0,
  });
  await upload.add(Buffer.alloc(10));
  await upload.add(Buffer.alloc(1));
  await expect(upload.complete()).rejects.toThrow('exports/c/id/file has no room for more than 10000 parts');
  expect(calls).toEqual(['UploadPart']);
});

test('a part that fails is reported by the next call, once; and what was uploaded is freed without an error', async () => {
  const unseen: unknown[] = [];
  const note = (error: unknown) => void unseen.push(error);
  process.on('unhandledRejection', note);
  const calls: string[] = [];
  const s3 = {
    async send(command: object) {
      const name = command.constructor.name.replace('Command', '');
      calls.push(name);
      if (name === 'UploadPart') throw new Error('S3 is away');
      return { UploadId: 'u' };
    },
  } as unknown as S3Client;
  const objects = new ExportObjects({ s3, bucket: 'b', clock: createFakeClock() }, 'c', 'id');
  const upload = objects.create('file');
  await upload.add(Buffer.alloc(16 * MB));
  // Longer than the part takes to fail.
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
  await expect(upload.complete()).rejects.toThrow('S3 is away');
  await expect(upload.abort()).resolves.toBeUndefined();
  expect(calls).toEqual(['CreateMultipartUpload', 'UploadPart', 'AbortMultipartUpload']);
  process.off('unhandledRejection', note);
  expect(unseen).toEqual([]);
});
