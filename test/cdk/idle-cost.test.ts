/** The cost of a stack at rest, as its template and the list prices give it, and as the documents say. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MEMORY_MB } from '../../cdk/constructs/sizes.ts';
import { synthesized } from './synthesized.ts';

/** List prices of us-east-1, 2026-11, in US dollars. */
const PRICES = {
  alarmMetric: 0.1,
  sqsRequest: 0.4 / 1e6,
  sqsFifoRequest: 0.5 / 1e6,
  invocation: 0.2 / 1e6,
  gbSecond: 0.0000133334,
  /** Half a read unit: a query that finds little. */
  query: 0.125 / 1e6 / 2,
};
const MINUTES = 43_800;
/** Lambda keeps 5 long polls of 20 s on a quiet queue (Lambda developer guide, "Using Lambda with Amazon SQS"). */
const POLLS_A_MINUTE = 5 * 3;
/** A warm run that finds nothing to do: a query, and in one of five runs three counts of messages. An estimate. */
const WAKER_S = 0.05;
const COMPACTOR_S = 0.5;
const EXPORTER_S = 0.5;

const { resources } = synthesized();

const alarms = () =>
  Object.values(resources('AWS::CloudWatch::Alarm')).flatMap(
    ({ Properties: { Metrics } }) => Metrics?.filter((one: object) => 'MetricStat' in one) ?? ['its own'],
  ).length * PRICES.alarmMetric;

const receives = () =>
  Object.keys(resources('AWS::Lambda::EventSourceMapping')).length *
  POLLS_A_MINUTE *
  MINUTES *
  PRICES.sqsRequest;

function schedules(): number {
  const rules = Object.values(resources('AWS::Events::Rule'));
  // A rule for an event costs nothing until there is one.
  const scheduled = rules.filter(({ Properties }) => Properties.EventPattern === undefined);
  expect(scheduled.map(({ Properties }) => Properties.ScheduleExpression).sort()).toEqual([
    'rate(1 hour)',
    'rate(1 hour)',
    'rate(1 minute)',
  ]);
  const gbS = (mb: number, seconds: number) => (mb / 1024) * seconds * PRICES.gbSecond;
  const waker = PRICES.invocation + gbS(MEMORY_MB.waker, WAKER_S) + PRICES.query;
  const everyFifth = PRICES.sqsFifoRequest + 2 * PRICES.sqsRequest;
  const compactor = PRICES.invocation + gbS(MEMORY_MB.compactor, COMPACTOR_S) + 2 * PRICES.query;
  // It looks for exports once.
  const exporter = PRICES.invocation + gbS(MEMORY_MB.exporter, EXPORTER_S) + PRICES.query;
  return MINUTES * (waker + everyFifth / 5) + (MINUTES / 60) * (compactor + exporter);
}

test('a stack at rest costs less than a dollar a month, as docs/performance.md and docs/aws.md say', () => {
  const items = [alarms(), receives(), schedules()];
  expect(items.map((dollars) => dollars.toFixed(2))).toEqual(['0.40', '0.53', '0.05']);
  const all = `$${items.reduce((a, b) => a + b, 0).toFixed(2)}`;
  expect(all).toBe('$0.98');
  expect(readFileSync('docs/performance.md', 'utf8')).toContain(
    `| AWS, without a crawl | about ${all} a month |`,
  );
  expect(readFileSync('docs/aws.md', 'utf8')).toContain(`Together this is about ${all}`);
});
