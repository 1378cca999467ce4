import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStackSettings, timesOf } from '../../../shared/engines/aws/settings.ts';
import { DOCUMENT_MS } from '../../../shared/turn/document-reading.ts';
import { HOOK_CALLS } from '../../../shared/turn/page-hooks.ts';
import { SETTINGS } from '../../functions/fake-stack.ts';

const parsed = (changes: object) => parseStackSettings(JSON.stringify({ ...SETTINGS, ...changes }));
const url = (name: string) => `https://sqs.us-east-1.amazonaws.com/1/${name}`;

describe('the queues of a stack', () => {
  test('may be listed one by one', () => {
    const turnQueueUrls = [url('a.fifo'), url('b.fifo')];
    expect(parsed({ turnQueueUrls }).turnQueueUrls).toEqual(turnQueueUrls);
  });

  test('or by a pattern and their number', () => {
    const settings = parsed({
      turnQueueUrls: { pattern: url('Strand-turns-*.fifo'), count: 3 },
      linkShardUrls: { pattern: url('Strand-links-*'), count: 2 },
    });
    expect(settings.turnQueueUrls).toEqual([0, 1, 2].map((n) => url(`Strand-turns-${n}.fifo`)));
    expect(settings.linkShardUrls).toEqual([url('Strand-links-0'), url('Strand-links-1')]);
  });

  test('in which links are gathered by hosts are none where they are not configured', () => {
    expect(parsed({ linkShardUrls: undefined }).linkShardUrls).toEqual([]);
  });

  test.each([
    [[], 'at least one turn queue'],
    [{ pattern: url('turns.fifo'), count: 2 }, 'turnQueueUrls'],
    [{ pattern: url('*-turns-*.fifo'), count: 2 }, 'turnQueueUrls'],
    [{ pattern: url('turns-*.fifo'), count: 0 }, 'turnQueueUrls'],
    [{ pattern: url('turns-*.fifo'), count: 65 }, 'turnQueueUrls'],
    [{ pattern: url('turns-*.fifo') }, 'turnQueueUrls'],
  ])('may not be %j', (turnQueueUrls, message) => {
    expect(() => parsed({ turnQueueUrls })).toThrow(message);
  });
});

test('a pattern represents one queue at least', () => {
  const pattern = url('Strand-links-*');
  expect(() => parsed({ linkShardUrls: { pattern, count: 0 } })).toThrow('linkShardUrls');
  expect(parsed({ linkShardUrls: { pattern, count: 1 } }).linkShardUrls).toEqual([url('Strand-links-0')]);
});

describe('the times of a stack', () => {
  const timeouts = fc.integer({ min: 30_000, max: 900_000 });

  test('have room in the time of a worker, whatever that is', () => {
    fc.assert(
      fc.property(timeouts, (workerTimeoutMs) => {
        const times = timesOf({ workerTimeoutMs });
        const { leaseMs, visibilityMs, maxTotalTimeoutMs, maxHookTimeoutMs, maxDocumentMs, receiveMs } =
          times;
        for (const ms of Object.values(times)) expect(Number.isInteger(ms) && ms > 0).toBe(true);
        // Parts of the whole, never more.
        expect(5 * maxTotalTimeoutMs).toBeLessThanOrEqual(workerTimeoutMs);
        expect(15 * maxDocumentMs).toBeLessThanOrEqual(workerTimeoutMs);
        expect(maxDocumentMs).toBeLessThanOrEqual(DOCUMENT_MS);
        expect(HOOK_CALLS * maxHookTimeoutMs).toBeLessThanOrEqual(maxTotalTimeoutMs);
        // Whole seconds, a tenth more than a worker lives, rounded up.
        expect(visibilityMs % 1000).toBe(0);
        expect(10 * visibilityMs).toBeGreaterThanOrEqual(11 * workerTimeoutMs);
        expect(10 * (visibilityMs - 1000)).toBeLessThanOrEqual(11 * workerTimeoutMs);
        expect(leaseMs).toBeLessThanOrEqual(visibilityMs);
        // A host that is taken on last has the longest request, and the commit.
        expect(receiveMs + maxTotalTimeoutMs + 13_000).toBe(workerTimeoutMs);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [30_000, { leaseMs: 33_000, visibilityMs: 33_000, maxTotalTimeoutMs: 6000, maxHookTimeoutMs: 2000 }],
    [30_016, { visibilityMs: 34_000, maxTotalTimeoutMs: 6003, maxHookTimeoutMs: 2001, maxDocumentMs: 2001 }],
    [120_000, { visibilityMs: 132_000, maxTotalTimeoutMs: 24_000, maxHookTimeoutMs: 8000 }],
    [900_000, { maxTotalTimeoutMs: 180_000, maxHookTimeoutMs: 60_000, maxDocumentMs: 20_000 }],
  ])('of a worker that has %s ms', (workerTimeoutMs, expected) => {
    expect(timesOf({ workerTimeoutMs })).toMatchObject(expected);
  });
});
