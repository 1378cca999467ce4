/** The API of a stack over folders of this machine, and who gets an answer. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Series } from '../../../../api/local/api-server/events.ts';
import { readToken } from '../../../../api/local/api-server/guard.ts';
import { serveApi } from '../../../../api/local/api-server/serve-api.ts';
import { FolderExportNotes } from '../../../../shared/engines/local/exports/export-notes.ts';
import {
  CLOUD_FORMATS,
  type CrawlExport,
  isOpenExport,
} from '../../../../shared/services/control/crawl-export.ts';
import { answerSchema, ROUTES } from '../../../../shared/services/http-api/route-table.ts';
import { serveAnswers } from '../../small-server.ts';

const temporary = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-api-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

async function open({
  tokenFile,
  folder = join(temporary(), 'crawls'),
}: {
  tokenFile?: string;
  folder?: string;
} = {}) {
  const errors: unknown[] = [];
  const server = await serveApi({
    folder,
    settings: { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false },
    tokenFile,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => server.close());
  const call = async (method: string, path: string, body?: unknown) => {
    const sent =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(server.url + path, { method, ...sent });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { server, call, errors, folder };
}

/** Sends a request with any header. */
const raw = (
  url: string,
  path: string,
  headers: Record<string, string>,
  { method = 'GET', body = '' } = {},
) =>
  new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = httpRequest({ hostname, port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });

const SITE = {
  '/': '<title>Start</title><main>The start page has words.</main><a href="/a">a</a><a href="/gone">b</a>',
  '/a': '<p>A page about ships.</p>',
};

/** Waits until the crawl has ended; it is interrupted for the moment before it takes up new seeds. */
async function ended(call: Awaited<ReturnType<typeof open>>['call'], crawl: string) {
  for (;;) {
    const { body } = await call('GET', `/crawls/${crawl}`);
    if (body.state !== 'running' && body.state !== 'interrupted') return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a crawl is begun, asked, paused, continued and deleted by the routes of a stack, with its answers', async () => {
  const site = await serveAnswers('127.81.3.1', SITE);
  const { call, errors } = await open();
  const answers = new Map<string, unknown>();
  const ask = async (operationId: string, path: string, expected: number, body?: unknown) => {
    const { method } = ROUTES.find((route) => route.operationId === operationId)!;
    const answer = await call(method, path, body);
    expect([operationId, answer.status, answer.body.error]).toEqual([operationId, expected, undefined]);
    answers.set(operationId, answer.body);
    return answer.body;
  };
  const begun = await ask('createCrawl', '/crawls', 201, { crawl: 'docs', seeds: [site, 'mailto:x'] });
  expect(begun).toMatchObject({ crawl: 'docs', refused: [{ url: 'mailto:x' }] });
  expect(await ended(call, 'docs')).toMatchObject({ state: 'finished', crawl: 'docs', pages: 3 });
  await ask('getCrawl', '/crawls/docs', 200);
  expect(await ask('listCrawls', '/crawls', 200)).toEqual({
    crawls: [{ crawl: 'docs', state: 'finished', pages: 3 }],
  });
  await ask('listHosts', '/crawls/docs/hosts', 200);
  await ask('getHost', `/crawls/docs/hosts/${new URL(site).host}`, 200);
  await ask('listDomains', '/crawls/docs/domains', 200);
  expect(await ask('getUrl', `/crawls/docs/url?url=${site}/a`, 200)).toMatchObject({
    status: 'fetched',
    depth: 1,
  });
  const first = await ask('listCaptures', `/crawls/docs/captures?url=${site}/&matchType=prefix&limit=2`, 200);
  expect((first.captures as { url: string }[]).map(({ url }) => url)).toEqual([`${site}/`, `${site}/a`]);
  const second = await call(
    'GET',
    `/crawls/docs/captures?url=${site}/&matchType=prefix&cursor=${first.cursor}`,
  );
  expect(second.body.captures).toMatchObject([
    { url: `${site}/gone`, httpStatus: 404 },
    { url: `${site}/robots.txt` },
  ]);
  await ask('listExports', '/crawls/docs/exports', 200);
  await ask('addSeeds', '/crawls/docs/seeds', 200, { seeds: [`${site}/b`] });
  // A crawl that is just ending takes them up when it has ended.
  while ((await ended(call, 'docs')).pages !== 4) await new Promise((resolve) => setTimeout(resolve, 50));
  await ask('resumeCrawl', '/crawls/docs/resume', 200, { maxPages: 50 });
  await ended(call, 'docs');
  const { paths } = await ask('getApiDescription', '/openapi.json', 200);
  const own = [
    '/crawls/{crawl}',
    '/crawls/{crawl}/events',
    '/crawls/{crawl}/series',
    '/v2/scrape',
    '/v1/crawl/{id}',
  ];
  expect(own.filter((path) => !(path in (paths as object)))).toEqual([]);
  const { samples } = (await call('GET', '/crawls/docs/series')).body as { samples: { pages: number }[] };
  expect(samples.at(-1)?.pages).toBe(4);
  await ask('deleteCrawl', '/crawls/docs?archive=true', 202);
  expect((await call('GET', '/crawls')).body).toEqual({ crawls: [] });
  for (const [operationId, body] of answers) {
    const parsed = answerSchema(ROUTES.find((route) => route.operationId === operationId)!).safeParse(body);
    expect([operationId, parsed.error?.issues]).toEqual([operationId, undefined]);
  }
  expect(errors).toEqual([]);
});

