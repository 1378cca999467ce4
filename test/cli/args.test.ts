import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Command, parseArgs } from '../../cli/args.ts';
import { parseCrawlConfig } from '../../cli/crawl-config.ts';
import { nameHere } from '../../cli/other-names.ts';
import { contactText, seedLines, seedUrl } from '../../cli/seeds.ts';
import { textOfBytes } from '../../cli/text-of-bytes.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { VERBS } from '../../cli/verbs.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { OPTIONS, optionsOf, parsed } from './commands.ts';

const SEED = 'https://example.org/';

/** A crawl of example.org with these options. */
function crawl(options: CrawlOptions, more: object = {}): object {
  return { verb: 'crawl', seeds: [SEED], options, workers: 1, json: false, quiet: false, ...more };
}

const RESUME = {
  verb: 'resume',
  crawl: 'crawls/a',
  limits: {},
  workers: 1,
  newUrlRules: false,
  trustSettings: false,
  json: false,
  quiet: false,
};

const rules = (
  trackingParameters: boolean,
  sessionParameters: boolean,
  sortQuery: boolean,
  indexPages: boolean,
) => ({ trackingParameters, sessionParameters, sortQuery, indexPages });

test.each(['utf8', 'utf16le', 'utf16be'] as const)(
  'files are read as their user saved them: %s',
  (encoding) => {
    const bytes = Buffer.from(
      '\ufeffhttp://a.example/\r\nbücher.example\r\n',
      encoding === 'utf8' ? encoding : 'utf16le',
    );
    expect(seedLines(textOfBytes(encoding === 'utf16be' ? bytes.swap16() : bytes), '-')).toEqual([
      'http://a.example/',
      'https://xn--bcher-kva.example/',
    ]);
  },
);

