/** A crawl of a list of sites on this machine: what its operator sees of each. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LogEntry, openCrawl, resumeCrawl, type SiteVisit, startCrawl } from '../../api/index.ts';
import type { CrawlOptions } from '../../shared/core/crawl/crawl-options.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

const SECRET = 'a secret of this test';
const ADDRESS = '127.78.5.1';
const COMMON: CrawlOptions = { ...QUICK, contact: 'me@example.org', resolve: [['*.test', ADDRESS]] };

/** Serves hosts by their names: each has `/` with links to `/1` to `/4`, unless `statusOf` says otherwise. */
async function serveHosts(statusOf: (host: string, path: string) => number | string) {
  const asked: string[] = [];
  const events: { readonly type: string; readonly data: { readonly sites: SiteVisit[] } }[] = [];
  const server = createServer(async (request, response) => {
    const { headers, url: path = '' } = request;
    if (path === '/hook') {
      let body = '';
      for await (const chunk of request) body += chunk;
      events.push(JSON.parse(body));
      response.end();
      return;
    }
    const host = (headers.host ?? '').replace(/:.*/, '');
    const status = path === '/robots.txt' ? 404 : statusOf(host, path);
    if (path !== '/robots.txt') asked.push(`${host}${path}`);
    if (typeof status === 'string') response.writeHead(301, { location: status }).end();
    else
      response
        .writeHead(status, { 'content-type': 'text/html' })
        .end([1, 2, 3, 4].map((n) => `<a href="/${n}">${n}</a>`).join(''));
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, events, port, urlOf: (host: string) => `http://${host}:${port}/` };
}

function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'strand-sites-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'c');
}

test.each([1, 2])(
  'a list of sites is one crawl, with a line and an event for each (%i workers)',
  async (workers) => {
    const out = openFolder();
    const { events, port, urlOf } = await serveHosts((host, path) => {
      if (host === 'gone.test') return 404;
      if (host === 'denied.test') return 403;
      if (host === 'plain.test') return `http://www.plain.test:${port}${path}`;
      return 200;
    });
    const webhook = { url: `http://${ADDRESS}:${port}/hook`, secret: SECRET };
    // Hooks that are functions stay in one thread.
    const seen: SiteVisit[] = [];
    const running = await startCrawl({
      ...COMMON,
      sites: [
        { url: urlOf('a.test'), group: 'g' },
        { url: urlOf('gone.test'), group: 'h' },
        { url: urlOf('denied.test'), group: 'h' },
        { url: urlOf('plain.test'), group: 'g', maxPagesPerHost: 3 },
      ],
      out,
      ...(workers === 1 ? { webhook } : { workers }),
    });
    for await (const event of running.events()) if (event.type === 'site') seen.push(event.visit);
    const summary = await running.done;
    expect(summary.sites).toEqual({ count: 4, visited: 2, done: 2, gone: 1, blocked: 1 });
    const visits = [
      { host: `a.test:${port}`, group: 'g', outcome: 'done', pages: 5 },
      { host: `denied.test:${port}`, group: 'h', outcome: 'blocked', pages: 0, cause: 'HTTP 403' },
      { host: `gone.test:${port}`, group: 'h', outcome: 'gone', pages: 0, gone: 1 },
      { host: `www.plain.test:${port}`, group: 'g', outcome: 'done', pages: 3, site: urlOf('plain.test') },
    ];
    const sorted = (some: readonly SiteVisit[]) => [...some].sort((a, b) => (a.host < b.host ? -1 : 1));
    expect(sorted(seen)).toMatchObject(visits);
    const sent = events.filter(({ type }) => type === 'sitesVisited').flatMap(({ data }) => data.sites);
    expect(sorted(sent)).toMatchObject(workers === 1 ? visits : []);
    await using crawl = await openCrawl(out);
    const { sites } = await crawl.sites({ group: 'g' });
    expect(sites).toMatchObject([
      { host: `a.test:${port}`, state: 'done', pages: 5 },
      { host: `plain.test:${port}`, state: 'done', pages: 3 },
    ]);
  },
);

test('a list that takes the place of another adds sites, and pages of removed ones are not requested', async () => {
  const out = openFolder();
  const { asked, urlOf, port } = await serveHosts(() => 200);
  const common = { ...COMMON, recrawlEveryMs: 60_000, once: true };
  const first = await startCrawl({
    ...common,
    sites: [{ url: urlOf('a.test') }, { url: urlOf('b.test'), maxPagesPerHost: 2 }],
    out,
  });
  await first.done;
  expect(asked.filter((path) => path.startsWith('b.'))).toHaveLength(2);
  asked.length = 0;
  const next = [{ url: urlOf('b.test'), maxPagesPerHost: 4 }, { url: urlOf('c.test') }];
  const logged: string[] = [];
  const onLog = ({ message }: LogEntry) => void logged.push(message);
  await (await resumeCrawl(out, { sites: next, once: true, onLog })).done;
  expect(logged).toContain(`Sites: 1 added, 1 changed, 1 removed; not visited any more: a.test:${port}`);
  expect(asked.filter((path) => path.startsWith('a.'))).toEqual([]);
  expect(new Set(asked.filter((path) => path.startsWith('c.'))).size).toBe(5);
  expect(new Set(asked.filter((path) => path.startsWith('b.'))).size).toBe(2);
});
