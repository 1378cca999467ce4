/** Options by which a stack follows the rules of an account: tags, boundaries, policies, network, storage. */
import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { expect, test } from 'vitest';
import { Crawler } from '../../cdk/index.ts';
import { PERMISSIONS } from '../../cdk/permissions.ts';
import { synthesized } from './synthesized.ts';

const BOUNDARY = 'arn:aws:iam::123456789012:policy/boundary';
const plain = synthesized();
const ruled = synthesized({
  tags: '{"team":"search","cost":"42"}',
  permissionsBoundary: BOUNDARY,
  removalPolicy: 'destroy',
  operatorPolicy: 'true',
  fixedAddress: 'true',
});

test('all roles have the boundary, also those that the CDK makes', () => {
  const roles = Object.values(ruled.resources('AWS::IAM::Role'));
  expect(roles.length).toBeGreaterThan(5);
  for (const { Properties } of roles) expect(Properties.PermissionsBoundary).toBe(BOUNDARY);
  for (const { Properties } of Object.values(plain.resources('AWS::IAM::Role')))
    expect(Properties).not.toHaveProperty('PermissionsBoundary');
});

test('functions, queues and the bucket have the tags', () => {
  for (const type of ['AWS::Lambda::Function', 'AWS::SQS::Queue', 'AWS::S3::Bucket']) {
    const own = Object.entries(ruled.resources(type)).filter(([id]) => !id.startsWith('Custom'));
    for (const [id, { Properties }] of own)
      expect([id, Properties.Tags]).toEqual([
        id,
        expect.arrayContaining([
          { Key: 'cost', Value: '42' },
          { Key: 'team', Value: 'search' },
        ]),
      ]);
  }
});

test('the stack has them, too, for what the CDK itself puts into it', () => {
  const { tags } = ruled.stack;
  expect(tags.tagValues()).toEqual({ team: 'search', cost: '42' });
});

test('the policy for operators has what the command line needs, and no wildcard resource', () => {
  expect(plain.resources('AWS::IAM::ManagedPolicy')).toEqual({});
  const { Properties } = ruled.one('AWS::IAM::ManagedPolicy', 'Operators');
  const statements: { Action: string | string[]; Resource: unknown }[] = Properties.PolicyDocument.Statement;
  const actions = new Set(statements.flatMap(({ Action }) => Action));
  const needed = [PERMISSIONS.api, PERMISSIONS.compactor].flatMap((one) => Object.values(one).flat());
  for (const action of ['cloudformation:DescribeStacks', 's3:GetObject', ...needed])
    expect(actions).toContain(action);
  const events = statements.filter(({ Action }) => Action === 'events:PutEvents');
  expect(events).toMatchObject([
    {
      Condition: {
        'ForAllValues:StringEquals': { 'events:source': 'strand.Strand', 'events:detail-type': 'exportMore' },
      },
    },
  ]);
  for (const { Resource } of statements) expect(Resource).not.toBe('*');
  expect(ruled.template.findOutputs('OperatorPolicyArn')).toHaveProperty('OperatorPolicyArn');
});

test('the policy for readers changes nothing', () => {
  const { Properties } = ruled.one('AWS::IAM::ManagedPolicy', 'Readers');
  const statements: { Action: string | string[]; Resource: unknown }[] = Properties.PolicyDocument.Statement;
  for (const action of statements.flatMap(({ Action }) => Action))
    expect(action).toMatch(
      /^(?:cloudformation:DescribeStacks|dynamodb:(?:GetItem|Query|BatchGetItem)|s3:(?:GetObject|ListBucket))$/,
    );
  for (const { Resource } of statements) expect(Resource).not.toBe('*');
  expect(ruled.template.findOutputs('ReaderPolicyArn')).toHaveProperty('ReaderPolicyArn');
});

test('the tables take as much as the deployer wants from their first moment on', () => {
  const tables = (given: Record<string, unknown>) =>
    Object.values(synthesized(given).resources('AWS::DynamoDB::GlobalTable')).map(
      ({ Properties }) => Properties.WarmThroughput,
    );
  expect(tables({})).toEqual([undefined, undefined]);
  const warm = { WriteUnitsPerSecond: 10_000 };
  expect(tables({ warmWriteUnits: '10000' })).toEqual([warm, warm]);
});

