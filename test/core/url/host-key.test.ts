import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { hostKey, hostName, isOfHost, origin, pathOf } from '../../../shared/core/url/host-key.ts';
import { registrableDomain } from '../../../shared/core/url/registrable-domain.ts';
import { reference } from './references.ts';

describe('the parts of a canonical URL', () => {
  test.each([
    ['http://example.com/', 'example.com', 'example.com', '/'],
    ['https://example.com:8443/a/b?c=//d', 'example.com:8443', 'example.com', '/a/b?c=//d'],
    ['http://[::1]/', '[::1]', '::1', '/'],
    ['http://[2001:db8::1]:8080/x', '[2001:db8::1]:8080', '2001:db8::1', '/x'],
    ['http://127.0.0.1:81/', '127.0.0.1:81', '127.0.0.1', '/'],
  ])('of %s: host %s, name %s, path %s', (url, key, name, path) => {
    expect(hostKey(url)).toBe(key);
    expect(hostName(key)).toBe(name);
    expect(isOfHost(url, key)).toBe(true);
    for (const other of [
      key.slice(0, -1),
      `${key}:80`,
      key.slice(1),
      '',
      `x${key}`,
      key.toUpperCase().repeat(2),
    ])
      expect(isOfHost(url, other)).toBe(false);
    expect(pathOf(url)).toBe(path);
    expect(origin(url) + pathOf(url)).toBe(url);
  });

  test('are those that the platform finds', () => {
    const urls = fc.oneof(reference, fc.webUrl({ authoritySettings: { withPort: true, withIPv6: true } }));
    fc.assert(
      fc.property(urls, (input) => {
        const url = canonicalize(input);
        if (url === undefined) return;
        const parsed = new URL(url);
        expect(hostKey(url)).toBe(parsed.host);
        expect(hostName(hostKey(url))).toBe(parsed.hostname.replace(/^\[|\]$/g, ''));
        expect(origin(url)).toBe(parsed.origin);
        expect(pathOf(url)).toBe(parsed.href.slice(parsed.origin.length));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('registrableDomain', () => {
  test.each([
    ['www.example.com', 'example.com'],
    ['www.example.co.uk:8080', 'example.co.uk'],
    ['a.b.github.io', 'b.github.io'],
    ['www.example.com.', 'example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['co.uk', undefined],
    ['github.io', undefined],
    ['localhost', undefined],
    ['localhost:3000', undefined],
    ['127.0.0.1', undefined],
    ['127.0.0.1:80', undefined],
    ['[::1]', undefined],
    ['[2001:db8::1]:8080', undefined],
  ])('of %s is %s', (host, domain) => {
    expect(registrableDomain(host)).toBe(domain);
  });
});
