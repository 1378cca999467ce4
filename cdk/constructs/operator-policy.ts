import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { PERMISSIONS, type Permissions } from '../permissions.ts';
import { keysOf, type Stores, statementsOf } from './grants.ts';

/** For exports of the archive, of items and of links left out, beyond what the functions `api` and `compactor` may. */
const EXPORTS: Permissions = { warc: ['s3:GetObject'], items: ['s3:GetObject'] };

/** For copies of whole crawls: to write what workers write, and to see whether something is on its way. */
const COPIES: Permissions = {
  turnQueues: ['sqs:GetQueueAttributes'],
  linkQueue: ['sqs:GetQueueAttributes'],
  linkShards: ['sqs:GetQueueAttributes'],
  dueIndex: ['dynamodb:Query'],
  urlSeen: ['dynamodb:PutItem'],
  parts: ['s3:PutObject'],
  items: ['s3:PutObject'],
};

/** Creates a managed policy with all that the command line needs, and nothing on other resources. */
export function createOperatorPolicy(scope: Construct, stores: Stores): iam.ManagedPolicy {
  const { stackId } = Stack.of(scope);
  const policy = new iam.ManagedPolicy(scope, 'Operators', {
    description: 'For operators of the crawler: all that its command line needs',
    statements: [
      new iam.PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: [stackId] }),
      ...[PERMISSIONS.api, PERMISSIONS.compactor, EXPORTS, COPIES].flatMap((one) =>
        statementsOf(one, stores),
      ),
    ],
  });
  for (const key of keysOf(stores)) key.grantEncryptDecrypt(policy);
  return policy;
}
