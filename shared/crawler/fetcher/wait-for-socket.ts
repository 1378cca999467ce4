/** Waiting for what a socket, or anything else, comes to. */
import type { Socket } from 'node:net';
import type { KnownFailure } from './failure.ts';

export const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A timer that is so late shows that the process stood still: it was suspended, or others had the CPUs. */
const STILL_MS = 1000;
/** The time to take in what has come meanwhile. Node runs timers first. */
const MOMENT_MS = 1000;

/** The time-out of a peer. If this process has stood still, what the peer has sent meanwhile counts as in time. */
export class TimeOut {
  readonly #until: number;
  readonly #onTimeOut: () => void;
  #timer: NodeJS.Timeout;

  constructor(ms: number, onTimeOut: () => void) {
    const waitMs = Math.min(ms, LONGEST_TIMER_MS);
    this.#until = performance.now() + waitMs;
    this.#onTimeOut = onTimeOut;
    this.#timer = setTimeout(() => this.#fire(), waitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #fire(): void {
    if (performance.now() - this.#until < STILL_MS) this.#onTimeOut();
    else this.#timer = setTimeout(this.#onTimeOut, MOMENT_MS);
  }
}

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
  let timer: TimeOut | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = new TimeOut(ms, () => reject(late()));
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    timer?.end();
  }
}
