/** Pages that their server also has as Markdown. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { openCrawl, readPage, startCrawl } from '../../api/index.ts';

const MARKDOWN = '---\ntitle: The guide\n---\n# Guide\r\n\r\n* [next](next.md)  \n\n<b>as written</b>\n';
const HTML =
  '<!doctype html><title>The guide</title><main><h1>Guide</h1><p>The words of the guide as HTML, long enough to be content.</p><a href="/next">next</a></main>';
const NEGOTIATING = /^text\/markdown, text\/html;q=0\.9,/;

/** `/guide` negotiates, `/html` does not, `/liar` sends HTML as Markdown. */
async function serve() {
  const accepted: [path: string, accept: string][] = [];
  const server = createServer((request, response) => {
    const accept = request.headers.accept ?? '';
    accepted.push([request.url ?? '', accept]);
    const wantsMarkdown = NEGOTIATING.test(accept);
    const send = (type: string, body: string) =>
      response.writeHead(200, { 'content-type': type, vary: 'Accept' }).end(body);
    if (request.url === '/robots.txt') send('text/plain', 'User-agent: *\nAllow: /');
    else if (request.url === '/liar') send('text/markdown', HTML);
    else if (request.url === '/guide' && wantsMarkdown) send('text/markdown; charset=utf-8', MARKDOWN);
    else send('text/html', HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.81.2.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.81.2.1:${(server.address() as AddressInfo).port}`, accepted };
}

const OPEN = { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0 };

test('read has the Markdown of the author byte by byte, its front matter, and HTML where there is no Markdown', async () => {
  const { url, accepted } = await serve();
  const guide = await readPage(`${url}/guide`, OPEN);
  expect(guide).toMatchObject({ title: 'The guide', format: 'source', markdown: MARKDOWN.split('---\n')[2] });
  const html = await readPage(`${url}/html`, OPEN);
  const plain = await readPage(`${url}/html`, { ...OPEN, preferMarkdown: false });
  expect([html.text, html.markdown, html.title]).toEqual([plain.text, plain.markdown, plain.title]);
  expect(html.format).toBeUndefined();
  const liar = await readPage(`${url}/liar`, OPEN);
  expect([liar.format, liar.markdown]).toEqual([undefined, html.markdown]);
  const byPath = (path: string) =>
    accepted.filter(([one]) => one === path).map(([, accept]) => NEGOTIATING.test(accept));
  expect(byPath('/guide')).toEqual([true]);
  expect(byPath('/html')).toEqual([true, false]);
  expect(byPath('/robots.txt')).toEqual([false, false, false, false]);
});

test('the archive of a crawl has what was sent, and a crawl asks for HTML by default', async () => {
  const { url } = await serve();
  const folder = mkdtempSync(join(tmpdir(), 'strand-markdown-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bodyWith = async (preferMarkdown?: boolean) => {
    const out = join(folder, String(preferMarkdown));
    const setting = preferMarkdown === undefined ? {} : { preferMarkdown };
    const running = await startCrawl({ ...OPEN, ...setting, seeds: [`${url}/guide`], scope: 'page', out });
    await running.done;
    await using crawl = await openCrawl(out);
    const [visit] = await crawl.history(`${url}/guide`);
    return gunzipSync(readFileSync(join(out, 'archive', visit!.warcFile))).toString('utf8');
  };
  const markdown = await bodyWith(true);
  expect([markdown.includes(MARKDOWN), markdown.includes(HTML)]).toEqual([true, false]);
  expect(markdown).toMatch(/Accept: text\/markdown, text\/html;q=0\.9/);
  const html = await bodyWith();
  expect([html.includes(MARKDOWN), html.includes(HTML)]).toEqual([false, true]);
});
