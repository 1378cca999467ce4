/** The cookies that the hosts of a registrable domain set, and the Cookie header that follows from them (RFC 6265bis). */
import { Cookie, CookieJar } from 'tough-cookie';
import { MAX_COOKIES, MAX_JAR_BYTES } from '../../core/access/stored-jar.ts';
import type { CookieOptions } from '../../core/crawl/network-options.ts';

/** `Set-Cookie` fields of a response that are looked at. */
const MAX_FIELDS = 50;
/** RFC 6265, section 6.1. */
const MAX_COOKIE_CHARS = 4096;

type Kept = NonNullable<ReturnType<CookieJar['serializeSync']>>['cookies'][number];

export interface HostCookies {
  /** Returns the value of the Cookie header for a URL; undefined if it gets none. */
  headerFor(url: string): string | undefined;
  /** The cookies for a URL, as a browser keeps them. */
  of(url: string): { name: string; value: string; domain?: string; path: string; httpOnly: boolean }[];
  /** Takes in the `Set-Cookie` fields of a response. Fields that are not valid for its URL are ignored. */
  take(url: string, fields: readonly string[]): void;
  /** Takes in cookies that the operator gives. */
  give(cookies: readonly CookieOptions[]): void;
  /** Counts the cookies with new names. */
  readonly news: number;
  /** Counts the changes. */
  readonly changes: number;
  /** As a jar is stored. */
  toText(): string;
}

/** `stored`: as {@link HostCookies.toText} has given it. */
export function createHostCookies(stored?: string, given: readonly CookieOptions[] = []): HostCookies {
  const jar = new CookieJar(undefined, { looseMode: false, prefixSecurity: 'strict' });
  for (const one of stored === undefined ? [] : (JSON.parse(stored) as Kept[])) put(Cookie.fromJSON(one));
  for (const one of given) put(cookieOf(one));
  let news = 0;
  let changes = 0;

  function put(cookie: Cookie | undefined): void {
    // The store of a jar in memory calls back at once.
    if (cookie) jar.store.putCookie(cookie, () => {});
  }

  /** The oldest first. */
  function all(): Cookie[] {
    let found: Cookie[] = [];
    jar.store.getAllCookies((_, cookies = []) => {
      found = cookies;
    });
    return found;
  }

  /** Removes cookies beyond the limits, expired ones first, then the oldest. Returns the others. */
  function bound(): Cookie[] {
    const newest = all().toReversed();
    const kept: Cookie[] = [];
    let bytes = 0;
    for (const one of [...newest.filter(isAlive), ...newest.filter((one) => !isAlive(one))]) {
      bytes += Buffer.byteLength(JSON.stringify(one));
      if (kept.length < MAX_COOKIES && bytes <= MAX_JAR_BYTES) kept.push(one);
      else jar.store.removeCookie(one.domain, one.path, one.key, () => {});
    }
    return kept;
  }

  return {
    headerFor(url) {
      return jar.getCookieStringSync(url) || undefined;
    },
    of: (url) =>
      jar.getCookiesSync(url).map(({ key: name, value, domain, path, hostOnly, httpOnly }) => ({
        ...{ name, value, httpOnly, path: path ?? '/' },
        ...(!hostOnly && domain !== null && { domain }),
      })),
    take(url, fields) {
      const before = new Map(all().map((one) => [nameOf(one), one.value]));
      for (const field of fields.slice(0, MAX_FIELDS))
        if (field.length <= MAX_COOKIE_CHARS) jar.setCookieSync(field, url, { ignoreError: true });
      const after = bound();
      if (after.some((one) => !before.has(nameOf(one)))) news++;
      const isSame =
        after.length === before.size && after.every((one) => before.get(nameOf(one)) === one.value);
      if (!isSame) changes++;
    },
    give(cookies) {
      for (const one of cookies) put(cookieOf(one));
      bound();
      changes++;
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

const isAlive = (cookie: Cookie): boolean => (cookie.expiryTime() ?? Number.POSITIVE_INFINITY) > Date.now();

const nameOf = ({ domain, path, key }: Cookie): string => JSON.stringify([domain, path, key]);

function cookieOf({ name, value, domain, path = '/', secure, subdomains, expiresAt }: CookieOptions): Cookie {
  return new Cookie({
    key: name,
    value,
    domain: domain.toLowerCase().replace(/^\./, '').replace(/\.$/, ''),
    path,
    hostOnly: subdomains !== true,
    secure: secure === true,
    expires: expiresAt === undefined ? 'Infinity' : new Date(expiresAt),
  });
}
