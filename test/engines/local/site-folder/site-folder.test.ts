/** Pages of a host from a folder, as a server of static files answers. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InvalidConfig } from '../../../../shared/core/crawl/invalid-config.ts';
import type { FetchRequest } from '../../../../shared/core/outcome/fetch-request.ts';
import { canonicalize } from '../../../../shared/core/url/canonical.ts';
import type { Fetcher } from '../../../../shared/crawler/ports/fetcher.ts';
import {
  withAbsoluteFolders,
  withSiteFolders,
} from '../../../../shared/engines/local/site-folder/with-site-folders.ts';
import { lacks, needs } from '../../../needs.ts';

const HOST = 'docs.test:8080';
const MODIFIED = new Date('2026-01-02T03:04:05.678Z');
const SECRET = 'outside the folder';
const FILES: Readonly<Record<string, string>> = {
  'index.html': '<h1>Start</h1>',
  'guide/index.html': '<h1>Guide</h1>',
  'guide/first.html': '<h1>First</h1>',
  'guide/.hidden': 'h',
  'files/a b#c&"<.txt': 'odd',
  'files/plain.PDF': '%PDF',
  'files/deep/x': '1',
  'no ending': 'n',
  '.well-known/security.txt': 'mail',
};

let parent: string;
let fetcher: Fetcher;
const asked: string[] = [];
const network: Fetcher = {
  fetch: async ({ url }) => {
    asked.push(url);
    return { status: 'failed', url, startedAt: 1, endedAt: 1, reason: 'dns', message: 'network' };
  },
  addressesOf: async () => ['192.0.2.1'],
  close: async () => {},
};

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'strand-site-'));
  const root = join(parent, 'public');
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, MODIFIED, MODIFIED);
  }
  writeFileSync(join(parent, 'secret.html'), SECRET);
  let site = root;
  if (!lacks('links')) {
    symlinkSync(join(parent, 'secret.html'), join(root, 'leads-out.html'));
    symlinkSync(parent, join(root, 'up'));
    symlinkSync('guide', join(root, 'alias'));
    symlinkSync('loop', join(root, 'loop'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    // The folder itself may be a link.
    site = join(parent, 'site');
    symlinkSync(root, site);
  }
  fetcher = withSiteFolders(network, [[HOST, site]], { now: () => 5, maxBodyBytes: 1000 });
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function get(path: string, more: Partial<FetchRequest> = {}) {
  const outcome = await fetcher.fetch({ url: `http://${HOST}${path}`, ...more });
  if (outcome.status !== 'response') throw new Error(outcome.message);
  const { httpStatus, headers, body, truncated } = outcome;
  const fields = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return { httpStatus, fields, text: Buffer.from(await body.bytes()).toString(), truncated };
}

test.each([
  ['/', 200, '<h1>Start</h1>', 'text/html'],
  ['/?x=1', 200, '<h1>Start</h1>', 'text/html'],
  ['/guide/', 200, '<h1>Guide</h1>', 'text/html'],
  ['/guide/first.html', 200, '<h1>First</h1>', 'text/html'],
  ['/guide/first', 200, '<h1>First</h1>', 'text/html'],
  ['/files/plain.PDF', 200, '%PDF', 'application/pdf'],
  ['/files/a%20b%23c%26%22%3C.txt', 200, 'odd', 'text/plain'],
  ['/no%20ending', 200, 'n', undefined],
  ['/.well-known/security.txt', 200, 'mail', 'text/plain'],
  ['/guide', 301, '', undefined],
  ['/nothing', 404, '', undefined],
  ['/index.html/', 404, '', undefined],
  ['/index.html/x', 404, '', undefined],
  ['/%E0%A4%A', 404, '', undefined],
  ['/%2e%2e%2fsecret.html', 404, '', undefined],
  ['/..%2Fsecret', 404, '', undefined],
  ['/a%00b', 404, '', undefined],
  [`/${'x'.repeat(300)}`, 404, '', undefined],
])('%s is %i', async (path, httpStatus, text, type) => {
  const found = await get(path);
  expect(found).toMatchObject({ httpStatus, text });
  expect(found.fields['content-type']).toBe(type);
});

needs('links').each([
  ['/alias/first', 200],
  ['/leads-out.html', 403],
  ['/up/secret.html', 403],
  ['/up/', 403],
  ['/loop', 403],
  ['/pipe', 403],
])('%s, by a link or a pipe, is %i', async (path, httpStatus) => {
  expect(await get(path)).toMatchObject({ httpStatus, text: httpStatus === 200 ? '<h1>First</h1>' : '' });
});

test('a folder without a slash leads to the one with it', async () => {
  expect((await get('/guide?a=b')).fields.location).toBe('/guide/');
});

test('a folder without index.html is a page of its files, whatever their names', async () => {
  const { text, fields } = await get('/files/');
  const url = `http://${HOST}/files/`;
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => canonicalize(href ?? '', url));
  expect(fields['content-type']).toBe('text/html; charset=utf-8');
  expect(links.map((link) => link?.slice(url.length))).toEqual([
    'a%20b%23c%26%22%3C.txt',
    'deep/',
    'plain.PDF',
  ]);
});

test('what has not changed is a 304, by its tag or its time', async () => {
  const { fields } = await get('/guide/first');
  expect(fields['last-modified']).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
  const tag = { 'If-None-Match': fields.etag as string };
  expect(await get('/guide/first', { headers: tag })).toMatchObject({ httpStatus: 304, text: '' });
  const since = { 'if-modified-since': fields['last-modified'] as string };
  expect(await get('/guide/first', { headers: since })).toMatchObject({ httpStatus: 304 });
  // A file of the same time and length has another tag.
  expect(await get('/guide/', { headers: tag })).toMatchObject({ httpStatus: 200 });
});

test('a HEAD has no body, and another method is not allowed', async () => {
  expect(await get('/', { method: 'HEAD' })).toMatchObject({
    httpStatus: 200,
    text: '',
    fields: { 'content-length': '14' },
  });
  expect(await get('/', { method: 'POST', body: 'x' })).toMatchObject({ httpStatus: 405 });
});

test('a large file is cut at the least of the limits, and marked', async () => {
  writeFileSync(join(parent, 'public', 'large.txt'), 'x'.repeat(5000));
  const whole = await get('/large.txt');
  expect([whole.text.length, whole.truncated]).toEqual([1000, 'length']);
  const less = await get('/large.txt', { maxBodyBytes: 10 });
  expect([less.text.length, less.truncated]).toEqual([10, 'length']);
  writeFileSync(join(parent, 'public', 'large.txt'), 'x'.repeat(1000));
  expect((await get('/large.txt')).truncated).toBeUndefined();
});

test('the 404 of the folder has the status 404', async () => {
  writeFileSync(join(parent, 'public', '404.html'), '<p>gone');
  const found = await get('/nothing');
  rmSync(join(parent, 'public', '404.html'));
  expect(found).toMatchObject({ httpStatus: 404, text: '<p>gone', fields: { 'content-type': 'text/html' } });
});

test('a folder that is gone is a failure of each request, not the end of its pages', async () => {
  const folder = join(parent, 'unmounted');
  mkdirSync(folder);
  const own = withSiteFolders(network, [['gone.test', folder]], { now: () => 5, maxBodyBytes: 1000 });
  expect(await own.fetch({ url: 'http://gone.test/a' })).toMatchObject({ httpStatus: 404 });
  rmSync(folder, { recursive: true });
  for (const path of ['/', '/a'])
    expect(await own.fetch({ url: `http://gone.test${path}` })).toMatchObject({
      status: 'failed',
      code: 'connectionFailed',
      message: expect.stringMatching(/^the folder cannot be read: ENOENT/),
    });
});

test('other hosts and ports are asked by the network; the host has no address', async () => {
  asked.length = 0;
  for (const url of ['http://docs.test/', 'http://other.test/']) await fetcher.fetch({ url });
  expect(asked).toEqual(['http://docs.test/', 'http://other.test/']);
  expect(await fetcher.addressesOf?.(HOST)).toEqual([]);
  expect(await fetcher.addressesOf?.('other.test')).toEqual(['192.0.2.1']);
});

test('no URL reads a file outside of the folder', async () => {
  const part = fc.oneof(
    fc.constantFrom(
      '..',
      '%2e%2e',
      '..%2f',
      '%5c..',
      'up',
      'secret.html',
      'alias',
      '.',
      '',
      'leads-out',
      '%00',
    ),
    fc.string({ maxLength: 5 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const url = canonicalize(`http://${HOST}/${parts.join('/')}`);
      if (url === undefined) return;
      const outcome = await fetcher.fetch({ url });
      if (outcome.status !== 'response') throw new Error(`${url}: ${outcome.message}`);
      expect(Buffer.from(await outcome.body.bytes()).toString()).not.toContain(SECRET);
    }),
    { numRuns: 300 },
  );
});

test('a folder that is not there, or is a file, is refused', () => {
  const options = (folder: string) => ({ fromFolder: [['a.test', folder]] as [string, string][] });
  for (const [name, message] of [
    ['missing', /^The folder of fromFolder cannot be read: ENOENT/],
    ['secret.html', /^Expected fromFolder to name a folder, got the file /],
  ] as const) {
    expect(() => withAbsoluteFolders(options(join(parent, name)))).toThrow(message);
    expect(() => withAbsoluteFolders(options(join(parent, name)))).toThrow(InvalidConfig);
  }
});
