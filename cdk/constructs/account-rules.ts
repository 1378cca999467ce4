import { Tags } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export interface AccountRules {
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** ARN of a managed policy. */
  readonly permissionsBoundary?: string | undefined;
}

/** Tags all resources below `scope`, and bounds all roles below it. */
export function followAccountRules(scope: Construct, { tags = {}, permissionsBoundary }: AccountRules): void {
  for (const [name, value] of Object.entries(tags)) Tags.of(scope).add(name, value);
  if (permissionsBoundary === undefined) return;
  const policy = iam.ManagedPolicy.fromManagedPolicyArn(scope, 'Boundary', permissionsBoundary);
  iam.PermissionsBoundary.of(scope).apply(policy);
}
