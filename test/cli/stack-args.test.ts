import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../cli/usage-error.ts';
import { STACK_VERBS, VERBS } from '../../cli/verbs.ts';
import { optionsOf, parsed } from './commands.ts';

const words = (line: string) => line.split(' ').filter(Boolean);
const SEED = 'https://example.org/';

describe('a command line with --stack becomes a command for that stack', () => {
  const cases: [line: string, expected: object][] = [
    ['--stack S crawl example.org', { verb: 'crawl', seeds: [SEED], options: {}, watch: false }],
    [
      '--stack S crawl example.org --name news --max-cost 2.5 --watch --config my.ts --scope any',
      {
        verb: 'crawl',
        seeds: [SEED],
        name: 'news',
        options: { maxCost: 2.5, scope: 'any' },
        config: 'my.ts',
        watch: true,
      },
    ],
    [
      '--stack S crawl example.org --sitemaps off --requisites --no-revisits --url-rules none',
      {
        verb: 'crawl',
        seeds: [SEED],
        options: {
          sitemaps: 'off',
          requisites: true,
          revisits: false,
          urlRules: {
            trackingParameters: false,
            sessionParameters: false,
            sortQuery: false,
            indexPages: false,
          },
        },
        watch: false,
      },
    ],
    ['--stack S crawl --seeds -', { verb: 'crawl', seeds: [], seedsFile: '-', options: {}, watch: false }],
    ['--stack S add news example.org', { verb: 'add', crawl: 'news', seeds: [SEED] }],
    ['--stack S add news --seeds a.txt', { verb: 'add', crawl: 'news', seeds: [], seedsFile: 'a.txt' }],
    ['--stack S status news', { verb: 'status', crawl: 'news', watch: false }],
    ['--stack S watch news', { verb: 'status', crawl: 'news', watch: true }],
    ['--stack S pause news', { verb: 'pause', crawl: 'news' }],
    ['--stack S stop news', { verb: 'stop', crawl: 'news' }],
    ['--stack S delete news', { verb: 'delete', crawl: 'news', archive: false, yes: false, watch: false }],
    [
      '--stack S delete news --archive --yes --watch',
      { verb: 'delete', crawl: 'news', archive: true, yes: true, watch: true },
    ],
    [
      '--stack S crawl example.org --dedupe-from old',
      { verb: 'crawl', seeds: [SEED], dedupeFrom: 'old', options: {}, watch: false },
    ],
    [
      '--stack S resume news',
      { verb: 'resume', crawl: 'news', limits: {}, newUrlRules: false, watch: false },
    ],
    [
      '--stack S resume news --new-url-rules',
      { verb: 'resume', crawl: 'news', limits: {}, newUrlRules: true, watch: false },
    ],
    [
      '--stack S resume news --max-cost 20 --max-pages 7 --watch',
      {
        verb: 'resume',
        crawl: 'news',
        limits: { maxCost: 20, maxPages: 7 },
        newUrlRules: false,
        watch: true,
      },
    ],
    ['--stack S push crawls/a', { verb: 'push', trustSettings: false, dir: 'crawls/a' }],
    [
      '--stack S push crawls/a --name news',
      { verb: 'push', trustSettings: false, dir: 'crawls/a', name: 'news' },
    ],
    ['--stack S pull news crawls/a', { verb: 'pull', crawl: 'news', dir: 'crawls/a' }],
    ['--stack S list', { verb: 'list' }],
    ['--stack S hosts news', { verb: 'hosts', crawl: 'news', domains: false }],
    [
      '--stack S hosts news Example.org',
      { verb: 'hosts', crawl: 'news', domains: false, host: 'example.org' },
    ],
    [
      '--stack S hosts news --limit 5 --cursor abc',
      { verb: 'hosts', crawl: 'news', domains: false, limit: 5, cursor: 'abc' },
    ],
    [
      '--stack S url news example.org',
      { verb: 'url', crawl: 'news', url: SEED, byHttp: 'http://example.org/' },
    ],
    ['--stack S explain news example.org', { verb: 'explain', crawl: 'news', options: {}, url: SEED }],
    ['--stack S report news --broken', { verb: 'report', crawl: 'news', broken: true, changes: false }],
    [
      '--stack S report news --html r.html',
      { verb: 'report', crawl: 'news', broken: false, changes: false, html: 'r.html' },
    ],
    [
      '--stack S export news --out news.wacz',
      { verb: 'export', crawl: 'news', format: 'wacz', skipped: false, items: false, out: 'news.wacz' },
    ],
    [
      '--stack S export news --format documents --chunk 500',
      { verb: 'export', crawl: 'news', format: 'documents', skipped: false, items: false, chunkTokens: 500 },
    ],
    ['--stack S warc check news', { verb: 'warc', crawl: 'news', ask: { what: 'check', files: [] } }],
    [
      '--stack S warc cat news a.warc.gz 12',
      { verb: 'warc', crawl: 'news', ask: { what: 'cat', file: 'a.warc.gz', offset: 12 } },
    ],
    [
      '--stack S export news',
      { verb: 'export', crawl: 'news', format: 'jsonl', skipped: false, items: false },
    ],
    [
      '--stack S export news --format csv --items',
      { verb: 'export', crawl: 'news', format: 'csv', skipped: false, items: true },
    ],
  ];
  test.each(cases)('%s', async (line, expected) => {
    expect(await parsed(words(line))).toEqual({ stack: 'S', json: false, ...expected });
  });

  test.each([
    ['', 'jsonl'],
    ['--format csv', 'csv'],
    ['--items', 'items'],
    ['--items --format csv', 'itemsCsv'],
    ['--skipped', 'skipped'],
    ['--skipped --format csv', 'skippedCsv'],
    ['--format markdown', 'markdown'],
    ['--format wacz', 'wacz'],
    ['--format graph', 'graph'],
  ])('export --in-cloud %s needs no --out, and asks for %s', async (options, inCloud) => {
    expect(await parsed(words(`--stack S export news --in-cloud ${options}`))).toMatchObject({ inCloud });
  });

  test('the stack and its region may stand before the verb or after it, in any order and form', async () => {
    const expected = {
      verb: 'status',
      crawl: 'news',
      watch: false,
      stack: 'S',
      region: 'eu-west-1',
      json: true,
    };
    for (const line of [
      '--stack S --region eu-west-1 status news --json',
      '--region=eu-west-1 --stack=S status news --json',
      'status news --json --stack S --region eu-west-1',
      '--stack S status --region eu-west-1 --json news',
    ])
      expect(await parsed(words(line))).toEqual(expected);
  });

  test.each([
    ['--stack S --help', undefined],
    ['--stack S help', undefined],
    ['--stack S help hosts', 'hosts'],
    ['--stack S hosts --help', 'hosts'],
    ['hosts --help', 'hosts'],
  ])('%s asks for help', async (line, topic) => {
    expect(await parsed(words(line))).toEqual({ verb: 'help', topic });
  });
});

