/** `send` to a real OpenSearch, installed from Maven. `test/api/sinks.test.ts` has what no real one does at will. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test as vitestTest } from 'vitest';
import { openSearchSink } from '../../api/sinks/opensearch-sink.ts';
import { sendDocuments } from '../../api/sinks/send-documents.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import { idOf } from '../../shared/services/outputs/sink/bulk.ts';
import { NoOpenSearch, type OpenSearchServer, startOpenSearch } from './start-opensearch.ts';

/** The first time it is installed. */
const INSTALL_AND_START_MS = 900_000;

let server: OpenSearchServer | undefined;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-send-'));
  try {
    server = await startOpenSearch('127.78.5.9');
  } catch (error) {
    if (!(error instanceof NoOpenSearch) || process.env.CI === 'true') throw error;
    console.warn(`!!! SKIPPED: test/opensearch needs ${error.message} !!!`);
  }
}, INSTALL_AND_START_MS);

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A test with an index of its own, which is not there yet. */
function test(name: string, run: (index: Index) => Promise<void>): void {
  vitestTest(name, { timeout: 120_000 }, async (context) => {
    if (!server) return context.skip();
    await run(new Index(`${server.url}/pages-${context.task.id.replaceAll(/[^a-z0-9]/g, '')}`));
  });
}

class Index {
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }

  async ask(path: string, init?: RequestInit): Promise<{ status: number; answer: Record<string, unknown> }> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.url}${path}`, { headers, ...init });
    return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
  }

  /** The documents that a query finds; all if none is given. */
  async find(query: unknown = { match_all: {} }): Promise<DocumentRow[]> {
    await this.ask('/_refresh', { method: 'POST' });
    const body = JSON.stringify({ size: 10_000, query });
    const { answer } = await this.ask('/_search', { method: 'POST', body });
    const { hits } = answer.hits as { hits: { _id: string; _source: DocumentRow }[] };
    for (const { _id, _source } of hits) expect(_id).toBe(idOf(_source.url));
    return hits.map(({ _source }) => _source).sort((a, b) => (a.url < b.url ? -1 : 1));
  }

  /** One run of `send`: the pages of the crawl as they are now, and what has become of other URLs. */
  async send(
    documents: readonly DocumentRow[],
    { through = this.url, states = {} }: { through?: string; states?: Record<string, string> } = {},
  ) {
    const refused: string[] = [];
    const crawl = {
      name: 'c',
      sent: join(folder, `${idOf(this.url)}.sqlite`),
      async *documents({ isWanted = () => true }: { isWanted?: (page: DocumentRow) => boolean } = {}) {
        for (const document of documents) if (isWanted(document)) yield document;
      },
      url: async (url: string) => ({ url, status: states[url] ?? 'gone' }) as never,
    };
    const sink = await openSearchSink({ url: through, sleep: async () => {} });
    const counts = await sendDocuments(crawl, this.url, {
      sink,
      skip: (url, reason) => refused.push(`${url} ${reason}`),
    });
    return { ...counts, refusals: refused };
  }
}

const pageOf = (n: number, visit = 1, more: Partial<DocumentRow> = {}): DocumentRow => ({
  url: `https://a.test/${String(n).padStart(4, '0')}`,
  fetchedAt: new Date(Date.UTC(2026, 0, visit)).toISOString(),
  types: [],
  depth: 1,
  textDigest: '',
  title: `Page ${n}`,
  text: `The text of page ${n} at visit ${visit}`,
  markdown: `# Page ${n}`,
  location: { file: `${visit}.warc.gz`, offset: n, length: 10 },
  ...more,
});

const pages = (count: number, visit = 1) => Array.from({ length: count }, (_, n) => pageOf(n, visit));
const NOTHING = { sent: 0, deleted: 0, refused: 0, skipped: 0, refusals: [] };

test('an index is made, has every document as it is, and is left alone when nothing has changed', async (index) => {
  const documents = pages(1500);
  expect(await index.send(documents)).toEqual({ ...NOTHING, sent: 1500 });
  expect(await index.find()).toEqual(documents);
  expect(await index.send(documents)).toEqual(NOTHING);
});

test('documents are found by their words, fields and times', async (index) => {
  const german = pageOf(7, 2, {
    language: 'de',
    kind: 'article',
    text: 'Der Zug hält an jeder Haltestelle.',
  });
  // As pages write their times: no date that OpenSearch would read.
  const strange = pageOf(8, 3, { published: 'last Tuesday', author: 'Ada Lovelace', modified: '0000-00-00' });
  await index.send([...pages(3), german, strange]);
  expect(await index.find({ match: { text: 'zug' } })).toEqual([german]);
  expect(await index.find({ term: { language: 'de' } })).toEqual([german]);
  expect(await index.find({ match: { author: 'lovelace' } })).toEqual([strange]);
  expect(await index.find({ term: { published: 'last Tuesday' } })).toEqual([strange]);
  expect(await index.find({ range: { fetchedAt: { gte: '2026-01-02' } } })).toEqual([german, strange]);
  expect(await index.find({ term: { url: german.url } })).toEqual([german]);
});

