/** Reads secrets of a stack: parameters of the Systems Manager (SecureString), or by its reference a secret of the Secrets Manager. */

/** Beyond the SDK's three: all workers of a stack may start at once, and the service allows 40 calls a second. */
const MAX_ATTEMPTS = 8;

/**
 * Returns the value, decrypted. Throws the errors of the SDK, `ParameterNotFound` among them. The package is loaded by
 * stacks that have such a parameter. As it stands in a `try`, the functions can be bundled where it is not installed.
 */
export async function readSecretParameter(name: string): Promise<string> {
  try {
    const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
    const client = new SSMClient({ maxAttempts: MAX_ATTEMPTS });
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    client.destroy();
    return Parameter?.Value ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('The functions were bundled without @aws-sdk/client-ssm: install it, and deploy again', {
      cause: error,
    });
  }
}
