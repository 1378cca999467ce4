/** Values by patterns of hosts, looked up by URL. */
import { hostKey } from './host-key.ts';
import { compileHostPattern, type HostPattern } from './host-pattern.ts';

const SECURE = 'https://';

/**
 * Returns a function that gives the values whose pattern matches the host of a canonical URL, in their order.
 * A pattern is that of a host (`*.example.org`, `example.org:8080`); with `https://` before it, it matches
 * https URLs alone. Patterns without a star cost one look-up together, however many there are.
 */
export function createOriginTable<T>(entries: readonly (readonly [pattern: string, value: T])[]) {
  const exact = new Map<string, { readonly at: number; readonly value: T }[]>();
  const starred: { at: number; matches: HostPattern; isSecure: boolean; value: T }[] = [];
  for (const [at, [pattern, value]] of entries.entries()) {
    const text = plain(pattern);
    if (!text.includes('*')) {
      const known = exact.get(text);
      if (known) known.push({ at, value });
      else exact.set(text, [{ at, value }]);
      continue;
    }
    const isSecure = text.startsWith(SECURE);
    starred.push({ at, matches: compileHostPattern(isSecure ? text.slice(8) : text), isSecure, value });
  }

  return (url: string): readonly T[] => {
    const host = plain(hostKey(url));
    const isSecure = url.startsWith(SECURE);
    const found = [...(exact.get(host) ?? []), ...((isSecure && exact.get(SECURE + host)) || [])];
    for (const one of starred) if ((isSecure || !one.isSecure) && one.matches(host)) found.push(one);
    if (found.length > 1) found.sort((a, b) => a.at - b.at);
    return found.map(({ value }) => value);
  };
}

/**
 * The pattern that matches the origin of a canonical URL: an http origin also by https, an https origin never
 * by http.
 */
export const originPattern = (url: string): string =>
  (url.startsWith(SECURE) ? SECURE : '') + plain(hostKey(url));

/** Returns whether the text can be a pattern of hosts: `*`, `*.example.org:8080`, `https://example.org`. */
export const isOriginPattern = (text: string): boolean =>
  text.length <= MAX_PATTERN &&
  /^(?:https:\/\/)?(?:[^\s/:@[\]]+|\[[\da-f:.]+\])(?::[\d*]{1,5})?$/i.test(text);

const MAX_PATTERN = 300;

/** In lower case, without the dot that may end a name, and without the port that https has by itself. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\.(?=$|:\d+$)/, '')
    .replace(/^(https:\/\/.*):443$/, '$1');
