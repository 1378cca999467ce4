import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../cli/usage-error.ts';
import { InvalidConfig, parseConfig } from '../../shared/core/crawl/config.ts';
import { type Control, ControlError, type HostDetail } from '../../shared/services/control/control.ts';
import { MAX_SEEDS } from '../../shared/services/control/request-schemas.ts';
import type { Item } from '../../shared/services/project/project.ts';
import { explainUrl } from '../../shared/services/report/explain.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { runOnStack } from './commands.ts';
import { fakeControl, fastClock, paper, RUNNING } from './stack-fakes.ts';

let folder: string;
const home = process.cwd();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-on-stack-'));
});
afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

const HOST: HostDetail = {
  host: 'a.example',
  known: 1200,
  waiting: 7,
  pages: 30,
  bytes: 4200,
  failures: 2,
  cause: 'no answer\x1b[2J',
  requests: 33,
  byStatus: { fetched: 28, gone: 2 },
  httpStatus: { '200': 28, '404': 2 },
  errors: { timeout: 2 },
  skipped: {},
  robots: [{ origin: 'https://a.example', kind: 'rules', expiresAt: '2026-11-22T00:00:00.000Z' }],
};

/** The command line's words to a stack that answers so. */
async function runOn(line: string, answers: Partial<Control> = {}, items: readonly Item[] = []) {
  const { control, calls } = fakeControl(answers);
  const session = {
    control,
    deletions: slowDeletions(),
    archiveOf: () => ({}) as never,
    refusedKeys: ['hosts', 'warcMaxBytes'],
    putIdentity: async () => '/strand/identity',
    openCrawl: async () => ({ ...OPENED, items: () => Readable.from(items) }) as never,
    push: async () => ({ ...COPIED, lacks: ['the setting hosts'] }),
    pull: async () => COPIED,
  };
  const [out, err] = [paper(), paper()];
  const output = { out, err, environment: {}, clock: fastClock(), signal: new AbortController().signal };
  const code = await runOnStack(['--stack', 'S', ...line.split(' ')], session, output as never);
  return { code, out: out.text(), err: err.text(), calls };
}

const COPIED = { crawl: 'news', hosts: 2, warcFiles: 1, items: 3, lacks: [] };

/** Deletes the crawl's data at the third call. */
function slowDeletions() {
  let calls = 0;
  return {
    pending: async () => [],
    async proceed(_: string, { onProgress }: { onProgress?: (deleted: object) => void } = {}) {
      onProgress?.({ hosts: 2, rows: 3, objects: 4 });
      return { ...DELETION, ...(++calls > 2 && { deletedAt: 2000, nameFreeAt: 3000 }) };
    },
  } as never;
}

const DELETION = { requestedAt: 0, archive: true };

const summary = (more: Partial<CrawlSummary> = {}) => ({
  async status() {
    return { ...RUNNING, ...more };
  },
});

/** An open crawl. */
const OPENED = {
  explain: async (url: string) => explainUrl({ url, config: parseConfig({}), now: 0 }),
  cdxj: (warn: (message: string) => void) => {
    warn('WARC file a.warc.gz is damaged');
    return Readable.from(['a line\n']);
  },
};

test('explain prints what would happen to a URL', async () => {
  const { out, code } = await runOn('explain news https://example.org/a');
  expect(out).toContain('https://example.org/a');
  expect(code).toBe(0);
});

test('export --format cdxj writes the index into a file, and ends with 1 if a WARC file is damaged', async () => {
  const path = join(folder, 'news.cdxj');
  const { out, code } = await runOn(`export news --out ${path}`);
  expect(readFileSync(path, 'utf8')).toBe('a line\n');
  expect(out).toBe('');
  expect(code).toBe(1);
});

test('export --items writes what the hooks have returned, as lines of JSON or as a table', async () => {
  const items = [{ url: 'https://a.test/', n: 1 }, { n: 2 }];
  const jsonl = await runOn('export news --items', summary(), items);
  expect(jsonl.out).toBe('{"url":"https://a.test/","n":1}\n{"n":2}\n');
  const csv = await runOn('export news --items --format csv', summary(), items);
  expect(csv.out).toBe('url,n\r\nhttps://a.test/,1\r\n,2\r\n');
});

const BEGUN = { ...RUNNING, refused: [] };

