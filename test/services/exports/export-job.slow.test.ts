import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { beginStackCrawl, readStackOptions } from '../../../api/stack/start-stack-crawl.ts';
import type { StackCrawl } from '../../../api/stack-crawl.ts';
import { ExportJobs, ExportLost } from '../../../shared/engines/aws/exports/export-jobs.ts';
import {
  CLOUD_FORMATS,
  type CloudFormat,
  type CrawlExport,
  type ExportRequest,
} from '../../../shared/services/control/crawl-export.ts';
import { handleRequest } from '../../../shared/services/http-api/routes.ts';
import { itemsCsv } from '../../../shared/services/outputs/items-csv.ts';
import type { MediaDocument } from '../../../shared/services/project/media-module.ts';
import { SKIPPED_COLUMNS } from '../../../shared/services/report/skipped-urls.ts';
import { jsonLine, rowHeader, rowLine, URL_ROW_COLUMNS } from '../../../shared/services/report/url-line.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { all } from '../../all.ts';
import { compactNow, type DeployedWorld, deployedWorld, keepTime } from '../../api/stack/deployed-world.ts';
import { unzip } from '../../core/archive/unzip.ts';
import { type ExporterOptions, filesOf, makeExport, remainsOf, rowsOf, textOf } from './export-world.ts';

const MINUTE = 60_000;
const PAGES = {
  'http://a.test/0': ['/1', 'http://b.test/0'],
  'http://a.test/1': ['/2', '/none'],
  'http://a.test/2': ['/3', '/left/1', '/left/2?é', 'mailto:x@a.test', '/left/4', '/moved', '/moved-away'],
  'http://a.test/3': ['http://c.test/1#end', '/3'],
  'http://b.test/robots.txt': [],
  'http://b.test/0': ['/1', '/denied/1', '/denied/2'],
  'http://b.test/1': [],
  'http://c.test/0': ['/1'],
  'http://c.test/1': [],
};
const TEXT = 'A long sentence that says something, so that it counts as the content of its page. '.repeat(8);
const OPTIONS = {
  hasCompactor: true,
  redirects: { 'http://a.test/moved': 'http://b.test/1', 'http://a.test/moved-away': '/left/3' },
  textOf: (url: string) =>
    url.endsWith('/robots.txt')
      ? '\nUser-agent: *\nDisallow: /denied/\n'
      : `<title>${url}</title><main><h1>${url}</h1><p>${TEXT}</p><p>${TEXT}</p></main>`,
  project: { onPage: ({ url }: { url: string }) => ({ url, length: url.length }) },
};

/** A crawl of three hosts: the files of two are joined, those of the third are not. */
async function inWorld(script: (world: DeployedWorld, crawl: StackCrawl) => Promise<void>): Promise<void> {
  const world = deployedWorld(PAGES, OPTIONS as never);
  const { connection, time, deployment } = world;
  const work = async () => {
    const start = readStackOptions({
      stack: 'Strand',
      crawl: 'c',
      seeds: ['http://a.test/0'],
      contact: 'https://sim.test/',
      scope: 'any',
      exclude: ['/left/'],
      delayMs: 2000,
    });
    await beginStackCrawl(connection, start);
    await time.sleep(190 * MINUTE);
    await connection.control.addSeeds('c', ['http://c.test/0']);
    await time.sleep(10 * MINUTE);
    const crawl = await openStackCrawl(connection, 'c');
    // Time flies while files are read: nothing else is to happen in it.
    deployment.stop();
    const ending = keepTime(time);
    await script(world, crawl).finally(ending);
  };
  await drive(time, work());
}

const masked = (bytes: Uint8Array): string =>
  gunzipSync(bytes)
    .toString('utf8')
    .replace(/urn:uuid:[0-9a-f-]+/g, 'ID')
    .replace(/WARC-Date: \S+/g, '');

