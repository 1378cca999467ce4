import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openCrawl, type StartCrawlOptions, startCrawl } from '../../api/index.ts';
import { exitCodeOf, exitCodes } from '../../cli/exit-codes.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-network-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Answer = (path: string) => { status?: number; location?: string; html?: string };

async function site(address: string, answer: Answer) {
  const seen: { path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, headers: request.headers });
    const { status = 200, location, html = '' } = answer(path);
    response.writeHead(status, { 'content-type': 'text/html', ...(location && { location }) }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { seen, origin: `http://${address}:${(server.address() as AddressInfo).port}` };
}

async function crawl(options: StartCrawlOptions) {
  const out = join(folder, 'c');
  const running = await startCrawl({ ...QUICK, scope: 'any', out, ...options });
  const summary = await running.done;
  const files = readdirSync(join(out, 'archive')).map((name) => readFileSync(join(out, 'archive', name)));
  return { out, summary, records: files.map((bytes) => gunzipSync(bytes).toString('latin1')).join('') };
}

test('what logs in is sent to the hosts of the seeds, not to where they redirect or link, and is nowhere to be read', async () => {
  const other = await site('127.78.0.52', () => ({ html: `<a href="${own.origin}/back">back</a>` }));
  const own = await site('127.78.0.51', (path) => {
    if (path === '/robots.txt') return { status: 301, location: `${other.origin}/robots.txt` };
    if (path === '/moved') return { status: 302, location: `${other.origin}/got` };
    return {
      html: `<a href="/moved">a</a><a href="${other.origin}/link">b</a><img src="${other.origin}/i.png">`,
    };
  });
  const seed = own.origin.replace('http://', 'http://me:hidden-1@');
  const { out, summary, records } = await crawl({
    seeds: [seed],
    requisites: true,
    headers: { seeds: { 'X-Key': 'hidden-2' } },
    cookies: [{ domain: '127.78.0.51', name: 'id', value: 'hidden-3' }],
  });
  expect(own.seen.length).toBeGreaterThanOrEqual(4);
  for (const { headers } of own.seen)
    expect(headers).toMatchObject({
      authorization: `Basic ${btoa('me:hidden-1')}`,
      'x-key': 'hidden-2',
      cookie: 'id=hidden-3',
    });
  expect(other.seen.map(({ path }) => path).sort()).toEqual(['/got', '/i.png', '/link', '/robots.txt']);
  for (const { headers } of other.seen) {
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-key');
    expect(headers).not.toHaveProperty('cookie');
  }
  await using stored = await openCrawl(out);
  const urls = [];
  for await (const url of stored.urls()) urls.push(url);
  const output = records + JSON.stringify([summary, stored.options, await stored.report(), urls]);
  expect(output).not.toContain('hidden');
  expect(output).not.toContain(btoa('me:hidden-1'));
  expect(records).toContain('Authorization: [removed]\r\n');
  for (const name of ['', ...readdirSync(out)])
    expect(`${name} ${statSync(join(out, name)).mode & 0o077}`).toBe(`${name} 0`);
});

test('a proxy that cannot be used pauses the crawl: no host is given up, and nothing is lost', async () => {
  const { summary } = await crawl({
    seeds: ['http://a.test/', 'http://b.test/'],
    contact: 'me@example.org',
    keepTrying: false,
    proxies: [{ url: 'http://me:hidden@127.78.0.53:9' }],
  });
  expect(summary).toMatchObject({ state: 'paused', setAside: [], byStatus: { waiting: 2, failed: 0 } });
  expect(summary.reason).toMatch(
    /^proxy: the proxy http:\/\/127\.78\.0\.53:9 cannot be used: connection refused/,
  );
  expect(JSON.stringify(summary)).not.toContain('hidden');
  expect(exitCodeOf(summary)).toBe(exitCodes.proxyFailed);
});

test('records name the protocol that they were fetched by', async () => {
  const own = await site('127.78.0.54', () => ({ html: 'x' }));
  const { records } = await crawl({ seeds: [own.origin] });
  expect(records.match(/^WARC-Protocol: http\/1\.1\r$/gm)?.length).toBeGreaterThanOrEqual(2);
});