describe('crawl begins a crawl', () => {
  test('with seeds, name and settings, and prints its name and how to watch it', async () => {
    const line = 'crawl example.org http://b.example/#x --name news --max-cost 5 --delay 2';
    const { code, out, calls } = await runOn(line, { create: async () => BEGUN });
    expect(calls).toEqual([
      [
        'create',
        {
          crawl: 'news',
          seeds: ['https://example.org/', 'http://b.example/'],
          config: { maxCost: 5, delayMs: 2000 },
        },
      ],
    ]);
    expect(out).toBe(
      'The crawl news begins with 2 seeds\nWatch it with: strand --stack S status news --watch\n',
    );
    expect(code).toBe(0);
  });

  test('with the settings of the project below those of the command line, and none of one machine', async () => {
    writeFileSync(
      join(folder, 'strand.config.ts'),
      'export default { crawl: { delayMs: 5000, maxPages: 9, hosts: 500, warcMaxBytes: 5 } };',
    );
    process.chdir(folder);
    const { calls, out } = await runOn('crawl example.org --delay 2', { create: async () => BEGUN });
    expect(calls[0]![1]).toHaveProperty('config', { delayMs: 2000, maxPages: 9 });
    expect(out).toContain('begins with 1 seed and strand.config.ts');
  });

  test('without the seeds that it leaves out, and says why', async () => {
    const refused = [{ url: 'https://b.example/no', reason: 'one of the patterns of `exclude` matches' }];
    const { out, err } = await runOn('crawl example.org b.example/no --exclude no', {
      create: async () => ({ ...RUNNING, refused }),
    });
    expect(out).toContain('The crawl news begins with 1 seed\n');
    expect(err).toBe('Left out the seed https://b.example/no: one of the patterns of `exclude` matches\n');
  });

  test('and answers scripts with the summary', async () => {
    const { out } = await runOn('crawl example.org --json', { create: async () => BEGUN });
    expect(JSON.parse(out)).toEqual(RUNNING);
  });

  test('and stays with it, where it should, to its exit code', async () => {
    const { code, out, err } = await runOn('crawl example.org --watch', {
      create: async () => BEGUN,
      ...summary({ state: 'limited', reason: '2,000 pages', pages: 2000 }),
    });
    expect(code).toBe(3);
    expect(err).toMatch(/^The crawl news begins with 1 seed\nlimited {2}2,000 pages/);
    expect(out).toMatch(/^Limit reached: 2,000 pages\n {2}Crawl {7}news\n/);
  });

  test('with more seeds than one request takes, in several', async () => {
    const file = join(folder, 'seeds.txt');
    writeFileSync(
      file,
      Array.from({ length: 2 * MAX_SEEDS + 5 }, (_, i) => `https://h${i}.example/`).join('\n'),
    );
    const { calls } = await runOn(`crawl --seeds ${file}`, {
      create: async () => BEGUN,
      addSeeds: async (crawl, urls) => ({ crawl, added: urls.length, refused: [] }),
    });
    expect(calls.map(([name]) => name)).toEqual(['create', 'addSeeds', 'addSeeds']);
    expect(calls.at(-1)).toEqual([
      'addSeeds',
      'news',
      [0, 1, 2, 3, 4].map((i) => `https://h${2 * MAX_SEEDS + i}.example/`),
    ]);
  });

  test('but not with a setting that is not valid', async () => {
    await expect(runOn('crawl example.org --per-host 65', {})).rejects.toThrow(
      new InvalidConfig('Expected --per-host <= 64, got 65'),
    );
  });
});

