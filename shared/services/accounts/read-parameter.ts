/**
 * Reads a parameter of the Systems Manager, or by its reference a secret of the Secrets Manager, decrypted. The SDK is loaded by
 * projects whose accounts have such a secret.
 */
export async function readParameter(name: string): Promise<string> {
  const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
  const client = new SSMClient({ maxAttempts: 8 });
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    return Parameter?.Value ?? '';
  } finally {
    client.destroy();
  }
}
