import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withNetworkFiles } from '../../cli/crawl/network-options.ts';
import { parseAuth, parseHeader, parseProxyRule } from '../../cli/network-given.ts';
import { UsageError } from '../../cli/usage-error.ts';

const messageOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
  }
  throw new Error('Expected a UsageError');
};

describe('--header', () => {
  test.each([
    ['Authorization: Bearer a:b', 'seeds', 'Authorization', 'Bearer a:b'],
    ['X-A:b', 'seeds', 'X-A', 'b'],
    ['Referer: https://a.test/', 'seeds', 'Referer', 'https://a.test/'],
    ['X-A: b c: d', 'seeds', 'X-A', 'b c: d'],
    ['example.org X-A: b', 'example.org', 'X-A', 'b'],
    ['*.example.org:8080 X-A: b', '*.example.org:8080', 'X-A', 'b'],
    ['https://example.org X-A: b', 'https://example.org', 'X-A', 'b'],
    ['[::1]:80 X-A: b', '[::1]:80', 'X-A', 'b'],
    ['* X-A: b', '*', 'X-A', 'b'],
    ['X-Empty:', 'seeds', 'X-Empty', ''],
  ])('%s', (text, host, name, value) => {
    expect(parseHeader(text)).toEqual({ host, name, value });
  });

  test.each(['hidden', 'X A hidden', 'X-A: hidden\r\nX-B: 1', 'Host: hidden', ': hidden'])(
    'refuses %j and does not show it',
    (text) => {
      expect(messageOf(() => parseHeader(text))).not.toContain('hidden');
    },
  );
});

test.each([
  ['me:word', 'seeds', 'me:word'],
  ['example.org:me:word', 'example.org', 'me:word'],
  ['example.org:me:wo:rd', 'example.org', 'me:wo:rd'],
  ['example.org:8080:me:word', 'example.org:8080', 'me:word'],
  ['https://example.org:me:word', 'https://example.org', 'me:word'],
  ['me:', 'seeds', 'me:'],
])('--basic-auth %s', (text, host, userAndPassword) => {
  expect(parseAuth(text)).toEqual([host, userAndPassword]);
});

test.each(['hidden', ':hidden:', ''])('--basic-auth refuses %j and does not show it', (text) => {
  expect(messageOf(() => parseAuth(text))).not.toContain('hidden');
});

test.each([
  ['http://p.test:8080', { url: 'http://p.test:8080' }],
  ['p.test:8080', { url: 'http://p.test:8080' }],
  ['*.a.test=socks5://p.test', { url: 'socks5://p.test', hosts: ['*.a.test'] }],
  ['https://a.test=direct', { url: 'direct', hosts: ['https://a.test'] }],
  ['http://u:p%3Dx=@p.test', { url: 'http://u:p%3Dx=@p.test' }],
])('--proxy %s', (text, rule) => {
  expect(parseProxyRule(text)).toEqual(rule);
});

test.each(['ftp://hidden@p.test', 'socks4://hidden@p.test', 'http://u:hidden@p.test/path'])(
  '--proxy refuses %s and does not show it',
  (text) => {
    expect(messageOf(() => parseProxyRule(text))).not.toContain('hidden');
  },
);

describe('settings in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-network-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const read = (given: Partial<Parameters<typeof withNetworkFiles>[1]>, warn: string[] = []) =>
    withNetworkFiles({}, { headers: [], auth: [], ...given }, ['https://www.a.test:8443/x'], (line) =>
      warn.push(line),
    );

  test('headers and passwords are read one a line', () => {
    const headers = [`@${file('headers', '# mine\nX-A: 1\n\n* X-B: 2\n')}`, 'X-C: 3'];
    expect(read({ headers, auth: [`@${file('auth', 'me:word\n')}`] })).toEqual({
      headers: { seeds: { 'X-A': '1', 'X-C': '3' }, '*': { 'X-B': '2' } },
      auth: { seeds: 'me:word' },
    });
  });

  test('cookies for the sites of the seeds are kept, and the others are reported', () => {
    const line = (domain: string) => `${domain}\tFALSE\t/\tFALSE\t0\tn\thidden\n`;
    const warned: string[] = [];
    const cookies = file('cookies', `${line('a.test')}${line('www.a.test')}${line('bank.test')}rubbish\n`);
    expect(read({ cookies }, warned).cookies?.map(({ domain }) => domain)).toEqual(['a.test', 'www.a.test']);
    expect(warned).toEqual([`1 line of ${cookies} left out: no cookies that can be sent`]);
  });

  test('a file of cookies without end is refused, and one of many is read in time', () => {
    const row = '.a.test\tTRUE\t/\tFALSE\t0\tn\tv\n';
    expect(messageOf(() => read({ cookies: file('huge', row.repeat(500_000)) }))).toContain(
      'at most 10485760',
    );
    const warned: string[] = [];
    expect(read({ cookies: file('many', row.repeat(100_000)) }, warned).cookies).toHaveLength(5000);
    expect(warned[0]).toContain('Only the first 5000 cookies');
  });

  test.each([
    ['a missing file', { cookies: join(folder, 'none') }, 'ENOENT'],
    ['a file that is no cookies', { cookies: file('html', '<html>hidden') }, "Netscape's format"],
    ['a file that is no PEM', { ca: file('ca', 'hidden') }, 'PEM'],
    ['a key without its certificate', { clientKey: file('key', 'hidden') }, '--client-cert'],
    ['a line that is no header', { headers: [`@${file('bad', 'X-A: 1\nhidden\n')}`] }, 'line 2'],
  ])('%s is refused with the reason', (_name, given, reason) => {
    const message = messageOf(() => read(given));
    expect(message).toContain(reason);
    expect(message).not.toContain('hidden');
  });
});
