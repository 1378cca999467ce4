/** The upload of a joined object: over a small S3 in memory, of which any call may be throttled, fail, or be answered in vain. */
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { layOut } from '../../../../shared/engines/aws/archive/compact-layout.ts';
import { putIndex, uploadJoined } from '../../../../shared/engines/aws/archive/compact-upload.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { type Around, createCloud } from './compact-cloud.ts';

const FOLDER = 'warc/news/';
const MIB = 2 ** 20;
const bytesOf = (size: number, salt: number) => Buffer.alloc(size, `${salt} `);
/** One that S3 copies, and two that are gathered. */
const SOURCES = [
  { file: 'a.warc.gz', body: bytesOf(6 * MIB, 1) },
  { file: 'b.warc.gz', body: bytesOf(1000, 2) },
  { file: 'c.warc.gz', body: bytesOf(2000, 3) },
];
const WHOLE = Buffer.concat(SOURCES.map(({ body }) => body));
const PLAN = layOut(
  'joined.warc.gz',
  SOURCES.map(({ file, body }) => ({ file, bytes: body.length })),
);
const named = (name: string) => Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 } });

function setUp(around?: Around) {
  const cloud = createCloud();
  for (const { file, body } of SOURCES) cloud.put(FOLDER + file, body);
  const clock = createFakeClock();
  const steps: string[] = [];
  const { s3 } = cloud.clients(around);
  const context = { s3, bucket: 'bucket', folder: FOLDER, clock, sizes: SIZES };
  const upload = () =>
    clock.drive(
      uploadJoined(context, PLAN, {
        step: async () => void steps.push('part'),
        beforeComplete: async () => void steps.push('complete'),
      }),
    );
  const made = () => cloud.objects.get(FOLDER + PLAN.file)?.bytes;
  return { cloud, context, clock, upload, made, steps };
}

test('the joined object is its sources, one after the other, and no upload is left', async () => {
  const { upload, made, cloud, steps } = setUp();
  await upload();
  expect(made()?.equals(WHOLE)).toBe(true);
  expect(cloud.uploads.size).toBe(0);
  expect(steps).toEqual(['part', 'part', 'complete']);
});

describe('each call', () => {
  /** The commands of an upload that nothing disturbs. */
  async function commands(): Promise<string[]> {
    const calls: string[] = [];
    const { upload } = setUp(async (command, carryOut) => {
      calls.push(command);
      return carryOut();
    });
    await upload();
    return calls;
  }
  const striking = (n: number, strike: (carryOut: () => unknown) => unknown): Around => {
    let calls = 0;
    return async (_command, carryOut) => (++calls === n ? strike(carryOut) : carryOut());
  };

  test('is made again if it is throttled', async () => {
    const calls = await commands();
    expect(calls.length).toBeGreaterThan(6);
    for (const [i, command] of calls.entries()) {
      const { upload, made, cloud } = setUp(
        striking(i + 1, () => {
          throw named('SlowDown');
        }),
      );
      await upload();
      expect([command, made()?.equals(WHOLE), cloud.uploads.size]).toEqual([command, true, 0]);
    }
  });

  test('that is refused ends the upload, of which nothing is left', async () => {
    for (const [i, command] of (await commands()).entries()) {
      const { upload, made, cloud } = setUp(
        striking(i + 1, () => {
          throw named('AccessDenied');
        }),
      );
      await expect(upload(), command).rejects.toThrow('AccessDenied');
      expect([command, made(), cloud.uploads.size]).toEqual([command, undefined, 0]);
    }
  });

  test('whose answer is lost leaves what it made, or nothing', async () => {
    for (const [i, command] of (await commands()).entries()) {
      const { upload, made } = setUp(
        striking(i + 1, (carryOut) => {
          carryOut();
          throw named('TimeoutError');
        }),
      );
      const isDone = await upload().then(
        () => true,
        () => false,
      );
      // Only the last one's work is there: it is looked at.
      expect([command, isDone, made()?.equals(WHOLE) ?? false]).toEqual([
        command,
        command.startsWith('CompleteMultipartUpload'),
        command.startsWith('CompleteMultipartUpload'),
      ]);
    }
  });
});

test('an upload of an earlier process is freed, and one that cannot be is left', async () => {
  for (const fails of [false, true]) {
    let aborts = 0;
    const { upload, made, cloud } = setUp(async (command, carryOut) => {
      if (command.startsWith('AbortMultipartUpload') && ++aborts === 1 && fails) throw named('NoSuchUpload');
      return carryOut();
    });
    cloud.uploads.set('old', { key: FOLDER + PLAN.file, parts: new Map() });
    await upload();
    expect(made()?.equals(WHOLE)).toBe(true);
    expect(cloud.uploads.has('old')).toBe(fails);
  }
});

test('an object of that name that another process has made is taken for its own, unless its size is another', async () => {
  const { upload, cloud } = setUp();
  cloud.put(FOLDER + PLAN.file, WHOLE);
  await upload();
  expect(cloud.uploads.size).toBe(0);
  cloud.put(FOLDER + PLAN.file, bytesOf(5, 5));
  await expect(upload()).rejects.toThrow();
  expect(cloud.uploads.size).toBe(0);
});

test.each(['step', 'beforeComplete'] as const)(
  'what `%s` throws ends the upload, and frees it',
  async (which) => {
    const { context, clock, cloud, made } = setUp();
    const steps = { step: async () => {}, beforeComplete: async () => {} };
    const fails = async () => Promise.reject(new Error('time is up'));
    await expect(clock.drive(uploadJoined(context, PLAN, { ...steps, [which]: fails }))).rejects.toThrow(
      'time is up',
    );
    expect([made(), cloud.uploads.size]).toEqual([undefined, 0]);
  },
);

test('an index is its lines, stored again if the call is throttled, and not if it is refused', async () => {
  let calls = 0;
  const { context, clock, cloud } = setUp(async (_command, carryOut) => {
    if (++calls === 1) throw named('SlowDown');
    if (calls === 3) throw named('AccessDenied');
    return carryOut();
  });
  await clock.drive(putIndex(context, 'joined.cdxj', ['a\n', 'b\n']));
  expect(String(cloud.objects.get(`${FOLDER}joined.cdxj`)?.bytes)).toBe('a\nb\n');
  await expect(clock.drive(putIndex(context, 'joined.cdxj', []))).rejects.toThrow('AccessDenied');
});
