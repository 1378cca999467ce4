import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
// Not from the package's index, which loads `fetch`, WebSocket and caches as well: 40 ms of CPU for each
// process and thread.
import Agent from 'undici/lib/dispatcher/agent.js';
import type { CrawlConfig } from '../crawl/config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { blockedPortOf } from '../url/blocked-ports.ts';
import { createAddressGuard } from './address-guard.ts';
import { createConnector } from './connector.ts';
import { createDnsCache, type Lookup } from './dns-cache.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';
import { type DescribedFailure, described } from './failure.ts';
import { createHostPins } from './host-pins.ts';
import type { FetchOutcome } from './outcome/fetch-outcome.ts';
import type { FetchRequest } from './outcome/fetch-request.ts';
import { createSocketBudget } from './socket-budget.ts';
import { newBodyMemory } from './spooled-body.ts';
import { createSystemLookup } from './system-lookup.ts';

/** A time-out of 0 means no limit. */
export interface FetcherOptions
  extends Pick<
    CrawlConfig,
    | 'userAgent'
    | 'contact'
    | 'allowPrivateAddresses'
    | 'resolve'
    | 'allowPorts'
    | 'allowInvalidCertificates'
    | 'connectTimeoutMs'
    | 'headersTimeoutMs'
    | 'idleTimeoutMs'
    | 'totalTimeoutMs'
    | 'maxBodyBytes'
    | 'maxHeaderBytes'
    | 'perHost'
  > {
  /** No request may ask for more than this. Default: each may ask for what it wants. */
  readonly mostBodyBytes?: number;
  /** Where bodies too large for memory go, in files without a name. Made when first needed. */
  readonly tempFolder: string;
  /** Stamps the outcomes and ages the DNS cache; the time-outs of real sockets run on real time. */
  readonly clock: Pick<Clock, 'now'>;
  /** Asked for names instead of the system; its answers are cached and judged like any. */
  readonly lookup?: Lookup;
  /** Sockets open at once, over all hosts; beyond, idle ones are closed, then requests wait. Default 900. */
  readonly maxSockets?: number;
  /** Certificates (PEM) trusted besides the usual ones. */
  readonly trustedCertificates?: readonly string[];
}

/** AWS Lambda gives a process 1,024 file descriptors; some are for files and the engine's own connections. */
const MAX_SOCKETS = 900;
/**
 * An idle connection is closed after this: long enough for the usual gaps between two requests to a host (1
 * to 5 s), short enough that hosts which are done with hold no descriptors. Servers commonly close at 5
 * (Apache, Node) to 75 s.
 */
const KEEP_ALIVE_MS = 8000;
/** If a server says when it will close (`Keep-Alive: timeout=5`), we close this much earlier. */
const KEEP_ALIVE_MARGIN_MS = 1000;

