import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidConfig } from '../../../shared/core/crawl/config.ts';
import {
  createAddressGuard,
  createBlockGuard,
  describeSpecialAddress,
  isSpecialAddress,
} from '../../../shared/crawler/fetcher/address-guard.ts';
import { isInBlock, parseCidr, parseIp } from '../../../shared/crawler/fetcher/ip-address.ts';

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();

describe('isSpecialAddress', () => {
  test.each([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '239.255.255.255'],
    ['240.0.0.0', '255.255.255.255'],
  ])('holds from %s to %s and not beyond', (first, last) => {
    expect([isSpecialAddress(first), isSpecialAddress(last)]).toEqual([true, true]);
    const toText = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
    const before = parseIp(first)!.value - 1n;
    const after = parseIp(last)!.value + 1n;
    // 224/4 and 240/4 touch, and nothing lies before the first and after the last address.
    if (before >= 0n && first !== '240.0.0.0') expect(isSpecialAddress(toText(before))).toBe(false);
    if (after < 1n << 32n && last !== '239.255.255.255') expect(isSpecialAddress(toText(after))).toBe(false);
  });

  test.each([
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::8.8.8.8',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '3fff::1',
    '3fff:fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fdff::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '168.63.129.16',
    '100.100.100.200',
  ])('holds for %s', (ip) => {
    expect(isSpecialAddress(ip)).toBe(true);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '192.0.1.1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '3ffe::1',
    '2a00::1',
  ])('does not hold for %s', (ip) => {
    expect(describeSpecialAddress(ip)).toBeUndefined();
  });

  test.each(['', 'localhost', '127.1', '1.2.3', '256.1.1.1', '0x7f.0.0.1', '[::1]', '1:2:3'])(
    'fails closed for %j, which is no address',
    (text) => expect(isSpecialAddress(text)).toBe(true),
  );

  test('names cloud metadata services', () => {
    for (const ip of [
      '169.254.169.254',
      'fd00:ec2::254',
      '100.100.100.200',
      '168.63.129.16',
      '::ffff:a9fe:a9fe',
    ]) {
      expect(describeSpecialAddress(ip)).toMatch(/^cloud metadata/);
    }
  });

  test('judges a mapped, a NAT64 and a 6to4 address as the IPv4 address in it', () => {
    fc.assert(
      fc.property(ipv4, (ip) => {
        const hex = ip.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
        const sixToFour = `2002:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}::1`;
        for (const carrier of [`::ffff:${ip}`, `64:ff9b::${ip}`, sixToFour]) {
          expect(isSpecialAddress(carrier)).toBe(isSpecialAddress(ip));
        }
      }),
    );
  });
});

describe('createAddressGuard', () => {
  test('judges the IPv4 address behind an ISATAP tunnel, too', () => {
    expect(describeSpecialAddress('2001:470:1::5efe:127.0.0.1')).toContain('loopback');
    expect(describeSpecialAddress('2a01:4f8::200:5efe:a9fe:a9fe')).toContain('metadata');
    expect(describeSpecialAddress('2001:470:1::5efe:8.8.8.8')).toBeUndefined();
    expect(describeSpecialAddress('fe80::5efe:8.8.8.8')).toContain('link-local');
    expect(describeSpecialAddress('2001:470:1::1:5eff:127.0.0.1')).toBeUndefined();
    expect(createAddressGuard(['2001:470::/32'])('2001:470:1::5efe:169.254.169.254')).toBe(false);
    expect(createAddressGuard(['127.0.0.0/8'])('2001:470:1::5efe:127.0.0.1')).toBe(true);
  });

  test('lets pass public addresses and the blocks allowed, and nothing else', () => {
    const guard = createAddressGuard(['127.0.0.0/8', '10.1.0.0/16', 'fd12::/16', '192.168.1.1']);
    const allowed = [
      '8.8.8.8',
      '2606:4700::1',
      '127.0.0.1',
      '10.1.2.3',
      'fd12::9',
      '192.168.1.1',
      '::ffff:127.0.0.1',
    ];
    const blocked = [
      '10.2.0.1',
      'fd13::1',
      '192.168.1.2',
      '::1',
      '::ffff:10.2.0.1',
      '64:ff9b::10.2.0.1',
      'x',
      '',
    ];
    expect(allowed.filter((ip) => !guard(ip))).toEqual([]);
    expect(blocked.filter(guard)).toEqual([]);
  });

  test('opens a cloud metadata address only by its own name', () => {
    const wide = createAddressGuard(['0.0.0.0/0', '::/0']);
    expect([wide('127.0.0.1'), wide('fd00::1')]).toEqual([true, true]);
    for (const ip of ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254', '::ffff:169.254.169.254']) {
      expect(wide(ip)).toBe(false);
    }
    expect(createAddressGuard(['169.254.169.254/32'])('169.254.169.254')).toBe(true);
  });

  test.each([
    '127.0.0.0/33',
    '::/129',
    '127.0.0/8',
    'localhost',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '',
  ])('refuses %j, and names it', (cidr) => {
    expect(() => createAddressGuard([cidr])).toThrow(InvalidConfig);
    expect(() => createAddressGuard([cidr])).toThrow(`allowPrivateAddresses`);
    expect(() => createAddressGuard([cidr])).toThrow(JSON.stringify(cidr));
  });
});

