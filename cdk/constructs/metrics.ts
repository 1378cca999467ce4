import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS_NAMESPACE, type MetricName } from '../../shared/engines/aws/metric-names.ts';

export const FIVE_MINUTES = Duration.minutes(5);

/** Sums over the stack's workers. Each metric and dimension is billed, so there is none for each crawl or host. */
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
