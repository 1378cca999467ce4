/** Why a TLS handshake failed, or its certificate was refused, in words. */
import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { messageOf } from '../../core/base/error-message.ts';
import { errorCode, errorMessageOf, KnownFailure } from './failure.ts';

/** Names of a certificate that stand in a message. */
const MAX_NAMES = 3;

/** `error` ended the handshake with `where` (`example.org:443`). */
export function describeHandshake(where: string, error: unknown): KnownFailure {
  const code = errorCode(error) ?? '';
  const failure = (name: KnownFailure['code'], message: string) => new KnownFailure(name, message, error);
  switch (code) {
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'ERR_SSL_HTTP_REQUEST':
    case 'ERR_SSL_UNEXPECTED_MESSAGE':
      return failure('noTls', `${where} does not speak TLS; try http://`);
    case 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION':
    case 'ERR_SSL_UNSUPPORTED_PROTOCOL':
    case 'ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY':
      return failure('oldTlsVersion', `${where} offers only versions of TLS before 1.2, which are not safe`);
    case 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL':
      return failure('http2Only', `${where} speaks HTTP/2 alone, and Strand speaks HTTP/1.1`);
    case 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED':
      return failure('clientCertificateRequired', `${where} requires a client certificate`);
    case 'ECONNRESET':
    case '':
      return failure('tlsHandshakeFailed', `${where} closed the connection during the TLS handshake`);
    default:
      return failure('tlsHandshakeFailed', `the TLS handshake with ${where} failed (${reasonText(error)})`);
  }
}

/**
 * The certificate of `hostname` was refused by `error`: OpenSSL's code for the chain (`CERT_HAS_EXPIRED`), or
 * Node's for the name.
 */
export function describeCertificate(
  hostname: string,
  error: unknown,
  certificate: PeerCertificate | undefined,
): KnownFailure {
  const code = typeof error === 'string' ? error : (errorCode(error) ?? messageOf(error));
  const its = `the certificate of ${hostname}`;
  const failure = (name: KnownFailure['code'], message: string) => new KnownFailure(name, message, error);
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return failure('certificateExpired', `${its} expired on ${dayText(certificate?.valid_to)}`);
    case 'CERT_NOT_YET_VALID':
      return failure(
        'certificateNotYetValid',
        `${its} is not valid before ${dayText(certificate?.valid_from)}`,
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return failure('certificateOtherHost', `${its} is for ${namesText(certificate)}, not for this host`);
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return failure('certificateSelfSigned', `${its} is self-signed`);
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return failure(
        'certificateUnknownIssuer',
        `${its} is by an authority that is not trusted (--ca trusts it)`,
      );
    default:
      if (lacksIssuer(code))
        return failure(
          'certificateUnknownIssuer',
          `the issuer of ${its} is unknown: the server does not send the certificate of the issuer, or the authority is not trusted (--ca adds it)`,
        );
      return failure('certificateInvalid', `${its} is not valid (${code === 'UNSPECIFIED' ? WEAK : code})`);
  }
}

/** OpenSSL's codes for these have no names in Node. */
const WEAK = 'probably its key or a signature is too weak';

const LACKING: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Whether the chain of certificates ended before a trusted authority, by OpenSSL's code. */
export const lacksIssuer = (code: unknown): boolean => LACKING.has(code);

/** `2025-01-01` for `Jan  1 00:00:00 2025 GMT`. */
function dayText(text: string | undefined): string {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? 'an unknown day' : new Date(time).toISOString().slice(0, 10);
}

/**
 * The names that the certificate is for. A server may write anything there: texts that are neither host names nor
 * addresses are left out.
 */
function namesText(certificate: PeerCertificate | undefined): string {
  const { subjectaltname = '', subject } = certificate ?? {};
  const names = subjectaltname.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  const isName = (name: string) => /^[\w.*-]{1,253}$/.test(name) || isIP(name) !== 0;
  const found = [...names, [subject?.CN ?? ''].flat()]
    .flat()
    .filter((name, i, all) => isName(name) && all.indexOf(name) === i);
  if (found.length === 0) return 'no host';
  const more = found.length - MAX_NAMES;
  return found.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** OpenSSL's reason without its file names: `ssl/tls alert handshake failure`. */
function reasonText(error: unknown): string {
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
  return typeof reason === 'string' ? reason : errorMessageOf(error);
}
