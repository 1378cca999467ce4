import { expect, test } from 'vitest';
import { parseConfig } from '../../shared/crawl/config.ts';
import { StaleTurn } from '../../shared/ports/stale-turn.ts';
import { ask } from '../../shared/worker/ask.ts';
import { createFakeClock, T0 } from './fake-clock.ts';

const FREEZE_MS = 600_000;

/** A turn that waited for another crawl's turn, and whose process stands still while it reads the crawl's status. */
function askAfterFreeze({ lastRequestAt = T0 + 3_600_000, isTaken = false } = {}) {
  const clock = createFakeClock();
  const requestsAt: number[] = [];
  let lockedUntil = T0 + 60_000;
  const services = {
    engine: { clock },
    lanes: {
      async run(
        _host: string,
        _atOnce: number,
        _gapMs: number,
        _until: number,
        work: () => Promise<unknown>,
      ) {
        await clock.advance(10_000);
        return work();
      },
    },
    crawls: {
      async get() {
        await clock.advance(FREEZE_MS);
        return { status: 'running' };
      },
    },
    fetcherOf: () => ({
      async fetch() {
        requestsAt.push(clock.now());
        return { status: 'failed', reason: 'timeout' };
      },
    }),
    stopping: new AbortController().signal,
    stats: { answers: 0 },
  } as unknown as Parameters<typeof ask>[0];
  const crawl = { id: 'c', config: parseConfig({ totalTimeoutMs: 5000 }) } as Parameters<typeof ask>[1];
  const state = {
    host: 'a.test',
    lastRequestAt,
    lease: {
      endsAt: lastRequestAt,
      async lockFor(ms: number) {
        if (clock.now() + ms <= lockedUntil) return;
        if (isTaken && clock.now() > lockedUntil) throw new StaleTurn('it went to another worker');
        lockedUntil = clock.now() + ms;
      },
    },
  } as unknown as Parameters<typeof ask>[2];
  const outcome = ask(services, crawl, state, { url: 'http://a.test/' });
  return { outcome, requestsAt, lockedUntil: () => lockedUntil };
}

test('a host is locked when the request is made, also after the process stood still while it read the status', async () => {
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
  expect(await outcome).toMatchObject({ status: 'failed', reason: 'aborted', isUnmade: true });
  expect(requestsAt).toEqual([]);
});
