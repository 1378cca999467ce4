/**
 * The counts of a worker, as lines in CloudWatch's embedded metric format: log lines from which CloudWatch
 * makes metrics.
 */

import type { WorkerStats } from '../shared/crawler/turn/worker-stats.ts';
import { METRIC_UNITS, METRICS_NAMESPACE, type MetricName } from '../shared/engines/aws/metric-names.ts';

export interface MetricsOptions {
  /** The stack's name, which is the only dimension: each further value of one is billed. */
  readonly stack: string;
  readonly now: () => number;
  readonly stats: WorkerStats;
  /** US dollars that were used since the last call. */
  readonly takeCost: () => number;
  readonly write: (line: string) => void;
}

export interface Metrics {
  /** Notes how many hosts are served now. To be called every few seconds. */
  sample(): void;
  /** Writes the metrics since the last call. */
  report(): void;
}

/** Returns the line that gives these metrics these values. */
export function metricLine(
  now: number,
  dimensions: Readonly<Record<string, string>>,
  values: Readonly<Partial<Record<MetricName, number>>>,
): string {
  const names = Object.keys(values) as MetricName[];
  const _aws = {
    Timestamp: now,
    CloudWatchMetrics: [
      {
        Namespace: METRICS_NAMESPACE,
        Dimensions: [Object.keys(dimensions)],
        Metrics: names.map((Name) => ({ Name, Unit: METRIC_UNITS[Name] })),
      },
    ],
  };
  return JSON.stringify({ _aws, ...dimensions, ...values });
}

const MINUTE_MS = 60_000;

/** To be begun when the worker is. */
export function createMetrics({ stack, now, stats, takeCost, write }: MetricsOptions): Metrics {
  const started = now();
  let sampledAt = started;
  /** Unit: one host served for one millisecond. */
  let hostMs = 0;
  let last = countsOf();
  let lastFailures: Readonly<Record<string, number>> = {};

  /**
   * All only grow. `HostsActive`: minutes of hosts, so that the sum over a minute is how many there were in
   * it.
   */
  function countsOf(): Record<Exclude<MetricName, 'CostUsd' | 'Attention'>, number> {
    return {
      Pages: stats.pages,
      Bytes: stats.bytes,
      Requests: stats.requests,
      Turns: stats.turns,
      StaleTurns: stats.staleTurns,
      HostsActive: hostMs / MINUTE_MS,
      Errors: stats.errors,
    };
  }

  function sample(): void {
    const at = now();
    hostMs += stats.hostsActive * (at - sampledAt);
    sampledAt = at;
  }

  function line(dimensions: Record<string, string>, values: Partial<Record<MetricName, number>>): void {
    write(metricLine(now(), dimensions, values));
  }

  return {
    sample,
    report() {
      sample();
      const counts = countsOf();
      line({ stack }, { ...differences(counts, last), CostUsd: takeCost() });
      last = counts;
      const failures = { ...stats.failures };
      for (const [reason, Errors] of Object.entries(differences(failures, lastFailures)))
        if (Errors > 0) line({ stack, reason }, { Errors });
      lastFailures = failures;
    },
  };
}

function differences<K extends string>(
  now: Readonly<Record<K, number>>,
  before: Readonly<Partial<Record<K, number>>>,
): Record<K, number> {
  const entries = Object.entries<number>(now).map(([key, value]) => [key, value - (before[key as K] ?? 0)]);
  return Object.fromEntries(entries);
}
