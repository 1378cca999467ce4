import { describe, expect, test } from 'vitest';
import type { NewCrawl } from '../../../shared/services/control/control.ts';
import type { ControlPolicy } from '../../../shared/services/control/create-control.ts';
import { A, CONTACT, openRoom } from './control-room.ts';

describe('a crawl that asks for more than one of many may have is refused', () => {
  const smaller: Partial<ControlPolicy> = { defaults: { contact: CONTACT, maxBodyBytes: 5e6 } };
  test.each<[field: string, NewCrawl['config'], message: RegExp, policy?: Partial<ControlPolicy>]>([
    ['delayMs', { delayMs: 1e300 }, /<= 2147483647 here, got 1e\+300: many crawls share a worker$/],
    ['maxCost', { maxCost: 1e308 }, /<= 1000000 here, got 1e\+308/],
    ['maxPages', { maxPages: 9e15 }, /<= 1000000000000000 here/],
    ['maxTimeMs', { maxTimeMs: 9e15 }, /<= 316224000000 here/],
    ['adaptiveFactor', { adaptiveFactor: 1e308 }, /<= 1000 here/],
    ['maxUrlLength', { maxUrlLength: 1e6 }, /<= 16384 here/],
    ['maxLinksPerPage', { maxLinksPerPage: 1e6 }, /<= 200000 here/],
    ['userAgent', { userAgent: 'x'.repeat(501) }, /to have a length of at most 500 here, got 501/],
    ['maxBodyBytes', { maxBodyBytes: 1e9 }, /<= 16777216 here, got 1000000000: the workers' disk/],
    ['maxBodyBytes', { maxBodyBytes: 6e6 }, /<= 5000000 here/, smaller],
    ['resolve', { resolve: Array(101).fill(['a.test', '93.184.215.14']) }, /length of at most 100/],
    ['resolve.0', { resolve: [['*-*-*.test', '93.184.215.14']] }, /at most 2 `\*`, got 10 with 3$/],
    ['exclude.1', { exclude: ['a', '(?=a)(a+)+$'] }, /^config.exclude.1: .* too long on some URL/],
    ['include.0', { include: ['a'.repeat(2001)] }, /at most 2000 characters$/],
    [
      'overrides.0.exclude.0',
      { overrides: [{ hosts: ['a'], exclude: ['(?=a)(a+)+$'] }] },
      /may take too long/,
    ],
    ['overrides.0.hosts.1', { overrides: [{ hosts: ['a', '*-*-*'] }] }, /at most 2 `\*`, got 5 with 3$/],
    ['overrides.0.maxBodyBytes', { overrides: [{ hosts: ['a'], maxBodyBytes: 1e9 }] }, /<= 16777216 here/],
    ['include', { include: Array(1001).fill('a') }, /at most 1000 items, got 1001$/],
  ])('%s', async (field, config, message, policy) => {
    const { control, done } = openRoom({ policy });
    const error = await control.create({ seeds: [A], config }).catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: 'invalid',
      field: `config.${field}`,
      message: expect.stringMatching(message),
    });
    expect(done).toEqual([]);
  });

  test("but by the deployer's own defaults it may have it", async () => {
    const own = { maxBodyBytes: 1e9, maxUrlLength: 1e6, exclude: ['(?=a)(a+)+$'] };
    const { control, engine } = openRoom({ policy: { defaults: { contact: CONTACT, ...own } } });
    await control.create({ crawl: 'one', seeds: [A] });
    expect((await engine.registry.load('one'))?.config).toMatchObject(own);
  });
});

test('thousands of mistakes are answered with fifty of them', async () => {
  const { control } = openRoom();
  const config = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, 0]));
  const error: Error = await control.create({ seeds: [A], config }).catch((error) => error);
  expect(error.message).toMatch(/^Unknown key key0 in config; .*Unknown key key49 in config$/);
});

test.each(['http://../', 'http://./', 'http://.../'])(
  'a crawl of %s has a name by which it can be stopped',
  async (url) => {
    const { control } = openRoom();
    const { crawl } = await control.create({ seeds: [url] });
    expect(crawl).toBe('crawl');
    await expect(control.stop(crawl)).resolves.toMatchObject({ state: 'stopped' });
  },
);
