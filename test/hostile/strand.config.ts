/** Short waits, so that the quick cases need no minutes. */
export default {
  crawl: {
    retryMs: 50,
    backoffMs: 50,
    maxBackoffMs: 400,
    connectTimeoutMs: 2000,
    headersTimeoutMs: 3000,
    idleTimeoutMs: 3000,
    totalTimeoutMs: 20_000,
    // Beside other tests, reading a large page takes many times its CPU time.
    blockTimeoutMs: 20_000,
  },
};
