/** Compaction in processes that end, stall or meet at any call, on services in memory. */
import { randomUUID } from 'node:crypto';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { parseCdxjLine } from '../../../../shared/core/archive/parse-cdxj-line.ts';
import { readHeads } from '../../../../shared/core/archive/read-heads.ts';
import { decodeMember, fieldOf } from '../../../../shared/core/archive/read-warc.ts';
import type { RecordLocation } from '../../../../shared/core/archive/record-location.ts';
import { scanMembers } from '../../../../shared/core/archive/scan-members.ts';
import { encodeWarcinfo } from '../../../../shared/core/archive/warcinfo.ts';
import { SIZES, type Sizes } from '../../../../shared/core/base/sizes.ts';
import type { Clock } from '../../../../shared/crawler/ports/clock.ts';
import { type CompactOptions, compactCrawl } from '../../../../shared/engines/aws/archive/compactor.ts';
import { joinedResolver, resolveLocation } from '../../../../shared/engines/aws/archive/joined-warcs.ts';
import { tableKey } from '../../../../shared/engines/aws/archive/table-folders.ts';
import { CAPTURE_COLUMNS, captureRow } from '../../../../shared/services/outputs/parquet/capture-table.ts';
import { captureOf, joined, newId, RECORDS, T0 } from '../../../core/archive/captures.ts';
import { seededRandom } from '../../../crawler/worker/fake-clock.ts';
import { type Around, type Cloud, createCloud } from './compact-cloud.ts';

const CRAWL = 'news';
const FOLDER = `warc/${CRAWL}/`;
const NAMES = { crawlState: 'state', bucket: 'bucket' };
const LEASE_MS = 5 * 60_000;
/** Hundreds of worlds copy and compare their files: with parts of 5 MiB, as S3 has them, that is most of the time. */
const SMALL_PARTS: Sizes = { ...SIZES, uploadPartBytes: 50 * 1024 };

interface World {
  readonly cloud: Cloud;
  readonly clock: Clock & { time: number };
  compact(options?: Partial<CompactOptions>, around?: Around): ReturnType<typeof compactCrawl>;
}

interface Archived {
  readonly location: RecordLocation;
  readonly bytes: Buffer;
}

const fileName = (i: number) => `strand-20260102030405-abcdefghij-${String(i).padStart(5, '0')}.warc.gz`;

/** A WARC file of `pages` exchanges, one of them with a body of `large` bytes that cannot be compressed. */
async function warcOf(
  file: string,
  pages: number,
  large = 0,
): Promise<{ bytes: Buffer; records: Archived[] }> {
  const pieces = [await joined(encodeWarcinfo({ id: newId(), filename: file, date: T0, software: 'test' }))];
  const records: Archived[] = [];
  const random = seededRandom(large + 1);
  for (let i = 0; i < pages; i++) {
    const body = Buffer.from(`${file} ${i}`);
    const noise = i === 0 ? Buffer.from(Uint8Array.from({ length: large }, () => random() * 256)) : body;
    const headers: [string, string][] = [['Content-Type', large > 0 ? 'image/png' : 'text/html']];
    const capture = captureOf({
      url: `http://site.test/${file}?n=${i}`,
      startedAt: T0 + i * 1000,
      headers,
      body: large > 0 ? noise : body,
    });
    for (const member of (await encodeCapture(capture, RECORDS)).members) {
      const bytes = await joined(member);
      const offset = pieces.reduce((sum, { length }) => sum + length, 0);
      records.push({ location: { file, offset, length: bytes.length }, bytes });
      pieces.push(bytes);
    }
  }
  return { bytes: Buffer.concat(pieces), records };
}

let files: { file: string; bytes: Buffer; records: Archived[] }[];
let archived: Archived[];
const corrupt = { file: fileName(9), bytes: Buffer.from('no WARC') };
/** With the large one and two more a joined file is full; what is left over has no whole part. */
let targetBytes: number;

