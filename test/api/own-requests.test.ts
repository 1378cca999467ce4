import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Item, openCrawl, resumeCrawl, type StartCrawlOptions, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

let server: Server;
let folder: string;
let site: string;
let log: string[];

/** A shop whose second page of products comes by a form, and whose prices come by an API. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-own-'));
  log = [];
  server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === '/robots.txt') return void response.end('User-agent: *\nDisallow: /private');
    log.push([request.method, request.url, body, request.headers['x-key']].filter(Boolean).join(' '));
    response.setHeader('content-type', 'text/html');
    if (request.url === '/login') return void response.writeHead(303, { location: '/shop' }).end();
    if (request.url === '/api') {
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ asked: JSON.parse(body) }));
    }
    response.end(`<title>${request.url} ${body}</title><a href="/p/1">one</a><a href="/p/2">two</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.0.44', resolve));
  site = `http://127.78.0.44:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

async function crawl(options: Partial<StartCrawlOptions>) {
  const seeds = [`${site}/shop`];
  const running = await startCrawl({ ...QUICK, scope: 'page', seeds, out: join(folder, 'c'), ...options });
  const summary = await running.done;
  await using stored = await openCrawl(join(folder, 'c'));
  const items: Item[] = [];
  for await (const item of stored.items()) items.push(item);
  return { summary, items };
}

describe('requests that a project makes itself', () => {
  test('go out as they were requested, each once, and come back with label and data', async () => {
    const { summary, items } = await crawl({
      router: [
        {
          label: 'product',
          onPage({ url, label, data, enqueue }) {
            const id = Number(url.at(-1));
            enqueue('/api', { body: { id }, headers: { 'X-Key': 'k' }, label: 'price', data: { id } });
            return { page: new URL(url).pathname, label, from: data.from };
          },
        },
        { label: 'price', onPage: ({ html, data }) => ({ price: JSON.parse(html).asked.id, data }) },
        { url: /\/list$/g, onPage: ({ title }) => ({ list: title }) },
      ],
      onPage({ url, links, enqueue }) {
        for (const link of links) enqueue(link.url, { label: 'product', data: { from: url } });
        for (let i = 0; i < 2; i++)
          enqueue('list', { method: 'POST', body: new URLSearchParams({ page: '2' }) });
        enqueue('/private', { label: 'product' });
      },
    });
    expect(log.toSorted()).toEqual([
      'GET /p/1',
      'GET /p/2',
      'GET /shop',
      'POST /api {"id":1} k',
      'POST /api {"id":2} k',
      'POST /list page=2',
    ]);
    expect(items.map((item) => JSON.stringify(item)).toSorted()).toEqual([
      '{"list":"/list page=2"}',
      `{"page":"/p/1","label":"product","from":"${site}/shop"}`,
      `{"page":"/p/2","label":"product","from":"${site}/shop"}`,
      '{"price":1,"data":{"id":1}}',
      '{"price":2,"data":{"id":2}}',
    ]);
    expect(summary).toMatchObject({ pages: 6, byStatus: { fetched: 6, deniedByRobots: 1 }, hookErrors: [] });
  });

  test('are not made a second time for a link to the same URL', async () => {
    const onPage: StartCrawlOptions['onPage'] = ({ url, label, enqueue }) => {
      if (label === undefined) enqueue('/p/1', { label: 'product' });
      return { url, label };
    };
    const { items } = await crawl({ scope: 'host', onPage });
    expect(log.toSorted()).toEqual(['GET /p/1', 'GET /p/2', 'GET /shop']);
    expect(items).toContainEqual({ url: `${site}/p/1`, label: 'product' });
  });

  test('follow redirects with their label, as browsers do', async () => {
    const { items } = await crawl({
      seeds: [`${site}/p/9`],
      router: [{ label: 'in', onPage: ({ url, data }) => ({ url, data }) }],
      onPage: ({ enqueue }) => enqueue('/login', { method: 'POST', body: 'user=a', label: 'in', data: 7 }),
    });
    expect(log).toEqual(['GET /p/9', 'POST /login user=a', 'GET /shop']);
    expect(items).toEqual([{ url: `${site}/shop`, data: 7 }]);
  });

  test('are kept when the crawl ends before they are made, and are archived as they were sent', async () => {
    const onPage: StartCrawlOptions['onPage'] = ({ url, enqueue }) => {
      enqueue('/api', { body: { id: 3 }, label: 'price' });
      return { url };
    };
    await crawl({ maxPages: 1, onPage });
    expect(log).toEqual(['GET /shop']);
    await (await resumeCrawl(join(folder, 'c'), { maxPages: 9, onPage })).done;
    expect(log).toEqual(['GET /shop', 'POST /api {"id":3}']);
    await using stored = await openCrawl(join(folder, 'c'));
    const rows = [];
    for await (const row of stored.urls()) if (row.request) rows.push(row);
    expect(rows).toMatchObject([
      {
        url: `${site}/api`,
        status: 'fetched',
        request: { method: 'POST', body: '{"id":3}', label: 'price' },
      },
    ]);
    const { warcFile: file, warcOffset, warcLength } = rows[0]!;
    const request = await stored.readRecord({ file: file!, offset: warcOffset! + warcLength! });
    expect(Buffer.from(request.content).toString()).toMatch(/^POST \/api HTTP[\s\S]*\r\n\r\n{"id":3}$/);
  });

  test('fail the hook that asks for what is no request, and keep those before it', async () => {
    const { summary } = await crawl({
      onPage({ label, enqueue }) {
        if (label !== undefined) return;
        enqueue('/p/1', { label: 'kept' });
        enqueue('ftp://a.test/');
      },
    });
    expect(log).toEqual(['GET /shop', 'GET /p/1']);
    expect(summary.hookErrors).toMatchObject([{ source: 'onPage', message: /http or https URL, got "ftp:/ }]);
  });
});
