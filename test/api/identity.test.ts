import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openCrawl, readPage, resumeCrawl, startCrawl } from '../../api/index.ts';
import { type ReceivedRequest, verifyByRfc9421, verifyByWebBotAuth } from '../core/identity/verifiers.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

const AGENT = 'https://crawler.example.org';
/** A hook of the test's own: the crawl begins in this thread, which is quicker. */
const onError = () => {};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-identity-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Jwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly d: string;
}
const newJwk = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as never as Jwk;

function identityFile(keys: readonly object[], more: object = { agent: AGENT }): string {
  const file = join(folder, 'identity.json');
  writeFileSync(file, JSON.stringify({ ...more, keys }), { mode: 0o600 });
  return file;
}

/** A site with a redirect, a page that fails at first, a sitemap and a missing page. It keeps each request. */
async function serveSite(address: string) {
  const seen: ReceivedRequest[] = [];
  let failures = 0;
  const server = createServer((request, response) => {
    const { host = '' } = request.headers;
    const url = `http://${host}${request.url}`;
    const fields = Object.fromEntries(
      Array.from({ length: request.rawHeaders.length / 2 }, (_, i) =>
        request.rawHeaders.slice(2 * i, 2 * i + 2),
      ),
    );
    seen.push({ method: request.method ?? '', url, fields });
    const { pathname } = new URL(url);
    const html = (text: string) => response.writeHead(200, { 'content-type': 'text/html' }).end(text);
    if (pathname === '/robots.txt') response.end(`Sitemap: http://${host}/sitemap.xml`);
    else if (pathname === '/sitemap.xml')
      response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(`<urlset><url><loc>http://${host}/listed</loc></url></urlset>`);
    else if (pathname === '/moved') response.writeHead(301, { location: '/%C3%A9t%C3%A9?a=%20b' }).end();
    else if (pathname === '/flaky' && failures++ === 0) response.writeHead(500).end();
    else if (pathname === '/') html('<a href="/moved">a</a><a href="/flaky">b</a><a href="/a//b?c">c</a>');
    else html(`page ${pathname}`);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { seen, origin: `http://${address}:${(server.address() as AddressInfo).port}` };
}

const archiveOf = (out: string) => {
  const files = readdirSync(join(out, 'archive')).filter((name) => name.endsWith('.gz'));
  return files
    .map((name) => gunzipSync(readFileSync(join(out, 'archive', name))).toString('latin1'))
    .join('');
};

/** All that is in a folder, files of SQLite included. */
const allBytes = (path: string): string =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('');

const SETTINGS = { ...QUICK, retryMs: 1, backoffMs: 1 };

async function expectVerified(seen: readonly ReceivedRequest[], key: Jwk): Promise<void> {
  for (const request of seen) {
    await verifyByRfc9421(request, key);
    await verifyByWebBotAuth(request, key);
  }
  expect(new Set(seen.map(({ fields }) => fields.Signature ?? fields.signature)).size).toBe(seen.length);
}

test('every request is signed: pages, robots.txt, sitemaps, redirects and retries; the archive has the signatures as sent', async () => {
  const site = await serveSite('127.92.0.1');
  const jwk = newJwk();
  const out = join(folder, 'c');
  const identity = { key: identityFile([jwk]) };
  const crawl = await startCrawl({
    ...SETTINGS,
    seeds: [site.origin],
    out,
    identity,
    from: 'me@example.org',
  });
  await crawl.done;
  const paths = site.seen.map(({ url }) => url.slice(site.origin.length)).sort();
  expect(paths).toEqual(
    [
      '/',
      '/%C3%A9t%C3%A9?a=%20b',
      '/a//b?c',
      '/flaky',
      '/flaky',
      '/listed',
      '/moved',
      '/robots.txt',
      '/sitemap.xml',
    ].sort(),
  );
  await expectVerified(site.seen, jwk);
  const records = archiveOf(out);
  // A response that is asked for again is not archived.
  const retried = site.seen.find(({ url }) => url.endsWith('/flaky'));
  for (const { fields } of site.seen.filter((request) => request !== retried)) {
    expect(fields['Signature-Agent']).toBe(`sig1="${AGENT}"`);
    expect(fields.From).toBe('me@example.org');
    for (const name of ['Signature', 'Signature-Input', 'Signature-Agent'])
      expect(records).toContain(`\r\n${name}: ${fields[name]}\r\n`);
  }
  await using stored = await openCrawl(out);
  expect(JSON.stringify(stored.options)).not.toContain('identity');
  expect(records + allBytes(out)).not.toContain(jwk.d);
});

test('a key that is given as such is not kept with the crawl, which asks for it when it is resumed', async () => {
  const site = await serveSite('127.92.0.2');
  const jwk = newJwk();
  const out = join(folder, 'c');
  const identity = { agent: AGENT, key: { ...jwk } };
  const crawl = await startCrawl({
    ...SETTINGS,
    seeds: [site.origin],
    out,
    identity,
    maxPages: 1,
    workers: 2,
  });
  await crawl.done;
  expect(allBytes(out)).not.toContain(jwk.d);
  await expect(resumeCrawl(out, { maxPages: 100 })).rejects.toThrow('not kept with it: give it again');
  const before = site.seen.length;
  await (await resumeCrawl(out, { maxPages: 100, identity })).done;
  expect(site.seen.length).toBeGreaterThan(before);
  await expectVerified(site.seen, jwk);
  expect(archiveOf(out) + allBytes(out)).not.toContain(jwk.d);
});

test('a crawl with the key in a file is resumed without naming it again', async () => {
  const site = await serveSite('127.92.0.3');
  const jwk = newJwk();
  const out = join(folder, 'c');
  const identity = { key: identityFile([jwk]) };
  await (await startCrawl({ ...SETTINGS, seeds: [site.origin], out, identity, maxPages: 1 })).done;
  await (await resumeCrawl(out, { maxPages: 100 })).done;
  expect(site.seen.length).toBeGreaterThan(4);
  await expectVerified(site.seen, jwk);
});

test('requests by a proxy are signed for the site', async () => {
  const site = await serveSite('127.92.0.4');
  const proxy = createServer((request, response) => {
    const { hostname, port } = new URL(request.url ?? '');
    const onward = {
      host: hostname,
      port,
      path: new URL(request.url ?? '').pathname,
      headers: request.headers,
    };
    request.pipe(
      forward(onward, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.92.0.5', resolve));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const jwk = newJwk();
  const page = await readPage(`${site.origin}/some/page`, {
    ...QUICK,
    proxies: [{ url: `http://127.92.0.5:${(proxy.address() as AddressInfo).port}` }],
    identity: { agent: AGENT, key: { ...jwk } },
  });
  expect(page.markdown).toContain('page /some/page');
  expect(site.seen.length).toBeGreaterThan(1);
  await expectVerified(site.seen, jwk);
});

test('a crawl whose key expires within two weeks says so in its log', async () => {
  const site = await serveSite('127.92.0.9');
  const lines: string[] = [];
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const crawl = await startCrawl({
    ...SETTINGS,
    seeds: [site.origin],
    out: join(folder, 'c'),
    identity: { key: identityFile([{ ...newJwk(), exp }]) },
    onError,
    onLog: (entry) => lines.push(JSON.stringify(entry)),
  });
  await crawl.done;
  expect(lines.join()).toContain('strand identity rotate');
  expect(site.seen.length).toBeGreaterThan(4);
});

test('without an identity, no request has a signature', async () => {
  const site = await serveSite('127.92.0.6');
  await (await startCrawl({ ...SETTINGS, seeds: [site.origin], out: join(folder, 'c') })).done;
  for (const { fields } of site.seen)
    expect(Object.keys(fields).filter((name) => /^(signature|from)/i.test(name))).toEqual([]);
});

test('hooks and settings cannot replace a signature', async () => {
  const site = await serveSite('127.92.0.7');
  const jwk = newJwk();
  const given = { ...SETTINGS, seeds: [site.origin], identity: { agent: AGENT, key: { ...jwk } } };
  const crawl = await startCrawl({
    ...given,
    out: join(folder, 'c'),
    middleware: [
      (request, next) => next({ ...request, headers: { Signature: 'sig1=:AAAA:', 'signature-input': 'x' } }),
    ],
  });
  await crawl.done;
  await expectVerified(site.seen, jwk);
  const headers = { seeds: { 'Signature-Agent': 'sig1="https://other.example"' } };
  await expect(startCrawl({ ...given, out: join(folder, 'd'), headers })).rejects.toThrow(
    'each request has its own signature',
  );
});

test.each([
  ['no file', () => ({ key: join(folder, 'none.json') }), 'no such file'],
  ['a folder', () => ({ key: folder }), 'to be a file'],
  [
    'a file that is no JSON',
    () => ({ key: written('-----BEGIN PRIVATE KEY-----\nhidden') }),
    'got a PEM file',
  ],
  ['text', () => ({ key: written('hidden') }), 'got something else'],
  ['a large file', () => ({ key: written(' '.repeat(70_000)) }), 'at most 65536'],
  ['a key without an agent', () => ({ key: identityFile([newJwk()], {}) }), 'it is missing'],
  [
    'an agent by http',
    () => ({ key: identityFile([newJwk()], { agent: 'http://a.example' }) }),
    'by https only',
  ],
  ['an agent by http in the settings', () => ({ agent: 'http://a.example', key: 'x' }), 'https origin'],
  [
    'an expired key',
    () => ({ key: identityFile([{ ...newJwk(), exp: 1_000_000 }]) }),
    'expired on 1970-01-12',
  ],
  [
    'a key of the future',
    () => ({ key: identityFile([{ ...newJwk(), nbf: 9_999_999_999 }]) }),
    'not valid before',
  ],
  ['a key of another type', () => ({ agent: AGENT, key: { kty: 'RSA', d: 'hidden' } }), 'a key of type RSA'],
  ['a file that others may read', () => ({ key: opened(identityFile([newJwk()])) }), 'chmod 600'],
])('%s is refused before the first request', async (_name, identity, message) => {
  const site = await serveSite('127.92.0.8');
  const out = join(folder, 'c');
  const error = await startCrawl({
    ...SETTINGS,
    seeds: [site.origin],
    out,
    identity: identity(),
    onError,
  }).then(
    () => new Error('It has begun'),
    (refusal: Error) => refusal,
  );
  expect(error).toMatchObject({ name: 'InvalidConfig', message: expect.stringContaining(message) });
  expect(`${error.message} ${error.stack} ${error.cause}`).not.toContain('hidden');
  expect(site.seen).toEqual([]);
});

function written(text: string): string {
  const file = join(folder, 'key');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

function opened(file: string): string {
  chmodSync(file, 0o640);
  return file;
}
