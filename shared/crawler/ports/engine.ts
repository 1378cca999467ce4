/**
 * The ports of an engine. The core (the pure folders and `worker/`) knows nothing of AWS, SQLite or files; it
 * calls these few interfaces, in the domain's words. Every engine passes one contract suite
 * (`test/contract/`).
 *
 * In all ports times are milliseconds since the epoch (`...At`, `...Until`) or durations in milliseconds
 * (`...Ms`). Delivery is at-least-once everywhere; every write is either conditional or safe to repeat.
 */

import type { Sizes } from '../../core/base/sizes.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Archive } from './archive.ts';
import type { Clock } from './clock.ts';
import type { CrawlRegistry } from './crawl-registry.ts';
import type { HookErrorLog } from './hook-error-log.ts';
import type { ItemStore } from './item-store.ts';
import type { JarStore } from './jar-store.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { LinkExchange } from './link-exchange.ts';
import type { PayloadIndex } from './payload-index.ts';
import type { SharedState } from './shared-state.ts';
import type { SkipLog } from './skip-log.ts';
import type { TurnQueue } from './turn-queue.ts';

/**
 * The ports that an engine may leave out. Without one, the worker goes without what it gives, and nothing
 * else is lost.
 */
export interface OptionalPorts {
  readonly payloads?: PayloadIndex;
  readonly skips?: SkipLog;
  readonly items?: ItemStore;
  /** Changes of pages, as lines of JSON, until the operator's programs have received them. */
  readonly changes?: ItemStore;
  readonly hookErrors?: HookErrorLog;
  /** Without it, cookies are kept for one turn. */
  readonly jars?: JarStore;
  /** Without it, hooks have a state of their own. */
  readonly state?: SharedState;
}

/** All that a worker is given. */
export interface Engine extends OptionalPorts {
  readonly queue: TurnQueue;
  readonly exchange: LinkExchange;
  readonly ledgers: LedgerStore;
  /** Returns the archive of the crawl's WARC records, the same object at each call. */
  archiveOf(crawl: CrawlId): Archive;
  readonly registry: CrawlRegistry;
  readonly clock: Clock;
  /** Default: `SIZES`. */
  readonly sizes?: Sizes;
}
