import QuickLRU from 'quick-lru';
import { z } from 'zod';
import { type CrawlConfig, parseConfig } from '../../core/crawl/config.ts';
import { NewerFormat } from '../../core/frontier/bytes.ts';

/** Faults of settings that a later version may have written: keys and values that it has added. */
const ADDED: readonly string[] = ['unrecognized_keys', 'invalid_value', 'invalid_union'];

/** The configurations parsed last, by their texts: parsing takes 0.1 ms, and many crawls have equal ones. */
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
    // Each crawl gets an object of its own, which serves as the key of the crawl's other objects.
    return { ...config };
  } catch (error) {
    const { cause, message } = error as Error;
    if (!(cause instanceof z.ZodError) || !cause.issues.some(({ code }) => ADDED.includes(code))) throw error;
    throw new NewerFormat(`a crawl's settings that this program does not know: ${message}`, { cause: error });
  }
}
