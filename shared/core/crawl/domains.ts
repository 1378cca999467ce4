import { type HostKey, hostKey, hostName } from '../url/host-key.ts';

/** A name of a host, in lower case and as DNS has it, or an IPv4 address. */
export const DOMAIN = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,10}$/;

/** Returns whether a host is one of these, or below one of them; true for all if there are none. */
export function createDomainCheck(domains: readonly string[]): (host: HostKey) => boolean {
  if (domains.length === 0) return () => true;
  const names = new Set(domains);
  return (host) => {
    for (let name = hostName(host); ; ) {
      if (names.has(name)) return true;
      const dot = name.indexOf('.');
      if (dot < 0) return false;
      name = name.slice(dot + 1);
    }
  };
}

/** As above, for a canonical URL's host. */
export function createUrlDomainCheck(domains: readonly string[]): (url: string) => boolean {
  const isHostIn = createDomainCheck(domains);
  return domains.length === 0 ? () => true : (url) => isHostIn(hostKey(url));
}
