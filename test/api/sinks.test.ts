import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand, type PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openCrawl, startCrawl, verifyWebhook } from '../../api/index.ts';
import { parseSink } from '../../api/sinks/open-sink.ts';
import { openSearchSink } from '../../api/sinks/opensearch-sink.ts';
import { s3Sink } from '../../api/sinks/s3-sink.ts';
import { sendDocuments } from '../../api/sinks/send-documents.ts';
import { webhookSink } from '../../api/sinks/webhook-sink.ts';
import { printSent } from '../../cli/verbs/send.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import { bulkLines, bulkOutcomes, idOf } from '../../shared/services/outputs/sink/bulk.ts';
import type { DocumentSink, SinkChange } from '../../shared/services/outputs/sink/sink.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { rowOfPages, startSite } from '../local-crawl/small-site.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-sinks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pageOf = (n: number, visit = 1, text = `text ${n} of visit ${visit}`): DocumentRow => ({
  url: `https://a.test/${n}`,
  fetchedAt: new Date(Date.UTC(2026, 0, visit, 0, 0, n % 60)).toISOString(),
  types: [],
  depth: 1,
  textDigest: '',
  text,
  markdown: text,
  location: { file: `${visit}.warc.gz`, offset: n, length: 10 },
});

/** A crawl that has these documents now, and knows the states of other URLs. */
const crawlOf = (documents: readonly DocumentRow[], states: Record<string, string> = {}) => ({
  name: 'c',
  sent: join(folder, 'sinks.sqlite'),
  async *documents({ isWanted = () => true }: { isWanted?: (page: DocumentRow) => boolean } = {}) {
    for (const document of documents) if (isWanted(document)) yield document;
  },
  url: async (url: string) => ({ url, status: states[url] ?? 'gone' }) as never,
});

interface Stored {
  readonly version: number;
  /** Undefined: deleted, and its version is remembered. */
  readonly source: DocumentRow | undefined;
}

/**
 * As much of OpenSearch as a sink sees: an index, bulk requests, external versions. `fault` may say that a request (0) or
 * an entry (from 1) fails with a status.
 */
