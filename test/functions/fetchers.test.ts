import { readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorkerFetchers, socketsFor } from '../../functions/worker-fetchers.ts';
import { type CrawlConfig, type CrawlOptions, parseConfig } from '../../shared/core/crawl/config.ts';
import type { FetchedResponse } from '../../shared/core/outcome/fetch-outcome.ts';
import type { Fetcher } from '../../shared/crawler/ports/fetcher.ts';
import { createFetchers } from '../../shared/crawler/worker/fetchers.ts';
import type { FetchMiddleware } from '../../shared/services/project/project.ts';
import { asResponse, serveHttp } from '../crawler/fetcher/servers.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';

describe('a fetcher for each crawl and configuration', () => {
  function setUp(max: number, closeOne?: (made: number) => Promise<void>) {
    const made: { config: CrawlConfig; isClosed: boolean; fetcher: Fetcher }[] = [];
    const errors: unknown[] = [];
    const fetchers = createFetchers({
      max,
      onError: (error) => void errors.push(error),
      make(config) {
        const number = made.length;
        const entry = { config, isClosed: false, fetcher: {} as Fetcher };
        entry.fetcher = {
          fetch: () => Promise.reject(new Error('not asked')),
          async close() {
            if (closeOne) await closeOne(number);
            entry.isClosed = true;
          },
        };
        made.push(entry);
        return entry.fetcher;
      },
    });
    const of = (id: string, options: CrawlOptions = {}) => fetchers.of({ id, config: parseConfig(options) });
    return { made, fetchers, errors, of, closed: () => made.map(({ isClosed }) => isClosed) };
  }

  test('is made once, however often it is requested, in this invocation or a later one', () => {
    const { of, made } = setUp(2);
    expect(of('news')).toBe(of('news'));
    expect(of('news', { delayMs: 5 })).toBe(of('news', { delayMs: 5 }));
    expect(of('other')).not.toBe(of('news'));
    expect(made).toHaveLength(4);
  });

  test('is kept while it is in use; the one not requested for the longest time is closed', () => {
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

  test('is closed only when its exchanges are over, and close() waits for all of them', async () => {
    const holds = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const { of, closed, fetchers } = setUp(1, (made) => holds[made]?.promise as Promise<void>);
    // The first two are closing since others took their places.
    for (const id of ['a', 'b', 'c']) of(id);
    let isOver = false;
    const over = fetchers.close().then(() => {
      isOver = true;
    });
    for (const number of [1, 2, 0]) {
      await new Promise((resolve) => setImmediate(resolve));
      expect([isOver, closed()[number]]).toEqual([false, false]);
      holds[number]?.resolve();
    }
    await over;
    expect(closed()).toEqual([true, true, true]);
  });

  test('that cannot be closed is reported, and keeps no other from closing', async () => {
    const failure = new Error('its file cannot be deleted');
    const { of, closed, errors, fetchers } = setUp(1, async (made) => {
      if (made < 2) throw failure;
    });
    of('a');
    of('b');
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([failure]);
    of('c');
    await fetchers.close();
    expect([errors, closed()]).toEqual([
      [failure, failure],
      [false, false, true],
    ]);
  });
});

test('a worker’s fetchers stand behind the project’s middleware and within the stack’s addresses', async () => {
  const seen: string[] = [];
  const middleware: FetchMiddleware = (request, next) => {
    seen.push(request.url);
    return next(request);
  };
  const fetchers = createWorkerFetchers({
    settings: { allowPrivateAddresses: [], allowPorts: [6666], hostsPerWorker: 50 },
    clock: createFakeClock(),
    middleware: [middleware],
    log: () => {},
  });
  const config = parseConfig({
    allowPrivateAddresses: ['127.0.0.0/8'],
    allowPorts: [25, 6666],
    resolve: [['*.test', '127.0.0.1']],
  });
  const fetcher = fetchers.of({ id: 'news', config });
  expect(await fetcher.fetch({ url: 'http://a.test:8/' })).toMatchObject({
    status: 'failed',
    reason: 'blockedAddress',
  });
  expect(seen).toEqual(['http://a.test:8/']);
  // The crawl asks for both ports, the stack has opened one.
  expect(await fetcher.fetch({ url: 'http://a.test:25/' })).toMatchObject({ reason: 'blockedPort' });
  expect(await fetcher.fetch({ url: 'http://a.test:6666/' })).toMatchObject({ reason: 'blockedAddress' });
  await fetchers.close();
});

test.runIf(process.platform === 'linux')(
  'the bodies of all crawls of a worker share one memory, and one file for what finds no room there',
  async () => {
    const body = Buffer.alloc(1_000_000);
    const server = await serveHttp((_request, response) => response.end(body));
    const fetchers = createWorkerFetchers({
      settings: { allowPrivateAddresses: ['127.0.0.0/8'], hostsPerWorker: 500 },
      clock: createFakeClock(),
      middleware: [],
      log: () => {},
    });
    const config = parseConfig({ allowPrivateAddresses: ['127.0.0.0/8'] });
    const held: FetchedResponse[] = [];
    for (let crawl = 0; crawl < 80; crawl++)
      held.push(
        asResponse(await fetchers.of({ id: `c${crawl}`, config }).fetch({ url: `${server.origin}/` })),
      );
    expect(bodyFiles()).toBe(1);
    for (const { body } of held) expect((await body.bytes()).length).toBe(1_000_000);
    await Promise.all(held.map((response) => response.body.dispose()));
    while (bodyFiles() > 0) await new Promise(setImmediate);
    await fetchers.close();
  },
);

/** Temporary files of bodies that this process has open. */
const bodyFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(join(tmpdir(), 'bodies-'));
    } catch {
      return false;
    }
  }).length;

test.each([
  [1, 800],
  [50, 800],
  [51, 500],
  [200, 500],
])('the fetchers of a worker of %i hosts share %i sockets', (hosts, sockets) => {
  expect(socketsFor(hosts)).toBe(sockets);
});
