/**
 * The archive on S3, held to the contract suite, and what is its own: failures, large members, sharing of
 * objects.
 */

import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mayHold } from '../../shared/core/archive/capture-filter.ts';
import type { RecordLocation } from '../../shared/core/archive/record-location.ts';
import { encodeRecord } from '../../shared/core/archive/warc-record.ts';
import { encodeWarcinfo } from '../../shared/core/archive/warcinfo.ts';
import type { Archive } from '../../shared/crawler/ports/archive.ts';
import { createS3Archive, type S3ArchiveOptions, warcKey } from '../../shared/engines/aws/archive/archive.ts';
import { capturesIn } from '../../shared/engines/aws/archive/archive-object.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { archiveContract } from '../contract/archive-contract.ts';
import type { Subject } from '../contract/subject.ts';
import { joined } from '../core/archive/captures.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { hasEmulator, makeResources, type Resources } from './resources.ts';

const FOLDER = 'warc';
const MIB = 1024 * 1024;

describe.runIf(hasEmulator())('archive on S3', () => {
  let resources: Resources;
  let archive: Archive;
  let prefix = 0;
  beforeAll(async () => {
    resources = await makeResources();
  });
  afterAll(() => resources?.remove());
  beforeEach(() => {
    prefix++;
    archive = openArchive();
  });

  const openArchive = (options: Partial<S3ArchiveOptions> = {}) =>
    createS3Archive({
      client: resources.s3,
      bucket: resources.names.bucket,
      folder: FOLDER,
      prefix: `t${prefix}`,
      clock: systemClock,
      warcinfo: (filename) => encodeWarcinfo({ filename, date: 0, software: 'test', id: '<urn:uuid:0>' }),
      ...options,
    });

  async function read({ file, offset, length }: RecordLocation): Promise<Uint8Array> {
    const { s3, names } = resources;
    const { Body } = await s3.send(
      new GetObjectCommand({
        Bucket: names.bucket,
        Key: warcKey(FOLDER, file),
        Range: `bytes=${offset}-${offset + length - 1}`,
      }),
    );
    return Body!.transformToByteArray();
  }

  async function objects(): Promise<{ file: string; size: number }[]> {
    const { s3, names } = resources;
    const listing = new ListObjectsV2Command({ Bucket: names.bucket, Prefix: `${FOLDER}/t${prefix}-` });
    const { Contents = [] } = await s3.send(listing);
    return Contents.map(({ Key, Size }) => ({ file: Key!.slice(FOLDER.length + 1), size: Size! }));
  }

  async function openUploads(): Promise<number> {
    const { s3, names } = resources;
    return (await s3.send(new ListMultipartUploadsCommand({ Bucket: names.bucket }))).Uploads?.length ?? 0;
  }

  /** The types of all records of an object. */
  async function typesIn(file: string): Promise<string[]> {
    const { s3, names } = resources;
    const { Body } = await s3.send(
      new GetObjectCommand({ Bucket: names.bucket, Key: warcKey(FOLDER, file) }),
    );
    const text = gunzipSync(await Body!.transformToByteArray()).toString('latin1');
    return [...text.matchAll(/^WARC-Type: (\w+)/gm)].map(([, type]) => type as string);
  }

  /** Lets the next `count` commands of that name fail. */
  function failing(command: string, times: number): void {
    resources.s3.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === command && times-- > 0) throw new Error(`${command} fails`);
          return next(args);
        },
      { step: 'initialize', name: 'failing', override: true },
    );
  }

  const subject: Subject = {
    get engine() {
      return { ...createMemoryEngine(systemClock), archiveOf: () => archive };
    },
    get opened() {
      return {
        engine: this.engine,
        reopen: async () => this.engine,
        close: async () => {},
        readRecord: (_: string, location: RecordLocation) => read(location),
      };
    },
    openWith: async () => subject.engine,
    lacks: () => undefined,
    pass: (ms) => systemClock.sleep(ms),
    until: (promise) => promise,
  };
  archiveContract(subject);

  test('a full filter of captures is stored with an object, by one PUT and by parts', async () => {
    const member = [Buffer.alloc(300 * 1024, 'x')];
    const large = (async function* () {
      for (let i = 0; i < 6; i++) yield Buffer.alloc(MIB, i);
    })();
    const context = { s3: resources.s3, bucket: resources.names.bucket, clock: systemClock };
    const captures = Array.from({ length: 959 }, (_, i) => `test,a)/${i} 20260101000000 {`);
    const located = [
      await archive.append([member], captures),
      await archive.append([large], ['test,a)/0 20260101000000 {']),
    ].flat();
    await archive.flush();
    for (const { file } of located) {
      const filter = await capturesIn(context, warcKey(FOLDER, file));
      expect(mayHold(filter, 'test,a)/0')).toBe(true);
      expect(mayHold(filter, 'test,b)/0')).toBe(false);
    }
  });

  const member = (text: string) =>
    encodeRecord(
      { 'WARC-Type': 'resource', 'WARC-Record-ID': '<urn:uuid:1>', 'WARC-Date': '2026-01-01T00:00:00Z' },
      Buffer.from(text),
    ) as Uint8Array[];

  /** A valid record in pieces, of about `size` bytes. */
  async function* largeMember(size: number, failAt = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.alloc(size);
    for (let i = 0, x = 1; i < size; i++) {
      x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
      bytes[i] = x >>> 24;
    }
    const whole = await joined(
      encodeRecord(
        { 'WARC-Type': 'resource', 'WARC-Record-ID': '<urn:uuid:2>', 'WARC-Date': '2026-01-01T00:00:00Z' },
        bytes,
      ),
    );
    for (let at = 0; at < whole.length; at += 65_536) {
      if (at >= failAt) throw new Error('the body cannot be read');
      yield whole.subarray(at, at + 65_536);
    }
  }

  test('an object has a name of its own and begins with its warcinfo record; nothing is there before the flush', async () => {
    const [location] = await archive.append([member('a')]);
    expect(location!.file).toMatch(/^t\d+-\d{14}-[0-9a-z]{10}-00000\.warc\.gz$/);
    expect(await objects()).toEqual([]);
    await archive.flush();
    expect(await objects()).toMatchObject([{ file: location!.file }]);
    expect(await typesIn(location!.file)).toEqual(['warcinfo', 'resource']);
    const [next] = await openArchive().append([member('a')]);
    expect(next!.file).not.toBe(location!.file);
  });

  test('flushes at the same time share objects', async () => {
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        await archive.append([member(`${i}`)]);
        await archive.flush();
      }),
    );
    expect((await objects()).length).toBeLessThanOrEqual(2);
  });

  test('an object that is full is stored without a flush', async () => {
    const small = openArchive({ maxBytes: 1000 });
    const locations = await Promise.all(Array.from({ length: 30 }, (_, i) => small.append([member(`${i}`)])));
    await small.flush();
    const files = new Set(locations.flat().map(({ file }) => file));
    expect(files.size).toBeGreaterThan(3);
    expect((await objects()).map(({ file }) => file).sort()).toEqual([...files].sort());
  });

  test('a failed PUT fails the flush, and every later one until the records are stored', async () => {
    const [location] = await archive.append([member('kept')]);
    failing('PutObjectCommand', 2);
    await expect(archive.flush()).rejects.toThrow('PutObjectCommand fails');
    await archive.append([member('later')]);
    await expect(archive.flush()).rejects.toThrow();
    await archive.flush();
    expect(Buffer.compare(await read(location!), await joined(member('kept')))).toBe(0);
    expect((await objects()).length).toBe(2);
  });

  test('while too much could not be stored, appends fail; then all continues', async () => {
    const small = openArchive({ maxBytes: 1000 });
    failing('PutObjectCommand', Number.POSITIVE_INFINITY);
    const appendAll = async () => {
      for (let i = 0; i < 100; i++) await small.append([member(`${i}`.padEnd(50))]);
    };
    await expect(appendAll()).rejects.toThrow('PutObjectCommand fails');
    failing('', 0);
    const [location] = await small.append([member('after')]);
    await small.flush();
    expect(Buffer.compare(await read(location!), await joined(member('after')))).toBe(0);
  });

  test.each([4.9, 5, 12, 27])('a streamed member of %f MiB is stored whole', async (mib) => {
    const size = Math.floor(mib * MIB);
    const [before] = await archive.append([member('before')]);
    const locations = await archive.append([member('small'), largeMember(size), member('after')]);
    await archive.flush();
    expect(new Set(locations.map(({ file }) => file)).size).toBe(1);
    expect(Buffer.compare(await read(locations[1]!), await joined(largeMember(size)))).toBe(0);
    expect(Buffer.compare(await read(locations[2]!), await joined(member('after')))).toBe(0);
    expect(Buffer.compare(await read(before!), await joined(member('before')))).toBe(0);
    expect((await typesIn(locations[0]!.file))[0]).toBe('warcinfo');
    expect(await openUploads()).toBe(0);
  });

  test.each([
    ['early', 0],
    ['in the middle of the upload', 11 * MIB],
  ])('a member that fails %s leaves nothing, and harms no other', async (_, failAt) => {
    const [before] = await archive.append([member('before')]);
    await expect(archive.append([member('x'), largeMember(16 * MIB, failAt)])).rejects.toThrow(
      'cannot be read',
    );
    await archive.flush();
    expect((await objects()).length).toBe(1);
    expect(await openUploads()).toBe(0);
    expect(Buffer.compare(await read(before!), await joined(member('before')))).toBe(0);
  });

  test.each(['CreateMultipartUploadCommand', 'UploadPartCommand', 'CompleteMultipartUploadCommand'])(
    'a %s that fails fails the append alone',
    async (command) => {
      failing(command, 1);
      const [before] = await archive.append([member('before')]);
      await expect(archive.append([largeMember(6 * MIB)])).rejects.toThrow('fails');
      await archive.flush();
      expect(Buffer.compare(await read(before!), await joined(member('before')))).toBe(0);
      expect((await objects()).length).toBe(1);
      expect(await openUploads()).toBe(0);
    },
  );
});
