import { describe, expect, test } from 'vitest';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import {
  expiry,
  MAX_ROBOTS_REDIRECTS,
  type RobotsExchange,
  robotsUrl,
  robotsVerdict,
} from '../../../shared/core/robots/policy.ts';

const response = (httpStatus: number, location?: string): RobotsExchange => ({
  status: 'response',
  url: 'https://example.com/robots.txt',
  httpStatus,
  headers: location === undefined ? [] : [['LOCATION', location]],
});
const kindOf = (exchange: RobotsExchange, redirectsSoFar = 0) => robotsVerdict(exchange, redirectsSoFar).kind;

describe('what the answer to robots.txt means', () => {
  test.each([
    [200, 'rules'],
    [204, 'rules'],
    [304, 'allowAll'],
    [400, 'allowAll'],
    [401, 'allowAll'],
    [403, 'allowAll'],
    [404, 'allowAll'],
    [410, 'allowAll'],
    [451, 'allowAll'],
    [429, 'unreachable'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [599, 'unreachable'],
    [999, 'unreachable'],
    [0, 'unreachable'],
  ])('status %i: %s', (httpStatus, kind) => expect(kindOf(response(httpStatus))).toBe(kind));

  test('an exchange that failed, for whatever reason, lets nothing be fetched', () => {
    for (const reason of ['dns', 'connect', 'tls', 'timeout', 'reset', 'protocol'] as const) {
      const failed = { status: 'failed', reason, message: 'it broke' } as const;
      const isOfHost = ['dns', 'connect', 'tls'].includes(reason);
      const cause = { code: isOfHost ? 'fetchFailed' : 'robotsFailed', detail: 'it broke' };
      expect(robotsVerdict(failed, 0)).toEqual({ kind: 'unreachable', cause });
      // Another host's, to which a redirect led.
      expect(robotsVerdict(failed, 1)).toEqual({
        kind: 'unreachable',
        cause: { code: 'robotsFailed', detail: 'it broke' },
      });
    }
  });

  test('a body that broke off may have lost its rules; one cut at our limit has not', () => {
    const cut = (truncated: 'length' | 'time' | 'disconnect') =>
      ({ ...response(200), truncated }) as RobotsExchange;
    expect(kindOf(cut('length'))).toBe('rules');
    expect(kindOf(cut('time'))).toBe('unreachable');
    expect(kindOf(cut('disconnect'))).toBe('unreachable');
  });

  test('a fetch outcome can be judged as it is', () => {
    const judge: (outcome: FetchOutcome) => unknown = (outcome) => robotsVerdict(outcome, 0);
    expect(judge).toBeTypeOf('function');
  });
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('with status %i are followed, also to other hosts', (status) => {
    expect(robotsVerdict(response(status, 'http://other.test:81/r.txt'), 0)).toEqual({
      kind: 'redirect',
      location: 'http://other.test:81/r.txt',
    });
  });

  test.each([
    ['/en/robots.txt', 'https://example.com/en/robots.txt'],
    ['//cdn.test', 'https://cdn.test/'],
    [' https://u:p@x.test/r#top ', 'https://x.test/r'],
    [Buffer.from('/ü', 'utf8').toString('latin1'), 'https://example.com/%C3%BC'],
    ['/caf\xe9', 'https://example.com/caf%E9'],
  ])('to %j go to %s', (location, expected) => {
    expect(robotsVerdict(response(302, location), 0)).toEqual({ kind: 'redirect', location: expected });
  });

  test.each([undefined, '', 'http://', 'mailto:a@b.test', 'file:///robots.txt', 'javascript:0'])(
    'to %j mean that there is no robots.txt',
    (location) => expect(kindOf(response(301, location))).toBe('allowAll'),
  );

  test('to a URL of more than 2,083 characters mean that there is no robots.txt', () => {
    const longest = `https://x.test/${'a'.repeat(2068)}`;
    expect(longest).toHaveLength(2083);
    expect(robotsVerdict(response(301, longest), 0)).toEqual({ kind: 'redirect', location: longest });
    expect(kindOf(response(301, `${longest}a`))).toBe('allowAll');
  });

  test('are followed five times; a sixth means that there is no robots.txt', () => {
    expect(MAX_ROBOTS_REDIRECTS).toBe(5);
    expect(kindOf(response(301, '/again'), 4)).toBe('redirect');
    expect(kindOf(response(301, '/again'), 5)).toBe('allowAll');
    expect(kindOf(response(200), 5)).toBe('rules');
  });
});

describe('the URL of robots.txt', () => {
  test.each([
    ['https://example.com', 'https://example.com/robots.txt'],
    ['http://u:p@example.com:8080/a/b?c#d', 'http://example.com:8080/robots.txt'],
    ['http://example.com:80', 'http://example.com/robots.txt'],
    ['ftp://example.com/', undefined],
    ['example.com', undefined],
  ])('for %s is %s', (url, expected) => expect(robotsUrl(url)).toBe(expected));
});

describe('a robots.txt', () => {
  const hour = 3_600_000;
  const least = 300_000;
  test.each([
    [[], 24 * hour],
    [['public'], 24 * hour],
    [['max-age=3600'], hour],
    [['public, Max-Age="7200", immutable'], 2 * hour],
    [['max-age=7200', 'max-age=3600'], hour],
    [['max-age=99999999999999999999'], 24 * hour],
    [['s-maxage=600'], 24 * hour],
    [['max-age=0'], least],
    [['max-age=soon'], least],
    [['no-cache'], least],
    [['private, no-store, max-age=3600'], least],
  ])('with Cache-Control %j is used for %i ms', (fields, ageMs) => {
    expect(expiry(1000, fields, 24 * hour)).toBe(1000 + ageMs);
  });

  test('is used no longer than the operator says, within five minutes and 24 hours', () => {
    expect(expiry(0, ['max-age=86400'], hour)).toBe(hour);
    expect(expiry(0, [], 48 * hour)).toBe(24 * hour);
    expect(expiry(0, [], 0)).toBe(least);
  });
});