beforeAll(async () => {
  files = await Promise.all(
    Array.from({ length: 7 }, async (_, i) => {
      const file = fileName(i);
      return { file, ...(await warcOf(file, 2, i === 1 ? 53_000 : 0)) };
    }),
  );
  archived = files.flatMap(({ records }) => records);
  targetBytes = files.slice(0, 3).reduce((sum, { bytes }) => sum + bytes.length, 0);
});

/** Those without a whole part. */
const small = () => files.filter((_, i) => i !== 1);

function createWorld(
  given: readonly { file: string; bytes: Buffer }[] = [...files, corrupt],
  sizes = SMALL_PARTS,
): World {
  const cloud = createCloud(sizes.uploadPartBytes);
  for (const { file, bytes } of given) cloud.put(FOLDER + file, bytes);
  cloud.put('warc/other/x-20260102030405-abcdefghij-00000.warc.gz', Buffer.from('of another crawl'));
  cloud.put(`${FOLDER}mine.warc.gz`, Buffer.from('of a person'));
  const clock = {
    time: T0,
    now: () => clock.time,
    sleep: async () => {},
    random: () => 0.5,
    uuid: randomUUID,
  };
  return {
    cloud,
    clock,
    compact: (options, around) =>
      compactCrawl({
        ...cloud.clients(around),
        names: NAMES,
        crawl: CRAWL,
        clock,
        targetBytes,
        sizes,
        finished: true,
        ...options,
      }),
  };
}

/** Every record can be read where it resolves to, and what is announced is there. Without a call. */
function expectAllReadable({ objects, items }: Cloud, given = files): void {
  for (const { location, bytes } of given.flatMap(({ records }) => records)) {
    const item = items.get(`${CRAWL} joined#${location.file}`);
    const file = item?.file?.S ?? location.file;
    const offset = Number(item?.offset?.N ?? 0) + location.offset;
    const found = objects.get(FOLDER + file)?.bytes.subarray(offset, offset + location.length);
    if (!found || Buffer.compare(found, bytes) !== 0)
      throw new Error(`${JSON.stringify(location)} cannot be read`);
    if (item && !objects.has(FOLDER + file.replace('.warc.gz', '.cdxj')))
      throw new Error(`${file} has no index`);
    if (item && !objects.has(tableKey(CRAWL, 'warc', file))) throw new Error(`${file} has no table`);
  }
}

const joinedFiles = ({ objects }: Cloud): string[] =>
  [...objects.keys()]
    .filter((key) => /joined-.*gz$/.test(key))
    .map((key) => key.slice(FOLDER.length))
    .sort();

/** The joined files that have tables. */
const tabledFiles = ({ objects }: Cloud): string[] => {
  const keys = [...objects.keys()].filter((key) => key.startsWith('index/'));
  const files = keys.map((key) => key.slice(key.lastIndexOf('/') + 1).replace('.zstd.parquet', '.warc.gz'));
  return [...new Set(files)].sort();
};

/** The rows of the tables, with their subset. */
async function rowsOf({ objects }: Cloud): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const [key, { bytes }] of objects) {
    const subset = /^index\/crawl=news\/subset=(\w+)\//.exec(key)?.[1];
    if (subset === undefined) continue;
    const file = Uint8Array.from(bytes).buffer;
    const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
    for (const row of await parquetReadObjects({ file, compressors })) rows.push({ ...row, subset });
  }
  return rows;
}

const announcedFiles = ({ items }: Cloud): string[] =>
  [...new Set([...items.values()].flatMap(({ file }) => file?.S ?? []))].sort();

/**
 * Ends the process at its call `n` (from 1): before it is carried out, or when it is and the answer is lost.
 */
function dyingAt(n: number, isCarriedOut: boolean, cloud: Cloud, given = files): Around {
  let calls = 0;
  return async (_, carryOut) => {
    calls++;
    if (calls > n || (calls === n && !isCarriedOut)) throw new Error('the process has ended');
    try {
      return await carryOut();
    } finally {
      expectAllReadable(cloud, given);
      if (calls === n) await Promise.reject(new Error('the process has ended'));
    }
  };
}

