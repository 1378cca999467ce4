import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlacesWriter, findPlaces } from '../../../../shared/engines/local/archive/capture-places.ts';

let root: string;
let files = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sorted-places-'));
});
afterAll(() => rm(root, { recursive: true }));

const newPath = () => join(root, `file-${files++}.cdxj.places`);
const surtOf = (n: number) => `test,example)/page-${n}`;

test('the places of each URL are found, sorted and unsorted ones', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 12 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 120 }),
      async (batches, sealedCount, counted) => {
        const path = newPath();
        const writer = createPlacesWriter(path, sealedCount);
        const added: { url: number; offset: number }[] = [];
        for (const batch of batches) {
          for (const url of batch) {
            added.push({ url, offset: 100 + 10 * added.length });
            writer.add(surtOf(url), added.at(-1)!.offset);
          }
          await writer.flush();
        }
        const limit = 100 + 10 * counted;
        const known = added.filter(({ offset }) => offset < limit);
        for (let url = 0; url <= 9; url++) {
          const found = await findPlaces(path, surtOf(url), limit);
          const offsets = known.filter((place) => place.url === url).map(({ offset }) => offset);
          expect(found?.places.map(({ offset }) => offset) ?? []).toEqual(offsets);
          // A capture ends before the next one begins.
          for (const { offset, end } of found?.places ?? [])
            expect(end).toBe(offset === known.at(-1)?.offset ? limit : offset + 10);
        }
        await writer.remove();
      },
    ),
    { numRuns: 25 },
  );
  expect(await readdir(root)).toEqual([]);
});

test('of a million places, sorted and unsorted, those of a URL are read with few others', async () => {
  const path = newPath();
  const writer = createPlacesWriter(path, 400_000);
  const count = 1_350_000;
  // One URL of each hundred captures, the others with 50 each.
  const urlOf = (i: number) => (i % 100 === 0 ? -1 : i % 25_000);
  for (let i = 0; i < count; i++) {
    writer.add(surtOf(urlOf(i)), 1000 * (i + 1));
    if (i % 100_000 === 99_999) await writer.flush();
  }
  await writer.flush();
  const names = (await readdir(root)).toSorted();
  expect(names).toHaveLength(3);
  for (const url of [-1, 1, 24_999]) {
    const found = await findPlaces(path, surtOf(url), 1000 * (count + 1));
    const expected: number[] = [];
    for (let i = 0; i < count; i++) if (urlOf(i) === url) expected.push(1000 * (i + 1));
    expect(found?.places.map(({ offset }) => offset)).toEqual(expected);
    expect(found?.lastAt).toBe(1000 * count);
  }
  await writer.remove();
  expect(await readdir(root)).toEqual([]);
});

test('places whose move to the sorted ones was cut off are found once', async () => {
  const path = newPath();
  const writer = createPlacesWriter(path, 10);
  for (let i = 0; i < 40; i++) {
    writer.add(surtOf(i % 4), 10 * (i + 1));
    await writer.flush();
  }
  // As if the process had died before the unsorted ones were replaced.
  const again = createPlacesWriter(path, 1000);
  for (let i = 30; i < 40; i++) again.add(surtOf(i % 4), 10 * (i + 1));
  await again.flush();
  const found = await findPlaces(path, surtOf(2), 1e9);
  expect(found?.places.map(({ offset }) => offset)).toEqual([30, 70, 110, 150, 190, 230, 270, 310, 350, 390]);
});

test('sorted places that are cut or damaged give no place outside of the file', async () => {
  const path = newPath();
  const writer = createPlacesWriter(path, 10);
  for (let i = 0; i < 40; i++) {
    writer.add(surtOf(i % 4), 10 * (i + 1));
    await writer.flush();
  }
  const handle = await open(`${path}-0`, 'r+');
  await handle.write(Buffer.alloc(100, 0xff), 0, 100, 0);
  await handle.truncate(333);
  await handle.close();
  const found = await findPlaces(path, surtOf(2), 400);
  for (const { offset, end } of found!.places) expect(offset < end && end <= 400).toBe(true);
});
