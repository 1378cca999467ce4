/**
 * Parts of a canonical URL, by slicing: a canonical URL is `http://` or `https://`, host, perhaps a port, and
 * a path that begins with `/`, so no parsing is needed. Of any other string the answers mean nothing.
 */

/**
 * Host of a URL: host name, with `:port` where it is not the scheme's default. Lower case; IPv6 in brackets.
 */
export type HostKey = string;

/**
 * Host name with `:port` where it is not the scheme's default. http and https at their default ports are one
 * host.
 */
export function hostKey(url: string): HostKey {
  const from = hostStart(url);
  return url.slice(from, pathStart(url, from));
}

/** Whether the URL's {@link hostKey} is `key`: no text is made to know it. */
export function isOfHost(url: string, key: HostKey): boolean {
  const from = hostStart(url);
  return pathStart(url, from) === from + key.length && url.startsWith(key, from);
}

/** Scheme, host and port: `https://example.com:8443`. */
export function origin(url: string): string {
  return url.slice(0, pathStart(url, hostStart(url)));
}

/** Path and query: `/a/b?c=d`. Begins with `/`. */
export function pathOf(url: string): string {
  return url.slice(pathStart(url, hostStart(url)));
}

/** The host without its port, and an IPv6 address without its brackets. */
export function hostName(key: HostKey): string {
  if (key.startsWith('[')) return key.slice(1, key.indexOf(']'));
  const colon = key.indexOf(':');
  return colon < 0 ? key : key.slice(0, colon);
}

const hostStart = (url: string): number => (url.startsWith('https:') ? 8 : 7);

const pathStart = (url: string, from: number): number => url.indexOf('/', from);
