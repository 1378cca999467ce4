/**
 * Names that no name server is requested, since every answer of one would be wrong (IANA's Special-Use Domain
 * Names).
 */
import { KnownFailure } from './failure.ts';

/** `*.localhost` is this machine (RFC 6761, section 6.3; WHATWG browsers do the same). */
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];

/**
 * Why names under these top-level domains have no address. `.test` and `.example` may be in a private name
 * server.
 */
const WITHOUT_ADDRESS: Readonly<Record<string, string>> = {
  onion: 'is reached by Tor alone (RFC 7686); a middleware can send its requests by a proxy',
  alt: 'is not a name of the DNS (RFC 9476)',
  invalid: 'never exists (RFC 6761)',
};

/**
 * The addresses of a name that needs no name server; undefined for a name of the DNS. Throws {@link
 * KnownFailure} for one that never has an address. Letter case and a final dot make no difference.
 */
export function specialAddresses(hostname: string): readonly string[] | undefined {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const topLevel = name.slice(name.lastIndexOf('.') + 1);
  if (topLevel === 'localhost') return LOOPBACK;
  const why = Object.hasOwn(WITHOUT_ADDRESS, topLevel) ? WITHOUT_ADDRESS[topLevel] : undefined;
  if (why === undefined) return undefined;
  throw new KnownFailure('reservedName', `${hostname} has no address: a name under .${topLevel} ${why}`);
}
