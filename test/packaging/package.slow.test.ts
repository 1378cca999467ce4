/** The package as it is published, in an empty folder. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type * as TypesWrong from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VENDORED } from '../../packaging/vendor-packages.ts';
import { constructSuite } from './construct-suite.ts';
import { compiled, type Packed, type Project, packAll, ROOT } from './packed.ts';
import { templatesSuite } from './templates-suite.ts';

/** By its path: Vitest asks packages for what is meant for their development, and this one has its TypeScript sources for that. */
const TYPES_WRONG = new URL('../../node_modules/@arethetypeswrong/core/dist/index.js', import.meta.url).href;
const { checkPackage, createPackageFromTarballData } = (await import(TYPES_WRONG)) as typeof TypesWrong;

let packed: Packed;
let dist: string;
let app: Project;

beforeAll(() => {
  packed = packAll();
  dist = join(packed.dist, 'strand-crawler');
  app = packed.project('app', ['strand-crawler'], ['@types/node', 'zod']);
});

afterAll(() => packed?.remove());

const manifest = () => JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
const run = (...args: string[]) => app.run(...args);

const errorsOf = (...files: readonly string[]) => compiled(app.folder, '--skipLibCheck false', files);

/** By name and version, the folder of a package, as Node finds it from `from`, and those of its dependencies. */
function installedFolders(from: string, name: string, found = new Map<string, string>()) {
  for (let folder = from; dirname(folder) !== folder; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (!existsSync(path)) continue;
    const real = realpathSync(path);
    const { version, dependencies = {} } = JSON.parse(readFileSync(join(real, 'package.json'), 'utf8'));
    if (found.has(`${name}@${version}`)) return found;
    found.set(`${name}@${version}`, real);
    const inner = name === 'strand-crawler' ? from : real;
    for (const dependency of Object.keys(dependencies)) installedFolders(inner, dependency, found);
    return found;
  }
  throw new Error(`${name} is not installed`);
}

