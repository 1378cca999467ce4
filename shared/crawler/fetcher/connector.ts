import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import { isInstance, messageOf } from '../../core/base/error-message.ts';
import { type AddressChoice, chooseAddresses, describeBlocked } from './choose-addresses.ts';
import { connectTcp, type TcpTarget, tcpTargetText } from './connect-tcp.ts';
import { durationText, KnownFailure } from './failure.ts';
import type { ChooseProxy } from './proxy/choose-proxy.ts';
import { connectByProxy } from './proxy/connect-by-proxy.ts';
import type { SocketBudget } from './socket-budget.ts';
import { createTlsClient, type TlsOptions } from './tls-client.ts';
import { LONGEST_TIMER_MS, within } from './wait-for-socket.ts';

export interface ConnectorOptions extends AddressChoice, TlsOptions {
  /** For the whole of it: the look-up, TCP, and TLS. 0: no limit. */
  readonly connectTimeoutMs: number;
  readonly budget: SocketBudget;
  readonly proxyOf: ChooseProxy;
  /** Whether the guard judges the addresses of proxies, too. */
  readonly guardsProxies: boolean;
}

/** The facts of a connection to a host. */
export interface ConnectionFacts {
  /** The host's address; empty if only a proxy knows it. */
  readonly ipAddress: string;
  /** As in WARC-Protocol: `http/1.1`, `tls/1.3`. */
  readonly protocols: readonly string[];
  /** The name that IANA has registered. */
  readonly cipherSuite?: string;
}

const firstErrors = new WeakMap<Socket, Error>();
const facts = new WeakMap<Socket, ConnectionFacts>();

/** The first error of a socket that a connector has opened. */
export const firstErrorOf = (socket: Socket | undefined): Error | undefined =>
  socket && firstErrors.get(socket);

/** Returns the facts of a socket that a connector has opened. */
export const factsOf = (socket: Socket): ConnectionFacts =>
  facts.get(socket) ?? { ipAddress: '', protocols: [] };

/** The TCP connections below those with TLS. */
const transports = new WeakMap<Socket, Socket>();

/** Bytes that went over a connection. */
export interface WireBytes {
  readonly sent: number;
  readonly received: number;
}

/** Bytes that went over a connection so far, with the handshake of TLS, which the socket of TLS does not count. */
export function wireBytesOf(socket: Socket): WireBytes {
  const { bytesWritten: sent, bytesRead: received } = transports.get(socket) ?? socket;
  return { sent, received };
}

interface Target extends TcpTarget {
  readonly isSecure: boolean;
}

/**
 * Opens undici's connections. The address is chosen and checked here, for each connection again, and the
 * connection goes to that very address: a name that resolves to something else a moment later (DNS rebinding)
 * gains nothing. TLS is given the URL's host name, and certificates are verified against it. Through a proxy
 * that resolves names itself, only addresses in URLs can be checked. Fails with a {@link KnownFailure}. Throws
 * `InvalidConfig`.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const connector = new Connector(options);
  return ({ hostname, protocol, port }, callback) => {
    const isSecure = protocol === 'https:';
    const target = {
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      isSecure,
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    };
    connector.open(target).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(isInstance(error, Error) ? error : new Error(messageOf(error)), null),
    );
  };
}

class Connector {
  readonly #options: ConnectorOptions;
  readonly #timeoutMs: number;
  readonly #tls: ReturnType<typeof createTlsClient>;
  readonly #proxyTls: ReturnType<typeof createTlsClient>;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#timeoutMs = options.connectTimeoutMs > 0 ? options.connectTimeoutMs : LONGEST_TIMER_MS;
    this.#tls = createTlsClient(options);
    this.#proxyTls = createTlsClient({
      ...options,
      acceptsAny: false,
      clientCertificates: [],
      missingIssuers: undefined,
    });
  }

  /**
   * Waits for a free socket slot first, at no cost of the time-out, and holds it until the socket
   * closes.
   */
  async open(target: Target): Promise<Socket> {
    const release = await this.#options.budget.acquire();
    try {
      const socket = await this.#openInTime(target);
      if (socket.closed)
        throw new KnownFailure('connectionFailed', `${target.hostname} closed the connection at once`);
      socket.once('close', release);
      // A TLS alert comes before the end of the connection, which is all that undici reports.
      socket.once('error', (error) => firstErrors.set(socket, error));
      return socket;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #openInTime(target: Target): Promise<Socket> {
    const timeoutMs = this.#timeoutMs;
    const until = performance.now() + timeoutMs;
    const left = () => Math.max(until - performance.now(), 1);
    const proxy = this.#options.proxyOf(urlOf(target));
    const { socket, ipAddress } = await (proxy
      ? connectByProxy(target, proxy, { ...this.#options, tls: this.#proxyTls, left, timeoutMs })
      : this.#connectDirectly(target, left));
    if (!target.isSecure) return noted(socket, { ipAddress, protocols: ['http/1.1'] });
    const where = proxy
      ? `${target.hostname}:${target.port} by ${proxy.name}`
      : tcpTargetText(target, ipAddress);
    const secured = await this.#secureOrDestroy(socket, target, where, left());
    transports.set(secured, socket);
    return noted(secured, { ipAddress, ...tlsFacts(secured) });
  }

  async #secureOrDestroy(socket: Socket, target: Target, where: string, ms: number): Promise<TLSSocket> {
    try {
      return await this.#tls.secure(socket, target, where, ms);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  async #connectDirectly(target: Target, left: () => number) {
    const addresses = await resolved(target.hostname, this.#options, left(), this.#timeoutMs);
    const socket = await connectTcp(target, addresses, left, this.#options.budget);
    const peer = socket.remoteAddress;
    if (peer !== undefined && !this.#options.guard(peer)) {
      socket.destroy();
      throw new KnownFailure('blockedAddress', describeBlocked(target.hostname, [peer]));
    }
    return { socket, ipAddress: peer ?? '' };
  }
}

/** Rejects with a failure of the name if that takes longer than `ms`. */
export async function resolved(
  hostname: string,
  choice: AddressChoice,
  ms: number,
  timeoutMs: number,
): Promise<string[]> {
  return within(
    ms,
    chooseAddresses(hostname, choice),
    () =>
      new KnownFailure('nameServerTimeout', `${hostname} did not resolve within ${durationText(timeoutMs)}`),
  );
}

function urlOf({ hostname, port, isSecure }: Target): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  const isDefault = port === (isSecure ? 443 : 80);
  return `${isSecure ? 'https' : 'http'}://${host}${isDefault ? '' : `:${port}`}/`;
}

function noted(socket: Socket, known: ConnectionFacts): Socket {
  facts.set(socket, known);
  return socket;
}

/** `TLSv1.3` as `tls/1.3`. */
function tlsFacts(socket: TLSSocket): Pick<ConnectionFacts, 'protocols' | 'cipherSuite'> {
  const version = /^TLSv([\d.]+)$/.exec(socket.getProtocol() ?? '')?.[1];
  const { standardName } = socket.getCipher() ?? {};
  return {
    protocols: ['http/1.1', ...(version === undefined ? [] : [`tls/${version}`])],
    ...(standardName && { cipherSuite: standardName }),
  };
}
