import { InvalidConfig } from '../../core/crawl/config.ts';
import { type IpAddress, type IpBlock, isInBlock, parseCidr, parseIp } from './ip-address.ts';

/** Says whether a connection to this IP address may be made. */
export type AddressGuard = (ip: string) => boolean;

/**
 * Addresses outside of the public web: the IANA special-purpose registries for IPv4 and IPv6 (RFC 6890 and
 * its successors), multicast, and the cloud's metadata services, which hand out credentials to every process
 * inside. The first block that holds an address names it.
 */
const METADATA: readonly [cidr: string, name: string][] = [
  ['169.254.169.254/32', 'cloud metadata service'],
  ['169.254.170.2/32', 'cloud metadata service (AWS containers)'],
  ['169.254.170.23/32', 'cloud metadata service (AWS pod identity)'],
  ['fd00:ec2::254/128', 'cloud metadata service (AWS)'],
  ['fd00:ec2::23/128', 'cloud metadata service (AWS pod identity)'],
  ['fd20:ce::254/128', 'cloud metadata service (Google)'],
  ['100.100.100.200/32', 'cloud metadata service (Alibaba)'],
  ['192.0.0.192/32', 'cloud metadata service (Oracle)'],
  // Not in any registry: a public address that inside Azure answers as the host.
  ['168.63.129.16/32', 'cloud metadata service (Azure)'],
];

const SPECIAL: readonly [cidr: string, name: string][] = [
  ['0.0.0.0/8', 'this network (RFC 791)'],
  ['10.0.0.0/8', 'private use (RFC 1918)'],
  ['100.64.0.0/10', 'shared address space (RFC 6598)'],
  ['127.0.0.0/8', 'loopback (RFC 1122)'],
  ['169.254.0.0/16', 'link-local (RFC 3927)'],
  ['172.16.0.0/12', 'private use (RFC 1918)'],
  ['192.0.0.0/24', 'IETF protocol assignments (RFC 6890)'],
  ['192.0.2.0/24', 'documentation (RFC 5737)'],
  ['192.88.99.0/24', '6to4 relay anycast (RFC 7526)'],
  ['192.168.0.0/16', 'private use (RFC 1918)'],
  ['198.18.0.0/15', 'benchmarking (RFC 2544)'],
  ['198.51.100.0/24', 'documentation (RFC 5737)'],
  ['203.0.113.0/24', 'documentation (RFC 5737)'],
  ['224.0.0.0/4', 'multicast (RFC 5771)'],
  ['255.255.255.255/32', 'limited broadcast (RFC 919)'],
  ['240.0.0.0/4', 'reserved (RFC 1112)'],
  ['::/128', 'unspecified (RFC 4291)'],
  ['::1/128', 'loopback (RFC 4291)'],
  ['64:ff9b:1::/48', 'local-use translation (RFC 8215)'],
  ['100::/64', 'discard-only (RFC 6666)'],
  ['100:0:0:1::/64', 'dummy prefix (RFC 9780)'],
  ['2001::/32', 'Teredo (RFC 4380)'],
  ['2001::/23', 'IETF protocol assignments (RFC 2928)'],
  ['2001:db8::/32', 'documentation (RFC 3849)'],
  ['3fff::/20', 'documentation (RFC 9637)'],
  ['5f00::/16', 'segment routing (RFC 9602)'],
  ['fc00::/7', 'unique local (RFC 4193)'],
  ['fe80::/10', 'link-local (RFC 4291)'],
  ['fec0::/10', 'site-local (RFC 3879)'],
  ['ff00::/8', 'multicast (RFC 4291)'],
];

/**
 * Prefixes whose addresses carry an IPv4 address, and how far from the right it ends: that address is judged.
 */
const EMBEDDING: readonly [cidr: string, shift: bigint][] = [
  ['::ffff:0:0/96', 0n], // IPv4-mapped, RFC 4291 section 2.5.5.2
  ['64:ff9b::/96', 0n], // NAT64, RFC 6052
  ['2002::/16', 80n], // 6to4, RFC 3056
];

type NamedBlock = readonly [block: IpBlock, name: string];
const named = ([cidr, name]: readonly [string, string]): NamedBlock => [parseCidr(cidr)!, name];
const METADATA_BLOCKS = METADATA.map(named);
const SPECIAL_BLOCKS = SPECIAL.map(named);
const EMBEDDING_BLOCKS = EMBEDDING.map(([cidr, shift]) => [parseCidr(cidr)!, shift] as const);
/**
 * All that IANA has given out for global unicast. What lies outside is closed, whatever it comes to be used
 * for.
 */
