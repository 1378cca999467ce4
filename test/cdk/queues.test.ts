import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { timesOf } from '../../shared/engines/aws/settings.ts';
import { MAX_START_DELAY_MS } from '../../shared/engines/aws/workers/start-message.ts';
import { functionOf, synthesized } from './synthesized.ts';

const QUEUE = 'AWS::SQS::Queue';
const MAPPING = 'AWS::Lambda::EventSourceMapping';

const plain = synthesized();
const wide = synthesized({ linkShards: 3 });
const sharded = synthesized({ turnQueues: 3, maxConcurrency: 50, workerTimeout: 300, routerWindow: 0 });

describe('the queues', () => {
  test('of hosts are FIFO, with limits for each group, and hide a message as long as a worker may live', () => {
    const { visibilityMs } = timesOf({ workerTimeoutMs: 300_000 });
    for (const shard of [0, 1, 2]) {
      expect(sharded.one(QUEUE, `FrontierTurns${shard}`).Properties).toMatchObject({
        FifoQueue: true,
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
        VisibilityTimeout: visibilityMs / 1000,
        MessageRetentionPeriod: 14 * 86_400,
        RedrivePolicy: { maxReceiveCount: 100 },
      });
    }
    expect(sharded.one(QUEUE, 'FrontierTurnDeadLetters').Properties.FifoQueue).toBe(true);
  });

  test('of hosts each have a backlog, which keeps messages as long', () => {
    for (const shard of [0, 1, 2]) {
      const { Properties } = sharded.one(QUEUE, `FrontierBacklog${shard}`);
      expect(Properties).toMatchObject({
        QueueName: `Strand-backlog-${shard}.fifo`,
        FifoQueue: true,
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
        MessageRetentionPeriod: 14 * 86_400,
        RedrivePolicy: sharded.one(QUEUE, `FrontierTurns${shard}`).Properties.RedrivePolicy,
      });
    }
  });

  test.each([60, 75, 600, 900])(
    'with %i seconds for a worker, a message that is given to it stays hidden',
    (workerTimeout) => {
      const stack = synthesized({ workerTimeout });
      const { VisibilityTimeout } = stack.one(QUEUE, 'FrontierTurns0').Properties;
      expect(VisibilityTimeout).toBeGreaterThanOrEqual(functionOf(stack, 'Worker').Properties.Timeout);
      expect(VisibilityTimeout).toBe(timesOf({ workerTimeoutMs: workerTimeout * 1000 }).visibilityMs / 1000);
    },
  );

  test('of starts hides a message as long as its worker may live, and forgets one that could not be served', () => {
    const { Properties } = sharded.one(QUEUE, 'FrontierStarts');
    const { visibilityMs } = timesOf({ workerTimeoutMs: 300_000 });
    expect(Properties).toMatchObject({
      VisibilityTimeout: visibilityMs / 1000,
      MessageRetentionPeriod: 900 + (2 * visibilityMs) / 1000,
    });
    expect(Properties.FifoQueue).toBeUndefined();
  });

  test.each([60, 600])(
    'of starts keeps a message for longer than it may be delayed (%i s)',
    (workerTimeout) => {
      const { Properties } = synthesized({ workerTimeout }).one(QUEUE, 'FrontierStarts');
      expect(Properties.MessageRetentionPeriod * 1000).toBeGreaterThan(MAX_START_DELAY_MS + 60_000);
    },
  );

  test('of links hides a batch for six time-outs of the router and the window', () => {
    for (const routerWindow of [0, 5, 300]) {
      const stack = synthesized({ routerWindow });
      const { VisibilityTimeout } = stack.one(QUEUE, 'FrontierLinks').Properties;
      expect(VisibilityTimeout).toBe(6 * functionOf(stack, 'Router').Properties.Timeout + routerWindow);
    }
  });

  test('of links to very many hosts are there where they are wanted, and gather for 5 minutes', () => {
    expect(Object.keys(plain.resources(QUEUE)).filter((id) => id.includes('LinkShard'))).toEqual([]);
    for (const shard of [0, 1, 2]) {
      const { Properties } = wide.one(QUEUE, `FrontierLinkShard${shard}`);
      expect(Properties).toMatchObject({
        QueueName: `Strand-links-${shard}`,
        VisibilityTimeout: 6 * functionOf(wide, 'Router').Properties.Timeout + 300,
        RedrivePolicy: wide.one(QUEUE, 'FrontierLinks').Properties.RedrivePolicy,
      });
      expect(Properties.FifoQueue).toBeUndefined();
    }
  });

  test('are encrypted, refuse plain HTTP, and each has dead letters but the dead', () => {
    const queues = Object.entries(sharded.resources(QUEUE));
    expect(queues).toHaveLength(10);
    const policies = Object.values(sharded.resources('AWS::SQS::QueuePolicy'));
    for (const [id, { Properties }] of queues) {
      expect(Properties.SqsManagedSseEnabled).toBe(true);
      expect(Properties.RedrivePolicy === undefined).toBe(id.includes('DeadLetters'));
      const policy = policies.find(({ Properties: { Queues } }) =>
        Queues.some(({ Ref }: { Ref: string }) => Ref === id),
      );
      expect(policy?.Properties.PolicyDocument.Statement).toMatchObject([
        { Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ]);
    }
  });
});

describe('what starts the functions', () => {
  test('one mapping starts workers, a message each, and none is of a turn queue', () => {
    for (const stack of [plain, sharded]) {
      const mappings = Object.entries(stack.resources(MAPPING)).filter(([id]) => id.includes('Worker'));
      expect(mappings).toHaveLength(1);
      const { Properties } = stack.one(MAPPING, 'FunctionsWorker');
      expect(Properties).toMatchObject({
        BatchSize: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 50 },
      });
      expect(Properties.EventSourceArn['Fn::GetAtt'][0]).toMatch(/^FrontierStarts/);
    }
  });

  test('links come in large batches over the window, and in small ones without', () => {
    expect(plain.one(MAPPING, 'FunctionsRouter').Properties).toMatchObject({
      BatchSize: 1000,
      MaximumBatchingWindowInSeconds: 5,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
    const { BatchSize, MaximumBatchingWindowInSeconds } = sharded.one(MAPPING, 'FunctionsRouter').Properties;
    expect([BatchSize, MaximumBatchingWindowInSeconds]).toEqual([10, undefined]);
  });

  test('the router reads each link shard, two at once at most, in batches as large as may be', () => {
    const mappings = Object.entries(wide.resources(MAPPING)).filter(([id]) => id.includes('LinkShard'));
    const sources = mappings.map(([id, { Properties }]) => {
      expect(id).toMatch(/^FunctionsRouterFunction/);
      expect(Properties).toMatchObject({
        BatchSize: 1000,
        MaximumBatchingWindowInSeconds: 300,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 2 },
      });
      return wide.resources(QUEUE)[Properties.EventSourceArn['Fn::GetAtt'][0]]?.Properties.QueueName;
    });
    expect(sources.toSorted()).toEqual(['Strand-links-0', 'Strand-links-1', 'Strand-links-2']);
  });

  test('the waker runs each minute, the compactor and the exporter each hour, and none is tried again', () => {
    for (const [rate, id] of [
      ['rate(1 minute)', 'FunctionsWakerFunction'],
      ['rate(1 hour)', 'FunctionsCompactorFunction'],
      ['rate(1 hour)', 'FunctionsExporterFunction'],
    ]) {
      plain.template.hasResourceProperties('AWS::Events::Rule', {
        ScheduleExpression: rate,
        State: 'ENABLED',
        Targets: [
          Match.objectLike({
            Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${id}`), 'Arn'] },
            RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
          }),
        ],
      });
    }
    plain.template.resourcePropertiesCountIs(
      'AWS::Lambda::EventInvokeConfig',
      { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
      // The fourth is the small worker, which events start.
      4,
    );
  });

  test('the compactor, the exporter and the small worker run at once by events of their own stack', () => {
    for (const [type, id] of [
      ['compactMore', 'FunctionsCompactorFunction'],
      ['exportMore', 'FunctionsExporterFunction'],
      ['startSmallWorker', 'FunctionsSmallWorkerFunction'],
    ])
      plain.template.hasResourceProperties('AWS::Events::Rule', {
        EventPattern: { source: ['strand.Strand'], 'detail-type': [type] },
        Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${id}`), 'Arn'] } })],
      });
  });
});
