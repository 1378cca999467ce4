import { expect, test } from 'vitest';
import { addAllSeeds, createWithSeeds } from '../../../api/stack/seed-batches.ts';
import { MAX_SEEDS } from '../../../shared/services/control/request-schemas.ts';
import { openRoom } from '../../services/control/control-room.ts';

const config = { exclude: ['/no'] };
const urls = (host: string, count: number, path = '') =>
  Array.from({ length: count }, (_, n) => `https://${host}.test/${path}${n}`);
const [FIRST, NONE] = [urls('a', MAX_SEEDS), urls('b', MAX_SEEDS, 'no')];

test('a crawl begins with the seeds that can be used, though a whole request of them is left out', async () => {
  const { control, sent } = openRoom();
  const { refused } = await createWithSeeds(control, {
    crawl: 'c',
    seeds: [...FIRST, ...NONE, 'https://c.test/'],
    config,
  });
  expect(refused).toHaveLength(MAX_SEEDS);
  expect(refused[0]).toEqual({ url: NONE[0], reason: 'one of the patterns of `exclude` matches' });
  expect(sent).toHaveLength(MAX_SEEDS + 1);
});

test('seeds are added unless none of all requests can be used', async () => {
  const { control } = openRoom();
  await control.create({ crawl: 'c', seeds: ['https://a.test/'], config });
  expect(await addAllSeeds(control, 'c', [...NONE, 'https://c.test/'])).toMatchObject({ added: 1 });
  await expect(addAllSeeds(control, 'c', [...NONE, 'https://d.test/no'])).rejects.toMatchObject({
    name: 'ControlError',
    field: 'seeds.0',
  });
  await expect(addAllSeeds(control, 'other', ['https://a.test/'])).rejects.toMatchObject({
    code: 'notFound',
  });
});
