import { getDomain } from 'tldts';
import { type HostKey, hostName } from './host-key.ts';

/**
 * The registrable domain (eTLD+1) of a host by the Public Suffix List: `example.co.uk` for
 * `www.example.co.uk:8080`. Undefined for an IP address, a public suffix itself, and a single label. A suffix
 * that the list does not know counts as one label, as the list's algorithm says.
 *
 * The list's private section counts too (`github.io`, `uk.com`), as in the list's own test vectors: a label below such
 * a suffix belongs to different owners. About 0.3 us.
 */
export function registrableDomain(host: HostKey): string | undefined {
  return getDomain(hostName(host), OPTIONS) ?? undefined;
}

/**
 * The name that stands for the owner of a host: its registrable domain; of an address, a single label or a public
 * suffix the name itself. The port never counts.
 */
export const domainOf = (host: HostKey): string => registrableDomain(host) ?? hostName(host);

// The name comes from a parsed URL: there is nothing to extract or to validate.
const OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
