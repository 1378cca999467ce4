/** Credentials that a crawl sends only to the hosts of its seeds. */
import { canonicalize } from '../url/canonical.ts';
import { originPattern } from '../url/origin-pattern.ts';
import { parseUrl } from '../url/parse-url.ts';
import { userinfoOf } from '../url/userinfo.ts';
import { InvalidConfig } from './config.ts';
import type { CrawlOptions } from './crawl-options.ts';
import { SEEDS } from './network-values.ts';

/** Settings for more origins than this would fill the crawl's record. */
const MAX_ORIGINS = 1000;

/**
 * The options with user and password of seeds (`https://user:password@example.org/`) as `auth` of their
 * origin, and with the origins of the seeds instead of the pattern `seeds`. Returns the seeds without user
 * and password. Throws {@link InvalidConfig} if there are too many origins to name.
 */
export function takeSeedCredentials(
  options: CrawlOptions,
  seeds: readonly string[],
): { readonly options: CrawlOptions; readonly seeds: readonly string[] } {
  const own = Object.fromEntries(seeds.flatMap((seed) => authOf(seed) ?? []));
  const auth = { ...own, ...options.auth };
  const bare = seeds.map((seed) => withoutUserinfo(seed));
  const taken = { ...options, ...(Object.keys(auth).length > 0 && { auth }) };
  const names = [SEEDS in (taken.headers ?? {}), SEEDS in (taken.auth ?? {})];
  const certificates = taken.clientCertificates?.some(({ hosts }) => hosts.includes(SEEDS));
  if (!names.includes(true) && !certificates) return { options: taken, seeds: bare };
  const origins = [...new Set(bare.flatMap((seed) => canonicalize(seed) ?? []).map(originPattern))];
  if (origins.length > MAX_ORIGINS)
    throw new InvalidConfig(
      `The seeds have ${origins.length} hosts: name the hosts that get headers, passwords and certificates, at most ` +
        `${MAX_ORIGINS}, or \`*\` for all`,
    );
  return {
    options: {
      ...taken,
      ...(taken.headers && { headers: expanded(taken.headers, origins) }),
      ...(taken.auth && { auth: expanded(taken.auth, origins) }),
      ...(taken.clientCertificates && {
        clientCertificates: taken.clientCertificates.map((one) => ({
          ...one,
          hosts: one.hosts.flatMap((host) => (host === SEEDS ? origins : host)),
        })),
      }),
    },
    seeds: bare,
  };
}

/** A setting for one origin takes precedence over a setting for all seeds. */
function expanded<T>(by: Readonly<Record<string, T>>, origins: readonly string[]): Record<string, T> {
  const { [SEEDS]: forSeeds, ...named } = by;
  if (forSeeds === undefined) return named;
  const merged = (origin: string): T => {
    const own = named[origin];
    return own !== undefined && typeof forSeeds === 'object' ? { ...forSeeds, ...own } : (own ?? forSeeds);
  };
  return {
    ...Object.fromEntries(origins.map((origin) => [origin, merged(origin)])),
    ...without(named, origins),
  };
}

const without = <T>(by: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(by).filter(([key]) => !keys.includes(key)));

function authOf(seed: string): [pattern: string, userAndPassword: string][] | undefined {
  const url = seed.includes('@') ? parseUrl(seed) : null;
  const canonical = url ? canonicalize(url.href) : undefined;
  const userinfo = url ? userinfoOf(url) : undefined;
  return canonical === undefined || userinfo === undefined
    ? undefined
    : [[originPattern(canonical), userinfo]];
}

/** Whether the URL has a user or a password. */
export const hasUserinfo = (seed: string): boolean => withoutUserinfo(seed) !== seed;

/** The URL without user and password. */
function withoutUserinfo(seed: string): string {
  const url = seed.includes('@') ? parseUrl(seed) : null;
  if (!url || (url.username === '' && url.password === '')) return seed;
  url.username = '';
  url.password = '';
  return url.href;
}
