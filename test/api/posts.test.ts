/** Tests of requests with bodies to one URL: index, exports and server distinguish their answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openCrawl, serveCrawl, startCrawl } from '../../api/index.ts';
import { exportHeader, exportRow } from '../../cli/export-rows.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test('answers to POST, PUT and DELETE are distinguished from each other and from the page', async () => {
  const server = createServer(async (request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    response
      .setHeader('content-type', 'text/html')
      .end(`<title>t</title>${request.method} ${(await buffer(request)).toString('latin1')}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.0.66', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'strand-posts-'));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });
  const site = `http://127.78.0.66:${(server.address() as AddressInfo).port}`;
  const out = join(folder, 'c');
  const running = await startCrawl({
    ...{ ...QUICK, scope: 'page', seeds: [`${site}/api`], out },
    onPage({ depth, enqueue }) {
      if (depth > 0) return;
      enqueue('/api', { body: new URLSearchParams({ q: 'one' }) });
      enqueue('/api', { body: { q: ['two', 2.0] } });
      enqueue('/api', { body: 'three', headers: { 'content-type': 'text/plain' } });
      enqueue('/api', { body: new URLSearchParams({ q: 'one' }), method: 'PUT' });
      enqueue('/api', { method: 'DELETE' });
      enqueue('/api', { body: Uint8Array.of(0xff, 0x41) });
    },
  });
  await running.done;

  await using crawl = await openCrawl(out);
  const captures = (await allOf(crawl.captures())).filter(({ url }) => url.endsWith('/api'));
  const queries = captures.map(({ surt, method, requestBody }) => [
    surt.slice(surt.indexOf(')')),
    method,
    requestBody,
  ]);
  expect(queries.sort()).toEqual(
    [
      [')/api', undefined, undefined],
      [')/api?__wb_method=delete', 'DELETE', ''],
      [')/api?__wb_method=post&__wb_post_data=dghyzwu=', 'POST', '__wb_post_data=dGhyZWU='],
      [')/api?__wb_method=post&__wb_post_data=/0e=', 'POST', '__wb_post_data=/0E='],
      [')/api?__wb_method=post&q=one', 'POST', 'q=one'],
      [')/api?__wb_method=post&q=two&q.2_=2', 'POST', 'q=two&q.2_=2'],
      [')/api?__wb_method=put&q=one', 'PUT', 'q=one'],
    ].sort(),
  );

  const rows = (await allOf(crawl.urls())).map((row) =>
    exportRow(row, 'csv').trimEnd().split(',').slice(-2).join(','),
  );
  expect(exportHeader('csv')).toMatch(/,method,requestBody\r\n$/);
  expect(rows.sort()).toEqual(
    [',', 'DELETE,', 'POST,"{""q"":[""two"",2]}"', 'POST,q=one', 'POST,three', 'POST,/0E=', 'PUT,q=one']
      .map((row) => row.split(',').slice(-2).join(','))
      .sort(),
  );

  const archive = await serveCrawl(out);
  onTestFinished(() => archive.close());
  const shown = async (path: string) =>
    (await (await fetch(archive.pageUrl(site + path, '2030'))).text()).replace(/^.*<\/title>/s, '');
  expect(await shown('/api')).toContain('GET');
  expect(await shown('/api?__wb_method=POST&q=one')).toContain('POST q=one');
  expect(await shown('/api?__wb_method=PUT&q=one')).toContain('PUT q=one');
  const { origin } = new URL(archive.url);
  const answered = async (init: RequestInit, at = '2030') => {
    const answer = await fetch(`${origin}/${at}/${site}/api`, init);
    return `${answer.status} ${(await answer.text()).replace(/^.*<\/title>/s, '')}`;
  };
  for (const at of ['2030', '2030id_']) {
    const form = new URLSearchParams({ q: 'one' });
    expect(await answered({ method: 'POST', body: form }, at)).toContain('200 POST q=one');
    expect(await answered({ method: 'PUT', body: form }, at)).toContain('200 PUT q=one');
    expect(await answered({ method: 'POST', body: Uint8Array.of(0xff, 0x41) }, at)).toContain(
      '200 POST \u00ffA',
    );
    expect(await answered({ method: 'POST', body: 'never sent' }, at)).toMatch(/^404 /);
    expect(await answered({ method: 'POST', body: 'x'.repeat(1_000_001) }, at)).toMatch(/^413 /);
  }
  expect((await fetch(origin, { method: 'POST' })).status).toBe(405);
  const cdx = async (url: string) => {
    const answer = await fetch(
      `${origin}/cdx?url=${encodeURIComponent(url)}&output=json&fl=url,method,requestBody`,
    );
    return (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  expect(await cdx(`${site}/api`)).toEqual([{ url: `${site}/api` }]);
  expect(await cdx(`${site}/api?__wb_method=POST&q=one`)).toEqual([
    { url: `${site}/api`, method: 'POST', requestBody: 'q=one' },
  ]);
});
