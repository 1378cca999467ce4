/**
 * The package as it is published: built, packed, unpacked below `node_modules` of an empty folder, and used
 * there.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programName } from '../../cli/program.ts';
import { build } from '../../packaging/build.ts';

const ROOT = join(import.meta.dirname, '../..');

let folder: string;
let dist: string;
let tarball: string;
let installed: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-package-'));
  dist = join(folder, 'dist');
  build(dist);
  execFileSync('npm', ['pack', dist, '--pack-destination', folder, '--silent'], { stdio: 'pipe' });
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) as string);
  installed = join(folder, 'app/node_modules/strand-crawler');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xzf', tarball, '-C', installed, '--strip-components', '1']);
  // What npm would install beside it; the repository has the same versions.
  const { dependencies } = manifest();
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    const link = join(folder, 'app/node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  writeFileSync(join(folder, 'app/package.json'), '{"type":"module"}');
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifest = () => JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(folder, 'app'),
    encoding: 'utf8',
    env: { ...process.env, npm_lifecycle_event: 'npx' },
  });
  return { code: status, out: stdout, err: stderr };
}

const strand = (...words: string[]) => run(join(installed, 'cli/bin.js'), ...words);

describe('the package', () => {
  test('is below 700 kB packed, and has no test in it', () => {
    expect(statSync(tarball).size).toBeLessThan(700_000);
    const files = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).split('\n');
    expect(files.filter((file) => /test(?!ing\.)|engines\/sim|\/bench\//.test(file))).toEqual([]);
    expect(files).toContain('package/LICENSE');
  });

  test('passes publint', async () => {
    const { messages } = await publint({ pkgDir: dist, strict: true });
    expect(messages.map((message) => formatMessage(message, manifest()))).toEqual([]);
  });

  test('names each package that it imports, those of AWS as optional', () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifest();
    const all = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies;
    expect(Object.keys({ ...dependencies, ...peerDependencies }).sort()).toEqual(Object.keys(all).sort());
    expect(Object.keys(peerDependencies).every((name) => name.startsWith('@aws-sdk/'))).toBe(true);
    expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies));
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
    writeFileSync(
      join(folder, 'app/config.ts'),
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
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      '--skipLibCheck',
      'false',
    ];
    const compiler = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'config.ts'], {
      cwd: join(folder, 'app'),
      encoding: 'utf8',
    });
    expect(compiler.stdout).toBe('');
  });

  test('says which packages --stack needs', () => {
    const { code, err } = strand('--stack', 'Strand', 'list');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('npm install @aws-sdk/client-') });
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

  const script = (...args: string[]) =>
    new Promise<{ code: number; out: string }>((resolve) => {
      const options = { cwd: join(folder, 'app'), env: { ...process.env, npm_lifecycle_event: 'npx' } };
      execFile(process.execPath, args, options, (error, stdout) =>
        resolve({ code: Number(error?.code ?? 0), out: stdout }),
      );
    });
  const crawl = (...words: string[]) => script(join(installed, 'cli/bin.js'), ...words);

  test('runs the hooks of strand.config.ts, in threads too, and hints name the command to type', async () => {
    writeFileSync(
      join(folder, 'app/strand.config.ts'),
      `import { defineCrawl } from 'strand-crawler';
       export default defineCrawl({ onPage: ({ url, $ }) => ({ url, links: $('a').length }) });`,
    );
    const options = ['--allow-private-addresses', '--delay', '0', '--no-adaptive', '--max-pages', '2'];
    const { code, out } = await crawl('crawl', site, ...options, '--workers', '2', '--out', 'c');
    expect({ code, out }).toEqual({ code: 3, out: expect.stringContaining('npx strand resume c') });
    const items = readFileSync(join(folder, 'app/c/items.jsonl'), 'utf8').trim().split('\n');
    expect(items.map((line) => JSON.parse(line).links)).toEqual([2, 2]);
    expect(await crawl('resume', 'c', '--max-pages', '10')).toMatchObject({ code: 0 });
    expect(strand('warc', 'check', 'c/archive')).toMatchObject({ code: 0 });
  });

  test('runs in a script, with hooks that are functions, and is read again', async () => {
    writeFileSync(
      join(folder, 'app/crawl.mjs'),
      `import { openCrawl, startCrawl } from 'strand-crawler';
       const options = { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false };
       const onPage = ({ url, $ }) => ({ path: new URL(url).pathname, links: $('a').length });
       const crawl = await startCrawl({ seeds: [${JSON.stringify(site)}], out: 'api', onPage, ...options });
       const types = [];
       for await (const { type } of crawl.events()) types.push(type);
       const items = [];
       await using stored = await openCrawl('api');
       for await (const { path } of stored.items()) items.push(path);
       const inThread = await startCrawl({ seeds: [${JSON.stringify(site)}], out: 'api2', ...options });
       const { state, pages } = await inThread.done;
       console.log(JSON.stringify({ types: [...new Set(types)].sort(), items: items.sort(), state, pages }));`,
    );
    const { code, out } = await script('crawl.mjs');
    expect({ code, ...JSON.parse(out) }).toEqual({
      code: 0,
      types: ['finished', 'item', 'page'],
      items: ['/', '/a', '/b'],
      state: 'finished',
      pages: 3,
    });
  });
});

test('the generated web judges a crawl from its own log', () => {
  writeFileSync(
    join(folder, 'app/web.mjs'),
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

test.each([
  [{ isSource: true, path: '/repo/cli/bin.js' }, 'npm run strand --'],
  [{ isSource: false, path: '/a/node_modules/.bin/strand', npmEvent: 'npx' }, 'npx strand'],
  [{ isSource: false, path: '/a/node_modules/.bin/strand-crawler', npmEvent: 'npx' }, 'npx strand-crawler'],
  [{ isSource: false, path: '/a/node_modules/.bin/strand' }, 'npx strand'],
  [{ isSource: false, path: '/usr/local/bin/strand' }, 'strand'],
  [{ isSource: false, path: '/a/node_modules/strand-crawler/cli/bin.js', npmEvent: 'crawl' }, 'npx strand'],
])('hints for %j begin with %s', (start, expected) => {
  expect(programName(start)).toBe(expected);
});
