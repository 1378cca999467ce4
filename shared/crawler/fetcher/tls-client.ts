/** TLS over connections that are open. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import {
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { lazy } from '../../core/base/lazy.ts';
import { InvalidConfig } from '../../core/crawl/config.ts';
import type { ClientCertificateOptions } from '../../core/crawl/network-options.ts';
import { createOriginTable } from '../../core/url/origin-pattern.ts';
import type { TcpTarget } from './connect-tcp.ts';
import { durationText, errorCode, KnownFailure } from './failure.ts';
import type { MissingIssuers } from './missing-issuers.ts';
import { describeCertificate, describeHandshake, lacksIssuer } from './tls-failure.ts';
import type { TlsSessions } from './tls-sessions.ts';
import { happened } from './wait-for-socket.ts';

export interface TlsOptions {
  /** Take any certificate, of whomever and however old. */
  readonly acceptsAny: boolean;
  /** Certificates (PEM) trusted besides the usual ones. */
  readonly trustedCertificates?: readonly string[] | undefined;
  readonly clientCertificates?: readonly ClientCertificateOptions[] | undefined;
  readonly sessions: TlsSessions;
  /** Receives the certificates whose issuer is unknown. */
  readonly missingIssuers?: MissingIssuers | undefined;
}

/** The context of all clients without settings of their own, made when first needed: that reads every root certificate. */
const usualContext = lazy(() => createSecureContext());

export interface TlsClient {
  /**
   * The connection with TLS, its certificate verified against the host name. Rejects with a
   * {@link KnownFailure}, and ends the connection then. `where`: for messages.
   */
  secure(socket: Socket, target: TcpTarget, where: string, ms: number): Promise<TLSSocket>;
}

/** Throws `InvalidConfig` for certificates that cannot be used; their keys are in no message. */
export function createTlsClient(options: TlsOptions): TlsClient {
  const { acceptsAny, trustedCertificates = [], clientCertificates = [], missingIssuers } = options;
  const sessions = options.sessions.openClient();
  let given: SecureContext | undefined;
  const ca = trustedCertificates.length > 0 ? { ca: [...getCACertificates(), ...trustedCertificates] } : {};
  // Given certificates are read at once, so that a wrong one is known before the first request.
  if (trustedCertificates.length > 0)
    given = orInvalid(AUTHORITIES, () => {
      for (const pem of trustedCertificates) readCertificates(pem);
      return createSecureContext(ca);
    });
  const contextsOf = createOriginTable(
    clientCertificates.flatMap(({ hosts, certificate, key }, i) => {
      const context = orInvalid(`clientCertificates.${i}`, () => {
        const [own] = readCertificates(certificate);
        // OpenSSL would keep a key of another kind beside the certificate.
        if (!own?.checkPrivateKey(createPrivateKey(key))) throw NOT_A_PAIR;
        return createSecureContext({ ...ca, cert: certificate, key });
      });
      return hosts.map((host) => [host, context] as const);
    }),
  );

  function start(socket: Socket, { hostname, port }: TcpTarget): TLSSocket {
    const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
    const own = contextsOf(`https://${host}${port === 443 ? '' : `:${port}`}/`).at(-1);
    const name = `${hostname}:${port}`;
    const secured = connect({
      socket,
      secureContext: own ?? missingIssuers?.contextOf(name) ?? given ?? usualContext(),
      // An address is not a server name (RFC 6066, section 3), and a name goes without its final dot.
      servername: isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '',
      host: hostname,
      ALPNProtocols: ['http/1.1'],
      // `refuseCertificate` refuses unauthorized certificates: only there the certificate can still be read, for the
      // message.
      rejectUnauthorized: false,
      session: sessions.get(name),
    });
    return secured.on('session', (session: Buffer) => {
      // Node does not look at the host name again when a session is resumed.
      if (!secured.authorized) return;
      sessions.set(name, session);
    });
  }

  return {
    async secure(socket, target, where, ms) {
      const secured = start(socket, target);
      await happened(secured, 'secureConnect', ms, {
        late: () =>
          new KnownFailure('tlsTimeout', `no TLS handshake with ${where} within ${durationText(ms)}`),
        broken: (error) => describeHandshake(where, error),
      });
      if (acceptsAny || secured.authorized) return secured;
      if (lacksIssuer(secured.authorizationError))
        missingIssuers?.note(`${target.hostname}:${target.port}`, secured.getPeerX509Certificate());
      return refuseCertificate(secured, target);
    },
  };
}

const AUTHORITIES = 'certificateAuthorities';
const NOT_A_PAIR = Object.assign(new Error(), { code: 'the key is not that of the certificate' });

function orInvalid(key: string, make: () => SecureContext): SecureContext {
  try {
    return make();
  } catch (error) {
    const why = errorCode(error) ?? 'it is no PEM that OpenSSL reads';
    // The error itself may quote what it has read.
    throw new InvalidConfig(`The certificate or key of \`${key}\` cannot be used (${why})`);
  }
}

const BEGIN = '-----BEGIN CERTIFICATE-----';

/** All of a bundle: OpenSSL leaves out what it cannot read. */
const readCertificates = (pem: string): X509Certificate[] =>
  pem
    .split(BEGIN)
    .slice(1)
    .map((text) => new X509Certificate(BEGIN + text));

/** Throws, and ends the connection: the certificate cannot be trusted. */
function refuseCertificate(socket: TLSSocket, target: TcpTarget): never {
  const failure = describeCertificate(
    target.hostname,
    socket.authorizationError,
    socket.getPeerCertificate(),
  );
  socket.destroy();
  throw failure;
}
