import { mkdtempSync, readdirSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type {
  FetchedResponse,
  FetchFailure,
  FetchOutcome,
} from '../../../shared/core/outcome/fetch-outcome.ts';
import { createFetcher, type FetcherOptions } from '../../../shared/crawler/fetcher/fetcher.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { LOOPBACK } from './loopback.ts';

/** A new folder, and what is in it. */
export function temporaryFolder(): { path: string; files: () => string[] } {
  const path = mkdtempSync(join(tmpdir(), 'strand-fetcher-'));
  return { path, files: () => readdirSync(path) };
}

/** A fetcher for the loopback network with every name pinned to it, closed when the test ends. */
export function openFetcher(options: Partial<FetcherOptions> = {}): Fetcher {
  const fetcher = createFetcher({
    ...LOOPBACK,
    tempFolder: join(tmpdir(), 'strand-fetcher-unused'),
    clock: { now: () => 1000 },
    ...options,
  });
  onTestFinished(() => fetcher.close());
  return fetcher;
}

export interface TestServer {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly port: number;
  readonly connections: () => number;
  /** All that clients sent, a text for each connection. */
  readonly received: string[];
  readonly resetConnections: () => void;
}

/** An HTTP server of Node. */
export async function serveHttp(
  handler: RequestListener,
  address?: string,
  port?: number,
): Promise<TestServer> {
  // By default it closes a connection that is idle for 5 s, which a busy machine makes of a moment.
  return listen(createHttpServer({ keepAliveTimeout: 60_000 }, handler), address, port);
}

/** Answers each request head, by its number on the connection from 1, with whatever bytes `answer` writes. */
export async function serveRaw(
  answer: (socket: Socket, requestNumber: number) => void,
  address?: string,
): Promise<TestServer> {
  const server = createServer((socket) => {
    let requests = 0;
    let head = '';
    socket.on('data', (data) => {
      head += data.toString('latin1');
      for (let end = head.indexOf('\r\n\r\n'); end >= 0; end = head.indexOf('\r\n\r\n')) {
        head = head.slice(end + 4);
        answer(socket, ++requests);
      }
    });
  });
  return listen(server, address);
}

export async function listen(server: Server, address = '127.0.0.1', at = 0): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    const index = connections++;
    received[index] = '';
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      received[index] += data.toString('latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(at, address, resolve));
  const { port } = server.address() as AddressInfo;
  const resetConnections = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  onTestFinished(() => {
    server.close();
    resetConnections();
  });
  return {
    origin: `http://${address}:${port}`,
    port,
    connections: () => connections,
    received,
    resetConnections,
  };
}

/** A port of the loopback network at which nothing listens. */
export async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Stops time-outs until the test ends. Those up to `ms` end by the function that this returns, once `isReached`: so what
 * comes before them is there, however busy the machine is. Only where headers and bodies may take 1 s at most: for longer
 * times, undici has one timer that all tests of the process share.
 */
export function stopTimeouts(): (ms: number, isReached: () => boolean) => Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return async (ms, isReached) => {
    while (!isReached()) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(ms);
  };
}

/** Returns what `onHead` takes, and the bytes of the body so far. */
export function watchBody(): { onHead: () => (piece: Uint8Array) => void; size: () => number } {
  let size = 0;
  const sink = (piece: Uint8Array) => {
    size += piece.length;
  };
  return { onHead: () => sink, size: () => size };
}

export function asResponse(outcome: FetchOutcome): FetchedResponse {
  if (outcome.status === 'response') return outcome;
  throw new Error(`Expected a response, got ${outcome.reason}: ${outcome.message}`);
}

export function asFailure(outcome: FetchOutcome): FetchFailure {
  if (outcome.status === 'failed') return outcome;
  throw new Error(`Expected a failure, got ${outcome.httpStatus}`);
}
