import type { HostKey } from './host-key.ts';

/**
 * Ports that browsers refuse (WHATWG Fetch, section 2.9, "bad port"): other protocols than HTTP listen there,
 * and some read a part of a request as a command. Otherwise the author of a page could make the crawler send
 * it.
 */
const BLOCKED = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Whether browsers refuse the port. */
export const isBlockedPort = (port: number): boolean => BLOCKED.has(port);

/** The port of the host if browsers refuse it and `allowed` does not name it; else undefined. */
export function blockedPortOf(host: HostKey, allowed: readonly number[] = []): number | undefined {
  const colon = host.lastIndexOf(':');
  // The last colon of `[::1]` stands before its bracket.
  if (colon < 0 || host.endsWith(']')) return undefined;
  const port = Number(host.slice(colon + 1));
  return BLOCKED.has(port) && !allowed.includes(port) ? port : undefined;
}

/** As above, for a canonical URL of http or https. No text is made of it: scopes are requested each link. */
export function blockedPortOfUrl(url: string, allowed?: readonly number[]): number | undefined {
  const end = url.indexOf('/', 8);
  let at = end - 1;
  let port = 0;
  for (let weight = 1; at > 0 && weight <= 10_000; at--, weight *= 10) {
    const digit = url.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) break;
    port += digit * weight;
  }
  if (url.charCodeAt(at) !== COLON) return undefined;
  return BLOCKED.has(port) && !allowed?.includes(port) ? port : undefined;
}

const ZERO = 0x30;
const COLON = 0x3a;
