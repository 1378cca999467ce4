import { expect, test } from 'vitest';
import { StaleTurn } from '../../../shared/crawler/ports/stale-turn.ts';
import type { HostDeliveries } from '../../../shared/crawler/ports/turn-queue.ts';
import { leaseOf } from '../../../shared/crawler/turn/lease.ts';
import { createFakeClock, T0 } from '../worker/fake-clock.ts';

const until = (deadline: number) => ({ receiveUntil: T0, deadline });
const RECEIVED: HostDeliveries = { host: 'a.test', deliveries: [], leaseUntil: T0 + 30_000 };

/** A queue that notes until when it has held the host; each call takes as long as the list says. */
function fakeQueue(tookMs: readonly number[] = []) {
  const clock = createFakeClock();
  const heldUntil: number[] = [];
  const hold = async (_: HostDeliveries, until: number) => {
    await clock.advance(tookMs[heldUntil.length] ?? 0);
    heldUntil.push(until);
  };
  return { clock, heldUntil, hold };
}

test('a lease ends with the lock of the host or with the process, the earlier one', () => {
  const { clock, hold } = fakeQueue();
  expect(leaseOf({ hold }, clock, RECEIVED, until(T0 + 90_000)).endsAt).toBe(T0 + 30_000);
  expect(leaseOf({ hold }, clock, RECEIVED, until(T0 + 20_000)).endsAt).toBe(T0 + 20_000);
});

test('a host is locked for longer only where its lock would end too early', async () => {
  const { clock, heldUntil, hold } = fakeQueue();
  const lease = leaseOf({ hold }, clock, RECEIVED, until(T0 + 90_000));
  await lease.lockFor(30_000);
  expect(heldUntil).toEqual([]);
  await lease.lockFor(30_001);
  expect(heldUntil).toHaveLength(1);
  expect(heldUntil[0]).toBeGreaterThanOrEqual(T0 + 30_001);
  // The new end counts from now on.
  await lease.lockFor(30_001);
  expect(heldUntil).toHaveLength(1);
  await lease.lockFor(90_000);
  expect(heldUntil).toHaveLength(2);
});

test('a lock that was extended while the process froze is extended again', async () => {
  const { clock, heldUntil, hold } = fakeQueue([60_000, 60_000]);
  await leaseOf({ hold }, clock, RECEIVED, until(T0 + 900_000)).lockFor(40_000);
  expect(heldUntil).toHaveLength(3);
  expect(heldUntil.at(-1)).toBeGreaterThanOrEqual(clock.now() + 40_000);
});

test('an answer that takes a second needs no second call', async () => {
  const { clock, heldUntil, hold } = fakeQueue([1000]);
  await leaseOf({ hold }, clock, RECEIVED, until(T0 + 90_000)).lockFor(40_000);
  expect(heldUntil).toHaveLength(1);
});

test('a host that is no longer ours is not locked, and the caller learns it', async () => {
  const { clock } = fakeQueue();
  const hold = () => Promise.reject(new StaleTurn('it went to another worker'));
  await expect(leaseOf({ hold }, clock, RECEIVED, until(T0 + 90_000)).lockFor(40_000)).rejects.toThrow(
    StaleTurn,
  );
});

test('a host whose lock is short is locked again where its rest needs more, or where it is lost', async () => {
  const { clock } = fakeQueue();
  let shortMs = 45_000;
  const held: unknown[] = [];
  const queue = {
    isHeld: (_: HostDeliveries, ms: number) => ms <= shortMs,
    async hold(_: HostDeliveries, until: number, restMs = 0) {
      held.push([until - clock.now(), restMs]);
      shortMs = restMs;
    },
  };
  const lease = leaseOf(queue, clock, RECEIVED, until(T0 + 900_000));
  await lease.lockFor(20_000, 10_000);
  expect(held).toEqual([]);
  await lease.lockFor(20_000, 60_000);
  expect(held).toEqual([[22_000, 62_000]]);
  await lease.lockFor(20_000, 60_000);
  expect(held).toHaveLength(1);
});
