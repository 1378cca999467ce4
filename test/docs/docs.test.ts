import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../cdk/options.ts';
import { FUNCTIONS } from '../../cdk/permissions.ts';
import { STACK_OPTION_LIST } from '../../cdk/stack-options.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { optionRows } from '../../cli/verb-page.ts';
import { STACK_VERBS, TABLE } from '../../cli/verbs.ts';
import { TROUBLES } from '../../functions/attention.ts';
import { encodeMetadata } from '../../shared/core/archive/metadata.ts';
import { STATUS_CODES } from '../../shared/core/causes/status-reason.ts';
import { type CrawlOptions, parseConfig } from '../../shared/core/crawl/config.ts';
import { OVERRIDE_KEYS, OVERRIDE_SETTINGS } from '../../shared/core/crawl/settings/override-settings.ts';
import { SETTING_LIST, SETTINGS } from '../../shared/core/crawl/settings/settings.ts';
import type { LinkSkip } from '../../shared/core/crawl/skip-reason.ts';
import { URL_STATES } from '../../shared/core/frontier/url-record.ts';
import { FAILURE_CODES, mostTriesOf, reasonOf } from '../../shared/core/outcome/failure-codes.ts';
import { LINE_ITEMS, priceOf } from '../../shared/engines/aws/cost/prices.ts';
import { parseLinkText } from '../../shared/engines/aws/queues/link-message.ts';
import { timesOf } from '../../shared/engines/aws/settings.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { contactFault } from '../../shared/services/begin/contact-fault.ts';
import { ROUTES } from '../../shared/services/http-api/route-table.ts';
import type { StrandConfig } from '../../shared/services/project/project.ts';
import { type Project, readProject } from '../../shared/services/project/project-file.ts';
import { SUMMARY_KEYS } from '../../shared/services/report/summary.ts';
import { URL_ROW_COLUMNS } from '../../shared/services/report/url-line.ts';
import { readCommand } from '../../simulation/command/options.ts';
import { GROUPS } from '../../simulation/mutants/operators/operator.ts';
import { readOptions as readMutantsOptions } from '../../simulation/mutants/options.ts';
import { EXCUSES } from '../../simulation/worlds/spec.ts';
import { synthesized } from '../cdk/synthesized.ts';
import { FILES, parsed } from '../cli/commands.ts';
import { RECORDS } from '../core/archive/captures.ts';
import { KINDS } from '../faults/kinds.ts';
import { readOptions as readFaultsOptions } from '../faults/options.ts';
import { SCENARIOS } from '../faults/scenarios.ts';
import { expectTable } from './generated.ts';
import { optionRow, optionsOf, settingRow } from './setting-rows.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The project's Markdown files, relative to its root. */
function markdownFiles(): string[] {
  const inRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  return [...inRoot, ...inDocs];
}

/** Folders below `folder`, at any depth, as `shared/engines/local/`. */
function foldersBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'test')
    .flatMap(({ name }) => [`${folder}${name}/`, ...foldersBelow(`${folder}${name}/`)]);
}

/** Returns the text under a heading, up to the next one of its level or a higher one. */
function section(text: string, heading: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^#{2,} /.test(line) && line.replace(/^#+ /, '') === heading);
  if (at < 0) throw new Error(`There is no section "${heading}"`);
  const level = (lines[at] as string).indexOf(' ');
  const ends = (line: string) => /^#{2,} /.test(line) && line.indexOf(' ') <= level;
  const length = lines.slice(at + 1).findIndex(ends);
  return lines.slice(at + 1, length < 0 ? undefined : at + 1 + length).join('\n');
}

/** The cells of a section's table, without heading and rule. */
function rows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The blocks of code of a language. */
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code]) => code as string,
  );

/** Documents of users and developers, and those of examples. */
const COMMANDS_IN = [...markdownFiles(), ...globSync('examples/*/README.md', { cwd: ROOT })].filter(
  (path) => path !== 'CHANGELOG.md' && !path.startsWith('docs/decisions/'),
);

