import { Duration, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { StackOptions } from '../options.ts';
import type { FunctionName } from '../permissions.ts';
import type { Frontier } from './frontier.ts';
import { crawlMetric, FIVE_MINUTES, ofQueues } from './metrics.ts';

export interface AlarmsProps {
  readonly options: StackOptions;
  readonly frontier: Frontier;
  readonly functions: Readonly<Record<FunctionName, lambda.Function>>;
  /** The operator's, to which alarms are published. */
  readonly topic?: sns.ITopic | undefined;
}

/**
 * A parked host waits for up to 15 minutes; beyond an hour, there are too few workers, or none that gets on.
 */
const TURN_AGE = Duration.hours(1);
/** The router takes seconds; links in a shard wait for 5 minutes besides. */
const LINK_AGE = Duration.minutes(15);
/** The maximal number of metrics of one alarm (CloudWatch user guide, alarms on metric math). */
const ALARM_METRICS = 10;

/**
 * The events that need a person's attention. Missing data raises no alarm, except that of the waker, which runs each minute: a crawler at
 * rest reports nothing else.
 *
 * An alarm costs $0.10 a month for each metric that it looks at (list price, us-east-1), also while nothing
 * happens, so the waker checks what it can see itself: dead letters, errors, the cost of crawls. It announces
 * each such trouble once, and each day again, by the one metric `Attention` (`functions/stack-watch.ts`). And
 * there is no alarm for what another one reports: where the worker or the router fails, its messages grow
 * old, and in the end are dead; where the API fails, its caller gets an error; where the compactor fails,
 * files stay apart and nothing is lost. The dashboard shows each function's errors. All together look at 4
 * metrics, and one more for each further turn queue, ten of which share an alarm. Hosts are spread evenly
 * over link shards, so what ails the router there shows in the first one, too: one more metric for all.
 */
export class Alarms extends Construct {
  readonly all: cloudwatch.Alarm[] = [];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.watchQueues(props.frontier);
    this.watchWaker(props.functions.waker);
    this.watchAnnounced(props.options);
    if (props.topic !== undefined) this.publishTo(props.topic);
    if (props.options.alarmEmail !== undefined) this.mailTo(props.options.alarmEmail);
  }

  private watchQueues({ turns, linkQueue, linkShards }: Frontier): void {
    const ages = [
      ...inTens(turns.queues).map((queues, ten) => [`Turns${ten}Stuck`, queues, TURN_AGE] as const),
      ['LinksStuck', [linkQueue, ...linkShards.queues.slice(0, 1)], LINK_AGE] as const,
    ];
    for (const [id, queues, age] of ages) {
      this.add(id, {
        metric: ofQueues('MAX', queues, 'metricApproximateAgeOfOldestMessage'),
        threshold: age.toSeconds(),
        evaluationPeriods: 3,
        alarmDescription: `The oldest message has waited for more than ${age.toMinutes()} minutes: the function that takes them fails, or has too little concurrency.`,
      });
    }
  }

  /** Nobody misses it at once: hosts whose token was lost stay asleep, crawls never finish, and nothing is announced. */
  private watchWaker(waker: lambda.Function): void {
    this.add('WakerFails', {
      metric: waker.metricErrors({ period: FIVE_MINUTES }),
      threshold: 0,
      // The next run makes up for a single failure, but not for a lasting one.
      evaluationPeriods: 3,
      // Each run counts, also one without an error: without a number it does not run, as its rule is disabled, or all concurrency used up.
      treatMissingData: cloudwatch.TreatMissingData.BREACHING,
      alarmDescription: 'The function waker fails again and again (its log says why), or does not run.',
    });
  }

  /** It ends after 5 minutes, so that a trouble that lasts masks no other one. */
  private watchAnnounced({ stackName, maxCostPerHour }: StackOptions): void {
    this.add('Attention', {
      metric: crawlMetric(stackName, 'Attention'),
      threshold: 0,
      evaluationPeriods: 1,
      alarmDescription: `Dead letters, messages of a newer version, more than half of all requests failed, or crawls cost more than ${maxCostPerHour} dollars in an hour (maxCostPerHour). The dashboard and the log lines with a field "trouble" say which.`,
    });
  }

  private add(id: string, props: Omit<cloudwatch.AlarmProps, 'comparisonOperator'>) {
    this.all.push(
      new cloudwatch.Alarm(this, id, {
        treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
        ...props,
        comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
      }),
    );
  }

  private mailTo(address: string): void {
    const topic = new sns.Topic(this, 'Topic', { enforceSSL: true });
    // A topic with a policy has lost the one by which its own account may publish.
    topic.addToResourcePolicy(
      new iam.PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    topic.addSubscription(new EmailSubscription(address));
    this.publishTo(topic);
  }

  private publishTo(topic: sns.ITopic): void {
    for (const alarm of this.all) alarm.addAlarmAction(new SnsAction(topic));
  }
}

function inTens<T>(items: readonly T[]): T[][] {
  const tens: T[][] = [];
  for (let from = 0; from < items.length; from += ALARM_METRICS)
    tens.push(items.slice(from, from + ALARM_METRICS));
  return tens;
}
