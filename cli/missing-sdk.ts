import { UsageError } from './usage-error.ts';

const PACKAGES = ['cloudformation', 'dynamodb', 's3', 'sqs', 'ssm'].map((name) => `@aws-sdk/client-${name}`);

/**
 * Returns the message for the user if `error` says that the AWS SDK is not installed (the published package
 * has it as optional peers); undefined for any other error.
 */
export function missingSdk(error: unknown): UsageError | undefined {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes("'@aws-sdk/")) return undefined;
  return new UsageError(
    `Commands with --stack need the AWS SDK, which is not installed: npm install ${PACKAGES.join(' ')}`,
  );
}
