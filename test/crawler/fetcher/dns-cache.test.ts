import { describe, expect, test } from 'vitest';
import {
  createDnsCache,
  MAX_TTL_MS,
  MIN_TTL_MS,
  NEGATIVE_TTL_MS,
  UNKNOWN_TTL_MS,
} from '../../../shared/crawler/fetcher/dns-cache.ts';

function openCache(answer: (hostname: string) => { addresses: string[]; ttlMs?: number }, maxNames?: number) {
  const asked: string[] = [];
  const clock = { time: 0 };
  const resolve = createDnsCache(
    async (hostname) => {
      asked.push(hostname);
      return answer(hostname);
    },
    () => clock.time,
    maxNames,
  );
  return { asked, clock, resolve };
}

describe('the DNS cache', () => {
  test.each([
    ['its time to live', 60_000, 60_000],
    ['10 s at least', 0, MIN_TTL_MS],
    ['an hour at most', 86_400_000, MAX_TTL_MS],
    ['a minute where none is known', undefined, UNKNOWN_TTL_MS],
  ])('keeps an answer for %s', async (_name, ttlMs, keptMs) => {
    const { asked, clock, resolve } = openCache(() => ({ addresses: ['192.0.2.1'], ttlMs }));
    await resolve('a.test');
    clock.time = keptMs - 1;
    expect(await resolve('a.test')).toEqual(['192.0.2.1']);
    expect(asked).toHaveLength(1);
    clock.time = keptMs;
    await resolve('a.test');
    expect(asked).toHaveLength(2);
  });

  test.each([
    [
      'a failure',
      () => {
        throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
      },
    ],
    ['an empty answer', () => ({ addresses: [] })],
  ])('keeps %s for 30 s', async (_name, answer) => {
    const { asked, clock, resolve } = openCache(answer);
    await expect(resolve('a.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    clock.time = NEGATIVE_TTL_MS - 1;
    await expect(resolve('a.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked).toHaveLength(1);
    clock.time = NEGATIVE_TTL_MS;
    await expect(resolve('a.test')).rejects.toThrow();
    expect(asked).toHaveLength(2);
  });

  test('asks once for a name that many want at the same time', async () => {
    const { asked, resolve } = openCache((hostname) => ({ addresses: [hostname] }));
    await Promise.all(['a.test', 'a.test', 'b.test', 'a.test'].map(resolve));
    expect(asked).toEqual(['a.test', 'b.test']);
  });

  test('forgets the name used longest ago when it is full', async () => {
    const { asked, resolve } = openCache((hostname) => ({ addresses: [hostname] }), 2);
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await resolve(name);
    expect(asked).toEqual(['a', 'b', 'c', 'b']);
  });
});
