import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { OWN_EVENTS, PERMISSIONS, type Permissions } from '../permissions.ts';
import { keysOf, type Stores, statementsOf } from './grants.ts';

/** For exports of the archive, of items and of links left out, beyond what the functions `api` and `compactor` may. */
const EXPORTS: Permissions = {
  warc: ['s3:GetObject'],
  stagedItems: ['s3:GetObject'],
  items: ['s3:GetObject'],
};

/** For copies of whole crawls: permits the writes of workers, and reads of the queues' message counts. */
const COPIES: Permissions = {
  turnQueues: ['sqs:GetQueueAttributes'],
  linkQueue: ['sqs:GetQueueAttributes'],
  linkShards: ['sqs:GetQueueAttributes'],
  dueIndex: ['dynamodb:Query'],
  urlSeen: ['dynamodb:PutItem'],
  parts: ['s3:PutObject'],
  stagedItems: ['s3:PutObject'],
  items: ['s3:PutObject'],
};

/** For commands that change nothing: status, watch, lists, reports, exports. They are not added to what their crawls cost. */
const READS: Permissions = {
  crawlState: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:BatchGetItem'],
  urlSeen: ['dynamodb:GetItem', 'dynamodb:Query'],
  warc: ['s3:GetObject'],
  warcList: ['s3:ListBucket'],
  parts: ['s3:GetObject'],
  stagedItems: ['s3:GetObject'],
  items: ['s3:GetObject'],
  exports: ['s3:GetObject'],
  stateLists: ['s3:ListBucket'],
};

/** Creates a managed policy with all that the command line needs, and nothing on other resources. */
export function createOperatorPolicy(scope: Construct, stores: Stores): iam.ManagedPolicy {
  const { eventBus: _, ...compactor } = PERMISSIONS.compactor;
  const policy = createPolicy(scope, 'Operators', {
    description: 'For operators of the crawler: all that its command line needs',
    statements: [PERMISSIONS.api, compactor, EXPORTS, COPIES].flatMap((one) =>
      statementsOf(one, stores, OWN_EVENTS.api),
    ),
  });
  for (const key of keysOf(stores)) key.grantEncryptDecrypt(policy);
  return policy;
}

/** Creates a managed policy for people who look at crawls and their data, and change nothing. */
export function createReaderPolicy(scope: Construct, stores: Stores): iam.ManagedPolicy {
  const policy = createPolicy(scope, 'Readers', {
    description: 'For readers of the crawls: all commands that change nothing',
    statements: statementsOf(READS, stores),
  });
  for (const key of keysOf(stores)) key.grantDecrypt(policy);
  return policy;
}

function createPolicy(
  scope: Construct,
  id: string,
  { description, statements }: { readonly description: string; readonly statements: iam.PolicyStatement[] },
): iam.ManagedPolicy {
  const { stackId } = Stack.of(scope);
  const find = new iam.PolicyStatement({
    actions: ['cloudformation:DescribeStacks'],
    resources: [stackId],
  });
  return new iam.ManagedPolicy(scope, id, { description, statements: [find, ...statements] });
}
