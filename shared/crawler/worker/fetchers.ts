import type { CrawlConfig } from '../../core/crawl/config.ts';
import type { Crawl } from '../crawl-state/crawls.ts';
import type { Fetcher } from '../ports/fetcher.ts';

/**
 * Fetchers of the crawls that a process works for: one for each crawl and configuration, kept while it is in
 * use.
 */
export interface Fetchers {
  /**
   * Returns the same fetcher each time, for a crawl configured in the same way. Call it at each fetch.
   */
  of(crawl: Pick<Crawl, 'id' | 'config'>): Fetcher;
  /** Waits for the exchanges in progress. */
  close(): Promise<void>;
}

export interface FetchersOptions {
  readonly make: (config: CrawlConfig) => Fetcher;
  /** Fetchers kept; the one not requested for the longest time is closed for the next one. */
  readonly max: number;
  /** Called for a fetcher that could not be closed. */
  readonly onError?: (error: unknown) => void;
}

export function createFetchers({ make, max, onError }: FetchersOptions): Fetchers {
  // A map keeps the order of insertion: the first has not been requested for the longest.
  const kept = new Map<string, Fetcher>();
  /** Resolves when all fetchers that are closing have closed: their requests run to their end. */
  let closing: Promise<void> = Promise.resolve();

  function close(key: string, fetcher: Fetcher): void {
    kept.delete(key);
    const ended = fetcher.close().catch((error) => onError?.(error));
    closing = closing.then(() => ended);
  }

  return {
    of({ id, config }) {
      const key = `${id} ${textOf(config)}`;
      const fetcher = kept.get(key) ?? make(config);
      kept.delete(key);
      kept.set(key, fetcher);
      for (const [oldest, old] of kept) {
        if (kept.size <= max) break;
        close(oldest, old);
      }
      return fetcher;
    },
    async close() {
      for (const [key, fetcher] of kept) close(key, fetcher);
      await closing;
    },
  };
}

/**
 * A crawl's configuration is one object while it stays the same: it is written out once, not at each fetch.
 */
const texts = new WeakMap<CrawlConfig, string>();

function textOf(config: CrawlConfig): string {
  const text = texts.get(config) ?? JSON.stringify(config);
  texts.set(config, text);
  return text;
}
