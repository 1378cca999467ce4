/** The examples about links and files of a site: broken links in CI, and a mirror. */
import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { mirror } from '../../examples/mirror/mirror.ts';
import { createSearchShop } from '../../examples/router/site.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { needs } from '../needs.ts';
import { crawlWith, listen, ROOT, temporaryFolder } from './run-example.ts';

const PAGES: Readonly<Record<string, string>> = {
  '/': '<link rel="stylesheet" href="/style.css"><a href="/guide">The guide</a><img src="/logo.png">',
  '/guide': '<a href="/">Home</a> <a href="/gone">An old page</a>',
  '/style.css': 'body { background: url(/logo.png) }',
  '/logo.png': 'image',
};

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function serve(pages: typeof PAGES): Promise<string> {
  const types: Record<string, string> = { css: 'text/css', png: 'image/png' };
  const server = createServer(({ url = '' }, response) => {
    const type = types[url.split('.')[1] ?? ''] ?? 'text/html';
    response.writeHead(pages[url] === undefined ? 404 : 200, { 'Content-Type': type }).end(pages[url]);
  });
  return listen(server);
}

/** Runs the steps of the workflow in a shell, as a runner does; those `if: failure()` only after another has failed. */
async function runWorkflow(site: string) {
  const workflow = readFileSync(join(ROOT, 'examples/broken-links/links.yml'), 'utf8');
  const steps = [...workflow.matchAll(/^ {6}- run: (strand .*)\n( {8}if: failure\(\)\n)?/gm)];
  const program = join(folder, 'strand');
  // The site is on this machine.
  const local = '[ "$1" = crawl ] && set -- "$@" --allow-private-addresses --delay 0 --no-adaptive';
  const cli = join(ROOT, 'cli/bin.js');
  writeFileSync(program, `#!/bin/sh\n${local}\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    SITE: site,
    CONTACT: 'a@b.test',
  };
  let failed: { code: number; out: string } | undefined;
  for (const [, command = '', isForFailure] of steps) {
    if ((failed !== undefined) !== (isForFailure !== undefined)) continue;
    const shell = spawn('sh', ['-e', '-c', command], { cwd: folder, env });
    const closed = new Promise<number>((resolve) => shell.on('close', resolve));
    const out = await text(shell.stdout);
    const code = await closed;
    if (code !== 0) failed ??= { code, out };
  }
  return { steps: steps.length, failed };
}

needs('shell')('the workflow fails with 6 for a broken link, and keeps what it found', async () => {
  const site = await serve(PAGES);
  const { steps, failed } = await runWorkflow(`${site}/`);
  expect(steps).toBe(3);
  expect(failed).toEqual({ code: 6, out: expect.stringContaining(`${site}/gone`) });
  expect(failed?.out).toContain('An old page');
  const report = JSON.parse(readFileSync(join(folder, 'broken-links.json'), 'utf8'));
  expect(report.broken).toMatchObject([
    { url: `${site}/gone`, pages: [{ page: `${site}/guide`, text: 'An old page' }] },
  ]);
});

needs('shell')('the workflow passes if each link leads to a page', async () => {
  const site = await serve({ ...PAGES, '/gone': 'It is back.' });
  expect((await runWorkflow(`${site}/`)).failed).toBeUndefined();
});

test('a mirror is files with links from one to the next, and names links that lead nowhere', async () => {
  const site = await serve(PAGES);
  const copy = join(folder, 'mirror');
  const { files, pages, broken } = await mirror(`${site}/`, copy, QUICK);
  expect({ files, pages, broken: broken.map(({ url }) => url) }).toEqual({
    files: 4,
    pages: 2,
    broken: [`${site}/gone`],
  });
  const names = readdirSync(copy, { recursive: true, encoding: 'utf8' });
  const home = names.find((name) => name.endsWith('index.html'));
  expect(readFileSync(join(copy, home!), 'utf8')).toContain('href="guide.html"');
});

test('the search form and the API of a shop become items', async () => {
  const log: string[] = [];
  const server = createSearchShop((request) => log.push(request));
  const shop = await listen(server);
  const crawl = await crawlWith('router', `${shop}/`, join(folder, 'router'), ['--allow-private-addresses']);
  expect(crawl).toMatchObject({ code: 0, summary: { state: 'finished', errors: {} } });
  const names = ['chair', 'table', 'lamp', 'hose', 'gnome'];
  const items = names.map((name, id) => ({
    url: `${shop}/product/${id}`,
    name: `Garden ${name}`,
    price: 10 * (id + 1),
    currency: 'EUR',
  }));
  expect(crawl.items().sort((a, b) => Number(a.price) - Number(b.price))).toEqual(items);
  expect(log.filter((line) => line.includes('/search'))).toEqual(
    [1, 2, 3].map((page) => `POST /search words=garden&page=${page}`),
  );
});
