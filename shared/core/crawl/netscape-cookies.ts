/** `cookies.txt`, the format that browsers' extensions, curl and wget write. */
import { type HostKey, hostName } from '../url/host-key.ts';
import { registrableDomain } from '../url/registrable-domain.ts';
import type { CookieOptions } from './network-options.ts';
import { cookieSchema } from './network-schema.ts';

export interface ReadCookies {
  readonly cookies: readonly CookieOptions[];
  /** Lines that are not cookies, and cookies that could not be sent or are for a public suffix such as `com`. */
  readonly ignored: number;
}

/** curl marks cookies that scripts cannot see by this. */
const HTTP_ONLY = '#HttpOnly_';
/** A line with the largest cookie has fewer. */
const MAX_LINE_CHARS = 8192;

/**
 * The cookies of a file: domain, subdomains, path, secure, expiry (seconds since the epoch, 0 for none), name
 * and value, separated by tabs. In time linear in the file's length.
 */
export function readNetscapeCookies(text: string): ReadCookies {
  const cookies: CookieOptions[] = [];
  let ignored = 0;
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    if (line.trim() === '' || (line.startsWith('#') && !line.startsWith(HTTP_ONLY))) continue;
    const cookie = line.length > MAX_LINE_CHARS ? undefined : cookieOf(line);
    if (cookie === undefined) ignored++;
    else cookies.push(cookie);
  }
  return { cookies, ignored };
}

function cookieOf(line: string): CookieOptions | undefined {
  const fields = (line.startsWith(HTTP_ONLY) ? line.slice(HTTP_ONLY.length) : line).split('\t');
  const [domain = '', subdomains, path, secure, expires = '', name, value = ''] = fields;
  if (fields.length < 6 || fields.length > 7 || !/^\d{1,15}$/.test(expires)) return undefined;
  const bare = domain.toLowerCase().replace(/^\./, '');
  const isWide = subdomains === 'TRUE';
  // A cookie for all of `com` would go to hosts of everybody.
  if (isWide && registrableDomain(bare) === undefined && bare !== 'localhost') return undefined;
  return cookieSchema().safeParse({
    domain: bare,
    ...(isWide && { subdomains: true }),
    path,
    ...(secure === 'TRUE' && { secure: true }),
    ...(expires !== '0' && { expiresAt: Number(expires) * 1000 }),
    name,
    value,
  }).data;
}

/**
 * The cookies for the sites of the seeds: a browser's file has those of everything its user ever visited, and
 * a crawl must not be able to send them.
 */
export function cookiesOfSites(
  cookies: readonly CookieOptions[],
  hosts: readonly HostKey[],
): CookieOptions[] {
  const siteOf = (host: string) => registrableDomain(host) ?? hostName(host);
  const sites = new Set(hosts.map(siteOf));
  return cookies.filter(({ domain }) => sites.has(siteOf(domain)));
}
