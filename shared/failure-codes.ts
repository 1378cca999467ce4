import type { FailureReason } from './ports.ts';

interface FailureTraits {
  /** The group that the code belongs to: totals and metrics count by it. */
  readonly reason: FailureReason;
  /** The connection failed, so no request was sent. */
  readonly isBeforeRequest?: true;
  /** Another try within minutes gives the same: a person must change something at the server. */
  readonly isLasting?: true;
}

/** What exactly failed, by code. The codes are stored and printed as data: never rename one. */
const TRAITS = {
  // ---- the name
  noSuchHost: { reason: 'dns', isBeforeRequest: true },
  nameServerFailure: { reason: 'dns', isBeforeRequest: true },
  nameServerTimeout: { reason: 'dns', isBeforeRequest: true },
  // ---- the connection
  connectionRefused: { reason: 'connect', isBeforeRequest: true },
  networkUnreachable: { reason: 'connect', isBeforeRequest: true },
  connectionFailed: { reason: 'connect', isBeforeRequest: true },
  connectTimeout: { reason: 'timeout', isBeforeRequest: true },
  blockedAddress: { reason: 'blockedAddress', isBeforeRequest: true },
  // ---- TLS
  certificateExpired: { reason: 'tls', isBeforeRequest: true, isLasting: true },
  certificateNotYetValid: { reason: 'tls', isBeforeRequest: true, isLasting: true },
  certificateOtherHost: { reason: 'tls', isBeforeRequest: true, isLasting: true },
  certificateSelfSigned: { reason: 'tls', isBeforeRequest: true, isLasting: true },
  certificateUnknownIssuer: { reason: 'tls', isBeforeRequest: true, isLasting: true },
  certificateInvalid: { reason: 'tls', isBeforeRequest: true, isLasting: true },
  clientCertificateRequired: { reason: 'tls', isLasting: true },
  noTls: { reason: 'tls', isBeforeRequest: true, isLasting: true },
  oldTlsVersion: { reason: 'tls', isBeforeRequest: true, isLasting: true },
  tlsHandshakeFailed: { reason: 'tls', isBeforeRequest: true },
  tlsTimeout: { reason: 'timeout', isBeforeRequest: true },
  // ---- the exchange
  noResponse: { reason: 'timeout' },
  connectionReset: { reason: 'reset' },
  emptyResponse: { reason: 'reset' },
  tlsRequired: { reason: 'protocol', isLasting: true },
  notHttp: { reason: 'protocol', isLasting: true },
  malformedResponse: { reason: 'protocol' },
  ambiguousLength: { reason: 'protocol' },
  headersTooLarge: { reason: 'headersTooLarge' },
  // ---- ourselves
  invalidRequest: { reason: 'protocol', isBeforeRequest: true },
  middleware: { reason: 'middleware' },
  aborted: { reason: 'aborted' },
} as const satisfies Record<string, FailureTraits>;

/** Why an exchange failed, exactly. */
export type FailureCode = keyof typeof TRAITS;

/** All codes, for documents and tests. */
export const FAILURE_CODES = Object.keys(TRAITS) as readonly FailureCode[];

const traitsOf = (code: FailureCode | undefined): FailureTraits | undefined => code && TRAITS[code];

/** The group of reasons that `code` belongs to. */
export const reasonOf = (code: FailureCode): FailureReason => TRAITS[code].reason;

/** Whether another try within minutes gives the same. */
export const isLasting = ({ code }: { readonly code?: FailureCode | undefined }): boolean =>
  traitsOf(code)?.isLasting === true;

/** Whether the exchange failed before a request was sent. Without a code, its reason decides. */
export const isBeforeRequest = (failure: {
  readonly reason: FailureReason;
  readonly code?: FailureCode | undefined;
}): boolean =>
  failure.code === undefined
    ? ['dns', 'connect', 'tls', 'blockedAddress'].includes(failure.reason)
    : traitsOf(failure.code)?.isBeforeRequest === true;
