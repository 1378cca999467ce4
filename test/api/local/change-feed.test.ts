import { expect, test } from 'vitest';
import { feedChanges } from '../../../api/local/change-feed.ts';
import type { PendingChanges } from '../../../shared/engines/local/items/change-outbox.ts';
import type { WebhookEvent } from '../../../shared/services/webhook/webhook.ts';
import { createFakeClock } from '../../crawler/worker/fake-clock.ts';

const HOUR = 3_600_000;

/** A feed whose receiver answers by these faults, then without one. */
function setUp(waiting: string[], faults: (string | undefined)[] = []) {
  const clock = createFakeClock();
  const received: string[] = [];
  const tries: number[] = [];
  const warnings: string[] = [];
  const ending = new AbortController();
  const feed = feedChanges(
    {
      crawl: 'c',
      clock,
      warn: (line) => warnings.push(line),
      outbox: {
        next: () => (waiting.length > 0 ? { ids: [0], lines: [waiting[0]!] } : undefined),
        remove: (_: PendingChanges) => void waiting.shift(),
      },
      webhook: {
        async send({ data }: WebhookEvent) {
          tries.push(clock.now());
          const fault = faults.shift();
          if (fault === undefined)
            received.push(...(data as { changes: { id: string }[] }).changes.map(({ id }) => id));
          return fault;
        },
      },
    },
    ending.signal,
  );
  return { clock, received, tries, warnings, ending, feed };
}

const line = (id: string) => JSON.stringify({ id });

test('a receiver that is down loses nothing, is asked more and more rarely, and is named once', async () => {
  const { clock, feed, received, tries, warnings, ending } = setUp(
    [line('1'), line('2')],
    Array.from({ length: 12 }, () => 'HTTP 503'),
  );
  await clock.drive(feed, () => received.length === 2 || clock.now() > tries[0]! + 10 * HOUR);
  ending.abort();
  await clock.drive(feed);
  expect(received).toEqual(['1', '2']);
  const waits = tries.slice(1, 13).map((at, i) => (at - tries[i]!) / 1000);
  expect(waits.slice(0, 4)).toEqual([10, 20, 40, 80]);
  expect(Math.max(...waits)).toBe(3600);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('HTTP 503');
});

test('at the end of a session all that there is is sent', async () => {
  const waiting: string[] = [];
  const { clock, feed, received, ending } = setUp(waiting);
  await clock.drive(feed, () => clock.now() > 0);
  waiting.push(line('1'), line('2'));
  ending.abort();
  await clock.drive(feed);
  expect(received).toEqual(['1', '2']);
});
