/** Headers of a request that the operator has set: for some hosts, and perhaps secret. */
import type { CrawlConfig } from '../../core/crawl/config.ts';
import { createOriginTable } from '../../core/url/origin-pattern.ts';
import { createCookieJar } from './cookie-jar.ts';

export type OwnHeaderOptions = Partial<Pick<CrawlConfig, 'headers' | 'cookies' | 'auth'>>;

/**
 * Returns the headers for a request to `url`, by name, instead of the crawler's own of the same names; only headers
 * that are meant for the URL's host. Undefined if there are none.
 */
export type OwnHeaders = (url: string, now: () => number) => Readonly<Record<string, string>> | undefined;

export function createOwnHeaders({ headers = {}, cookies = [], auth = {} }: OwnHeaderOptions): OwnHeaders {
  const given = Object.entries(headers);
  const passwords = Object.entries(auth);
  if (given.length === 0 && passwords.length === 0 && cookies.length === 0) return () => undefined;
  const headersOf = createOriginTable(given);
  const passwordsOf = createOriginTable(passwords);
  const cookiesOf = createCookieJar(cookies);

  return (url, now) => {
    // By name in lower case: `cookie` and `Cookie` are one header.
    const found = new Map<string, readonly [name: string, value: string]>();
    const set = (name: string, value: string) => found.set(name.toLowerCase(), [name, value]);
    const password = passwordsOf(url).at(-1);
    if (password !== undefined)
      set('Authorization', `Basic ${Buffer.from(password, 'utf8').toString('base64')}`);
    for (const one of headersOf(url)) for (const [name, value] of Object.entries(one)) set(name, value);
    const sent = cookiesOf(url, now);
    if (sent !== undefined) {
      const own = found.get('cookie')?.[1];
      set('Cookie', own === undefined ? sent : `${own}; ${sent}`);
    }
    return found.size === 0 ? undefined : Object.fromEntries(found.values());
  };
}
