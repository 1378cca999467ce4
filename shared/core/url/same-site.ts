import { hostKey } from './host-key.ts';
import { registrableDomain } from './registrable-domain.ts';

/**
 * Returns whether two canonical URLs have the same host or registrable domain, so probably the same owner.
 */
export function isSameSite(a: string, b: string): boolean {
  const [hostA, hostB] = [hostKey(a), hostKey(b)];
  const domain = registrableDomain(hostA);
  return hostA === hostB || (domain !== undefined && domain === registrableDomain(hostB));
}
