import { describe, expect, test } from 'vitest';
import { blockedPortOf, blockedPortOfUrl } from '../../../shared/core/url/blocked-ports.ts';
import { hostKey } from '../../../shared/core/url/host-key.ts';

describe('the port that browsers refuse', () => {
  test.each([
    ['http://a.com/', undefined],
    ['http://a.com/x:25/', undefined],
    ['http://127.0.0.25/', undefined],
    ['http://a.com:25/', 25],
    ['https://a.com:6667/a?b=c', 6667],
    ['http://a.com:10080/', 10080],
    ['http://a.com:10025/', undefined],
    ['http://a.com:8080/', undefined],
    ['http://[::25]/', undefined],
    ['http://[::1]:25/', 25],
    ['http://[::1]:8025/', undefined],
  ])('of %s: %s', (url, port) => {
    expect(blockedPortOfUrl(url)).toBe(port);
    expect(blockedPortOf(hostKey(url))).toBe(port);
    if (port !== undefined) expect(blockedPortOfUrl(url, [port])).toBeUndefined();
  });
});
