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
  const { name, message } = error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
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
    return `AWS does not accept the credentials${given} (${said}): check the keys, or choose others by AWS_PROFILE`;
  }
  if (DENIED.has(name)) {
    return `AWS denies it (${said}): ask for that permission, or use other credentials by AWS_PROFILE`;
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
  return isThrottle(error) ? `AWS has too much to do (${errorMessageOf(error)}): try again later` : undefined;
}

const errorMessageOf = ({ message }: Error): string => shorten(printable(message), 400);

/** The error and what it was caused by; of several at once, each. */
function causesOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const several = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...several, error.cause].flatMap((cause) => causesOf(cause, depth + 1))];
}
