/** Pages of captures of an archive whose files are joined meanwhile. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { createCaptureFilter } from '../../../../shared/core/archive/capture-filter.ts';
import { keyRanges } from '../../../../shared/core/archive/capture-query.ts';
import { cdxjLine, scanCaptures } from '../../../../shared/core/archive/cdxj.ts';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { createS3Archive } from '../../../../shared/engines/aws/archive/archive.ts';
import { FILTERED_BYTES } from '../../../../shared/engines/aws/archive/archive-object.ts';
import { CapturePages } from '../../../../shared/engines/aws/archive/capture-pages.ts';
import { compactCrawl } from '../../../../shared/engines/aws/archive/compactor.ts';
import { pageOfCaptures } from '../../../../shared/services/control/capture-page.ts';
import type { CaptureEntry, CapturePageRequest } from '../../../../shared/services/control/captures.ts';
import { captureOf, joined, RECORDS, T0 } from '../../../core/archive/captures.ts';
import { type Around, createCloud } from './compact-cloud.ts';

const CRAWL = 'news';
const FOLDER = `warc/${CRAWL}/`;
const NAMES = { crawlState: 'state', bucket: 'bucket' };
const SITE = 'http://site.test/';
const FILES = 6;
const PAGES = 5;

const fileName = (i: number) => `strand-20260102030405-abcdefghij-${String(i).padStart(5, '0')}.warc.gz`;

/** Each file has a visit of each page: a day after the visit in the file before. */
const files: { file: string; bytes: Buffer }[] = [];

beforeAll(async () => {
  for (let i = 0; i < FILES; i++) {
    const pieces: Buffer[] = [];
    for (let page = 0; page < PAGES; page++) {
      const startedAt = T0 + i * 86_400_000 + page * 1000;
      const capture = captureOf({ url: `${SITE}${page}`, startedAt, body: Buffer.from(`${i} ${page}`) });
      for (const member of (await encodeCapture(capture, RECORDS)).members) pieces.push(await joined(member));
    }
    files.push({ file: fileName(i), bytes: Buffer.concat(pieces) });
  }
});

function openArchive(given = files, around?: Around) {
  const cloud = createCloud();
  for (const { file, bytes } of given) cloud.put(FOLDER + file, bytes);
  const clock = {
    time: T0,
    now: () => clock.time,
    sleep: async () => {},
    random: () => 0.5,
    uuid: randomUUID,
  };
  const { s3, dynamo } = cloud.clients(around);
  const mapping = { dynamo, clock, table: NAMES.crawlState };
  const pages = new CapturePages({ s3, bucket: NAMES.bucket, clock, sizes: SIZES, mapping });
  const ask = (request: CapturePageRequest) =>
    pageOfCaptures((crawl, asked) => pages.page(crawl, asked), CRAWL, request);
  return {
    cloud,
    clock,
    ask,
    compact: () =>
      compactCrawl({ ...cloud.clients(), names: NAMES, crawl: CRAWL, clock, finished: true, minAgeMs: 0 }),
    /** All pages, one after the other; `between` comes after each. */
    async all(request: CapturePageRequest, between = async () => {}) {
      const found: CaptureEntry[] = [];
      let cursor: string | undefined;
      for (let n = 0; n === 0 || cursor !== undefined; n++) {
        expect(n, 'pages come to an end').toBeLessThan(100);
        const page = await ask({ ...request, cursor });
        expect(page.damaged).toEqual([]);
        found.push(...page.captures);
        cursor = page.cursor;
        await between();
      }
      return found;
    },
  };
}

