/** Which proxy a URL's host is reached by. */
import { createHash } from 'node:crypto';
import type { CrawlConfig } from '../../../core/crawl/config.ts';
import { hostKey, hostName } from '../../../core/url/host-key.ts';
import { createOriginTable } from '../../../core/url/origin-pattern.ts';
import { isInBlock, parseCidr, parseIp } from '../ip-address.ts';

/** How a proxy is spoken to. `socks5`: names are resolved here; `socks5h`: by the proxy. */
type ProxyKind = 'http' | 'https' | 'socks5' | 'socks5h';

export interface ProxyServer {
  readonly kind: ProxyKind;
  /** IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** For messages: `http://proxy.example:8080`, without user and password. */
  readonly name: string;
  /** When it last answered, by `performance.now()`: if a proxy answers other requests, the silence is not its fault. */
  answeredAt: number;
}

/** Returns the proxy for an origin (`https://example.org:8443/`), or undefined if it is reached directly. */
export type ChooseProxy = (url: string) => ProxyServer | undefined;

const DEFAULT_PORTS: Readonly<Record<ProxyKind, number>> = {
  http: 80,
  https: 443,
  socks5: 1080,
  socks5h: 1080,
};

/**
 * Rules that name hosts count before rules that name none; the first kind of rule that matches decides. If
 * several proxies remain, a hash of the host name chooses one, so that a host always sees the same. `direct`
 * among them means none.
 */
export function createProxyChooser(rules: CrawlConfig['proxies']): ChooseProxy {
  if (rules.length === 0) return () => undefined;
  const known = new Map<string, ProxyServer | undefined>();
  const made = rules.map(({ url, hosts, scheme }) => {
    if (!known.has(url)) known.set(url, url === 'direct' ? undefined : parseProxy(url));
    return { proxy: known.get(url), scheme, hosts };
  });
  const named = made.filter(({ hosts }) => hosts !== undefined);
  const general = made.filter(({ hosts }) => hosts === undefined);
  const entries = named.flatMap((rule) => (rule.hosts ?? []).map((host) => [host, rule] as const));
  const byName = createOriginTable(
    entries.filter(([host]) => !host.includes('/') || host.startsWith('https://')),
  );
  const byBlock = entries.flatMap(([host, rule]) => {
    const block = host.startsWith('https://') ? undefined : parseCidr(host);
    return block ? [{ block, rule }] : [];
  });

  return (url) => {
    const fits = ({ scheme }: (typeof made)[number]) => scheme === undefined || url.startsWith(`${scheme}:`);
    const name = hostName(hostKey(url));
    const address = byBlock.length > 0 ? parseIp(name) : undefined;
    const blocks = address
      ? byBlock.filter(({ block }) => isInBlock(address, block)).map(({ rule }) => rule)
      : [];
    const mine = [...byName(url), ...blocks].filter(fits);
    const chosen = mine.length > 0 ? mine : general.filter(fits);
    if (chosen.length < 2) return chosen[0]?.proxy;
    const hash = createHash('sha256').update(name).digest().readUInt32BE(0);
    return chosen[hash % chosen.length]?.proxy;
  };
}

/** The URL was checked with the configuration. */
function parseProxy(text: string): ProxyServer {
  const url = new URL(text);
  const kind = url.protocol.slice(0, -1) as ProxyKind;
  return {
    kind,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORTS[kind] : Number(url.port),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    name: `${url.protocol}//${url.host}`,
    answeredAt: -1,
  };
}

/** The value of Proxy-Authorization, if the proxy wants one. */
export const proxyAuthorization = ({ username, password }: ProxyServer): string | undefined =>
  username === '' && password === ''
    ? undefined
    : `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;

/** Whether requests for http URLs go to the proxy itself, with the whole URL, and through no tunnel. */
export const isForwarding = (proxy: ProxyServer | undefined, url: string): boolean =>
  proxy?.kind.startsWith('http') === true && url.startsWith('http:');
