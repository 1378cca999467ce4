import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { PERMISSIONS, type Permissions } from '../permissions.ts';
import { keysOf, type Stores, statementsOf } from './grants.ts';

/** For exports of the archive, of items and of links left out, beyond what the functions `api` and `compactor` may. */
const EXPORTS: Permissions = { warc: ['s3:GetObject'], items: ['s3:GetObject'] };

/** Creates a managed policy with all that the command line needs, and nothing on other resources. */
export function createOperatorPolicy(scope: Construct, stores: Stores): iam.ManagedPolicy {
  const { stackId } = Stack.of(scope);
  const policy = new iam.ManagedPolicy(scope, 'Operators', {
    description: 'For operators of the crawler: all that its command line needs',
    statements: [
      new iam.PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: [stackId] }),
      ...[PERMISSIONS.api, PERMISSIONS.compactor, EXPORTS].flatMap((one) => statementsOf(one, stores)),
    ],
  });
  for (const key of keysOf(stores)) key.grantEncryptDecrypt(policy);
  return policy;
}