const keyOf = ({ url, time }: CaptureEntry) => `${url} ${time}`;
const ALL = Array.from({ length: PAGES }, (_, page) =>
  Array.from({ length: FILES }, (_, i) => {
    const time = new Date(T0 + i * 86_400_000 + page * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    return `${SITE}${page} ${time}`;
  }),
).flat();

describe.each(['not joined', 'joined', 'joined in part'])('files that are %s', (state) => {
  async function opened() {
    const archive = openArchive(state === 'joined in part' ? files.slice(0, 3) : files);
    if (state !== 'not joined') expect((await archive.compact()).joined).toBe(1);
    if (state === 'joined in part')
      for (const { file, bytes } of files.slice(3)) archive.cloud.put(FOLDER + file, bytes);
    return archive;
  }

  test('have each capture once, whatever the size of a page', async () => {
    const { all } = await opened();
    for (const limit of [1, 4, 7, 1000])
      expect((await all({ url: SITE, matchType: 'host', limit })).map(keyOf).sort()).toEqual(ALL);
  });

  test('are asked by URL, prefix and time', async () => {
    const { all } = await opened();
    const exact = await all({ url: 'https://www.site.test/3' });
    expect(exact.map(keyOf)).toEqual(ALL.filter((key) => key.startsWith(`${SITE}3 `)));
    expect(exact[0]).toMatchObject({ kind: 'response', httpStatus: 200, warcLength: expect.any(Number) });
    expect(await all({ url: `${SITE}3`, matchType: 'prefix' })).toHaveLength(FILES);
    const [, second, third] = exact as [CaptureEntry, CaptureEntry, CaptureEntry];
    expect(await all({ url: `${SITE}3`, from: second.time, to: third.time })).toEqual([second, third]);
    expect(await all({ url: `${SITE}none` })).toEqual([]);
    expect(await all({ url: 'http://site.example/', matchType: 'host' })).toEqual([]);
  });

  test('name the place where each record stands', async () => {
    const { all, cloud } = await opened();
    for (const { warcFile, warcOffset, warcLength } of await all({ url: SITE, matchType: 'host' })) {
      const bytes = cloud.objects.get(FOLDER + warcFile)!.bytes;
      expect(bytes.subarray(warcOffset, warcOffset + 2).toString('hex')).toBe('1f8b');
      expect(warcOffset + warcLength).toBeLessThanOrEqual(bytes.length);
    }
  });
});

test('nothing is missed if files are joined between two pages', async () => {
  for (let at = 1; at < 12; at++) {
    const { all, compact } = openArchive();
    let page = 0;
    const found = await all({ url: SITE, matchType: 'host', limit: 3 }, async () => {
      if (++page === at) await compact();
    });
    expect([...new Set(found.map(keyOf))].sort()).toEqual(ALL);
  }
});

test('nothing is missed if a file is joined while a page is made', async () => {
  let isNext = false;
  const archive = openArchive(files, async (command, carryOut) => {
    if (command === 'GetObjectCommand' && isNext) {
      isNext = false;
      await archive.compact();
    }
    return carryOut();
  });
  isNext = true;
  const found = await archive.all({ url: SITE, matchType: 'host' });
  expect([...new Set(found.map(keyOf))].sort()).toEqual(ALL);
});

test('a page ends after ten seconds, and the next one goes on', async () => {
  const archive = openArchive(files, async (command, carryOut) => {
    if (command === 'GetObjectCommand') archive.clock.time += 11_000;
    return carryOut();
  });
  const first = await archive.ask({ url: SITE, matchType: 'host' });
  expect(first.cursor).toBeDefined();
  expect(first.captures.length).toBeLessThan(ALL.length);
  expect((await archive.all({ url: SITE, matchType: 'host' })).map(keyOf).sort()).toEqual(ALL);
});

describe('once its ten seconds are over, a page', () => {
  /** Each call of the command takes 11 seconds. Returns how often each was made since the last time. */
  function slow(command: string, given: typeof files) {
    let calls = 0;
    const archive = openArchive(given, async (name, carryOut) => {
      if (name === command) {
        archive.clock.time += 11_000;
        calls++;
      }
      return carryOut();
    });
    const taken = () => {
      const made = calls;
      calls = 0;
      return made;
    };
    return { ...archive, taken };
  }
  const ONE = { url: SITE, matchType: 'host' } as const;

  test('begins no other file', async () => {
    const single = await Promise.all(
      [0, 1, 2].map(async (i) => {
        const capture = captureOf({ url: `${SITE}${i}`, startedAt: T0 });
        const { members } = await encodeCapture(capture, RECORDS);
        return { file: fileName(i), bytes: await joined(members[0]!) };
      }),
    );
    const { ask, taken } = slow('GetObjectCommand', single);
    const page = await ask(ONE);
    expect([page.captures.length, taken(), page.cursor]).toEqual([1, 1, expect.any(String)]);
    const next = await ask({ ...ONE, cursor: page.cursor });
    expect([next.captures.length, taken()]).toEqual([1, 1]);
  });

  test('asks for the metadata of no more files', async () => {
    const { cloud, ask, taken } = slow('HeadObjectCommand', []);
    const filter = createCaptureFilter();
    filter.add('test,other)/ 2026');
    for (let i = 0; i < 60; i++)
      cloud.put(FOLDER + fileName(i), Buffer.alloc(FILTERED_BYTES), undefined, { captures: filter.text() });
    const heads: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await ask({ ...ONE, cursor });
      expect(page.captures).toEqual([]);
      cursor = page.cursor;
      heads.push(taken());
    } while (cursor !== undefined);
    expect(heads).toEqual([25, 25, 10]);
  });

  const lineOf = (n: number) =>
    `test,site)/${String(n).padStart(6, '0')} 20260101000000 {"url": "${SITE}${n}", "offset": "1", "length": "1", "filename": "joined-x.warc.gz"}\n`;

  test('begins no other index', async () => {
    const { cloud, ask, taken } = slow('GetObjectCommand', []);
    for (let i = 0; i < 3; i++) cloud.put(`${FOLDER}joined-${i}.cdxj`, Buffer.from(lineOf(i)));
    const page = await ask(ONE);
    expect([page.captures.length, taken(), page.cursor]).toEqual([1, 1, expect.any(String)]);
    const next = await ask({ ...ONE, cursor: page.cursor });
    expect([next.captures.length, taken()]).toEqual([1, 1]);
  });

  test('takes no more lines of an index', async () => {
    const { cloud, ask } = slow('GetObjectCommand', []);
    cloud.put(`${FOLDER}joined-x.cdxj`, Buffer.from([1, 2, 3].map(lineOf).join('')));
    const page = await ask(ONE);
    expect(page.captures.map(({ url }) => url)).toEqual([`${SITE}1`]);
    const next = await ask({ ...ONE, cursor: page.cursor });
    expect(next.captures[0]?.url).toBe(`${SITE}2`);
  });
});

