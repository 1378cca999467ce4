/** The models of queues against what the recorded facts say in plain words, over any sequence of calls. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FAULTS } from '../../models/faults.ts';
import { randomOf } from '../../models/random.ts';
import { createFifoQueue } from '../../models/sqs-fifo-queue.ts';
import type { QueueLimits, QueueModel } from '../../models/sqs-model.ts';
import { createStandardQueue } from '../../models/sqs-standard-queue.ts';

const limits = fc.record({
  inFlight: fc.integer({ min: 2, max: 8 }),
  lookAhead: fc.integer({ min: 2, max: 8 }),
  deduplicationMs: fc.constant(5000),
});
const MAX_RECEIVES = 3;
const RETENTION_MS = 60_000;

type Step =
  | { readonly do: 'send'; readonly group: string; readonly id: number }
  | { readonly do: 'receive'; readonly max: number; readonly ms: number }
  | { readonly do: 'delete' | 'hide'; readonly nth: number; readonly ms: number }
  | { readonly do: 'wait'; readonly ms: number };

const ms = fc.constantFrom(0, 1, 500, 1000, 3000, 10_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      group: fc.constantFrom('a', 'b', 'c'),
      id: fc.nat(9),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('receive' as const), max: fc.integer({ min: 1, max: 10 }), ms }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'hide' as const), nth: fc.nat(9), ms }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms }) },
);

interface Known {
  readonly id: string;
  readonly group: string;
  readonly sentAt: number;
  visibleAt: number;
  receiveCount: number;
  /** The handle of the last receive. */
  handle: string;
}

/** All messages in a list, and every rule as a search through it. */
function follow(model: QueueModel, steps: readonly Step[], isFifo: boolean, limits: QueueLimits): void {
  let now = 1_000_000;
  let all: Known[] = [];
  const handles: string[] = [];
  const sent = new Map<string, number>();
  let count = 0;

  const isVisible = (message: Known) => message.visibleAt <= now;
  const inFlight = () => all.filter((message) => !isVisible(message)).length;
  const groupOf = (group: string) => all.filter((message) => message.group === group);
  /** Returns the messages before the group's first hidden one, as far as the queue looks. */
  function receivable(): Known[] {
    if (!isFifo) return all.filter(isVisible);
    const window = new Set(all.slice(0, limits.lookAhead));
    return ['a', 'b', 'c'].flatMap((name) => {
      const group = groupOf(name);
      const end = group.findIndex((message) => !isVisible(message) || !window.has(message));
      return end < 0 ? group : group.slice(0, end);
    });
  }

  for (const each of steps) {
    all = all.filter(({ sentAt }) => sentAt + RETENTION_MS > now);
    if (each.do === 'wait') now += each.ms;
    else if (each.do === 'send') {
      const { group } = each;
      const deduplicationId = String(each.id);
      const key = group + deduplicationId;
      const isRepeat = isFifo && now - (sent.get(key) ?? Number.NEGATIVE_INFINITY) < limits.deduplicationMs;
      const { id, isNew } = model.send(isFifo ? { body: 'x', group, deduplicationId } : { body: 'x' }, now);
      expect(isNew).toBe(!isRepeat);
      if (isRepeat) continue;
      sent.set(key, now);
      expect(id).toBe(`q:${++count}`);
      all.push({ id, group, sentAt: now, visibleAt: now, receiveCount: 0, handle: '' });
    } else if (each.do === 'receive') {
      const room = Math.min(each.max, limits.inFlight - inFlight());
      const received = model.receive(each.max, each.ms, now);
      expect(received.length).toBeLessThanOrEqual(Math.max(0, room));
      // Messages given up by the way make room for others to be looked at.
      const left = new Set([...model.messages(now)].map(({ id }) => id));
      for (const message of all.filter(({ id }) => !left.has(id))) {
        expect(message.receiveCount).toBe(MAX_RECEIVES);
        expect(isVisible(message)).toBe(true);
      }
      all = all.filter(({ id }) => left.has(id));
      const able = receivable().filter(({ receiveCount }) => receiveCount < MAX_RECEIVES);
      expect(received.length > 0).toBe(room > 0 && able.length > 0);
      for (const group of isFifo ? ['a', 'b', 'c'] : []) {
        const own = received
          .filter(({ message }) => message.group === group)
          .map(({ message }) => message.id);
        expect(own).toEqual(
          groupOf(group)
            .slice(0, own.length)
            .map(({ id }) => id),
        );
      }
      for (const { message, handle } of received) {
        const known = able.find(({ id }) => id === message.id) as Known;
        expect(known).toBeDefined();
        known.receiveCount++;
        known.handle = handle;
        known.visibleAt = now + each.ms;
        handles.push(handle);
      }
    } else {
      const handle = handles.at(-1 - each.nth);
      if (handle === undefined) continue;
      const known = all.find((message) => message.handle === handle);
      const isHeld = known !== undefined && !isVisible(known);
      if (each.do === 'delete') {
        const isOld = !known && all.some(({ id }) => handle.startsWith(`${id}:`));
        const refusal = model.delete(handle, now);
        if (isFifo) expect(refusal === undefined).toBe(isHeld || !(known || isOld));
        else expect(refusal).toBeUndefined();
        // A standard queue may or may not heed an old handle.
        const left = new Set([...model.messages(now)].map(({ id }) => id));
        if (isFifo ? isHeld : known) expect(left.has(known?.id ?? '')).toBe(false);
        all = all.filter((message) => message !== known || (isFifo && !isHeld));
        if (!isFifo && isOld) all = all.filter(({ id }) => left.has(id) || !handle.startsWith(`${id}:`));
      } else {
        // A standard queue takes any handle of what is in flight.
        const target = isFifo ? known : all.find(({ id }) => handle.startsWith(`${id}:`));
        const canHide = target !== undefined && !isVisible(target);
        expect(model.changeVisibility(handle, each.ms, now) === undefined).toBe(canHide);
        if (canHide) target.visibleAt = now + each.ms;
      }
    }
    all = all.filter(({ sentAt }) => sentAt + RETENTION_MS > now);
    expect([...model.messages(now)].map(({ id, isInFlight }) => [id, isInFlight])).toEqual(
      all.map((message) => [message.id, !isVisible(message)]),
    );
    expect(model.size(now)).toEqual({
      visible: all.filter(isVisible).length,
      inFlight: inFlight(),
      delayed: 0,
    });
    const hidden = all.filter((message) => !isVisible(message)).map(({ visibleAt }) => visibleAt);
    expect(model.nextChangeAt()).toBe(hidden.length > 0 ? Math.min(...hidden) : undefined);
  }
}

describe.each([
  { isFifo: true, create: createFifoQueue },
  { isFifo: false, create: createStandardQueue },
])('a queue, FIFO: $isFifo', ({ isFifo, create }) => {
  it('gives, hides and deletes as a list of messages searched by the rules does', () => {
    // biome-ignore lint/nursery/noFloatingPromises: this property is not asynchronous
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), limits, fc.nat(), (steps, limits, seed) => {
        const model = create({
          name: 'q',
          limits,
          random: randomOf(seed),
          faults: NO_FAULTS,
          delayMs: 0,
          retentionMs: RETENTION_MS,
          deadLetters: { maxReceives: MAX_RECEIVES, take() {} },
        });
        follow(model, steps, isFifo, limits);
      }),
      { numRuns: 200 },
    );
  });
});