describe('the package', () => {
  test('is below 1.7 MB packed, and has no test in it', () => {
    expect(statSync(packed.tarballs['strand-crawler'] as string).size).toBeLessThan(1_700_000);
    const files = execFileSync('tar', ['tzf', packed.tarballs['strand-crawler'] as string], {
      encoding: 'utf8',
    }).split('\n');
    expect(files.filter((file) => /test(?!ing\.)|simulation|\/bench\//.test(file))).toEqual([]);
    expect(files).toContain('package/LICENSE');
  });

  test('has the documents that its messages name', () => {
    const code = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js'),
    );
    const named = code.flatMap((file) =>
      [...readFileSync(join(dist, file), 'utf8').matchAll(/docs\/[\w-]+\.md/g)].map(([path]) => path),
    );
    expect(new Set(named).size).toBeGreaterThan(2);
    expect(named.filter((path) => !existsSync(join(dist, path)))).toEqual([]);
  });

  test('takes less than 25 MB of disk with all that it depends on', () => {
    const folders = installedFolders(app.folder, 'strand-crawler');
    const bytes = [...folders.values()].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => !file.startsWith('node_modules'))
        .map((file) => lstatSync(join(folder, file)).blocks * 512),
    );
    expect(folders.size).toBeGreaterThan(15);
    expect(bytes.reduce((a, b) => a + b)).toBeLessThan(25_000_000);
  });

  test('passes publint', async () => {
    const { messages } = await publint({ pkgDir: dist, strict: true });
    expect(messages.map((message) => formatMessage(message, manifest()))).toEqual([]);
  });

  test('has types that are right wherever ES modules are resolved, by are-the-types-wrong', async () => {
    const tarball = createPackageFromTarballData(readFileSync(packed.tarballs['strand-crawler'] as string));
    const checked = await checkPackage(tarball);
    if (!checked.types) throw new Error('Expected types in the package');
    const entries = Object.keys(checked.entrypoints);
    expect(entries).toEqual(expect.arrayContaining(['.', './cdk', './testing']));
    // As its profile esm-only: a CommonJS module requires ES modules without types for it.
    const ofModules = checked.problems.filter(
      (problem) => !('resolutionKind' in problem && /^node10|-cjs$/.test(problem.resolutionKind)),
    );
    expect(ofModules).toEqual([]);
  });

  test('names each package that it imports, those of AWS as optional', () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifest();
    const all = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies;
    const cdk = ['aws-cdk-lib', 'constructs', 'esbuild', 'strand-crawler-functions'];
    const imported = Object.keys(all).filter((name) => !(VENDORED as readonly string[]).includes(name));
    expect(Object.keys({ ...dependencies, ...peerDependencies }).sort()).toEqual(
      [...imported, ...cdk].sort(),
    );
    expect(Object.keys(dependencies).filter((name) => name.startsWith('@aws-sdk/'))).toEqual([]);
    expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies));
    const licences = readFileSync(join(dist, 'shared/vendor/LICENSES.txt'), 'utf8');
    for (const name of VENDORED) expect(licences).toMatch(new RegExp(`^${name}$`, 'm'));
  });

  test('is imported from JavaScript', () => {
    const { code, out } = run(
      '--input-type=module',
      '-e',
      "import { defineCrawl } from 'strand-crawler'; console.log(defineCrawl({ crawl: { delayMs: 5 } }).crawl.delayMs)",
    );
    expect({ code, out }).toEqual({ code: 0, out: '5\n' });
  });

  test('is imported from TypeScript, and its types notice a misspelt setting', () => {
    app.write(
      'config.ts',
      `import { defineCrawl, type Page } from 'strand-crawler';
       export default defineCrawl({ onPage: (page: Page) => ({ url: page.url, links: page.$('a').length }) });
       // @ts-expect-error: there is no such setting.
       defineCrawl({ crawl: { delyMs: 1 } });
       import { openCrawl, startCrawl } from 'strand-crawler';
       const crawl = await startCrawl({ seeds: ['localhost:1'], onPage: ({ url }) => ({ url }), maxPages: 5 });
       for await (const event of crawl.events()) if (event.type === 'page') event.status satisfies string;
       await using stored = await openCrawl(crawl.folder);
       for await (const { item } of stored.items<{ item: number }>()) item.toFixed();
       // @ts-expect-error: there is no such option.
       await startCrawl({ seeds: [], outt: 'x' });`,
    );
    expect(errorsOf('config.ts')).toBe('');
  });

  test('compiles the TypeScript of the documents', () => {
    const documents = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];
    // The construct is in a project of its own, with the CDK.
    const wanted = documents.filter((path) => path.endsWith('.md') && !path.endsWith('construct.md'));
    const files = wanted.flatMap((path) => {
      const blocks = readFileSync(join(ROOT, path), 'utf8').matchAll(/^```ts\n(.*?)^```/gms);
      return [...blocks].map(([, code = ''], i) => {
        const file = `${path.replaceAll(/\W+/g, '-')}-${i + 1}.ts`;
        app.write(file, code);
        return file;
      });
    });
    expect(files.length).toBeGreaterThan(15);
    expect(errorsOf(...files)).toBe('');
  });

  test('says which packages --stack needs', async () => {
    const { code, err } = await app.strand('--stack', 'Strand', 'list');
    const sdk = Object.keys(manifest().peerDependencies).filter((name) => name.startsWith('@aws-sdk/'));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`npm install ${sdk.join(' ')}`) });
  });
});

