/** The construct as apps of others use it: without this repository's context, beside others of its kind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Aws, Duration, NestedStack, RemovalPolicy, Stack, Stage } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as sns from 'aws-cdk-lib/aws-sns';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import { Crawler, type CrawlerProps, CrawlerStack } from '../../cdk/index.ts';
import { optionsOf, parseOptions, type StackOptions } from '../../cdk/options.ts';
import { quickApp, type Resource, settingsIn, synthesized } from './synthesized.ts';

const folder = mkdtempSync(join(tmpdir(), 'strand-construct-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KEYS = 'arn:aws:kms:us-east-1:123456789012:key';

const newApp = () => quickApp(mkdtempSync(join(folder, 'out-')));

const ofType = (template: Template, type: string) =>
  Object.entries(template.findResources(type) as Record<string, Resource>);
const queueNames = (template: Template) =>
  ofType(template, 'AWS::SQS::Queue').flatMap(([, { Properties }]) => Properties?.QueueName ?? []);

/** An app's stack with one crawler. */
function withCrawler(make: (stack: Stack) => CrawlerProps = () => ({})) {
  const stack = new Stack(newApp(), 'Data');
  const crawler = new Crawler(stack, 'News', make(stack));
  return { stack, crawler, template: () => Template.fromStack(stack) };
}

describe('an upgrade', () => {
  test('replaces no table, bucket, queue or API of a stack that was deployed before there was a construct', () => {
    const { template } = synthesized({ linkShards: 1, alarmEmail: 'a@b.org', apiAuth: 'key' });
    const kept = Object.entries(template.toJSON().Resources as Record<string, Resource>)
      .filter(([, { Type }]) => /DynamoDB|S3|SQS::Queue$|SNS::Topic$|ApiKey$|RestApi$|LogGroup/.test(Type))
      .map(([id]) => id);
    expect(kept.sort()).toEqual([
      'AlarmsTopic3A2DFEBA',
      'ApiRest4DEC74FE',
      'ApiRestKey89BAA58B',
      'ArchiveBucket49F1AC64',
      'ArchiveBucketPolicy13E3D5ED',
      'FrontierBacklog08D8863D9',
      'FrontierLinkDeadLetters3A375249',
      'FrontierLinkShard07EB9396D',
      'FrontierLinks439AF9F6',
      // New to a stack that was deployed before workers were started by messages.
      'FrontierStarts44BE8296',
      'FrontierTurnDeadLettersAB578512',
      'FrontierTurns0594A2FE9',
      'FunctionsApiLog97784263',
      'FunctionsCompactorLogFB56939C',
      // New to a stack that was deployed before stacks made exports.
      'FunctionsExporterLogC9B975A4',
      'FunctionsRouterLogAAE7736E',
      'FunctionsWakerLog0D111826',
      'FunctionsWorkerLog9363E06C',
      'StateCrawlState45EFCAAE',
      'StateUrlSeen77396ADC',
    ]);
    expect(queueNames(template).sort()).toEqual([
      'Strand-backlog-0.fifo',
      'Strand-links-0',
      'Strand-turns-0.fifo',
    ]);
  });
});

describe('two crawlers', () => {
  test('in one stack share no name and no output', () => {
    const stack = new Stack(newApp(), 'Data');
    const news = new Crawler(stack, 'News', { parameterName: '/strand/news' });
    const shop = new Crawler(stack, 'Shop', { linkShards: 1, removalPolicy: RemovalPolicy.DESTROY });
    const template = Template.fromStack(stack);
    expect(news.name).not.toBe(shop.name);
    expect(queueNames(template).sort()).toEqual(
      [
        ...[news, shop].flatMap(({ name }) => [`${name}-turns-0.fifo`, `${name}-backlog-0.fifo`]),
        `${shop.name}-links-0`,
      ].sort(),
    );
    const outputs = Object.values(template.findOutputs('*', {})).map(({ Description }) => Description);
    expect(outputs).toEqual(
      expect.arrayContaining(['News', 'Shop'].map((id) => `Settings of the Strand crawler Data/${id}`)),
    );
    template.hasResourceProperties('AWS::SSM::Parameter', { Name: '/strand/news' });
    expect(Annotations.fromStack(stack).findError('*', Match.anyValue())).toEqual([]);
  });

  test('in two stacks, a stage or a nested stack have names of their own, within 64 characters', () => {
    const app = newApp();
    const long = 'L'.repeat(100);
    const names = [
      new Crawler(new Stack(app, 'A'), 'Crawler'),
      new Crawler(new Stack(app, 'B'), 'Crawler'),
      new Crawler(new Stack(new Stage(app, 'Prod'), 'A'), 'Crawler'),
      new Crawler(new NestedStack(new Stack(app, 'Outer'), 'A'), 'Crawler'),
      new Crawler(new Stack(app, long), 'Crawler'),
      new Crawler(new Stack(app, `${long}2`), 'Crawler'),
    ].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9-]{0,63}$/);
  });

  test('cannot share a bucket, whose keys they would mix', () => {
    const stack = new Stack(newApp(), 'Data');
    const bucket = new s3.Bucket(stack, 'Own');
    new Crawler(stack, 'News', { bucket });
    expect(() => new Crawler(stack, 'Shop', { bucket })).toThrow(
      'Option bucket of Data/Shop: the crawler Data/News uses this bucket; give each crawler its own',
    );
  });
});

