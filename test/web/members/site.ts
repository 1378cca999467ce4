/** Sites for members, with forms of login as real sites have them. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The kinds of sites, by what makes each hard to crawl. */
export const KINDS = ['csrf', 'next', 'rotating', 'soft', 'signOut'] as const;
export type Kind = (typeof KINDS)[number];

export interface MembersOptions {
  readonly kind: Kind;
  readonly address: string;
  readonly pages: number;
  /** Pages that a session shows. */
  readonly pagesPerSession: number;
  /** Users whose login is refused, though the password is right. */
  readonly lockedUsers?: readonly string[];
  /** A session holds at `a.example.test` and `b.example.test` alike. */
  readonly isShared?: boolean;
}

export interface MembersSite {
  readonly url: string;
  readonly server: Server;
  /** Successful logins, by user. */
  readonly logins: Readonly<Record<string, number>>;
  readonly counts: {
    /** Forms sent with a wrong token, a wrong password, or by a locked user. */
    refused: number;
    /** Pages that were shown. */
    pages: number;
    /** Sessions that were signed out by a link. */
    signOuts: number;
    /** Pages that were requested twice at once by sessions of one user. */
    overlaps: number;
    /** Logins that began at a domain before the one before had ended. */
    loginsAtOnce: number;
  };
  /** Ids of sessions, tokens and passwords: none may be in a file. */
  readonly secrets: ReadonlySet<string>;
  close(): Promise<void>;
}

const PASSWORD = 'correct-horse-battery';

export const secretOf = (user: string): string => JSON.stringify({ user, password: PASSWORD });

interface Session {
  readonly user: string;
  left: number;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly html?: string;
}

export async function serveMembers(options: MembersOptions): Promise<MembersSite> {
  const { kind, pages, pagesPerSession, lockedUsers = [], isShared } = options;
  const sessions = new Map<string, Session>();
  const tokens = new Map<string, string>();
  const logins: Record<string, number> = {};
  const counts = { refused: 0, pages: 0, signOuts: 0, overlaps: 0, loginsAtOnce: 0 };
  const secrets = new Set([PASSWORD]);
  const busy = new Map<string, number>();
  /** Domains at which a form was shown that was not sent yet. */
  const open = new Set<string>();

  const newSecret = (): string => {
    const id = randomUUID();
    secrets.add(id);
    return id;
  };

  function form(): Reply {
    const before = newSecret();
    const token = newSecret();
    tokens.set(before, token);
    const hidden = kind === 'csrf' ? `<input type=hidden name=_token value="${token}">` : '';
    const html = `<title>Sign in</title><form method=post action=/login>${hidden}<input name=user><input type=password name=password><button name=go value=1>Go</button></form>`;
    return {
      status: 200,
      headers: { 'Set-Cookie': [`before=${before}; Path=/; HttpOnly`, 'lang=en; Path=/'] },
      html,
    };
  }

  const cookieOf = (id: string, domain: string): string =>
    `sid=${id}; Path=/; HttpOnly; SameSite=Lax${isShared ? `; Domain=${domain}` : ''}`;

  function login(body: string, cookies: Readonly<Record<string, string>>, domain: string): Reply {
    const fields = new URLSearchParams(body);
    const user = fields.get('user') ?? '';
    const isForged = kind === 'csrf' && tokens.get(cookies.before ?? '') !== fields.get('_token');
    if (isForged || fields.get('password') !== PASSWORD || lockedUsers.includes(user)) {
      counts.refused++;
      return isForged
        ? { status: 419, html: 'The token is wrong' }
        : { status: 200, html: 'Wrong name or password' };
    }
    logins[user] = (logins[user] ?? 0) + 1;
    const id = newSecret();
    sessions.set(id, { user, left: pagesPerSession });
    return { status: 303, headers: { Location: '/', 'Set-Cookie': cookieOf(id, domain) } };
  }

  function signedOut(path: string): Reply {
    if (kind === 'soft') return { ...form(), headers: {} };
    const query = kind === 'next' ? `?next=${encodeURIComponent(path)}` : '';
    return { status: 302, headers: { Location: `/login${query}` } };
  }

  function page(path: string, session: Session): Reply {
    const number = path === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (!(number < pages)) return { status: 404, html: 'There is no such page' };
    if (path !== '/') session.left--;
    counts.pages++;
    const links = [2 * number + 1, 2 * number + 2].filter((next) => next < pages);
    const signOut = kind === 'signOut' ? '/account/logout?from=page' : '/logout';
    const html = `<title>Members ${number}</title><p>${wordsOf(number)}</p><p>Signed in as ${session.user}. <a href="${signOut}">Sign out</a> ${links.map((next) => `<a href="/page/${next}">Page ${next}</a>`).join(' ')}`;
    return { status: 200, html };
  }

  async function reply(request: IncomingMessage): Promise<Reply> {
    const { method, url = '/' } = request;
    const cookies = cookiesOf(request);
    const { pathname: path } = new URL(url, 'http://members.test');
    const body = await textOf(request);
    if (path === '/robots.txt') return { status: 404 };
    const domain = (request.headers.host ?? '').replace(/^[^.]*\.|:\d+$/g, '');
    if (path === '/login' && method === 'POST') {
      open.delete(domain);
      return login(body, cookies, domain);
    }
    if (path === '/login') {
      if (open.has(domain)) counts.loginsAtOnce++;
      open.add(domain);
      return form();
    }
    const session = sessions.get(cookies.sid ?? '');
    if (path.endsWith('/logout')) {
      counts.signOuts++;
      sessions.delete(cookies.sid ?? '');
      return { status: 302, headers: { Location: '/login', 'Set-Cookie': 'sid=; Path=/; Max-Age=0' } };
    }
    if (!session || session.left <= 0) return signedOut(path);
    const others = busy.get(session.user) ?? 0;
    if (others > 0) counts.overlaps++;
    busy.set(session.user, others + 1);
    await new Promise((resolve) => setImmediate(resolve));
    busy.set(session.user, (busy.get(session.user) ?? 1) - 1);
    const shown = page(path, session);
    if (kind !== 'rotating' || shown.status !== 200) return shown;
    sessions.delete(cookies.sid as string);
    const id = newSecret();
    sessions.set(id, session);
    return { ...shown, headers: { 'Set-Cookie': cookieOf(id, domain) } };
  }

  const server = createServer(async (request, response) => {
    const { status, headers = {}, html = '' } = await reply(request);
    response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, options.address, resolve));
  return {
    url: `http://${options.address}:${(server.address() as AddressInfo).port}/`,
    server,
    logins,
    counts,
    secrets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const cookiesOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    (headers.cookie ?? '').split('; ').map((pair) => pair.split(/=(.*)/s) as [string, string]),
  );

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** Other words for each page, so that no page looks like a trap. */
const wordsOf = (page: number): string =>
  Array.from({ length: 12 }, (_, i) =>
    ((page + 1) * (i + 17) * 7919)
      .toString(26)
      .replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] as string),
  ).join(' ');
