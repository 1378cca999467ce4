/** The target of a request, and why none may be made. */
import { blockedPortOf, blockedPortOfUrl } from '../../core/url/blocked-ports.ts';
import { isPlainUrl } from '../../core/url/canonical.ts';
import { origin as originOf, pathOf } from '../../core/url/host-key.ts';
import { type DescribedFailure, described } from './failure.ts';
import { isForwarding, type ProxyServer } from './proxy/choose-proxy.ts';

/** Returns why no request may be made for `url`, be it of a page, a redirect or a middleware. */
export function faultOf(url: string, allowPorts: readonly number[]): DescribedFailure | undefined {
  if (isPlainUrl(url)) return portFault(blockedPortOfUrl(url, allowPorts));
  const parsed = /^https?:\/\//.test(url) ? URL.parse(url) : null;
  if (parsed === null) {
    const text = JSON.stringify(url.slice(0, 200));
    return described('invalidRequest', `Expected an absolute http or https URL, got ${text}`);
  }
  return portFault(blockedPortOf(parsed.host, allowPorts));
}

const portFault = (port: number | undefined): DescribedFailure | undefined =>
  port === undefined
    ? undefined
    : described('blockedPort', `browsers refuse port ${port}; \`--allow-port ${port}\` allows it`);

/** `URL.search` leaves out the `?` of an empty query, which is part of the URL: RFC 3986, section 6.2.3. */
export function requestTarget(
  url: string,
  proxy: ProxyServer | undefined,
): { readonly origin: string; readonly path: string } {
  if (proxy === undefined && isPlainUrl(url)) return { origin: originOf(url), path: pathOf(url) };
  const { origin, pathname, search, href } = new URL(url);
  const hasEmptyQuery = search === '' && href.split('#', 1)[0]!.endsWith('?');
  const path = pathname + (hasEmptyQuery ? '?' : search);
  return { origin, path: isForwarding(proxy, url) ? origin + path : path };
}
