/**
 * The fetcher port over the simulated web. Its times are its process's; what the web sees of it is the
 * world's.
 */

import type { Body } from '../../shared/core/outcome/body.ts';
import type { FailureReason } from '../../shared/core/outcome/failure-codes.ts';
import type { FetchedResponse, FetchFailure, FetchOutcome } from '../../shared/core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import type { Fetcher } from '../../shared/crawler/ports/fetcher.ts';
import { type CallFaults, NO_CALL_FAULTS } from '../models/call-faults.ts';
import type { SimProcess } from '../models/process.ts';
import type { VirtualTime } from '../models/virtual-time.ts';
import type { Exchange } from './exchange.ts';

export interface SimFetcherOptions {
  readonly process: SimProcess;
  readonly time: VirtualTime;
  readonly userAgent: string;
  readonly calls?: CallFaults;
  /** The request reaches the server. */
  readonly open: (request: FetchRequest) => OpenExchange;
  readonly addressOf: (url: string) => string;
}

export interface OpenExchange {
  readonly exchange: Exchange;
  /** The client went away before it was over. */
  abandon(): void;
}

const CHUNK_BYTES = 64 * 1024;
/** A connection is kept for this long after an exchange, as the crawler does. */
const KEEP_ALIVE_MS = 8000;
/** The client's handshake of TLS, as measured with Node 24. */
const HANDSHAKE_BYTES = 1700;

export function createSimFetcher(options: SimFetcherOptions): Fetcher {
  const { process, time, userAgent, calls = NO_CALL_FAULTS, open, addressOf } = options;
  const { clock } = process;
  const underWay = new Set<Promise<unknown>>();
  const handshakeBytes = handshakes(() => clock.now());

  async function exchangeWith(request: FetchRequest): Promise<FetchOutcome> {
    const { url, signal } = request;
    const startedAt = clock.now();
    const failed = (reason: FailureReason) => failureOf(reason, { url, startedAt, endedAt: clock.now() });
    /** Whether it was still there then. */
    const waitUntil = async (at: number, abandon: () => void): Promise<boolean> => {
      await time.sleep(at - time.now(), signal);
      if (!signal?.aborted || time.now() >= at) return true;
      abandon();
      return false;
    };

    if (signal?.aborted) return failed('aborted');
    if (process.isDead) return process.io(() => failed('aborted'));
    // Sent now, even if the process has come to stand still in this moment: one that does so between its last
    // look at the clock and the sending hurries a host whatever its code is, so nothing would be shown by it.
    const { exchange, abandon } = open(request);
    const sentBytes = headOf(request, userAgent).length + handshakeBytes(request.url);
    const firstAt = exchange.kind === 'failed' ? exchange.endedAt : exchange.headAt;
    if (!(await process.io(() => waitUntil(firstAt, abandon)))) return failed('aborted');
    if (exchange.kind === 'failed')
      return {
        ...failed(exchange.reason),
        sentBytes,
        ...(exchange.isStaleConnection && { isStaleConnection: true }),
      };
    const { response, headAt, endedAt, bytes } = exchange;
    const { httpStatus, statusText, headers } = response;
    const feed = sinkOf(request, { httpStatus, statusText, headers });
    if (endedAt > headAt) {
      const first = Math.min(bytes.length >> 1, CHUNK_BYTES);
      feed(bytes.subarray(0, first));
      if (!(await process.io(() => waitUntil(endedAt, abandon)))) return failed('aborted');
      for (let at = first; at < bytes.length; at += CHUNK_BYTES) feed(bytes.subarray(at, at + CHUNK_BYTES));
    } else feed(bytes);
    return {
      status: 'response',
      url,
      startedAt,
      endedAt: clock.now(),
      sentBytes,
      httpStatus,
      statusText,
      headers,
      body: bodyOf(bytes, exchange.sha1),
      requestHead: headOf(request, userAgent),
      ipAddress: addressOf(url),
      ...(exchange.truncated && { truncated: exchange.truncated }),
    } satisfies FetchedResponse;
  }

  return {
    fetch(request) {
      const outcome = calls.request(process, () => exchangeWith(request));
      underWay.add(outcome);
      const done = () => underWay.delete(outcome);
      outcome.then(done, done);
      return outcome;
    },
    async close() {
      await Promise.allSettled(underWay);
    },
  };
}

/** Returns the bytes of the handshake of TLS for a request: none if its origin's connection has been kept. */
function handshakes(now: () => number): (url: string) => number {
  const lastAt = new Map<string, number>();
  return (url) => {
    const origin = url.slice(0, url.indexOf('/', 8));
    const isKept = now() - (lastAt.get(origin) ?? Number.NEGATIVE_INFINITY) < KEEP_ALIVE_MS;
    lastAt.set(origin, now());
    return isKept ? 0 : HANDSHAKE_BYTES;
  };
}

const failureOf = (
  reason: FailureReason,
  times: Pick<FetchFailure, 'url' | 'startedAt' | 'endedAt'>,
): FetchFailure => ({ status: 'failed', ...times, reason, message: MESSAGES[reason] ?? reason });

const MESSAGES: Partial<Record<FailureReason, string>> = {
  dns: 'the name does not resolve',
  connect: 'the connection is refused',
  tls: 'the server speaks no TLS',
  timeout: 'no response in time',
  reset: 'the connection ended before the response began',
  protocol: 'expected an HTTP/1.1 response, got something else',
  aborted: 'ended by our own signal',
};

/** Returns the receiver of the body's pieces: the caller's, until it throws. */
function sinkOf(request: FetchRequest, head: Parameters<NonNullable<FetchRequest['onHead']>>[0]) {
  const quietly = <T>(call: () => T): T | undefined => {
    try {
      return call();
    } catch {
      return undefined;
    }
  };
  let sink = quietly(() => request.onHead?.(head));
  return (piece: Uint8Array): void => {
    if (sink === undefined || piece.length === 0) return;
    try {
      sink(piece);
    } catch {
      sink = undefined;
    }
  };
}

function bodyOf(bytes: Uint8Array, sha1: Uint8Array): Body {
  return {
    size: bytes.length,
    sha1,
    bytes: async () => bytes,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
    },
    dispose: async () => {},
  };
}

function headOf({ url, headers = {} }: FetchRequest, userAgent: string): Uint8Array {
  const pathAt = url.indexOf('/', 8);
  const host = url.slice(url.indexOf('//') + 2, pathAt);
  let head = `GET ${url.slice(pathAt)} HTTP/1.1\r\nhost: ${host}\r\nUser-Agent: ${userAgent}\r\n`;
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
  return Buffer.from(`${head}Accept-Encoding: identity\r\n\r\n`, 'latin1');
}
