import { isIP, type Socket } from 'node:net';
import { messageOf } from '../../../core/base/error-message.ts';
import { type AddressChoice, chooseAddresses } from '../choose-addresses.ts';
import { connectTcp, type TcpTarget } from '../connect-tcp.ts';
import { durationText, KnownFailure } from '../failure.ts';
import type { SocketBudget } from '../socket-budget.ts';
import type { TlsClient } from '../tls-client.ts';
import { within } from '../wait-for-socket.ts';
import { isForwarding, type ProxyServer } from './choose-proxy.ts';
import { isWorking, openTunnel } from './open-tunnel.ts';

export interface ByProxyOptions extends AddressChoice {
  readonly guardsProxies: boolean;
  /** For proxies that speak TLS. */
  readonly tls: TlsClient;
  /** How long it may take from now on, in ms. */
  readonly left: () => number;
  readonly timeoutMs: number;
  readonly budget: Pick<SocketBudget, 'tryAcquire'>;
}

/**
 * A connection to a host through a proxy. For an http URL and an HTTP proxy it ends at the proxy, which gets
 * the request with its whole URL; else it is a tunnel. With `socks5` the name is resolved here, and the guard
 * judges its address as without a proxy; other proxies resolve names themselves, and the guard judges only
 * hosts that are addresses. Rejects with a {@link KnownFailure}.
 */
export async function connectByProxy(
  target: TcpTarget & { readonly isSecure: boolean },
  proxy: ProxyServer,
  options: ByProxyOptions,
): Promise<{ readonly socket: Socket; readonly ipAddress: string }> {
  const { left, timeoutMs } = options;
  const address = await checkedAddress(target, proxy, options);
  const socket = await connectToProxy(proxy, options);
  const ipAddress = address ?? '';
  if (isForwarding(proxy, target.isSecure ? 'https:' : 'http:')) return { socket, ipAddress };
  const silent = () =>
    new KnownFailure(
      isWorking(proxy) ? 'connectTimeout' : 'proxyFailed',
      `the proxy ${proxy.name} opened no connection to ${target.hostname} within ${durationText(timeoutMs)}`,
    );
  try {
    await within(
      left(),
      openTunnel(socket, proxy, { ...target, hostname: address ?? target.hostname }),
      silent,
    );
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return { socket, ipAddress };
}

/** The host's address, where it is known here. Rejects if the guard lets none pass. */
async function checkedAddress(
  { hostname }: TcpTarget,
  proxy: ProxyServer,
  { left, timeoutMs, ...choice }: ByProxyOptions,
): Promise<string | undefined> {
  const late = () =>
    new KnownFailure('nameServerTimeout', `${hostname} did not resolve within ${durationText(timeoutMs)}`);
  if (proxy.kind === 'socks5') return (await within(left(), chooseAddresses(hostname, choice), late))[0];
  // Names that need no name server are judged as ever; of others the proxy alone knows the address.
  const [address] = await chooseAddresses(hostname, { ...choice, resolve: async () => [UNKNOWN], guard });
  return address === UNKNOWN ? undefined : address;

  function guard(ip: string): boolean {
    return ip === UNKNOWN || choice.guard(ip);
  }
}

const UNKNOWN = '';

async function connectToProxy(proxy: ProxyServer, options: ByProxyOptions): Promise<Socket> {
  const { left, tls, guardsProxies, timeoutMs, budget } = options;
  const guard = guardsProxies ? options.guard : () => true;
  const late = () => new KnownFailure('proxyFailed', `no answer within ${durationText(timeoutMs)}`);
  try {
    const choosing =
      isIP(proxy.hostname) === 0
        ? chooseAddresses(proxy.hostname, { ...options, guard })
        : direct(proxy, guard);
    const addresses = await within(left(), choosing, late);
    const socket = await connectTcp(proxy, addresses, left, budget);
    return proxy.kind === 'https' ? await tls.secure(socket, proxy, proxy.name, left()) : socket;
  } catch (error) {
    const why = messageOf(error);
    throw new KnownFailure('proxyFailed', `the proxy ${proxy.name} cannot be used: ${why}`, error);
  }
}

const direct = ({ hostname }: ProxyServer, guard: (ip: string) => boolean): Promise<string[]> =>
  chooseAddresses(hostname, { guard, pin: () => undefined, resolve: async () => [] });