describe('resources of somebody’s own', () => {
  test('a bucket is used as it is', () => {
    const { crawler, template } = withCrawler((stack) => ({
      bucket: s3.Bucket.fromBucketName(stack, 'Own', 'their-bucket'),
      removalPolicy: RemovalPolicy.DESTROY,
    }));
    template().resourceCountIs('AWS::S3::Bucket', 0);
    template().resourceCountIs('Custom::S3AutoDeleteObjects', 0);
    const [settings] = Object.values(template().findOutputs('*'));
    expect(settingsIn(settings?.Value)).toMatchObject({ bucket: 'their-bucket', stack: crawler.name });
  });

  test('a key encrypts bucket, tables and queues, and each function may use it', () => {
    const { template } = withCrawler((stack) => ({
      encryptionKey: new kms.Key(stack, 'Key'),
      linkShards: 1,
    }));
    const [[, bucket]] = ofType(template(), 'AWS::S3::Bucket') as [[string, Resource]];
    expect(JSON.stringify(bucket.Properties.BucketEncryption)).toContain('aws:kms');
    for (const [, { Properties }] of ofType(template(), 'AWS::DynamoDB::GlobalTable'))
      expect(Properties).toMatchObject({
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
        Replicas: [{ SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': ['Key961B73FD', 'Arn'] } } }],
      });
    for (const [, { Properties }] of ofType(template(), 'AWS::SQS::Queue'))
      expect(Properties.KmsMasterKeyId).toBeDefined();
    const users = ofType(template(), 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy).includes('kms:GenerateDataKey*'),
    );
    expect(users).toHaveLength(6);
  });

  test('the key of a bucket may be used, too', () => {
    const { template } = withCrawler((stack) => ({
      bucket: new s3.Bucket(stack, 'Own', { encryption: s3.BucketEncryption.KMS }),
    }));
    const users = ofType(template(), 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy).includes('kms:Decrypt'),
    );
    expect(users).toHaveLength(6);
  });

  test('and those of tables', () => {
    const { template } = withCrawler((stack) => {
      const table = (tableName: string) =>
        dynamodb.TableV2.fromTableAttributes(stack, tableName, {
          tableName,
          encryptionKey: kms.Key.fromKeyArn(stack, `${tableName}Key`, `${KEYS}/${tableName}`),
        });
      return {
        bucket: s3.Bucket.fromBucketName(stack, 'Own', 'their-bucket'),
        tables: { crawlState: table('state'), urlSeen: table('seen') },
      };
    });
    for (const name of ['state', 'seen']) {
      const users = ofType(template(), 'AWS::IAM::Policy').filter(([, policy]) =>
        JSON.stringify(policy).includes(`${KEYS}/${name}`),
      );
      expect(users).toHaveLength(6);
    }
  });

  test('a bucket of another region is refused', () => {
    const stack = new Stack(newApp(), 'Data', { env: { region: 'eu-west-1', account: '123456789012' } });
    const bucket = s3.Bucket.fromBucketAttributes(stack, 'Own', {
      bucketName: 'theirs',
      region: 'us-east-1',
    });
    expect(() => new Crawler(stack, 'News', { bucket })).toThrow(
      "Option bucket: expected a bucket in the stack's region, eu-west-1, got one in us-east-1",
    );
    const near = s3.Bucket.fromBucketAttributes(stack, 'Near', { bucketName: 'near', region: 'eu-west-1' });
    expect(new Crawler(stack, 'Shop', { bucket: near }).bucket).toBe(near);
  });

  test('alarms go to the topic, and to the mail address', () => {
    const { template } = withCrawler((stack) => ({
      alarmTopic: sns.Topic.fromTopicArn(stack, 'Topic', `arn:aws:sns:us-east-1:${Aws.ACCOUNT_ID}:theirs`),
      alarmEmail: 'a@b.org',
    }));
    for (const [, { Properties }] of ofType(template(), 'AWS::CloudWatch::Alarm'))
      expect(Properties.AlarmActions).toHaveLength(2);
  });

  test('the functions run in the VPC, and may make its network interfaces', () => {
    const { template } = withCrawler((stack) => {
      const vpc = new ec2.Vpc(stack, 'Vpc', { natGateways: 1 });
      return { vpc, securityGroups: [new ec2.SecurityGroup(stack, 'Group', { vpc })] };
    });
    const inVpc = ofType(template(), 'AWS::Lambda::Function').filter(
      ([, { Properties }]) => Properties.VpcConfig,
    );
    expect(inVpc).toHaveLength(7);
    template().resourceCountIs('AWS::EC2::SecurityGroup', 1);
    const roles = ofType(template(), 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy).includes('ec2:CreateNetworkInterface'),
    );
    expect(roles).toHaveLength(6);
  });
});

