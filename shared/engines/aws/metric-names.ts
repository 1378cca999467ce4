/** The names of the metrics in CloudWatch: functions write them, dashboard and alarms read them. */

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
  /** Troubles of the stack that were announced: once for all, and once more by `trouble`. */
  Attention: 'Count',
} as const;

export type MetricName = keyof typeof METRIC_UNITS;
