/**
 * Which addresses and ports a crawl may be allowed to connect to: its configuration comes from others than
 * the deployer's.
 */
import type { CrawlOptions } from '../../core/crawl/config.ts';
import { quoted } from '../../core/text/printable.ts';
import { isBlockedPort } from '../../core/url/blocked-ports.ts';
import { createAddressGuard, createBlockGuard } from '../../crawler/fetcher/address-guard.ts';
import { parseCidr, parseIp } from '../../crawler/fetcher/ip-address.ts';
import { ControlError } from './control.ts';

/**
 * Throws {@link ControlError} where `allowPrivateAddresses` or `resolve` of a crawl opens more than `allowed`, the
 * blocks that the deployment opens to its crawls: no caller may reach a worker's loopback, its network or its metadata
 * service through a crawl. Every caller may make a pin to a public address.
 */
export function checkAddresses(
  { allowPrivateAddresses = [], resolve = [] }: CrawlOptions,
  allowed: readonly string[],
): void {
  const mayConnect = createAddressGuard(allowed);
  const mayOpen = createBlockGuard(allowed);
  const may = allowed.length === 0 ? 'no private addresses are' : `only ${allowed.join(', ')} may be`;
  for (const [i, text] of allowPrivateAddresses.entries()) {
    const field = `config.allowPrivateAddresses.${i}`;
    if (parseCidr(text) === undefined)
      throw new ControlError(
        'invalid',
        `Expected ${field} to be a CIDR block such as 127.0.0.0/8, got ${quoted(text)}`,
        field,
      );
    if (!mayOpen(text))
      throw new ControlError('invalid', `${field}: ${quoted(text)} is not open here; ${may} allowed`, field);
  }
  for (const [i, [pattern, address]] of resolve.entries()) {
    const field = `config.resolve.${i}`;
    const ip = address.replace(/^\[(.*)\]$/, '$1');
    if (parseIp(ip) === undefined)
      throw new ControlError(
        'invalid',
        `Expected ${field} to pin ${quoted(pattern)} to an IP address, got ${quoted(address)}`,
        field,
      );
    if (!mayConnect(ip))
      throw new ControlError(
        'invalid',
        `${field}: ${quoted(address)} is not open here; ${may} allowed`,
        field,
      );
  }
}

/**
 * Throws {@link ControlError} where a proxy of a crawl has an address that the deployment does not open. A name is judged
 * by its address when it is connected to.
 */
export function checkProxies({ proxies = [] }: CrawlOptions, allowed: readonly string[]): void {
  const mayConnect = createAddressGuard(allowed);
  for (const [i, { url }] of proxies.entries()) {
    const host = url === 'direct' ? '' : new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
    const field = `config.proxies.${i}.url`;
    if (parseIp(host) !== undefined && !mayConnect(host))
      throw new ControlError('invalid', `${field}: the address ${quoted(host)} is not open here`, field);
  }
}

/**
 * Throws {@link ControlError} where `allowPorts` of a crawl names a port that browsers refuse, and `allowed`
 * does not.
 */
export function checkPorts({ allowPorts = [] }: CrawlOptions, allowed: readonly number[]): void {
  const at = allowPorts.findIndex((port) => isBlockedPort(port) && !allowed.includes(port));
  if (at < 0) return;
  const may = allowed.length === 0 ? 'no such ports are' : `only ${allowed.join(', ')} may be`;
  const field = `config.allowPorts.${at}`;
  throw new ControlError(
    'invalid',
    `${field}: port ${allowPorts[at]} is not open here; ${may} allowed`,
    field,
  );
}
