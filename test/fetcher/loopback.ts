import type { FetcherOptions } from '../../shared/fetcher/fetcher.ts';

/** How a fetcher is set for servers of this machine: every name is pinned to it. */
export const LOOPBACK = {
  userAgent: 'Strand/0.1',
  allowPrivateAddresses: ['127.0.0.0/8'],
  resolve: [['*', '127.0.0.1']],
  allowPorts: [] as number[],
  allowInvalidCertificates: false,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  totalTimeoutMs: 20_000,
  maxBodyBytes: 16 * 1024 * 1024,
  maxHeaderBytes: 262_144,
  perHost: 1,
} satisfies Partial<FetcherOptions>;