const FOLDERS = {
  markdown: 'exportMarkdown',
  llms: 'exportLlms',
  mirror: 'exportMirror',
  graph: 'exportGraph',
} as const satisfies Partial<Record<CloudFormat, keyof StackCrawl>>;

/** The export as it is made on the operator's machine: by file, or as one text. */
async function expectedOf(crawl: StackCrawl, format: CloudFormat): Promise<unknown> {
  const lines = async (rows: AsyncIterable<unknown>) =>
    (await all(rows)).map((row) => `${JSON.stringify(row)}\n`).join('');
  switch (format) {
    case 'jsonl':
      return (await all(crawl.urls())).map((row) => jsonLine(row, URL_ROW_COLUMNS)).join('');
    case 'csv':
      return csv(URL_ROW_COLUMNS, await all(crawl.urls()));
    case 'items':
      return lines(crawl.items());
    case 'itemsCsv':
      return (await all(itemsCsv(() => crawl.items<{ url: string }>()))).join('');
    case 'skipped':
      return (await all(crawl.skipped())).map((row) => rowLine(row, SKIPPED_COLUMNS, 'jsonl')).join('');
    case 'skippedCsv':
      return csv(SKIPPED_COLUMNS, await all(crawl.skipped()));
    case 'documents':
      return lines(crawl.documents());
    case 'markdown':
    case 'llms':
    case 'mirror':
    case 'graph':
      return inFolder(async (folder) => {
        await crawl[FOLDERS[format]](folder);
        return textsIn(filesIn(folder));
      });
    case 'cdxj':
      return (await all(crawl.cdxj())).join('');
    case 'wet':
    case 'wat':
      return inFolder(async (folder) => {
        await crawl.exportDerived(format, folder);
        return readdirSync(folder)
          .sort()
          .map((name) => [name, masked(readFileSync(join(folder, name)))]);
      });
    case 'wacz':
      return packageOf(Buffer.concat(await all(crawl.wacz())));
    case 'parquet':
      return inFolder(async (folder) => {
        await crawl.exportParquet(folder, { tables: [...TABLES] });
        return tablesOf(filesIn(folder));
      });
  }
}

const csv = <Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Partial<Record<Column, string | number>>>[],
) => rowHeader(columns, 'csv') + rows.map((row) => rowLine(row, columns, 'csv')).join('');

/** The texts of files by their names, sorted. */
const textsIn = (files: ReadonlyMap<string, Uint8Array>): [name: string, text: string][] =>
  [...files]
    .map(([name, bytes]): [string, string] => [
      name,
      (name.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes)).toString(),
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-export-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const filesIn = (folder: string): Map<string, Uint8Array> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path)]),
  );

const TABLES = ['index', 'urls', 'items', 'documents'] as const;
const requestOf = (format: CloudFormat): ExportRequest => ({
  format,
  ...(format === 'parquet' && { tables: [...TABLES] }),
});

