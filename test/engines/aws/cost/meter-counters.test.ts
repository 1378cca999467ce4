/** Usage kept with the counters of crawls, on a table that responds as the test says. */
import type { DynamoDBClient, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { createMeter } from '../../../../shared/engines/aws/cost/meter.ts';
import { createCrawlCounters } from '../../../../shared/engines/aws/state/crawl-counters.ts';
import { totalsOf, usageCountsIn } from '../../../../shared/engines/aws/state/head-counts.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

function setUp() {
  const updates: { crawl: string; counts: Record<string, number>; notesTime: boolean }[] = [];
  const state = { isDown: false, refused: '' };
  const clock = createFakeClock();
  const meter = createMeter({ clock, memoryMb: 1024 });
  const dynamo = {
    async send({ input }: { input: UpdateItemCommandInput }) {
      if (state.isDown) throw new Error('no table today');
      if (input.Key?.pk?.S === state.refused)
        throw Object.assign(new Error('no such key'), { name: 'ValidationException' });
      meter.add('dynamoWriteUnits', 1);
      const names = Object.entries(input.ExpressionAttributeNames ?? {});
      const values = input.ExpressionAttributeValues ?? {};
      updates.push({
        crawl: input.Key?.pk?.S as string,
        counts: Object.fromEntries(
          names.map(([place, name]) => [name.slice(2), Number(values[`:${place.slice(1)}`]?.N)]),
        ),
        notesTime: input.UpdateExpression?.includes('lastAt') === true,
      });
      return {};
    },
  } as unknown as DynamoDBClient;
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const counters = createCrawlCounters({ dynamo, table: 't', clock, meter, warn });
  return { counters, meter, updates, state, warnings };
}

describe('usage goes along with what a crawl’s commits change', () => {
  test('in the same update, and what that update uses with the next', async () => {
    const { counters, meter, updates } = setUp();
    meter.add('s3Puts', 2, 'a');
    await counters.add('a', { pages: 1 });
    await counters.add('a', {});
    expect(updates).toEqual([
      { crawl: 'a', counts: { pages: 1, 'usage.s3Puts': 2 }, notesTime: true },
      { crawl: 'a', counts: { 'usage.dynamoWriteUnits': 1 }, notesTime: true },
    ]);
  });

  test('but causes no update of a crawl that has none, until it is flushed', async () => {
    const { counters, meter, updates } = setUp();
    meter.add('s3Puts', 2, 'b');
    await counters.add('a', { pages: 1 });
    await counters.add('a', { pages: 1 });
    expect(updates.map(({ crawl }) => crawl)).toEqual(['a', 'a']);
    meter.add('s3Puts', 3, 'b');
    await counters.flush();
    expect(updates.slice(2)).toContainEqual({ crawl: 'b', counts: { 'usage.s3Puts': 5 }, notesTime: false });
  });

  test('is no sign of life: a crawl of which only usage is noted can become quiet', async () => {
    const { counters, meter, updates } = setUp();
    meter.add('sqsFifoRequests', 1, 'a');
    await counters.flush();
    await counters.add('a', {});
    expect(updates.map(({ notesTime }) => notesTime)).toEqual([false, true]);
  });

  test('that could not be stored is stored later, once', async () => {
    const { counters, meter, updates, state } = setUp();
    state.isDown = true;
    meter.add('s3Puts', 2, 'a');
    await counters.add('a', { pages: 1 });
    meter.add('s3Puts', 1, 'b');
    await counters.flush();
    expect(updates).toEqual([]);
    state.isDown = false;
    await counters.flush();
    await counters.flush();
    const puts = (of: string) =>
      updates
        .filter(({ crawl }) => crawl === of)
        .reduce((n, { counts }) => n + (counts['usage.s3Puts'] ?? 0), 0);
    expect([puts('a'), puts('b')]).toEqual([2, 1]);
    expect(updates.reduce((pages, { counts }) => pages + (counts.pages ?? 0), 0)).toBe(1);
  });

  test('of nothing writes nothing', async () => {
    const { counters, updates } = setUp();
    await counters.flush();
    expect(updates).toEqual([]);
  });
});

test('totals have the metered usage, with the bytes that requests and bodies sent to the web', () => {
  expect(totalsOf({ requests: 10, bytes: 1e6 }).usage).toBeUndefined();
  const counts = { requests: 10, bytes: 1e6, 'usage.s3Puts': 2, 'usage.dynamoReadUnits': 1.5 };
  expect(totalsOf(counts).usage).toEqual({ s3Puts: 2, dynamoReadUnits: 1.5, dataOutBytes: 42_808 });
  expect(usageCountsIn(counts)).toEqual({ 'usage.s3Puts': 2, 'usage.dynamoReadUnits': 1.5 });
});

test('an addition that the table refuses is left out with a warning, and the others are not kept waiting', async () => {
  const { counters, meter, updates, state, warnings } = setUp();
  state.refused = 'b';
  for (const crawl of ['a', 'b', 'c']) meter.add('s3Puts', 1, crawl);
  await counters.flush();
  meter.add('s3Puts', 2, 'c');
  await counters.flush();
  expect(updates.map(({ crawl }) => crawl)).toEqual(expect.arrayContaining(['a', 'c']));
  expect(updates.at(-1)).toMatchObject({ crawl: 'c', counts: { 'usage.s3Puts': 2 } });
  expect(warnings).toEqual(['totals of b: an addition is refused, and left out: no such key']);
});
