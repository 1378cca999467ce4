import { parseUrl } from './parse-url.ts';

/** Ports at which servers speak TLS. */
const TLS_PORTS: ReadonlySet<string> = new Set(['443', '8443']);

/**
 * An absolute http(s) URL, as the WHATWG parser writes it. What has no scheme gets https (`example.org/a`,
 * `//example.org`); or http if it is an address or a name of one label, as in browsers: `localhost:8080`,
 * `192.168.0.1`, `intranet`. A path (`/a`, `./a`), another scheme (`mailto:`) and what cannot be the name of a host
 * (`1,example.org`, `"example.org"`) give undefined.
 */
export function parseSeed(text: string): string | undefined {
  const trimmed = text.trim();
  const hasPort = /^[^/:?#@]+:\d{1,5}(?:[/?#]|$)/.test(trimmed);
  const hasScheme = !hasPort && /^[a-z][a-z\d+.-]*:/i.test(trimmed);
  if (!hasScheme && !/^(?:\/\/)?[^\s/.?#\\-]/.test(trimmed)) return undefined;
  const url = parseUrl(hasScheme ? trimmed : `https://${trimmed.replace(/^\/\//, '')}`);
  if (url && !hasScheme && !HOST.test(url.hostname)) return undefined;
  if (url && !hasScheme && isNearby(url)) url.protocol = 'http:';
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}

/** URLs may have other characters in their host, and no host on the web has. */
const HOST = /^(?:[\w.-]+|\[.*\])$/;

/** Whether a server by this address or name rarely has a certificate. */
function isNearby({ hostname, port }: URL): boolean {
  if (TLS_PORTS.has(port)) return false;
  const isAddress = hostname.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(hostname);
  return isAddress || !hostname.includes('.') || hostname.endsWith('.localhost');
}
