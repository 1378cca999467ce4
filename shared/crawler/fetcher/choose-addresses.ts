import { isIP } from 'node:net';
import { type AddressGuard, describeSpecialAddress } from './address-guard.ts';
import { errorCode, errorMessageOf, KnownFailure } from './failure.ts';
import { specialAddresses } from './special-names.ts';

export interface AddressChoice {
  /** The pinned address of a name, see `createHostPins`. */
  readonly pin: (hostname: string) => string | undefined;
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  readonly guard: AddressGuard;
}

/**
 * The IP addresses that a connection to `hostname` may go to, in the order to try; at least one. The host name is
 * as in a WHATWG URL, so that IPv4 in any spelling is dotted; IPv6 with or without brackets. Rejects with a
 * {@link KnownFailure}: about the name if it has no address, `blockedAddress` if the guard lets none pass.
 */
export async function chooseAddresses(hostname: string, choice: AddressChoice): Promise<string[]> {
  const addresses = await addressesOf(hostname.replace(/^\[(.*)\]$/, '$1'), choice);
  const allowed = addresses.filter(choice.guard);
  if (allowed.length > 0) return allowed;
  throw new KnownFailure('blockedAddress', describeBlocked(hostname, addresses));
}

async function addressesOf(hostname: string, { pin, resolve }: AddressChoice): Promise<readonly string[]> {
  if (isIP(hostname) !== 0) return [hostname];
  const pinned = pin(hostname);
  if (pinned !== undefined) return [pinned];
  const special = specialAddresses(hostname);
  if (special !== undefined) return special;
  try {
    return await resolve(hostname);
  } catch (error) {
    throw describeLookup(hostname, error);
  }
}

function describeLookup(hostname: string, error: unknown): KnownFailure {
  switch (errorCode(error)) {
    case 'ENOTFOUND':
    case 'ENODATA':
    case 'EBADNAME':
      return new KnownFailure('noSuchHost', `no such host: ${hostname}`, error);
    case 'ETIMEOUT':
      return new KnownFailure('nameServerTimeout', `the name servers gave no answer for ${hostname}`, error);
    default:
      return new KnownFailure(
        'nameServerFailure',
        `the name servers failed to resolve ${hostname} (${errorMessageOf(error)})`,
        error,
      );
  }
}

/** For people: which addresses were refused, why, and the setting that would allow them. */
export function describeBlocked(hostname: string, addresses: readonly string[]): string {
  const named = addresses.map((ip) => `${ip}, ${describeSpecialAddress(ip) ?? 'public'}`).slice(0, 3);
  const example = `${addresses[0]}/${isIP(addresses[0] as string) === 6 ? 128 : 32}`;
  return (
    `${hostname} is not connected to: its address is not of the public internet (${named.join('; ')}). ` +
    `\`--allow-private-addresses=${example}\` allows it`
  );
}
