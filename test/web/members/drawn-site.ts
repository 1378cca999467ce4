/** A site behind a login whose pages are drawn by scripts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Its pages. */
export const DRAWN_PAGES = 6;
const ENDS_AT = '/api/page/2';
const PASSWORD = 'pass-word-5c1d';
const SHELL = '<!doctype html><title>App</title><div id=root></div><script src="/app.js"></script>';
/** It needs the session, which scripts do not see, and a cookie that the script of the page has set. */
const APP = `(async () => {
  const seen = document.cookie;
  document.cookie = 'view=' + (seen.includes('view=') ? 'again' : 'first') + '; path=/';
  const answer = await fetch('/api/page' + location.pathname);
  if (answer.status === 401) return location.assign('/login?next=' + location.pathname);
  const { words, links } = await answer.json();
  const list = links.map((url) => '<a href="' + url + '">' + url + '</a>').join(' ');
  document.getElementById('root').innerHTML = '<main><p>' + words + ' [' + seen + '] [' + document.cookie + ']</p>' + list + '<a href="/logout">Out</a></main>';
})();`;

export interface DrawnMembersSite {
  readonly url: string;
  readonly password: string;
  readonly logins: number;
  readonly signOuts: number;
  /** The value of the cookie that the page's script sets, in each request for data. */
  readonly views: readonly string[];
  /** The header `Cookie` of each of them. */
  readonly cookies: readonly string[];
  /** The password and the ids of sessions. */
  readonly secrets: readonly string[];
  close(): void;
}

/** Each session shows four pages, but one ends while the script of a page asks for its data. Its id changes with the script, as where a framework sends the cookie with each response. */
export async function startDrawnMembers(address: string): Promise<DrawnMembersSite> {
  const sessions = new Map<string, number>();
  const site = {
    logins: 0,
    signOuts: 0,
    views: [] as string[],
    cookies: [] as string[],
    secrets: [PASSWORD],
  };
  let hasEnded = false;
  const newSession = (left: number): string => {
    const id = `session-${site.secrets.length}-8e44`;
    site.secrets.push(id);
    sessions.set(id, left);
    return id;
  };
  const server = createServer(async (request, response) => {
    const { method, url = '/', headers } = request;
    const send = (type: string, body: string) => response.setHeader('content-type', type).end(body);
    const sid = /sid=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
    const isIn = (sessions.get(sid) ?? 0) > 0;
    if (url === '/robots.txt') return response.writeHead(404).end();
    if (url === '/app.js') {
      const left = sessions.get(sid);
      if (left !== undefined) response.setHeader('Set-Cookie', cookieOf(newSession(left)));
      sessions.delete(sid);
      // It is a file, which pages share.
      response.setHeader('Last-Modified', 'Sun, 06 Nov 1994 08:49:37 GMT');
      return send('text/javascript', APP);
    }
    if (url === '/login' && method === 'POST') {
      if (!(await text(request)).includes(PASSWORD)) return response.writeHead(403).end();
      site.logins++;
      sessions.clear();
      return response.writeHead(303, { Location: '/', 'Set-Cookie': cookieOf(newSession(4)) }).end();
    }
    if (url === '/login')
      return send('text/html', '<form method=post><input name=user><input type=password name=word></form>');
    if (url === '/api/me')
      return isIn ? send('application/json', '{"user":"reader"}') : response.writeHead(401).end();
    if (url === '/logout') site.signOuts++;
    const isOfPage = url.startsWith('/api/page') && sessions.has(sid);
    if (!isIn && !isOfPage) return response.writeHead(302, { Location: '/login' }).end();
    if (isOfPage && url === ENDS_AT && !hasEnded) {
      hasEnded = true;
      sessions.delete(sid);
      return response.writeHead(401).end();
    }
    if (isOfPage) {
      site.cookies.push(headers.cookie ?? '');
      response.setHeader('Set-Cookie', [`form=f${site.cookies.length}; Path=/`, cookieOf(sid)]);
      site.views.push(/view=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? 'none');
      const number = Number(url.slice('/api/page/'.length) || 0);
      const links = number + 1 < DRAWN_PAGES ? [`/${number + 1}`] : [];
      return send('application/json', JSON.stringify({ words: `words of page ${number}`, links }));
    }
    sessions.set(sid, (sessions.get(sid) ?? 0) - 1);
    send('text/html', SHELL);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return Object.assign(site, {
    url: `http://${address}:${(server.address() as AddressInfo).port}/`,
    password: PASSWORD,
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
}

const cookieOf = (id: string): string => `sid=${id}; Path=/; HttpOnly`;
