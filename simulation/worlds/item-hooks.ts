import type { PageHooks } from '../../shared/turn/page-hooks.ts';

/** The items of a simulated hook. */
export interface SimItem {
  readonly url: string;
}

/** A project that returns an item for each page. */
export const ITEM_OF_EACH_PAGE: PageHooks = {
  extract: async ({ facts }) => ({ facts }),
  onPage: async ({ url }) => ({ items: [JSON.stringify({ url } satisfies SimItem)] }),
  onError: async () => {},
};
