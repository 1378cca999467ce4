/** `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, as curl and Go read them. */
import { InvalidConfig } from '../../../core/crawl/config.ts';
import type { ProxyOptions } from '../../../core/crawl/network-options.ts';
import { isProxyUrl } from '../../../core/crawl/network-values.ts';
import { isOriginPattern } from '../../../core/url/origin-pattern.ts';
import { parseCidr, parseIp } from '../ip-address.ts';

/** This machine is never reached by a proxy that the environment names. */
const THIS_MACHINE = ['localhost', '*.localhost', 'localhost:*', '127.0.0.0/8', '::1/128'];
const MAX_ENTRIES = 500;

/**
 * The rules that the environment sets: `HTTPS_PROXY` for https URLs, `HTTP_PROXY` for http URLs, `ALL_PROXY`
 * where the other is not set; names in lower case count first. `NO_PROXY` lists, by commas, names (each with
 * its subdomains), addresses and CIDR blocks that are reached directly, or `*` for all. Throws {@link
 * InvalidConfig} that names the variable, never its value: it may hold a password.
 */
export function environmentProxies(
  environment: Readonly<Record<string, string | undefined>>,
): ProxyOptions[] {
  const named = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const rules = (['https', 'http'] as const).flatMap((scheme): ProxyOptions[] => {
    const name = `${scheme.toUpperCase()}_PROXY`;
    const [variable, text] = named(name) ? [name, named(name)] : ['ALL_PROXY', named('ALL_PROXY')];
    return text === undefined ? [] : [{ url: proxyUrl(variable, text), scheme }];
  });
  if (rules.length === 0) return [];
  const exceptions = (named('NO_PROXY') ?? '').split(/[\s,]+/).filter((text) => text !== '');
  if (exceptions.includes('*')) return [];
  const hosts = exceptions.slice(0, MAX_ENTRIES).flatMap(patternsOf);
  return [{ url: 'direct', hosts: [...THIS_MACHINE, ...hosts] }, ...rules];
}

function proxyUrl(variable: string, text: string): string {
  const url = text.includes('://') ? text.replace(/^socks:/i, 'socks5h:') : `http://${text}`;
  if (isProxyUrl(url) && url !== 'direct') return url;
  throw new InvalidConfig(
    `Expected the environment variable ${variable} to be the URL of a proxy (http, https, socks5 or socks5h), got ` +
      'something else. Change it, or unset it',
  );
}

/** Patterns that cannot be a host are left out, as curl does. */
function patternsOf(text: string): string[] {
  if (parseCidr(text)) return [text];
  const address = parseIp(text.replace(/^\[(.*)\]$/, '$1'));
  if (address) return [`${text.replace(/^\[(.*)\]$/, '$1')}/${address.family === 4 ? 32 : 128}`];
  const name = text.replace(/^\*?\./, '');
  if (!isOriginPattern(name)) return [];
  const hosts = /:\d+$/.test(name) ? [name] : [name, `${name}:*`];
  return hosts.flatMap((host) => [host, `*.${host}`]);
}
