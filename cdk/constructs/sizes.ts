/** Sizes of the functions and of their triggers that do not depend on the operator's options. */

/** MB. */
export const MEMORY_MB = {
  router: 1024,
  waker: 512,
  // Memory is CPU, and somebody waits for a cold start.
  api: 1024,
  compactor: 1769,
  // A whole CPU, for the texts of pages and for tables.
  exporter: 1769,
} as const;

/** The part of the exporter's memory for JavaScript objects: the names of a million files. The rest is for buffers. */
export const EXPORTER_HEAP_MB = 1200;

/** A message starts one worker. */
export const START_BATCH = 1;
/**
 * Batch sizes of a standard queue without a window, and with one: up to 6 MB of parcels together, and up to
 * 10,000.
 */
export const LINK_BATCH = 10;
export const LINK_WINDOW_BATCH = 1000;
/** Each routes some 1,000 parcels a window: the more there are, the less each host's links come together. */
const MAX_ROUTERS = 10;
/** The least concurrency that an event source takes. */
const MIN_ROUTERS = 2;

/**
 * Routers of the link queue at most. Few workers need few routers, which leaves concurrency to others in a small
 * account.
 */
export const routersFor = (workers: number): number =>
  Math.min(MAX_ROUTERS, Math.max(MIN_ROUTERS, Math.floor(workers / 2)));

/** Concurrency of each link shard: the least that Lambda takes, so that a shard's links come together. */
export const SHARD_ROUTERS = 2;