/** The words of a line as the shell reads them, without what follows the command: a comment, a redirection or a pipe. */
const shellWords = (line: string): string[] =>
  (line.replace(/\s+[#>|] .*$/, '').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );

/** The words of each command of the documents that begins so. */
const commands = (begin: RegExp): string[][] =>
  COMMANDS_IN.flatMap((path) =>
    blocks(read(path), 'sh')
      .flatMap((code) => code.split('\n'))
      .filter((line) => begin.test(line))
      .map((line) => shellWords(line.replace(begin, ''))),
  );

/** Returns the fragments by which headings are linked. */
const anchors = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

const code = (text: string) => `\`${text}\``;

/** A project's file of a document, as the program reads it. */
async function projectOf(snippet: string): Promise<Project> {
  // Within the project, where the packages that it imports are found; not in `node_modules`, where Node takes no TypeScript.
  mkdirSync(join(ROOT, 'crawls'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'crawls/docs-'));
  try {
    const module = join(ROOT, JSON.parse(read('package.json')).exports['.']);
    const text = snippet.replace("'strand-crawler'", JSON.stringify(module));
    writeFileSync(join(folder, 'strand.config.ts'), text);
    return await readProject(undefined, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All there are, by the type checker, in the order of the document. */
const LINK_SKIPS = {
  scope: 0,
  domain: 0,
  include: 0,
  exclude: 0,
  depth: 0,
  urlLength: 0,
  port: 0,
  pathDepth: 0,
  repeatedSegments: 0,
  queryParameters: 0,
  repeatedEscapes: 0,
  trap: 0,
  nofollow: 0,
  listingOrder: 0,
  nearDuplicate: 0,
  notModified: 0,
  pagesPerHost: 0,
  pagesPerTemplate: 0,
  hostsPerDomain: 0,
  badUrl: 0,
  redirects: 0,
  hashRoute: 0,
  linksPerPage: 0,
  requisiteHops: 0,
  sitemapNesting: 0,
  sitemapsPerHost: 0,
} satisfies Record<LinkSkip, 0>;

const PROJECT_KEYS = {
  crawl: 0,
  accounts: 0,
  middleware: 0,
  extraction: 0,
  modules: 0,
  onPage: 0,
  router: 0,
  itemSchema: 0,
  onError: 0,
  challenge: 0,
  onChallenge: 0,
  behave: 0,
  onFinish: 0,
  webhook: 0,
  aws: 0,
} satisfies Record<keyof StrandConfig, 0>;

describe('docs/cli.md', () => {
  const cli = read('docs/cli.md');

  test('has the options of `crawl` that are no settings', () => {
    const settings = new Set(SETTING_LIST.flatMap(optionsOf));
    const [names, ...all] = optionRows(TABLE.crawl, FILES.crawl);
    const made = all.filter(([usage = '']) => !settings.has(usage));
    expect(all.length - made.length).toBe(settings.size);
    expectTable('docs/cli.md', '## Options of `crawl`', [names!, ...made]);
  });

  test('names each exit code as the program does', () => {
    const named = rows(section(cli, 'Exit codes')).map(([code, name]) => [name, Number(code)]);
    expect(named).toEqual(Object.entries(exitCodes).map(([name, code]) => [`\`${name}\``, code]));
  });

  test('explains each status of a URL', () => {
    const explained = rows(section(cli, 'Status of a URL')).map(([status]) => status);
    expect(explained).toEqual(URL_STATES.map((status) => `\`${status}\``));
  });

  test('names the columns of an export in their order', () => {
    const list = cli.replaceAll('\n', ' ').match(/`export` writes a row .*?Other formats:/)?.[0] ?? '';
    const names = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name).slice(1);
    expect(names).toEqual(URL_ROW_COLUMNS);
  });

  test('names the keys of a summary in their order', () => {
    const list = cli.replaceAll('\n', ' ').match(/The summary's keys are .*? and `accounts`/)?.[0] ?? '';
    expect([...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(SUMMARY_KEYS);
  });

  test('names each reason of a state', () => {
    const list = cli.replaceAll('\n', ' ').match(/`reasonCode` is the reason .*?For `recrawl`/)?.[0] ?? '';
    expect(STATUS_CODES.filter((code) => !list.includes(`\`${code}\``))).toEqual([]);
  });
});

describe('the README', () => {
  const readme = read('README.md');

  test('is short enough to be read to its end', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(6 * 1024);
  });

  test('has a strand.config.ts of few lines', async () => {
    const [snippet = ''] = blocks(section(readme, 'Items'), 'ts');
    expect((await projectOf(snippet)).onPage).toBeTypeOf('function');
    expect(snippet.trim().split('\n').length).toBeLessThanOrEqual(6);
  });

  test('names npm run strand in CONTRIBUTING.md alone', () => {
    const files = markdownFiles().filter((file) => file !== 'CONTRIBUTING.md' && !file.includes('decisions'));
    expect(files.filter((file) => /npm run (?:-s )?strand/.test(read(file)))).toEqual([]);
  });
});

describe('docs/README.md', () => {
  test('names each document', () => {
    const index = read('docs/README.md');
    const files = markdownFiles().filter((file) => /^docs[\\/][a-z-]+\.md$/.test(file));
    expect(files.map((file) => file.slice(5)).filter((file) => !index.includes(`](${file})`))).toEqual([]);
  });
});

describe('docs/local.md', () => {
  const local = read('docs/local.md');

  test('has each URL rule with its default', () => {
    const defaults = parseConfig({}).urlRules;
    const expected = Object.entries(defaults).map(([name, isOn]) => [code(name), isOn ? 'on' : 'off']);
    expect(rows(section(local, 'URL rules')).map(([name, , preset]) => [name, preset])).toEqual(expected);
  });

  test('say which failures a fetch may have, each with its reason, and which last', () => {
    const named = rows(section(local, 'Failed fetches')).map(([code, reason, , forGood]) => [
      code,
      reason,
      forGood === 'yes',
    ]);
    expect(named).toEqual(
      FAILURE_CODES.map((code) => [
        `\`${code}\``,
        `\`${reasonOf(code)}\``,
        mostTriesOf({ code }) !== undefined,
      ]),
    );
  });

  test('has each reason for which a link is left out', () => {
    const named = rows(section(local, 'Links left out')).map(([reason]) => reason);
    expect(named).toEqual([...Object.keys(LINK_SKIPS), 'sitemapFault'].map(code));
  });

  test('has all that a crawl folder holds', () => {
    const named = section(local, 'The folder');
    for (const path of Object.values(foldersOf(''))) expect(named).toContain(`\`${path}`);
  });

  test('has each field of a metadata record', () => {
    const NOAI = { signal: 'robots', source: 'html', value: 'noai' } as const;
    const facts = {
      concurrentTo: '',
      url: '',
      date: '',
      fetchTimeMs: 0,
      title: 't',
      charset: 'c',
      links: [],
    };
    const records = [
      { ...facts, hopsFromSeed: 0, tlsError: 'e', copiedFrom: '<urn:uuid:x>', usage: [NOAI] },
      { ...facts, hopsFromSeed: 1, via: 'v', droppedLinks: 1, dropCause: 'd' },
    ].map((given) => gunzipSync(Buffer.concat(encodeMetadata(given, RECORDS))).toString());
    const fields = records.flatMap((text) =>
      [...text.matchAll(/^([a-z][\w-]+): /gm)].map(([, name]) => name),
    );
    const named = rows(section(local, 'Metadata')).map(([name = '']) => name.replaceAll('`', ''));
    expect(named.sort()).toEqual([...new Set(fields)].sort());
  });
});

describe('docs/project-file.md', () => {
  const text = read('docs/project-file.md');

  test('has a file that both places can read', async () => {
    const [snippet = ''] = blocks(section(text, 'One file for both places'), 'ts');
    const { crawl, middleware, onPage, aws } = await projectOf(snippet);
    expect(parseConfig(crawl).contact).toBe('https://example.org/our-crawler');
    expect(parseOptions(aws).stackName).toBe('News');
    expect(middleware).toHaveLength(1);
    expect(onPage).toBeTypeOf('function');
  });

  test('has each key of the file', () => {
    const named = rows(section(text, 'Keys')).map(([key]) => key);
    expect(named).toEqual(Object.keys(PROJECT_KEYS).map(code));
  });

  test('has each setting of a crawl with its default and its option', () => {
    const names = ['key', 'is', 'default', 'option'];
    const made = SETTING_LIST.map((entry) => settingRow('project-file.md', entry));
    expectTable('docs/project-file.md', '## Settings of a crawl', [names, ...made]);
  });

  test('has each setting that an override may have', () => {
    const named = [...(/an override may set (.*)/.exec(text)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(
      ([, key]) => key,
    );
    const own = OVERRIDE_KEYS.filter((key) => !Object.hasOwn(SETTINGS, key));
    expect(named).toEqual(OVERRIDE_KEYS.filter((key) => Object.hasOwn(SETTINGS, key)));
    const made = own.map((key) => settingRow('project-file.md', [key, OVERRIDE_SETTINGS[key]]).slice(0, 2));
    expectTable('docs/project-file.md', '## Overrides', [['key', 'is'], ...made]);
  });

  test('names the settings that resume may change', () => {
    const named = [...(/`resume` takes (.*?);/.exec(text)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(
      ([, key]) => key,
    );
    expect(named).toEqual(SETTING_LIST.flatMap(([key, { resume }]) => (resume ? [key] : [])));
  });

  test.each(blocks(text, 'ts').map((snippet) => [snippet.split('\n').length, snippet] as const))(
    'has project files that are right: the one of %i lines',
    async (_, snippet) => {
      const { crawl } = await projectOf(snippet);
      expect(parseConfig(crawl)).toBeDefined();
    },
  );
});

describe('docs/aws.md', () => {
  const aws = read('docs/aws.md');

  test('has each option of a stack with its default', () => {
    const made = STACK_OPTION_LIST.map((entry) => optionRow('aws.md', entry));
    expectTable('docs/aws.md', '### Options', [['option', 'is', 'default'], ...made]);
  });

  test('has each route of the API', () => {
    const named = rows(section(aws, 'API')).map(([route]) => route);
    expect(named).toEqual(ROUTES.map(({ method, path }) => code(`${method} ${path}`)));
  });

  test('has each verb for a stack', () => {
    const operate = section(aws, 'Operate');
    expect(STACK_VERBS.filter((verb) => !new RegExp(`\`${verb}[ \`]`).test(operate))).toEqual([]);
  });

  test('has each alarm, and each trouble that one of them is for', () => {
    const ids = Object.keys(synthesized().resources('AWS::CloudWatch::Alarm'));
    const names = ids.map((id) => id.replace(/^Alarms/, '').replace(/[0-9A-F]{8}$/, ''));
    const [alarms = ''] = section(aws, 'Watching').split('### Troubles');
    const named = (text: string) => rows(text).map(([name = '']) => name.match(/\w+/)?.[0]);
    expect(named(alarms).sort()).toEqual(names.sort());
    expect(named(section(aws, 'Troubles'))).toEqual(Object.keys(TROUBLES));
    expect(rows(section(aws, 'What the stack contains')).join()).toContain(`${ids.length} alarms`);
  });

  test('has each line item of a bill, and the date of the prices', () => {
    const metered = section(aws, 'What is metered');
    const named = rows(metered).flatMap(([items = '']) => items.split(', '));
    expect(named).toEqual(LINE_ITEMS.map(code));
    expect(metered).toContain(priceOf('us-east-1').asOf);
  });

  test('has the times that follow from the default', () => {
    const workerTimeoutMs = parseOptions({}).workerTimeout * 1000;
    const { leaseMs, maxTotalTimeoutMs, maxDocumentMs, receiveMs } = timesOf({ workerTimeoutMs });
    const expected = [leaseMs, maxTotalTimeoutMs, maxDocumentMs, receiveMs].map((ms) => `${ms / 1000} s`);
    expect(rows(section(aws, 'Times')).map(([, , time]) => time)).toEqual(expected);
  });

  test('has messages of seeds that are understood', () => {
    const messages = (blocks(section(aws, 'Seeds'), 'text')[0] ?? '').trim().split('\n');
    expect(messages.map((message) => parseLinkText(message).kind)).toEqual(messages.map(() => 'seeds'));
    expect(messages.length).toBe(4);
  });
});

describe('docs/simulation.md', () => {
  const simulation = read('docs/simulation.md');

  test('has each excuse with its share', () => {
    const named = rows(section(simulation, 'Excuses'));
    const percent = (share: number) => `${Number((100 * share).toPrecision(3))} %`;
    const expected = Object.entries(EXCUSES).map(([name, { what, maxShare }]) => [
      code(name),
      what,
      percent(maxShare),
    ]);
    expect(named).toEqual(expected);
  });
});

describe('docs/mutants.md', () => {
  test('has each kind of bug', () => {
    const expected = Object.entries(GROUPS).map(([name, what]) => [code(name), what]);
    expect(rows(section(read('docs/mutants.md'), 'Kinds of bugs'))).toEqual(expected);
  });
});

describe('docs/faults.md', () => {
  const faults = read('docs/faults.md');
  test('has each kind of fault', () => {
    const expected = Object.entries(KINDS).map(([name, { what }]) => [code(name), what]);
    expect(rows(section(faults, 'The faulty disk'))).toEqual(expected);
  });
  test('has each scenario', () => {
    const expected = Object.entries(SCENARIOS).map(([name, { what }]) => [code(name), what]);
    expect(rows(section(faults, 'Which calls'))).toEqual(expected);
  });
});

describe('the commands of the documents', () => {
  const verbs = commands(/^(?:npm run (?:-s )?strand --|(?:npx )?strand) /);
  const crawls = commands(/^npm run crawl --/).map((words) => ['crawl', ...words]);
  test.each([...verbs, ...crawls].map((words) => [words.join(' '), words] as const))(
    '%s',
    async (_, words) => {
      expect(await parsed(words)).toHaveProperty('verb');
    },
  );

  test('name a contact where the program wants one', async () => {
    const begun = [...verbs, ...crawls].filter(
      (words) => words[0] === 'crawl' && !words.includes('--config'),
    );
    expect(begun.length).toBeGreaterThan(20);
    const faults = await Promise.all(
      begun.map(async (words) => {
        const { seeds, options } = (await parsed(words)) as { seeds: string[]; options: CrawlOptions };
        return contactFault(seeds, options) && words.join(' ');
      }),
    );
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  const simulations = commands(/^npm run simulate --/);
  test.each(simulations.map((words) => [words.join(' '), words] as const))('simulate %s', (_, words) => {
    expect(readCommand(words)).toHaveProperty('verb');
  });

  const faults = commands(/^npm run faults --/);
  test.each(faults.map((words) => [words.join(' '), words] as const))('faults %s', (_, words) => {
    expect(readFaultsOptions(words)).toHaveProperty('verb');
  });

  const mutations = commands(/^npm run mutants(?: --)?/);
  test.each(mutations.map((words) => [words.join(' '), words] as const))('mutants %s', (_, words) => {
    expect(readMutantsOptions(words)).toHaveProperty('verb');
  });

  const deployments = commands(/^npm run deploy(?: --)?/);
  test.each(deployments.map((words) => [words.join(' '), words] as const))('deploy %s', (_, words) => {
    const options = words.filter((word) => word !== '-c').map((word) => word.split('=', 2));
    expect(parseOptions(Object.fromEntries(options))).toHaveProperty('stackName');
  });
});

describe('a Markdown file', () => {
  test.each(['docs/cli.md', 'docs/identity.md', 'docs/local.md', 'docs/network.md'])(
    '%s begins with a list of all of its sections',
    (path) => {
      const text = read(path).replaceAll(/^```.*?^```/gms, '');
      const listed = [...text.matchAll(/^- \[([^\]]+)\]\(#[^)]+\)$/gm)].map(([, title]) =>
        title?.replaceAll('`', ''),
      );
      const titles = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title?.replaceAll('`', ''));
      expect(listed).toEqual(titles);
    },
  );

  test.each(markdownFiles())('%s links only to what is there', (path) => {
    const text = read(path).replaceAll(/^```.*?^```/gms, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
    const isLost = (target: string) => {
      if (/^[a-z]+:/i.test(target)) return false;
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, linked))) return true;
      return anchor !== undefined && !anchors(read(linked)).includes(anchor);
    };
    expect(targets.filter(isLost)).toEqual([]);
  });

  test.each(markdownFiles())(
    '%s names the language of each block of code, so that commands are checked',
    (path) => {
      const fences = read(path).match(/^```.*$/gm) ?? [];
      expect(fences.filter((fence, i) => i % 2 === 0 && fence === '```')).toEqual([]);
    },
  );

  test.each(markdownFiles())('%s names only files of the project that are there', (path) => {
    const named = [
      ...read(path).matchAll(
        /`((?:api|shared|cli|cdk|functions|packaging|simulation|test|bench|docs)\/[\w./-]+)`/g,
      ),
    ];
    expect(named.map(([, name]) => name as string).filter((name) => !existsSync(join(ROOT, name)))).toEqual(
      [],
    );
  });
});

describe('ARCHITECTURE.md', () => {
  const text = read('ARCHITECTURE.md');

  test('names every folder of the core, of the command line and of the deployment', () => {
    const folders = ['shared/', 'cli/', 'cdk/', 'simulation/'].flatMap((folder) => foldersBelow(folder));
    expect(folders.filter((folder) => !text.includes(code(folder)))).toEqual([]);
  });

  test('has a row for every top-level folder', () => {
    const made = ['dist/', 'crawls/', 'node_modules/', 'cdk.out/'];
    const folders = readdirSync(ROOT, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => `${name}/`)
      .filter((folder) => !made.includes(folder));
    expect(rows(section(text, 'Top-level folders')).map(([folder]) => folder)).toEqual(
      expect.arrayContaining(folders.map((folder) => code(folder))),
    );
    expect(folders.length).toBeGreaterThan(8);
  });

  test('is at most 20 KB', () => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000);
  });

  test('names every function', () => {
    expect(FUNCTIONS.filter((name) => !text.includes(code(`${name}.ts`)))).toEqual([]);
  });
});

test('the decisions are numbered without a gap, each titled by its number', () => {
  const names = readdirSync(join(ROOT, 'docs/decisions')).sort();
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, i) => i + 1));
  for (const name of names) expect(read(join('docs/decisions', name))).toMatch(`# ${name.slice(0, 4)}: `);
});

test('the glossary is in alphabetical order, each word once', () => {
  const text = read('docs/glossary.md');
  const terms = [...text.matchAll(/^\*\*(.+?)\*\*:/gm)].map(([, term]) => term as string);
  expect(terms).toEqual([...new Set(terms)].sort((a, b) => a.localeCompare(b, 'en')));
});