test('a crawl that runs is paused, refused to a second process, and interrupted when the server ends', async () => {
  const site = await serveAnswers('127.81.3.2', SITE);
  const { call } = await open();
  await call('POST', '/crawls', { crawl: 'slow', seeds: [site], config: { delayMs: 60_000 } });
  expect(await call('POST', '/crawls', { crawl: 'slow', seeds: [site] })).toMatchObject({ status: 409 });
  expect((await call('POST', '/crawls/slow/pause')).body).toMatchObject({ crawl: 'slow', state: 'paused' });
  expect((await call('POST', '/crawls/slow/resume')).body).toMatchObject({ state: 'running' });
  expect((await call('POST', '/crawls/slow/resume')).status).toBe(409);
  expect((await call('POST', '/crawls/slow/stop')).body).toMatchObject({ state: 'stopped' });
});

/** Waits until no export of the crawl is open. */
async function exported(call: Awaited<ReturnType<typeof open>>['call'], crawl: string) {
  for (;;) {
    const exports = (await call('GET', `/crawls/${crawl}/exports`)).body.exports as CrawlExport[];
    if (!exports.some(({ state }) => isOpenExport(state))) return exports;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('each kind of export is made in the folder of its crawl, and said when it is whole', async () => {
  const site = await serveAnswers('127.81.3.4', SITE);
  const { call, errors, folder } = await open();
  await call('POST', '/crawls', { crawl: 'docs', seeds: [site] });
  await ended(call, 'docs');
  const begun: unknown[] = [];
  const answer = ROUTES.find(({ operationId }) => operationId === 'createExport')!;
  for (const format of CLOUD_FORMATS) {
    const { status, body } = await call('POST', '/crawls/docs/exports', { format });
    expect([format, status, answerSchema(answer).safeParse(body).error]).toEqual([format, 202, undefined]);
    begun.push(body.id);
    if (begun.length % 8 === 0) await exported(call, 'docs');
  }
  const made = await exported(call, 'docs');
  expect(made.map(({ id }) => id)).toEqual(begun.sort());
  for (const { id, format, state, location, share, message } of made) {
    expect([format, state, share, message]).toEqual([format, 'done', 1, undefined]);
    expect(location).toBe(pathToFileURL(join(folder, 'docs', 'exports', id, '/')).href);
    expect(readdirSync(new URL(location))).toContain('export.json');
    expect((await call('GET', `/crawls/docs/exports/${id}`)).body).toMatchObject({ id, state: 'done' });
  }
  const urls = made.find(({ format }) => format === 'jsonl')!;
  const [file] = readdirSync(new URL(urls.location)).filter((name) => name !== 'export.json');
  const text = gunzipSync(readFileSync(new URL(file!, urls.location))).toString();
  expect(text).toContain(`"url":"${site}/a"`);
  expect((await call('GET', '/crawls/docs/exports/..%2F..%2Fdocs')).status).toBe(404);
  await call('DELETE', '/crawls/docs?archive=true');
  expect([readdirSync(folder), errors]).toEqual([[], []]);
});

test('exports that a process has left are made by the next one, and one that never ends is given up', async () => {
  const site = await serveAnswers('127.81.3.5', SITE);
  const { call, folder, errors } = await open();
  await call('POST', '/crawls', { crawl: 'docs', seeds: [site] });
  await ended(call, 'docs');
  const exports = join(folder, 'docs', 'exports');
  const clock = { now: () => 0, uuid: () => '1f3a' };
  const left = await new FolderExportNotes('docs', exports, clock).begin({ format: 'csv' });
  const note = JSON.parse(readFileSync(join(exports, `${left.id}.json`), 'utf8'));
  const hopeless = left.id.replace('1f3a', '0000');
  writeFileSync(join(exports, `${hopeless}.json`), JSON.stringify({ ...note, state: 'running', tries: 3 }));
  writeFileSync(join(exports, `${left.id.replace('1f3a', '2222')}.json`), '{"half":');
  const next = await open({ folder });
  const found = await exported(next.call, 'docs');
  expect(found.map(({ id, state, message }) => [id, state, message])).toEqual([
    [hopeless, 'failed', '3 tries came to no end'],
    [left.id, 'done', undefined],
  ]);
  expect([errors, next.errors]).toEqual([[], []]);
});

test('a crawl that is deleted leaves the files of its exports as long as its archive', async () => {
  const site = await serveAnswers('127.81.3.9', SITE);
  const { call, folder } = await open();
  await call('POST', '/crawls', { crawl: 'docs', seeds: [site] });
  await ended(call, 'docs');
  const { body } = await call('POST', '/crawls/docs/exports', { format: 'csv' });
  await exported(call, 'docs');
  await call('DELETE', '/crawls/docs');
  expect(readdirSync(join(folder, 'docs/exports'))).toEqual([body.id]);
  expect(readdirSync(join(folder, 'docs/exports', String(body.id)))).toContain('export.json');
  await call('DELETE', '/crawls/docs?archive=true');
  expect(readdirSync(folder)).toEqual([]);
});

test('the list of sites is replaced while the crawl runs and after', async () => {
  const first = await serveAnswers('127.81.3.6', SITE);
  const second = await serveAnswers('127.81.3.7', SITE);
  const third = await serveAnswers('127.81.3.8', SITE);
  const { call } = await open();
  await call('POST', '/crawls', { crawl: 'many', sites: [{ url: first }], config: { delayMs: 1000 } });
  const changed = await call('POST', '/crawls/many/sites', { sites: [{ url: first }, { url: second }] });
  expect(changed).toEqual({
    status: 200,
    body: { added: [new URL(second).host], changed: [], removed: [] },
  });
  await ended(call, 'many');
  const again = await call('POST', '/crawls/many/sites', { sites: [{ url: second }, { url: third }] });
  expect(again.body).toMatchObject({ added: [new URL(third).host], removed: [new URL(first).host] });
  while ((await ended(call, 'many')).pages !== 9) await new Promise((resolve) => setTimeout(resolve, 50));
  const { body } = await call('GET', '/crawls/many/sites');
  expect((body.sites as { site: string }[]).map(({ site }) => site)).toEqual([`${second}/`, `${third}/`]);
  const wrong = await call('POST', '/crawls/many/sites', { sites: [{ url: second, robots: 'ignore' }] });
  expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([400, expect.stringMatching(/robots/)]);
  await call('POST', '/crawls/many/stop');
});

test.each<[method: string, path: string, body: unknown, status: number, message: RegExp]>([
  ['GET', '/crawls/none', undefined, 404, /no crawl/],
  ['GET', '/crawls/..%2F..%2Fetc', undefined, 400, /crawl/],
  ['GET', '/crawls/..', undefined, 404, /nothing at/],
  [
    'POST',
    '/crawls',
    { seeds: ['http://127.0.0.1/'], config: { fromFolder: [['a.test', '/etc']] } },
    400,
    /fromFolder.*only the operator/,
  ],
  [
    'POST',
    '/crawls',
    { seeds: ['http://127.0.0.1/'], config: { allowPrivateAddresses: ['10.0.0.0/8'] } },
    400,
    /only the operator/,
  ],
  ['POST', '/crawls', { seeds: [] }, 400, /seeds/],
  ['POST', '/crawls', { seeds: ['a.test'], more: 1 }, 400, /more/],
  ['PUT', '/crawls', undefined, 405, /methods/],
])('%s %s with %j is refused', async (method, path, body, status, message) => {
  const { call } = await open();
  const answer = await call(method, path, body);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(message)]);
});

