import { messageOf } from '../error-message.ts';
import type { FailureReason } from '../ports.ts';

/** Why a connection was not made. Thrown inside the fetcher only: it becomes a failed outcome. */
export class ConnectFailure extends Error {
  override name = 'ConnectFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

export interface FailureLimits {
  readonly headersTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxHeaderBytes: number;
}

/** The reason and the line for people for what ended the exchange of `url` before its response's head was there. */
export function describeFailure(
  url: string,
  error: unknown,
  limits: FailureLimits,
): { reason: FailureReason; message: string } {
  if (error instanceof ConnectFailure)
    return { reason: error.reason, message: `${url}: ${oneLine(error.message)}` };
  const code = errorCode(error) ?? '';
  const text = messageOf(error);
  const reason = reasonOf(code, text);
  return { reason, message: `${url}: ${oneLine(explain(reason, code, text, limits))}` };
}

/** The connection ended or broke; nothing was wrong with what came over it. */
export function isDisconnect(error: unknown): boolean {
  return reasonOf(errorCode(error) ?? '', error instanceof Error ? error.message : '') === 'reset';
}

/** The error's code (`ECONNREFUSED`, `UND_ERR_SOCKET`, ...), or that of the first error it gathers. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? errorCode(error.errors[0]) : undefined;
}

function reasonOf(code: string, text: string): FailureReason {
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return 'timeout';
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'headersTooLarge';
    case 'UND_ERR_ABORTED':
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return 'aborted';
    case 'UND_ERR_SOCKET':
      // undici's words for a `101`, and for bytes that came before a request was sent.
      return text === 'bad response' || text === 'bad upgrade' ? 'protocol' : 'reset';
    case 'ECONNRESET':
    case 'ECONNABORTED':
    case 'EPIPE':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'ENETRESET':
      return 'reset';
    default:
      // Some TLS errors come with the first bytes after the handshake (TLS 1.3: a client certificate is wanted).
      return /^(ERR_TLS|ERR_SSL|CERT_|EPROTO$)/.test(code) ? 'tls' : 'protocol';
  }
}

function explain(reason: FailureReason, code: string, text: string, limits: FailureLimits): string {
  switch (reason) {
    case 'timeout':
      return `no response head within ${limits.headersTimeoutMs} ms of the request`;
    case 'headersTooLarge':
      return `the response's head is larger than ${limits.maxHeaderBytes} bytes`;
    case 'aborted':
      return 'the fetcher was closed';
    case 'reset':
      return `the connection ended before the response's head was there (${code}: ${text})`;
    default:
      return `expected an HTTP/1.1 response, got an error (${code === '' ? text : `${code}: ${text}`})`;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 500);
}
