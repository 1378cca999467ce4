/** Translates errors of AWS, and errors before a call of AWS, into messages that name the remedy. */

import { printable, shorten } from '../../shared/core/text/printable.ts';
import { isThrottle } from '../../shared/engines/aws/retry.ts';
import { StackRefused, StackUnavailable } from './stack-errors.ts';

export interface AwsContext {
  /** Undefined where none is set. */
  readonly region?: string;
  /** Value of AWS_PROFILE. */
  readonly profile?: string;
}

/** Error names of services that do not know the key, or do not accept its signature. */
const UNKNOWN_KEYS: ReadonlySet<string> = new Set([
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);
const EXPIRED: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'TokenProviderError',
]);
const DENIED: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'UnauthorizedOperation',
]);
/** The SDK's names of errors without a code: S3 answers a HEAD without a body. */
const UNNAMED: ReadonlySet<string> = new Set(['403', 'Forbidden', 'Unknown', 'UnknownError']);
/** A table, a bucket, a queue. */
const GONE: ReadonlySet<string> = new Set([
  'NonExistentQueue',
  'NoSuchBucket',
  'QueueDoesNotExist',
  'ResourceNotFoundException',
]);
/** Error names of a region or a service that the account has not enabled. */
const NOT_ENABLED: ReadonlySet<string> = new Set(['OptInRequired', 'SubscriptionRequiredException']);
const IN_OTHER_REGION: ReadonlySet<string> = new Set(['AuthorizationHeaderMalformed', 'PermanentRedirect']);
/** SQS gives some of its errors names with this. */
const SQS_PREFIX = /^AWS\.SimpleQueueService\./;
/** Error codes of the network if nobody answers. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** The error as one that says what to do, or undefined where it is of another kind. */
export function awsRefusal(error: unknown, context: AwsContext): StackRefused | StackUnavailable | undefined {
  for (const cause of causesOf(error)) {
    const refusal = remedyOf(cause, context);
    if (refusal !== undefined) return new StackRefused(refusal, { cause: error });
    const failure = waitFor(cause);
    if (failure !== undefined) return new StackUnavailable(failure, { cause: error });
  }
  return undefined;
}

function remedyOf(error: Error, { region, profile }: AwsContext): string | undefined {
  const { message } = error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const name = error.name.replace(SQS_PREFIX, '');
  const said = errorMessageOf(error);
  const given = profile === undefined ? '' : ` for the profile ${printable(profile)}`;
  if (/^Region is missing/.test(message) || (/^Region not accepted/.test(message) && !region)) {
    return 'No AWS region is set: add --region REGION, or set AWS_REGION';
  }
  if (/^Region not accepted/.test(message)) {
    return `${printable(region ?? '')} is no AWS region: set --region or AWS_REGION to one such as us-east-1`;
  }
  if (name === 'CredentialsProviderError') {
    return (
      `No AWS credentials were found${given} (${said}): set AWS_PROFILE, or AWS_ACCESS_KEY_ID and ` +
      'AWS_SECRET_ACCESS_KEY, or run "aws configure" or "aws sso login"'
    );
  }
  if (EXPIRED.has(name)) {
    return `The AWS credentials${given} have expired (${said}): get new ones, such as by "aws sso login"`;
  }
  if (UNKNOWN_KEYS.has(name)) {
    return (
      `AWS does not accept the credentials${given} (${said}): check the keys, or choose others by AWS_PROFILE; ` +
      'the account may also have to enable the region first'
    );
  }
  if (DENIED.has(name) || (statusOf(error) === 403 && UNNAMED.has(name))) {
    return `AWS denies it (${said}): ask for that permission, or use other credentials by AWS_PROFILE`;
  }
  if (/^kms/i.test(name)) {
    return `AWS cannot use the key that encrypts the stack's data (${printable(name)}: ${said}): ask for the use of that key, and look whether it is enabled`;
  }
  if (GONE.has(name)) {
    return `A part of the stack is not there (${said}): was it deleted? Look at the stack in CloudFormation`;
  }
  if (NOT_ENABLED.has(name)) {
    return `The account has not enabled this region or service (${said}): enable it, or name another region (--region, AWS_REGION)`;
  }
  if (IN_OTHER_REGION.has(name)) {
    return `The bucket is in another region than the stack (${said}): deploy the stack with a bucket in its own region`;
  }
  if (name === 'InvalidObjectState') {
    return `A file of the bucket is in a storage class that is not read at once (${said}): restore it first`;
  }
  if (code === 'ENOTFOUND') {
    return `AWS cannot be found (${said}): is the region ${printable(region ?? '')} right (--region, AWS_REGION), and is there a network?`;
  }
  return undefined;
}

function waitFor(error: Error): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (UNREACHABLE.has(code)) {
    return `AWS cannot be reached (${errorMessageOf(error) || code}): check the network, and AWS_ENDPOINT_URL if it is set`;
  }
  if (isThrottle(error)) return `AWS has too much to do (${errorMessageOf(error)}): try again later`;
  return statusOf(error) >= 500
    ? `AWS fails (${printable(error.name)}: ${errorMessageOf(error)}): try again later`
    : undefined;
}

const statusOf = (error: Error): number =>
  (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;

const errorMessageOf = ({ message }: Error): string => shorten(printable(message), 400);

/** The error and what it was caused by; of several at once, each. */
function causesOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const several = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...several, error.cause].flatMap((cause) => causesOf(cause, depth + 1))];
}
