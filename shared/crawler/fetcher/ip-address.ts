import { isIPv4, isIPv6 } from 'node:net';
import QuickLRU from 'quick-lru';

/** An IP address as a number: 32 bits of IPv4 or 128 bits of IPv6. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** The addresses that share their first `bits` bits with `value`, whose other bits are zero. */
export interface IpBlock extends IpAddress {
  readonly bits: number;
}

/**
 * Reads an address in the spellings of inet_pton (and a zone, which is left out). Undefined for anything
 * else.
 */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 4, value: readIpv4(text) };
  const withoutZone = text.split('%', 1)[0] as string;
  if (isIPv6(withoutZone)) return { family: 6, value: readIpv6(withoutZone) };
  return undefined;
}

/**
 * Reads `address/bits`, or an address alone: the block of just that one. Bits beyond the prefix are ignored.
 */
export function parseCidr(text: string): IpBlock | undefined {
  const [addressText, bitsText, ...rest] = text.split('/');
  const address = parseIp(addressText as string);
  if (address === undefined || rest.length > 0 || text.includes('%')) return undefined;
  const width = widthOf(address);
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return undefined;
  const bits = bitsText === undefined ? width : Number(bitsText);
  if (bits > width) return undefined;
  const hostBits = BigInt(width - bits);
  return { family: address.family, value: (address.value >> hostBits) << hostBits, bits };
}

export function isInBlock(address: IpAddress, block: IpBlock): boolean {
  if (address.family !== block.family) return false;
  const hostBits = BigInt(widthOf(block) - block.bits);
  return address.value >> hostBits === block.value >> hostBits;
}

function widthOf(address: IpAddress): number {
  return address.family === 4 ? 32 : 128;
}

function readIpv4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/**
 * RFC 4291, section 2.2: groups of 16 bits, `::` for a run of zeros, and the last 32 bits perhaps as IPv4.
 */
function readIpv6(text: string): bigint {
  const lastColon = text.lastIndexOf(':');
  const tail = text.slice(lastColon + 1);
  if (isIPv4(tail)) {
    const ipv4 = readIpv4(tail);
    const groups = `${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`;
    return readIpv6(text.slice(0, lastColon + 1) + groups);
  }
  const [left, right] = text.split('::') as [string, string?];
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** Addresses remembered for a list of blocks. */
const MAX_TESTED = 20_000;

/** Returns a test whether an address lies in one of the CIDR blocks. Texts that are none hold no address. */
export function createBlockTest(cidrs: readonly string[]): (address: string) => boolean {
  if (cidrs.length === 0) return () => false;
  const blocks = cidrs.flatMap((cidr) => parseCidr(cidr) ?? []);
  const tested = new QuickLRU<string, boolean>({ maxSize: MAX_TESTED });
  return (text) => {
    let isIn = tested.get(text);
    if (isIn === undefined) {
      const address = parseIp(text);
      isIn = address !== undefined && blocks.some((block) => isInBlock(address, block));
      tested.set(text, isIn);
    }
    return isIn;
  };
}