async function countCalls(options?: Partial<CompactOptions>, given?: typeof files): Promise<number> {
  let calls = 0;
  await createWorld(given).compact(options, async (_, carryOut) => {
    calls++;
    return carryOut();
  });
  return calls;
}

describe('a compaction', () => {
  test('joins what there is, and every location resolves to the same bytes', async () => {
    const { cloud, clock, compact } = createWorld();
    const heard: string[] = [];
    const done = await compact({ warn: (message) => heard.push(message) });
    expect(done).toEqual({
      joined: 2,
      objects: 7,
      bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      aside: [{ file: corrupt.file, problem: expect.stringContaining('expected a gzip member') }],
      itemTables: 0,
      isCut: false,
      isDone: true,
    });
    expect(heard).toEqual([expect.stringContaining(`${FOLDER}${corrupt.file} is skipped: Member at 0`)]);
    expectAllReadable(cloud);
    const names = [...cloud.objects.keys()].filter((key) => key.startsWith(FOLDER)).sort();
    expect(names).toEqual([
      expect.stringMatching(/^warc\/news\/joined-20260102030405-[0-9a-f]{20}\.cdxj$/),
      expect.stringMatching(/^warc\/news\/joined-20260102030405-[0-9a-f]{20}\.warc\.gz$/),
      expect.stringMatching(/\.cdxj$/),
      expect.stringMatching(/\.warc\.gz$/),
      `${FOLDER}mine.warc.gz`,
      FOLDER + corrupt.file,
    ]);
    const context = { ...cloud.clients(), table: NAMES.crawlState, clock };
    const resolver = joinedResolver(context, CRAWL);
    const all = await resolver.resolveAll(archived.map(({ location }) => location));
    for (const [i, { location, bytes }] of archived.entries()) {
      const resolved = await resolveLocation(context, CRAWL, location);
      expect(resolved).toEqual(all[i]);
      const { file, offset, length } = resolved;
      const object = cloud.objects.get(FOLDER + file)!.bytes;
      expect(Buffer.compare(object.subarray(offset, offset + length), bytes)).toBe(0);
    }
  });

  test('copies parts of the size that S3 takes', async () => {
    const given = [{ file: fileName(0), ...(await warcOf(fileName(0), 2, 5_300_000)) }, ...files.slice(2, 4)];
    const { cloud, compact } = createWorld(given, SIZES);
    const commands: string[] = [];
    const done = await compact({ targetBytes: 5_400_000 }, async (command, carryOut) => {
      commands.push(command);
      return carryOut();
    });
    expect(done).toMatchObject({ joined: 1, objects: 3 });
    expect(commands).toContain('UploadPartCopyCommand');
    expectAllReadable(cloud, given);
  });

  test('makes files that scan from end to end, with an index that is sorted and right', async () => {
    const { cloud, compact } = createWorld();
    await compact();
    let found = 0;
    for (const [key, { bytes }] of cloud.objects) {
      if (!key.endsWith('.cdxj')) continue;
      const lines = bytes.toString().trimEnd().split('\n');
      expect(lines.toSorted()).toEqual(lines);
      const file = key.replace('.cdxj', '.warc.gz');
      const warc = cloud.objects.get(file)!.bytes;
      for (const line of lines) {
        const { url, offset, length, filename } = JSON.parse(line.slice(line.indexOf('{')));
        expect(FOLDER + filename).toBe(file);
        const record = decodeMember(warc.subarray(+offset, +offset + +length));
        expect([fieldOf(record, 'WARC-Type'), fieldOf(record, 'WARC-Target-URI')]).toEqual(['response', url]);
        found++;
      }
      let end = 0;
      for await (const member of scanMembers(async (at, length) => warc.subarray(at, at + length)))
        end = member.offset + member.length;
      expect(end).toBe(warc.length);
      expect(gunzipSync(warc).length).toBeGreaterThan(0);
    }
    expect(found).toBe(archived.length / 2);
  });

  test('makes tables with a row for each line of the indexes, as an export makes it', async () => {
    const { cloud, compact } = createWorld();
    await compact();
    const expected: Record<string, unknown>[] = [];
    for (const [key, { bytes }] of cloud.objects) {
      if (!key.endsWith('.cdxj')) continue;
      const warc = cloud.objects.get(key.replace('.cdxj', '.warc.gz'))!.bytes;
      for (const line of bytes.toString().trimEnd().split('\n')) {
        const place = parseCdxjLine(line, key);
        const read = async (at: number, length: number) => warc.subarray(at, at + length);
        const { subset, row } = captureRow(place, await readHeads(read, place))!;
        expected.push({ ...row, subset });
      }
    }
    const rows = await rowsOf(cloud);
    expect(rows).toHaveLength(archived.length / 2);
    const texts = (all: readonly Record<string, unknown>[]) =>
      all.map((row) =>
        CAPTURE_COLUMNS.map(({ name }) =>
          row[name] instanceof Date ? +row[name] : (row[name] ?? null),
        ).join(' '),
      );
    expect(texts(rows).sort()).toEqual(texts(expected).sort());
    expect(new Set(rows.map(({ subset }) => subset))).toEqual(new Set(['warc']));
    expect(tabledFiles(cloud)).toEqual(joinedFiles(cloud));
  });

  test('sorts captures into the subsets of Common Crawl; one without a row leaves an empty table', async () => {
    const capture = (path: string, status: number, headers: [string, string][]) =>
      encodeCapture(captureOf({ url: `http://site.test${path}`, httpStatus: status, headers }), RECORDS);
    const long = 'x'.repeat(8193);
    const captures = [
      await capture('/robots.txt', 200, []),
      await capture('/moved', 301, [['Location', '/a']]),
      await capture('/far', 302, [['Location', `/${long}`]]),
      await capture('/none', 404, []),
    ];
    const bytes = Buffer.concat(await Promise.all(captures.flatMap(({ members }) => members.map(joined))));
    const { cloud, compact } = createWorld([{ file: fileName(0), bytes }]);
    await compact();
    const rows = await rowsOf(cloud);
    expect(
      rows.map(({ subset, url_path, fetch_redirect }) => [subset, url_path, fetch_redirect]).sort(),
    ).toEqual([
      ['crawldiagnostics', '/far', null],
      ['crawldiagnostics', '/moved', 'http://site.test/a'],
      ['crawldiagnostics', '/none', null],
      ['robotstxt', '/robots.txt', null],
    ]);
    // It says that the file has its tables.
    expect([...cloud.objects.keys()].some((key) => key.startsWith('index/crawl=news/subset=warc/'))).toBe(
      true,
    );
  });

  test('makes no tables where none are wanted', async () => {
    const { cloud, compact } = createWorld();
    expect(await compact({ tables: false })).toMatchObject({ joined: 2 });
    expect(tabledFiles(cloud)).toEqual([]);
  });

  test('ends a file when its captures would take too much memory', async () => {
    const { cloud, compact } = createWorld(small());
    await compact({ sizes: { ...SMALL_PARTS, maxCaptureChars: 1 } });
    expect(joinedFiles(cloud)).toHaveLength(small().length);
  });

  test('done again changes nothing, and reads no corrupt object again', async () => {
    const { cloud, compact } = createWorld();
    const { aside } = await compact();
    const state = cloud.state();
    const commands = new Set<string>();
    const again = await compact({}, async (command, carryOut) => {
      commands.add(command);
      return carryOut();
    });
    expect(again).toEqual({
      joined: 0,
      objects: 0,
      bytes: 0,
      aside,
      itemTables: 0,
      isCut: false,
      isDone: true,
    });
    expect(cloud.state()).toEqual(state);
    expect(commands).not.toContain('GetObjectCommand');
  });

  test('joins full files only while the crawl may write more, and reads nothing in vain', async () => {
    const { cloud, compact } = createWorld();
    expect(await compact({ finished: false })).toMatchObject({ joined: 1, objects: 3 });
    const state = cloud.state();
    const reads: string[] = [];
    const idle = await compact({ finished: false }, async (command, carryOut) => {
      reads.push(command);
      return carryOut();
    });
    // The rest is joined when more is written, or the crawl ends.
    expect(idle).toMatchObject({ joined: 0, objects: 0, isDone: true });
    expect(reads).not.toContain('GetObjectCommand');
    expect(cloud.state()).toEqual(state);
    expect(await compact()).toMatchObject({ joined: 1, objects: 4 });
  });

  test('says before it reads or writes anything that it begins, once, and nothing where there is nothing to join', async () => {
    const { cloud, compact } = createWorld();
    const seen: string[] = [];
    const onBegin = async () => void seen.push('begin');
    const around: Around = async (command, carryOut) => {
      seen.push(command);
      return carryOut();
    };
    await compact({ onBegin }, around);
    const first = seen.findIndex((name) => /^(Get|Put|Copy|Create|Upload|Delete)Object/.test(name));
    expect(seen.indexOf('begin')).toBeLessThan(first);
    expect(seen.filter((name) => name === 'begin')).toHaveLength(1);
    seen.length = 0;
    const state = cloud.state();
    await compact({ onBegin }, around);
    expect(seen).not.toContain('begin');
    expect(cloud.state()).toEqual(state);
  });

  test('leaves young objects alone', async () => {
    const { cloud, clock, compact } = createWorld();
    cloud.put(FOLDER + files[6]!.file, files[6]!.bytes, new Date(clock.time - 30 * 60_000));
    expect(await compact()).toMatchObject({ objects: 6, isDone: false });
    expect(await compact({ minAgeMs: 30 * 60_000 })).toMatchObject({ objects: 1, isDone: true });
    expectAllReadable(cloud);
  });

  test('a corrupt object that was repaired is joined', async () => {
    const { cloud, compact } = createWorld();
    await compact();
    cloud.put(FOLDER + corrupt.file, (await warcOf(corrupt.file, 1)).bytes);
    expect(await compact()).toMatchObject({ joined: 1, objects: 1, aside: [] });
    expect([...cloud.items.keys()].filter((key) => key.includes('aside'))).toEqual([]);
  });

  test.each(['empty', 'cut short', 'a bit wrong'])('an object that is %s is left as it is', async (how) => {
    const { cloud, compact } = createWorld();
    const { file, bytes } = files[0]!;
    const broken = Buffer.from(
      how === 'empty' ? '' : bytes.subarray(0, how === 'cut short' ? -5 : undefined),
    );
    if (how === 'a bit wrong') broken[broken.length - 5]! ^= 4;
    cloud.put(FOLDER + file, broken);
    const { aside, objects } = await compact();
    expect(aside.map((other) => other.file).sort()).toEqual([file, corrupt.file]);
    expect(objects).toBe(6);
    expect(cloud.objects.get(FOLDER + file)!.bytes).toBe(broken);
  });

  test('a source that comes back after it was joined is deleted, and not joined again', async () => {
    const { cloud, compact } = createWorld();
    await compact();
    const state = cloud.state();
    cloud.put(FOLDER + files[0]!.file, files[0]!.bytes);
    expect(await compact()).toMatchObject({ joined: 0 });
    expect(cloud.state()).toEqual(state);
    cloud.put(FOLDER + files[0]!.file, Buffer.from('something else'));
    const heard: string[] = [];
    expect(await compact({ warn: (message) => heard.push(message) })).toMatchObject({ joined: 0 });
    expect(heard).toEqual([expect.stringContaining('exists again with another size')]);
    expect(cloud.objects.has(FOLDER + files[0]!.file)).toBe(true);
  });

  test('a read that fails is no sign of a corrupt object', async () => {
    const { cloud, compact } = createWorld();
    const failing: Around = async (command, carryOut) => {
      if (command === 'GetObjectCommand') throw new Error('S3 is away');
      return carryOut();
    };
    await expect(compact({}, failing)).rejects.toThrow('S3 is away');
    expect([...cloud.items.keys()]).toEqual([]);
    expect(await compact()).toMatchObject({ objects: 7 });
  });

  test('nor is one in the midst of a record', async () => {
    const file = fileName(0);
    const { cloud, compact } = createWorld([{ file, ...(await warcOf(file, 1, 9_000_000)) }], SIZES);
    let gets = 0;
    const failing: Around = async (command, carryOut) => {
      if (command === 'GetObjectCommand' && ++gets === 2) throw new Error('S3 is away');
      return carryOut();
    };
    await expect(compact({}, failing)).rejects.toThrow('S3 is away');
    expect([...cloud.items.keys()]).toEqual([]);
    expect(await compact()).toMatchObject({ objects: 1, aside: [] });
  });

  test('whose calls are carried out twice, as answers are lost, ends the same', async () => {
    const undisturbed = createWorld();
    const expected = await undisturbed.compact();
    const { cloud, compact } = createWorld();
    const done = await compact({}, async (_, carryOut) => {
      await Promise.resolve()
        .then(carryOut)
        .catch(() => {});
      return carryOut();
    });
    expect(done).toEqual(expected);
    // If an upload was begun twice, the process knows one of them.
    cloud.uploads.clear();
    expect(cloud.state()).toEqual(undisturbed.cloud.state());
  });

  test.each([0, -1, 1e12])('refuses a target of %d bytes', async (bytes) => {
    await expect(createWorld().compact({ targetBytes: bytes })).rejects.toThrow('Expected `targetBytes`');
  });
});

