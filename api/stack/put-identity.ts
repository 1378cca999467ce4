/** Gives a stack the identity by which it signs its requests. */
import { regionOf, type StackSettings } from '../../shared/engines/aws/settings.ts';
import { loadedSdk } from './loaded-sdk.ts';
import { StackRefused } from './stack-errors.ts';

/** A standard parameter holds no more, and costs nothing (Systems Manager quotas). */
const MAX_BYTES = 4096;

/**
 * Stores the identity (as JSON) in the stack's parameter, encrypted, replacing an existing one. Returns the
 * parameter's name. Throws {@link StackRefused} if the stack has none, and the errors of the SDK.
 */
export async function putIdentity(
  {
    identityParameter,
    stack,
    linkQueueUrl,
  }: Pick<StackSettings, 'identityParameter' | 'stack' | 'linkQueueUrl'>,
  document: object,
): Promise<string> {
  if (identityParameter === undefined)
    throw new StackRefused(
      `The stack ${stack} has no parameter for an identity: deploy it with the option identityParameter, such as ` +
        `-c identityParameter=/strand/${stack}/identity`,
    );
  const text = JSON.stringify(document);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new StackRefused(
      `The identity has ${Buffer.byteLength(text)} bytes, and a parameter holds ${MAX_BYTES}: identity rotate --at-once leaves one key`,
    );
  const { PutParameterCommand, SSMClient } = await loadedSdk(import('@aws-sdk/client-ssm'));
  const region = regionOf({ linkQueueUrl });
  const client = new SSMClient(region === undefined ? {} : { region });
  try {
    const Description = `Identity of ${stack}: the private keys that sign its requests`;
    await client.send(
      new PutParameterCommand({
        Name: identityParameter,
        Value: text,
        Type: 'SecureString',
        Overwrite: true,
        Description,
      }),
    );
    return identityParameter;
  } finally {
    client.destroy();
  }
}
