/** Time-outs of the functions that do not depend on the operator's one value; `timesOf` has those that do. */

/** A batch of links is routed in a second or two; a crawl's hosts are woken in slices of it. */
export const ROUTER_TIMEOUT_S = 60;
/** A link shard is gathered for so long, the longest that Lambda takes, or until an event is full (6 MB). */
export const SHARD_WINDOW_S = 300;
/** Ends before the next one begins. */
export const WAKER_TIMEOUT_S = 55;
/** API Gateway waits no longer for a REST API's function. */
export const API_TIMEOUT_S = 29;
/** As long as Lambda lets a function run: joining a file of 1 GB takes minutes. */
export const COMPACTOR_TIMEOUT_S = 900;
/** As long as Lambda lets a function run: an export continues in the next one. */
export const EXPORTER_TIMEOUT_S = 900;
