import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InvalidConfig, openCrawl, startCrawl } from '../../../api/index.ts';
import { openStackCrawl } from '../../../api/stack/open-stack-crawl.ts';
import { beginStackCrawl, readStackOptions } from '../../../api/stack/start-stack-crawl.ts';
import type { StackCrawl, StackEvent } from '../../../api/stack-crawl.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { all } from '../../all.ts';
import { runOnStack } from '../../cli/commands.ts';
import { paper } from '../../cli/stack-fakes.ts';
import { unzip } from '../../core/archive/unzip.ts';
import { compactNow, type DeployedWorld, deployedWorld, keepTime } from './deployed-world.ts';

const HOUR = 3_600_000;
const COUNT = 60;
/** A row of pages. */
const PAGES = Object.fromEntries(
  Array.from({ length: COUNT }, (_, n) => [`http://a.test/${n}`, n + 1 < COUNT ? [`/${n + 1}`] : []]),
);

async function begin(world: DeployedWorld, more: CrawlOptions = {}): Promise<StackCrawl> {
  const { connection } = world;
  const options = {
    stack: 'Strand',
    crawl: 'c',
    seeds: ['http://a.test/0'],
    contact: 'https://sim.test/',
    delayMs: 2000,
    ...more,
  };
  const begun = await beginStackCrawl(connection, readStackOptions(options));
  return openStackCrawl(connection, begun.crawl);
}

/** Runs the script in a world of its own, on virtual time. */
async function inWorld<T>(script: (world: DeployedWorld) => Promise<T>, options = {}): Promise<T> {
  const world = deployedWorld(PAGES, options);
  const outcome = await drive(world.time, script(world));
  world.deployment.stop();
  return outcome;
}

test('a crawl is paused, resumed and stopped, and done waits while it is paused', async () => {
  await inWorld(async (world) => {
    const crawl = await begin(world);
    await world.time.sleep(20_000);
    expect(await crawl.pause()).toMatchObject({ state: 'paused' });
    let isDone = false;
    const done = crawl.done.then((summary) => {
      isDone = true;
      return summary;
    });
    await world.time.sleep(60_000);
    const { pages } = await crawl.summary();
    await world.time.sleep(60_000);
    expect(await crawl.summary()).toMatchObject({ pages, state: 'paused' });
    expect(isDone).toBe(false);
    expect(await crawl.resume()).toMatchObject({ state: 'running' });
    await world.time.sleep(20_000);
    expect(await crawl.stop()).toMatchObject({ state: 'stopped' });
    expect(await done).toMatchObject({ state: 'stopped' });
    expect(await crawl.stop()).toMatchObject({ state: 'stopped' });
    expect((await done).pages).toBeLessThan(COUNT);
  });
});

test('events report the progress, and end with limit and finished at a limit', async () => {
  await inWorld(async (world) => {
    const crawl = await begin(world, { maxPages: 5 });
    const events: StackEvent[] = await all(crawl.events({ pollMs: 1000 }));
    expect(events[0]).toMatchObject({ type: 'progress', summary: { state: 'running' } });
    expect(events.slice(-3)).toMatchObject([
      { type: 'progress' },
      { type: 'limit', reason: expect.stringContaining('5 pages') },
      { type: 'finished', summary: { state: 'limited' } },
    ]);
    expect(await crawl.resume({ maxPages: 8 })).toMatchObject({ state: 'running' });
    expect(await crawl.done).toMatchObject({ state: 'limited' });
    expect((await crawl.summary()).pages).toBeGreaterThanOrEqual(8);
  });
});

test('a crawl that has ended needs no pause or stop; seeds make it run again', async () => {
  await inWorld(async (world) => {
    const crawl = await begin(world);
    expect(await crawl.done).toMatchObject({ state: 'finished', pages: COUNT });
    expect(await crawl.pause()).toMatchObject({ state: 'finished' });
    expect(await crawl.stop()).toMatchObject({ state: 'finished' });
    expect(await crawl.addSeeds(['http://a.test/more', 'ftp://x/'])).toMatchObject({
      added: 1,
      refused: [{ url: 'ftp://x/' }],
    });
    expect(await crawl.done).toMatchObject({ state: 'finished', pages: COUNT + 1 });
    await expect(crawl.addSeeds(['ftp://x/'])).rejects.toMatchObject({ name: 'ControlError' });
  });
});

