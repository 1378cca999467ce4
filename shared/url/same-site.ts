import { hostKey } from './host-key.ts';
import { registrableDomain } from './registrable-domain.ts';

/** Whether two canonical URLs belong to one owner, as far as names tell: the same host or registrable domain. */
export function isSameSite(a: string, b: string): boolean {
  const [hostA, hostB] = [hostKey(a), hostKey(b)];
  const domain = registrableDomain(hostA);
  return hostA === hostB || (domain !== undefined && domain === registrableDomain(hostB));
}