describe('what others may do', () => {
  const statements = (grant: (crawler: Crawler, role: iam.Role) => void) => {
    const { stack, crawler, template } = withCrawler((stack) => ({
      encryptionKey: new kms.Key(stack, 'Key'),
      catalog: true,
    }));
    const role = new iam.Role(stack, 'Theirs', { assumedBy: new iam.AccountRootPrincipal() });
    grant(crawler, role);
    const [[, policy]] = ofType(template(), 'AWS::IAM::Policy').filter(([id]) => id.startsWith('Theirs')) as [
      [string, Resource],
    ];
    return (
      policy.Properties.PolicyDocument.Statement as { Action: string | string[]; Resource: unknown }[]
    ).map(({ Action, Resource }) => [[Action].flat(), JSON.stringify(Resource)] as const);
  };

  test('is to send seeds, with the key of the queue', () => {
    const [send, key] = statements((crawler, role) => crawler.grantSeed(role));
    expect(send?.[0]).toContain('sqs:SendMessage');
    expect(send?.[1]).toMatch(/NewsFrontierLinks/);
    expect(key?.[0]).toContain('kms:GenerateDataKey*');
  });

  test('is to read the archive, and nothing else of the bucket', () => {
    const given = statements((crawler, role) => crawler.grantReadArchive(role));
    expect(given.flatMap(([actions]) => actions).sort()).toEqual([
      'kms:Decrypt',
      's3:GetObject',
      's3:ListBucket',
    ]);
    expect(given.find(([actions]) => actions.includes('s3:GetObject'))?.[1]).toMatch(
      /^[^/]+\/warc\/\*"\]\]\}[^/]+\/index\/\*"\]\]\}\]$/,
    );
  });

  test('is to ask the catalog, and to read what its tables are about', () => {
    const given = statements((crawler, role) => crawler.catalog!.grantQueries(role));
    const reads = given.find(([actions]) => actions.includes('s3:GetObject'))?.[1];
    expect(reads?.match(/"\/[\w-]+\/\*"/g)).toEqual([
      '"/index/*"',
      '"/items/*"',
      '"/item-tables/*"',
      '"/exports/*"',
      '"/query-results/*"',
    ]);
    const writes = given.find(([actions]) => actions.includes('s3:PutObject'))?.[1];
    expect(writes?.match(/"\/[\w-]+\/\*"/g)).toEqual(['"/query-results/*"']);
    expect(given.find(([actions]) => actions.includes('athena:StartQueryExecution'))?.[1]).toMatch(
      /:workgroup\//,
    );
  });

  test('is to watch the metrics of the crawls', () => {
    const { crawler, stack } = withCrawler();
    const metric = crawler.metric('Pages', { period: Duration.hours(1) });
    expect(stack.resolve(metric.toMetricConfig().metricStat)).toMatchObject({
      namespace: 'Strand',
      metricName: 'Pages',
      statistic: 'Sum',
      dimensions: [{ name: 'stack', value: crawler.name }],
    });
    expect(metric.period.toHours()).toBe(1);
  });
});