describe('what has no meaning there is refused by name, with the reason', () => {
  test.each([
    [
      '--stack S crawl a --out d',
      'crawl takes no --out with --stack: a stack keeps its crawls in its own tables and bucket',
    ],
    [
      '--stack S crawl a --hosts 5',
      'crawl takes no --hosts with --stack: the deployment sets how many hosts a worker of a stack serves (hostsPerWorker)',
    ],
    [
      '--stack S resume news --quiet',
      'resume takes no --quiet with --stack: a crawl there shows no progress line without --watch',
    ],
    [
      '--stack S resume news --config f.ts',
      'resume takes no --config with --stack: a stack uses the project file that was deployed with it',
    ],
    [
      'crawl a --max-cost 5',
      'crawl takes --max-cost only with --stack NAME: one machine costs nothing per request',
    ],
    [
      'resume d --max-cost 5',
      'resume takes --max-cost only with --stack NAME: one machine costs nothing per request',
    ],
    [
      'crawl a --name news',
      'crawl takes --name only with --stack NAME: a crawl on one machine is named by its folder: --out DIR',
    ],
    [
      'crawl a --watch',
      'crawl takes --watch only with --stack NAME: a crawl on one machine shows its progress by itself',
    ],
    [
      'status d --region r',
      'status takes --region only with --stack NAME: there is no region on one machine',
    ],
    [
      '--stack S status news --max-pages 3',
      'status takes no --max-pages; it belongs to crawl, resume, explain, mcp',
    ],
    [
      '--stack S crawl a --workers 2',
      'crawl takes no --workers with --stack: a stack starts workers by itself',
    ],
    [
      '--stack S crawl a --cache d',
      'crawl takes no --cache with --stack: the folder of an earlier crawl is on this machine, where a stack cannot read it',
    ],
    [
      '--stack S crawl a --dedupe-from crawls/d',
      'Expected the name of a crawl (letters, digits, ., _ and -; 64 at most), got "crawls/d"; all of a stack: strand --stack NAME list',
    ],
    ['--stack S export news --skipped --items', 'Expected --items or --skipped, got both'],
    [
      '--stack S export news --format wacz',
      'Expected --out FILE with --format wacz: it is one file, and not text',
    ],
    ['--stack S export news --in-cloud --skipped --items', 'Expected --items or --skipped, got both'],
    [
      '--stack S export news --in-cloud --format wet --items',
      'Expected --format jsonl|csv with --items, got "wet"',
    ],
    ['--stack S export news --format cdxj --items', 'Expected --format jsonl|csv with --items, got "cdxj"'],
    [
      '--stack S export news --format markdown',
      'Expected --out FOLDER with --format markdown: it writes several files',
    ],
    ['--stack S warc news', 'Expected strand warc check CRAWL [FILE...] | cat CRAWL FILE OFFSET, got "news"'],
    ['--stack S warc cat news a.warc.gz x', 'Expected OFFSET to be a whole number of bytes, got "x"'],
    ['--stack S report news --broken --html a', 'Expected --html or --broken, got both'],
    [
      '--stack S export news --format mirror',
      'Expected --out FOLDER with --format mirror: it writes several files',
    ],
    ['--stack S search news', 'Expected strand search CRAWL WORDS..., got "news"'],
    [
      '--stack S serve news',
      'serve is for crawls on this machine: strand serve ...; on a stack there are crawl, resume, add, pause, stop, delete, status, list, hosts, accounts, report, url, explain, inlinks, search, duplicates, mcp, export, send, warc, changes, history, diff, push, pull, identity',
    ],
    ['--stack S list --limit 3', 'list takes no --limit; it belongs to hosts, search, duplicates, map'],
  ])('%s', async (line, message) => {
    await expect(parsed(words(line))).rejects.toThrow(new UsageError(message));
  });

  test.each([
    ['--stack S', 'Expected strand --stack NAME COMMAND, got "--stack" "S"'],
    ['--stack', 'Expected strand --stack NAME COMMAND, got "--stack"'],
    ['status news --stack', 'Expected --stack NAME, got nothing'],
    [
      '--stack a//b status news',
      'Expected --stack NAME (a letter, then letters, digits and -), --stack STACK/CONSTRUCT or --stack /PARAMETER, got "a//b"',
    ],
    [
      '--stack S status crawls/news',
      'Expected the name of a crawl (letters, digits, ., _ and -; 64 at most), got "crawls/news"; all of a stack: strand --stack NAME list',
    ],
    ['--stack S status', 'Expected strand status CRAWL, got nothing'],
    ['--stack S list news other', 'Expected strand list [PREFIX], got "news" "other"'],
    ['--stack S add', 'Expected strand add CRAWL SEED..., got nothing'],
    [
      '--stack S add news',
      'Expected a seed, got none: strand --stack NAME add CRAWL https://example.org/, or --seeds FILE',
    ],
    ['--stack S crawl a --max-cost 0', 'Expected --max-cost USD (such as 5 or 0.50), got "0"'],
    ['--stack S crawl a --max-cost $5', 'Expected --max-cost USD (such as 5 or 0.50), got "$5"'],
    [
      '--stack S hosts news a.example --limit 2',
      'Expected --limit and --cursor without a host: one host has one answer',
    ],
  ])('%s', async (line, message) => {
    await expect(parsed(words(line))).rejects.toThrow(new UsageError(message));
  });

  test('whatever the words, there is a command for the stack, help, or a UsageError of one line', async () => {
    const names = STACK_VERBS.flatMap((verb) => optionsOf(verb).map(({ name }) => `--${name}`));
    const word = fc.oneof(fc.string(), fc.constantFrom(...VERBS, ...names, '--', '-h', '10', 'news', SEED));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...VERBS), fc.array(word), async (verb, more) => {
        try {
          const command = await parsed(['--stack', 'S', verb, ...more]);
          expect('stack' in command || command.verb === 'help').toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as Error).message).not.toContain('\n');
        }
      }),
    );
  });
});
