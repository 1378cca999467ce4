import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MetricName } from '../../shared/engines/aws/metric-names.ts';
import type { Frontier } from './frontier.ts';
import { crawlMetric, errorsByReason, FIVE_MINUTES, ofQueues, troubles } from './metrics.ts';

export interface DashboardProps {
  readonly stackName: string;
  readonly frontier: Frontier;
  readonly functions: readonly lambda.Function[];
  readonly alarms: readonly cloudwatch.Alarm[];
}

const HALF = 12;
/** More queues of a kind are one line: a reader could not distinguish this many. */
const MAX_LINES = 16;

/** A page with speed, errors, backlog and cost. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    new cloudwatch.Dashboard(this, 'Page', {
      defaultInterval: Duration.hours(3),
      widgets: [
        [new cloudwatch.AlarmStatusWidget({ title: 'Alarms', alarms: [...props.alarms], width: 2 * HALF })],
        speed(props.stackName),
        hosts(props.stackName),
        queues(props.frontier),
        functions(props.functions),
        cost(props.stackName),
        [graph('Troubles announced', [troubles(props.stackName)])],
      ],
    });
  }
}

function speed(stack: string): cloudwatch.IWidget[] {
  return [
    graph('Pages per second', [perSecond(stack, 'Pages', 'pages'), perSecond(stack, 'Requests', 'requests')]),
    graph('Bytes per second', [perSecond(stack, 'Bytes', 'bytes')]),
  ];
}

function hosts(stack: string): cloudwatch.IWidget[] {
  const active = crawlMetric(stack, 'HostsActive', Duration.minutes(1)).with({ label: 'hosts' });
  const turns = (['Turns', 'StaleTurns'] as const).map((name) => crawlMetric(stack, name));
  return [graph('Errors by kind', [errorsByReason(stack)]), graph('Hosts active; turns', [active], turns)];
}

function queues({
  turns,
  linkQueue,
  linkShards,
  turnDeadLetters,
  linkDeadLetters,
}: Frontier): cloudwatch.IWidget[] {
  const all: [label: string, queues: readonly sqs.Queue[]][] = [
    ...lines('turns', turns.queues),
    ['links', [linkQueue]],
    ...lines('link shards', linkShards.queues),
  ];
  const dead: typeof all = [
    ['dead turns', [turnDeadLetters]],
    ['dead links', [linkDeadLetters]],
  ];
  return [
    graph('Messages waiting; dead letters', [
      ...[...all, ...dead].map(([label, queues]) =>
        ofQueues('SUM', queues, 'metricApproximateNumberOfMessagesVisible', label),
      ),
      ...all.map(([label, queues]) =>
        ofQueues('SUM', queues, 'metricApproximateNumberOfMessagesNotVisible', `${label}, in work`),
      ),
    ]),
    graph(
      'Age of the oldest message, seconds',
      all.map(([label, queues]) => ofQueues('MAX', queues, 'metricApproximateAgeOfOldestMessage', label)),
    ),
  ];
}

function lines(kind: string, queues: readonly sqs.Queue[]): [label: string, queues: readonly sqs.Queue[]][] {
  if (queues.length === 0) return [];
  return queues.length > MAX_LINES ? [[kind, queues]] : queues.map((queue, n) => [`${kind} ${n}`, [queue]]);
}

function functions(all: readonly lambda.Function[]): cloudwatch.IWidget[] {
  const period = FIVE_MINUTES;
  return [
    graph(
      'Function errors and throttles',
      all.flatMap((each) => [
        each.metricErrors({ period, label: `${each.node.scope?.node.id} errors` }),
        each.metricThrottles({ period, label: `${each.node.scope?.node.id} throttles` }),
      ]),
    ),
    graph(
      'Function duration, ms',
      all.map((each) =>
        each.metricDuration({ period, statistic: 'p90', label: `${each.node.scope?.node.id} p90` }),
      ),
    ),
  ];
}

function cost(stack: string): cloudwatch.IWidget[] {
  const cost = crawlMetric(stack, 'CostUsd');
  return [
    graph('Cost per hour, US dollars', [
      calculated('cost / PERIOD(cost) * 3600', 'dollars an hour', { cost }),
    ]),
    graph('Cost per million pages, US dollars', [
      calculated('1000000 * cost / pages', 'dollars', { cost, pages: crawlMetric(stack, 'Pages') }),
    ]),
  ];
}

/** Ids of metrics are unique within a graph, and begin with a small letter. */
function perSecond(stack: string, name: MetricName, label: string): cloudwatch.MathExpression {
  return calculated(`${label} / PERIOD(${label})`, label, { [label]: crawlMetric(stack, name) });
}

const calculated = (
  expression: string,
  label: string,
  usingMetrics: Record<string, cloudwatch.IMetric>,
): cloudwatch.MathExpression =>
  new cloudwatch.MathExpression({ expression, label, usingMetrics, period: FIVE_MINUTES });

const graph = (
  title: string,
  left: cloudwatch.IMetric[],
  right: cloudwatch.IMetric[] = [],
): cloudwatch.IWidget =>
  new cloudwatch.GraphWidget({ title, left, right, width: HALF, leftYAxis: { min: 0 } });