describe('a crawl by the package', () => {
  let server: Server;
  let site: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/robots.txt') return void response.writeHead(404).end();
      response.setHeader('content-type', 'text/html');
      response.end(`<title>${request.url}</title><a href="/a">a</a><a href="/b">b</a>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close());

  test('runs the hooks of strand.config.ts, in threads too, and hints name the command to type', async () => {
    app.write(
      'strand.config.ts',
      `import { defineCrawl } from 'strand-crawler';
       export default defineCrawl({ onPage: ({ url, $ }) => ({ url, links: $('a').length }) });`,
    );
    const options = ['--allow-private-addresses', '--delay', '0', '--no-adaptive', '--max-pages', '2'];
    const { code, out } = await app.strand('crawl', site, ...options, '--workers', '2', '--out', 'c');
    expect({ code, out }).toEqual({ code: 3, out: expect.stringContaining('npx strand resume c') });
    const items = app.read('c/items.jsonl').trim().split('\n');
    expect(items.map((line) => JSON.parse(line).links)).toEqual([2, 2]);
    expect(await app.strand('resume', 'c', '--max-pages', '10')).toMatchObject({ code: 0 });
    expect(await app.strand('warc', 'check', 'c/archive')).toMatchObject({ code: 0 });
  });

  test('loads few of its files, of which each has many modules', async () => {
    app.write(
      'count.mjs',
      `import { appendFileSync } from 'node:fs';
       import { registerHooks } from 'node:module';
       registerHooks({
         load(url, context, next) {
           if (url.includes('/strand-crawler/')) appendFileSync('loaded.txt', url + '\\n');
           return next(url, context);
         },
       });`,
    );
    const bin = join(app.folder, 'node_modules/strand-crawler/cli/bin.js');
    const options = ['--allow-private-addresses', '--delay', '0', '--max-pages', '1', '--out', 'counted'];
    expect(await app.start('--import', './count.mjs', bin, 'crawl', site, ...options)).toMatchObject({
      code: 3,
    });
    const loaded = app.read('loaded.txt').trim().split('\n');
    expect(loaded.some((url) => url.endsWith('/api/local/thread.js'))).toBe(true);
    expect(loaded.length).toBeLessThan(120);
  });

  test('begins by the line of the README, and hints name its word', async () => {
    const [, line = ''] =
      /`npx strand-crawler (crawl \S+ --contact \S+)`/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ??
      [];
    const bin = join(app.folder, 'node_modules/.bin/strand-crawler');
    mkdirSync(dirname(bin), { recursive: true });
    symlinkSync(join(app.folder, 'node_modules/strand-crawler/cli/bin.js'), bin);
    const words = line.replace('https://example.org/', site).split(' ');
    const options = ['--allow-private-addresses', '--delay', '0', '--no-adaptive', '--max-pages', '1'];
    const { code, out } = await app.start(bin, ...words, ...options);
    expect({ code, out }).toEqual({
      code: 3,
      out: expect.stringContaining('npx strand-crawler resume crawls/'),
    });
  });

  test('runs in a script, with hooks that are functions, and is read again', async () => {
    app.write(
      'crawl.mjs',
      `import { openCrawl, startCrawl } from 'strand-crawler';
       const options = { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false };
       const onPage = ({ url, $ }) => ({ path: new URL(url).pathname, links: $('a').length });
       const crawl = await startCrawl({ seeds: [${JSON.stringify(site)}], out: 'api', onPage, ...options });
       const types = [];
       for await (const { type } of crawl.events()) types.push(type);
       const items = [];
       const stored = await openCrawl('api');
       for await (const { path } of stored.items()) items.push(path);
       await stored.close();
       const inThread = await startCrawl({ seeds: [${JSON.stringify(site)}], out: 'api2', ...options });
       const { state, pages } = await inThread.done;
       console.log(JSON.stringify({ types: [...new Set(types)].sort(), items: items.sort(), state, pages }));`,
    );
    const { code, out } = await app.start('crawl.mjs');
    expect({ code, ...JSON.parse(out) }).toEqual({
      code: 0,
      types: ['finished', 'item', 'page'],
      items: ['/', '/a', '/b'],
      state: 'finished',
      pages: 3,
    });
  });
});

test('a page is read, and its language found', async () => {
  const server = createServer(({ url }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    response.end(
      `<title>One</title><main><h1>One</h1><p>${'This is a sentence of a page in English. '.repeat(9)}</p></main>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { code, out, err } = await app.strand('read', url, '--allow-private-addresses');
  server.close();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('language: "en"');
  expect(out).toContain('# One');
});

test('the generated web judges a crawl from its own log', () => {
  app.write(
    'web.mjs',
    `import { startCrawl } from 'strand-crawler';
     import { checkLog, closure, generateWeb, PLAIN, startWeb } from 'strand-crawler/testing';
     const { seeds, web, address, log, stop } = await startWeb(
       generateWeb({ seed: 1, hosts: 2, pagesPerHost: 6, features: PLAIN }),
     );
     const options = { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false };
     const crawl = await startCrawl({
       seeds, resolve: [['*.test', address]], contact: 'me@example.org', onPage() {}, ...options,
     });
     await crawl.done;
     const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
     console.log(truth.urls.size > 2, checkLog(web, log, { truth }).length, checkLog(web, log.slice(3), { truth }).length > 0);
     await stop();`,
  );
  const { code, out, err } = run('web.mjs');
  expect({ code, out, err }).toEqual({ code: 0, out: 'true 0 true\n', err: '' });
});

test('the test of hooks that the documents show passes', () => {
  const blocks = readFileSync(join(ROOT, 'docs/library.md'), 'utf8').matchAll(/^```ts\n(.*?)^```/gms);
  const shown = [...blocks].map(([, code = '']) => code).find((code) => code.includes('startWeb('));
  app.write('hooks.test.ts', shown ?? '');
  const { code, out } = run('--test', 'hooks.test.ts');
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/my hooks survive.*\n/) });
});

describe('the construct', () => constructSuite(() => packed));
describe('a template', () => templatesSuite(() => packed));