describe('a command line becomes a typed command', () => {
  const cases: [line: string, expected: object][] = [
    ['', { verb: 'help' }],
    ['--help', { verb: 'help' }],
    [
      'estimate 1e6 2,000 --delay 2 --even --page-size 50kB --json',
      {
        verb: 'estimate',
        pages: 1_000_000,
        hosts: 2000,
        options: { delayMs: 2000 },
        even: true,
        pageBytes: 50_000,
        json: true,
      },
    ],
    ['-h', { verb: 'help' }],
    ['help', { verb: 'help' }],
    ['help crawl', { verb: 'help', topic: 'crawl' }],
    ['--help export', { verb: 'help', topic: 'export' }],
    ['crawl --help', { verb: 'help', topic: 'crawl' }],
    ['crawl example.org --help-all', { verb: 'help', topic: 'crawl', all: true }],
    ['help crawl --all', { verb: 'help', topic: 'crawl', all: true }],
    ['resume crawls/a -h', { verb: 'help', topic: 'resume' }],
    ['--version', { verb: 'version' }],
    ['crawl example.org', crawl({})],
    ['crawl example.org --', crawl({})],
    [
      'crawl http://example.org/a b.example',
      crawl({}, { seeds: ['http://example.org/a', 'https://b.example/'] }),
    ],
    ['crawl --seeds seeds.txt', crawl({}, { seeds: [], seedsFile: 'seeds.txt' })],
    ['crawl --seeds -', crawl({}, { seeds: [], seedsFile: '-' })],
    ['crawl --seeds=-', crawl({}, { seeds: [], seedsFile: '-' })],
    [
      'crawl example.org --out crawls/a --json --quiet',
      crawl({}, { out: 'crawls/a', json: true, quiet: true }),
    ],
    ['crawl example.org --log-format json', crawl({}, { logFormat: 'json' })],
    ['crawl example.org --log-level debug', crawl({}, { logFormat: 'text', logLevel: 'debug' })],
    ['crawl --scope domain example.org', crawl({ scope: 'domain' })],
    ['crawl example.org --include a=b --include=^x', crawl({ include: ['a=b', '^x'] })],
    ['crawl example.org --exclude [?]', crawl({ exclude: ['[?]'] })],
    ['crawl example.org --max-pages=100 --max-depth 0', crawl({ maxPages: 100, maxDepth: 0 })],
    ['crawl example.org --max-pages 1 --max-pages 2', crawl({ maxPages: 2 })],
    ['crawl example.org --max-bytes 1500', crawl({ maxBytes: 1500 })],
    ['crawl example.org --max-bytes 500k', crawl({ maxBytes: 500_000 })],
    ['crawl example.org --max-bytes 10MB', crawl({ maxBytes: 10_000_000 })],
    ['crawl example.org --max-bytes 1.5gib', crawl({ maxBytes: 1_610_612_736 })],
    ['crawl example.org --max-time 90', crawl({ maxTimeMs: 90_000 })],
    ['crawl example.org --max-time 30s', crawl({ maxTimeMs: 30_000 })],
    ['crawl example.org --max-time 10m', crawl({ maxTimeMs: 600_000 })],
    ['crawl example.org --max-time 2h', crawl({ maxTimeMs: 7_200_000 })],
    ['crawl example.org --max-time 1d', crawl({ maxTimeMs: 86_400_000 })],
    ['crawl example.org --max-pages-per-host 5', crawl({ maxPagesPerHost: 5 })],
    ['crawl example.org --max-pages-per-template 5', crawl({ maxPagesPerTemplate: 5 })],
    ['crawl example.org --delay 1', crawl({ delayMs: 1000 })],
    ['crawl example.org --delay 0', crawl({ delayMs: 0 })],
    ['crawl example.org --delay 0.5', crawl({ delayMs: 500 })],
    ['crawl example.org --delay 500ms', crawl({ delayMs: 500 })],
    ['crawl example.org --delay=1m', crawl({ delayMs: 60_000 })],
    ['crawl example.org --adaptive', crawl({ adaptive: true })],
    ['crawl example.org --no-adaptive', crawl({ adaptive: false })],
    ['crawl example.org --domain-budget links', crawl({ domainBudget: 'links' })],
    ['crawl example.org --domain-budget links:20', crawl({ domainBudget: 'links:20' })],
    ['crawl example.org --domain-budget 20', crawl({ domainBudget: 20 })],
    ['crawl example.org --per-host 2 --hosts 500', crawl({ perHost: 2, hosts: 500 })],
    [
      'crawl example.org --user-agent Bot/1 --contact a@b.example',
      crawl({ userAgent: 'Bot/1', contact: 'a@b.example' }),
    ],
    ['crawl example.org --robots ignore', crawl({ robots: 'ignore' })],
    ['crawl --allow-private-addresses example.org', crawl({ allowPrivateAddresses: ['0.0.0.0/0', '::/0'] })],
    [
      'crawl --allow-private-addresses=127.0.0.0/8,::1 example.org --allow-private-addresses=10.0.0.1',
      crawl({ allowPrivateAddresses: ['127.0.0.0/8', '::1/128', '10.0.0.1/32'] }),
    ],
    ['crawl example.org --allow-port 25,6000 --allow-port=22', crawl({ allowPorts: [25, 6000, 22] })],
    ['crawl example.org --tls any', crawl({ tls: 'any' })],
    [
      'crawl example.org --from-folder Docs.Test:8080=../a=b',
      crawl({ fromFolder: [['docs.test:8080', '../a=b']] }),
    ],
    [
      'crawl example.org --resolve *.Test=127.0.0.1 --resolve=a.test=::1',
      crawl({
        resolve: [
          ['*.test', '127.0.0.1'],
          ['a.test', '::1'],
        ],
      }),
    ],
    [
      'crawl example.org --sitemaps find --sitemap https://example.org/a.xml --sitemap b.example/b.gz',
      crawl({ sitemaps: 'find', sitemapUrls: ['https://example.org/a.xml', 'https://b.example/b.gz'] }),
    ],
    ['crawl example.org --modified-since 2026-01-31', crawl({ modifiedSince: '2026-01-31' })],
    [
      'crawl example.org --modified-since 2026-01-31T12:00:00+01:00 --no-feeds',
      crawl({ modifiedSince: '2026-01-31T12:00:00+01:00', feeds: false }),
    ],
    ['crawl example.org --requisites --soft-404', crawl({ requisites: true, soft404: true })],
    [
      'crawl example.org --no-obey-nofollow --no-obey-noindex --no-obey-canonical',
      crawl({ obeyNofollow: false, obeyNoindex: false, obeyCanonical: false }),
    ],
    ['crawl example.org --no-revisits', crawl({ revisits: false })],
    ['crawl example.org --max-depth 9 --trap-after-pages 0', crawl({ maxDepth: 9, trapAfterPages: 0 })],
    [
      'crawl example.org --url-rules trackingParameters,sortQuery',
      crawl({ urlRules: rules(true, false, true, false) }),
    ],
    ['crawl example.org --url-rules none', crawl({ urlRules: rules(false, false, false, false) })],
    [
      'crawl example.org --workers 64 --dedupe-from crawls/old',
      crawl({}, { workers: 64, dedupeFrom: 'crawls/old' }),
    ],
    ['crawl example.org --cache crawls/old', crawl({}, { cache: 'crawls/old' })],
    ['resume crawls/a --cache crawls/old', { ...RESUME, cache: 'crawls/old' }],
    ['resume crawls/a --no-cache', { ...RESUME, cache: false }],
    ['resume crawls/a', RESUME],
    [
      'resume --json crawls/a --max-pages 7 --max-bytes 1k --max-time 1m --max-pages-per-host 9 --quiet',
      {
        ...RESUME,
        limits: { maxPages: 7, maxBytes: 1000, maxTimeMs: 60_000, maxPagesPerHost: 9 },
        json: true,
        quiet: true,
      },
    ],
    [
      'resume crawls/a --recrawl off --recrawl-budget 50',
      { ...RESUME, limits: { recrawl: 'off', recrawlPerDay: 50 } },
    ],
    ['resume crawls/a --every 7d', { ...RESUME, limits: { recrawlEveryMs: 604_800_000 } }],
    ['resume crawls/a --workers 2 --new-url-rules', { ...RESUME, workers: 2, newUrlRules: true }],
    ['resume -- --odd', { ...RESUME, crawl: '--odd' }],
    ['add crawls/a example.org', { verb: 'add', crawl: 'crawls/a', seeds: [SEED], json: false }],
    ['add crawls/a --seeds -', { verb: 'add', crawl: 'crawls/a', seeds: [], seedsFile: '-', json: false }],
    ['explain example.org', { verb: 'explain', url: SEED, options: {}, json: false }],
    [
      'explain --json --config my.ts example.org --scope page --max-pages-per-host 3',
      {
        verb: 'explain',
        url: SEED,
        config: 'my.ts',
        options: { scope: 'page', maxPagesPerHost: 3 },
        json: true,
      },
    ],
    [
      'explain crawls/a example.org',
      { verb: 'explain', crawl: 'crawls/a', url: SEED, options: {}, json: false },
    ],
    [
      'read example.org --contact me@example.org --json',
      { verb: 'read', url: SEED, options: { contact: 'me@example.org' }, json: true },
    ],
    ['shell example.org --eval url', { verb: 'shell', url: SEED, options: {}, evaluate: 'url', json: false }],
    ['shell crawls/a example.org', { verb: 'shell', crawl: 'crawls/a', url: SEED, options: {}, json: false }],
    ['serve crawls/a --port 0', { verb: 'serve', crawl: 'crawls/a', port: 0 }],
    ['init', { verb: 'init', folder: '.' }],
    ['init shop-items', { verb: 'init', template: 'shop-items', folder: 'shop-items' }],
    ['init shop-items my-shop', { verb: 'init', template: 'shop-items', folder: 'my-shop' }],
    ['completion zsh', { verb: 'completion', shell: 'zsh' }],
    [
      'report crawls/a --html r.html',
      { verb: 'report', crawl: 'crawls/a', html: 'r.html', broken: false, changes: false, json: false },
    ],
    [
      'warc check a.warc.gz crawls/a --json',
      { verb: 'warc', ask: { what: 'check', files: ['a.warc.gz', 'crawls/a'] }, json: true },
    ],
    [
      'warc cat a.warc.gz 12',
      { verb: 'warc', ask: { what: 'cat', file: 'a.warc.gz', offset: 12 }, json: false },
    ],
    ['status crawls/a --json', { verb: 'status', crawl: 'crawls/a', watch: false, json: true }],
    [
      'url crawls/a example.org/x',
      {
        verb: 'url',
        crawl: 'crawls/a',
        url: 'https://example.org/x',
        byHttp: 'http://example.org/x',
        json: false,
      },
    ],
    ['export crawls/a', { verb: 'export', crawl: 'crawls/a', format: 'jsonl', skipped: false, items: false }],
    [
      'export crawls/a --out urls.csv',
      { verb: 'export', crawl: 'crawls/a', format: 'csv', skipped: false, items: false, out: 'urls.csv' },
    ],
    [
      'export crawls/a --format csv',
      { verb: 'export', crawl: 'crawls/a', format: 'csv', skipped: false, items: false },
    ],
    [
      'export crawls/a --format jsonl --skipped --out a.jsonl',
      { verb: 'export', crawl: 'crawls/a', format: 'jsonl', skipped: true, items: false, out: 'a.jsonl' },
    ],
    [
      'export crawls/a --items --out a.csv',
      { verb: 'export', crawl: 'crawls/a', format: 'csv', skipped: false, items: true, out: 'a.csv' },
    ],
    [
      'export crawls/a --format wacz --out a.wacz',
      { verb: 'export', crawl: 'crawls/a', format: 'wacz', skipped: false, items: false, out: 'a.wacz' },
    ],
  ];
  test.each(cases)('%s', async (line, expected) => {
    expect(await parsed(line.split(' ').filter(Boolean))).toEqual(expected);
  });

  test('every crawl in the table makes a valid configuration', async () => {
    for (const [line] of cases) {
      const command = await parsed(line.split(' ').filter(Boolean));
      if (command.verb === 'crawl') expect(parseCrawlConfig(command.options)).toBeDefined();
    }
  });
});