async function tablesOf(files: ReadonlyMap<string, Uint8Array>): Promise<unknown> {
  const entries = TABLES.map(async (table) => [table, await rowsOf(files, table)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** The files of a WACZ. Its index may be cut into other blocks, and is read through its summary. */
function packageOf(bytes: Uint8Array): unknown {
  const files = unzip(Buffer.from(bytes));
  const read = (path: string) => files.get(path)!.bytes;
  const [, ...summary] = read('indexes/index.idx').toString().trimEnd().split('\n');
  const index = summary.map((line) => {
    const { offset, length } = JSON.parse(line.slice(line.indexOf('{')));
    const block = gunzipSync(read('indexes/index.cdx.gz').subarray(offset, offset + length)).toString();
    expect(block.startsWith(line.slice(0, line.indexOf(' {')))).toBe(true);
    return block;
  });
  const { created: _, resources, ...described } = JSON.parse(read('datapackage.json').toString());
  for (const { path, hash: given, bytes: size } of resources as {
    path: string;
    hash: string;
    bytes: number;
  }[])
    expect([given, size]).toEqual([`sha256:${hash('sha256', read(path))}`, read(path).length]);
  const digest = JSON.parse(read('datapackage-digest.json').toString());
  expect(digest.hash).toBe(`sha256:${hash('sha256', read('datapackage.json'))}`);
  const archived = [...files].filter(([path]) => path.startsWith('archive/'));
  return {
    paths: [...files.keys()],
    archived: archived.map(([path, { bytes: warc }]) => [path, hash('sha256', warc)]),
    index: index.join(''),
    pages: read('pages/pages.jsonl').toString(),
    described,
  };
}

const CSV: ReadonlySet<CloudFormat> = new Set<CloudFormat>(['csv', 'itemsCsv', 'skippedCsv']);

/** The result of the job, as `expectedOf` has it. */
async function resultOf(files: ReadonlyMap<string, Uint8Array>, format: CloudFormat): Promise<unknown> {
  if (format === 'parquet') return tablesOf(files);
  if (format === 'wacz') return packageOf(files.get('c.wacz')!);
  if (format === 'llms' || format === 'graph') return textsIn(files);
  if (format === 'markdown' || format === 'mirror') {
    const unzipped = unzip(Buffer.from(files.get(`c-${format}.zip`)!));
    return textsIn(new Map([...unzipped].map(([name, { bytes }]) => [name, bytes])));
  }
  // Each file of CSV has the header.
  if (CSV.has(format)) {
    const texts = [...files.values()].map((bytes) => gunzipSync(bytes).toString());
    return texts.map((text, i) => (i === 0 ? text : text.slice(text.indexOf('\r\n') + 2))).join('');
  }
  if (format !== 'wet' && format !== 'wat') return textOf(files);
  const whole = new Map<string, string>();
  const numbered = [...files].map(([name, bytes]) => {
    const [, first, part = '1', end] = /^(.*?)(?:\.part(\d+))?(\.warc\.\w+\.gz)$/.exec(name)!;
    return { first, part: Number(part), end, bytes };
  });
  for (const { first, end, bytes } of numbered.sort((a, b) => a.part - b.part)) {
    const before = whole.get(`${first}${end}`);
    // A later part begins with a description of its own.
    const text = masked(bytes);
    const own =
      before === undefined
        ? text
        : text
            .split(/(?=WARC\/1\.1)/)
            .slice(1)
            .join('');
    whole.set(`${first}${end}`, (before ?? '') + own);
  }
  return [...whole].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function madeEqual(
  world: DeployedWorld,
  format: CloudFormat,
  expected: unknown,
  options: ExporterOptions = {},
) {
  const made = await makeExport(world, 'c', requestOf(format), options);
  expect(made.shown).toMatchObject({ state: 'done', share: 1, skipped: 0 });
  const files = filesOf(world, made.shown);
  expect(await resultOf(files, format)).toEqual(expected);
  expect(made.shown.files).toBe(files.size);
  expect(made.shown.bytes).toBe([...files.values()].reduce((sum, { length }) => sum + length, 0));
  // One that died after its end leaves them to a lifecycle rule.
  if (made.deaths === 0) expect(remainsOf(world, made.shown)).toEqual([]);
  return { ...made, files };
}

/** How often a function may look at its clock: few rows were left out. */
const looksOf = (format: CloudFormat): number => (format.startsWith('skipped') ? 4 : 12);

test('the crawl has all that exports may contain', async () => {
  await inWorld(async (_, crawl) => {
    const states = new Set((await all(crawl.urls())).map(({ status }) => status));
    expect([...states].sort()).toEqual(['deniedByRobots', 'fetched', 'gone', 'redirect']);
    const reasons = new Set((await all(crawl.skipped())).map(({ reason }) => reason));
    expect([...reasons].sort()).toEqual(['deniedByRobots', 'exclude']);
  });
});

describe('an export that a stack makes is the one that the command line makes', () => {
  test.each(CLOUD_FORMATS)('%s', async (format) => {
    await inWorld(async (world, crawl) => {
      const expected = await expectedOf(crawl, format);
      expect(inspect(expected, { depth: 9 }).length).toBeGreaterThan(200);
      const whole = await madeEqual(world, format, expected);
      expect(whole.slices).toBe(1);
      const sliced = await madeEqual(world, format, expected, { looks: looksOf(format), maxFileBytes: 1 });
      expect(sliced.slices).toBeGreaterThan(1);
      expect(sliced.files.size).toBeGreaterThanOrEqual(whole.files.size);
    });
  });
});

describe('a function that dies is followed by another one, and the result is the same', () => {
  test.each(CLOUD_FORMATS)('%s', async (format) => {
    await inWorld(async (world, crawl) => {
      const expected = await expectedOf(crawl, format);
      let deaths = 0;
      for (let write = 2; ; write += format === 'parquet' ? 31 : 5) {
        const limits = { looks: looksOf(format), maxFileBytes: 1 };
        const dies = write % 2 === 0 ? { diesAfter: write } : { diesBefore: write };
        const made = await madeEqual(world, format, expected, { ...limits, ...dies });
        deaths += made.deaths;
        if (made.deaths === 0) break;
      }
      expect(deaths).toBeGreaterThanOrEqual(2);
    });
  });
});

test('files that are joined while an export is made are read where they are then', async () => {
  await inWorld(async (world, crawl) => {
    for (const format of ['cdxj', 'wet'] as const) {
      const expected = await expectedOf(crawl, format);
      const options = { looks: 12, maxFileBytes: 1, between: () => compactNow(world, 'c') };
      await madeEqual(world, format, expected, options);
    }
  });
});

describe('the state of an export', () => {
  test('is shown by the API, with all exports of the crawl, and no other crawl has them', async () => {
    await inWorld(async (world) => {
      const { control } = world.connection;
      const ask = (method: string, path: string, body?: object) =>
        handleRequest(control, { method, path, ...(body && { body: JSON.stringify(body) }) });
      const begun = await ask('POST', '/crawls/c/exports', { format: 'cdxj' });
      expect(begun).toMatchObject({
        status: 202,
        body: { crawl: 'c', format: 'cdxj', state: 'waiting', share: 0 },
      });
      const { id } = begun.body as CrawlExport;
      const { shown } = await makeExport(world, 'c', { format: 'jsonl' });
      expect((await ask('GET', `/crawls/c/exports/${id}`)).body).toMatchObject({
        state: 'done',
        records: 14,
      });
      expect((await ask('GET', '/crawls/c/exports')).body).toMatchObject({
        exports: [{ id }, { id: shown.id, location: `s3://archive/exports/c/${shown.id}/` }],
      });
      for (const [answer, status] of [
        [await ask('GET', '/crawls/c/exports/none'), 404],
        [await ask('GET', '/crawls/other/exports'), 404],
        [await ask('POST', '/crawls/c/exports', { format: 'pdf' }), 400],
        [await ask('POST', '/crawls/c/exports', { format: 'cdxj', tables: ['urls'] }), 400],
      ] as const)
        expect(answer.status).toBe(status);
    });
  });

  test('ten of a crawl are open at once', async () => {
    await inWorld(async ({ connection: { control } }) => {
      for (let i = 0; i < 10; i++) await control.beginExport('c', { format: 'jsonl' });
      await expect(control.beginExport('c', { format: 'jsonl' })).rejects.toMatchObject({ code: 'conflict' });
    });
  });

  test('has failed after five tries that came to no end', async () => {
    await inWorld(async (world) => {
      const { shown, slices } = await makeExport(world, 'c', { format: 'cdxj' }, { fails: 'no such bucket' });
      expect(shown).toMatchObject({ state: 'failed', files: 0, share: 0 });
      expect(shown.message).toContain('5 tries came to no end');
      expect(slices).toBe(6);
    });
  });

  test.each(['markdown', 'mirror'] as const)(
    'has failed at once with too many files for %s',
    async (format) => {
      await inWorld(async (world) => {
        const { shown, slices } = await makeExport(world, 'c', { format }, { maxListed: 5 });
        expect(shown).toMatchObject({ state: 'failed' });
        expect(shown.message).toContain('more than 5 URLs');
        expect(slices).toBe(1);
      });
    },
  );

  test('says how many links were left out beyond the log', async () => {
    await inWorld(async (world) => {
      const { s3 } = world.cloud.clientsOf(world.cloud.begin('worker'));
      const Body = gzipSync(`${JSON.stringify({ beyond: 7 })}\n`);
      const Key = 'skips/c/20260101000000-x.jsonl.gz';
      await s3.send(new PutObjectCommand({ Bucket: world.cloud.settings.bucket, Key, Body }));
      const { shown } = await makeExport(world, 'c', { format: 'skipped' });
      expect(shown).toMatchObject({
        state: 'done',
        message: expect.stringContaining('; 7 more are only counted'),
      });
    });
  });

  test('has a file without a row where nothing was left out', async () => {
    await inWorld(async (world) => {
      const config = { contact: 'https://sim.test/' };
      await world.connection.control.create({ crawl: 'empty', seeds: ['http://a.test/0'], config });
      for (const [format, text] of [
        ['skipped', ''],
        ['skippedCsv', 'url,reason,via,cause,causeCode\r\n'],
      ] as const) {
        const { shown } = await makeExport(world, 'empty', { format });
        expect(shown).toMatchObject({ state: 'done', files: 1, records: 0 });
        expect(textOf(filesOf(world, shown))).toBe(text);
      }
    });
  });

  test('of a WACZ has failed at once where nothing is archived; other exports have no record', async () => {
    await inWorld(async (world) => {
      const config = { contact: 'https://sim.test/' };
      await world.connection.control.create({ crawl: 'empty', seeds: ['http://a.test/0'], config });
      const { shown, slices } = await makeExport(world, 'empty', { format: 'wacz' });
      expect(shown).toMatchObject({ state: 'failed', message: 'Nothing is archived yet in the crawl empty' });
      expect(slices).toBe(1);
      for (const format of ['wet', 'cdxj', 'parquet'] as const)
        expect((await makeExport(world, 'empty', { format })).shown).toMatchObject({
          state: 'done',
          records: 0,
        });
    });
  });
});

test('documents are read by the modules of the deployed project', async () => {
  const modules = [
    { mediaTypes: ['text/html'], read: ({ url }: MediaDocument) => ({ text: `read ${url}` }) },
  ];
  await inWorld(async (world) => {
    const { shown } = await makeExport(world, 'c', { format: 'documents' }, { modules });
    const lines = [...filesOf(world, shown).values()].map((bytes) => gunzipSync(bytes).toString()).join('');
    const documents = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(documents.length).toBeGreaterThan(5);
    for (const { url, text } of documents) expect(text).toBe(`read ${url}`);
    const wet = await makeExport(world, 'c', { format: 'wet' }, { modules });
    const texts = [...filesOf(world, wet.shown).values()]
      .map((bytes) => gunzipSync(bytes).toString())
      .join('');
    const read = new Set(texts.match(/(?<=\nread )http\S+/g));
    expect(documents.filter(({ url }) => !read.has(url))).toEqual([]);
  });
});

test('documents may be a table, too, made in the same pass, whatever the slices', async () => {
  await inWorld(async (world) => {
    const request: ExportRequest = { format: 'documents', tables: ['documents'] };
    const { shown } = await makeExport(world, 'c', request);
    const files = filesOf(world, shown);
    const lines = [...files].filter(([name]) => name.endsWith('.jsonl.gz'));
    const rows = lines
      .map(([, bytes]) => gunzipSync(bytes).toString())
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).url);
    expect(rows.length).toBeGreaterThan(5);
    const table = (await rowsOf(files, 'documents')) as { url: string }[];
    expect(table.map(({ url }) => url).sort()).toEqual(rows.sort());
    expect(shown).toMatchObject({ files: 2 * lines.length, records: rows.length });
    await expect(
      world.connection.control.beginExport('c', { format: 'wet', tables: ['documents'] }),
    ).rejects.toThrow('or the table documents with documents');
  });
});

test('an export with a name is begun once', async () => {
  await inWorld(async ({ cloud, connection: { control } }) => {
    const process = cloud.begin('waker');
    const { dynamo } = cloud.clientsOf(process);
    const { settings } = cloud;
    const { clock } = process;
    const jobs = new ExportJobs({ dynamo, clock, table: settings.crawlState, bucket: settings.bucket });
    const begin = () => jobs.begin('c', { format: 'documents' }, 'documents-end-9s');
    const first = await begin();
    const until = cloud.time.now() + 16 * MINUTE;
    await jobs.end((await jobs.take('c', first.id, until))!, 'done');
    expect(await begin()).toMatchObject({ id: first.id, state: 'done' });
    expect(await jobs.open()).toEqual([]);
    expect(await control.exportOf('c', 'documents-end-9s')).toMatchObject({ state: 'done' });
  });
});

test('one function has an export at a time, until it is dead', async () => {
  await inWorld(async ({ cloud, connection: { control } }) => {
    const { id } = await control.beginExport('c', { format: 'cdxj' });
    const { settings } = cloud;
    const [one, two] = ['one', 'two'].map((name) => {
      const process = cloud.begin(name);
      const { dynamo } = cloud.clientsOf(process);
      const { clock } = process;
      return new ExportJobs({ dynamo, clock, table: settings.crawlState, bucket: settings.bucket });
    }) as [ExportJobs, ExportJobs];
    const until = cloud.time.now() + 16 * MINUTE;
    const held = await one.take('c', id, until);
    expect(held).toMatchObject({ version: 0, tries: 1 });
    expect(await two.take('c', id, until)).toBeUndefined();
    const more = await one.advance(held!, { files: 1, bytes: 2, records: 3, skipped: 0, share: 0.5 });
    expect(more).toMatchObject({ version: 1, tries: 0 });
    await cloud.time.sleep(17 * MINUTE);
    const taken = await two.take('c', id, cloud.time.now() + 16 * MINUTE);
    expect(taken).toMatchObject({ version: 1, tries: 1, progress: { records: 3 } });
    await expect(one.advance(more, more.progress)).rejects.toThrow(ExportLost);
    await one.end(more, 'done');
    expect(await control.exportOf('c', id)).toMatchObject({ state: 'running', share: 0.5 });
    await two.end(taken!, 'done');
    expect(await one.take('c', id, until)).toBeUndefined();
    expect(await two.open()).toEqual([]);
  });
});

test.each([true, false])(
  'a deletion with the archive (%s) removes exports, and what they have kept',
  async (archive) => {
    await inWorld(async (world) => {
      const { cloud, connection, time } = world;
      await makeExport(world, 'c', { format: 'jsonl' });
      await connection.control.beginExport('c', { format: 'cdxj' });
      await connection.control.delete('c', { archive });
      await time.sleep(18 * MINUTE);
      expect(await connection.deletions.proceed('c')).toMatchObject({
        archive,
        deletedAt: expect.any(Number),
      });
      const left = [...cloud.s3.objects('archive').keys()].filter((key) => key.startsWith('export'));
      expect(left).toHaveLength(archive ? 0 : 2);
      const items = [...cloud.dynamo.items(cloud.settings.crawlState)].filter(
        ({ pk }) => pk?.S === '#exports',
      );
      expect(items).toEqual([]);
    });
  },
);
