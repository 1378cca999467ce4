/** No secret of a request that a hook makes goes to another host, or into the archive. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

const SECRET = 'marker-of-a-secret';
const BODY = 'marker-of-a-body';
const got: { readonly host: string; readonly text: string }[] = [];
const servers: Server[] = [];
let folder: string;
let own: string;
let other: string;

/** Serves a site that redirects `/STATUS` to the other host. */
async function serve(address: string): Promise<string> {
  const server = createServer((request, response) => {
    const { method, url = '/', headers } = request;
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push({ host: address, text: `${method} ${url} ${JSON.stringify(headers)} ${body}` });
      const status = /^\/(30\d)/.exec(url)?.[1];
      if (url === '/robots.txt') response.writeHead(404).end();
      else if (status) response.writeHead(Number(status), { Location: `${other}/target${url}` }).end();
      else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>A page');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return `http://${address}:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-threat-'));
  other = await serve('127.78.7.2');
  own = await serve('127.78.7.1');
});
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

test('headers and bodies stay at the host for which they were made, and their values out of the archive', async () => {
  const out = join(folder, 'c');
  const headers = { 'X-Api-Key': SECRET, 'X-Auth-Token': SECRET, Authorization: `Bearer ${SECRET}` };
  const running = await startCrawl({
    ...QUICK,
    seeds: [`${own}/`],
    out,
    onPage({ url, enqueue }) {
      if (new URL(url).pathname !== '/') return;
      for (const status of [301, 302, 303, 307, 308]) {
        enqueue(`/${status}/get`, { headers });
        enqueue(`/${status}/post`, { method: 'POST', body: BODY, headers });
        enqueue(`/${status}/delete`, { method: 'DELETE', headers });
      }
    },
  });
  await running.done;

  const asked = (address: string) => got.filter(({ host }) => host === address).map(({ text }) => text);
  expect(asked('127.78.7.1').filter((text) => text.includes(SECRET))).toHaveLength(15);
  const leaked = asked('127.78.7.2').filter((text) => text.includes(SECRET) || text.includes(BODY));
  expect(leaked).toEqual([]);
  expect(asked('127.78.7.2').filter((text) => !text.startsWith('GET '))).toEqual([]);
  expect(asked('127.78.7.2').filter((text) => text.includes('/target/'))).not.toEqual([]);

  const crawl = await openCrawl(out);
  const causes: string[] = [];
  for await (const { url, cause } of crawl.urls()) if (url.includes('/308/post')) causes.push(cause ?? '');
  await crawl.close();
  expect(causes).toEqual([
    expect.stringContaining(
      'not followed: a request of the project that is not a plain GET is not sent to another host',
    ),
  ]);
  const archive = join(out, 'archive');
  const files = readdirSync(archive).filter((name) => name.endsWith('.warc.gz'));
  const text = files.map((name) => gunzipSync(readFileSync(join(archive, name))).toString('latin1')).join('');
  expect(text).toContain('[removed]');
  expect(text).not.toContain(SECRET);
});