async function searchEngine(fault: (entry: number) => number | undefined = () => undefined) {
  const stored = new Map<string, Stored>();
  const counts = { requests: 0, entries: 0, made: 0 };
  const answerTo = (request: IncomingMessage, body: string): [number, unknown] => {
    if (request.headers.authorization !== `Basic ${Buffer.from('u:p').toString('base64')}`) return [401, {}];
    if (request.method === 'HEAD') return [counts.made > 0 ? 200 : 404, {}];
    if (request.method === 'PUT')
      return counts.made++ > 0 ? [400, { error: { type: 'resource_already_exists_exception' } }] : [200, {}];
    if (counts.made === 0) return [404, { error: { type: 'index_not_found_exception' } }];
    counts.requests++;
    const failed = fault(0);
    if (failed !== undefined) return [failed, {}];
    expect(body.endsWith('\n')).toBe(true);
    const lines = body.trimEnd().split('\n').values();
    const items = [...lines].length > 0 ? body.trimEnd().split('\n').values() : lines;
    const results: unknown[] = [];
    for (const line of items) {
      const [[action, { _id, version, version_type }]] = Object.entries(JSON.parse(line)) as never as [
        [string, { _id: string; version: number; version_type: string }],
      ];
      expect(version_type).toBe('external_gte');
      const source = action === 'index' ? (JSON.parse(items.next().value!) as DocumentRow) : undefined;
      const status = fault(++counts.entries);
      const before = stored.get(_id);
      if (status !== undefined)
        results.push({ [action]: { _id, status, error: { type: 'x', reason: 'y' } } });
      else if (before && before.version > version)
        results.push({
          [action]: { _id, status: 409, error: { type: 'version_conflict_engine_exception' } },
        });
      else {
        stored.set(_id, { version, source });
        results.push({ [action]: { _id, status: source || before?.source ? 200 : 404 } });
      }
    }
    return [200, { errors: true, items: results }];
  };
  const server = createServer(async (request, response) => {
    const [status, answer] = answerTo(request, Buffer.concat(await request.toArray()).toString());
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.5.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.78.5.1:${(server.address() as AddressInfo).port}/pages`;
  const texts = () =>
    [...stored.values()].flatMap(({ source }) => (source ? [`${source.url} ${source.text}`] : [])).sort();
  return { url, texts, stored, counts };
}

const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`;
const sleep = async () => {};
const textsOf = (documents: readonly DocumentRow[]) =>
  documents.map(({ url, text }) => `${url} ${text}`).sort();

test('a search engine has every document though a tenth of the entries fails and it is busy at times', async () => {
  let random = 7;
  const chance = () => {
    random = (random * 48_271) % 2_147_483_647;
    return random / 2_147_483_647;
  };
  const engine = await searchEngine((entry) => {
    if (entry === 0) return chance() < 0.2 ? 429 : undefined;
    return chance() < 0.1 ? [429, 503, 500][entry % 3] : undefined;
  });
  const documents = Array.from({ length: 1200 }, (_, n) => pageOf(n));
  const sink = await openSearchSink({ url: engine.url, authorization, sleep });
  const counts = await sendDocuments(crawlOf(documents), 'x', { sink });
  expect(counts).toEqual({ sent: 1200, deleted: 0, refused: 0, skipped: 0 });
  expect(engine.texts()).toEqual(textsOf(documents));
  // Documents that were taken are not sent again with the others.
  expect(engine.counts.entries).toBeLessThan(1200 * 1.3);
});

test('what has not changed is not sent again, new visits replace, gone pages are deleted, failing ones stay', async () => {
  const engine = await searchEngine();
  const options = { url: engine.url, authorization, sleep };
  const run = async (documents: readonly DocumentRow[], states = {}) =>
    sendDocuments(crawlOf(documents, states), 'x', { sink: await openSearchSink(options) });
  const first = [1, 2, 3, 4].map((n) => pageOf(n));
  await run(first);
  expect(await run(first)).toEqual({ sent: 0, deleted: 0, refused: 0, skipped: 0 });
  const second = [pageOf(1, 2), pageOf(2)];
  expect(await run(second, { 'https://a.test/3': 'failed' })).toEqual({
    sent: 1,
    deleted: 1,
    refused: 0,
    skipped: 0,
  });
  expect(engine.texts()).toEqual(textsOf([...second, pageOf(3)]));
  // The page is back.
  expect(await run([...second, pageOf(3), pageOf(4, 3)])).toMatchObject({ sent: 1, deleted: 0 });
  expect(engine.texts()).toEqual(textsOf([...second, pageOf(3), pageOf(4, 3)]));
});

test('an index that was deleted is filled again', async () => {
  const engine = await searchEngine();
  const pages = [1, 2, 3].map((n) => pageOf(n));
  const run = async () =>
    sendDocuments(crawlOf(pages), engine.url, {
      sink: await openSearchSink({ url: engine.url, authorization, sleep }),
    });
  expect(await run()).toMatchObject({ sent: 3 });
  expect(await run()).toMatchObject({ sent: 0 });
  engine.stored.clear();
  engine.counts.made = 0;
  expect(await run()).toMatchObject({ sent: 3, deleted: 0 });
  expect(engine.texts()).toEqual(textsOf(pages));
});

test('a run that dies after the destination has taken documents sends them again, and nothing changes', async () => {
  const engine = await searchEngine();
  const documents = Array.from({ length: 30 }, (_, n) => pageOf(n));
  const real = await openSearchSink({ url: engine.url, authorization, sleep });
  const dying: DocumentSink = {
    async write(changes) {
      await real.write(changes);
      throw new Error('killed');
    },
    close: async () => {},
  };
  await expect(sendDocuments(crawlOf(documents), 'x', { sink: dying })).rejects.toThrow('killed');
  expect(await sendDocuments(crawlOf(documents), 'x', { sink: real })).toMatchObject({ sent: 30 });
  expect(engine.texts()).toEqual(textsOf(documents));
  // An old change that comes late does not win.
  await real.write([{ kind: 'put', version: 5, document: pageOf(1, 1, 'late') }]);
  expect(engine.texts()).toEqual(textsOf(documents));
});

test('a document that the engine refuses is named and tried again in the next run, others are stored', async () => {
  let isStrict = true;
  const engine = await searchEngine((entry) => (isStrict && entry === 2 ? 400 : undefined));
  const documents = [pageOf(1), pageOf(2), pageOf(3)];
  const run = async (skip?: (url: string, reason: string) => void) =>
    sendDocuments(crawlOf(documents), 'x', {
      sink: await openSearchSink({ url: engine.url, authorization, sleep }),
      ...(skip && { skip }),
    });
  const named: string[] = [];
  expect(await run((url, reason) => named.push(`${url} ${reason}`))).toMatchObject({ sent: 2, refused: 1 });
  expect(named).toEqual(['https://a.test/2 HTTP 400: x: y']);
  isStrict = false;
  expect(await run()).toMatchObject({ sent: 1, refused: 0 });
  expect(engine.texts()).toEqual(textsOf(documents));
});

test('an engine that stays busy, or refuses the credentials, ends the run with the reason', async () => {
  const busy = await searchEngine(() => 503);
  const sink = await openSearchSink({ url: busy.url, authorization, sleep });
  await expect(sendDocuments(crawlOf([pageOf(1)]), 'x', { sink })).rejects.toThrow(/HTTP 503, 8 times/);
  await expect(openSearchSink({ url: busy.url, sleep })).rejects.toThrow(/HTTP 401/);
});

test('requests of the bulk API are small, and strange answers are none', async () => {
  const engine = await searchEngine();
  const sink = await openSearchSink({ url: engine.url, authorization, sleep });
  const large = Array.from({ length: 5 }, (_, n) => pageOf(n, 1, 'x'.repeat(1_500_000)));
  await sink.write(large.map((document) => ({ kind: 'put', version: 1, document })));
  expect(engine.counts.requests).toBe(5);
  expect(engine.stored.size).toBe(5);
  for (const answer of ['', '{}', '[]', 'null', '{"items":[]}', '{"items":3}'])
    expect(bulkOutcomes(answer, 1), answer).toBeUndefined();
  expect(
    bulkOutcomes(
      '{"items":[null,{"index":{}},{"delete":{"status":404,"error":{"type":"index_not_found"}}}]}',
      3,
    ),
  ).toEqual(['again', 'again', { refused: 'HTTP 404: index_not_found: no reason' }]);
  const change: SinkChange = { kind: 'delete', version: 7, url: 'https://a.test/' };
  expect(JSON.parse(bulkLines(change)).delete).toEqual({
    _id: idOf('https://a.test/'),
    version: 7,
    version_type: 'external_gte',
  });
});

test('a webhook gets signed events that are the same when they come again', async () => {
  const received: { body: string; isGenuine: boolean }[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const signature = request.headers['x-strand-signature'] as string;
    received.push({ body, isGenuine: verifyWebhook('a secret of this test', signature, body) });
    response.writeHead(received.length === 1 ? 503 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.5.2', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.78.5.2:${(server.address() as AddressInfo).port}/hook`;
  const sink = webhookSink({ url, secret: 'a secret of this test', crawl: 'c', sleep, now: Date.now });
  await sink.write([
    { kind: 'put', version: 1, document: pageOf(1) },
    { kind: 'delete', version: 1, url: 'https://a.test/2' },
  ]);
  expect(received).toHaveLength(2);
  expect(received.every(({ isGenuine }) => isGenuine)).toBe(true);
  expect(received[0]!.body).toBe(received[1]!.body);
  expect(JSON.parse(received[1]!.body)).toMatchObject({
    type: 'documents',
    crawl: 'c',
    data: { documents: [{ url: 'https://a.test/1' }], deleted: ['https://a.test/2'] },
  });
});

test('a bucket has an object for each document', async () => {
  const objects = new Map<string, string>();
  const client = {
    async send(command: PutObjectCommand | DeleteObjectCommand) {
      const { Key, Body } = command.input as { Key: string; Body?: string };
      if (command instanceof DeleteObjectCommand) objects.delete(Key);
      else objects.set(Key, Body!);
    },
    destroy() {},
  };
  const run = (documents: readonly DocumentRow[]) =>
    sendDocuments(crawlOf(documents), 's3://b/p', {
      sink: s3Sink({ bucket: 'b', prefix: 'p/', client: client as never }),
    });
  await run(Array.from({ length: 50 }, (_, n) => pageOf(n)));
  expect(objects.size).toBe(50);
  expect(JSON.parse(objects.get(`p/${idOf('https://a.test/7')}.json`)!)).toEqual(pageOf(7));
  expect(await run([pageOf(7)])).toMatchObject({ sent: 0, deleted: 49 });
  expect([...objects.keys()]).toEqual([`p/${idOf('https://a.test/7')}.json`]);
});

test.each([
  ['opensearch+https://h:9200/pages', 'search'],
  ['elasticsearch+http://h/pages/', 'search'],
  ['webhook+https://h/a?b=c', 'webhook'],
  ['s3://bucket/prefix', 's3'],
])('%s is an address of a destination', (address, kind) => {
  expect(parseSink(address).kind).toBe(kind);
});

test.each([
  '',
  'https://h/pages',
  'opensearch+https://h',
  'opensearch+https://h/a/b',
  'opensearch+https://u:p@h/a',
  's3:/x',
  'ftp://h/x',
])('the address %j is refused', (address) => {
  expect(() => parseSink(address)).toThrow(/^Expected/);
});

test('the command sends the documents of a crawl', async () => {
  const engine = await searchEngine();
  const site = await startSite(rowOfPages(4), { address: '127.78.5.3' });
  onTestFinished(() => site.stop());
  const running = await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out: join(folder, 'c') });
  await running.done;
  await using crawl = await openCrawl(join(folder, 'c'));
  const expected: string[] = [];
  for await (const { url, text } of crawl.documents()) expected.push(`${url} ${text}`);
  expect(expected.length).toBeGreaterThan(3);
  const written: string[] = [];
  const out = { write: (text: string) => written.push(text) } as never;
  const to = `opensearch+${engine.url}`;
  const environment = { STRAND_SINK_USER: 'u:p' };
  expect(await printSent(crawl, { to, json: false }, out, environment)).toBe(0);
  expect(engine.texts()).toEqual(expected.sort());
  expect(await printSent(crawl, { to, json: true }, out, environment)).toBe(0);
  const unsigned = printSent(crawl, { to: 'webhook+https://a.test/', json: false }, out, {});
  await expect(unsigned).rejects.toThrow('set the environment variable STRAND_SINK_SECRET');
  expect(written).toEqual([
    `${expected.length} documents sent, 0 deleted\n`,
    '{"sent":0,"deleted":0,"refused":0,"skipped":0}\n',
  ]);
  expect(await printSent(crawl, { to, json: true }, out, { STRAND_SINK_USER: 'x:y' })).toBe(1);
  await expect(printSent(crawl, { to: 'https://h/', json: true }, out, {})).rejects.toThrow(
    /^--to: Expected/,
  );
});
