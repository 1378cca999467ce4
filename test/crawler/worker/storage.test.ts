/** A worker whose storage fails. */
import { expect, test } from 'vitest';
import { StorageFailed } from '../../../shared/core/base/storage-failed.ts';
import type { Archive } from '../../../shared/crawler/ports/archive.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { withMiddleware } from '../../../shared/services/hooks/with-middleware.ts';
import { begin, createWorld, startProcess } from './world.ts';

const HOSTS = ['a', 'b', 'c'].map((name) => `http://${name}.test/`);

/** Three hosts whose pages lead to ever more pages. */
function endlessWorld() {
  const site = Object.fromEntries(
    HOSTS.flatMap((host) =>
      Array.from({ length: 300 }, (_, i) => [
        i === 0 ? host : `${host}${i}`,
        { body: `<a href="${host}${i + 1}">1</a><a href="${host}${i + 2}">2</a>` },
      ]),
    ),
  );
  return createWorld(site);
}

test('stops at once when the archive fails, with the reason, and asks no host again', async () => {
  const world = endlessWorld();
  await begin(world, HOSTS, { delayMs: 1000 });
  let pages = 0;
  const archive = world.engine.archiveOf('crawl');
  const failing: Archive = {
    ...archive,
    async append(...args) {
      if (++pages > 20) throw new StorageFailed('The disk is full');
      return archive.append(...args);
    },
  };
  const engine = { ...world.engine, archiveOf: () => failing };
  const process = startProcess(engine, world.fetcher);
  await world.clock.drive(process.ended);
  await expect(process.worker.done).rejects.toThrow(/disk is full/);
  // One request of each host was perhaps in flight.
  expect(world.fetcher.log.length).toBeLessThanOrEqual(20 + HOSTS.length);
  expect(process.errors).toEqual(['The disk is full']);
});

test('stops at once when a body cannot be kept, also behind middleware that swallows the error', async () => {
  const world = endlessWorld();
  await begin(world, HOSTS, { delayMs: 1000 });
  let requests = 0;
  const failing: Fetcher = {
    ...world.fetcher,
    async fetch(request) {
      if (++requests > 20) throw new StorageFailed('The disk is full');
      return world.fetcher.fetch(request);
    },
  };
  const fetcher = withMiddleware(
    failing,
    [
      (request, next) =>
        next(request).catch(() => ({
          status: 'failed' as const,
          reason: 'middleware' as const,
          url: request.url,
          message: 'swallowed',
          startedAt: 0,
          endedAt: 0,
        })),
    ],
    { clock: world.clock, totalTimeoutMs: 120_000 },
  );
  const process = startProcess(world.engine, fetcher);
  await world.clock.drive(process.ended);
  await expect(process.worker.done).rejects.toThrow(/disk is full/);
  expect(requests).toBeLessThanOrEqual(20 + HOSTS.length);
});

test('continues with other hosts where a turn fails by its own fault', async () => {
  const world = endlessWorld();
  await begin(world, HOSTS, { delayMs: 1000, maxPages: 60 });
  let hasFailed = false;
  const archive = world.engine.archiveOf('crawl');
  const failing: Archive = {
    ...archive,
    async append(...args) {
      if (!hasFailed) {
        hasFailed = true;
        throw new Error('a bug');
      }
      return archive.append(...args);
    },
  };
  const process = startProcess({ ...world.engine, archiveOf: () => failing }, world.fetcher);
  await world.clock.drive(
    process.ended,
    async () => (await world.engine.registry.totals('crawl')).pages >= 60,
  );
  process.stop();
  await world.clock.drive(process.ended);
  expect(process.errors).toEqual([expect.stringContaining('a bug')]);
  expect((await world.engine.registry.totals('crawl')).pages).toBe(60);
});
