/** A site behind a login whose pages are drawn by scripts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { startCrawl } from '../../api/index.ts';
import { needs } from '../needs.ts';
import { textsIn } from '../web/members/count-secrets.ts';
import { QUICK, temporaryFolder } from './local-crawl.ts';

const PROJECT = join(import.meta.dirname, 'rendered-members-project.ts');
const PAGES = 6;
const PASSWORD = 'pass-word-5c1d';
const SHELL = '<!doctype html><title>App</title><div id=root></div><script src="/app.js"></script>';
/** It needs the session, which scripts do not see, and a cookie that the script of the page has set. */
const APP = `(async () => {
  const seen = document.cookie;
  document.cookie = 'view=' + (seen.includes('view=') ? 'again' : 'first') + '; path=/';
  const { words, links } = await (await fetch('/api/page' + location.pathname)).json();
  const list = links.map((url) => '<a href="' + url + '">' + url + '</a>').join(' ');
  document.getElementById('root').innerHTML = '<main><p>' + words + ' [' + seen + ']</p>' + list + '<a href="/logout">Out</a></main>';
})();`;

async function startSite() {
  const sessions = new Map<string, number>();
  const site = { logins: 0, signOuts: 0, views: [] as string[], secrets: [PASSWORD] };
  const server = createServer(async (request, response) => {
    const { method, url = '/', headers } = request;
    const send = (type: string, body: string) => response.setHeader('content-type', type).end(body);
    const sid = /sid=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
    const isIn = (sessions.get(sid) ?? 0) > 0;
    if (url === '/robots.txt') return response.writeHead(404).end();
    if (url === '/app.js') return send('text/javascript', APP);
    if (url === '/login' && method === 'POST') {
      if (!(await text(request)).includes(PASSWORD)) return response.writeHead(403).end();
      const id = `session-${++site.logins}-8e44`;
      site.secrets.push(id);
      sessions.set(id, 4);
      return response.writeHead(303, { Location: '/', 'Set-Cookie': `sid=${id}; Path=/; HttpOnly` }).end();
    }
    if (url === '/login')
      return send('text/html', '<form method=post><input name=user><input type=password name=word></form>');
    if (url === '/api/me')
      return isIn ? send('application/json', '{"user":"reader"}') : response.writeHead(401).end();
    if (url === '/logout') site.signOuts++;
    const isOfPage = url.startsWith('/api/page') && sessions.has(sid);
    if (!isIn && !isOfPage) return response.writeHead(302, { Location: '/login' }).end();
    if (isOfPage) {
      site.views.push(/view=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? 'none');
      const number = Number(url.slice('/api/page/'.length) || 0);
      const links = number + 1 < PAGES ? [`/${number + 1}`] : [];
      return send('application/json', JSON.stringify({ words: `words of page ${number}`, links }));
    }
    sessions.set(sid, (sessions.get(sid) ?? 0) - 1);
    send('text/html', SHELL);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.78.0.71', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return Object.assign(site, { url: `http://127.78.0.71:${(server.address() as AddressInfo).port}/` });
}

needs('browser')(
  'a site that scripts draw is crawled behind its login, and its scripts keep their cookies',
  async () => {
    const site = await startSite();
    const { folder, remove } = temporaryFolder();
    onTestFinished(remove);
    process.env.RENDERED_MEMBERS = JSON.stringify({ host: new URL(site.url).host, word: PASSWORD });
    const running = await startCrawl({
      ...QUICK,
      seeds: [site.url],
      out: folder,
      project: PROJECT,
      render: 'always',
      keepRendered: true,
    });
    expect(await running.done).toMatchObject({ state: 'finished', pages: PAGES });
    expect(site.logins).toBeGreaterThan(1);
    expect(site.signOuts).toBe(0);
    expect(site.views).toContain('again');
    expect(site.views).not.toContain('none');
    const all = textsIn(folder).join('\n');
    for (let page = 0; page < PAGES; page++) expect(all).toContain(`<p>words of page ${page} [`);
    for (const secret of site.secrets) expect(all).not.toContain(secret);
  },
);