/**
 * Fetches by HTTP/1.1 over undici, its low-level API: raw headers, bodies neither decoded nor copied.
 * Connections are kept alive, `perHost` to an origin, one request at a time on each. Throws `InvalidConfig`.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  const { clock, maxHeaderBytes, perHost } = options;
  const now = () => clock.now();
  const budget = createSocketBudget(options.maxSockets ?? MAX_SOCKETS);
  const agent = new Agent({
    connections: perHost,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: Math.ceil(options.headersTimeoutMs),
    bodyTimeout: Math.ceil(options.idleTimeoutMs),
    connect: createConnector({
      connectTimeoutMs: options.connectTimeoutMs,
      budget,
      guard: createAddressGuard(options.allowPrivateAddresses),
      pin: createHostPins(options.resolve),
      resolve: createDnsCache(options.lookup ?? createSystemLookup(), now),
      trustedCertificates: options.trustedCertificates,
      allowInvalidCertificates: options.allowInvalidCertificates,
    }),
  });

  // undici publishes the head it sends, and its socket, on a channel of the whole process, in the same
  // synchronous step that starts the request: so the message after a start is about that request.
  let starting: Exchange | undefined;
  const onSendHeaders = (message: unknown) => {
    const exchange = starting;
    if (exchange === undefined) return;
    starting = undefined;
    const { headers, socket } = message as { headers: string; socket: Socket };
    exchange.onSent(headers, socket);
  };
  subscribe('undici:client:sendHeaders', onSendHeaders);

  const ownHeaders = commonHeaders(options);
  const context: ExchangeContext = {
    dispatch(exchange) {
      const { url, method = 'GET', headers, body } = exchange.request;
      const { origin, path } = requestTarget(url);
      const options = {
        origin,
        path,
        method: method as Dispatcher.HttpMethod,
        headers: merge(ownHeaders, headers),
      };
      agent.dispatch(body === undefined ? options : { ...options, body }, exchange);
    },
    onStart(exchange) {
      starting = exchange;
    },
    now,
    budget,
    tempFolder: options.tempFolder,
    memory: newBodyMemory(),
    headersTimeoutMs: options.headersTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    totalTimeoutMs: options.totalTimeoutMs,
    maxBodyBytes: options.maxBodyBytes,
    mostBodyBytes: options.mostBodyBytes,
    maxHeaderBytes,
  };

  return {
    fetch(request: FetchRequest): Promise<FetchOutcome> {
      const { url } = request;
      const fault = faultOf(url, options.allowPorts);
      if (fault !== undefined) {
        const at = now();
        return Promise.resolve({ status: 'failed', url, startedAt: at, endedAt: at, ...fault });
      }
      return new Promise((resolve, reject) => {
        new Exchange(context, request, resolve, reject).begin();
      });
    },
    /** Waits for the exchanges under way. */
    async close() {
      if (agent.closed) return;
      await agent.close();
      unsubscribe('undici:client:sendHeaders', onSendHeaders);
    },
  };
}

/** Returns why no request may be made for `url`, be it of a page, a redirect or a middleware. */
function faultOf(url: string, allowPorts: readonly number[]): DescribedFailure | undefined {
  const parsed = /^https?:\/\//.test(url) ? URL.parse(url) : null;
  if (parsed === null) {
    const text = JSON.stringify(url.slice(0, 200));
    return described('invalidRequest', `Expected an absolute http or https URL, got ${text}`);
  }
  const port = blockedPortOf(parsed.host, allowPorts);
  return port === undefined
    ? undefined
    : described('blockedPort', `browsers refuse port ${port}; \`--allow-port ${port}\` allows it`);
}

/**
 * Few, since each one distinguishes the crawler from a browser; content codings are those that the parser
 * decodes.
 */
/** `URL.search` leaves out the `?` of an empty query, which is part of the URL: RFC 3986, section 6.2.3. */
function requestTarget(url: string): { origin: string; path: string } {
  const { origin, pathname, search, href } = new URL(url);
  const hasEmptyQuery = search === '' && href.split('#', 1)[0]!.endsWith('?');
  return { origin, path: pathname + (hasEmptyQuery ? '?' : search) };
}

function commonHeaders({ userAgent, contact }: FetcherOptions): readonly string[] {
  return [
    'User-Agent',
    contact === undefined ? userAgent : `${userAgent} (+${contact})`,
    'Accept',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Encoding',
    'gzip, br, zstd',
    // Some hosts answer 406 without it. English first, where a host has several languages and no URL for
    // each.
    'Accept-Language',
    'en;q=0.8, *;q=0.5',
  ];
}

/** Names and values in turn; the request's own take the place of ours of that name. */
function merge(ours: readonly string[], own: FetchRequest['headers']): string[] {
  if (own === undefined) return ours as string[];
  const entries = Object.entries(own);
  const taken = new Set(entries.map(([name]) => name.toLowerCase()));
  const kept = ours.filter((_, i) => !taken.has((ours[i - (i % 2)] as string).toLowerCase()));
  return [...kept, ...entries.flat()];
}
