/**
 * How long a robots.txt may be used: `shared/core/robots/policy.ts` and `shared/crawler/turn/robots/robots-keeper.ts` promise
 * these.
 */

/** Whatever Cache-Control and configuration say. */
export const MIN_ROBOTS_AGE_MS = 300_000;
export const MAX_ROBOTS_AGE_MS = 86_400_000;
/** From each time that it could not be fetched again. */
export const STALE_MS = 600_000;
