/** Pages that scripts fill, in the server of an archive: beside the live page, and without a request that leaves. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { crc32, deflateSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { serveCrawl, startCrawl } from '../../api/index.ts';
import { findBrowser } from '../../shared/crawler/renderer/find-browser.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { needs } from '../needs.ts';

/** Fills the page by the answers to a GET and a POST, and styles parts of it without markup. */
const app = (elsewhere: string) => `(async () => {
  const list = await (await fetch('/api/list')).json();
  const answer = await (await fetch('/api/text', { method: 'POST', body: 'page=1' })).text();
  document.getElementById('root').innerHTML = '<h1>' + answer + '</h1><img src="/green.png" width=80 height=40><ul>'
    + list.map((url) => '<li><a href="' + url + '">' + url + '</a>').join('') + '</ul><x-card></x-card><a href="${elsewhere}/a">out</a>';
  document.getElementById('rules').sheet.insertRule('h1 { background: gold; padding: 20px; }');
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('b { color: crimson; font-size: 30px; }');
  customElements.define('x-card', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: 'open' });
      root.innerHTML = '<b>a card</b><img src="/green.png" height=20>';
      root.adoptedStyleSheets = [sheet];
    }
  });
  const images = [...document.images, ...document.querySelector('x-card').shadowRoot.querySelectorAll('img')];
  await Promise.all(images.map((image) => image.decode()));
  for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'stylesheet']) {
    const link = document.createElement('link');
    Object.assign(link, { rel, href: '${elsewhere}/' + rel });
    document.head.append(link);
  }
  fetch('${elsewhere}/fetch', { method: 'POST', mode: 'no-cors', body: document.cookie }).catch(() => {});
})();`;
const SHELL = `<!doctype html><title>App</title><link rel=stylesheet href=/app.css><style id=rules></style>
<noscript><p style="font-size:90px">This needs JavaScript</p></noscript><div id=root></div><script src=/app.js></script>`;

needs('browser')(
  'a page that scripts fill looks as it did live, and makes no request elsewhere',
  async () => {
    const leaked: string[] = [];
    const elsewhere = await listen('127.78.4.2', (request, response) => {
      leaked.push(`${request.method} ${request.url}`);
      response.end();
    });
    const live = await openSite(elsewhere);
    const out = join(temporaryFolder(), 'c');
    const running = await startCrawl({
      ...{ ...QUICK, seeds: [`${live}/`], out, render: 'always', maxDepth: 0 },
      ...{ keepRendered: true, screenshots: true },
    });
    await running.done;
    // The crawl has fetched what the page wants of other hosts.
    expect(leaked.splice(0)).toContain('POST /fetch');
    await using server = await serveCrawl(out);
    const shown = await pictureOf(server.pageUrl(`${live}/`, '2030'), elsewhere);
    expect(leaked).toEqual([]);
    const before = await pictureOf(`${live}/`, elsewhere);
    // Requests of the live page elsewhere are noted.
    expect(leaked.join()).toContain('/fetch');
    expect(before.length).toBeGreaterThan(10_000);
    expect(shown.equals(before)).toBe(true);

    const answer = await fetch(server.pageUrl(`${live}/`, '2030'));
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'none'");
    expect(await answer.text()).not.toMatch(/needs JavaScript|"https?:/);
    const raw = await fetch(server.pageUrl(`${live}/`, '2030').replace('/2030/', '/2030id_/'));
    expect(await raw.text()).toBe(SHELL);
  },
  240_000,
);

async function openSite(elsewhere: string): Promise<string> {
  return listen('127.78.4.1', async (request, response) => {
    const { method, url } = request;
    const send = (type: string, body: string | Buffer) => response.setHeader('content-type', type).end(body);
    if (url === '/') return send('text/html', SHELL);
    if (url === '/app.js') return send('text/javascript', app(elsewhere));
    if (url === '/app.css') return send('text/css', 'body { font: 20px sans-serif; background: #eef; }');
    if (url === '/green.png') return send('image/png', greenPng());
    if (url === '/api/list') return send('application/json', '["/1","/2"]');
    if (url === '/api/text' && method === 'POST')
      return send('text/plain', `answer to ${await text(request)}`);
    response.writeHead(404).end();
  });
}

async function listen(address: string, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${address}:${(server.address() as AddressInfo).port}`;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strand-served-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A picture by a browser with a network: what is not for the shown server goes by a proxy that notes it. */
async function pictureOf(url: string, proxy: string): Promise<Buffer> {
  const folder = temporaryFolder();
  const file = join(folder, 'page.png');
  const child = spawn(
    findBrowser({ env: process.env })!.path!,
    [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', `--user-data-dir=${folder}`],
      ...[`--proxy-server=${proxy}`, `--proxy-bypass-list=<-loopback>;${new URL(url).host}`],
      ...['--virtual-time-budget=5000', '--window-size=800,700', `--screenshot=${file}`, url],
    ],
    { stdio: 'ignore' },
  );
  await new Promise((resolve) => child.on('close', resolve));
  return readFileSync(file);
}

/** A green pixel. */
function greenPng(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    crc.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, crc]);
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const pixel = deflateSync(Buffer.from([0, 0, 200, 0]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[chunk('IHDR', head), chunk('IDAT', pixel), chunk('IEND', Buffer.alloc(0))],
  ]);
}