test('the description says what a body must have, and how a refusal looks', async () => {
  const { server } = await open();
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: object; responses: object }>>;
  };
  expect(paths['/v2/scrape']?.post).toMatchObject({
    requestBody: { content: { 'application/json': { schema: { required: ['url'] } } } },
    responses: {
      default: { content: { 'application/json': { schema: { required: ['success', 'error'] } } } },
    },
  });
  const { status, headers } = await fetch(`${server.url}/crawls`, { method: 'PUT' });
  expect([status, headers.get('allow')]).toEqual([405, 'POST, GET']);
});

test('the description names the token where one is needed, and no list whose items generators of clients refuse', async () => {
  const file = join(temporary(), 'token');
  writeFileSync(file, 'a-long-enough-token\n', { mode: 0o600 });
  const { server } = await open({ tokenFile: file });
  const headers = { authorization: 'Bearer a-long-enough-token' };
  const document = await (await fetch(`${server.url}/openapi.json`, { headers })).json();
  expect(document).toMatchObject({
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  });
  const faults: unknown[] = [];
  JSON.stringify(document, (_, value) => {
    const isTyped = typeof value?.items === 'object' && value.prefixItems === undefined;
    if (value?.type === 'array' && !isTyped) faults.push(value);
    return value;
  });
  expect(faults).toEqual([]);
});

