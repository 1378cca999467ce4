/** HTTP servers for programs of this machine. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** Only programs of this machine reach it. */
const ADDRESS = '127.0.0.1';
const MAX_CONNECTIONS = 100;
const REQUEST_MS = 30_000;

export interface LoopbackServer {
  /** `http://127.0.0.1:8090` */
  readonly origin: string;
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** Until a request has come. */
  readonly requestMs?: number;
  /** Takes over the connection of a request for another protocol. Default: such a request is answered as any other. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex) => void;
}

/** `port` 0: any that is free. Rejects if the port cannot be used. */
export async function openLoopback(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { requestMs = REQUEST_MS, upgrade }: LoopbackOptions = {},
): Promise<LoopbackServer> {
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, answer);
  server.maxConnections = MAX_CONNECTIONS;
  const taken = new Set<Duplex>();
  if (upgrade)
    server.on('upgrade', (request, socket, begun) => {
      taken.add(socket);
      // Nobody else listens for errors of this connection from now on.
      socket.on('error', () => socket.destroy());
      if (begun.length > 0) socket.unshift(begun);
      socket.once('close', () => taken.delete(socket));
      upgrade(request, socket);
    });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, ADDRESS, resolve);
  });
  return {
    origin: `http://${ADDRESS}:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      for (const socket of taken) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads a body of at most `maxBytes`; undefined: it is longer, and the rest of it is not read. Rejects if it breaks off. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Takes the same time for any other text. */
export function isSecret(given: string, secret: string): boolean {
  const [one, other] = [given, secret].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(one as Buffer, other as Buffer);
}
