import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open as openFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { parseCdxjLine } from '../../../../shared/core/archive/parse-cdxj-line.ts';
import { surt } from '../../../../shared/core/archive/surt.ts';
import { encodeWarcinfo } from '../../../../shared/core/archive/warcinfo.ts';
import { openFileArchive } from '../../../../shared/engines/local/archive/archive.ts';
import { listWarcFiles } from '../../../../shared/engines/local/archive/archive-names.ts';
import { cdxjLinesOf, mergedCdxj, placesPath } from '../../../../shared/engines/local/archive/cdxj-files.ts';
import { createWarcJournal } from '../../../../shared/engines/local/archive/warc-journal.ts';
import { openDatabase } from '../../../../shared/engines/local/database.ts';
import { foldersOf } from '../../../../shared/engines/local/folders.ts';
import { captureOf, newId, RECORDS, T0 } from '../../../core/archive/captures.ts';

let root: string;
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capture-places-'));
});
afterAll(() => rm(root, { recursive: true }));

/** An archive that is being written, of a crawl that recrawls unless said otherwise. */
async function openArchive({ keepsPlaces = true, maxBytes = 1e9 } = {}) {
  const folder = join(root, String(folders++));
  await mkdir(folder);
  const database = openDatabase(foldersOf(folder).database, 'write');
  const archive = await openFileArchive({
    folder: foldersOf(folder).archive,
    indexFolder: foldersOf(folder).indexes,
    prefix: 'test',
    maxBytes,
    keepsPlaces,
    warcinfo: (filename) => encodeWarcinfo({ id: newId(), filename, date: T0, software: 'test' }),
    clock: { now: () => T0 },
    journal: createWarcJournal(database),
  });
  const append = async (path: string) => {
    const response = captureOf({
      url: `http://example.test/${path}`,
      body: Buffer.from(`${path} ${newId()}`),
    });
    const { members, capture } = await encodeCapture(response, RECORDS);
    await archive.append(members, [capture]);
  };
  const open = async () => (await listWarcFiles(foldersOf(folder).archive)).find(({ isOpen }) => isOpen)!;
  const places = async () => placesPath(foldersOf(folder).indexes, (await open()).file);
  /** By the places, and by reading the file whole. */
  const both = async (path: string) => {
    const key = surt(`http://example.test/${path}`);
    const all: string[] = [];
    for await (const line of mergedCdxj(folder)) if (line.startsWith(`${key} `)) all.push(line.trimEnd());
    return [(await cdxjLinesOf(folder, key)).toSorted(), all.toSorted()] as const;
  };
  return { folder, archive, append, places, both, open };
}

test('the captures of a URL are found in a file that is being written, and none of another URL', async () => {
  const { append, archive, both, places } = await openArchive();
  for (let i = 0; i < 200; i++) await append(`p${i % 40}`);
  await archive.flush();
  await append('p7');
  expect(existsSync(await places())).toBe(true);
  for (const path of ['p0', 'p7', 'p39', 'nowhere']) {
    const [found, expected] = await both(path);
    expect(found, path).toEqual(expected);
    expect(found).toHaveLength(path === 'nowhere' ? 0 : 5);
  }
  await archive.flush();
  expect((await both('p7'))[0]).toHaveLength(6);
  await archive.close();
});

test('places that are cut, behind or damaged lose nothing', async () => {
  const { append, archive, both, places } = await openArchive();
  for (let i = 0; i < 50; i++) await append(`p${i % 5}`);
  await archive.flush();
  for (const bytes of [16 * 50 - 5, 16 * 20, 7, 0]) {
    await truncate(await places(), bytes);
    const [found, expected] = await both('p3');
    expect(found, `${bytes} bytes`).toEqual(expected);
    expect(found).toHaveLength(10);
  }
  await writeFile(await places(), Buffer.alloc(160, 0xff));
  expect((await both('p3'))[0]).toHaveLength(10);
  await archive.close();
});

test('only the captures of the URL are read: damage of others does not matter', async () => {
  const { folder, append, archive, open } = await openArchive();
  for (let i = 0; i < 50; i++) await append(`p${i % 5}`);
  await archive.flush();
  const keyOf = (path: string) => surt(`http://example.test/${path}`);
  const [first] = (await cdxjLinesOf(folder, keyOf('p0'))).toSorted();
  const { offset } = parseCdxjLine(first!, 'the test');
  const { path } = await open();
  const handle = await openFile(path, 'r+');
  await handle.write(Buffer.alloc(40, 0xff), 0, 40, offset + 20);
  await handle.close();
  expect(await cdxjLinesOf(folder, keyOf('p3'))).toHaveLength(10);
  await archive.close();
});

test('a file that is closed has its index, and its places are removed', async () => {
  const { folder, append, archive, both } = await openArchive({ maxBytes: 20_000 });
  for (let i = 0; i < 200; i++) await append(`p${i % 10}`);
  await archive.close();
  const [found, expected] = await both('p4');
  expect(found).toEqual(expected);
  expect(found).toHaveLength(20);
  const files = await listWarcFiles(foldersOf(folder).archive);
  expect(files.length).toBeGreaterThan(2);
  for (const { file } of files) expect(existsSync(placesPath(foldersOf(folder).indexes, file))).toBe(false);
});

test('a crawl that fetches each page once keeps none', async () => {
  const { append, archive, both, places } = await openArchive({ keepsPlaces: false });
  for (let i = 0; i < 20; i++) await append(`p${i % 5}`);
  await archive.flush();
  expect(existsSync(await places())).toBe(false);
  expect((await both('p3'))[0]).toHaveLength(4);
  await archive.close();
});
