import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { METRICS_NAMESPACE, type MetricName } from '../../shared/engines/aws/metric-names.ts';

export const FIVE_MINUTES = Duration.minutes(5);

/**
 * Sums over the stack's workers. Each metric and dimension is billed, so there is none for each crawl or
 * host.
 */
export function crawlMetric(stack: string, name: MetricName, period = FIVE_MINUTES): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: METRICS_NAMESPACE,
    metricName: name,
    dimensionsMap: { stack },
    statistic: cloudwatch.Stats.SUM,
    period,
  });
}

/** A line for each reason that there is. */
export function errorsByReason(stack: string): cloudwatch.MathExpression {
  const search = `{${METRICS_NAMESPACE},stack,reason} MetricName="Errors" stack="${stack}"`;
  return new cloudwatch.MathExpression({
    expression: `SEARCH('${search}', 'Sum', ${FIVE_MINUTES.toSeconds()})`,
    label: '',
    period: FIVE_MINUTES,
  });
}

/** A line for each trouble that was announced. */
export function troubles(stack: string): cloudwatch.MathExpression {
  const search = `{${METRICS_NAMESPACE},stack,trouble} MetricName="Attention" stack="${stack}"`;
  return new cloudwatch.MathExpression({
    expression: `SEARCH('${search}', 'Sum', ${FIVE_MINUTES.toSeconds()})`,
    label: '',
    period: FIVE_MINUTES,
  });
}

type QueueMetric =
  | 'metricApproximateAgeOfOldestMessage'
  | 'metricApproximateNumberOfMessagesVisible'
  | 'metricApproximateNumberOfMessagesNotVisible';

/** The queues' sum or highest, as one line. A queue without messages for 6 hours says nothing, which is 0. */
export function ofQueues(
  how: 'SUM' | 'MAX',
  queues: readonly sqs.Queue[],
  metric: QueueMetric,
  label?: string,
): cloudwatch.IMetric {
  const period = FIVE_MINUTES;
  const [first, ...others] = queues;
  if (first && others.length === 0) return first[metric]({ period, ...(label !== undefined && { label }) });
  // Ids are unique within a graph.
  const id = `${(label ?? 'queue').replace(/\W+/g, '_')}_${how.toLowerCase()}_`;
  const usingMetrics = Object.fromEntries(queues.map((queue, n) => [`${id}${n}`, queue[metric]({ period })]));
  const filled = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  return new cloudwatch.MathExpression({
    expression: `${how}([${filled.join(', ')}])`,
    usingMetrics,
    period,
    ...(label !== undefined && { label }),
  });
}
