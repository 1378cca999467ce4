/** The names of a worker's metrics in CloudWatch: functions write them, dashboard and alarms read them. */

export const METRICS_NAMESPACE = 'Strand';

/** By metric, CloudWatch's name of its unit; `None` is its own word, too. */
export const METRIC_UNITS = {
  Pages: 'Count',
  Bytes: 'Bytes',
  Requests: 'Count',
  Turns: 'Count',
  StaleTurns: 'Count',
  /** Minutes of hosts that are served: in a minute, hosts. */
  HostsActive: 'Count',
  /** Once for all, and once more by `reason`. */
  Errors: 'Count',
  CostUsd: 'None',
  /** Receives of messages, and turns, that met what a newer version has written. */
  NewerFormat: 'Count',
} as const;

export type MetricName = keyof typeof METRIC_UNITS;
