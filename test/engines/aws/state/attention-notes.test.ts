/** The notes of the waker: a trouble is claimed by one process, and by the one whose answer was lost. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { createAttentionNotes } from '../../../../shared/engines/aws/state/attention-notes.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

const HOUR = 3_600_000;

function setUp() {
  const { clients, dynamo: table } = createServices();
  const clock = createFakeClock();
  /** For the next call. */
  let strike: 'repeated' | 'lost' | undefined;
  const dynamo = {
    async send(command: never) {
      const now = strike;
      strike = undefined;
      if (now !== undefined) await clients.dynamo.send(command);
      if (now === 'lost') throw new Error('connection reset');
      return clients.dynamo.send(command);
    },
  } as unknown as DynamoDBClient;
  return {
    clock,
    notes: () => createAttentionNotes({ dynamo, clock, table: 'T' }),
    next(kind: 'repeated' | 'lost') {
      strike = kind;
    },
    items: () => [...table.items('T')],
  };
}

test('a trouble is claimed once in that time, by one process of all, and again after it', async () => {
  const { clock, notes } = setUp();
  const [a, b] = [notes(), notes()];
  expect(await Promise.all([a.claim('x', HOUR), a.claim('x', HOUR), b.claim('x', HOUR)])).toEqual([
    true,
    false,
    false,
  ]);
  expect(await b.claim('y', HOUR)).toBe(true);
  await clock.advance(HOUR - 1);
  expect(await a.claim('x', HOUR)).toBe(false);
  await clock.advance(1);
  expect(await b.claim('x', HOUR)).toBe(true);
  expect(await a.claim('x', HOUR)).toBe(false);
});

test('a claim whose answer was lost is the own one: when the SDK repeats it, and when the caller does', async () => {
  const { notes, next } = setUp();
  const [a, b] = [notes(), notes()];
  next('repeated');
  expect(await a.claim('x', HOUR)).toBe(true);
  next('lost');
  await expect(a.claim('y', HOUR)).rejects.toThrow('connection reset');
  expect(await b.claim('y', HOUR)).toBe(false);
  expect(await a.claim('y', HOUR)).toBe(true);
  expect(await a.claim('y', HOUR)).toBe(false);
});

test('the state and the times of claims come back; a trouble that is over can be claimed again', async () => {
  const { clock, notes, items } = setUp();
  const state = {
    at: 5,
    crawls: { c: [3, 2, 1] as const },
    samples: [{ at: 4, figures: [1, 2, 3] as const }],
  };
  expect(await notes().load()).toEqual({ announced: new Map() });
  await notes().store(state);
  await notes().claim('x', HOUR);
  await clock.advance(1000);
  await notes().claim('y', HOUR);
  expect(await notes().load()).toEqual({
    state,
    announced: new Map([
      ['x', clock.now() - 1000],
      ['y', clock.now()],
    ]),
  });
  await notes().forget('x');
  expect([...(await notes().load()).announced.keys()]).toEqual(['y']);
  expect(await notes().claim('x', HOUR)).toBe(true);
  // All of it expires 30 days after it was written last.
  const days = items().map(({ expiresAt }) => Number(expiresAt?.N) * 1000 - clock.now());
  expect(days).toHaveLength(3);
  for (const ms of days) expect(Math.abs(ms - 30 * 24 * HOUR)).toBeLessThanOrEqual(1000);
});

test('nothing expires before its 30 days are over, to the second', async () => {
  const { clock, notes, items } = setUp();
  for (const ms of [0, 1, 499, 500]) {
    await clock.advance(ms);
    await notes().store({ at: 5, crawls: {}, samples: [] });
    await notes().claim(`x${ms}`, HOUR);
    const kept = items()
      .filter(({ sk }) => sk?.S === 'state' || sk?.S === `trouble#x${ms}`)
      .map(({ expiresAt }) => Number(expiresAt?.N) * 1000 - clock.now() - 30 * 24 * HOUR);
    expect(kept).toHaveLength(2);
    for (const more of kept) {
      expect(more).toBeGreaterThanOrEqual(0);
      expect(more).toBeLessThan(1000);
    }
  }
});
