/** Crawls that render pages by a real browser, from their start to the replay of their archive. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openCrawl, serveCrawl, startCrawl } from '../../api/index.ts';
import { startRemoteShell } from '../crawler/renderer/remote-shell.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { needs } from '../needs.ts';
import { textsIn } from '../web/members/count-secrets.ts';

/** A page that lists what one request has given, and shows the answer to another one. */
const APP = `(async () => {
  const list = await (await fetch('/api/list')).json();
  const body = JSON.stringify({ page: location.pathname });
  const answer = await fetch('/api/text', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const links = list.map((url) => '<li><a href="' + url + '">' + url + '</a>').join('');
  document.getElementById('root').innerHTML = '<main><p>' + await answer.text() + '</p><ul>' + links + '</ul></main>';
})();`;
const SHELL = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>';
const SERVED = `<!doctype html><title>Text</title><script src="/app.js"></script><main><p>${'words of the server '.repeat(40)}</p></main>`;

async function startSite(home = SHELL) {
  const log: string[] = [];
  const server = createServer(async (request, response) => {
    const { method, url = '/' } = request;
    log.push(`${method} ${url}`);
    const send = (type: string, body: string) => response.setHeader('content-type', type).end(body);
    if (url === '/app.js') return send('text/javascript', APP);
    if (url === '/api/list')
      return send('application/json', JSON.stringify(['/app/1', '/app/2', '/app/3', '/text/1']));
    if (url === '/api/text') return send('text/plain', `answer to ${await text(request)} `.repeat(9));
    if (url === '/') return send('text/html', home);
    if (url.startsWith('/app/')) return send('text/html', SHELL);
    if (url.startsWith('/text/')) return send('text/html', SERVED);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.0.67', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { log, site: `http://127.78.0.67:${(server.address() as AddressInfo).port}` };
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-rendering-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'c');
};

needs('browser')(
  'pages are rendered where that is needed, and each answer to a page replays',
  async () => {
    const { log, site } = await startSite();
    const out = newFolder();
    const seen: string[] = [];
    const running = await startCrawl({
      ...{ ...QUICK, seeds: [`${site}/`], out, render: 'needed' },
      onPage({ url, mainText }) {
        seen.push(`${new URL(url).pathname} ${mainText.slice(0, 12)}`);
      },
    });
    const { pages, render } = await running.done;
    expect(pages).toBe(5);
    expect(render).toMatchObject({ pages: 4, trials: 5 });
    expect(seen.sort()).toEqual(
      ['/', '/app/1', '/app/2', '/app/3']
        .map((path) => `${path} answer to {"`)
        .concat('/text/1 words of the'),
    );
    for (const path of ['/', '/app/1', '/text/1', '/app.js'])
      expect(
        log.filter((line) => line === `GET ${path}`),
        path,
      ).toHaveLength(1);

    await using crawl = await openCrawl(out);
    const explained = await crawl.explain(`${site}/app/2`);
    expect(explained.rendering).toMatch(/^\/app\/\*: rendered: trials added /);

    const texts = new Map<string, string>();
    for await (const { url, text } of crawl.documents()) texts.set(new URL(url).pathname, text);
    for (const path of ['/', '/app/1', '/app/2', '/app/3'])
      expect(texts.get(path), path).toContain(`answer to {"page":"${path}"}`);
    expect(texts.get('/text/1')).not.toContain('answer to');
    expect((await crawl.document(`${site}/app/2`)).document.text).toContain('answer to {"page":"/app/2"}');
    const linking = (await crawl.inlinks(`${site}/app/3`)).map(({ page }) => new URL(page).pathname);
    expect(linking.sort()).toEqual(['/', '/app/1', '/app/2']);

    const archive = await serveCrawl(out);
    onTestFinished(() => archive.close());
    const body = JSON.stringify({ page: '/app/2' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${archive.url}2030id_/${site}/api/text`, { method: 'POST', headers, body });
    expect(await answer.text()).toMatch(/^answer to {"page":"\/app\/2"} /);
    const list = await fetch(`${archive.url}2030id_/${site}/api/list`);
    expect(await list.json()).toContain('/app/1');
  },
  240_000,
);

needs('browser')(
  'the function of a project shows what its visitors see',
  async () => {
    const { site } = await startSite(
      '<button id=b>Next</button><div id=root></div><script>b.onclick=()=>{root.innerHTML="<a href=/text/2>2</a>"}</script>',
    );
    const running = await startCrawl({
      ...{ ...QUICK, seeds: [`${site}/`], out: newFolder(), render: 'always' },
      behave({ url, click }) {
        if (!url.endsWith('/')) throw new Error('it has no button');
        click('#b');
      },
    });
    const { pages, hookErrors } = await running.done;
    expect(pages).toBe(2);
    expect(hookErrors).toMatchObject([
      { source: 'behave', url: `${site}/text/2`, message: 'it has no button' },
    ]);
  },
  120_000,
);

test('without a browser the crawl does not begin, and says so', async () => {
  const out = newFolder();
  const start = startCrawl({
    seeds: ['http://127.0.0.1:8999/'],
    out,
    render: 'always',
    browser: '/none/such',
  });
  await expect(start.then(({ done }) => done)).rejects.toThrow(
    'Expected the path of a browser, got "/none/such"',
  );
});

needs('browser')(
  'a browser that runs elsewhere renders, and its URL is written nowhere',
  async () => {
    const { site } = await startSite();
    const shell = await startRemoteShell();
    onTestFinished(shell.close);
    process.env.REMOTE_BROWSER = shell.browser.url;
    const out = newFolder();
    const logged: unknown[] = [];
    const shared = { ...QUICK, seeds: [`${site}/`], out, render: 'always' } as const;
    const running = await startCrawl({
      ...shared,
      ...{ browserUrl: 'env:REMOTE_BROWSER', logLevel: 'debug', onLog: (entry) => logged.push(entry) },
    });
    const summary = await running.done;
    expect(summary).toMatchObject({ pages: 5, render: { pages: 5 } });
    const secret = new URL(shell.browser.url).pathname.split('/').at(-1)!;
    const written = [...textsIn(out), JSON.stringify([summary, logged])].join('\n');
    expect(written).toContain('answer to');
    expect(written).not.toContain(secret);
    expect(written).not.toContain('REMOTE_BROWSER');
  },
  120_000,
);

test.each<[options: object, message: RegExp]>([
  [
    { browser: '/a', browserUrl: 'ws://127.0.0.1:65533/' },
    /^Expected one of browser and browserUrl .* got both$/,
  ],
  [{ browserUrl: 'ws://127.0.0.1:65533/', workers: 2 }, /^Expected one worker with browserUrl/],
  [{ browserUrl: 'https://token@h.example/' }, /^browserUrl \(--browser-url\): expected wss:.*not shown/],
  [{ browserUrl: 'env:NO_SUCH_VARIABLE' }, /env:NO_SUCH_VARIABLE cannot be read: this variable is not set$/],
  [{ browserUrl: 'ws://127.0.0.1:65533/?token' }, /: the browser cannot be reached \(ECONNREFUSED\)$/],
])('a crawl with a wrong choice of its browser does not begin (%#)', async (options, message) => {
  const seeds = ['http://127.0.0.1:8999/'];
  const start = startCrawl({ ...QUICK, seeds, out: newFolder(), render: 'always', ...options });
  const error = await start.then(({ done }) => done).catch((fault: Error) => fault);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
  expect(String(error)).not.toContain('token');
});
