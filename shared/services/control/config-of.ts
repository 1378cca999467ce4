import type { CrawlConfig } from '../../core/crawl/config.ts';
import { NewerFormat } from '../../core/frontier/bytes.ts';
import { quoted } from '../../core/text/printable.ts';
import { parseStoredConfig } from '../../crawler/crawl-state/stored-config.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import { ControlError } from './control.ts';

/**
 * The configuration of a crawl. Throws {@link ControlError} (`conflict`) for one that a newer version of the program has begun,
 * with settings that this one does not know.
 */
export function configOf(crawl: string, { config }: Pick<CrawlRecord, 'config'>): CrawlConfig {
  try {
    return parseStoredConfig(config);
  } catch (error) {
    if (!(error instanceof NewerFormat)) throw error;
    throw new ControlError(
      'conflict',
      `The crawl ${quoted(crawl)} has settings that this version of Strand does not know. Deploy the newer version again, which has begun it`,
    );
  }
}
