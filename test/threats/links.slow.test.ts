/** A crawl's folder may come from somebody else: nothing outside of it is read, written or deleted by way of a link in it. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteCrawl, listCrawls, openCrawl, resumeCrawl, startCrawl } from '../../api/index.ts';
import { addSeeds } from '../../api/local/add-seeds.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { all } from '../all.ts';
import { needs } from '../needs.ts';
import { type SmallCrawls, smallCrawls } from './small-crawl.ts';

let crawls: SmallCrawls;
beforeAll(async () => {
  crawls = await smallCrawls('127.79.41.1');
});
afterAll(() => crawls.end());

const FILES = [
  'crawl.sqlite',
  'crawl.sqlite-wal',
  'crawl.sqlite-shm',
  'crawl.sqlite-journal',
  'lock',
  'lock.pid',
  'lock-journal',
  'items.jsonl',
  'log.jsonl',
  'log.1.jsonl',
  'state.sqlite',
  'state.sqlite-wal',
  'search.sqlite',
  'sketches.sqlite',
  'sinks.sqlite',
  'documents.jsonl',
  'documents.parquet',
  'documents.jsonl.123',
  'outputs.json',
  'outputs.json.part',
];
const FOLDERS = ['ledgers', 'archive', 'indexes', 'tmp'];

/** The attempts by which a folder is opened. Each must be refused with the name of the link. */
const ATTEMPTS: readonly [string, (folder: string) => Promise<unknown>][] = [
  ['resume', async (folder) => (await resumeCrawl(folder, { maxPages: 9 })).done],
  ['status', openCrawl],
  ['add', (folder) => addSeeds(folder, [`${crawls.url}new`], systemClock)],
  ['delete', async (folder) => deleteCrawl(folder, { archive: true })],
];

/** Files that belong to the user, and what they must look like afterwards. */
function homeBeside(folder: string) {
  const home = resolve(folder, '..', 'home');
  mkdirSync(join(home, 'docs'), { recursive: true });
  writeFileSync(join(home, 'docs', 'thesis'), 'years of work');
  writeFileSync(join(home, '.bashrc'), 'alias ll');
  const seen = () =>
    readdirSync(home, { recursive: true })
      .map(String)
      .sort()
      .map((path) =>
        statSync(join(home, path)).isFile() ? [path, readFileSync(join(home, path), 'utf8')] : path,
      );
  return { home, seen };
}

describe.each(ATTEMPTS)('%s', (_, attempt) => {
  needs('links').each(FILES)(
    'refuses a folder whose %s is a link, and changes nothing behind it',
    async (name) => {
      const folder = crawls.copied();
      const { home, seen } = homeBeside(folder);
      rmSync(join(folder, name), { force: true });
      symlinkSync(join('..', 'home', '.bashrc'), join(folder, name));
      const before = seen();
      await expect(attempt(folder)).rejects.toThrow(`${join(folder, name)} is a symbolic link`);
      expect(seen()).toEqual(before);
      rmSync(home, { recursive: true });
    },
  );

  needs('links').each(FILES)('creates no file behind a dangling link %s', async (name) => {
    const folder = crawls.copied();
    const { seen } = homeBeside(folder);
    rmSync(join(folder, name), { force: true });
    symlinkSync(join('..', 'home', 'new'), join(folder, name));
    const before = seen();
    await expect(attempt(folder)).rejects.toThrow('is a symbolic link');
    expect(seen()).toEqual(before);
  });

  needs('links').each(FOLDERS)('refuses a folder whose folder %s is a link', async (name) => {
    const folder = crawls.copied();
    const { seen } = homeBeside(folder);
    rmSync(join(folder, name), { recursive: true, force: true });
    symlinkSync(join('..', 'home'), join(folder, name));
    const before = seen();
    await expect(attempt(folder)).rejects.toThrow(`${join(folder, name)} is a symbolic link`);
    expect(seen()).toEqual(before);
  });

  needs('links').each(FOLDERS)('refuses a folder with a link in its folder %s', async (name) => {
    const folder = crawls.copied();
    const { seen } = homeBeside(folder);
    mkdirSync(join(folder, name), { recursive: true });
    symlinkSync(join('..', '..', 'home', 'docs'), join(folder, name, '0123456789abcdef01234567'));
    const before = seen();
    await expect(attempt(folder)).rejects.toThrow('is a symbolic link');
    expect(seen()).toEqual(before);
  });
});

needs('links')('a crawl begins in no folder that somebody else has prepared with links', async () => {
  for (const name of [...FILES, ...FOLDERS]) {
    const out = crawls.empty();
    mkdirSync(out);
    const { seen } = homeBeside(out);
    symlinkSync(join('..', 'home', FOLDERS.includes(name) ? 'docs' : '.bashrc'), join(out, name));
    const before = seen();
    await expect((async () => (await startCrawl({ ...crawls.options, out })).done)()).rejects.toThrow(
      /symbolic link/,
    );
    expect(seen()).toEqual(before);
  }
});

needs('links')('a link in the folder of a host is neither followed nor removed with its target', async () => {
  const folder = crawls.copied();
  const { home, seen } = homeBeside(folder);
  const host = join(folder, 'ledgers', '0123456789abcdef01234567');
  mkdirSync(host, { recursive: true });
  symlinkSync(join(home, '.bashrc'), join(host, 's1-a'));
  symlinkSync(join(home, 'docs'), join(host, 's1-b'));
  const before = seen();
  await (await resumeCrawl(folder, { maxPages: 9 })).done;
  expect(seen()).toEqual(before);
});