test.each(['not joined', 'joined'])(
  'a read that fails is reported, and the next page reads again: files that are %s',
  async (state) => {
    let isAway = false;
    const archive = openArchive(files, async (command, carryOut) => {
      if (command === 'GetObjectCommand' && isAway) throw new Error('S3 is away');
      return carryOut();
    });
    if (state === 'joined') await archive.compact();
    isAway = true;
    await expect(archive.ask({ url: SITE, matchType: 'host' })).rejects.toThrow('S3 is away');
    isAway = false;
    expect((await archive.all({ url: SITE, matchType: 'host' })).map(keyOf).sort()).toEqual(ALL);
  },
);

test('a damaged file is named, and its captures before the damage are found', async () => {
  const [first, ...rest] = files as [(typeof files)[0], ...typeof files];
  const cut = { file: first.file, bytes: first.bytes.subarray(0, Math.floor(first.bytes.length / 2)) };
  const { captures, damaged } = await openArchive([cut, ...rest]).ask({ url: SITE, matchType: 'host' });
  expect(damaged).toEqual([first.file]);
  expect(captures.length).toBeGreaterThan(ALL.length - PAGES);
  expect(captures.length).toBeLessThan(ALL.length);
});

test('a lookup in an index of some megabytes takes few reads, and the next one fewer', async () => {
  let reads = 0;
  const archive = openArchive([], async (command, carryOut) => {
    if (command === 'GetObjectCommand') reads++;
    return carryOut();
  });
  const line = (n: number) =>
    `test,site)/${String(n).padStart(6, '0')} 20260101000000 {"url": "${SITE}${String(n).padStart(6, '0')}", "offset": "1", "length": "1", "filename": "joined-x.warc.gz"}\n`;
  const text = Array.from({ length: 30_000 }, (_, n) => line(n)).join('');
  archive.cloud.put(`${FOLDER}joined-x.warc.gz`, Buffer.alloc(9));
  archive.cloud.put(`${FOLDER}joined-x.cdxj`, Buffer.from(text));
  expect(text.length).toBeGreaterThan(3_500_000);
  expect(await archive.all({ url: `${SITE}012345` })).toHaveLength(1);
  expect(reads).toBeLessThanOrEqual(9);
  reads = 0;
  expect(await archive.all({ url: `${SITE}012346` })).toHaveLength(1);
  expect(reads).toBe(0);
  expect(await archive.all({ url: `${SITE}02`, matchType: 'prefix', limit: 999 })).toHaveLength(10_000);
});

