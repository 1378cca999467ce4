import type { Socket } from 'node:net';
import { type Release, Semaphore } from '../../core/base/semaphore.ts';

/**
 * Bounds the sockets open at once, since file descriptors are few (AWS Lambda: 1,024 a process). At the bound, the
 * socket that has been idle longest is closed for the new one; while all are in use, further callers wait in line.
 */
export interface SocketBudget {
  /** Resolves, when one more socket may be opened, to the function that releases its slot. */
  acquire(): Promise<Release>;
  /** Takes one more slot if one is free. If not, an idle socket is closed for a later call. */
  tryAcquire(): Release | undefined;
  /** A request is in flight on the socket: it is not closed from here. */
  markBusy(socket: Socket): void;
  /** The socket is kept for a later request, if one comes in time. */
  markIdle(socket: Socket): void;
}

export function createSocketBudget(maxSockets: number): SocketBudget {
  const places = new Semaphore(maxSockets);
  // A set keeps the order of insertion: the first has been idle longest.
  const idle = new Set<Socket>();

  function closeOldest(): void {
    const oldest = idle.values().next().value;
    if (oldest === undefined) return;
    idle.delete(oldest);
    oldest.destroy();
  }

  return {
    async acquire() {
      const free = places.tryAcquire();
      if (free) return free;
      const place = places.acquire();
      closeOldest();
      // Without a signal and a deadline it is always admitted.
      return (await place) as Release;
    },
    tryAcquire() {
      const free = places.tryAcquire();
      if (free === undefined) closeOldest();
      return free;
    },
    markBusy(socket) {
      idle.delete(socket);
    },
    markIdle(socket) {
      if (socket.destroyed) return;
      if (places.waiting > 0) {
        socket.destroy();
        return;
      }
      idle.add(socket);
      // Not for each request: a socket is idle many times and closes once.
      if (!watched.has(socket)) {
        watched.add(socket);
        socket.once('close', () => idle.delete(socket));
      }
    },
  };
}

const watched = new WeakSet<Socket>();
