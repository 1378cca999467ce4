/**
 * Reads a parameter of the Systems Manager, or by its reference a secret of the Secrets Manager, decrypted. The SDK is loaded by
 * projects whose accounts have such a secret. As it stands in a `try`, functions can be bundled where it is not installed.
 */
export async function readParameter(name: string): Promise<string> {
  try {
    const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
    const client = new SSMClient({ maxAttempts: 8 });
    const { Parameter } = await client
      .send(new GetParameterCommand({ Name: name, WithDecryption: true }))
      .finally(() => client.destroy());
    return Parameter?.Value ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('Secrets of accounts in a parameter need the package @aws-sdk/client-ssm: install it', {
      cause: error,
    });
  }
}
