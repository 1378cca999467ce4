/** undici's agent: connections that are kept alive, one request at a time on each. */
// Not from the package's index, which loads `fetch`, WebSocket and caches as well: 40 ms of CPU for each
// process and thread.
import UndiciAgent from 'undici/lib/dispatcher/agent.js';
import type { CrawlConfig } from '../../core/crawl/config.ts';
import { type ConnectorOptions, createConnector } from './connector.ts';

export type Agent = InstanceType<typeof UndiciAgent>;

export type AgentOptions = Pick<
  CrawlConfig,
  'maxHeaderBytes' | 'perHost' | 'headersTimeoutMs' | 'idleTimeoutMs'
>;

/**
 * An idle connection is closed after this: long enough for the usual gaps between two requests to a host (1
 * to 5 s), short enough that hosts which are done with hold no descriptors. Servers commonly close at 5
 * (Apache, Node) to 75 s.
 */
const KEEP_ALIVE_MS = 8000;
/** If a server says when it will close (`Keep-Alive: timeout=5`), we close this much earlier. */
const KEEP_ALIVE_MARGIN_MS = 1000;

export function createAgent(
  { maxHeaderBytes, perHost, headersTimeoutMs, idleTimeoutMs }: AgentOptions,
  connecting: ConnectorOptions,
): Agent {
  return new UndiciAgent({
    connections: perHost,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: Math.ceil(headersTimeoutMs),
    bodyTimeout: Math.ceil(idleTimeoutMs),
    connect: createConnector(connecting),
  });
}