test('each refusal has the form that is described for its route', async () => {
  const { server } = await open();
  const said = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(server.url + path, { headers })).json();
  expect(await said('/crawls/none/events')).toEqual({
    error: { code: 'notFound', message: 'No crawl none runs in this process' },
  });
  const foreign = { origin: 'https://evil.example' };
  expect(await said('/crawls', foreign)).toEqual({
    error: { code: 'invalid', message: 'Another website sent this' },
  });
  expect(await said('/v2/crawl', foreign)).toEqual({ success: false, error: 'Another website sent this' });
});

test('only programs of this machine get an answer: no other name, website, type, size', async () => {
  const { server } = await open();
  const { host, port } = new URL(server.url);
  const json = { 'content-type': 'application/json' };
  expect(await raw(server.url, '/crawls', { host })).toBe(200);
  expect(await raw(server.url, '/crawls', { host: `localhost:${port}` })).toBe(200);
  expect(await raw(server.url, '/crawls', { host: 'evil.example' })).toBe(421);
  expect(await raw(server.url, '/crawls', { host: `evil.example:${port}` })).toBe(421);
  expect(await raw(server.url, '/crawls', { host, origin: 'https://evil.example' })).toBe(403);
  expect(await raw(server.url, '/crawls', { host, origin: 'null' })).toBe(403);
  expect(await raw(server.url, '/crawls', { host, 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await raw(server.url, '/crawls', { host, origin: `http://${host}` })).toBe(200);
  const post = { method: 'POST', body: '{"seeds":["a"]}' };
  expect(await raw(server.url, '/v2/scrape', { host, 'content-type': 'text/plain' }, post)).toBe(415);
  const large = { method: 'POST', body: ' '.repeat(4_000_001) };
  expect(await raw(server.url, '/crawls', { host, ...json }, large)).toBe(413);
});

test.each([
  ['//', 404],
  ['//evil.example/crawls', 404],
  ['http://evil.example/none', 404],
  ['http://[', 400],
])('the target %s gets an answer', async (target, status) => {
  const { server, errors } = await open();
  expect(await raw(server.url, target, { host: new URL(server.url).host })).toBe(status);
  expect(errors).toEqual([]);
});

test('an error of the server is said to it and to the client', async () => {
  const { server, errors } = await open();
  const { host } = new URL(server.url);
  vi.spyOn(Series.prototype, 'of').mockImplementation(() => {
    throw new Error('a bug');
  });
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await raw(server.url, '/crawls/docs/series', { host })).toBe(500);
  expect(errors).toEqual([new Error('a bug')]);
});

test('with a token, each request must have it', async () => {
  const tokenFile = join(temporary(), 'token');
  writeFileSync(tokenFile, 'a-token-of-many-letters\n', { mode: 0o600 });
  const { server } = await open({ tokenFile });
  const { host } = new URL(server.url);
  expect(await raw(server.url, '/crawls', { host })).toBe(401);
  expect(await raw(server.url, '/crawls', { host, authorization: 'Bearer a-token-of-many-letterz' })).toBe(
    401,
  );
  expect(await raw(server.url, '/crawls', { host, authorization: 'Bearer a-token-of-many-letters' })).toBe(
    200,
  );
  chmodSync(tokenFile, 0o644);
  if (process.platform !== 'win32') expect(() => readToken(tokenFile)).toThrow('mode 0600');
  writeFileSync(tokenFile, 'short', { mode: 0o600 });
  chmodSync(tokenFile, 0o600);
  expect(() => readToken(tokenFile)).toThrow('at least 16');
  expect(() => readToken(join(tokenFile, 'none'))).toThrow('cannot be read');
});

test('events come as they happen, until the crawl ends', async () => {
  const site = await serveAnswers('127.81.3.3', SITE);
  const { server, call } = await open();
  await call('POST', '/crawls', { crawl: 'seen', seeds: [site], config: { delayMs: 200 } });
  const response = await fetch(`${server.url}/crawls/seen/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const text = await response.text();
  expect(text).toMatch(/^event: progress\ndata: \{/);
  expect(text).toMatch(/event: finished\ndata: .*"state":"finished"/);
  expect((await call('GET', '/crawls/seen/events')).status).toBe(404);
});