test('the archive reads the same after the compactor has joined its files', async () => {
  await inWorld(
    async (world) => {
      const crawl = await begin(world);
      await crawl.done;
      const before = await all(crawl.captures());
      const { warcFile = '', warcOffset = 0 } = (await crawl.url('http://a.test/7'))!;
      const bodyAt = async (file: string, offset: number) =>
        Buffer.from((await crawl.readRecord({ file, offset })).http!.body).toString();
      const body = await bodyAt(warcFile, warcOffset);
      expect(body).toContain('href="/8"');
      await world.time.sleep(4 * HOUR);
      const after = await all(crawl.captures());
      const urlsOf = (captures: typeof after) => captures.map(({ surt, timestamp }) => [surt, timestamp]);
      expect(urlsOf(after)).toEqual(urlsOf(before));
      expect(new Set(after.map(({ file }) => file))).not.toEqual(new Set(before.map(({ file }) => file)));
      const seventh = after.find(({ url }) => url === 'http://a.test/7')!;
      expect(await bodyAt(seventh.file, seventh.offset)).toBe(body);
      // By the place that was known before, too.
      expect(await bodyAt(warcFile, warcOffset)).toBe(body);
      await expect(crawl.readRecord({ file: seventh.file, offset: 1e9 })).rejects.toThrow(RangeError);
      await expect(crawl.readRecord({ file: 'no.warc.gz', offset: 0 })).rejects.toThrow(
        'There is no record at 0 of no.warc.gz in the crawl c',
      );
    },
    { hasCompactor: true },
  );
});

test('a WACZ and an index that were begun before the compactor joined the files are whole', async () => {
  await inWorld(
    async (world) => {
      const crawl = await begin(world);
      await crawl.done;
      const archive = world.connection.archiveOf('c');
      // Time flies while files are written.
      world.deployment.stop();
      const ending = keepTime(world.time);
      const files = await archive.list();
      const wacz = crawl.wacz()[Symbol.asyncIterator]();
      const pieces: Uint8Array[] = [(await wacz.next()).value];
      const whole = await Promise.all(files.warcs.map(({ read }) => all(read())));
      const index = await all(files.cdxj());
      await compactNow(world, 'c');
      expect((await all(crawl.captures()))[0]!.file).toMatch(/^joined-/);

      for (let next = await wacz.next(); !next.done; next = await wacz.next()) pieces.push(next.value);
      const bytes = Buffer.concat(pieces);
      expect(files.warcs.length).toBeGreaterThan(0);
      for (const [i, { name }] of files.warcs.entries()) {
        expect(bytes.includes(`archive/${name}`)).toBe(true);
        expect(bytes.includes(Buffer.concat(whole[i]!))).toBe(true);
      }
      // And robots.txt.
      expect(index).toHaveLength(COUNT + 1);
      expect(await all(files.cdxj())).toEqual(index);

      const later = Buffer.concat(await all(crawl.wacz()));
      expect(later.includes('archive/joined-')).toBe(true);
      expect(later.includes(`archive/${files.warcs[0]!.name}`)).toBe(false);
      const pages = unzip(later).get('pages/pages.jsonl')!.bytes.toString().trim().split('\n').slice(1);
      expect(pages.map((line) => JSON.parse(line).url).sort()).toEqual(Object.keys(PAGES).sort());
      ending();
    },
    { hasCompactor: true },
  );
});