const GLOBAL_UNICAST = parseCidr('2000::/3')!;

/**
 * Returns the reason why the address is special, for people; undefined for an address of the public internet.
 */
export function describeSpecialAddress(ip: string): string | undefined {
  const parsed = parseIp(ip);
  if (parsed === undefined) return 'not an IP address';
  const address = embeddedIpv4(parsed) ?? parsed;
  const name = blockName(address);
  if (name !== undefined || address.family === 4) return name;
  if (!isInBlock(address, GLOBAL_UNICAST)) return 'not global unicast';
  const tunnelled = isatapIpv4(address);
  return tunnelled && blockName(tunnelled);
}

function blockName(address: IpAddress): string | undefined {
  const find = (blocks: readonly NamedBlock[]) => blocks.find(([block]) => isInBlock(address, block))?.[1];
  return find(METADATA_BLOCKS) ?? find(SPECIAL_BLOCKS);
}

/**
 * Whether the address does not belong to the public internet. True for a text that is not an address: the guard fails
 * closed.
 */
export function isSpecialAddress(ip: string): boolean {
  return describeSpecialAddress(ip) !== undefined;
}

/**
 * A guard that lets pass all public addresses, and those special ones that lie in one of `allowedCidrs`; for
 * an IPv6 address that carries an IPv4 one, either may be listed. A cloud metadata address passes only where
 * it is named itself (`169.254.169.254/32`): who opens `0.0.0.0/0` for a test hardly means to open that.
 * Throws {@link InvalidConfig}.
 */
export function createAddressGuard(allowedCidrs: readonly string[]): AddressGuard {
  const allowed = allowedCidrs.map(requireCidr);
  return (ip) => {
    if (!isSpecialAddress(ip)) return true;
    const address = parseIp(ip);
    if (address === undefined) return false;
    const carried = embeddedIpv4(address) ?? isatapIpv4(address);
    const candidates = carried === undefined ? [address] : [address, carried];
    return candidates.some((candidate) =>
      allowed.some(
        (block) => isInBlock(candidate, block) && (isExact(block) || !isMetadata(carried ?? address)),
      ),
    );
  };
}

/**
 * Says whether a CIDR block opens nothing that `allowedCidrs` do not: it lies within one of them, and, if it is a
 * single address, the guard lets that address pass. For a crawl's configuration, which every caller that may seed may
 * write. Throws {@link InvalidConfig} for `allowedCidrs`; a text that is not a block is closed.
 */
export function createBlockGuard(allowedCidrs: readonly string[]): (cidr: string) => boolean {
  const allowed = allowedCidrs.map(requireCidr);
  const mayConnect = createAddressGuard(allowedCidrs);
  return (cidr) => {
    const block = parseCidr(cidr);
    if (block === undefined) return false;
    if (isExact(block) && !mayConnect(cidr.split('/', 1)[0] as string)) return false;
    return allowed.some((outer) => outer.bits <= block.bits && isInBlock(block, outer));
  };
}

function requireCidr(text: string): IpBlock {
  const block = parseCidr(text);
  if (block !== undefined) return block;
  throw new InvalidConfig(
    `Expected \`allowPrivateAddresses\` to hold CIDR blocks such as 127.0.0.0/8, got ${JSON.stringify(text)}`,
  );
}

function isExact(block: IpBlock): boolean {
  return block.bits === (block.family === 4 ? 32 : 128);
}

function isMetadata(address: IpAddress): boolean {
  return METADATA_BLOCKS.some(([block]) => isInBlock(address, block));
}

/** The IPv4 address at the end of a tunnel: an ISATAP address has it behind `5efe`, whatever its prefix (RFC 5214, section 6.1). */
function isatapIpv4({ family, value }: IpAddress): IpAddress | undefined {
  // The bit that says whether the identifier is unique may be set.
  const isIsatap = family === 6 && ((value >> 32n) & 0xfdff_ffffn) === 0x5efen;
  return isIsatap ? { family: 4, value: value & 0xffff_ffffn } : undefined;
}

function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  const found = EMBEDDING_BLOCKS.find(([block]) => isInBlock(address, block));
  return found && { family: 4, value: (address.value >> found[1]) & 0xffff_ffffn };
}
