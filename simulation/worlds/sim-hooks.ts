/** The project's hooks in worlds that have some. What a hook does follows from the seed and the page's URL. */
import type { HookedPage, PageHooks, PageRequest } from '../../shared/crawler/turn/page-hooks.ts';
import type { SimProcess } from '../models/process.ts';
import { between, randomOf } from '../models/random.ts';
import { nameOf } from '../web/own-requests.ts';

/** The items of a simulated hook. */
export interface SimItem {
  /** As the ledger knows the page: of a request of a hook, its name. */
  readonly url: string;
}

/** The requests that a hook makes for a page. */
export type RequestsOf = (url: string) => readonly PageRequest[];

/** The key of the number of items, in the state of the hooks. */
export const SIM_ITEMS = 'items';
/** The key of a host's flag there, and its only value: in some worlds. */
export const SIM_FLAG = 'flag';
export const FLAG_VALUE = '"up"';

/** Worlds whose hooks have flags; and pages there of which a hook changes the flag alone. */
const FLAGS_CHANCE = 0.4;
const ONLY_FLAG = 0.3;

/** Chances of a page: its extraction fails, its `onPage` fails, a hook takes long. */
const EXTRACTION_FAILS = 0.05;
const PAGE_FAILS = 0.05;
const IS_SLOW = 0.05;
const MAX_SLOW_MS = 2000;
/** A page counts up to 8 times as much as another one, or as little. */
const MAX_FACTOR_LOG = 3;

/** The language of a page, as its URL decides it; undefined for some. */
export const simLanguage = (url: string): string | undefined => ['de', 'en', undefined][url.length % 3];

/**
 * Returns hooks with an item for each page, and `requestsOf` a page that no hook has requested. Some fail, as
 * `shared/services/hooks/` reports it; some take seconds.
 */
export function createSimHooks(
  seed: number,
  { clock }: Pick<SimProcess, 'clock'>,
  requestsOf: RequestsOf = () => [],
): PageHooks {
  const randomFor = (hook: string, url: string) => randomOf(seed, hook, url);
  const hasFlags = randomOf(seed, 'flags of hooks')() < FLAGS_CHANCE;

  /** Counts the items that are given for pages of the host, and all of them. */
  function count({ url, state }: HookedPage): void {
    const increment = (before = '0') => String(Number(before) + 1);
    for (const key of [SIM_ITEMS, `${SIM_ITEMS} ${new URL(url).host}`])
      state?.change({ key, apply: increment });
  }

  /** Sets the host's flag, removes it, or leaves it as it is. Returns whether the hook does nothing else for the page. */
  function flag({ url, state }: HookedPage): boolean {
    if (!hasFlags || !state) return false;
    const random = randomFor('flag', url);
    const key = `${SIM_FLAG} ${new URL(url).host}`;
    const way = Math.floor(3 * random());
    const apply = [() => FLAG_VALUE, () => undefined, (before?: string) => before][way];
    const after = state.change({ key, apply: apply as (before?: string) => string | undefined });
    const listed = state.entries().find(([name]) => name === key)?.[1];
    if (listed !== after || state.get(key) !== after)
      throw new Error(`Expected ${after} as the entry ${key}, got ${listed}`);
    return random() < ONLY_FLAG;
  }

  async function call<T extends object>(hook: string, page: HookedPage, chance: number, answer: T) {
    const { url, around = (part) => part() } = page;
    const random = around(() => randomFor(hook, url));
    if (random() < IS_SLOW) await clock.sleep(between(random, 1, MAX_SLOW_MS));
    return random() < chance ? { ...answer, error: `the ${hook} hook failed` } : answer;
  }

  return {
    extract: (page) => call('extraction', page, EXTRACTION_FAILS, { facts: page.facts }),
    onPage(page) {
      const { url, request } = page;
      const requests = request ? [] : requestsOf(url);
      if (flag(page)) return call('onPage', page, PAGE_FAILS, { items: [], requests });
      count(page);
      const item: SimItem = { url: request ? nameOf({ url, request }) : url };
      // Only crawls that fetch pages again go by it.
      const importance = 2 ** (MAX_FACTOR_LOG * (2 * randomFor('importance', url)() - 1));
      return call('onPage', page, PAGE_FAILS, { items: [JSON.stringify(item)], requests, importance });
    },
    async onError(url) {
      const random = randomFor('onError', url);
      if (random() < IS_SLOW) await clock.sleep(between(random, 1, MAX_SLOW_MS));
    },
  };
}
