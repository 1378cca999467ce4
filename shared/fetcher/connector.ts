import { connect as connectTcp, isIP, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { buildConnector } from 'undici';
import { type AddressChoice, chooseAddresses, describeBlocked } from './choose-addresses.ts';
import { durationText, errorCode, KnownFailure, saidBy } from './failure.ts';
import type { SocketBudget } from './socket-budget.ts';
import { describeCertificate, describeHandshake } from './tls-failure.ts';

export interface ConnectorOptions extends AddressChoice {
  /** For the whole of it: the look-up, TCP, and TLS. 0: no limit. */
  readonly connectTimeoutMs: number;
  readonly budget: SocketBudget;
  /** Take any certificate, of whomever and however old. */
  readonly allowInvalidCertificates?: boolean;
  /** Certificates (PEM) trusted besides the usual ones. */
  readonly trustedCertificates?: readonly string[];
}

interface Target {
  /** As in the URL; IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly isSecure: boolean;
}

const firstErrors = new WeakMap<Socket, Error>();

/** The first error of a socket that a connector has opened. */
export const firstErrorOf = (socket: Socket | undefined): Error | undefined =>
  socket && firstErrors.get(socket);

/** Addresses of one name that are tried for one connection; a name may have hundreds. */
const MAX_ADDRESSES = 4;
/** TLS sessions kept for resumption, which saves most of a handshake's work. About 2 KB each. */
const MAX_SESSIONS = 2000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Opens undici's connections. The address is chosen and checked here, for each connection again, and the
 * connection goes to that very address: a name that resolves to something else a moment later (DNS rebinding)
 * gains nothing. TLS is given the URL's host name, and certificates are verified against it. Fails with a
 * {@link KnownFailure}.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { budget, guard, trustedCertificates } = options;
  const timeoutMs = options.connectTimeoutMs > 0 ? options.connectTimeoutMs : LONGEST_TIMER_MS;
  const sessions = new Map<string, Buffer>();
  // One context for all, made when first needed: making one reads every root certificate.
  let secureContext: SecureContext | undefined;

  /**
   * Waits for a place among the open sockets first, at no cost of the time-out, and holds it until the socket
   * closes.
   */
  async function open(target: Target): Promise<Socket> {
    await budget.acquire();
    try {
      const socket = await openInTime(target);
      if (socket.closed)
        throw new KnownFailure('connectionFailed', `${target.hostname} closed the connection at once`);
      socket.once('close', budget.release);
      // A TLS alert comes before the end of the connection, which is all that undici reports.
      socket.once('error', (error) => firstErrors.set(socket, error));
      return socket;
    } catch (error) {
      budget.release();
      throw error;
    }
  }

  async function openInTime(target: Target): Promise<Socket> {
    const until = performance.now() + timeoutMs;
    const left = () => Math.max(until - performance.now(), 1);
    const late = () =>
      new KnownFailure(
        'nameServerTimeout',
        `${target.hostname} did not resolve within ${durationText(timeoutMs)}`,
      );
    const chosen = await within(left(), chooseAddresses(target.hostname, options), late);
    const addresses = chosen.slice(0, MAX_ADDRESSES);
    let failure: unknown;
    for (const [i, address] of addresses.entries()) {
      const socket = start(target, address);
      try {
        // Each address gets its share of the time, so that a silent one leaves some for the next.
        await awaitTcp(socket, target, address, left() / (addresses.length - i));
      } catch (error) {
        failure = error;
        continue;
      }
      const peer = socket.remoteAddress;
      if (peer !== undefined && !guard(peer)) {
        socket.destroy();
        throw new KnownFailure('blockedAddress', describeBlocked(target.hostname, [peer]));
      }
      if (target.isSecure) {
        await awaitTls(socket as TLSSocket, target, address, left());
        if (!options.allowInvalidCertificates) checkCertificate(socket as TLSSocket, target);
      }
      return socket;
    }
    throw failure;
  }

  function start({ hostname, port, isSecure }: Target, address: string): Socket {
    if (!isSecure) return connectTcp({ host: address, port, noDelay: true });
    secureContext ??= createSecureContext(
      trustedCertificates && { ca: [...getCACertificates(), ...trustedCertificates] },
    );
    const sessionKey = `${hostname}:${port}`;
    const socket = connectTls({
      host: address,
      port,
      secureContext,
      // An address is no server name (RFC 6066, section 3), and a name goes without its final dot.
      servername: isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '',
      ALPNProtocols: ['http/1.1'],
      // `checkCertificate` refuses what is not authorized: only there the certificate can still be read, for
      // the message.
      rejectUnauthorized: false,
      session: sessions.get(sessionKey),
    });
    socket.setNoDelay(true);
    return socket.on('session', (session: Buffer) => {
      // Node does not look at the host name again when a session is resumed.
      if (!socket.authorized) return;
      sessions.delete(sessionKey);
      sessions.set(sessionKey, session);
      if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value as string);
    });
  }

  return ({ hostname, protocol, port }, callback) => {
    const isSecure = protocol === 'https:';
    open({ hostname, isSecure, port: port === '' ? (isSecure ? 443 : 80) : Number(port) }).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

async function awaitTcp(socket: Socket, target: Target, address: string, ms: number): Promise<void> {
  const where = whereTo(target, address);
  await happened(socket, 'connect', ms, {
    late: () =>
      new KnownFailure('connectTimeout', `${where} accepted no connection within ${durationText(ms)}`),
    broken: (error) => describeConnect(where, error),
  });
}

async function awaitTls(socket: TLSSocket, target: Target, address: string, ms: number): Promise<void> {
  const where = whereTo(target, address);
  await happened(socket, 'secureConnect', ms, {
    late: () => new KnownFailure('tlsTimeout', `no TLS handshake with ${where} within ${durationText(ms)}`),
    broken: (error) => describeHandshake(where, error),
  });
}

/** Throws, and ends the connection, where the certificate is not to be trusted. */
function checkCertificate(socket: TLSSocket, target: Target): void {
  if (socket.authorized) return;
  const failure = describeCertificate(
    target.hostname,
    socket.authorizationError,
    socket.getPeerCertificate(),
  );
  socket.destroy();
  throw failure;
}

function describeConnect(where: string, error: unknown): KnownFailure {
  switch (errorCode(error)) {
    case 'ECONNREFUSED':
      return new KnownFailure('connectionRefused', `connection refused by ${where}`, error);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return new KnownFailure('networkUnreachable', `no route to ${where} (${errorCode(error)})`, error);
    default:
      return new KnownFailure('connectionFailed', `no connection to ${where} (${saidBy(error)})`, error);
  }
}

/** Resolves at the socket's event; else destroys the socket and rejects. */
async function happened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  ms: number,
  failure: { late: () => KnownFailure; broken: (error: unknown) => KnownFailure },
): Promise<void> {
  const settled = new Promise<void>((resolve, reject) => {
    if (socket.destroyed) reject(failure.broken(socket.errored));
    // The listener stays: what breaks between two listeners must not be an uncaught error.
    socket.on('error', (error) => reject(failure.broken(error)));
    socket.once('close', () => reject(failure.broken(undefined)));
    socket.once(event, resolve);
  });
  try {
    await within(ms, settled, failure.late);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** What the promise gives, or a rejection with `late()` after `ms`; the promise's own work goes on. */
async function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), Math.min(ms, LONGEST_TIMER_MS));
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** `example.org:443 (192.0.2.1)`, or `192.0.2.1:443`. */
function whereTo({ hostname, port }: Target, address: string): string {
  if (hostname === address) return `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  return `${hostname}:${port} (${address})`;
}
