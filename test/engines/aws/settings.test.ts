import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOOK_CALLS } from '../../../shared/crawler/turn/page-hooks.ts';
import {
  DOCUMENT_MS,
  parseStackSettings,
  regionOf,
  STACK_CRAWL_DEFAULTS,
  STACK_POOL_DEFAULTS,
  timesOf,
} from '../../../shared/engines/aws/settings.ts';
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

describe('each setting', () => {
  const texts = [
    'stack',
    'crawlState',
    'urlSeen',
    'bucket',
    'startQueueUrl',
    'linkQueueUrl',
    'linkDeadLetterUrl',
  ];
  const counts = (most: number) => ({ takes: [1, most], refuses: [0, 1.5, most + 1, '1'] });
  const text = { takes: ['x'], refuses: ['', 1, null] };
  const positive = { takes: [1, 1e9], refuses: [0, 1.5, '1'] };
  const price = { takes: [0.5], refuses: [0, -1] };
  const rules: Record<string, { readonly takes: readonly unknown[]; readonly refuses: readonly unknown[] }> =
    {
      ...Object.fromEntries(
        [...texts, 'turnDeadLetterUrl', 'defaultCrawl', 'identityParameter', 'webhookParameter'].map(
          (key) => [key, text],
        ),
      ),
      turnQueueUrls: { takes: [['x']], refuses: [[], [''], 'x'] },
      linkShardUrls: {
        takes: [[], ['x'], { pattern: 'a*', count: 64 }],
        refuses: [[''], { pattern: 'a*', count: 65 }],
      },
      workersPerQueue: positive,
      dueShards: counts(64),
      workerTimeoutMs: { takes: [60_000, 900_000], refuses: [59_999, 900_001, 60_000.5] },
      hostsPerWorker: counts(500),
      workerMemoryMb: positive,
      smallWorkerMemoryMb: positive,
      crawlDefaults: { takes: [{ any: 1 }], refuses: [[], 'x'] },
      allowPrivateAddresses: { takes: [[], ['x']], refuses: [[1], 'x'] },
      limits: { takes: [{}], refuses: [{ other: 1 }, []] },
      maxCostPerHour: price,
      archiveDays: positive,
      indexTables: { takes: [true, false], refuses: [1, 'true'] },
      hasHooks: { takes: [true, false], refuses: [1, 'true'] },
      allowPorts: { takes: [[], [1, 2]], refuses: [[1.5], ['1']] },
      other: { takes: [], refuses: [1] },
    };
  test.each(Object.entries(rules))('%s is checked', (key, { takes, refuses }) => {
    for (const value of takes) {
      const found = (parsed({ [key]: value }) as unknown as Record<string, unknown>)[key];
      if (typeof value !== 'object' || !('pattern' in (value as object))) expect(found).toEqual(value);
    }
    for (const value of refuses) expect(() => parsed({ [key]: value }), JSON.stringify(value)).toThrow(key);
  });

  test.each([
    ...['delayMs', 'ipDelayMs'].map((key) => [key, [0, 0.5], [-1, '1']] as const),
    ...['perHost', 'maxRunningCrawls'].map((key) => [key, [1, 9], [0, 1.5]] as const),
    ...['maxBytesPerSecond', 'maxBytesPerSecondPerHost'].map(
      (key) => [key, [100, 1e9], [99, 100.5]] as const,
    ),
    ...['maxCost', 'maxCostPerDay'].map((key) => [key, [0.1], [0, -1]] as const),
    ['allowedDomains', [[], ['a.test']], [[''], [1]]] as const,
  ])('the limit %s is checked', (key, takes, refuses) => {
    for (const value of takes) expect(parsed({ limits: { [key]: value } }).limits).toEqual({ [key]: value });
    for (const value of refuses) expect(() => parsed({ limits: { [key]: value } })).toThrow(key);
  });

  test('that not each stack has may be missing, and the others must be there', () => {
    const optional = ['linkShardUrls', 'hasHooks'];
    for (const key of Object.keys(SETTINGS))
      if (!optional.includes(key)) expect(() => parsed({ [key]: undefined }), key).toThrow(key);
      else expect(() => parsed({ [key]: undefined })).not.toThrow();
    expect(() => parseStackSettings(undefined)).toThrow('STRAND_SETTINGS');
  });
});

test('the defaults of a stack are those of its documentation', () => {
  expect(STACK_CRAWL_DEFAULTS).toEqual({ turnMaxMs: 120_000 });
  expect(STACK_POOL_DEFAULTS).toEqual({
    hostsPerWorker: 300,
    maxConcurrency: 50,
    workerMemoryMb: 1280,
    smallWorkerMemoryMb: 512,
  });
});

test('the region of a stack is that of its queues', () => {
  const region = (linkQueueUrl: string) => regionOf({ linkQueueUrl });
  expect(region('https://sqs.eu-west-1.amazonaws.com/1/links')).toBe('eu-west-1');
  expect(region('http://sqs.us-east-1.localhost:4566/1/links')).toBe('us-east-1');
  expect(region('http://127.0.0.1:4566/1/sqs.eu-west-1.')).toBeUndefined();
  expect(region('nohttps://sqs.eu-west-1.amazonaws.com/')).toBeUndefined();
});
