import { expect, test } from 'vitest';
import { createLanes } from '../../../shared/crawler/worker/lanes.ts';
import { createFakeClock, T0 } from './fake-clock.ts';

const LATE = T0 + 3_600_000;

function open(tookMs = 100) {
  const clock = createFakeClock();
  const lanes = createLanes(clock, 10_000);
  const log: { readonly name: string; readonly startedAt: number; endedAt: number }[] = [];
  /** A request that takes its time. */
  const request = (name: string) => async () => {
    const entry = { name, startedAt: clock.now() - T0, endedAt: 0 };
    log.push(entry);
    await clock.sleep(tookMs);
    entry.endedAt = clock.now() - T0;
    return name;
  };
  return { clock, lanes, log, request };
}

test('requests to one host follow one another, each after the gap that counts from the end of the last one', async () => {
  const { clock, lanes, log, request } = open();
  const runs = ['a', 'b', 'c'].map((name) =>
    lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, request(name)),
  );
  expect(await clock.drive(Promise.all(runs))).toEqual(['a', 'b', 'c']);
  expect(log.map(({ startedAt }) => startedAt)).toEqual([0, 1100, 2200]);
});

test('requests to different hosts do not wait for one another', async () => {
  const { clock, lanes, log, request } = open();
  await clock.drive(
    Promise.all([
      lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, request('a')),
      lanes.run('i', { perHost: 1, gapMs: 1000, latestAt: LATE }, request('b')),
    ]),
  );
  expect(log.map(({ startedAt }) => startedAt)).toEqual([0, 0]);
});

test('with several lanes as many are in flight, and no more', async () => {
  const { clock, lanes, log, request } = open();
  await clock.drive(
    Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) =>
        lanes.run('h', { perHost: 2, gapMs: 0, latestAt: LATE }, request(name)),
      ),
    ),
  );
  expect(log.map(({ startedAt }) => startedAt)).toEqual([0, 0, 100, 100, 200]);
});

test('a request that asked the host for nothing delays no other one', async () => {
  const { clock, lanes, log, request } = open();
  const run = (name: string, isCounted: boolean) =>
    lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, request(name), () => isCounted);
  await clock.drive(Promise.all([run('a', false), run('b', false), run('c', true), run('d', false)]));
  expect(log.map(({ startedAt }) => startedAt)).toEqual([0, 100, 200, 1300]);
});

test('a gap that has passed already delays nothing', async () => {
  const { clock, lanes, log, request } = open();
  await clock.drive(lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, request('a')));
  await clock.advance(5000);
  await clock.drive(lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, request('b')));
  expect(log.map(({ startedAt }) => startedAt)).toEqual([0, 5100]);
});

test('a request that could begin only after its latest moment is not run, and the next one is', async () => {
  const { clock, lanes, log, request } = open();
  await clock.drive(lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, request('a')));
  expect(
    await clock.drive(lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: T0 + 1099 }, request('b'))),
  ).toBeUndefined();
  expect(
    await clock.drive(lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: T0 + 1100 }, request('c'))),
  ).toBe('c');
  expect(log.map(({ name }) => name)).toEqual(['a', 'c']);
});

test('a request that had to wait for others until its latest moment was over is not made', async () => {
  const { clock, lanes, log, request } = open();
  const run = (name: string, latestAt: number) =>
    lanes.run('h', { perHost: 1, gapMs: 1000, latestAt }, request(name));
  // The gap after the first one ends at 1100 ms, after the second at 2200 ms.
  const runs = [run('a', LATE), run('b', T0 + 1100), run('c', T0 + 2199), run('d', T0 + 2200)];
  expect(await clock.drive(Promise.all(runs))).toEqual(['a', 'b', undefined, 'd']);
  expect(log.map(({ startedAt }) => startedAt)).toEqual([0, 1100, 2200]);
});

test('a request that waits for its gap is not made when its signal aborts, and frees its lane at once', async () => {
  const { clock, lanes, log, request } = open();
  await clock.drive(lanes.run('h', { perHost: 1, gapMs: 60_000, latestAt: LATE }, request('a')));
  const stopping = new AbortController();
  const waiting = lanes.run(
    'h',
    { perHost: 1, gapMs: 60_000, latestAt: LATE, signal: stopping.signal },
    request('b'),
  );
  await clock.advance(1000);
  stopping.abort();
  expect(await waiting).toBeUndefined();
  expect(clock.now() - T0).toBe(1100);
  await clock.drive(lanes.run('h', { perHost: 1, gapMs: 60_000, latestAt: LATE }, request('c')));
  expect(log.map(({ name, startedAt }) => [name, startedAt])).toEqual([
    ['a', 0],
    ['c', 60_100],
  ]);
});

test('a request that throws frees its lane, and its end counts', async () => {
  const { clock, lanes, log, request } = open();
  const failed = lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, async () => {
    await clock.sleep(300);
    throw new Error('broken');
  });
  const next = lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, request('a'));
  await expect(clock.drive(failed)).rejects.toThrow('broken');
  await clock.drive(next);
  expect(log.map(({ startedAt }) => startedAt)).toEqual([1300]);
});

test('a clock that is set forward shortens no gap', async () => {
  const { clock, lanes, log, request } = open();
  await clock.drive(lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE }, request('a')));
  clock.set(60_000);
  await clock.drive(lanes.run('h', { perHost: 1, gapMs: 1000, latestAt: LATE + 60_000 }, request('b')));
  expect(log[1]?.startedAt).toBe(61_100);
});

test('the longest rest of a host counts, until it is over', () => {
  const { lanes } = open();
  expect(lanes.restUntil('h')).toBe(0);
  lanes.rest('h', T0 + 5000);
  lanes.rest('h', T0 + 2000);
  expect([lanes.restUntil('h'), lanes.restUntil('i')]).toEqual([T0 + 5000, 0]);
});

test('of very many hosts those are forgotten that rest no longer and were asked long ago', async () => {
  const { clock, lanes } = open();
  lanes.rest('resting', T0 + 7_200_000);
  for (let i = 0; i < 10_001; i++) lanes.rest(`h${i}`, T0 + 1000);
  await clock.advance(3_600_000);
  // Whatever ends now looks through them.
  await lanes.run('h', { perHost: 1, gapMs: 0, latestAt: LATE + 1 }, async () => {});
  expect([lanes.restUntil('h0'), lanes.restUntil('resting')]).toEqual([0, T0 + 7_200_000]);
});

test('a rest that ends within a millisecond ends with it, not before', async () => {
  const clock = createFakeClock();
  // As in a process: the clock has whole milliseconds, the time since its start has parts of them.
  const lanes = createLanes({ ...clock, now: () => Math.floor(clock.now()) }, 10_000);
  lanes.rest('h', T0 + 5000);
  await clock.advance(0.5);
  expect(lanes.restUntil('h')).toBe(T0 + 5000);
  await clock.advance(4999.25);
  expect(lanes.restUntil('h')).toBe(T0 + 5000);
  await clock.advance(0.25);
  expect(lanes.restUntil('h')).toBe(0);
});

test('a rest ends in its time, though the clock is set meanwhile', async () => {
  const { clock, lanes } = open();
  lanes.rest('h', clock.now() + 5000);
  clock.set(-3_600_000);
  expect(lanes.restUntil('h')).toBe(clock.now() + 5000);
  await clock.advance(2000);
  clock.set(7_200_000);
  expect(lanes.restUntil('h')).toBe(clock.now() + 3000);
  await clock.advance(3000);
  expect(lanes.restUntil('h')).toBe(0);
});