needs('links')('a WARC file that is a link to another file is no part of an archive', async () => {
  const folder = crawls.copied();
  const [name] = readdirSync(join(folder, 'archive'));
  const moved = resolve(folder, '..', 'moved.warc.gz');
  renameSync(join(folder, 'archive', name!), moved);
  symlinkSync(moved, join(folder, 'archive', name!));
  await expect(openCrawl(folder)).rejects.toThrow('Put the file or folder itself in its place');
});

describe('of a copy by hard links, as cp -al makes it', () => {
  test.each(FILES)('nothing is written to a %s that has another name', async (name) => {
    const folder = crawls.copied();
    const { home, seen } = homeBeside(folder);
    // A database stays one.
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(home, 'other'));
    else writeFileSync(join(home, 'other'), '');
    linkSync(join(home, 'other'), join(folder, name));
    const before = seen();
    await expect((async () => (await resumeCrawl(folder, { maxPages: 9 })).done)()).rejects.toThrow(
      `${join(folder, name)} has another name, too`,
    );
    // These may have no use for the file.
    for (const [, attempt] of ATTEMPTS) await attempt(folder).catch(() => {});
    expect(seen()).toEqual(before);
  });

  test('what is only read may have other names', async () => {
    const folder = crawls.copied();
    const copy = `${folder}-copy`;
    await (await openCrawl(folder)).close();
    for (const name of readdirSync(folder, { recursive: true }).map(String)) {
      if (statSync(join(folder, name)).isDirectory()) continue;
      mkdirSync(join(copy, name, '..'), { recursive: true });
      linkSync(join(folder, name), join(copy, name));
    }
    expect(readdirSync(copy)).toContain('crawl.sqlite-shm');
    const opened = await openCrawl(copy);
    expect((await all(opened.urls())).length).toBeGreaterThan(3);
    await opened.close();
    await expect((async () => (await resumeCrawl(copy)).done)()).rejects.toThrow('cp -a FOLDER NEW');
  });

  test('a WARC file that was not closed is not cut', async () => {
    const folder = crawls.copied();
    const { home, seen } = homeBeside(folder);
    const [name] = readdirSync(join(folder, 'archive'));
    const mine = Buffer.concat([readFileSync(join(folder, 'archive', name!)), Buffer.from('mine')]);
    writeFileSync(join(home, 'mine'), mine);
    const open = `${name!.replace(/\d{5}\.warc/, '00077.warc')}.open`;
    linkSync(join(home, 'mine'), join(folder, 'archive', open));
    const before = seen();
    await expect((async () => (await resumeCrawl(folder, { maxPages: 9 })).done)()).rejects.toThrow(
      'has another name',
    );
    expect(seen()).toEqual(before);
  });
});

needs('links')('the folder itself may be a link: the user has named it', async () => {
  const folder = crawls.copied();
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  await (await resumeCrawl(link, { maxPages: 9 })).done;
  const opened = await openCrawl(link);
  expect((await all(opened.urls())).length).toBeGreaterThan(3);
  await opened.close();
});

needs('links')('a folder with links hides no other one in a list', async () => {
  const folder = crawls.copied();
  symlinkSync('/etc/passwd', join(folder, 'search.sqlite'));
  const beside = join(folder, '..');
  expect(await listCrawls(beside)).toEqual([
    expect.objectContaining({
      folder,
      state: 'unreadable',
      reason: expect.stringContaining('symbolic link'),
    }),
  ]);
});

describe('a crawl does not begin among files of yours', () => {
  test.each([
    ['items.jsonl', '{"mine":1}\n'],
    ['log.jsonl', 'mine'],
    ['crawl.sqlite', 'mine'],
    ['documents.jsonl', 'mine'],
    ['outputs.json', '{}'],
    ['lock', 'mine'],
    ['lock.pid', 'mine'],
    ['ledgers/2024/book.txt', 'mine'],
    ['archive/mine.txt', 'mine'],
    ['indexes/mine.cdxj', 'mine'],
    ['tmp/mine', 'mine'],
  ])('%s', async (name, text) => {
    const out = crawls.empty();
    mkdirSync(join(out, name, '..'), { recursive: true });
    writeFileSync(join(out, name), text);
    await expect((async () => (await startCrawl({ ...crawls.options, out })).done)()).rejects.toThrow();
    expect(readFileSync(join(out, name), 'utf8')).toBe(text);
    expect(readdirSync(out)).toEqual([name.split('/')[0]]);
  });

  test('but in a folder that has other files, and where a beginning was interrupted', async () => {
    const out = crawls.empty();
    for (const name of ['archive', 'tmp', 'src']) mkdirSync(join(out, name), { recursive: true });
    writeFileSync(join(out, 'lock'), '');
    writeFileSync(join(out, 'lock.pid'), '4711\n');
    writeFileSync(join(out, 'README.md'), 'mine');
    const { state } = await (await startCrawl({ ...crawls.options, out })).done;
    expect(state).toBe('limited');
  });
});

test('delete removes what Strand has made, and none of your files, wherever they are', async () => {
  const folder = crawls.copied();
  const mine = [
    'mine.txt',
    'archive/mine.txt',
    'archive/mine.warc.gz',
    'indexes/mine.cdxj',
    'tmp/mine',
    'ledgers/2024/book.txt',
  ];
  for (const name of mine) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), 'mine');
  }
  const { left } = await deleteCrawl(folder, { archive: true });
  expect(left).toEqual(['archive', 'indexes', 'ledgers', 'mine.txt', 'tmp']);
  const files = readdirSync(folder, { recursive: true }).map(String);
  expect(files.filter((name) => statSync(join(folder, name)).isFile()).sort()).toEqual(mine.sort());
  expect(existsSync(join(folder, 'crawl.sqlite'))).toBe(false);
});
