/** The cookies that the hosts of a registrable domain set, and the Cookie header that follows from them (RFC 6265bis). */
import { Cookie, CookieJar, cookieCompare } from 'tough-cookie';
import type { CookieOptions } from '../../core/crawl/network-options.ts';
import { byWorth, isAlive, isKept, markKept, roomFor } from './cookie-worth.ts';

/** `Set-Cookie` fields of a response that are looked at. */
const MAX_FIELDS = 50;
/** RFC 6265, section 6.1. */
const MAX_COOKIE_CHARS = 4096;
/** The latest time that a Date can have. */
const MAX_TIME = 8.64e15;

type Kept = NonNullable<ReturnType<CookieJar['serializeSync']>>['cookies'][number];

interface BrowserCookie {
  readonly name: string;
  readonly value: string;
  readonly domain?: string;
  readonly path: string;
  readonly httpOnly: boolean;
}

export interface HostCookies {
  /** Returns the value of the Cookie header for a URL; undefined if it gets none. */
  headerFor(url: string): string | undefined;
  /** The cookies for a URL, as a browser keeps them. */
  of(url: string): BrowserCookie[];
  /** Takes in the `Set-Cookie` fields of a response. Fields that are not valid for its URL are ignored. */
  take(url: string, fields: readonly string[]): void;
  /** Takes in cookies that the operator gives. */
  give(cookies: readonly CookieOptions[]): void;
  /**
   * Whether new cookies are those of a login, from now on: no others take their room, also when their values change. Default: they are
   * not.
   */
  keepNew(isLogin: boolean): void;
  /** Counts the cookies with new names. */
  readonly news: number;
  /** Counts the changes. */
  readonly changes: number;
  /** As a jar is stored. */
  toText(): string;
}

/** `stored`: as {@link HostCookies.toText} has given it. */
export function createHostCookies(
  now: () => number,
  stored?: string,
  given: readonly CookieOptions[] = [],
): HostCookies {
  const jar = new CookieJar(undefined, { looseMode: true, prefixSecurity: 'strict' });
  for (const one of stored === undefined ? [] : (JSON.parse(stored) as Kept[]))
    put(jar, Cookie.fromJSON(one));
  for (const one of given) put(jar, cookieOf(one, now()));
  let news = 0;
  let isKeeping = false;
  let changes = 0;

  /** In the order in which they are sent. The jar would ask the machine's clock which of them have expired, and when they were used. */
  function aliveAt(url: string): Cookie[] {
    const found = jar.getCookiesSync(url, { expire: false }).filter((one) => isAlive(one, now()));
    for (const one of found) one.lastAccessed = new Date(now());
    return found.sort(cookieCompare);
  }

  /** Removes cookies beyond the limits. Returns the others. */
  function bound(): Cookie[] {
    const ordered = allOf(jar).toSorted(byWorth(now()));
    const room = roomFor(ordered);
    for (const { domain, path, key } of ordered.slice(room))
      jar.store.removeCookie(domain, path, key, () => {});
    return ordered.slice(0, room);
  }

  return {
    headerFor(url) {
      const pairs = aliveAt(url).map((one) => one.cookieString());
      return pairs.length > 0 ? pairs.join('; ') : undefined;
    },
    of: (url) => aliveAt(url).map(kept),
    take(url, fields) {
      const before = new Map(allOf(jar).map((one) => [nameOf(one), one]));
      const set = new Set<Cookie>();
      for (const field of fields.slice(0, MAX_FIELDS)) {
        const one = field.length <= MAX_COOKIE_CHARS ? received(field, now()) : undefined;
        if (one && jar.setCookieSync(one, url, { ignoreError: true })) set.add(one);
      }
      for (const one of set) {
        const known = before.get(nameOf(one));
        one.lastAccessed = new Date(now());
        if (known === undefined) one.creation = one.lastAccessed;
        if (known === undefined ? isKeeping : isKept(known)) markKept(one);
      }
      const after = bound();
      if (after.some((one) => !before.has(nameOf(one)))) news++;
      const isSame =
        after.length === before.size && after.every((one) => before.get(nameOf(one))?.value === one.value);
      if (!isSame) changes++;
    },
    give(cookies) {
      for (const one of cookies) put(jar, cookieOf(one, now()));
      bound();
      changes++;
    },
    keepNew(isLogin) {
      isKeeping = isLogin;
    },
    get news() {
      return news;
    },
    get changes() {
      return changes;
    },
    toText: () => JSON.stringify(jar.serializeSync()?.cookies ?? []),
  };
}

function put({ store }: CookieJar, cookie: Cookie | undefined): void {
  // The store of a jar in memory calls back at once.
  if (cookie) store.putCookie(cookie, () => {});
}

function allOf({ store }: CookieJar): Cookie[] {
  let found: Cookie[] = [];
  store.getAllCookies((_, cookies = []) => {
    found = cookies;
  });
  return found;
}

const kept = ({ key: name, value, domain, path, hostOnly, httpOnly }: Cookie): BrowserCookie => ({
  ...{ name, value, httpOnly, path: path ?? '/' },
  ...(!hostOnly && domain !== null && { domain }),
});

/**
 * The cookie of a field, which may have no name (RFC 6265bis, section 5.6). The jar would count `Max-Age` from its last use.
 */
function received(field: string, now: number): Cookie | undefined {
  const cookie = Cookie.parse(field, { loose: true });
  if (cookie?.key === '' && cookie.value === '') return undefined;
  if (typeof cookie?.maxAge !== 'number') return cookie;
  cookie.expires = new Date(cookie.maxAge > 0 ? Math.min(now + cookie.maxAge * 1000, MAX_TIME) : 0);
  cookie.maxAge = null;
  return cookie;
}

const nameOf = ({ domain, path, key }: Cookie): string => JSON.stringify([domain, path, key]);

function cookieOf(
  { name, value, domain, path = '/', secure, subdomains, expiresAt }: CookieOptions,
  now: number,
): Cookie {
  const cookie = new Cookie({
    creation: new Date(now),
    lastAccessed: new Date(now),
    key: name,
    value,
    domain: domain.toLowerCase().replace(/^\./, '').replace(/\.$/, ''),
    path,
    hostOnly: subdomains !== true,
    secure: secure === true,
    expires: expiresAt === undefined ? 'Infinity' : new Date(expiresAt),
  });
  markKept(cookie);
  return cookie;
}
