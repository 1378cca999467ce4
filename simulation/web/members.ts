/**
 * Hosts behind a login: they show their pages to those alone who are signed in by an account of the world. Sessions end after some
 * pages or some time, accounts are refused, and each site says in its own way that somebody is signed out.
 */
import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import { type Chance, DRAW } from './chance.ts';
import { DOMAIN, type WebHost } from './hosts.ts';
import {
  CHECK_PATH,
  HOME_PATH,
  LOGIN_PATH,
  type MemberRequest,
  type MembersPlan,
  SIGN,
  SIGN_OUT_PATH,
  type SignedOutWay,
  wordOf,
} from './member-plan.ts';
import { createMemberSessions } from './member-sessions.ts';
import type { Place } from './places.ts';

export interface MemberAnswer {
  readonly httpStatus: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  readonly member: MemberRequest;
}

/** A request to a host behind a login. */
interface Asked extends Pick<FetchRequest, 'url' | 'method' | 'headers' | 'body'> {
  readonly contact?: string | undefined;
  /** ms since the web's beginning. */
  readonly age: number;
}

export interface Members {
  has(host: WebHost): boolean;
  /** The answer of the login, or to somebody who is signed out. Otherwise the page is shown, with `headers`. */
  answer(
    place: Place & { readonly host: WebHost },
    asked: Asked,
  ): MemberAnswer | { readonly headers: MemberAnswer['headers'] };
}

/** The share of their hosts that are behind a login. */
const SHARE = 0.7;

export function createMembers(plan: MembersPlan | undefined, chance: Chance): Members {
  if (plan === undefined) return { has: () => false, answer: () => ({ headers: [] }) };
  const { signedOut, showsFormAgain } = plan;
  const sessions = createMemberSessions(plan);

  function signIn({ body, headers = {}, age, contact }: Asked, member: MemberRequest): MemberAnswer {
    const fields = new URLSearchParams(String(body ?? ''));
    const account = fields.get('user') ?? '';
    const isRight =
      fields.get('word') === wordOf(account) &&
      fields.get('token') === cookieOf(headers.Cookie, 'csrf') &&
      sessions.accepts(account, contact);
    if (!isRight) {
      const text = showsFormAgain ? form('again') : '<p>This is not the word.';
      return html(200, text, { ...member, isRefused: true });
    }
    const id = sessions.begin(account, contact, age);
    const location = ['Location', `${HOME_PATH}?id=${member.login}`] as const;
    return html(303, 'Welcome.', member, location, cookie('sid', id));
  }

  /** The answer of the site's own pages; undefined for a page of the web. */
  function ownAnswer(asked: Asked, id: string | undefined): MemberAnswer | undefined {
    const { url, method, age } = asked;
    const { pathname, searchParams } = new URL(url);
    if (pathname === SIGN_OUT_PATH) {
      sessions.end(id);
      return html(200, 'Bye.', { what: 'signOut' });
    }
    const member = memberRequestOf(url, method);
    if (member === undefined) return undefined;
    if (pathname === LOGIN_PATH) {
      if (method === 'POST') return signIn(asked, member);
      const token = sessions.newId();
      return html(200, form(token), member, cookie('csrf', token));
    }
    return sessions.holds(id, age)
      ? html(200, `<p>${SIGN}.`, member)
      : shownOut(signedOut, pathname + searchParams, member);
  }

  return {
    has: ({ number, key }) => key.endsWith(DOMAIN) && chance.at(DRAW.members, number) < SHARE,
    answer(place, asked) {
      const { url, age, headers = {} } = asked;
      if (place.what === 'robots' || place.what === 'usageFile') return { headers: [] };
      const id = cookieOf(headers.Cookie, 'sid');
      const own = ownAnswer(asked, id);
      if (own) return own;
      if (id === undefined || !sessions.holds(id, age))
        return shownOut(signedOut, pathOf(url), { what: 'signedOut' });
      const next = sessions.countPage(id, age);
      return { headers: next === undefined ? [] : [cookie('sid', next)] };
    },
  };
}

/** The answer to somebody who is signed out. */
function shownOut(way: SignedOutWay, path: string, member: MemberRequest): MemberAnswer {
  switch (way) {
    case 'redirect':
      return html(302, 'Sign in.', member, ['Location', `${LOGIN_PATH}?next=${encodeURIComponent(path)}`]);
    case 'unauthorized':
      return html(401, 'Sign in. <a href="/error/401">Why?</a>', member);
    case 'forbidden':
      return html(403, 'Members alone. <a href="/error/403">Why?</a>', member);
    case 'form':
      return html(200, `${form('out')}<a href="/error/out">Help</a>`, member);
    case 'teaser':
      return html(
        200,
        '<title>Members</title><p>This is for members. <a href="/error/join">Join</a>',
        member,
      );
  }
}

const html = (
  httpStatus: number,
  text: string,
  member: MemberRequest,
  ...headers: MemberAnswer['headers']
): MemberAnswer => ({ httpStatus, headers: [['Content-Type', 'text/html'], ...headers], text, member });

const cookie = (name: string, value: string) =>
  ['Set-Cookie', `${name}=${value}; Domain=${DOMAIN}; Path=/; HttpOnly`] as const;

export const showsSign = ({ bytes }: { readonly bytes: Uint8Array }): boolean =>
  Buffer.from(bytes).includes(SIGN);

/** The login to which a request belongs, as its URL says, whatever is answered. */
export function memberRequestOf(url: string, method = 'GET'): MemberRequest | undefined {
  const { pathname, searchParams } = new URL(url);
  if (pathname === LOGIN_PATH)
    return { what: 'login', ...loginIn(searchParams), ...(method === 'POST' && { isSent: true }) };
  if (pathname !== HOME_PATH && pathname !== CHECK_PATH) return undefined;
  return { what: searchParams.has('id') ? 'login' : 'check', ...loginIn(searchParams) };
}

function loginIn(query: URLSearchParams): Pick<MemberRequest, 'login'> {
  const login = query.get('id');
  return login === null ? {} : { login };
}

const form = (token: string): string =>
  `<title>Sign in</title><form method=post><input type=hidden name=token value="${token}"><input name=user><input type=password name=word></form>`;

const cookieOf = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const pathOf = (url: string): string => url.slice(url.indexOf('/', 8));
