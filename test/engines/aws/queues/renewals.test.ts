import { expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { StaleTurn } from '../../../../shared/crawler/ports/stale-turn.ts';
import { groupIdOf, messageTexts } from '../../../../shared/engines/aws/queues/message-text.ts';
import { createTurnQueue } from '../../../../shared/engines/aws/queues/turn-queue.ts';
import { token } from '../../../contract/subjects.ts';
import { createFakeClock, T0 } from '../../../crawler/worker/fake-clock.ts';
import { batchAnswer, entriesOf, fakeSqs } from './fake-sqs.ts';

const LEASE_MS = 333_000;
const RENEWED_MS = 90_000;
const MINUTE = 60_000;

/** A queue that gives each of these hosts' messages once; `fails` gives the code for a handle. */
async function receiveAll(
  hosts: Readonly<Record<string, number>>,
  fails: (handle: string) => string | undefined = () => undefined,
) {
  const clock = createFakeClock();
  const messages = Object.entries(hosts).flatMap(([host, count]) =>
    Array.from({ length: count }, (_, i) => ({
      MessageId: `${host} ${i}`,
      ReceiptHandle: `${host} ${i}`,
      Body: messageTexts(host, token(String(i)), SIZES.maxMessageBytes)[0]!,
      Attributes: { ApproximateReceiveCount: '1', MessageGroupId: groupIdOf(host) },
    })),
  );
  /** Until when each message is hidden. */
  const hiddenUntil = new Map<string, number>();
  const hides: number[] = [];
  const { client, calls } = fakeSqs((call) => {
    if (call.name === 'ReceiveMessage') {
      const Messages = messages.splice(0, 10);
      for (const { MessageId } of Messages)
        hiddenUntil.set(MessageId, clock.now() + 1000 * Number(call.input.VisibilityTimeout));
      return { Messages };
    }
    if (call.name === 'ChangeMessageVisibilityBatch') hides.push(entriesOf(call).length);
    for (const { ReceiptHandle, VisibilityTimeout } of entriesOf(call))
      if (VisibilityTimeout !== undefined && fails(String(ReceiptHandle)) === undefined)
        hiddenUntil.set(String(ReceiptHandle), clock.now() + 1000 * Number(VisibilityTimeout));
    return batchAnswer(call, ({ ReceiptHandle }) => fails(String(ReceiptHandle)));
  });
  const queueUrl = 'http://sqs.test/turns';
  const queue = createTurnQueue({
    ...{ client, clock, queueUrl },
    ...{ visibilityMs: LEASE_MS, renewedMs: RENEWED_MS },
  });
  const received = await queue.receive(100, 0);
  const leastOf = (host: string) =>
    Math.min(...[...hiddenUntil].filter(([id]) => id.startsWith(host)).map(([, until]) => until)) -
    clock.now();
  /** The shortest time for which the host was hidden from any moment of these. */
  async function leastWithin(host: string, ms: number): Promise<number> {
    let least = leastOf(host);
    for (const end = clock.now() + ms; clock.now() < end; ) {
      await clock.advance(1000);
      least = Math.min(least, leastOf(host));
    }
    return least;
  }
  return { clock, queue, received, calls, hides, leastOf, leastWithin };
}

test('a host is hidden for a short time at once, and again and again while the worker has it', async () => {
  const { clock, received, leastOf, leastWithin } = await receiveAll({ 'a.test': 2 });
  expect(received[0]?.leaseUntil).toBe(T0 + LEASE_MS);
  expect(leastOf('a.test')).toBe(RENEWED_MS);
  expect(await leastWithin('a.test', 4 * MINUTE)).toBeGreaterThanOrEqual(RENEWED_MS / 2);
  expect(leastOf('a.test')).toBeLessThanOrEqual(RENEWED_MS);
  // Nobody holds it beyond its lease.
  await clock.advance(LEASE_MS);
  expect(leastOf('a.test')).toBeLessThan(0);
});

test('many hosts are renewed together, ten messages by a call, each some times in two minutes', async () => {
  const hosts = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`h${i}.test`, 1]));
  const { clock, hides } = await receiveAll(hosts);
  for (let s = 0; s < 120; s++) await clock.advance(1000);
  expect(new Set(hides)).toEqual(new Set([10]));
  const renewals = (10 * hides.length) / 40;
  expect(renewals).toBeGreaterThanOrEqual(2);
  expect(renewals).toBeLessThanOrEqual(4);
});

