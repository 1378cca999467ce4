/** Which WARC objects of a crawl are joined now, over services in memory. */
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { candidates } from '../../../../shared/engines/aws/archive/compact-candidates.ts';
import { layOut } from '../../../../shared/engines/aws/archive/compact-layout.ts';
import { listSources } from '../../../../shared/engines/aws/archive/compact-objects.ts';
import { announceJoined } from '../../../../shared/engines/aws/archive/joined-warcs.ts';
import { asideFiles, setAside } from '../../../../shared/engines/aws/archive/quarantined-files.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { createCloud } from './compact-cloud.ts';

const FOLDER = 'warc/news/';
const fileName = (i: number) => `strand-20260102030405-abcdefghij-0000${i}.warc.gz`;

/** A crawl with four objects. */
function open() {
  const cloud = createCloud();
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const { s3, dynamo } = cloud.clients();
  for (const i of [0, 1, 2, 3]) cloud.put(FOLDER + fileName(i), Buffer.from(`object ${i}`));
  const state = { dynamo, clock, table: 'state', crawl: 'news' };
  const mapping = { dynamo, clock, table: 'state' };
  const folder = { s3, bucket: 'bucket', clock, sizes: SIZES, folder: FOLDER };
  return {
    cloud,
    state,
    mapping,
    async listed(name: string) {
      for await (const page of listSources(folder))
        for (const source of page) if (source.file === name) return source;
      return undefined;
    },
    async chosen(olderThan = 0) {
      const [files, warnings, aside]: [string[], string[], object[]] = [[], [], []];
      const found = candidates({
        ...{ folder, state, mapping, crawl: 'news', olderThan },
        warn: (message) => void warnings.push(message),
        onAside: (file) => void aside.push(file),
        onYounger: () => void warnings.push('some are younger'),
      });
      for await (const { file } of found) files.push(file);
      return { files, warnings, aside };
    },
  };
}

test('all that are old enough are chosen, by name', async () => {
  const { cloud, chosen } = open();
  cloud.put(FOLDER + fileName(1), Buffer.from('young'), new Date(1));
  cloud.put(`${FOLDER}mine.warc.gz`, Buffer.from('of a person'));
  expect(await chosen()).toEqual({
    ...{ files: [0, 2, 3].map(fileName), warnings: ['some are younger'], aside: [] },
  });
  expect((await chosen(1)).files).toEqual([0, 1, 2, 3].map(fileName));
});

describe('an object that was set aside', () => {
  test('is reported and not chosen while it stays as it is', async () => {
    const world = open();
    const file = { file: fileName(2), problem: 'no WARC' };
    await setAside(world.state, file, (await world.listed(file.file))!.etag);
    expect(await world.chosen()).toEqual({ files: [0, 1, 3].map(fileName), warnings: [], aside: [file] });
    expect([...(await asideFiles(world.state)).keys()]).toEqual([file.file]);
  });

  test('is chosen again, and no longer set aside, once it was written again', async () => {
    const { state, chosen } = open();
    await setAside(state, { file: fileName(2), problem: 'no WARC' }, 'of another version');
    expect(await chosen()).toEqual({ files: [0, 1, 2, 3].map(fileName), warnings: [], aside: [] });
    expect(await asideFiles(state)).toEqual(new Map());
  });
});

test('an object that was joined and is there again is deleted, and left if its size is another', async () => {
  const { cloud, mapping, chosen } = open();
  const sources = [fileName(0), fileName(1)].map((file) => ({ file, bytes: 'object 0'.length }));
  await announceJoined(mapping, 'news', layOut('joined-x.warc.gz', sources));
  cloud.put(FOLDER + fileName(1), Buffer.from('something else'));
  const { files, warnings } = await chosen();
  expect(files).toEqual([fileName(2), fileName(3)]);
  expect(warnings).toEqual([`${FOLDER}${fileName(1)} was joined, and exists again with another size`]);
  expect([cloud.objects.has(FOLDER + fileName(0)), cloud.objects.has(FOLDER + fileName(1))]).toEqual([
    false,
    true,
  ]);
});
