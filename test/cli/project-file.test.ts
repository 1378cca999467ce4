import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
const PROJECT = fileURLToPath(new URL('./project/', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-project-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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