describe('status prints the summary of one machine, and name, cost and next command', () => {
  test('of a crawl that runs', async () => {
    const { code, out } = await runOn('--region eu-west-1 status news', summary());
    expect(out).toBe(
      [
        'Running',
        '  Crawl       news',
        '  Pages       1,234 in 2m 14s, 9.2 a second',
        '  URLs        6,354 known, 5,120 waiting, 1,200 fetched, 30 redirect, 4 gone',
        '  Hosts       52',
        '  Bytes       31 MB',
        '  HTTP        200: 1,200, with robots.txt and sitemaps',
        '  Errors      2 dns, 1 timeout',
        '  WARC files  1, a.warc.gz',
        '  Cost        $0.0012, $1.00 for a million pages, Lambda time $0.00080, data out $0.00020,',
        '              SQS FIFO $0.00010, DynamoDB writes $0.000090, other $0.000040',
        '  Next        watch it with: strand --stack S --region eu-west-1 status news --watch',
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
  });

  test.each<[Partial<CrawlSummary>, RegExp]>([
    [{ state: 'paused', reason: 'by the operator' }, /resume with: strand --stack S resume news$/m],
    [
      { state: 'paused', reason: 'it would soon have cost 5 US dollars', reasonCode: 'maxCost' },
      /continue with a higher --max-cost:\n +strand --stack S resume news$/m,
    ],
    [{ state: 'limited' }, /--max-time or --max-cost:\n +strand --stack S resume news$/m],
    [{ state: 'finished', pages: 0 }, /strand --stack S url news URL$/m],
  ])('of a crawl that is %j', async (more, next) => {
    expect((await runOn('status news', summary(more))).out).toMatch(next);
  });

  test('in JSON as on one machine', async () => {
    expect(JSON.parse((await runOn('status news --json', summary())).out)).toEqual(RUNNING);
  });
});

describe('watch', () => {
  test.each<[Partial<CrawlSummary>, number]>([
    [{ state: 'finished' }, 0],
    [{ state: 'limited' }, 3],
    [{ state: 'finished', pages: 0 }, 4],
    [{ state: 'paused', reason: 'by the operator' }, 130],
    [{ state: 'paused', reason: 'it would soon have cost 5 US dollars', reasonCode: 'maxCost' }, 3],
    [{ state: 'stopped' }, 130],
  ])('of a crawl that ends %j exits with %d', async (more, code) => {
    expect((await runOn('watch news', summary(more))).code).toBe(code);
  });
});

describe('the other verbs', () => {
  test('pause, resume and stop print the crawl as it is then', async () => {
    const after = async () => ({ ...RUNNING, state: 'stopped' as const });
    const { out, calls } = await runOn('resume news --max-cost 7', { resume: after });
    expect(calls).toEqual([['resume', 'news', { maxCost: 7 }, { newUrlRules: false }]]);
    expect(out).toMatch(/^Stopped\n/);
    expect((await runOn('pause news', { pause: after })).calls).toEqual([['pause', 'news']]);
    expect((await runOn('stop news', { stop: after })).calls).toEqual([['stop', 'news']]);
  });

  test('delete prints how far it is, and with --watch deletes the data itself', async () => {
    const asked = {
      delete: async (crawl: string, { archive = false } = {}) => ({
        crawl,
        state: 'deleting' as const,
        archive,
        requestedAt: '2026-01-01T00:00:00.000Z',
        dataDeletedFrom: '2026-01-01T00:17:00.000Z',
      }),
    };
    const { code, out, calls } = await runOn('delete news --yes', asked);
    expect(calls).toEqual([['delete', 'news', { archive: false }]]);
    expect(code).toBe(0);
    expect(out).toContain('in the first hourly run after 2026-01-01T00:17:00.000Z');
    expect(out).toContain('items stay in the bucket, in warc/news/');
    const watched = await runOn('delete news --yes --archive --watch', asked);
    expect(watched.err).toContain('news is stopped');
    expect(watched.err).toContain('2 hosts, 3 rows, 4 objects');
    expect(watched.out).toBe('The crawl news is deleted; its name is free from 1970-01-01T00:00:03.000Z\n');
  });

  test('delete without a terminal requires --yes, and says what it would delete', async () => {
    await expect(runOn('delete news --archive', summary())).rejects.toThrow(
      'This deletes the crawl news of the stack S (running, 1,234 pages of 52 hosts), with its archive and items. ' +
        'Without a terminal, confirm it with: strand --stack S delete news --archive --yes',
    );
  });

  test('push and pull say what was copied, and how to continue', async () => {
    const pushed = await runOn('push crawls/a --name news');
    expect(pushed.out).toBe(
      'The crawl news is in the stack S: 2 hosts, 1 WARC file, 3 items\n' +
        'Not copied: the setting hosts\n' +
        'Continue it there with: strand --stack S resume news\n' +
        'crawls/a keeps its copy. Continue one of the two: both would fetch the same pages\n',
    );
    const pulled = await runOn('pull news crawls/a');
    expect(pulled.out).toContain('Continue it here with: strand resume crawls/a\n');
    expect(JSON.parse((await runOn('pull news crawls/a --json')).out)).toMatchObject({
      crawl: 'news',
      hosts: 2,
    });
  });

  test('add prints what was left out, and fails if nothing was added', async () => {
    const refused = [{ url: 'https://b.example/', reason: 'it is outside' }];
    const some = await runOn('add news a.example b.example', {
      addSeeds: async (crawl) => ({ crawl, added: 1, refused }),
    });
    expect(some).toMatchObject({
      code: 0,
      out: '1 seed on the way to news\n  left out: https://b.example/: it is outside\n',
      calls: [['addSeeds', 'news', ['https://a.example/', 'https://b.example/']]],
    });
    const none = await runOn('add news b.example --json', {
      addSeeds: async (crawl) => ({ crawl, added: 0, refused }),
    });
    expect(none.code).toBe(2);
    expect(JSON.parse(none.out)).toEqual({ crawl: 'news', added: 0, refused });
  });

  test('list has a line for each crawl, and the JSON of the API', async () => {
    const crawls = [
      { crawl: 'news', state: 'running' as const, pages: 12_345 },
      { crawl: 'a', state: 'paused' as const, pages: 3, reason: 'by the operator' },
    ];
    const list = async () => ({ crawls });
    expect((await runOn('list', { list })).out).toBe(
      'CRAWL  STATE     PAGES\nnews   running  12,345\na      paused        3  by the operator\n',
    );
    expect(JSON.parse((await runOn('list --json', { list })).out)).toEqual({ crawls });
    expect((await runOn('list', { list: async () => ({ crawls: [] }) })).out).toBe(
      'No crawls yet. Begin one with: strand --stack S crawl SEED...\n',
    );
  });

  test('hosts has a line for each host and the command for the next page', async () => {
    const { out, calls } = await runOn('hosts news --limit 1', {
      hosts: async () => ({ hosts: [HOST], cursor: "x'y" }),
    });
    expect(calls).toEqual([['hosts', 'news', { limit: 1, cursor: undefined }]]);
    expect(out).toBe(
      [
        'HOST       PAGES  KNOWN  WAITING   BYTES',
        'a.example     30  1,200        7  4.2 kB  2 failures: no answer\ufffd[2J',
        "More: strand --stack S hosts news --limit 1 --cursor 'x'\\''y'",
        '',
      ].join('\n'),
    );
  });

  test('hosts continues over pages that have none, to the end', async () => {
    const pages = [{ hosts: [], cursor: '1' }, { hosts: [], cursor: '2' }, { hosts: [] }];
    const { out, calls } = await runOn('hosts news', { hosts: async () => pages.shift()! });
    expect(calls.map((call) => (call[2] as { cursor?: string }).cursor)).toEqual([undefined, '1', '2']);
    expect(out).toBe('No hosts\n');
  });

  test('hosts with a host prints everything known about it', async () => {
    const { out, calls } = await runOn('hosts news a.example', { host: async () => HOST });
    expect(calls).toEqual([['host', 'news', 'a.example']]);
    expect(out).toContain('  HTTP     200: 28, 404: 2\n');
    expect(out).toContain('  Robots   https://a.example: rules, until 2026-11-22T00:00:00.000Z\n');
    expect(out).not.toContain('\x1b');
  });

  test('url prints the same as on one machine', async () => {
    const detail = { url: 'https://example.org/', host: 'example.org', status: 'waiting' as const, depth: 0 };
    const { out } = await runOn('url news example.org', { url: async () => detail });
    expect(out).toMatch(/^https:\/\/example\.org\/\n {2}Status {3}waits to be fetched\n/);
    expect(JSON.parse((await runOn('url news example.org --json', { url: async () => detail })).out)).toEqual(
      detail,
    );
  });
});

describe('a refusal', () => {
  test.each<[line: string, error: ControlError, message: string]>([
    [
      'status news',
      new ControlError('notFound', 'There is no crawl "news"', 'crawl'),
      'There is no crawl "news"; all there are: strand --stack S list',
    ],
    [
      'crawl a.example --name news',
      new ControlError('conflict', 'There is a crawl "news" already', 'crawl'),
      'There is a crawl "news" already (--name CRAWL)',
    ],
    [
      'crawl a.example',
      new ControlError('invalid', 'the crawl needs a config.contact', 'config.contact'),
      'the crawl needs a config.contact (--contact URL|MAIL)',
    ],
    [
      'resume news',
      new ControlError('conflict', 'The crawl would end at once', 'maxPages'),
      'The crawl would end at once (--max-pages N)',
    ],
    ['pause news', new ControlError('conflict', 'It is\x1b finished'), 'It is\ufffd finished'],
  ])('of %s names the option that fixes it', async (line, error, message) => {
    const fail = async () => {
      throw error;
    };
    const answers = { status: fail, create: fail, resume: fail, pause: fail };
    await expect(runOn(line, answers)).rejects.toThrow(new UsageError(message));
  });
});
