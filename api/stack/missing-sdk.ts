import { StackRefused } from './stack-errors.ts';

const PACKAGES = ['cloudformation', 'dynamodb', 'eventbridge', 'lambda', 's3', 'sqs', 'ssm'].map(
  (name) => `@aws-sdk/client-${name}`,
);

/**
 * Returns the message for the user if `error` says that the AWS SDK is not installed (the published package
 * has it as optional peers); undefined for any other error.
 */
export function missingSdk(error: unknown): StackRefused | undefined {
  const { code, message = '' } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes("'@aws-sdk/")) return undefined;
  return new StackRefused(
    `A stack needs the AWS SDK, which is not installed: npm install ${PACKAGES.join(' ')}`,
  );
}