describe('large files that are not joined', () => {
  const HOSTS = 12;
  const host = (i: number) => `http://host-${i}.test/`;

  /** Each host's pages are in a file of 300 KB of its own, written by an archive. */
  async function written(around?: Around) {
    const archive = openArchive([], around);
    const { s3 } = archive.cloud.clients();
    for (let i = 0; i < HOSTS; i++) {
      const store = createS3Archive({
        client: s3,
        bucket: NAMES.bucket,
        folder: `warc/${CRAWL}`,
        prefix: 'strand',
        clock: { ...archive.clock, random: () => i / HOSTS },
        warcinfo: () => [],
      });
      for (let page = 0; page < PAGES; page++) {
        const capture = captureOf({ url: `${host(i)}${page}`, startedAt: T0, body: randomBytes(60_000) });
        const { members, capture: lineStart } = await encodeCapture(capture, RECORDS);
        await store.append(members, [lineStart]);
      }
      await store.flush();
    }
    return archive;
  }

  async function asked(request: CapturePageRequest) {
    const calls: string[] = [];
    const archive = await written(async (command, carryOut) => {
      calls.push(command);
      return carryOut();
    });
    const found = await archive.all(request);
    const count = (command: string) => calls.filter((call) => call === command).length;
    return { found: found.length, heads: count('HeadObjectCommand'), gets: count('GetObjectCommand') };
  }

  test('are passed over by a request for their metadata, but for those with captures of the URL or host', async () => {
    const one = await asked({ url: `${host(3)}2` });
    expect(one).toMatchObject({ found: 1, heads: HOSTS });
    expect(one.gets).toBeLessThanOrEqual(2);
    const ofHost = await asked({ url: host(3), matchType: 'host' });
    expect(ofHost).toMatchObject({ found: PAGES, heads: HOSTS });
    expect(ofHost.gets).toBeLessThanOrEqual(2);
    const below = await asked({ url: `${host(3)}2`, matchType: 'prefix' });
    expect(below).toMatchObject({ found: 1, gets: one.gets });
    expect(await asked({ url: `${host(3)}none` })).toMatchObject({ found: 0, gets: 0 });
  });

  test('are read if they have no filter, or one that is not understood', async () => {
    for (const metadata of [undefined, { captures: 'x1.AAAA' }, { captures: '' }]) {
      const { cloud, all } = await written();
      for (const [key, { bytes, at }] of [...cloud.objects]) cloud.put(key, bytes, at, metadata);
      expect(await all({ url: `${host(3)}2` })).toHaveLength(1);
    }
  });

  test('fail the page if their metadata cannot be read, and the next page asks for them again', async () => {
    let isAway = true;
    const archive = await written(async (command, carryOut) => {
      if (command === 'HeadObjectCommand' && isAway) throw new Error('S3 is away');
      return carryOut();
    });
    await expect(archive.ask({ url: `${host(3)}2` })).rejects.toThrow('S3 is away');
    isAway = false;
    expect(await archive.all({ url: `${host(3)}2` })).toHaveLength(1);
  });

  test('that are joined while their metadata are asked for are in an index', async () => {
    let isNext = true;
    const archive = await written(async (command, carryOut) => {
      if (command === 'HeadObjectCommand' && isNext) {
        isNext = false;
        await archive.compact();
      }
      return carryOut();
    });
    expect(await archive.all({ url: `${host(3)}2` })).toHaveLength(1);
  });
});

test.each([
  [{ url: '' }, 'url'],
  [{ url: 'javascript:x' }, 'url'],
  [{ url: SITE, from: '20269999' }, 'from'],
  [{ url: SITE, to: 'now' }, 'to'],
  [{ url: SITE, cursor: 'x' }, 'cursor'],
  [{ url: SITE, cursor: Buffer.from('{"file":"a","at":-1}').toString('base64url') }, 'cursor'],
])('%j is refused', async (request, field) => {
  await expect(openArchive().ask(request)).rejects.toMatchObject({ code: 'invalid', field });
});

test.each([
  { file: '../other', at: 9 },
  { file: fileName(0), at: 2 ** 40 },
  { file: fileName(0), at: 7 },
  { file: 'joined-x.cdxj', at: 2 ** 40, madeAt: 0 },
  { file: 'zzz', at: 0, madeAt: 2 ** 50 },
])('a made-up cursor %j reads nothing outside the archive', async (place) => {
  const archive = openArchive();
  await archive.compact();
  archive.cloud.put(`${FOLDER}${fileName(9)}`, files[0]!.bytes);
  const cursor = Buffer.from(JSON.stringify(place)).toString('base64url');
  const { captures } = await archive.ask({ url: SITE, matchType: 'host', cursor });
  expect(captures.length).toBeLessThanOrEqual(ALL.length + PAGES);
});

test('a host is one range of keys', () => {
  for (const matchType of ['exact', 'prefix', 'host'] as const)
    expect(keyRanges(SITE, matchType)).toHaveLength(1);
});

test('a file that stands by itself and has an index is read by that, once', async () => {
  const { cloud, all } = openArchive();
  const [first] = files as [(typeof files)[number]];
  const lines: string[] = [];
  const read = async (offset: number, length: number) => first.bytes.subarray(offset, offset + length);
  for await (const capture of scanCaptures(read)) lines.push(cdxjLine(capture, first.file));
  cloud.put(FOLDER + first.file.replace('.warc.gz', '.cdxj'), Buffer.from(lines.sort().join('')));
  expect((await all({ url: SITE, matchType: 'host' })).map(keyOf).sort()).toEqual(ALL);
});