describe('a command line that cannot be followed is refused with what was expected and what came', () => {
  const cases: [argv: string[], message: string][] = [
    [['crwal', 'a'], 'Unknown command "crwal"; did you mean crawl?'],
    [['frobnicate'], 'Unknown command "frobnicate"; strand help lists them'],
    [['toString'], 'Unknown command "toString"; strand help lists them'],
    [['help', 'statsu'], 'Unknown command "statsu"; did you mean status?'],
    [['example.org'], '"example.org" is no command; to crawl it: strand crawl URL'],
    [['--json', 'status'], 'Expected a command first (strand help lists them), got "--json"'],
    [['estimate', '100'], 'Expected strand estimate PAGES HOSTS, got "100"'],
    [['estimate', 'many', '2'], 'Expected PAGES to be a number such as 5000, 10k or 1e6, got "many"'],
    [['estimate', '0', '1'], 'Expected PAGES to be a number such as 5000, 10k or 1e6, got "0"'],
    [['estimate', '1e99', '1'], 'Expected PAGES to be a number such as 5000, 10k or 1e6, got "1e99"'],
    [['estimate', '5', '6'], 'Expected HOSTS to be at most PAGES, got 6 and 5'],
    [['crawl'], 'Expected a seed, got none: strand crawl https://example.org/, or --seeds FILE'],
    [['crawl', 'ftp://example.org/'], 'Expected an http or https URL, got "ftp://example.org/"'],
    [['crawl', 'a.example', '-'], 'Expected an http or https URL, got "-"'],
    [['crawl', 'a', '--max-page', '3'], 'Unknown option --max-page; did you mean --max-pages?'],
    [['crawl', 'a', '--max-page=3'], 'Unknown option --max-page; did you mean --max-pages?'],
    [['crawl', 'a', '--depth', '3'], 'Unknown option --depth; did you mean --max-depth?'],
    [['crawl', 'a', '--no-adaptiv'], 'Unknown option --no-adaptiv; did you mean --no-adaptive?'],
    [['crawl', 'a', '-quiet'], 'Unknown option -quiet; did you mean --quiet?'],
    [['crawl', 'a', '--zzzzzzzz'], 'Unknown option --zzzzzzzz; see strand help crawl'],
    [['crawl', 'a', '--x\x1b[2J'], 'Unknown option --x\ufffd[2J; see strand help crawl'],
    [
      ['resume', 'd', '--delay', '2'],
      'resume takes no --delay: a crawl keeps the settings that it began with, limits aside. Begin another one by crawl',
    ],
    [['status', 'd', '--quiet'], 'status takes no --quiet; it belongs to crawl, resume'],
    [['crawl', 'a', '--json=yes'], 'Expected --json without a value, got "yes"'],
    [['crawl', 'a', '--out'], 'Expected --out DIR, got nothing'],
    [['crawl', 'a', '--out='], 'Expected --out DIR, got nothing'],
    [['crawl', 'a', '--out', '--json'], 'Expected --out DIR, got "--json"'],
    [
      ['crawl', 'a', '--scope', 'hots'],
      'Expected --scope page|prefix|host|domain|any, got "hots"; did you mean host?',
    ],
    [
      ['crawl', 'a', '--scope', 'subdomains'],
      'Expected --scope page|prefix|host|domain|any, got "subdomains"',
    ],
    [
      ['crawl', 'a', '--robots', 'ingore'],
      'Expected --robots obey|ignore, got "ingore"; did you mean ignore?',
    ],
    [['crawl', 'a', '--max-pages', '-1'], 'Expected --max-pages N (a whole number), got "-1"'],
    [['crawl', 'a', '--max-pages', 'ten'], 'Expected --max-pages N (a whole number), got "ten"'],
    [['crawl', 'a', '--max-pages', '1.5'], 'Expected --max-pages N (a whole number), got "1.5"'],
    [
      ['crawl', 'a', '--max-bytes', '-1k'],
      'Expected --max-bytes SIZE (such as 500k, 10MB or 1GiB), got "-1k"',
    ],
    [
      ['crawl', 'a', '--max-bytes', '9999999P'],
      'Expected --max-bytes SIZE (such as 500k, 10MB or 1GiB), got "9999999P"',
    ],
    [
      ['crawl', 'a', '--delay', '-1'],
      'Expected --delay TIME (such as 90 (seconds), 500ms, 10m, 2h or 1d), got "-1"',
    ],
    [
      ['crawl', 'a', '--max-time', '2w'],
      'Expected --max-time TIME (such as 90 (seconds), 500ms, 10m, 2h or 1d), got "2w"',
    ],
    [['crawl', 'a', '--include', '('], 'Expected --include REGEX (a regular expression), got "("'],
    [
      ['crawl', 'a', '--resolve', '*.test'],
      'Expected --resolve PATTERN=ADDRESS (such as *.test=127.0.0.1), got "*.test"',
    ],
    [
      ['crawl', 'a', '--from-folder', 'https://a.test=public'],
      'Expected --from-folder HOST=FOLDER (such as example.org=./public), got "https://a.test=public"',
    ],
    [
      ['crawl', './public'],
      'Expected an http or https URL, got "./public": a file of seeds is given by --seeds FILE, the files of a site by https://example.org/ --from-folder example.org=FOLDER',
    ],
    [
      ['crawl', 'a', '--resolve', 'a=b'],
      'Expected --resolve PATTERN=ADDRESS (such as *.test=127.0.0.1), got "a=b"',
    ],
    [
      ['crawl', 'a', '--allow-private-addresses=10.0.0.0/33'],
      'Expected --allow-private-addresses CIDR,... (such as 127.0.0.0/8,::1/128), got "10.0.0.0/33"',
    ],
    [
      ['crawl', 'a', '--allow-private-addresses', '127.0.0.0/8'],
      'Expected --allow-private-addresses=127.0.0.0/8 (its value comes after =), got "--allow-private-addresses 127.0.0.0/8"',
    ],
    [['resume'], 'Expected strand resume DIR, got nothing; strand list shows the crawls'],
    [['status', 'a', 'b'], 'Expected strand status DIR, got "a" "b"'],
    [['url', 'a'], 'Expected strand url DIR URL, got "a"'],
    [
      ['export', 'a', '--format', 'cvs'],
      'Expected --format jsonl|csv|cdxj|wacz|documents|markdown|llms|mirror|parquet|wet|wat|graph, got "cvs"; did you mean csv?',
    ],
    [
      ['export', 'a', '--format', 'jsonl', '--tables', 'urls'],
      'Expected --format parquet with --tables, got "jsonl"',
    ],
    [
      ['export', 'a', '--format', 'parquet', '--out', 'x', '--tables', 'url'],
      'Expected --tables NAMES, got "url"; did you mean urls?',
    ],
    [
      ['export', 'a', '--format', 'markdown'],
      'Expected --out FOLDER with --format markdown: it writes several files',
    ],
    [
      ['export', 'a', '--format', 'csv', '--chunk', '500'],
      'Expected --format documents with --chunk, got "csv"',
    ],
    [
      ['export', 'a', '--format', 'documents', '--chunk', '5'],
      'Expected --chunk to be at least 20 tokens, got 5',
    ],
    [
      ['export', 'a', '--format', 'wacz'],
      'Expected --out FILE with --format wacz: it is one file, and not text',
    ],
    [
      ['export', 'a', '--format', 'cdxj', '--skipped'],
      'Expected --format jsonl|csv with --skipped, got "cdxj"',
    ],
    [['export', 'a', '--format', 'cdxj', '--items'], 'Expected --format jsonl|csv with --items, got "cdxj"'],
    [['export', 'a', '--items', '--skipped'], 'Expected --items or --skipped, got both'],
    [['resume', 'a', '--cache', 'b', '--no-cache'], 'Expected --cache or --no-cache, got both'],
    [['crawl', 'a', '--workers', '65'], 'Expected --workers N (a whole number from 1 to 64), got "65"'],
    [['crawl', 'a', '--workers', '0'], 'Expected --workers N (a whole number from 1 to 64), got "0"'],
    [
      ['crawl', 'a', '--modified-since', 'yesterday'],
      'Expected --modified-since DATE (such as 2026-01-31 or 2026-01-31T12:00:00Z), got "yesterday"',
    ],
    [
      ['crawl', 'a', '--url-rules', 'sortQuerry'],
      'Expected --url-rules RULE,...|none, got "sortQuerry"; did you mean sortQuery?',
    ],
    [['crawl', 'a', '--sitemap', 'ftp://a/'], 'Expected an http or https URL for --sitemap, got "ftp://a/"'],
    [['add', 'd'], 'Expected a seed, got none: strand add DIR https://example.org/, or --seeds FILE'],
    [['add'], 'Expected strand add DIR SEED..., got nothing; strand list shows the crawls'],
    [['explain'], 'Expected strand explain [DIR] URL, got nothing'],
    [
      ['explain', 'd', 'a', '--scope', 'any'],
      'explain takes --scope only without DIR: the crawl in "d" has its settings',
    ],
    [['warc', 'chek', 'f'], 'Expected strand warc check FILE... | cat FILE OFFSET, got "chek" "f"'],
    [
      ['warc', 'cat', 'f', '12', '--json'],
      'warc takes --json only with check: cat writes a record as it is stored',
    ],
    [['warc', 'check'], 'Expected strand warc check FILE... | cat FILE OFFSET, got "check"'],
    [['warc', 'cat', 'f', 'x'], 'Expected OFFSET to be a whole number of bytes, got "x"'],
  ];
  test.each(cases)('%j', async (argv, message) => {
    await expect(parsed(argv)).rejects.toThrow(new UsageError(message));
  });

  test('any option with one letter missing is unknown, and the option that was meant is named', async () => {
    const names = VERBS.flatMap((verb) => optionsOf(verb).map(({ name }) => ({ verb, name })));
    const isOneChanged = (a: string, b: string) =>
      a.length === b.length && Array.from(a).filter((letter, at) => letter !== b[at]).length === 1;
    const withoutOne = (name: string) => Array.from(name, (_, at) => name.slice(0, at) + name.slice(at + 1));
    for (const { verb, name } of names) {
      for (const wrong of withoutOne(name)) {
        // `--sitemaps` without its last letter is `--sitemap`.
        if (names.some((other) => other.name === wrong)) continue;
        // `--c` is what other crawlers call `--hosts`.
        if (nameHere(wrong) !== undefined) continue;
        // `--eeds` may be `--seeds` as well as `--feeds`.
        // `--domain-budges` is as near to `--domain-budget` as to `--domain-budgets`.
        const meant = optionsOf(verb).filter(
          ({ name }) => withoutOne(name).includes(wrong) || isOneChanged(name, wrong),
        );
        const said = new RegExp(`did you mean --(${meant.map((option) => option.name).join('|')})\\?`);
        await expect(parsed([verb, 'a', `--${wrong}`])).rejects.toThrow(said);
      }
    }
  });

  test('whatever the words, there is a command or a UsageError', async () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(...VERBS, ...OPTIONS.map(({ name }) => `--${name}`), '--', '-', '10', '1m'),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...VERBS), fc.array(word), async (verb, words) => {
        try {
          expect(await parsed([verb, ...words])).toHaveProperty('verb');
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as Error).message).not.toContain('\n');
        }
      }),
    );
  });
});

