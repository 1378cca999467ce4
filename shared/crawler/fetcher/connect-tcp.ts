/** TCP connections to one of several addresses. */
import { connect, isIP, type Socket } from 'node:net';
import type { Release } from '../../core/base/semaphore.ts';
import { durationText, errorCode, errorMessageOf, KnownFailure } from './failure.ts';
import type { SocketBudget } from './socket-budget.ts';
import { happened } from './wait-for-socket.ts';

export interface TcpTarget {
  /** As in the URL; IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** The next address is tried after this, while the one before is still silent (RFC 8305, section 5). */
const NEXT_ADDRESS_MS = 250;
/** Addresses that are tried at the same time. */
const MAX_AT_ONCE = 2;
/** Addresses of one name that are tried for one connection; a name may have hundreds. */
const MAX_ADDRESSES = 4;
/** Further ones, in place of those that refuse: that costs no time. */
const MAX_REFUSALS = 8;

/**
 * Connects to one of the addresses, as RFC 8305 (Happy Eyeballs) has it: families take turns, the next address is tried
 * when the one before has failed or was silent for 250 ms, and the first connection wins. At most two are open at once;
 * nothing is sent on the one that loses. The second one takes a slot of `budget` for itself. If there is none, the
 * first one is given up when its share of the time is over. Rejects with the last {@link KnownFailure} if none can be
 * connected to within `left()` ms.
 */
export async function connectTcp(
  target: TcpTarget,
  given: readonly string[],
  left: () => number,
  budget: Pick<SocketBudget, 'tryAcquire'>,
): Promise<Socket> {
  const addresses = alternating(given);
  const open = new Map<Socket, Promise<Socket | undefined>>();
  let next = 0;
  let refusals = 0;
  let failure: unknown;
  let secondPlace: Release | undefined;
  let aloneUntil = 0;

  const leftAddresses = () =>
    Math.min(addresses.length, MAX_ADDRESSES + Math.min(refusals, MAX_REFUSALS)) - next;
  const hasNext = () => leftAddresses() > 0 && open.size < MAX_AT_ONCE;

  function hasPlace(): boolean {
    if (open.size === 0) return true;
    secondPlace ??= budget.tryAcquire();
    return secondPlace !== undefined;
  }

  function freePlace(): void {
    secondPlace?.();
    secondPlace = undefined;
  }

  function start(): void {
    if (open.size === 0) aloneUntil = performance.now() + left() / leftAddresses();
    // Each address gets its share of the time, so that a silent one leaves some for the next.
    const ms = left() / Math.max(1, Math.ceil(leftAddresses() / MAX_AT_ONCE));
    const address = addresses[next++] as string;
    const socket = connect({ host: address, port: target.port, noDelay: true });
    const attempt = awaitConnect(socket, target, address, ms).then(
      () => socket,
      (error: unknown) => {
        failure = error;
        if (error instanceof KnownFailure && error.code === 'connectionRefused') refusals++;
        open.delete(socket);
        return undefined;
      },
    );
    open.set(socket, attempt);
  }

  function endAll(): void {
    for (const socket of open.keys()) socket.destroy();
  }

  for (;;) {
    if (hasNext() && hasPlace()) start();
    else if (hasNext() && performance.now() >= aloneUntil) endAll();
    else if (open.size === 0) throw failure;
    const winner = await firstOf([...open.values()], hasNext() ? NEXT_ADDRESS_MS : undefined);
    if (winner !== undefined) {
      open.delete(winner);
      endAll();
    }
    if (open.size < MAX_AT_ONCE) freePlace();
    if (winner !== undefined) return winner;
  }
}

/** The result of the first that ends, or undefined after `ms`. */
async function firstOf<T>(
  promises: Promise<T | undefined>[],
  ms: number | undefined,
): Promise<T | undefined> {
  if (ms === undefined) return Promise.race(promises);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([...promises, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The addresses of the first one's family and of the other in turns, each family in its order. */
function alternating(addresses: readonly string[]): string[] {
  const first = isIP(addresses[0] ?? '');
  const [same, other] = [
    addresses.filter((address) => isIP(address) === first),
    addresses.filter((address) => isIP(address) !== first),
  ];
  if (other.length === 0) return same;
  return Array.from({ length: Math.max(same.length, other.length) }, (_, i) => [same[i], other[i]])
    .flat()
    .filter((address) => address !== undefined);
}

async function awaitConnect(socket: Socket, target: TcpTarget, address: string, ms: number): Promise<void> {
  const where = tcpTargetText(target, address);
  await happened(socket, 'connect', ms, {
    late: () =>
      new KnownFailure('connectTimeout', `${where} accepted no connection within ${durationText(ms)}`),
    broken: (error) => describeConnect(where, error),
  });
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
      return new KnownFailure(
        'connectionFailed',
        `no connection to ${where} (${errorMessageOf(error)})`,
        error,
      );
  }
}

/** `example.org:443 (192.0.2.1)`, or `192.0.2.1:443`. */
export function tcpTargetText({ hostname, port }: TcpTarget, address: string): string {
  if (hostname === address) return `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  return `${hostname}:${port} (${address})`;
}
