/**
 * Serves a generated web on one loopback port, all hosts by their `Host`, over bare sockets (so that it can
 * break the protocol), and keeps a log of its own of every request. Times in the log err on the crawler's
 * side: a request starts when its head is whole, and a response ends before its last bytes are given to the
 * kernel. So two requests that overlap in the log did overlap, and a gap that is too short was at most that
 * long.
 */
import { createServer, type Socket } from 'node:net';
import { canonical } from './canonical.ts';
import type { Web } from './graph.ts';
import { hash } from './random.ts';
import { type Answer, NOT_FOUND, render } from './render.ts';
import { type RequestHead, RequestReader } from './request-reader.ts';

export interface LogEntry {
  /** Position in the log: the order in which requests came. */
  readonly index: number;
  /** The request's `Host` in lower case. */
  readonly host: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly method: string;
  readonly userAgent: string;
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  /** Infinity while the request is in flight. */
  endedAt: number;
  /** 0 where no status line was sent. */
  status: number;
  /** The client closed the connection before the end; `endedAt` is when that was noticed. */
  isAborted?: boolean;
  /** The value of `Retry-After`. */
  retryAt?: number;
}

export interface ServerOptions {
  /** Loopback address. Default `127.77.0.1`. */
  readonly address?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Each answer waits up to this long, as chance (by its URL) has it. Default 2; 0: none waits. */
  readonly latencyMs?: number;
  /** A request that is never answered is let go after this long. Default 60,000. */
  readonly holdMs?: number;
}

export interface RunningWeb {
  /** The web as served: its URLs name the port. */
  readonly web: Web;
  readonly port: number;
  readonly address: string;
  readonly seeds: readonly string[];
  readonly log: readonly LogEntry[];
  /** Closes every connection and the port. Requests in flight end, as aborted. */
  stop(): Promise<void>;
}

export async function startWeb(generated: Web, options: ServerOptions = {}): Promise<RunningWeb> {
  const { address = '127.77.0.1', latencyMs = 2, holdMs = 60_000 } = options;
  const log: LogEntry[] = [];
  const attempts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, address, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string')
    throw new Error(`Expected a TCP port at ${address}, got ${bound}`);
  const web = generated.atPort(bound.port);

  /** Answers the connection's requests one after the other, pipelined ones too. */
  function serve(socket: Socket): void {
    const reader = new RequestReader();
    const waiting: { head: RequestHead; entry: LogEntry }[] = [];
    let isBusy = false;
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      const heads = reader.push(bytes);
      if (heads === undefined)
        return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      for (const head of heads) waiting.push({ head, entry: begin(head) });
      if (!isBusy) void work();
    });
    socket.on('close', () => {
      for (const { entry } of waiting.splice(0)) abort(entry);
    });

    async function work(): Promise<void> {
      isBusy = true;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await exchange(socket, next.head, next.entry);
      isBusy = false;
    }
  }

  function begin(head: RequestHead): LogEntry {
    const { host, path, method, userAgent } = head;
    const entry = {
      index: log.length,
      host,
      path,
      method,
      userAgent,
      startedAt: now(),
      endedAt: Infinity,
      status: 0,
    };
    log.push(entry);
    return entry;
  }

  async function exchange(socket: Socket, head: RequestHead, entry: LogEntry): Promise<void> {
    const wait = web.latencyMs(head.host) + Math.ceil((hash(head.host, head.path) / 2 ** 32) * latencyMs);
    if (wait > 0) await pause(socket, wait);
    if (socket.destroyed) return abort(entry);
    const answer = answerTo(head);
    entry.status = answer.status;
    if (answer.retryAt !== undefined) entry.retryAt = answer.retryAt;
    let endedAt = now();
    for (const piece of answer.pieces) {
      endedAt = now();
      if (!socket.write(piece)) await drained(socket);
      if (socket.destroyed) return abort(entry);
    }
    if (answer.after === 'hang') {
      await pause(socket, holdMs);
      if (socket.destroyed) return abort(entry);
      endedAt = now();
    }
    entry.endedAt = endedAt;
    if (answer.after === 'reset') socket.resetAndDestroy();
    else if (answer.after !== 'keep' || head.isLast) socket.end();
  }

  function answerTo(head: RequestHead): Answer {
    const url = canonical(`http://${head.host}${head.path}`);
    const resource = (url === undefined ? undefined : web.at(url)) ?? NOT_FOUND;
    let attempt = 1;
    // Only these count, so that a crawl of millions of URLs costs no memory here.
    if (resource.flaky !== undefined && url !== undefined) {
      attempt = (attempts.get(url) ?? 0) + 1;
      attempts.set(url, attempt);
    }
    const { method, acceptEncoding } = head;
    return render(resource, { method, acceptEncoding, attempt, now: Date.now() });
  }

  return {
    web,
    port: bound.port,
    address,
    seeds: web.seeds,
    log,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      for (const entry of log) if (entry.endedAt === Infinity) abort(entry);
    },
  };
}

function abort(entry: LogEntry): void {
  entry.endedAt = now();
  entry.isAborted = true;
}

/** Resolves after `ms`, or when the connection closes. */
function pause(socket: Socket, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    socket.on('close', done);
  });
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const done = () => {
      socket.off('close', done);
      socket.off('drain', done);
      resolve();
    };
    socket.on('close', done);
    socket.on('drain', done);
  });
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
