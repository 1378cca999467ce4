import { promises as dns } from 'node:dns';
import { createLimit } from '../../core/base/create-limit.ts';
import type { Lookup, ResolvedName } from './dns-cache.ts';
import { errorCode } from './failure.ts';

/**
 * The machine's own name resolution. The name servers are queried first, since only they give a time to live
 * (c-ares, which also needs no thread); the system's resolver (getaddrinfo, which honours the hosts file and
 * search domains) is used if they know no address or if there are none. So a hosts file adds names but does
 * not override public ones: for that there is the `resolve` option. IPv4 addresses come first.
 */
export function createSystemLookup(): Lookup {
  // Two tries within about 4 s: under the connect time-out, which covers the look-up too.
  const resolver = new dns.Resolver({ timeout: 1500, tries: 2 });
  const inTurn = createLimit(MAX_SYSTEM_LOOKUPS);
  return async (hostname) => {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname, { ttl: true }),
      resolver.resolve6(hostname, { ttl: true }),
    ]);
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (records.length > 0) {
      const ttlMs = Math.min(...records.map((record) => record.ttl)) * 1000;
      return { addresses: records.map((record) => record.address), ttlMs };
    }
    const causes = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : undefined));
    // Silent name servers would be silent for getaddrinfo too, and hold one of its few threads.
    if (causes.some((cause) => errorCode(cause) === 'ETIMEOUT'))
      throw causes.find((cause) => cause !== undefined);
    return inTurn(() => askSystem(hostname));
  };
}

/** getaddrinfo blocks a thread of libuv's pool of four, which file access needs too. */
const MAX_SYSTEM_LOOKUPS = 2;

async function askSystem(hostname: string): Promise<ResolvedName> {
  const found = await dns.lookup(hostname, { all: true, order: 'ipv4first' });
  return { addresses: found.map(({ address }) => address) };
}
