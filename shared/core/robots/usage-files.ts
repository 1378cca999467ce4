/**
 * The files beside robots.txt that state the permitted uses of a site's content: `tdmrep.json`, and licences
 * (RSL) that robots.txt names. They are kept as robots.txt is, as rules.
 */
import { hostKey } from '../url/host-key.ts';
import { parseUrl } from '../url/parse-url.ts';
import type { PathStatement } from '../usage/path-statement.ts';
import { TDMREP_PATH } from '../usage/tdmrep-file.ts';
import { normalPattern } from './pattern.ts';
import type { RobotsRules, UsageRule } from './robots-rules.ts';
import { isAllowed, pathAndQuery } from './rules.ts';

/** Licences of an origin that are read. */
const MAX_LICENSES_READ = 2;
export const MAX_FILES_OF_ORIGIN = 1 + MAX_LICENSES_READ;

/** A key of its own: another host's robots.txt may redirect to the file's URL, and is then kept by that. */
const PREFIX = 'usage ';
export const usageFileKey = (url: string): string => PREFIX + url;
export const isUsageFileKey = (key: string): boolean => key.startsWith(PREFIX);

/**
 * Returns the URLs of the files of an origin, at most `MAX_FILES_OF_ORIGIN`: `tdmrep.json` if `wantsTdm`, and the licences on the
 * same host that `rules`, its robots.txt, names. What robots.txt disallows is left out.
 */
export function usageFilesOf(origin: string, rules: RobotsRules, wantsTdm: boolean): string[] {
  const host = hostKey(`${origin}/`);
  const licenses = (rules.usage ?? []).flatMap(({ signal, value }) => {
    const url = signal === 'license' ? parseUrl(value, `${origin}/robots.txt`) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return [];
    url.hash = '';
    return hostKey(url.href) === host ? [url.href] : [];
  });
  return [
    ...(wantsTdm ? [origin + TDMREP_PATH] : []),
    ...[...new Set(licenses)].slice(0, MAX_LICENSES_READ),
  ].filter((url) => isAllowed(rules, pathAndQuery(url)).allowed);
}

/** Returns what a file states as rules: the longest path first, of equal paths the reserving one first. */
export function usageRules(statements: readonly PathStatement[]): RobotsRules {
  if (statements.length === 0) return { rules: [], sitemaps: [] };
  const usage = statements.map(
    ({ signal, path, value }): UsageRule => ({
      signal,
      pattern: normalPattern(Buffer.from(path, 'utf8').toString('latin1')),
      value,
    }),
  );
  return { rules: [], sitemaps: [], usage: usage.sort((a, b) => b.pattern.length - a.pattern.length) };
}