test('the command line reports, explains and exports a crawl of a stack', async () => {
  await inWorld(async (world) => {
    await (await begin(world)).done;
    const { connection } = world;
    const session = {
      ...connection,
      openCrawl: (crawl: string) => openStackCrawl(connection, crawl),
      push: () => Promise.reject(new Error('not asked for')),
      pull: () => Promise.reject(new Error('not asked for')),
    };
    const folder = mkdtempSync(join(tmpdir(), 'strand-stack-'));
    const run = async (...words: string[]) => {
      const [out, err] = [paper(), paper()];
      const clock = connection.clock;
      const output = { out, err, environment: {}, clock, signal: new AbortController().signal };
      expect(await runOnStack(['--stack', 'Strand', ...words], session, output as never)).toBe(0);
      return out.text();
    };
    try {
      const html = join(folder, 'r.html');
      const text = await run('report', 'c', '--html', html);
      expect(text).toContain('Hosts with most pages');
      expect(text).toContain('60 pages');
      expect(readFileSync(html, 'utf8')).toContain('a.test');
      expect(await run('explain', 'c', 'http://a.test/7')).toContain('http://a.test/7');
      await run('export', 'c', '--out', join(folder, 'c.wacz'));
      expect([...unzip(readFileSync(join(folder, 'c.wacz'))).keys()]).toContain('datapackage.json');
      await run('export', 'c', '--out', join(folder, 'c.cdxj'));
      expect(readFileSync(join(folder, 'c.cdxj'), 'utf8').split('\n')).toHaveLength(COUNT + 2);
      await run('export', 'c', '--out', join(folder, 'c.csv'));
      expect(readFileSync(join(folder, 'c.csv'), 'utf8')).toContain('http://a.test/59,');
      await expectPagesAndRecords(run, folder);
      await expect(run('report', 'other')).rejects.toThrow('There is no crawl "other"');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Expects the exports that are made of the pages, and the records of the archive. */
async function expectPagesAndRecords(
  run: (...words: string[]) => Promise<string>,
  folder: string,
): Promise<void> {
  const documents = join(folder, 'documents.jsonl');
  await run('export', 'c', '--format', 'documents', '--out', documents);
  expect(readFileSync(documents, 'utf8').trim().split('\n')).toHaveLength(COUNT);
  await run('export', 'c', '--format', 'llms', '--out', join(folder, 'llms'));
  expect(readFileSync(join(folder, 'llms', 'llms.txt'), 'utf8')).toContain('http://a.test/7');
  await run('export', 'c', '--format', 'markdown', '--out', join(folder, 'pages'));
  expect(readdirSync(join(folder, 'pages'), { recursive: true })).toHaveLength(COUNT + 1);
  await run('export', 'c', '--format', 'mirror', '--out', join(folder, 'mirror'));
  expect(readdirSync(join(folder, 'mirror'), { recursive: true })).toHaveLength(COUNT + 1);
  await run('export', 'c', '--format', 'parquet', '--out', join(folder, 'tables'));
  const tables = readdirSync(join(folder, 'tables'), { recursive: true }).map(String);
  expect(tables.filter((name) => name.endsWith('.parquet')).length).toBeGreaterThanOrEqual(2);
  for (const format of ['wet', 'wat']) {
    await run('export', 'c', '--format', format, '--out', join(folder, format));
    expect(readdirSync(join(folder, format)).length).toBeGreaterThan(0);
  }
  expect(await run('report', 'c', '--broken')).toBe(
    `0 broken URLs of ${COUNT} URLs, ${COUNT} pages searched\n`,
  );

  const checked = (await run('warc', 'check', 'c')).trim().split('\n');
  expect(checked.every((line) => line.endsWith('no errors'))).toBe(true);
  expect(checked.join()).toContain('response');
  const [file = ''] = checked[0]!.split(':');
  expect(await run('warc', 'check', 'c', file)).toBe(`${checked[0]}\n`);
  expect(await run('warc', 'cat', 'c', file, '0')).toMatch(/^WARC\/1\.1\r\nWARC-Type: warcinfo/);
  await expect(run('warc', 'cat', 'c', file, '3')).rejects.toThrow(`No record begins at 3 of ${file}`);
  await expect(run('warc', 'cat', 'c', 'no.warc.gz', '0')).rejects.toThrow(
    'There is no record at 0 of no.warc.gz',
  );
  await expect(run('warc', 'check', 'c', 'no.warc.gz')).rejects.toThrow('There is no WARC file "no.warc.gz"');
  await expect(run('warc', 'check', 'other')).rejects.toThrow('There is no crawl "other"');
}

test('a crawl without a WARC file makes no WACZ', async () => {
  await inWorld(async (world) => {
    const crawl = await begin(world);
    await expect(all(crawl.wacz())).rejects.toThrow('Nothing is archived yet in the crawl c');
    await crawl.stop();
  });
});

test('a crawl without hooks has an empty state, and one that is not there is not found', async () => {
  await inWorld(async (world) => {
    const crawl = await begin(world);
    expect(await crawl.state()).toEqual(new Map());
    await crawl.stop();
    await expect(openStackCrawl(world.connection, 'other')).rejects.toMatchObject({
      name: 'ControlError',
      code: 'notFound',
      message: 'There is no crawl "other"',
    });
  });
});

test.each<[object, RegExp]>([
  [{ onPage: () => {} }, /^startCrawl: Expected no onPage with stack: .*processCrawl/],
  [{ out: 'x' }, /Expected no out with stack: the crawl is stored in the stack/],
  [{ signal: new AbortController().signal }, /Expected no signal with stack: .*Call stop\(\)/],
  [{ seeds: [] }, /Expected seeds to be a list of at least one URL/],
  [{ maxPagse: 5 }, /maxPagse.*did you mean maxPages/i],
  [{ region: 7 }, /Expected region to be a name, got number/],
])('options that a stack does not take are refused before it is asked: %j', async (more, message) => {
  const given = { stack: 'Strand', seeds: ['https://example.org/'], ...more };
  const starting = startCrawl(given as Parameters<typeof startCrawl>[0]);
  await expect(starting).rejects.toThrow(InvalidConfig);
  await expect(starting).rejects.toThrow(message);
});

test('a crawl on a stack is opened by two names', async () => {
  await expect(openCrawl({ stack: 'Strand' } as never)).rejects.toThrow(
    "Expected the folder of a crawl, or { stack: 'NAME', crawl: 'NAME' } for a crawl on a stack",
  );
});
