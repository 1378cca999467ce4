import { expect, test } from 'vitest';
import { createMetrics, metricLine } from '../../functions/metrics.ts';
import { newStats } from '../../shared/crawler/turn/worker-stats.ts';
import { createFakeClock, T0 } from '../crawler/worker/fake-clock.ts';

function open() {
  const clock = createFakeClock();
  const stats = newStats();
  const costs = [0.5, 0.25];
  const lines: Record<string, unknown>[] = [];
  const metrics = createMetrics({
    stack: 'strand',
    now: () => clock.now(),
    stats,
    takeCost: () => costs.shift() ?? 0,
    write: (line) => lines.push(JSON.parse(line)),
  });
  const valuesOf = ({ _aws, ...values }: Record<string, unknown>) => values;
  return { clock, stats, metrics, lines, values: () => lines.splice(0).map(valuesOf) };
}

const NOTHING = {
  stack: 'strand',
  Pages: 0,
  Bytes: 0,
  Requests: 0,
  Turns: 0,
  StaleTurns: 0,
  HostsActive: 0,
  Errors: 0,
};

test('a line has its metrics, with their units, by all of its dimensions together', () => {
  expect(JSON.parse(metricLine(T0, { stack: 's', reason: 'dns' }, { Errors: 2, Bytes: 7 }))).toEqual({
    _aws: {
      Timestamp: T0,
      CloudWatchMetrics: [
        {
          Namespace: 'Strand',
          Dimensions: [['stack', 'reason']],
          Metrics: [
            { Name: 'Errors', Unit: 'Count' },
            { Name: 'Bytes', Unit: 'Bytes' },
          ],
        },
      ],
    },
    stack: 's',
    reason: 'dns',
    Errors: 2,
    Bytes: 7,
  });
});

test('a report has what has come since the one before, and the time of the moment', async () => {
  const { stats, metrics, values, clock, lines } = open();
  Object.assign(stats, { pages: 3, bytes: 40, requests: 5, turns: 2, staleTurns: 1, errors: 4 });
  metrics.report();
  const first = { Pages: 3, Bytes: 40, Requests: 5, Turns: 2, StaleTurns: 1, Errors: 4, CostUsd: 0.5 };
  expect(values()).toEqual([{ ...NOTHING, ...first }]);
  stats.pages = 10;
  await clock.advance(5000);
  metrics.report();
  expect(lines[0]).toMatchObject({ _aws: { Timestamp: T0 + 5000 } });
  expect(values()).toEqual([{ ...NOTHING, Pages: 7, CostUsd: 0.25 }]);
});

test('hosts that are served are added up over time, by samples', async () => {
  const { stats, metrics, values, clock } = open();
  stats.hostsActive = 4;
  await clock.advance(30_000);
  metrics.sample();
  stats.hostsActive = 10;
  await clock.advance(60_000);
  metrics.report();
  expect(values()).toMatchObject([{ HostsActive: 2 + 10 }]);
  stats.hostsActive = 0;
  await clock.advance(60_000);
  metrics.report();
  expect(values()).toMatchObject([{ HostsActive: 0 }]);
});

test('failures are counted by their reason, too, each once', () => {
  const { stats, metrics, values } = open();
  stats.failures.dns = 2;
  metrics.report();
  expect(values().slice(1)).toEqual([{ stack: 'strand', reason: 'dns', Errors: 2 }]);
  stats.failures.timeout = 1;
  metrics.report();
  expect(values().slice(1)).toEqual([{ stack: 'strand', reason: 'timeout', Errors: 1 }]);
  metrics.report();
  expect(values()).toHaveLength(1);
});
