/** Waiting for what a socket, or anything else, comes to. */
import type { Socket } from 'node:net';
import type { KnownFailure } from './failure.ts';

export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves at the socket's event; else destroys the socket and rejects. */
export async function happened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  ms: number,
  failure: { late: () => KnownFailure; broken: (error: unknown) => KnownFailure },
): Promise<void> {
  const settled = new Promise<void>((resolve, reject) => {
    if (socket.destroyed) reject(failure.broken(socket.errored));
    // The listener stays: an error between two listeners must not be uncaught.
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

/**
 * Returns the result of the promise, or rejects with `late()` after `ms`; the promise's own work continues.
 */
export async function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
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
