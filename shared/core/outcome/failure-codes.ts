/**
 * Why an exchange failed, in the groups that totals and metrics count by. `blockedAddress`: the address
 * guard; `blockedPort`: a port that browsers refuse; `proxy`: the proxy, not the host, cannot be used;
 * `aborted`: by our own signal; `middleware`: the project's own code broke or took too long.
 */
export type FailureReason =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'headersTooLarge'
  | 'blockedAddress'
  | 'blockedPort'
  | 'proxy'
  | 'middleware'
  | 'aborted';

interface FailureTraits {
  /** The group that the code belongs to: totals and metrics count by it. */
  readonly reason: FailureReason;
  /** The connection failed, so no request was sent. */
  readonly isBeforeRequest?: true;
  /** A further try within minutes fails in the same way: the host is given up after this many. */
  readonly mostTries?: 1 | 2;
  /** The host's certificate is bad; without verifying it, the host can be fetched from. */
  readonly isOfCertificate?: true;
}

/** The failures of fetches, by code. The codes are stored and printed as data: never rename one. */
const TRAITS = {
  // ---- the name
  noSuchHost: { reason: 'dns', isBeforeRequest: true },
  nameServerFailure: { reason: 'dns', isBeforeRequest: true },
  nameServerTimeout: { reason: 'dns', isBeforeRequest: true },
  reservedName: { reason: 'dns', isBeforeRequest: true, mostTries: 1 },
  // ---- the connection
  connectionRefused: { reason: 'connect', isBeforeRequest: true },
  networkUnreachable: { reason: 'connect', isBeforeRequest: true },
  connectionFailed: { reason: 'connect', isBeforeRequest: true },
  connectTimeout: { reason: 'timeout', isBeforeRequest: true },
  blockedAddress: { reason: 'blockedAddress', isBeforeRequest: true },
  blockedPort: { reason: 'blockedPort', isBeforeRequest: true },
  // ---- the proxy
  proxyFailed: { reason: 'proxy', isBeforeRequest: true },
  proxyDenied: { reason: 'proxy', isBeforeRequest: true },
  hostNotReachedByProxy: { reason: 'connect', isBeforeRequest: true },
  hostRefusedByProxy: { reason: 'connect', isBeforeRequest: true, mostTries: 2 },
  // ---- TLS
  certificateExpired: { reason: 'tls', isBeforeRequest: true, mostTries: 2, isOfCertificate: true },
  certificateNotYetValid: { reason: 'tls', isBeforeRequest: true, mostTries: 2, isOfCertificate: true },
  certificateOtherHost: { reason: 'tls', isBeforeRequest: true, mostTries: 2, isOfCertificate: true },
  certificateSelfSigned: { reason: 'tls', isBeforeRequest: true, mostTries: 2, isOfCertificate: true },
  certificateUnknownIssuer: { reason: 'tls', isBeforeRequest: true, mostTries: 2, isOfCertificate: true },
  certificateInvalid: { reason: 'tls', isBeforeRequest: true, mostTries: 2, isOfCertificate: true },
  clientCertificateRequired: { reason: 'tls', mostTries: 2 },
  noTls: { reason: 'tls', isBeforeRequest: true, mostTries: 2 },
  oldTlsVersion: { reason: 'tls', isBeforeRequest: true, mostTries: 2 },
  tlsHandshakeFailed: { reason: 'tls', isBeforeRequest: true },
  tlsTimeout: { reason: 'timeout', isBeforeRequest: true },
  // ---- the exchange
  noResponse: { reason: 'timeout' },
  connectionReset: { reason: 'reset' },
  emptyResponse: { reason: 'reset' },
  tlsRequired: { reason: 'protocol', mostTries: 2 },
  http2Only: { reason: 'protocol', isBeforeRequest: true, mostTries: 2 },
  notHttp: { reason: 'protocol', mostTries: 2 },
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

/**
 * After how many tries in a row the host is given up; undefined where another try within minutes may be
 * better.
 */
export const mostTriesOf = ({ code }: { readonly code?: FailureCode | undefined }): number | undefined =>
  traitsOf(code)?.mostTries;

/** Whether the exchange failed before a request was sent. Without a code, its reason decides. */
export const isBeforeRequest = (failure: {
  readonly reason: FailureReason;
  readonly code?: FailureCode | undefined;
}): boolean =>
  failure.code === undefined
    ? ['dns', 'connect', 'tls', 'blockedAddress', 'blockedPort', 'proxy'].includes(failure.reason)
    : traitsOf(failure.code)?.isBeforeRequest === true;

type CertificateCode = {
  [Code in FailureCode]: (typeof TRAITS)[Code] extends { readonly isOfCertificate: true } ? Code : never;
}[FailureCode];

/** Whether only the host's certificate stood against the exchange. */
export const isCertificateFailure = (code: FailureCode | undefined): code is CertificateCode =>
  traitsOf(code)?.isOfCertificate === true;
