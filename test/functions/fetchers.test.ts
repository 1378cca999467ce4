import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blocksWithin, createWorkerFetchers } from '../../functions/worker-fetchers.ts';
import { type CrawlConfig, type CrawlOptions, parseConfig } from '../../shared/crawl/config.ts';
import type { FetchMiddleware } from '../../shared/crawl/project.ts';
import { createAddressGuard } from '../../shared/fetcher/address-guard.ts';
import type { Fetcher } from '../../shared/ports.ts';
import { createFetchers } from '../../shared/worker/fetchers.ts';
import { createFakeClock } from '../worker/fake-clock.ts';

describe('a fetcher for each crawl and configuration', () => {
  function setUp(max: number) {
    const made: { config: CrawlConfig; isClosed: boolean; fetcher: Fetcher }[] = [];
    const fetchers = createFetchers({
      max,
      make(config) {
        const entry = { config, isClosed: false, fetcher: {} as Fetcher };
        entry.fetcher = {
          fetch: () => Promise.reject(new Error('not asked')),
          async close() {
            entry.isClosed = true;
          },
        };
        made.push(entry);
        return entry.fetcher;
      },
    });
    const of = (id: string, options: CrawlOptions = {}) => fetchers.of({ id, config: parseConfig(options) });
    return { made, fetchers, of, closed: () => made.map(({ isClosed }) => isClosed) };
  }

  test('is made once, however often it is asked for, in this invocation or a later one', () => {
    const { of, made } = setUp(2);
    expect(of('news')).toBe(of('news'));
    expect(of('news', { delayMs: 5 })).toBe(of('news', { delayMs: 5 }));
    expect(of('other')).not.toBe(of('news'));
    expect(made).toHaveLength(4);
  });

  test('is kept while it is in use; the one not asked for for the longest is closed', () => {
    const { of, closed } = setUp(2);
    of('a');
    of('b');
    of('a');
    expect(closed()).toEqual([false, false]);
    of('c');
    expect(closed()).toEqual([false, true, false]);
  });

  test('of a configuration that turns still use stays open beside the new one', () => {
    const { of, closed } = setUp(2);
    of('a');
    of('a', { delayMs: 5 });
    of('a');
    expect(closed()).toEqual([false, false]);
  });

  test('is closed with all others at the end', async () => {
    const { of, closed, fetchers } = setUp(5);
    of('a');
    of('b');
    await fetchers.close();
    expect(closed()).toEqual([true, true]);
  });
});

describe('what a crawl may connect to lies within what the stack allows', () => {
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
    // A service that hands out credentials must be opened by the stack itself, and by name.
    [['169.254.169.254/32'], ['169.254.0.0/16'], []],
    [['169.254.169.254'], ['0.0.0.0/0'], []],
    [['169.254.169.254/32'], ['169.254.169.254/32'], ['169.254.169.254/32']],
    [['fd00:ec2::254/128'], ['fd00::/8'], []],
  ])('%j within %j is %j', (asked, allowed, expected) => {
    expect(blocksWithin(asked, allowed)).toEqual(expected);
  });

  test('whatever is asked for, no address passes that the stack’s own guard stops', () => {
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
        if (createAddressGuard(blocksWithin(asked, allowed))(ip))
          expect(createAddressGuard(allowed)(ip)).toBe(true);
      }),
    );
  });
});

test('a worker’s fetchers stand behind the project’s middleware and within the stack’s addresses', async () => {
  const seen: string[] = [];
  const middleware: FetchMiddleware = (request, next) => {
    seen.push(request.url);
    return next(request);
  };
  const fetchers = createWorkerFetchers({
    settings: { allowPrivateAddresses: [], hostsPerWorker: 50 },
    clock: createFakeClock(),
    middleware: [middleware],
    log: () => {},
  });
  const config = parseConfig({ allowPrivateAddresses: ['127.0.0.0/8'], resolve: [['*.test', '127.0.0.1']] });
  const fetcher = fetchers.of({ id: 'news', config });
  expect(await fetcher.fetch({ url: 'http://a.test:1/' })).toMatchObject({
    status: 'failed',
    reason: 'blockedAddress',
  });
  expect(seen).toEqual(['http://a.test:1/']);
  await fetchers.close();
});