describe('a process that ends', () => {
  test.each([false, true])(
    'at any call (carried out: %s), and another after it, end as if nothing had been',
    async (isCarriedOut) => {
      const undisturbed = createWorld();
      await undisturbed.compact();
      const calls = await countCalls();
      expect(calls).toBeGreaterThan(40);
      for (let n = 1; n <= calls; n++) {
        const { cloud, clock, compact } = createWorld();
        await compact({}, dyingAt(n, isCarriedOut, cloud)).catch(() => {});
        expectAllReadable(cloud);
        clock.time += LEASE_MS + 1;
        await compact({}, dyingAt(Number.POSITIVE_INFINITY, false, cloud));
        expect(cloud.state(), `ended at call ${n}`).toEqual(undisturbed.cloud.state());
      }
    },
  );

  test('keeps others away until its lease has ended', async () => {
    const { cloud, clock, compact } = createWorld();
    await compact({}, dyingAt(20, true, cloud)).catch(() => {});
    clock.time += LEASE_MS - 1;
    const state = cloud.state();
    expect(await compact()).toEqual({
      joined: 0,
      objects: 0,
      bytes: 0,
      aside: [],
      itemTables: 0,
      isCut: false,
      isDone: false,
    });
    expect(cloud.state()).toEqual(state);
  });

  test('and ends again and again, makes its way as far as calls allow', async () => {
    const undisturbed = createWorld();
    await undisturbed.compact();
    const { cloud, clock, compact } = createWorld();
    for (let n = 1; n < 60; n += 3) {
      await compact({}, dyingAt(n, n % 2 === 0, cloud)).catch(() => {});
      clock.time += LEASE_MS + 1;
    }
    await compact();
    expect(cloud.state()).toEqual(undisturbed.cloud.state());
  });
});

