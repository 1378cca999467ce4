import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { parameterOf } from '../../shared/services/project/secret-reference.ts';
import type { StackOptions } from '../options.ts';

/** The secrets of a stack do not belong to it. Each but those of accounts has at most one ARN. */
export type SecretArns = Readonly<
  Record<
    | 'identity'
    | 'webhook'
    | 'webhookSecret'
    | 'secrets'
    | 'crawlSecrets'
    | 'accountParameters'
    | 'accountSecrets',
    readonly string[]
  >
>;

/** A parameter below this path is a secret of the Secrets Manager: the rest is its name (Systems Manager user guide). */
const REFERENCE = '/aws/reference/secretsmanager/';

export function secretArns(
  scope: Construct,
  { identityParameter, webhookParameter, secretsParameter }: StackOptions,
  accountSecrets: readonly string[] = [],
): SecretArns {
  const accountParameters = accountSecrets.flatMap((reference) => parameterOf(reference) ?? []);
  const stack = Stack.of(scope);
  const parameter = (name?: string) =>
    name === undefined
      ? []
      : [stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.replace(/^\//, '') })];
  /** The Secrets Manager adds six characters to the name. */
  const secret = (name?: string) =>
    name?.startsWith(REFERENCE)
      ? [
          stack.formatArn({
            service: 'secretsmanager',
            resource: 'secret',
            resourceName: `${name.slice(REFERENCE.length)}-??????`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ]
      : [];
  return {
    identity: parameter(identityParameter),
    webhook: parameter(webhookParameter),
    webhookSecret: secret(webhookParameter),
    secrets: parameter(secretsParameter),
    crawlSecrets: secret(secretsParameter),
    accountParameters: accountParameters.flatMap(parameter),
    accountSecrets: accountParameters.flatMap(secret),
  };
}