describe('an address block', () => {
  test.each([
    ['ipv4', ipv4, 32],
    ['ipv6', ipv6, 128],
  ] as const)('holds the %s addresses that Node says it holds', (type, address, width) => {
    fc.assert(
      fc.property(address, address, fc.nat({ max: width }), (base, other, bits) => {
        const list = new BlockList();
        list.addSubnet(base, bits, type);
        const block = parseCidr(`${base}/${bits}`)!;
        expect(isInBlock(parseIp(other)!, block)).toBe(list.check(other, type));
        expect(isInBlock(parseIp(base)!, block)).toBe(true);
      }),
    );
  });
});

describe('what a crawl may connect to lies within what its deployment allows', () => {
  test.each<[string[], string[], string[]]>([
    [['127.0.0.0/8'], [], []],
    [['127.0.0.0/8'], ['127.0.0.0/8'], ['127.0.0.0/8']],
    [['127.0.0.1'], ['127.0.0.0/8'], ['127.0.0.1']],
    [['127.0.0.0/8'], ['127.0.0.0/16'], []],
    [['10.1.0.0/16', '192.168.0.0/16'], ['10.0.0.0/8'], ['10.1.0.0/16']],
    [['0.0.0.0/0'], ['10.0.0.0/8'], []],
    [['fd00::/16'], ['fd00::/8'], ['fd00::/16']],
    [['fd00::/8'], ['0.0.0.0/0'], []],
    [['nonsense'], ['0.0.0.0/0'], []],
    // A service that hands out credentials must be opened by the deployment itself, and by name.
    [['169.254.169.254/32'], ['169.254.0.0/16'], []],
    [['169.254.169.254'], ['0.0.0.0/0'], []],
    [['169.254.169.254/32'], ['169.254.169.254/32'], ['169.254.169.254/32']],
    [['fd00:ec2::254/128'], ['fd00::/8'], []],
  ])('%j within %j is %j', (asked, allowed, expected) => {
    expect(asked.filter(createBlockGuard(allowed))).toEqual(expected);
  });

  test('whatever is requested, no address passes that the deployment’s own guard stops', () => {
    const block = fc.tuple(fc.ipV4(), fc.nat(32)).map(([ip, bits]) => `${ip}/${bits}`);
    const special = fc.constantFrom(
      '10.0.0.0/8',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '169.254.169.254/32',
      '0.0.0.0/0',
    );
    const blocks = fc.array(fc.oneof(block, special), { maxLength: 4 });
    const address = fc.oneof(
      fc.ipV4(),
      fc.constantFrom('127.0.0.1', '10.1.2.3', '169.254.169.254', '169.254.1.1'),
    );
    fc.assert(
      fc.property(blocks, blocks, address, (asked, allowed, ip) => {
        if (createAddressGuard(asked.filter(createBlockGuard(allowed)))(ip))
          expect(createAddressGuard(allowed)(ip)).toBe(true);
      }),
    );
  });
});