describe('props', () => {
  type Resources = 'adopt' | 'kmsKey';
  type Option = Exclude<keyof StackOptions, 'stackName' | Resources> | 'name';
  type Other =
    | keyof import('../../cdk/index.ts').ExistingResources
    | 'crawl'
    | 'configFile'
    | 'accountSecrets';

  test('are the options of a stack, all of them, and resources', () => {
    expectTypeOf<keyof CrawlerProps>().toEqualTypeOf<Option | Other>();
    const { stackName, ...props } = parseOptions({ alarmEmail: 'a@b.org', parameterName: '/strand/news' });
    expect(optionsOf(stackName, props)).toEqual({ stackName, ...props });
  });

  test('may have the own types of the CDK', () => {
    const props: CrawlerProps = {
      workerTimeout: Duration.minutes(5),
      routerWindow: Duration.seconds(2),
      minDelay: Duration.millis(250),
      minIpDelay: Duration.millis(100),
      removalPolicy: RemovalPolicy.DESTROY,
      logRetentionDays: RetentionDays.TWO_WEEKS,
    };
    expect(optionsOf('News', props)).toMatchObject({
      workerTimeout: 300,
      routerWindow: 2,
      minDelay: 0.25,
      minIpDelay: 0.1,
      removalPolicy: 'destroy',
      logRetentionDays: 14,
    });
    const given = { ...props, colour: 1 } as CrawlerProps;
    expect(() => optionsOf('News', given)).toThrow('There is no option colour');
  });

  test.each<[CrawlerProps, string]>([
    [
      { workerTimeout: Duration.hours(1) },
      'Option workerTimeout: expected a whole number of seconds from 60',
    ],
    [{ name: '1st' }, 'Option stackName: expected a letter'],
    [{ parameterName: 'strand' }, 'Option parameterName: expected a path such as /strand/news'],
    [{ crawl: { delayMs: -1 } }, 'Expected crawl.delayMs >= 0, got -1'],
    [{ crawl: { maxPagess: 5 } as never }, 'Unknown key maxPagess in crawl; did you mean maxPages?'],
    [{ crawl: null as never }, 'Expected crawl to be of type object, got null'],
    [{ crawl: { headers: null as never } }, 'Expected crawl.headers to be of type record'],
    [{ crawl: { proxies: [null as never] } }, 'Expected crawl.proxies.0 to be of type object'],
    [{ crawl: { proxies: 'http://proxy' as never } }, 'Expected crawl.proxies to be of type array'],
    [{ webhookParameter: 'webhook' }, 'Option webhookParameter: expected a path such as /strand/webhook'],
    [{ identityParameter: 'identity' }, 'Option identityParameter: expected a path such as /strand/identity'],
    [
      { identityParameter: '/aws/reference/secretsmanager/identity' },
      'Option identityParameter: expected a path such as /strand/identity',
    ],
    [{ crawl: { identity: { key: 'a.json' } } }, 'set the option identityParameter'],
    [{ hostsPerWorker: 0 }, 'Option hostsPerWorker'],
  ])('%j cannot be used, and the message says why', (props, message) => {
    expect(() => withCrawler(() => props)).toThrow(message);
  });

  test('leave the identity of a project to the stack, whose settings have no key', () => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'hidden' };
    const crawl = { identity: { agent: 'https://crawler.example.org', key } };
    const text = JSON.stringify(
      withCrawler(() => ({ identityParameter: '/strand/identity', crawl }))
        .template()
        .toJSON(),
    );
    expect(text).not.toContain('hidden');
    expect(text).toContain('/strand/identity');
  });

  test('work in an app without any context, in a region of its own', () => {
    const stack = new CrawlerStack(newApp(), 'Theirs', { name: 'Theirs' });
    expect(queueNames(Template.fromStack(stack))).toEqual(['Theirs-turns-0.fifo', 'Theirs-backlog-0.fifo']);
  });
});
