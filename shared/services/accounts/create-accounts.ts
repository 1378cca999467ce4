/** The accounts of a project, as turns use them. */
import { hash } from 'node:crypto';
import type { AccountLimits } from '../../core/access/account-state.ts';
import { isSignInUrl, isSignOutUrl, leadsBackTo } from '../../core/access/sign-in-urls.ts';
import { messageOf } from '../../core/base/error-message.ts';
import { cookiesOfSites, readNetscapeCookies } from '../../core/crawl/netscape-cookies.ts';
import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import { fieldValues } from '../../core/outcome/response-head.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { createOriginTable } from '../../core/url/origin-pattern.ts';
import type { Account, Accounts, LoginAt, Sign } from '../../crawler/turn/access/accounts.ts';
import type { PageContent } from '../hooks/page-content.ts';
import type { AccountOptions, SignOptions } from '../project/account-options.ts';
import { inHook } from '../project/hook-context.ts';
import type { ReadReference } from './read-reference.ts';

/** Statuses by which a site refuses those who are signed out; 419: frameworks that check a token. */
const OUT_STATUS: ReadonlySet<number> = new Set([401, 403, 419]);
const PASSWORD = 'input[type=password i]';
const MAX_BYTES = 16 * 1024 * 1024;
const REMOVED = '[removed]';

/** Undefined: the project has none. */
export function createAccounts(
  options: readonly AccountOptions[],
  read: ReadReference,
): Accounts | undefined {
  if (options.length === 0) return undefined;
  const table = createOriginTable(
    options.flatMap((one) => {
      const account = createAccount(one, read);
      return one.hosts.map((pattern): [string, Account] => [pattern, account]);
    }),
  );
  const known = new Map<HostKey, readonly Account[]>();
  return {
    of(host) {
      const found = known.get(host) ?? inOrder(host, new Set(table(`https://${host}/`)));
      // Few hosts have accounts, and a crawl may have millions.
      if (found.length > 0) known.set(host, found);
      return found;
    },
  };
}

/** Rendezvous hashing: a host keeps its account though others come and go. */
function inOrder(host: HostKey, accounts: ReadonlySet<Account>): Account[] {
  const rank = ({ name }: Account) => hash('sha256', `${host} ${name}`);
  return [...accounts].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function createAccount(options: AccountOptions, read: ReadReference): Account {
  const { name, hosts, login, secret, cookies, check, signOut, signedIn, signedOut } = options;
  const isOwn = createOriginTable(hosts.map((pattern): [string, true] => [pattern, true]));
  return {
    name,
    check,
    limits: limitsOf(options),
    async cookies(host) {
      const found = cookies === undefined ? [] : readNetscapeCookies(await read(cookies)).cookies;
      return cookiesOfSites(found, [host]);
    },
    isSignOut: (url) => isSignOutUrl(url) || (signOut !== undefined && matches(signOut, url)),
    signOf: (response) => signOf(response, signedIn, signedOut),
    ...(login && {
      async login(at: LoginAt) {
        const value = secret === undefined ? undefined : parsed(await read(secret));
        const { createLoginTools } = await import('./login-tools.ts');
        const { tools, last } = await createLoginTools(at, value, (url) => isOwn(url).length > 0);
        try {
          await inHook({ source: 'login', url: at.origin }, () => login(tools));
          const page = last();
          if (page === undefined) throw new Error('Expected the login to request a page');
          return page;
        } catch (error) {
          await last()?.body.dispose();
          if (error instanceof Error && error.name === 'LoginStopped') throw error;
          throw new Error(withoutSecret(messageOf(error), value));
        }
      },
    }),
  };
}

function limitsOf({ limits = {} }: AccountOptions): AccountLimits {
  const {
    pagesPerSession = Number.POSITIVE_INFINITY,
    pagesPerHour = Number.POSITIVE_INFINITY,
    loginsPerHour = 6,
    restMs = 3_600_000,
  } = limits;
  return { pagesPerSession, pagesPerHour, loginsPerHour, restMs };
}

async function signOf(
  response: FetchedResponse,
  signedIn: SignOptions,
  signedOut: AccountOptions['signedOut'] = {},
): Promise<Sign> {
  const { httpStatus, headers, url } = response;
  if (OUT_STATUS.has(httpStatus) || signedOut.status?.includes(httpStatus)) return 'out';
  if (httpStatus >= 300 && httpStatus < 400)
    return leadsToSignIn(fieldValues(headers, 'location')[0], url, signedOut.location) ? 'out' : undefined;
  const type = fieldValues(headers, 'content-type')[0] ?? '';
  // An answer of the site's API for scripts may be what `check` names.
  if (httpStatus >= 300 || !/html|json/i.test(type)) return undefined;
  // Takes 100 ms the first time, which a crawl without accounts does not pay.
  const { createPageContent, loadCheerio } = await import('../hooks/page-content.ts');
  await loadCheerio();
  const page = createPageContent(await response.body.bytes(), { headers }, { url }, MAX_BYTES);
  try {
    void page.$;
  } catch {
    // Its content coding is broken, or its elements are nested too deep: it shows nothing.
    return undefined;
  }
  if (shows(page, signedIn)) return 'in';
  return page.$(PASSWORD).length > 0 || shows(page, signedOut) ? 'out' : undefined;
}

function leadsToSignIn(location: string | undefined, url: string, known: string | undefined): boolean {
  const target = location === undefined ? null : URL.parse(location, url);
  if (target === null) return false;
  return known === undefined
    ? (isSignInUrl(target.href) && !isSignInUrl(url)) || leadsBackTo(target, url)
    : target.pathname.startsWith(known);
}

function shows(page: Pick<PageContent, 'html' | '$'>, { selector, text }: SignOptions): boolean {
  if (selector === undefined && text === undefined) return false;
  const hasText =
    typeof text === 'string' ? page.html.includes(text) : text === undefined || matches(text, page.html);
  return hasText && (selector === undefined || page.$(selector).length > 0);
}

/** `test` would go on where it has matched before, with the flags g and y. */
const matches = (pattern: RegExp, text: string): boolean => text.search(pattern) >= 0;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A message of the project's code may show what it was given. */
function withoutSecret(message: string, secret: unknown): string {
  return textsIn(secret)
    .filter((value) => value.length >= 4)
    .flatMap((value) => [
      ...[value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())],
      new URLSearchParams([['', value]]).toString().slice(1),
    ])
    .sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, REMOVED), message);
}

/** Words such as `true` are in any message. */
function textsIn(secret: unknown): string[] {
  if (typeof secret === 'object' && secret !== null) return Object.values(secret).flatMap(textsIn);
  return typeof secret === 'string' || typeof secret === 'number' ? [String(secret)] : [];
}
