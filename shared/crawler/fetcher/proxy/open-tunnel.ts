/** A connection through a proxy to a host: HTTP CONNECT (RFC 9110, section 9.3.6) or SOCKS5 (RFC 1928, 1929). */
import { isIP, type Socket } from 'node:net';
import { KnownFailure } from '../failure.ts';
import { type ProxyServer, proxyAuthorization } from './choose-proxy.ts';
import { SocketReader } from './socket-reader.ts';

/** Where the tunnel leads. */
export interface TunnelTarget {
  /** A name, or an address without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** A proxy that has answered within this time works: what it is silent about is the host's doing. */
const WORKING_MS = 60_000;

export const isWorking = ({ answeredAt }: ProxyServer): boolean =>
  answeredAt >= 0 && performance.now() - answeredAt < WORKING_MS;

const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Requests a connection to the host from the proxy to which the socket is connected. Afterwards the socket carries the
 * host's bytes. Throws {@link KnownFailure}: of the proxy where the proxy is at fault, of the host where the proxy says
 * that it cannot be reached. The caller bounds the time, and destroys the socket then.
 */
export async function openTunnel(socket: Socket, proxy: ProxyServer, target: TunnelTarget): Promise<void> {
  const reader = new SocketReader(socket);
  try {
    if (proxy.kind === 'socks5' || proxy.kind === 'socks5h') await openSocks(reader, proxy, target);
    else await openConnect(reader, proxy, target);
  } catch (error) {
    if (error instanceof KnownFailure) throw error;
    const message = `the proxy ${proxy.name} closed the connection without an answer`;
    throw new KnownFailure(isWorking(proxy) ? 'hostNotReachedByProxy' : 'proxyFailed', message, error);
  } finally {
    reader.end();
  }
}

async function openConnect(reader: SocketReader, proxy: ProxyServer, target: TunnelTarget): Promise<void> {
  const where = authorityOf(target);
  const authorization = proxyAuthorization(proxy);
  reader.write(
    `CONNECT ${where} HTTP/1.1\r\nHost: ${where}\r\n` +
      `${authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`}\r\n`,
  );
  const head = await reader.until('\r\n\r\n', MAX_HEAD_BYTES);
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head ?? '')?.[1];
  if (status === undefined)
    throw new KnownFailure('proxyFailed', `${proxy.name} does not answer as an HTTP proxy does`);
  if (status === '407') throw denied(proxy);
  proxy.answeredAt = performance.now();
  if (status.startsWith('2')) return;
  throw status.startsWith('5')
    ? new KnownFailure(
        'hostNotReachedByProxy',
        `the proxy ${proxy.name} could not connect to ${where} (HTTP ${status})`,
      )
    : new KnownFailure(
        'hostRefusedByProxy',
        `the proxy ${proxy.name} refuses to connect to ${where} (HTTP ${status})`,
      );
}

/** Whether the request for a user and password was in vain, or none were given. */
export function denied(proxy: ProxyServer): KnownFailure {
  const has = proxyAuthorization(proxy) !== undefined;
  const why = has
    ? 'refuses this user and password'
    : 'wants a user and password: http://USER:PASSWORD@HOST:PORT';
  return new KnownFailure('proxyDenied', `the proxy ${proxy.name} ${why}`);
}

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;

/** RFC 1928, section 6. */
const REPLIES: Readonly<Record<number, string>> = {
  1: 'general failure',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'time to live expired',
  7: 'command not supported',
  8: 'kind of address not supported',
};

async function openSocks(reader: SocketReader, proxy: ProxyServer, target: TunnelTarget): Promise<void> {
  const { username, password } = proxy;
  const hasUser = username !== '' || password !== '';
  reader.write(
    Buffer.from(
      hasUser ? [VERSION, 2, NO_AUTHENTICATION, USER_AND_PASSWORD] : [VERSION, 1, NO_AUTHENTICATION],
    ),
  );
  const [version, method] = await reader.take(2);
  if (version !== VERSION)
    throw new KnownFailure('proxyFailed', `${proxy.name} does not answer as a SOCKS5 proxy does`);
  if (method === USER_AND_PASSWORD && hasUser) {
    const [user, secret] = [Buffer.from(username), Buffer.from(password)];
    reader.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]));
    const [, status] = await reader.take(2);
    if (status !== 0) throw denied(proxy);
  } else if (method !== NO_AUTHENTICATION) throw denied(proxy);
  reader.write(Buffer.concat([Buffer.from([VERSION, 1, 0]), socksAddress(target)]));
  const [, reply = -1, , kind] = await reader.take(4);
  proxy.answeredAt = performance.now();
  const where = authorityOf(target);
  if (reply === 2)
    throw new KnownFailure('hostRefusedByProxy', `the proxy ${proxy.name} refuses to connect to ${where}`);
  if (reply !== 0)
    throw new KnownFailure(
      'hostNotReachedByProxy',
      `the proxy ${proxy.name} could not connect to ${where} (${REPLIES[reply] ?? `reply ${reply}`})`,
    );
  // The address that the proxy uses, which nobody needs.
  const size = kind === 1 ? 4 : kind === 4 ? 16 : ((await reader.take(1))[0] as number);
  await reader.take(size + 2);
}

function socksAddress({ hostname, port }: TunnelTarget): Buffer {
  const end = Buffer.from([port >> 8, port & 0xff]);
  const family = isIP(hostname);
  if (family === 4) return Buffer.concat([Buffer.from([1, ...hostname.split('.').map(Number)]), end]);
  if (family === 6) return Buffer.concat([Buffer.from([4]), ipv6Bytes(hostname), end]);
  const name = Buffer.from(hostname.replace(/\.$/, ''));
  return Buffer.concat([Buffer.from([3, name.length]), name, end]);
}

/** The parser of URLs writes every IPv6 address in groups of hexadecimal digits. */
function ipv6Bytes(address: string): Buffer {
  const written = new URL(`http://[${address.split('%', 1)[0]}]/`).hostname.slice(1, -1);
  const [before = '', after] = written.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [left, right] = [groups(before), groups(after)];
  const all = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return Buffer.from(
    all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  );
}

const authorityOf = ({ hostname, port }: TunnelTarget): string =>
  `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
