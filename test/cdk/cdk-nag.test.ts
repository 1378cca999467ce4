/** The findings of cdk-nag's pack AwsSolutions in a crawler, and why each is accepted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import * as kms from 'aws-cdk-lib/aws-kms';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, expect, test } from 'vitest';
import { Crawler, type CrawlerProps } from '../../cdk/index.ts';
import { quickApp } from './synthesized.ts';

/** A rule, the constructs in which it is accepted, and why. */
type Accepted = readonly [rule: RegExp, path: RegExp, reason: string];

const ACCEPTED: readonly Accepted[] = [
  [
    /^AwsSolutions-S1$/,
    /^Archive\/Bucket\/Resource$/,
    'Server access logs need a second bucket and cost a request each; who wants them gives a bucket that has them (prop bucket).',
  ],
  [
    /^AwsSolutions-IAM5\[Resource::<\w+\.Arn>\/(?:warc|index|parts|items|item-tables|staged-items|skips|staged-changes|changes|exports|export-work)\/\*\]$/,
    /^Functions\/(?:Worker|Waker|Api|Compactor|Exporter)\/Role\/DefaultPolicy\/Resource$/,
    'Keys of objects are names of crawls and hosts, which are not known when the stack is deployed. The prefix limits them.',
  ],
  [
    /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>:\S+-(?:turns|backlog|links)-\*(?:\.fifo)?\]$/,
    /^Functions\/(?:Worker|Router|Waker)\/Role\/DefaultPolicy\/Resource$/,
    'All turn queues, their backlogs, or all link shards, of this crawler by their common name: 64 ARNs do not fit into an inline policy.',
  ],
  [
    /^AwsSolutions-IAM5\[(?:Action::kms:(?:GenerateDataKey|ReEncrypt)\*)\]$/,
    /^Functions\/\w+\/Role\/DefaultPolicy\/Resource$/,
    'How the CDK grants the use of one key: the two actions each have two forms.',
  ],
  [
    /^AwsSolutions-APIG2$/,
    /^Api\/Rest\/Resource$/,
    'The function api checks each request against the schema that the OpenAPI document is made of, and names what is wrong.',
  ],
  [
    /^AwsSolutions-APIG[16]$/,
    /^Api\/Rest\/DeploymentStage\.v1\/Resource$/,
    'API Gateway writes logs by a role for the whole account, which would outlive the stack. The function api logs each call.',
  ],
  [
    /^AwsSolutions-APIG3$/,
    /^Api\/Rest\/DeploymentStage\.v1\/Resource$/,
    'No request gets past API Gateway without IAM or a key, and all are throttled; a web ACL has a monthly fee.',
  ],
  [
    /^AwsSolutions-COG4$/,
    /^Api\/Rest\/Default\/(?:\{proxy\+\}\/)?ANY\/Resource$/,
    'Callers are programs and operators of the account: they sign by IAM, or send a key. There is no pool of users.',
  ],
  [
    /^AwsSolutions-APIG4$/,
    /^Api\/Rest\/Default\/(?:\{proxy\+\}\/)?ANY\/Resource$/,
    'With apiAuth key, API Gateway asks for the key: the rule knows authorizers only.',
  ],
  [
    /^AwsSolutions-IAM5\[Resource::\*\]$/,
    /^Functions\/\w+\/Role\/DefaultPolicy\/Resource$/,
    'Traces (tracing) and network interfaces (vpc): IAM limits neither to a resource.',
  ],
];

const folder = mkdtempSync(join(tmpdir(), 'strand-nag-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** `RULE at PATH`, the path within the construct. */
function findings(make: (stack: Stack) => CrawlerProps): readonly (readonly [rule: string, path: string])[] {
  const app = quickApp(mkdtempSync(join(folder, 'out-')));
  const stack = new Stack(app, 'Data');
  new Crawler(stack, 'News', make(stack));
  const within = (path: string) =>
    path.startsWith('Data/News/') ? path.slice('Data/News/'.length) : path.replace('Data/', '../');
  return new AwsSolutionsChecks()
    .validateScope(app)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath = '' }) => [ruleName, within(constructPath)] as const),
    )
    .filter(([, path]) => !/^\.\.\/(?:Key|Vpc)/.test(path));
}

const CRAWLERS: Readonly<Record<string, (stack: Stack) => CrawlerProps>> = {
  plain: () => ({}),
  'with everything': (stack) => ({
    linkShards: 2,
    turnQueues: 2,
    apiAuth: 'key',
    alarmEmail: 'a@b.org',
    tracing: true,
    catalog: true,
    vpc: new Vpc(stack, 'Vpc'),
    encryptionKey: new kms.Key(stack, 'Key', { enableKeyRotation: true }),
  }),
  'that goes with its data': () => ({ removalPolicy: RemovalPolicy.DESTROY }),
};

const found = Object.entries(CRAWLERS).map(([name, make]) => [name, findings(make)] as const);

test.each(found)('AwsSolutions finds nothing in a crawler %s but what is accepted', (_, all) => {
  const rest = all.filter(
    ([rule, path]) => !ACCEPTED.some(([rules, paths]) => rules.test(rule) && paths.test(path)),
  );
  expect(rest).toEqual([]);
});

test.each(ACCEPTED)('%s is still found in %s, and accepted: %s', (rules, paths) => {
  const all = found.flatMap(([, each]) => each);
  expect(all.some(([rule, path]) => rules.test(rule) && paths.test(path))).toBe(true);
});