describe('two processes', () => {
  test('at once: one does it all, whatever the order of their calls', async () => {
    const undisturbed = createWorld();
    await undisturbed.compact();
    for (let seed = 1; seed <= 5; seed++) {
      const { cloud, compact } = createWorld();
      const random = seededRandom(seed);
      const slowly: Around = async (_, carryOut) => {
        for (let rounds = random() * 6; rounds > 0; rounds--)
          await new Promise((resolve) => setImmediate(resolve));
        return carryOut();
      };
      const both = await Promise.all([compact({}, slowly), compact({}, slowly)]);
      expect(both.map(({ objects }) => objects).sort()).toEqual([0, 7]);
      await compact();
      expect(cloud.state()).toEqual(undisturbed.cloud.state());
    }
  });

  test('of which one stalls at any call beyond its lease, and continues when the other is done', async () => {
    const undisturbed = createWorld(small());
    await undisturbed.compact({ targetBytes: 4000 });
    const calls = await countCalls({ targetBytes: 4000 }, small());
    for (const isCarriedOut of [false, true]) {
      for (let n = 1; n <= calls; n++) {
        const { cloud, clock, compact } = createWorld(small());
        let call = 0;
        const stalling: Around = async (_, carryOut) => {
          if (++call !== n) return carryOut();
          const early = isCarriedOut ? [await carryOut()] : [];
          clock.time += LEASE_MS + 1;
          await compact({ targetBytes: 4000 }, dyingAt(Number.POSITIVE_INFINITY, false, cloud, small()));
          return isCarriedOut ? early[0] : carryOut();
        };
        await compact({ targetBytes: 4000 }, stalling).catch(() => {});
        expectAllReadable(cloud, small());
        await compact({ targetBytes: 4000 });
        expect(cloud.state(), `stalled at call ${n}`).toEqual(undisturbed.cloud.state());
      }
    }
  });

  test('of which one stalls before a condition, and the other, of other plans, ends at any call: no file is left over', async () => {
    const updates: number[] = [];
    let calls = 0;
    await createWorld(small()).compact({ targetBytes: 1 }, async (command, carryOut) => {
      calls++;
      if (command === 'UpdateItemCommand') updates.push(calls);
      return carryOut();
    });
    for (const stallAt of updates.slice(0, 5)) {
      for (let endAt = 1; endAt <= 40; endAt++) {
        const { cloud, clock, compact } = createWorld(small());
        let call = 0;
        const stalling: Around = async (_, carryOut) => {
          if (++call !== stallAt) return carryOut();
          clock.time += LEASE_MS + 1;
          await compact({ targetBytes: 6000 }, dyingAt(endAt, endAt % 2 === 0, cloud, small())).catch(
            () => {},
          );
          return carryOut();
        };
        await compact({ targetBytes: 1 }, stalling).catch(() => {});
        expectAllReadable(cloud, small());
        clock.time += LEASE_MS + 1;
        await compact();
        expectAllReadable(cloud, small());
        const when = `stalled at ${stallAt}, ended at ${endAt}`;
        expect(joinedFiles(cloud), when).toEqual(announcedFiles(cloud));
        expect(tabledFiles(cloud), when).toEqual(announcedFiles(cloud));
        expect([...cloud.items.keys()].filter((key) => key.includes('joined#')).length).toBe(small().length);
      }
    }
  });
});

