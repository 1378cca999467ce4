import type { CookieOptions } from '../../core/crawl/network-options.ts';
import { hostKey, hostName, pathOf } from '../../core/url/host-key.ts';

/** Returns the value of the Cookie header for a canonical URL, or undefined if it gets none. */
export type CookieJar = (url: string, now: () => number) => string | undefined;

/** RFC 6265 asks for 50 of a domain at least; a server refuses heads of more than 8 to 16 KB. */
const MAX_SENT = 180;

/**
 * Cookies that were given, by the rules of RFC 6265, section 5.4: domain, path, `Secure` and expiry decide;
 * longer paths come first. A jar does not change: cookies set by hosts are ignored.
 */
export function createCookieJar(cookies: readonly CookieOptions[]): CookieJar {
  if (cookies.length === 0) return () => undefined;
  const byDomain = new Map<string, CookieOptions[]>();
  for (const cookie of cookies) {
    const domain = cookie.domain.toLowerCase().replace(/^\./, '').replace(/\.$/, '');
    const known = byDomain.get(domain);
    if (known) known.push(cookie);
    else byDomain.set(domain, [cookie]);
  }
  for (const of of byDomain.values()) of.sort((a, b) => (b.path ?? '/').length - (a.path ?? '/').length);

  return (url, now) => {
    const host = hostName(hostKey(url)).replace(/\.$/, '');
    const path = pathOf(url).split('?', 1)[0] as string;
    const isSecure = url.startsWith('https:');
    const found = domainsOf(host).flatMap((domain) =>
      (byDomain.get(domain) ?? []).filter(
        (cookie) =>
          (domain === host || cookie.subdomains === true) &&
          (isSecure || cookie.secure !== true) &&
          (cookie.expiresAt === undefined || cookie.expiresAt > now()) &&
          isBelow(path, cookie.path ?? '/'),
      ),
    );
    if (found.length === 0) return undefined;
    return found
      .slice(0, MAX_SENT)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  };
}

/** `a.b.org`, `b.org`, `org`; of an address the address alone. */
function domainsOf(host: string): string[] {
  const domains = [host];
  if (host.includes(':') || /^[\d.]+$/.test(host)) return domains;
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
    domains.push(host.slice(dot + 1));
  return domains;
}

/** RFC 6265, section 5.1.4. */
function isBelow(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false;
  return path.length === folder.length || folder.endsWith('/') || path[folder.length] === '/';
}
