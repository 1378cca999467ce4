import type { FetcherOptions } from '../../../shared/crawler/fetcher/fetcher.ts';

/** How a fetcher is set for servers of this machine: every name is pinned to it. */
export const LOOPBACK = {
  userAgent: 'Strand/0.1',
  allowPrivateAddresses: ['127.0.0.0/8'],
  resolve: [['*', '127.0.0.1']],
  allowPorts: [] as number[],
  // Nothing waits for them, however busy the machine is: a test of a time-out has its own.
  connectTimeoutMs: 60_000,
  headersTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 120_000,
  maxBodyBytes: 16 * 1024 * 1024,
  maxHeaderBytes: 262_144,
  perHost: 1,
} satisfies Partial<FetcherOptions>;
