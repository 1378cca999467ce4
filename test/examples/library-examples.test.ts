import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { processCrawl, startCrawl } from '../../api/index.ts';
import { watchPage } from '../../examples/watch/watch-page.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { listen, temporaryFolder } from './run-example.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const article = (...paragraphs: string[]): string =>
  `<!doctype html><title>News</title><main><h1>News</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}<pre>code</pre></main>`;
const LONG =
  'This paragraph is long enough to be taken for the main content of a page, as it has several words.';

test('a watched page reports what is new and what is gone, and nothing at first', async () => {
  let page = article(LONG, `Old. ${LONG}`);
  const server = createServer((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
  });
  const url = `${await listen(server)}/`;
  const look = () => watchPage(url, join(folder, 'page.md'), QUICK);
  expect(await look()).toEqual({ added: [], removed: [] });
  page = article(LONG, `New. ${LONG}`);
  expect(await look()).toEqual({ added: [`New. ${LONG}`], removed: [`Old. ${LONG}`] });
  expect(await look()).toEqual({ added: [], removed: [] });
});

test('hooks over an archive give items without a request', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(article(LONG));
  });
  const url = `${await listen(server)}/`;
  const out = join(folder, 'c');
  await (await startCrawl({ ...QUICK, seeds: [url], out, scope: 'page' })).done;
  const before = requests;
  const project = join(import.meta.dirname, '../../examples/archive/strand.config.ts');
  const items: unknown[] = [];
  for await (const page of processCrawl(out, { project })) items.push(...page.items);
  expect(items).toEqual([{ url, title: 'News', headings: ['News'], samples: 1, links: 0 }]);
  expect(requests).toBe(before);
});
