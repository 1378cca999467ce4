/** A WARC object that is checked from end to end before it is joined. */
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { scanObject } from '../../../../shared/engines/aws/archive/compact-scan.ts';
import { captureOf, joined, RECORDS } from '../../../core/archive/captures.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { type Around, createCloud } from './compact-cloud.ts';

const FOLDER = 'warc/news/';
const FILE = 'strand-20260102030405-abcdefghij-00000.warc.gz';
/** The records of three pages; each has a request, too. */
const members: Buffer[] = [];

beforeAll(async () => {
  for (const i of [0, 1, 2]) {
    const capture = captureOf({ url: `http://site.test/${i}`, body: Buffer.from(`page ${i}`) });
    for (const member of (await encodeCapture(capture, RECORDS)).members) members.push(await joined(member));
  }
});

interface Scanned {
  /** Undefined: there is no such object. */
  readonly body: Buffer | undefined;
  readonly tables?: boolean;
  readonly around?: Around;
  readonly step?: () => Promise<void>;
}

async function scan({ body, tables = false, around, step = async () => {} }: Scanned) {
  const cloud = createCloud();
  if (body) cloud.put(FOLDER + FILE, body);
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const folder = { s3: cloud.clients(around).s3, bucket: 'bucket', clock, sizes: SIZES, folder: FOLDER };
  return scanObject(folder, { file: FILE, bytes: body?.length ?? 9 }, { step, tables });
}

describe.each([false, true])('an object of several pages, its heads for tables: %s', (tables) => {
  test('has the captures of all of them, each where it stands', async () => {
    const body = Buffer.concat(members);
    const found = await scan({ body, tables });
    if (found.status !== 'whole') throw new Error(`Expected a whole object, got ${found.status}`);
    expect(found.captures.map(({ lineStart }) => lineStart.split(' ')[0])).toEqual(
      [0, 1, 2].map((i) => `test,site)/${i}`),
    );
    const places = found.captures.map(({ offset, length }) => body.subarray(offset, offset + length));
    for (const place of places) expect(members.some((member) => member.equals(place))).toBe(true);
    for (const { heads } of found.captures) expect(typeof heads).toBe(tables ? 'string' : 'undefined');
  });

  test('is corrupt if any of them is, the last one too', async () => {
    for (let at = 0; at < members.length; at++) {
      const body = Buffer.concat(members.map((member, i) => (i === at ? member.subarray(0, -1) : member)));
      expect((await scan({ body, tables })).status).toBe('corrupt');
    }
  });
});

test('an object that is not there, or empty, is said to be so', async () => {
  expect(await scan({ body: undefined })).toEqual({ status: 'missing' });
  expect(await scan({ body: Buffer.alloc(0) })).toEqual({ status: 'corrupt', problem: 'It is empty' });
});

test('what says nothing of the object is thrown: a failure of S3, and that of a step', async () => {
  const body = Buffer.concat(members);
  const fail = async () => Promise.reject(new Error('S3 is away'));
  await expect(scan({ body, around: fail })).rejects.toThrow('S3 is away');
  const step = async () => Promise.reject(new Error('the lease is lost'));
  await expect(scan({ body, step })).rejects.toThrow('the lease is lost');
});
