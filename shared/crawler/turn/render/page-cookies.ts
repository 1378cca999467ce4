/** The jar of a page's host, as the browser has it while it renders the page. */
import { REMOVED } from '../../../core/access/removed-headers.ts';
import type { ResponseHead } from '../../../core/outcome/response-head.ts';
import { hostKey, hostName } from '../../../core/url/host-key.ts';
import { domainOf } from '../../../core/url/registrable-domain.ts';
import type { HostCookies } from '../../access/host-cookies.ts';
import type { PartRequest, RenderCookie, RenderJob } from '../../ports/renderer.ts';

/** The cookies that a page has when its scripts begin. */
export const cookiesOfPage = (jar: HostCookies | undefined, url: string): readonly RenderCookie[] =>
  jar?.of(url).map((cookie) => ({ ...cookie, url })) ?? [];

/** A request to the page's host, with those cookies alone that its scripts have changed: of the others the jar may have newer values. */
export function withScriptCookies(
  request: PartRequest,
  job: Pick<RenderJob, 'url' | 'cookies'>,
): PartRequest {
  const { cookie, ...headers } = request.headers;
  if (cookie === undefined || hostKey(request.url) !== hostKey(job.url)) return request;
  const unchanged = new Set(job.cookies.map(({ name, value }) => `${name}=${value}`));
  const changed = cookie.split('; ').filter((pair) => !unchanged.has(pair));
  return { ...request, headers: changed.length > 0 ? { ...headers, cookie: changed.join('; ') } : headers };
}

/**
 * The headers of an answer as the page gets them. At hosts whose cookies are kept out of the archive, an answer has a mark
 * instead of its cookies: the page gets those of the jar that scripts may see.
 */
export function withReadableCookies(
  headers: ResponseHead['headers'],
  jar: HostCookies | undefined,
  url: string,
): ResponseHead['headers'] {
  const isRemoved = ([name, value]: ResponseHead['headers'][number]) =>
    value === REMOVED && name.toLowerCase() === 'set-cookie';
  if (!headers.some(isRemoved)) return headers;
  const readable = jar?.of(url).filter(({ httpOnly }) => !httpOnly) ?? [];
  // Browsers take cookies named `__Host-...` with it alone.
  const secure = url.startsWith('https:') ? '; Secure' : '';
  const fields = readable.map(({ name, value, path, domain }) => {
    const wide = domain === undefined ? '' : `; Domain=${domain}`;
    return ['Set-Cookie', `${name}=${value}; Path=${path}${wide}${secure}`] as const;
  });
  return [...headers.filter((field) => !isRemoved(field)), ...fields];
}

/** Takes in the cookies that scripts of a page have set, for hosts of its site alone. */
export function takeScriptCookies(
  jar: HostCookies | undefined,
  pageUrl: string,
  cookies: readonly RenderCookie[],
): void {
  if (jar === undefined) return;
  const page = hostKey(pageUrl);
  for (const { name, value, url } of cookies) {
    const target = URL.parse(url);
    // A browser elsewhere may reply anything.
    if (target === null || !/^https?:$/.test(target.protocol)) continue;
    const host = hostKey(target.href);
    if (domainOf(host) !== domainOf(page)) continue;
    const isWide = hostName(page).endsWith(`.${hostName(host)}`);
    const domain = isWide ? `; Domain=${hostName(host)}` : '';
    const secure = target.protocol === 'https:' ? '; Secure' : '';
    jar.take(isWide ? pageUrl : url, [`${name}=${value}; Path=${target.pathname}${domain}${secure}`]);
  }
}
