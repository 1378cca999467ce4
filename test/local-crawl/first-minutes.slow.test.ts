/**
 * The real program against small servers that are wrong in one way each: what its user reads, and its exit
 * code.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from './local-crawl.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
const PROJECT = new URL('../../shared/services/project/project.ts', import.meta.url).href;

let place: ReturnType<typeof temporaryFolder>;
const servers: Server[] = [];
beforeEach(() => {
  place = temporaryFolder();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  place.remove();
});

/** The server's address, without a scheme. Its robots.txt is missing. */
async function serve(address: string, answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else answer(request, response);
  });
  servers.push(server);
  server.listen(0, address);
  await once(server, 'listening');
  return `${address}:${(server.address() as AddressInfo).port}`;
}

const html =
  (body: string, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(body);

function crawl(seed: string, ...more: string[]) {
  const options = ['--allow-private-addresses', '--delay', '0', '--no-adaptive', '--out', place.folder];
  return strand('crawl', seed, ...options, ...more);
}

function strand(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { timeout: 100_000 }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

test('a port without a server is reported at once, and the crawl ends after the second try', async () => {
  const closed = await serve('127.0.0.1', html(''));
  servers.pop()!.close();
  const { code, out, err } = await crawl(closed);
  expect(err).toContain(`http://${closed}/: connection refused by ${closed}; next try in`);
  expect(err).toContain(`http://${closed}/: connection refused by ${closed}; given up`);
  expect(out).toMatch(/^No seed could be fetched\n/);
  expect(out).toContain(`Seeds       http://${closed}/: connection refused by ${closed}`);
  expect(code).toBe(4);
});

test('what cannot be begun is refused in the words of the refusal, whatever error of the file system is its cause', async () => {
  writeFileSync(place.folder, '');
  const file = await crawl('127.0.0.1:8080');
  expect([file.code, file.err]).toEqual([2, expect.stringMatching(/^strand: .* is not a folder\n$/)]);
  const missing = await crawl('127.0.0.1:8080', '--seeds', join(place.folder, 'no'));
  expect([missing.code, missing.err]).toEqual([
    2,
    expect.stringMatching(/^strand: The seeds cannot be read/),
  ]);
});

test('https to a server that does not speak TLS names the scheme to try', async () => {
  const plain = await serve('127.0.0.1', html(''));
  const { code, err } = await crawl(`https://${plain}/`);
  expect(err).toContain(`${plain} does not speak TLS; try http://; next try in`);
  expect(code).toBe(4);
});

test('a site that refuses every page is no success, and the summary in JSON says why', async () => {
  const site = await serve('127.0.0.1', html('no', 403));
  const { code, out } = await crawl(site, '--json');
  expect(JSON.parse(out)).toMatchObject({
    state: 'finished',
    seeds: { failed: 1 },
    failedSeeds: [{ url: `http://${site}/`, cause: expect.stringMatching(/^HTTP 403 \(Forbidden/) }],
  });
  expect(code).toBe(4);
});

test('a seed that has moved to another host is followed there', async () => {
  const target = await serve('127.0.0.2', html('<p>Some text <a href="/1">1</a>'));
  const moved = await serve('127.0.0.1', (_, response) => {
    response.writeHead(301, { location: `http://${target}/` }).end();
  });
  const { code, out, err } = await crawl(moved);
  expect(err).toContain(
    `http://${moved}/: redirects to http://${target}/ (another site, which joins the crawl`,
  );
  expect(out).toMatch(/URLs +3 known, 2 fetched, 1 redirect/);
  expect(code).toBe(0);
});

test.each([1, 2])('a hook that throws at every page is no success, with %d workers', async (workers) => {
  const site = await serve('127.0.0.1', html('<p>Some text'));
  const config = join(dirname(place.folder), 'strand.config.ts');
  writeFileSync(
    config,
    `import { defineCrawl } from ${JSON.stringify(PROJECT)};
     export default defineCrawl({ onPage() { throw new Error('no price'); } });`,
  );
  const { code, out, err } = await crawl(site, '--config', config, '--workers', String(workers));
  expect(err).toMatch(/onPage at \S+: no price, at .*strand\.config\.ts:2/);
  expect(out).toMatch(/^Finished, but a hook failed at every page\n/);
  expect(out).toContain('a hook failed at 1 of 1 page');
  expect(code).toBe(5);
});

test('a host that refuses beside others is not waited for; resume asks it once more', async () => {
  let asked = 0;
  const priced = await serve('127.78.0.150', (_, response) => {
    asked++;
    response.writeHead(402).end();
  });
  const open = await serve(
    '127.78.0.151',
    html(`<title>Open</title><a href="http://${priced}/a">priced</a>`),
  );
  const { code, out } = await crawl(`http://${open}/`, '--scope', 'any');
  expect(code).toBe(8);
  expect(out).toMatch(
    /^Waiting to be resumed: nothing is due before [\dTZ:-]+; 1 host that refuses this\s+crawler\n/,
  );
  expect(out).toContain(`${priced}: priced (HTTP 402), 1 URL`);
  expect(out).toContain(`resume ${place.folder}`);
  expect(asked).toBe(1);
  const again = await strand('resume', place.folder);
  expect([again.code, asked]).toEqual([8, 2]);
});

test('a crawl that recrawls waits while its only host refuses', async () => {
  const links = Array.from({ length: 9 }, (_, i) => `<a href="/${i}">x</a>`).join('');
  const site = await serve('127.78.0.152', (request, response) =>
    html(links, request.url === '/' ? 200 : 402)(request, response),
  );
  const config = join(dirname(place.folder), 'quick.config.mjs');
  writeFileSync(config, 'export default { crawl: { retryMs: 50, backoffMs: 50, maxBackoffMs: 100 } };');
  const more = ['--config', config, '--recrawl', 'changes', '--max-time', '8'];
  const { code, out } = await crawl(`http://${site}/`, ...more);
  expect(out).toMatch(/^Limit reached: 8 s/);
  expect(out).toContain(`${site}: priced (HTTP 402)`);
  expect(code).toBe(3);
});
