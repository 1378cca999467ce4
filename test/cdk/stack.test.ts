import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { type Resource, type Synthesized, synthesized } from './synthesized.ts';

const plain = synthesized();
const sharded = synthesized({ turnQueues: 3, maxConcurrency: 50, workerTimeout: 300, routerWindow: 0 });
const destroyable = synthesized({ removalPolicy: 'destroy' });

describe('the API', () => {
  const methods = (from: Synthesized) =>
    Object.values(from.resources('AWS::ApiGateway::Method')).map(({ Properties }) => Properties);

  test('is open to whom IAM allows', () => {
    expect(methods(plain)).toHaveLength(2);
    for (const method of methods(plain)) expect(method.AuthorizationType).toBe('AWS_IAM');
    plain.template.resourceCountIs('AWS::ApiGateway::ApiKey', 0);
  });

  test('or to whom has the key, within a plan', () => {
    const stack = synthesized({ apiAuth: 'key' });
    for (const method of methods(stack)) expect(method.ApiKeyRequired).toBe(true);
    stack.template.hasResourceProperties('AWS::ApiGateway::UsagePlan', {
      Throttle: { RateLimit: 20, BurstLimit: 40 },
    });
    stack.template.resourceCountIs('AWS::ApiGateway::UsagePlanKey', 1);
    expect(stack.template.findOutputs('ApiKeyId')).toHaveProperty('ApiKeyId');
  });

  test('is throttled, and leaves no role for the account', () => {
    plain.template.hasResourceProperties('AWS::ApiGateway::Stage', {
      StageName: 'v1',
      MethodSettings: [Match.objectLike({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 })],
    });
    plain.template.resourceCountIs('AWS::ApiGateway::Account', 0);
  });
});

describe('the whole stack', () => {
  test('is synthesized without a warning or an error', () => {
    for (const { annotations } of [
      plain,
      sharded,
      destroyable,
      synthesized({ apiAuth: 'key', alarmEmail: 'a@b.org' }),
    ]) {
      expect(annotations.findWarning('*', Match.anyValue())).toEqual([]);
      expect(annotations.findError('*', Match.anyValue())).toEqual([]);
    }
  });

  test('has no network of its own', () => {
    const types = Object.values(plain.template.toJSON().Resources as Record<string, Resource>);
    expect(types.filter(({ Type }) => Type.startsWith('AWS::EC2::'))).toEqual([]);
  });

  test('has room in a template of CloudFormation, which has 500 resources and 1 MB, for all queues there may be', () => {
    const { template } = synthesized({
      turnQueues: 64,
      linkShards: 64,
      maxConcurrency: 128,
      alarmEmail: 'a@b.org',
    });
    const all = template.toJSON();
    expect(Object.keys(all.Resources).length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(all, null, 1).length).toBeLessThan(900_000);
  });

  test('says what it is made of', () => {
    expect(Object.keys(plain.template.findOutputs('*')).sort()).toEqual([
      'ApiId',
      'ApiName',
      'ApiUrl',
      'Bucket',
      'CompactorName',
      'CrawlStateTable',
      'ExporterName',
      'LinkDeadLetterUrl',
      'RouterName',
      'SeedQueueUrl',
      'Settings',
      'SmallWorkerName',
      'SpendingLimit',
      'TurnDeadLetterUrl',
      'TurnQueueUrls',
      'UrlSeenTable',
      'WakerName',
      'WorkerName',
    ]);
  });

  test('has no names of its own but by its name, so that it may stand beside another', () => {
    const { Resources } = plain.template.toJSON();
    const names = ['QueueName', 'TableName', 'BucketName', 'FunctionName', 'RoleName', 'LogGroupName'];
    for (const { Properties } of Object.values(Resources as Record<string, Resource>)) {
      for (const name of names)
        if (typeof Properties?.[name] === 'string')
          expect(Properties[name]).toMatch(/^Strand-(?:turns|backlog)-\d\.fifo$/);
    }
  });
});
