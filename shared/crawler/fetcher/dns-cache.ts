/** The addresses of a name. `ttlMs` as the name server gave it; undefined if the source knows none. */
export interface ResolvedName {
  readonly addresses: readonly string[];
  readonly ttlMs?: number;
}

/** Resolves a host name; rejects with an error with a `code` (`ENOTFOUND`, ...) if the name has no address. */
export type Lookup = (hostname: string) => Promise<ResolvedName>;

/** Shorter times to live are taken as this: a crawler visits a host more than once a second. */
export const MIN_TTL_MS = 10_000;
/** Longer ones as this, so that a host that moves is found again the same hour. */
export const MAX_TTL_MS = 3_600_000;
/** For answers without one (getaddrinfo). */
export const UNKNOWN_TTL_MS = 60_000;
/**
 * How long a failed look-up is believed. RFC 2308 allows hours, but a crawler's own network may be what
 * failed. Less than the first rest of a host that failed (`backoffMs`), so that its second try looks up again.
 */
export const NEGATIVE_TTL_MS = 3000;
const MAX_NAMES = 100_000;

interface Entry {
  readonly answer: Promise<readonly string[]>;
  /** Infinity while the question is in progress. */
  expiresAt: number;
}

/**
 * Caches look-ups for their time to live. Concurrent look-ups of a name share one query. Holds the
 * `maxNames` names used last. The result rejects as the look-up did, and with `ENOTFOUND` for an empty
 * answer.
 */
export function createDnsCache(
  lookup: Lookup,
  now: () => number,
  maxNames = MAX_NAMES,
): (hostname: string) => Promise<readonly string[]> {
  const entries = new Map<string, Entry>();

  function ask(hostname: string): Entry {
    const entry: Entry = {
      expiresAt: Number.POSITIVE_INFINITY,
      answer: lookup(hostname).then(
        ({ addresses, ttlMs = UNKNOWN_TTL_MS }) => {
          if (addresses.length === 0) {
            entry.expiresAt = now() + NEGATIVE_TTL_MS;
            throw Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });
          }
          entry.expiresAt = now() + Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS);
          return addresses;
        },
        (error: unknown) => {
          entry.expiresAt = now() + NEGATIVE_TTL_MS;
          throw error;
        },
      ),
    };
    return entry;
  }

  return (hostname) => {
    const known = entries.get(hostname);
    const entry = known !== undefined && known.expiresAt > now() ? known : ask(hostname);
    // Set again, so that the map's order is that of use and its first name the one to drop.
    entries.delete(hostname);
    entries.set(hostname, entry);
    if (entries.size > maxNames) entries.delete(entries.keys().next().value as string);
    return entry.answer;
  };
}
