/** When a joined file is full: by its bytes, its sources, its captures, or what is held of these. */
import { expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { compactCrawl } from '../../../../shared/engines/aws/archive/compactor.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { createCloud } from './compact-cloud.ts';
import { FOLDER, nameOf, warcs } from './warc-world.ts';

/** The numbers of files that each run has joined, the captures of each joined file, and whether something is left. */
async function joinedWith(limits: object, finished = false) {
  const cloud = createCloud();
  // Files of 2, 1, 1 and 2 captures.
  for (const i of [0, 1, 2, 3]) cloud.put(FOLDER + nameOf(i), warcs[i] as Buffer);
  const { s3, dynamo } = cloud.clients();
  const sizes = {
    ...SIZES,
    joinedBytes: 1_000_000,
    maxSources: 100,
    maxCaptures: 100,
    maxCaptureChars: 100_000,
    ...limits,
  };
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const names = { crawlState: 'state', bucket: 'bucket' };
  const { joined, objects } = await compactCrawl({
    ...{ s3, dynamo, names, crawl: CRAWL, clock, sizes, finished, minAgeMs: -1e15, tables: false },
  });
  const indexes = [...cloud.objects].filter(([key]) => key.endsWith('.cdxj'));
  const captures = indexes.map(([, { bytes }]) => bytes.toString().trim().split('\n').length);
  const left = [...cloud.objects.keys()].filter((key) => key.startsWith(`${FOLDER}T-`)).length;
  return { joined, objects, captures: captures.sort(), left };
}

test('what does not fill one is joined when the crawl has finished', async () => {
  expect(await joinedWith({})).toEqual({ joined: 0, objects: 0, captures: [], left: 4 });
  expect(await joinedWith({}, true)).toEqual({ joined: 1, objects: 4, captures: [6], left: 0 });
});

test.each([
  [{ maxSources: 2 }, { joined: 2, objects: 4, captures: [3, 3], left: 0 }],
  [{ maxSources: 3 }, { joined: 1, objects: 3, captures: [4], left: 1 }],
  [{ joinedBytes: 3000 }, { joined: 2, objects: 3, captures: [1, 3], left: 1 }],
])('a file is full by its sources or its bytes: %j', async (limits, expected) => {
  expect(await joinedWith(limits)).toEqual(expected);
});

test.each([
  [{ maxCaptures: 3 }, { joined: 2, objects: 4, captures: [3, 3], left: 0 }],
  [{ maxCaptures: 4 }, { joined: 2, objects: 4, captures: [2, 4], left: 0 }],
  [{ maxCaptures: 1 }, { joined: 4, objects: 4, captures: [1, 1, 2, 2], left: 0 }],
  [{ maxCaptureChars: 1 }, { joined: 4, objects: 4, captures: [1, 1, 2, 2], left: 0 }],
  // Some 150 characters a capture.
  [{ maxCaptureChars: 400 }, { joined: 2, objects: 4, captures: [3, 3], left: 0 }],
])('or by its captures and what is held of them: %j', async (limits, expected) => {
  expect(await joinedWith(limits, true)).toEqual(expected);
});
