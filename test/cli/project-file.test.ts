import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readProject } from '../../cli/project-file.ts';
import { InvalidConfig } from '../../shared/crawl/config.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/strand.ts', import.meta.url));
const PROJECT = fileURLToPath(new URL('./project/', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-project-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string, name = 'strand.config.ts') => writeFileSync(join(folder, name), text);

describe("the project's file", () => {
  test('is strand.config.ts of the folder, where it is there', async () => {
    expect(await readProject(undefined, folder)).toEqual({ crawl: {}, middleware: [] });
    write('const delayMs: number = 7; export default { crawl: { delayMs }, aws: { stackName: "A" } };');
    expect(await readProject(undefined, folder)).toEqual({
      file: 'strand.config.ts',
      crawl: { delayMs: 7 },
      middleware: [],
    });
  });

  test('or the one that is named', async () => {
    write('export default {};', 'mine.ts');
    expect(await readProject('mine.ts', folder)).toMatchObject({ file: 'mine.ts' });
  });

  test('imports the crawler by its name', async () => {
    const project = await readProject(undefined, PROJECT);
    expect(project.crawl).toEqual({ delayMs: 0, adaptive: false, maxPages: 50 });
    expect(project.middleware).toHaveLength(1);
  });

  test.each([
    ['', 'Expected "export default defineCrawl({ ... })" in strand.config.ts, got no such object'],
    [
      'export default [];',
      'Expected "export default defineCrawl({ ... })" in strand.config.ts, got no such object',
    ],
    ['export default { crwal: {} };', 'strand.config.ts: Unknown key crwal; did you mean crawl?'],
    ['export default { zzz: {} };', 'strand.config.ts: Unknown key zzz; there are crawl, middleware, aws'],
    [
      'export default { crawl: { maxPage: 1, perHost: 65 } };',
      'strand.config.ts: Expected crawl.perHost <= 64, got 65; Unknown key maxPage in crawl; did you mean maxPages?',
    ],
    ['export default { crawl: 7 };', 'strand.config.ts: Expected crawl to be of type object, got 7'],
    [
      'export default { middleware: [1] };',
      'strand.config.ts: Expected middleware to be a list of functions (request, next) => outcome',
    ],
    ["throw new Error('no\\u001bway');", 'strand.config.ts cannot be loaded: no\ufffdway'],
  ])('that holds %j is refused', async (text, message) => {
    write(text);
    await expect(readProject(undefined, folder)).rejects.toThrow(new InvalidConfig(message));
  });

  test('that is named and not there is refused', async () => {
    await expect(readProject('mine.ts', folder)).rejects.toThrow(
      new InvalidConfig(`There is no file ${join(folder, 'mine.ts')}, which --config names`),
    );
  });
});

test('a crawl has the settings of the file below its own, and its middleware around every fetch', async () => {
  const asked: [path: string | undefined, header: unknown][] = [];
  const server = createServer((request, response) => {
    asked.push([request.url, request.headers['x-from-project']]);
    response.setHeader('content-type', 'text/html');
    response.statusCode = request.url === '/robots.txt' ? 404 : 200;
    response.end('<a href=/a>a</a><a href=/b>b</a>');
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const out = join(folder, 'crawl');
    const crawl = await strand('crawl', seed, '--config', join(PROJECT, 'strand.config.ts'), '--out', out);
    expect(crawl).toMatchObject({ code: 3, summary: { state: 'limited', pages: 2 } });
    expect(crawl.err).toContain(`Crawling into ${out}, with `);
    expect(asked.map(([path]) => path).slice(0, 2)).toEqual(['/robots.txt', '/']);

    const resumed = await strand('resume', out, '--config', join(PROJECT, 'strand.config.ts'));
    expect(resumed).toMatchObject({ code: 0, summary: { state: 'finished', pages: 3 } });
    expect(asked.map(([path]) => path).sort()).toEqual(['/', '/a', '/b', '/robots.txt']);
    for (const [, header] of asked) expect(header).toBe('yes');
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

/** The program, with a limit of its own below the file's. */
async function strand(verb: 'crawl' | 'resume', ...words: string[]) {
  const more = verb === 'crawl' ? ['--allow-private-addresses', '--max-pages', '2'] : ['--max-pages', '50'];
  const child = spawn(process.execPath, [PROGRAM, verb, ...words, ...more, '--json'], { cwd: folder });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  return { code, err, summary: out ? JSON.parse(out) : undefined };
}
