import { describe, expect, test } from 'vitest';
import { takeSeedCredentials } from '../../../shared/core/crawl/seed-credentials.ts';

describe('what is sent to the hosts of seeds alone', () => {
  test('is named by their origins: what is for https is never sent by http', () => {
    const { options } = takeSeedCredentials({ headers: { seeds: { 'X-A': '1' }, '*': { 'X-B': '2' } } }, [
      'https://a.test/x',
      'http://b.test:8080/',
    ]);
    expect(options.headers).toEqual({
      'https://a.test': { 'X-A': '1' },
      'b.test:8080': { 'X-A': '1' },
      '*': { 'X-B': '2' },
    });
  });

  test('user and password leave the URL of a seed, and are for its origin', () => {
    const taken = takeSeedCredentials({}, ['https://me:p%40ss@a.test/x', 'https://b.test/']);
    expect(taken).toEqual({
      options: { auth: { 'https://a.test': 'me:p@ss' } },
      seeds: ['https://a.test/x', 'https://b.test/'],
    });
  });

  test('an @ in a path is no user', () => {
    expect(takeSeedCredentials({}, ['https://a.test/@me'])).toEqual({
      options: {},
      seeds: ['https://a.test/@me'],
    });
  });

  test('is refused for more hosts than a crawl can name', () => {
    const seeds = Array.from({ length: 1001 }, (_, i) => `https://h${i}.test/`);
    expect(() => takeSeedCredentials({ headers: { seeds: { 'X-A': '1' } } }, seeds)).toThrow('1001 hosts');
  });
});
