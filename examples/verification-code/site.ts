/** A site whose login asks for a verification code: `node examples/verification-code/site.ts`. Sessions end after five pages. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { drawCode } from './draw-code.ts';

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** A login as the site saw it. */
export interface CodeLogin {
  readonly code: string;
  readonly given: string | null;
  readonly result: 'signedIn' | 'wrongCode' | 'wrongPassword' | 'locked';
}

export interface CodeSiteOptions {
  readonly random?: () => number;
  /** Returns a picture of the code as a PNG. */
  readonly draw?: (code: string) => Buffer;
  readonly log?: (login: CodeLogin) => void;
}

const PAGES_PER_SESSION = 5;
const PAGES = 13;
const MAX_WRONG = 3;

const redirect = (to: string, headers = {}): Answer => ({
  status: 303,
  headers: { Location: to, ...headers },
});

/** Returns 4 or 5 digits. */
export function newCode(random: () => number): string {
  const least = random() < 0.5 ? 1000 : 10_000;
  return String(least + Math.floor(random() * 9 * least));
}

export function createCodeSite({
  random = Math.random,
  draw = (code) => drawCode(code, { random }),
  log = () => {},
}: CodeSiteOptions = {}): Server {
  /** Each is good for one login. */
  const codes = new Map<string, string>();
  /** Pages that are left to each session. */
  const sessions = new Map<string, number>();
  /** Wrong codes since the last login that was right. */
  let wrong = 0;

  return createServer(async (request, response) => {
    const { method, url: path = '/' } = request;
    const isLogin = path === '/login' && method === 'POST';
    const { status, headers, body } = isLogin
      ? logIn(new URLSearchParams(await text(request)))
      : show(path, request);
    response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(body);
  });

  function logIn(form: URLSearchParams): Answer {
    const id = form.get('picture') ?? '';
    const code = codes.get(id) ?? '';
    codes.delete(id);
    const given = form.get('code');
    const result = judge(form, code);
    log({ code, given, result });
    if (result === 'locked') return { status: 403, body: 'The account is locked' };
    if (result === 'wrongPassword') return { status: 200, body: 'Wrong name or password' };
    if (result === 'wrongCode') return loginPage('<p>Wrong code</p>');
    const session = randomUUID();
    sessions.set(session, PAGES_PER_SESSION);
    return redirect('/', { 'Set-Cookie': `session=${session}; Path=/; HttpOnly; SameSite=Lax` });
  }

  function judge(form: URLSearchParams, code: string): CodeLogin['result'] {
    if (wrong >= MAX_WRONG) return 'locked';
    if (form.get('user') !== 'reader' || form.get('password') !== 'secret') return 'wrongPassword';
    if (code === '' || form.get('code') !== code) return ++wrong >= MAX_WRONG ? 'locked' : 'wrongCode';
    wrong = 0;
    return 'signedIn';
  }

  function loginPage(message = ''): Answer {
    const id = randomUUID();
    codes.set(id, newCode(random));
    const body = `${message}<form action=/login method=post><input name=user><input name=password type=password>
<img class=code src=/code/${id}><input type=hidden name=picture value=${id}><input name=code></form>`;
    return { status: 200, body };
  }

  function show(path: string, { headers }: IncomingMessage): Answer {
    if (path === '/robots.txt') return { status: 404 };
    if (path === '/login') return loginPage();
    const code = codes.get(path.replace('/code/', ''));
    if (code !== undefined)
      return { status: 200, headers: { 'Content-Type': 'image/png' }, body: draw(code) };
    const session = /\bsession=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
    const left = sessions.get(session) ?? 0;
    if (left === 0) return redirect('/login');
    sessions.set(session, left - 1);
    const number = path === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (!(number < PAGES)) return { status: 404, body: 'Not found' };
    const next = number + 1 < PAGES ? `<a href="/page/${number + 1}">Next</a>` : '';
    return { status: 200, body: `<title>Page ${number}</title><p>For members only. ${next}</p>` };
  }
}

if (import.meta.main) {
  createCodeSite().listen(8106, '127.0.0.1', () =>
    process.stdout.write('The site is at http://127.0.0.1:8106/\n'),
  );
}
