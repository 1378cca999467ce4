import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';

/** What the worker counts, written into its log in embedded metric format (CloudWatch user guide). */
export const NAMESPACE = 'Strand';

export type CrawlMetric =
  | 'Pages'
  | 'Bytes'
  | 'Requests'
  | 'Turns'
  | 'StaleTurns'
  /** Hosts that a worker serves, said once a minute by each. */
  | 'HostsActive'
  | 'CostUsd'
  /** Once for all, and once more by `reason`. */
  | 'Errors';

export const FIVE_MINUTES = Duration.minutes(5);

/** Sums over the stack's workers. Each metric and dimension is billed, so there is none for each crawl or host. */
export function crawlMetric(stack: string, name: CrawlMetric, period = FIVE_MINUTES): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: NAMESPACE,
    metricName: name,
    dimensionsMap: { stack },
    statistic: cloudwatch.Stats.SUM,
    period,
  });
}

/** A line for each reason that there is. */
export function errorsByReason(stack: string): cloudwatch.MathExpression {
  const search = `{${NAMESPACE},stack,reason} MetricName="Errors" stack="${stack}"`;
  return new cloudwatch.MathExpression({
    expression: `SEARCH('${search}', 'Sum', ${FIVE_MINUTES.toSeconds()})`,
    label: '',
    period: FIVE_MINUTES,
  });
}
