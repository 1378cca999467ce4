/**
 * Messages about the headers, cookies, passwords and certificates of a command line: secrets are in none of
 * them.
 */

import type { ProxyOptions } from '../shared/core/crawl/network-options.ts';
import { isProxyUrl, REFUSED_HEADERS, SEEDS } from '../shared/core/crawl/network-values.ts';
import { isOriginPattern } from '../shared/core/url/origin-pattern.ts';
import { UsageError } from './usage-error.ts';

/** A header for the hosts that a pattern means; `seeds` for those of the seeds. */
export interface GivenHeader {
  readonly host: string;
  readonly name: string;
  readonly value: string;
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * `Name: value`, for the hosts of the seeds, or `HOST Name: value`. Throws {@link UsageError}; `where`: for
 * its message.
 */
export function parseHeader(text: string, where = '--header'): GivenHeader {
  const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/s.exec(text.trim()) ?? [];
  const isHost = isOriginPattern(word) && (!word.includes(':') || /^https:\/\/|:[\d*]+$|^\[/.test(word));
  const hasHost = isHost && NAME.test(nameOf(rest));
  const header = hasHost ? rest : text.trim();
  const name = nameOf(header);
  if (!header.includes(':') || !NAME.test(name))
    throw new UsageError(
      `Expected ${where} 'Name: value' or 'HOST Name: value', got something else (not shown: it may be secret)`,
    );
  const value = header.slice(header.indexOf(':') + 1).trim();
  const why = REFUSED_HEADERS[name.toLowerCase()];
  if (why !== undefined) throw new UsageError(`${where} cannot set ${name}: ${why}`);
  if (!/^[\t\x20-\x7e]*$/.test(value))
    throw new UsageError(`Expected the value of ${name} (${where}) to be printable ASCII on one line`);
  return { host: hasHost ? word : SEEDS, name, value };
}

const nameOf = (header: string): string => header.slice(0, Math.max(0, header.indexOf(':')));

/** A host, perhaps with a port, then a user and a password, which may contain colons. */
const AUTH = /^((?:https:\/\/)?(?:[^:/[\]]+|\[[^\]]*\])(?::\d{1,5}(?=:[^:]+:))?):([^:]+:.*)$/s;

/** `HOST:USER:PASSWORD`, or `USER:PASSWORD` for the hosts of the seeds. Throws {@link UsageError}. */
export function parseAuth(
  text: string,
  where = '--basic-auth',
): readonly [host: string, userAndPassword: string] {
  const [, host, rest] = AUTH.exec(text) ?? [];
  if (host !== undefined && isOriginPattern(host)) return [host.toLowerCase(), rest as string];
  if (/^[^:]+:[^:]*$/.test(text)) return [SEEDS, text];
  throw new UsageError(
    `Expected ${where} HOST:USER:PASSWORD, or USER:PASSWORD for the hosts of the seeds, got something else ` +
      '(not shown: it may be secret)',
  );
}

/** `URL`, or `PATTERN=URL` for some hosts; `direct` for no proxy. Throws {@link UsageError}. */
export function parseProxyRule(text: string): ProxyOptions {
  const [, pattern, given = text] = /^([^\s=/]+|https:\/\/[^\s=/]+)=(.*)$/s.exec(text) ?? [];
  const url = given.includes('://') || given === 'direct' ? given : `http://${given}`;
  if (isProxyUrl(url) && (pattern === undefined || isOriginPattern(pattern)))
    return { url, ...(pattern !== undefined && { hosts: [pattern.toLowerCase()] }) };
  const old = /^socks4?a?:/i.test(given) ? '; SOCKS4 is not supported, socks5:// and socks5h:// are' : '';
  throw new UsageError(
    'Expected --proxy URL (http://, https://, socks5:// or socks5h://HOST:PORT, or direct) or PATTERN=URL, got ' +
      `something else (not shown: it may hold a password)${old}`,
  );
}