describe('a seed', () => {
  test.each([
    ['example.org', 'https://example.org/'],
    ['example.org/a?b', 'https://example.org/a?b'],
    ['example.org:8080/a', 'https://example.org:8080/a'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['127.0.0.1:9000/a', 'http://127.0.0.1:9000/a'],
    ['192.168.0.1', 'http://192.168.0.1/'],
    ['intranet/x', 'http://intranet/x'],
    ['app.localhost', 'http://app.localhost/'],
    ['localhost:8443', 'https://localhost:8443/'],
    ['example.org:8080', 'https://example.org:8080/'],
    ['//example.org/a', 'https://example.org/a'],
    ['[::1]:80/', 'http://[::1]/'],
    ['https://localhost/', 'https://localhost/'],
    ['HTTP://EXAMPLE.org', 'http://example.org/'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
  ])('%s is taken as %s', (text, url) => {
    expect(seedUrl(text)).toBe(url);
  });

  test.each([
    '',
    ' ',
    '/a',
    './a',
    '../a',
    '-x',
    '?q',
    '#f',
    'mailto:a@b.example',
    'file:///a',
    'javascript:x',
    'a b',
    'http://',
  ])('%j is none', (text) => {
    expect(() => seedUrl(text)).toThrow(UsageError);
  });

  test('in a file stands on a line of its own, among comments and empty lines, with any line ends', () => {
    const content = '\ufeff# ours\r\n\r\n example.org \nhttp://b.example/#x\r#c';
    expect(seedLines(content, 'seeds.txt')).toEqual(['https://example.org/', 'http://b.example/#x']);
  });

  test('that is none is named with its file and line', () => {
    const byNul = seedLines('example.org\0http://b.example/\0', 'seeds.txt');
    expect(byNul).toEqual(['https://example.org/', 'http://b.example/']);
    for (const line of [
      '1,example.org',
      '"example.org"',
      "'example.org'",
      '"http://example.org/"',
      'rank;url',
    ])
      expect(() => seedLines(`example.org\n${line}`, 'seeds.csv'), line).toThrow('in seeds.csv, line 2');
    expect(seedLines('bücher.example\nhttp://a,b.example/x\n[::1]/', 'seeds.txt')).toEqual([
      'https://xn--bcher-kva.example/',
      'http://a,b.example/x',
      'http://[::1]/',
    ]);
    expect(() => seedLines('example.org\nftp://x/', 'seeds.txt')).toThrow(
      'Expected an http or https URL in seeds.txt, line 2, got "ftp://x/"',
    );
    expect(() => seedLines('a b\n\nexample.org\nc d\ne f', 'seeds.txt')).toThrow(
      'Expected an http or https URL in seeds.txt, line 1, got "a b"; no URLs either: lines 4, 5',
    );
  });
});

test('the message for a missing contact says how to name one, that for a useless contact names it', () => {
  expect(contactText({ fault: 'missing' })).toMatch(/add --contact https:.* or --contact me@example.org/);
  expect(contactText({ fault: 'unreadable', contact: 'none' })).toBe(
    'Expected --contact to be a URL or a mail address, got "none"',
  );
});

test.each<[line: string, now: string, note: string]>([
  ['watch crawls/a --json', 'status crawls/a --watch --json', 'watch is status --watch now'],
  ['--stack S watch a', '--stack S status a --watch', 'watch is status --watch now'],
  ['--stack S exports a', '--stack S export a --list', 'exports is export --list now'],
  ['--stack S exports a b --json', '--stack S export a b --list --json', 'exports is export --list now'],
  ['crawl a.example --save m', 'crawl a.example --mirror m', '--save FOLDER is --mirror FOLDER now'],
  ['resume crawls/a --save=m', 'resume crawls/a --mirror=m', '--save FOLDER is --mirror FOLDER now'],
])('%s is the same as %s, and says so', async (line, now, note) => {
  expect(await parseArgs(line.split(' '))).toEqual({
    ...((await parseArgs(now.split(' '))) as Command),
    note,
  });
});

test('the page of an old word is that of the new one', async () => {
  expect(await parsed(['help', 'watch'])).toMatchObject({ topic: 'status' });
  expect(await parsed(['exports', '--help'])).toMatchObject({ topic: 'export' });
});