test('a later visit replaces, a gone page is deleted, one that fails stays, one that is back is there', async (index) => {
  await index.send(pages(4));
  const now = [pageOf(0, 2), pageOf(1)];
  const states = { [pageOf(2).url]: 'failed' };
  expect(await index.send(now, { states })).toEqual({ ...NOTHING, sent: 1, deleted: 1 });
  expect(await index.find()).toEqual([...now, pageOf(2)]);
  const back = [...now, pageOf(2), pageOf(3, 3)];
  expect(await index.send(back)).toEqual({ ...NOTHING, sent: 1 });
  expect(await index.find()).toEqual(back);
});

test('an older visit that comes late, of a copy of the crawl say, does not replace a newer one', async (index) => {
  await index.send(pages(3, 5));
  const sink = await openSearchSink({ url: index.url, sleep: async () => {} });
  const late = await sink.write([
    { kind: 'put', version: Date.UTC(2026, 0, 1), document: pageOf(0, 1) },
    { kind: 'delete', version: Date.UTC(2026, 0, 1), url: pageOf(1).url },
    { kind: 'delete', version: Date.UTC(2026, 0, 9), url: 'https://a.test/never-sent' },
  ]);
  expect(late).toEqual([]);
  expect(await index.find()).toEqual(pages(3, 5));
});

test('an index that was deleted is filled again', async (index) => {
  await index.send(pages(5));
  await index.ask('', { method: 'DELETE' });
  expect(await index.send(pages(5))).toEqual({ ...NOTHING, sent: 5 });
  expect(await index.find()).toEqual(pages(5));
});

test('a document that the index refuses is named, others are stored', async (index) => {
  const mappings = { properties: { depth: { type: 'integer' }, kind: { type: 'boolean' } } };
  await index.ask('', { method: 'PUT', body: JSON.stringify({ mappings }) });
  const wrong = pageOf(1, 1, { kind: 'article' });
  const { refusals, ...counts } = await index.send([pageOf(0), wrong, pageOf(2)]);
  expect(counts).toEqual({ sent: 2, deleted: 0, refused: 1, skipped: 0 });
  expect(refusals).toEqual([
    expect.stringMatching(/^https:\/\/a\.test\/0001 HTTP 400: mapper_parsing_exception/),
  ]);
  expect(await index.find()).toEqual([pageOf(0), pageOf(2)]);
});

test('an index that takes nothing says why', async (index) => {
  await index.send(pages(2));
  const settings = { 'index.blocks.write': true };
  await index.ask('/_settings', { method: 'PUT', body: JSON.stringify(settings) });
  const { refusals } = await index.send(pages(2, 2));
  expect(refusals).toHaveLength(2);
  expect(refusals[0]).toMatch(/^https:\/\/a\.test\/0000 HTTP 403: cluster_block_exception: .*write/);
  await index.ask('/_settings', { method: 'PUT', body: JSON.stringify({ 'index.blocks.write': null }) });
  expect(await index.send(pages(2, 2))).toEqual({ ...NOTHING, sent: 2 });
  await index.ask('/_close', { method: 'POST' });
  expect((await index.send(pages(2, 3))).refusals[0]).toMatch(/index_closed_exception/);
});

test('nothing is lost when a tenth of the entries is not taken at first', async (index) => {
  const through = await withFailingTenth(index.url);
  const documents = pages(1200);
  expect(await index.send(documents, { through })).toEqual({ ...NOTHING, sent: 1200 });
  expect(await index.find()).toEqual(documents);
  const later = [...pages(600, 2), ...documents.slice(600, 900)];
  expect(await index.send(later, { through })).toEqual({ ...NOTHING, sent: 600, deleted: 300 });
  expect(await index.find()).toEqual(later);
});

/** Passes requests on, but keeps every tenth entry of a bulk request from the server and answers it with 429. */
async function withFailingTenth(index: string): Promise<string> {
  let entries = 0;
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const isBulk = request.url!.endsWith('/_bulk');
    const failing = new Set<number>();
    const given = isBulk ? entriesOf(body) : [];
    for (const i of given.keys()) if (++entries % 10 === 0) failing.add(i);
    const taken = isBulk ? given.filter((_, i) => !failing.has(i)).join('') : body;
    const answer = await fetch(`${index}${isBulk ? '/_bulk' : ''}`, {
      ...{ method: request.method!, headers: { 'content-type': 'application/json' } },
      ...(taken !== '' && { body: taken }),
    });
    let text = await answer.text();
    if (isBulk) {
      const passed = (taken === '' ? [] : (JSON.parse(text) as { items: unknown[] }).items).values();
      const busy = {
        index: { status: 429, error: { type: 'rejected_execution_exception', reason: 'busy' } },
      };
      const items = given.map((_, i) => (failing.has(i) ? busy : passed.next().value));
      text = JSON.stringify({ errors: true, items });
    }
    response.writeHead(isBulk ? 200 : answer.status).end(text);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.78.5.10', resolve));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.78.5.10:${(proxy.address() as AddressInfo).port}/pages`;
}

/** The entries of a bulk request, each of one line or two. */
function entriesOf(body: string): string[] {
  const entries: string[] = [];
  const lines = body.trimEnd().split('\n').values();
  for (const line of lines)
    entries.push(line.startsWith('{"delete"') ? `${line}\n` : `${line}\n${lines.next().value}\n`);
  return entries;
}
