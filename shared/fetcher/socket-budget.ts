import type { Socket } from 'node:net';

/**
 * Bounds the sockets open at once, since file descriptors are few (AWS Lambda: 1,024 a process). At the
 * bound, the socket that has been idle longest is closed for the new one; while all are in use, who comes
 * waits in line.
 */
export interface SocketBudget {
  /** Resolves when one more socket may be opened; give it back by `release`, once. */
  acquire(): Promise<void>;
  release(): void;
  /** A request is in flight on the socket: it is not closed from here. */
  markBusy(socket: Socket): void;
  /** The socket is kept for a later request, if one comes in time. */
  markIdle(socket: Socket): void;
}

export function createSocketBudget(maxSockets: number): SocketBudget {
  let open = 0;
  const waiting: (() => void)[] = [];
  // A set keeps the order of insertion: the first has been idle longest.
  const idle = new Set<Socket>();

  return {
    acquire() {
      if (open < maxSockets) {
        open++;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        waiting.push(resolve);
        const oldest = idle.values().next().value;
        if (oldest === undefined) return;
        idle.delete(oldest);
        oldest.destroy();
      });
    },
    release() {
      // The place passes to the first in line, so `open` stays as it is.
      const next = waiting.shift();
      if (next === undefined) open--;
      else next();
    },
    markBusy(socket) {
      idle.delete(socket);
    },
    markIdle(socket) {
      if (socket.destroyed) return;
      if (waiting.length > 0) {
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
