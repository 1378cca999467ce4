import type { LocalCrawlRegistry } from '../registry.ts';

/**
 * The registry of one thread of several that work for a crawl. `onChange`: called when the crawl's record has
 * been changed here, before the change is answered.
 */
export function sharingRegistry(registry: LocalCrawlRegistry, onChange: () => void): LocalCrawlRegistry {
  return {
    ...registry,
    async setStatus(...args) {
      const isSet = await registry.setStatus(...args);
      onChange();
      return isSet;
    },
    async resume(...args) {
      const resumes = await registry.resume(...args);
      onChange();
      return resumes;
    },
    async configure(...args) {
      await registry.configure(...args);
      onChange();
    },
    async addScopeSeeds(...args) {
      await registry.addScopeSeeds(...args);
      onChange();
    },
    async setSites(...args) {
      await registry.setSites(...args);
      onChange();
    },
    async noteFirstPass(...args) {
      await registry.noteFirstPass(...args);
      onChange();
    },
    async setUrlRulesVersion(...args) {
      await registry.setUrlRulesVersion(...args);
      onChange();
    },
  };
}
