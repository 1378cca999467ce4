import { messageOf } from '../../core/base/error-message.ts';
import { type FailureCode, type FailureReason, reasonOf } from '../../core/outcome/failure-codes.ts';

/**
 * Why an exchange failed, with its code and a sentence. Thrown inside the fetcher only: it becomes a failed
 * outcome.
 */
export class KnownFailure extends Error {
  override name = 'KnownFailure';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export interface FailureLimits {
  readonly headersTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxHeaderBytes: number;
}

/** A failure in its three forms: the group it is counted by, what exactly it was, and one plain sentence. */
export interface DescribedFailure {
  readonly reason: FailureReason;
  readonly code: FailureCode;
  readonly message: string;
}

/** Returns the failure that ended an exchange before its response's header was complete. */
export function describeFailure(error: unknown, limits: FailureLimits): DescribedFailure {
  if (error instanceof KnownFailure) return described(error.code, error.message);
  const code = failureCodeOf(errorCode(error) ?? '', messageOf(error));
  return described(code, sentenceOf(code, error, limits));
}

/** The failure with its message on one line of at most 500 characters. */
export const described = (code: FailureCode, message: string): DescribedFailure => ({
  reason: reasonOf(code),
  code,
  message: message.replace(/\s+/g, ' ').trim().slice(0, 500),
});

/** The connection ended or broke; the bytes before were valid. */
export function isDisconnect(error: unknown): boolean {
  return reasonOf(failureCodeOf(errorCode(error) ?? '', messageOf(error))) === 'reset';
}

/**
 * No socket could be opened, as the process or the machine has no file descriptor left: nothing that the host
 * did.
 */
export function isOutOfFiles(error: unknown): boolean {
  const code = errorCode(error instanceof KnownFailure ? error.cause : error);
  return code === 'EMFILE' || code === 'ENFILE';
}

/** The error's code (`ECONNREFUSED`, `UND_ERR_SOCKET`, ...), or that of the first error it gathers. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? errorCode(error.errors[0]) : undefined;
}

/** A duration for people: `30 s`, `50 ms`. */
export const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;

function failureCodeOf(code: string, text: string): FailureCode {
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return 'noResponse';
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'headersTooLarge';
    case 'UND_ERR_ABORTED':
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return 'aborted';
    case 'UND_ERR_INVALID_ARG':
      return 'invalidRequest';
    case 'UND_ERR_SOCKET':
      // undici's words for a `101`, and for bytes that came before a request was sent.
      if (text === 'bad response' || text === 'bad upgrade') return 'malformedResponse';
      return 'emptyResponse';
    case 'ECONNRESET':
    case 'ECONNABORTED':
    case 'EPIPE':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'ENETRESET':
      return 'connectionReset';
    case 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED':
      // TLS 1.3: it comes with the first bytes after the handshake.
      return 'clientCertificateRequired';
    default:
      return /^(ERR_TLS|ERR_SSL|CERT_|EPROTO$)/.test(code) ? 'tlsHandshakeFailed' : 'malformedResponse';
  }
}

function sentenceOf(code: FailureCode, error: unknown, limits: FailureLimits): string {
  switch (code) {
    case 'noResponse':
      return `no response within ${durationText(limits.headersTimeoutMs)} of the request`;
    case 'headersTooLarge':
      return `the response's header is larger than ${limits.maxHeaderBytes} bytes`;
    case 'aborted':
      return 'the fetcher was closed';
    case 'emptyResponse':
      return 'the server closed the connection without a response';
    case 'connectionReset':
      return `the connection broke before the response came (${errorMessageOf(error)})`;
    case 'clientCertificateRequired':
      return 'the server requires a client certificate';
    case 'tlsHandshakeFailed':
      return `TLS failed (${errorMessageOf(error)})`;
    case 'invalidRequest':
      return `the request cannot be sent (${messageOf(error)})`;
    default:
      return `the response is not valid HTTP (${errorMessageOf(error)})`;
  }
}

/** The system's own words, with its code. */
export function errorMessageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'the connection was closed';
  const code = errorCode(error);
  return code === undefined || text.includes(code) ? text : `${code}: ${text}`;
}
