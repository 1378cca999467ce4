import type { CrawlId } from '../../core/crawl/crawl-id.ts';

/** Keys of a crawl. */
export const MAX_STATE_KEYS = 10_000;
/** Bytes of a value on a stack (an item of DynamoDB holds 400 KB, its key among them). */
export const MAX_STATE_VALUE_BYTES = 350_000;

/** A change of a value that a hook keeps. Values are JSON. */
export interface StateChange {
  readonly key: string;
  /**
   * Returns the new value; undefined: none any more. `before`: the value as it is when the visit is committed. Called once for
   * each try of the commit. Never throws.
   */
  readonly apply: (before: string | undefined) => string | undefined;
}

/** The values of a crawl by key, as they are known here. */
export interface SharedValues {
  get(key: string): string | undefined;
  entries(): IterableIterator<[key: string, value: string]>;
  /** Keys, and characters of all values. */
  readonly size: number;
  readonly chars: number;
}

/**
 * The values that hooks keep from page to page, for engines whose workers share no memory. A turn's changes become durable
 * with its head, by `LedgerStore.commit`: all of them, once, or none.
 */
export interface SharedState {
  /**
   * Resolves to the values as they were some seconds ago at most (large ones: minutes), with all that this process has
   * committed. A crawl always gets the same object: it follows later changes.
   */
  read(crawl: CrawlId): Promise<SharedValues>;
}
