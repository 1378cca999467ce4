/** A site for members to try the example on: `node examples/login/site.ts`. Sessions end after five pages. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';

/** One request as the site saw it. */
export interface Logged {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Requests for the login that were in progress at the same time, this one among them. */
  readonly logins: number;
}

const PAGES_PER_SESSION = 5;
const MEMBERS_PAGES = 13;

/** `log` is called for each request once it is answered. */
export function createMembersSite(log: (request: Logged) => void = () => {}): Server {
  /** Pages that are left to each session. */
  const sessions = new Map<string, number>();
  let logins = 0;

  return createServer(async (request, response) => {
    const { method = 'GET', url: path = '/' } = request;
    const isLogin = path === '/login' && method === 'POST';
    if (isLogin) logins++;
    const seen = logins;
    const { status, headers = {}, html = '' } = isLogin ? login(await textOf(request)) : show(path, request);
    if (isLogin) logins--;
    log({ method, path, status, logins: isLogin ? seen : 0 });
    response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', ...headers });
    response.end(html);
  });

  function login(body: string) {
    const form = new URLSearchParams(body);
    if (form.get('user') !== 'reader' || form.get('password') !== 'secret')
      return { status: 200, html: '<p>Wrong name or password</p>' };
    const id = randomUUID();
    sessions.set(id, PAGES_PER_SESSION);
    return {
      status: 303,
      headers: { Location: '/', 'Set-Cookie': `session=${id}; Path=/; HttpOnly; SameSite=Lax` },
    };
  }

  function show(path: string, { headers }: IncomingMessage) {
    if (path === '/robots.txt') return { status: 404 };
    if (path === '/login')
      return {
        status: 200,
        html: '<form method=post><input name=user><input name=password type=password></form>',
      };
    const id = /\bsession=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
    const left = sessions.get(id) ?? 0;
    if (left === 0) return { status: 302, headers: { Location: '/login' } };
    sessions.set(id, left - 1);
    const number = path === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (!(number < MEMBERS_PAGES)) return { status: 404, html: 'Not found' };
    const links = [number + 1, number + 2]
      .filter((next) => next < MEMBERS_PAGES)
      .map((next) => `<a href="/page/${next}">Next</a>`);
    return {
      status: 200,
      html: `<title>Members' page ${number}</title><p>For members only. ${links.join(' ')}</p>`,
    };
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

if (import.meta.main) {
  createMembersSite().listen(8102, '127.0.0.1', () =>
    process.stdout.write('The members are at http://127.0.0.1:8102/\n'),
  );
}