describe('time', () => {
  test('that runs out at any call leaves nothing that shows, and the next run ends the work', async () => {
    const undisturbed = createWorld();
    await undisturbed.compact();
    const calls = await countCalls();
    for (let n = 0; n <= calls; n++) {
      const { cloud, clock, compact } = createWorld();
      let call = 0;
      const deadline = T0 + 60_000;
      const ticking: Around = async (command, carryOut) => {
        // There is time left for the following calls.
        if (command === 'CompleteMultipartUploadCommand')
          expect(deadline - clock.time).toBeGreaterThan(10_000);
        if (++call === n) clock.time += 55_000;
        return carryOut();
      };
      if (n === 0) clock.time += 60_000;
      await compact({ deadline }, ticking);
      expectAllReadable(cloud);
      expect(cloud.uploads.size).toBe(0);
      expect(joinedFiles(cloud), `time ran out at call ${n}`).toEqual(announcedFiles(cloud));
      await compact();
      expect(cloud.state()).toEqual(undisturbed.cloud.state());
    }
  });
});

describe('a plan', () => {
  /** Lets a process end when it has planned the first joined file. */
  async function planned(): Promise<World> {
    const world = createWorld();
    let isPlanned = false;
    const around: Around = async (command, carryOut) => {
      if (isPlanned) throw new Error('the process has ended');
      isPlanned = command === 'ListMultipartUploadsCommand';
      return carryOut();
    };
    await world.compact({}, around).catch(() => {});
    world.clock.time += LEASE_MS + 1;
    return world;
  }

  test('whose source is gone is given up, and the others are joined without it', async () => {
    const { cloud, compact } = await planned();
    cloud.objects.delete(FOLDER + files[0]!.file);
    const heard: string[] = [];
    expect(await compact({ warn: (message) => heard.push(message) })).toMatchObject({ objects: 6 });
    expect(heard).toContainEqual(expect.stringMatching(/joined-.* cannot be made/));
  });

  test('whose source goes while it is carried out is given up, and nothing is left of it', async () => {
    const { cloud, compact } = createWorld();
    const gone = FOLDER + files[1]!.file;
    const around: Around = async (command, carryOut) => {
      if (command === 'UploadPartCopyCommand') cloud.objects.delete(gone);
      return carryOut();
    };
    const heard: string[] = [];
    expect(await compact({ warn: (message) => heard.push(message) }, around)).toMatchObject({ objects: 4 });
    expect(heard).toContainEqual(expect.stringMatching(/joined-.* cannot be made/));
    expect(await compact()).toMatchObject({ objects: 2 });
    expect(joinedFiles(cloud)).toEqual(announcedFiles(cloud));
    expect(cloud.uploads.size).toBe(0);
  });

  test('whose source became damaged is given up, and the source is skipped', async () => {
    const { cloud, compact } = await planned();
    const { file, bytes } = files[2]!;
    cloud.put(FOLDER + file, Buffer.alloc(bytes.length));
    const { objects, aside } = await compact();
    expect(objects).toBe(6);
    expect(aside.map((other) => other.file).sort()).toEqual([file, corrupt.file]);
    expect(cloud.objects.has(FOLDER + file)).toBe(true);
  });

  test('that is given up while a stalled process carries it out leaves nothing of it', async () => {
    const { cloud, clock, compact } = createWorld();
    const stalling: Around = async (command, carryOut) => {
      if (command !== 'CompleteMultipartUploadCommand' || cloud.objects.has('stalled')) return carryOut();
      cloud.put('stalled', Buffer.from(''));
      const [id, upload] = [...cloud.uploads][0]!;
      clock.time += LEASE_MS + 1;
      cloud.objects.delete(FOLDER + files[0]!.file);
      await compact();
      // As if the upload had been missed by the other one.
      cloud.uploads.set(id, upload);
      return carryOut();
    };
    await compact({}, stalling);
    expect(joinedFiles(cloud)).toEqual(announcedFiles(cloud));
  });
});