test('a budget of the account is mailed, and needs an address', () => {
  plain.template.resourceCountIs('AWS::Budgets::Budget', 0);
  const { Properties } = synthesized({ budgetUsd: '100', alarmEmail: 'a@example.org' }).one(
    'AWS::Budgets::Budget',
    'Budget',
  );
  expect(Properties.Budget).toEqual({
    BudgetType: 'COST',
    TimeUnit: 'MONTHLY',
    BudgetLimit: { Amount: 100, Unit: 'USD' },
  });
  const mails = Properties.NotificationsWithSubscribers as {
    Notification: object;
    Subscribers: object[];
  }[];
  expect(mails.map(({ Notification }) => Notification)).toMatchObject([
    { NotificationType: 'ACTUAL', Threshold: 80 },
    { NotificationType: 'FORECASTED', Threshold: 100 },
  ]);
  for (const { Subscribers } of mails)
    expect(Subscribers).toEqual([{ Address: 'a@example.org', SubscriptionType: 'EMAIL' }]);
  expect(() => synthesized({ budgetUsd: '100' })).toThrow('expected alarmEmail');
});

test('with a fixed address, all functions are in a VPC with one NAT gateway, and S3 and DynamoDB go past it', () => {
  ruled.template.resourceCountIs('AWS::EC2::NatGateway', 1);
  ruled.template.resourceCountIs('AWS::EC2::EIP', 1);
  ruled.template.resourceCountIs('AWS::EC2::VPCEndpoint', 2);
  expect(ruled.template.findOutputs('EgressAddress')).toHaveProperty('EgressAddress');
  const functions = Object.entries(ruled.resources('AWS::Lambda::Function')).filter(([id]) =>
    id.startsWith('Functions'),
  );
  expect(functions).toHaveLength(7);
  for (const [, { Properties }] of functions) expect(Properties.VpcConfig.SubnetIds).toHaveLength(2);
  plain.template.resourceCountIs('AWS::EC2::VPC', 0);
});

test('a fixed address is refused together with a VPC', () => {
  const stack = new Stack(new App(), 'S');
  const vpc = new Vpc(stack, 'Vpc');
  expect(() => new Crawler(stack, 'C', { vpc, fixedAddress: true })).toThrow('expected no vpc with it');
});

test('the archive, its tables and the items change their class and end; what crawls need does not', () => {
  const { Properties } = synthesized({ archiveClass: 'GLACIER_IR', archiveDays: '400' }).one(
    'AWS::S3::Bucket',
    'Archive',
  );
  const rules: { Prefix?: string; ExpirationInDays?: number; Transitions?: unknown }[] =
    Properties.LifecycleConfiguration.Rules;
  const ofArchive = rules.filter(({ Prefix }) => /^(?:warc|index|items)\/$/.test(Prefix ?? ''));
  expect(ofArchive).toHaveLength(3);
  for (const { ExpirationInDays, Transitions } of ofArchive) {
    expect(ExpirationInDays).toBe(400);
    expect(Transitions).toEqual([{ StorageClass: 'GLACIER_IR', TransitionInDays: 30 }]);
  }
  expect(rules.filter(({ Prefix }) => Prefix?.startsWith('parts'))).toEqual([]);
  const { LifecycleConfiguration } = plain.one('AWS::S3::Bucket', 'Archive').Properties;
  // Uploads that were not finished, staged items and staged changes.
  expect(LifecycleConfiguration.Rules).toHaveLength(4);
});

test('rules for a bucket of the user are refused: the crawler does not change it', () => {
  const stack = new Stack(new App(), 'S');
  const bucket = new Bucket(stack, 'Own');
  expect(() => new Crawler(stack, 'C', { bucket, archiveDays: 30 })).toThrow(
    'give that bucket lifecycle rules',
  );
});

test('point-in-time recovery is on where it is wanted', () => {
  const recoveries = Object.values(
    synthesized({ pointInTimeRecovery: 'true' }).resources('AWS::DynamoDB::GlobalTable'),
  );
  expect(recoveries).toHaveLength(2);
  for (const { Properties } of recoveries)
    expect(Properties.Replicas[0].PointInTimeRecoverySpecification).toMatchObject({
      PointInTimeRecoveryEnabled: true,
    });
});
