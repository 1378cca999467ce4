/** Reads secrets: parameters of the Systems Manager (SecureString), or by its reference a secret of the Secrets Manager. */

/** Beyond the SDK's three: all workers of a stack may start at once, and the service allows 40 calls a second. */
const MAX_ATTEMPTS = 8;
/** By default, the SDK waits for an answer for ever. */
const TIMES = { connectionTimeout: 3000, requestTimeout: 5000, throwOnRequestTimeout: true };

/**
 * Returns the value, decrypted. Throws the errors of the SDK, `ParameterNotFound` among them. The package is loaded where there is
 * such a parameter. As it stands in a `try`, functions can be bundled where it is not installed.
 */
export async function readParameter(name: string): Promise<string> {
  try {
    const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
    const client = new SSMClient({ maxAttempts: MAX_ATTEMPTS, requestHandler: TIMES });
    const { Parameter } = await client
      .send(new GetParameterCommand({ Name: name, WithDecryption: true }))
      .finally(() => client.destroy());
    return Parameter?.Value ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'Secrets in parameters need the package @aws-sdk/client-ssm: install it; a stack has to be deployed again then',
      { cause: error },
    );
  }
}