describe('a location', () => {
  test('of a file that was not joined is itself, also when it is joined later', async () => {
    const { cloud, clock, compact } = createWorld();
    const context = { ...cloud.clients(), table: NAMES.crawlState, clock };
    const { location } = archived[0]!;
    expect(await resolveLocation(context, CRAWL, location)).toEqual(location);
    await compact();
    expect((await resolveLocation(context, CRAWL, location)).file).toMatch(/^joined-/);
  });

  test('is requested once a file', async () => {
    const { cloud, clock, compact } = createWorld();
    await compact();
    let asked = 0;
    const clients = cloud.clients(async (_, carryOut) => {
      asked++;
      return carryOut();
    });
    const resolver = joinedResolver({ ...clients, table: NAMES.crawlState, clock }, CRAWL);
    const ofOne = archived.filter(({ location }) => location.file === files[0]!.file);
    await resolver.resolveAll(ofOne.map(({ location }) => location));
    await resolver.resolve(ofOne[1]!.location);
    expect(asked).toBe(1);
    expect(await resolver.resolveAll([])).toEqual([]);
  });

  test('beyond the end of its file is a bug, and says so', async () => {
    const { cloud, clock, compact } = createWorld();
    await compact();
    const context = { ...cloud.clients(), table: NAMES.crawlState, clock };
    const location = { file: files[0]!.file, offset: files[0]!.bytes.length, length: 1 };
    await expect(resolveLocation(context, CRAWL, location)).rejects.toThrow('Expected a record within');
  });
});
