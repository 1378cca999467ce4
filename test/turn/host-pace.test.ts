import { expect, test } from 'vitest';
import { parseConfig } from '../../shared/crawl/config.ts';
import { NEW_HEAD } from '../../shared/frontier/head.ts';
import { StaleTurn } from '../../shared/ports/stale-turn.ts';
import { HostPace, type HostPaceOptions } from '../../shared/turn/host-pace.ts';
import type { TurnServices } from '../../shared/turn/services.ts';
import { createFakeClock, T0 } from '../worker/fake-clock.ts';

const FREEZE_MS = 600_000;

/**
 * A turn that waited for another crawl's turn, and whose process freezes while it reads the crawl's status.
 */
function askAfterFreeze({ lastRequestAt = T0 + 3_600_000, isTaken = false } = {}) {
  const clock = createFakeClock();
  const requestsAt: number[] = [];
  let lockedUntil = T0 + 60_000;
  const services = {
    engine: { clock },
    lanes: {
      restAfterLast: () => {},
      restUntil: () => 0,
      async run(_host: string, _spacing: unknown, request: () => Promise<unknown>) {
        await clock.advance(10_000);
        return request();
      },
    },
    fetcherOf: () => ({
      async fetch() {
        requestsAt.push(clock.now());
        return { status: 'failed', reason: 'timeout' };
      },
    }),
    stopping: new AbortController().signal,
  } as unknown as TurnServices;
  const crawl = {
    id: 'c',
    host: 'a.test',
    config: parseConfig({ totalTimeoutMs: 5000 }),
    async isRunning() {
      await clock.advance(FREEZE_MS);
      return true;
    },
  };
  const lease = {
    endsAt: lastRequestAt,
    async lockFor(ms: number) {
      if (clock.now() + ms <= lockedUntil) return;
      if (isTaken && clock.now() > lockedUntil) throw new StaleTurn('it went to another worker');
      lockedUntil = clock.now() + ms;
    },
  };
  const quarantine = { watch: <T>(work: () => Promise<T>) => work() };
  const options = { crawl, lease, lastRequestAt, quarantine } as unknown as HostPaceOptions;
  const outcome = new HostPace(services, NEW_HEAD, options).exchange({ url: 'http://a.test/' });
  return { outcome, requestsAt, lockedUntil: () => lockedUntil };
}

test('a host is locked when the request is made, also after the process froze while it read the status', async () => {
  const { outcome, requestsAt, lockedUntil } = askAfterFreeze();
  await outcome;
  expect(requestsAt).toEqual([T0 + 10_000 + FREEZE_MS]);
  expect(lockedUntil()).toBeGreaterThan(requestsAt[0] as number);
});

test('a host that another worker was given meanwhile is not asked', async () => {
  const { outcome, requestsAt } = askAfterFreeze({ isTaken: true });
  await expect(outcome).rejects.toThrow(StaleTurn);
  expect(requestsAt).toEqual([]);
});

test('a request is not made when its time was over by then', async () => {
  const { outcome, requestsAt } = askAfterFreeze({ lastRequestAt: T0 + 30_000 });
  expect(await outcome).toMatchObject({ status: 'failed', reason: 'aborted', isNotSent: true });
  expect(requestsAt).toEqual([]);
});
