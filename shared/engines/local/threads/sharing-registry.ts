import type { Tally } from '../../../crawl-state/tally.ts';
import type { LocalCrawlRegistry } from '../registry.ts';

export interface Sharing {
  /** Counts the pages and bytes of all threads. */
  readonly tally: Pick<Tally, 'pages' | 'bytes'>;
  /** Called when the crawl's record has been changed here, before the change is answered. */
  readonly onChange: () => void;
}

/** The registry of one thread of several that work for a crawl. */
export function sharingRegistry(
  registry: LocalCrawlRegistry,
  { tally, onChange }: Sharing,
): LocalCrawlRegistry {
  return {
    ...registry,
    async setStatus(...args) {
      const isSet = await registry.setStatus(...args);
      onChange();
      return isSet;
    },
    async configure(...args) {
      await registry.configure(...args);
      onChange();
    },
    async addScopeSeeds(...args) {
      await registry.addScopeSeeds(...args);
      onChange();
    },
    async totals(crawl) {
      return { ...(await registry.totals(crawl)), pages: tally.pages(), bytes: tally.bytes() };
    },
  };
}
