import QuickLRU from 'quick-lru';
import { z } from 'zod';
import { type CrawlConfig, parseConfig } from '../../core/crawl/config.ts';
import { NewerFormat } from '../../core/frontier/bytes.ts';

/** Faults of settings that a later version may have written: keys and values that it has added. */
const ADDED: readonly string[] = ['unrecognized_keys', 'invalid_value', 'invalid_union'];

/** Those parsed last, by their texts: to parse one takes 0.1 ms, and many crawls have the same. */
const MAX_PARSED = 5;
const parsed = new QuickLRU<string, CrawlConfig>({ maxSize: MAX_PARSED });

/**
 * The configuration in a crawl's record. Throws {@link NewerFormat} where a newer version has written it: the crawl waits
 * until that is deployed again.
 */
export function parseStoredConfig(stored: unknown): CrawlConfig {
  try {
    const text = JSON.stringify(stored) ?? '';
    const config = parsed.get(text) ?? parseConfig(stored);
    parsed.set(text, config);
    // An object of its own for each crawl: what belongs to a crawl is found by it.
    return { ...config };
  } catch (error) {
    const { cause, message } = error as Error;
    if (!(cause instanceof z.ZodError) || !cause.issues.some(({ code }) => ADDED.includes(code))) throw error;
    throw new NewerFormat(`a crawl's settings that this program does not know: ${message}`, { cause: error });
  }
}
