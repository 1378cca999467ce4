import { describe, expect, test } from 'vitest';
import { type Synthesized, synthesized } from './synthesized.ts';

const ALARM = 'AWS::CloudWatch::Alarm';
const plain = synthesized({ turnQueues: 2 });
const wide = synthesized({ turnQueues: 12, linkShards: 20 });
const mailing = synthesized({ alarmEmail: 'me@example.org', maxCostPerHour: 0.5 });

/** The name of the queue that a metric is about. */
const queueOf = (from: Synthesized, { MetricStat }: Watched): string | undefined =>
  from.resources('AWS::SQS::Queue')[MetricStat.Metric.Dimensions[0].Value['Fn::GetAtt'][0]]?.Properties
    .QueueName;

interface Watched {
  readonly Id: string;
  readonly MetricStat: {
    readonly Metric: { readonly Dimensions: [{ readonly Value: { readonly 'Fn::GetAtt': [string] } }] };
  };
}

describe('alarms', () => {
  test.each([
    ['AlarmsTurns0Stuck', 'ApproximateAgeOfOldestMessage', 3600, 'FrontierTurns0'],
    ['AlarmsLinksStuck', 'ApproximateAgeOfOldestMessage', 900, 'FrontierLinks'],
  ])('%s watches its queue', (id, metric, threshold, queue) => {
    const { Properties } = mailing.one(ALARM, id);
    expect(Properties).toMatchObject({ MetricName: metric, Threshold: threshold });
    expect(Properties.Dimensions[0].Value['Fn::GetAtt'][0]).toMatch(new RegExp(`^${queue}`));
  });

  test('each watches ten turn queues, of which the worst counts', () => {
    const watched = [0, 1].map((ten) => {
      const { Threshold, Metrics } = wide.one(ALARM, `AlarmsTurns${ten}Stuck`).Properties;
      const [{ Expression, ReturnData }, ...metrics] = Metrics;
      expect([Threshold, ReturnData ?? true]).toEqual([3600, true]);
      const ids = metrics.map(({ Id }: Watched) => `FILL(${Id}, 0)`);
      expect(Expression).toBe(`MAX([${ids.join(', ')}])`);
      return metrics.map((watched: Watched) => queueOf(wide, watched));
    });
    expect(watched.flat()).toEqual(Array.from({ length: 12 }, (_, n) => `Strand-turns-${n}.fifo`));
    expect(watched.map(({ length }) => length)).toEqual([10, 2]);
  });

  test('the one for links looks at the first link shard, too', () => {
    const [, ...metrics] = wide.one(ALARM, 'AlarmsLinksStuck').Properties.Metrics;
    const queues = metrics.map((watched: Watched) => queueOf(wide, watched));
    expect(queues).toEqual([undefined, 'Strand-links-0']);
  });

  test('there is one for the waker, which nobody else would miss', () => {
    const { Properties } = plain.one(ALARM, 'AlarmsWakerFails');
    expect(Properties).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Errors', Threshold: 0 });
    expect(Properties.Dimensions[0].Value.Ref).toMatch(/^FunctionsWakerFunction/);
    // It runs each minute, so there is no number only if it does not.
    expect(Properties.TreatMissingData).toBe('breaching');
  });

  test('look at 4 metrics, each of which is paid for, and one more for each further turn queue', () => {
    const metrics = (from: Synthesized) =>
      Object.values(from.resources(ALARM)).flatMap(
        ({ Properties: { Metrics } }) => Metrics?.filter((one: object) => 'MetricStat' in one) ?? ['its own'],
      ).length;
    expect(metrics(mailing)).toBe(4);
    expect(metrics(plain)).toBe(5);
    expect(metrics(wide)).toBe(4 + 11 + 1);
  });

  test('what the waker announces is one, whatever the trouble, and ends when the next one may be announced', () => {
    const { Properties } = mailing.one(ALARM, 'AlarmsAttention');
    expect(Properties).toMatchObject({
      Namespace: 'Strand',
      MetricName: 'Attention',
      Dimensions: [{ Name: 'stack', Value: 'Strand' }],
      Threshold: 0,
      Period: 300,
      EvaluationPeriods: 1,
      Statistic: 'Sum',
    });
    expect(Properties.AlarmDescription).toContain('0.5 dollars in an hour');
  });

  test('silence is none, but for the waker', () => {
    const alarms = Object.entries(plain.resources(ALARM));
    expect(alarms).toHaveLength(4);
    for (const [id, { Properties }] of alarms) {
      if (!id.startsWith('AlarmsWakerFails')) expect(Properties.TreatMissingData).toBe('notBreaching');
      expect(Properties.AlarmActions).toBeUndefined();
      expect(Properties.AlarmDescription).toMatch(/\.$/);
    }
  });

  test('go by mail where an address is given, which CloudWatch may do and plain HTTP may not', () => {
    const [[topic]] = Object.entries(mailing.resources('AWS::SNS::Topic')) as [[string, unknown]];
    for (const { Properties } of Object.values(mailing.resources(ALARM))) {
      expect(Properties.AlarmActions).toEqual([{ Ref: topic }]);
    }
    mailing.template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'me@example.org',
    });
    const { Statement } = mailing.one('AWS::SNS::TopicPolicy', 'Alarms').Properties.PolicyDocument;
    expect(Statement).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        expect.objectContaining({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    );
  });
});

describe('the dashboard', () => {
  test('shows speed, errors, hosts, queues, functions and cost', () => {
    const body = JSON.stringify(
      plain.one('AWS::CloudWatch::Dashboard', 'Dashboard').Properties.DashboardBody,
    );
    for (const title of [
      'Alarms',
      'Pages per second',
      'Bytes per second',
      'Errors by kind',
      'Hosts active; turns',
      'Messages waiting; dead letters',
      'Age of the oldest message, seconds',
      'Function errors and throttles',
      'Function duration, ms',
      'Cost per hour, US dollars',
      'Cost per million pages, US dollars',
      'Troubles announced',
    ]) {
      expect(body).toContain(title);
    }
  });

  test('has a line for each of few queues, and one for all of many', () => {
    const body = JSON.stringify(wide.one('AWS::CloudWatch::Dashboard', 'Dashboard').Properties.DashboardBody);
    for (const label of ['turns 0', 'turns 11', 'links', 'link shards', 'link shards, in work'])
      expect(body).toContain(`\\"label\\":\\"${label}\\"`);
    expect(body).not.toContain('link shards 0');
    expect(body).toMatch(/SUM\(\[FILL\(link_shards_sum_0, 0\), FILL\(link_shards_sum_1, 0\)/);
    expect(body).toContain('MAX([FILL(link_shards_max_0, 0)');
  });

  test('can be left out', () => {
    synthesized({ dashboard: false }).template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  });
});