test('what was given back is renewed no more: parked, acknowledged as a whole, or handed to another process', async () => {
  const { clock, queue, received, leastOf, hides } = await receiveAll({
    'a.test': 1,
    'b.test': 2,
    'c.test': 1,
  });
  const [a, b, c] = received;
  await clock.advance(50_000);
  await queue.park(a!, 5000);
  await queue.acknowledge(b!, b!.deliveries);
  expect(queue.pack?.(c!)).toMatchObject({ host: 'c.test', handles: [['c.test 0', 'c.test 0']] });
  const [parkedFor, before] = [leastOf('a.test'), hides.length];
  expect(parkedFor).toBe(5000);
  for (let s = 0; s < 100; s++) await clock.advance(1000);
  expect(hides.length).toBe(before);
});

test('a host of which one message is acknowledged stays hidden by the others', async () => {
  const { queue, received, leastWithin } = await receiveAll({ 'a.test': 3 });
  await queue.acknowledge(received[0]!, received[0]!.deliveries.slice(0, 2));
  // The acknowledged ones count no more.
  expect(queue.isHeld?.(received[0]!, RENEWED_MS / 2)).toBe(true);
  await leastWithin('a.test', 2 * MINUTE);
  expect(queue.isHeld?.(received[0]!, RENEWED_MS / 2)).toBe(true);
});

test('a host that needs a longer rest after its requests is hidden for longer at any time, by one call more', async () => {
  const { clock, queue, received, leastOf, leastWithin, hides } = await receiveAll({ 'a.test': 1 });
  const restMs = 2 * MINUTE;
  expect(queue.isHeld?.(received[0]!, restMs)).toBe(false);
  await queue.hold(received[0]!, clock.now() + 200_000, restMs);
  expect([hides.length, leastOf('a.test') >= restMs]).toEqual([1, true]);
  expect(queue.isHeld?.(received[0]!, restMs)).toBe(true);
  expect(await leastWithin('a.test', 2 * MINUTE)).toBeGreaterThanOrEqual(restMs);
  await queue.hold(received[0]!, clock.now() + 1000, restMs);
  expect(await leastWithin('a.test', MINUTE)).toBeGreaterThanOrEqual(restMs);
});

test('a host that went to another worker is not held any more: no request to it is begun', async () => {
  const gone = new Set<string>();
  const { clock, queue, received, calls } = await receiveAll({ 'a.test': 1, 'b.test': 1 }, (handle) =>
    gone.has(handle) ? 'InvalidParameterValue' : undefined,
  );
  const [a, b] = received;
  gone.add('a.test 0');
  for (let s = 0; s < 60; s++) await clock.advance(1000);
  expect(queue.isHeld?.(a!, 0)).toBe(false);
  expect(queue.isHeld?.(b!, 0)).toBe(true);
  await expect(queue.hold(a!, clock.now() + MINUTE)).rejects.toThrow(StaleTurn);
  const before = calls.length;
  await queue.park(a!, 0);
  expect(calls.length).toBe(before);
});

test('renewals that fail are made again, and a host whose time is over by then is not ours', async () => {
  let isDown = true;
  const { clock, queue, received } = await receiveAll({ 'a.test': 1 }, () =>
    isDown ? 'AccessDenied' : undefined,
  );
  for (let s = 0; s < 60; s++) await clock.advance(1000);
  expect(queue.isHeld?.(received[0]!, 20_000)).toBe(true);
  isDown = false;
  for (let s = 0; s < 20; s++) await clock.advance(1000);
  expect(queue.isHeld?.(received[0]!, RENEWED_MS / 2)).toBe(true);
  isDown = true;
  for (let s = 0; s < 91; s++) await clock.advance(1000);
  expect(queue.isHeld?.(received[0]!, 0)).toBe(false);
});
