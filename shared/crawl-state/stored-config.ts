import { z } from 'zod';
import { type CrawlConfig, parseConfig } from '../crawl/config.ts';
import { NewerFormat } from '../frontier/bytes.ts';

/** Faults of settings that a later version may have written: keys and values that it has added. */
const ADDED: readonly string[] = ['unrecognized_keys', 'invalid_value', 'invalid_union'];

/**
 * The configuration in a crawl's record. Throws {@link NewerFormat} where a newer version has written it: the crawl waits
 * until that is deployed again.
 */
export function parseStoredConfig(stored: unknown): CrawlConfig {
  try {
    return parseConfig(stored);
  } catch (error) {
    const { cause, message } = error as Error;
    if (!(cause instanceof z.ZodError) || !cause.issues.some(({ code }) => ADDED.includes(code))) throw error;
    throw new NewerFormat(`a crawl's settings that this program does not know: ${message}`, { cause: error });
  }
}
