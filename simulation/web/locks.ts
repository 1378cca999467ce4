/**
 * Hosts behind a password, a cookie or a header of the operator's settings: to all who bring none they answer 401. Each host has a
 * word of its own, so that the log says whose word a request brought.
 */
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import { type Chance, DRAW } from './chance.ts';
import type { WebHost } from './hosts.ts';
import type { WebShape } from './shape.ts';

export interface Locks {
  has(host: Pick<WebHost, 'number'>): boolean;
  /** The settings that open these hosts. */
  keysOf(hosts: readonly WebHost[]): Pick<CrawlOptions, 'auth' | 'cookies' | 'headers'>;
}

const WORD = /word-of-([a-z0-9.:-]+)/g;
const wordOf = (key: string): string => `word-of-${key}`;

/** The hosts whose words a request brings. */
export function wordsIn({ headers = {} }: Pick<FetchRequest, 'headers'>): string[] {
  const values = Object.values(headers).map((value) =>
    value.startsWith('Basic ') ? Buffer.from(value.slice(6), 'base64').toString() : value,
  );
  return values.flatMap((value) => Array.from(value.matchAll(WORD), ([, key]) => key as string));
}

export function createLocks({ lockedShare = 0 }: Pick<WebShape, 'lockedShare'>, chance: Chance): Locks {
  return {
    has: ({ number }) => chance.at(DRAW.locks, number) < lockedShare,
    keysOf(hosts) {
      const auth: Record<string, string> = {};
      const headers: Record<string, Record<string, string>> = {};
      const cookies: NonNullable<CrawlOptions['cookies']> = [];
      for (const { key, number, scheme } of hosts) {
        const way = Math.floor(3 * chance.at(DRAW.locks, number, 1));
        const isSecure = scheme === 'https' && chance.at(DRAW.locks, number, 2) < 0.5;
        const pattern = isSecure ? `https://${key}` : key;
        const word = wordOf(key);
        if (way === 0) auth[pattern] = `reader:${word}`;
        else if (way === 1)
          headers[pattern] =
            chance.at(DRAW.locks, number, 3) < 0.5
              ? { Authorization: `Bearer ${word}` }
              : { 'X-Api-Key': word };
        else
          cookies.push({
            domain: new URL(`http://${key}`).hostname,
            name: 'key',
            value: word,
            secure: isSecure,
          });
      }
      return { auth, headers, cookies };
    },
  };
}
