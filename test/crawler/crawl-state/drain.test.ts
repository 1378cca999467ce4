import { expect, test } from 'vitest';
import { type CrawlOptions, parseConfig } from '../../../shared/core/crawl/config.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { createBudget } from '../../../shared/crawler/crawl-state/budget.ts';
import type { Crawl, Crawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import { endOf, isCutShort, isDraining } from '../../../shared/crawler/crawl-state/drain.ts';
import { endCrawlsAtLimits } from '../../../shared/crawler/crawl-state/limits.ts';
import type { CrawlRegistry, CrawlStatus } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import { createFakeClock, T0 } from '../worker/fake-clock.ts';

interface Situation {
  readonly config?: CrawlOptions;
  readonly pages?: number;
  readonly status?: CrawlStatus;
  readonly fetched?: number;
  readonly isQuiet?: boolean;
  readonly isShared?: boolean;
  /** Requisites that the heads of hosts await, by host. */
  readonly awaited?: Readonly<Record<string, number | undefined>>;
}

function open({
  config,
  pages = 3,
  status = 'running',
  fetched = 0,
  isQuiet = false,
  isShared = false,
  awaited = {},
}: Situation) {
  const parsed = parseConfig({ maxPages: 3, requisites: true, ...config });
  const used = { pages, bytes: 0, activeMs: 0, requisites: { fetched } };
  const budget = createBudget(parsed, used, () => T0, { isShared });
  const crawl = { id: 'c', config: parsed, budget, status } as Crawl;
  const log: unknown[] = [];
  const registry = {
    isShared,
    async totals(id: string) {
      expect([id, isShared]).toEqual(['c', false]);
      return used;
    },
    async isQuiet(id: string, requisitesOnly: boolean) {
      expect([id, requisitesOnly]).toEqual(['c', true]);
      return isQuiet;
    },
    setStatus: async (...args: unknown[]) => void log.push(args),
  } as unknown as CrawlRegistry;
  const crawls = { known: () => [crawl], refresh: (id: string) => void log.push(id) } as unknown as Crawls;
  const ledgers = {
    async dueHosts(id: string, now: number, _max: number, from: number) {
      expect([id, now, from]).toEqual(['c', T0, T0]);
      return Object.keys(awaited).map((host) => ({ host }));
    },
    async loadHead(id: string, host: string) {
      expect(id).toBe('c');
      const count = awaited[host];
      return count === undefined ? undefined : { totals: { ...NO_TOTALS, requisites: { awaited: count } } };
    },
  };
  const engine = { registry, ledgers, clock: createFakeClock() } as unknown as Engine;
  return { crawl, registry, engine, crawls, log };
}

const MANY = {
  status: 'limited',
  reason: { code: 'requisites', text: '1000 requisites for each of 3 pages' },
};
const PAGES = { status: 'limited', reason: { code: 'maxPages', text: '3 pages' }, allowsRequisites: true };

test('a crawl that fetches requisites drains at its limit of pages while it runs', () => {
  expect(isDraining(open({}).crawl)).toBe(true);
  expect(isDraining(open({ status: 'paused' }).crawl)).toBe(false);
  expect(isDraining(open({ pages: 2 }).crawl)).toBe(false);
  expect(isDraining(open({ config: { requisites: false } }).crawl)).toBe(false);
});

test('a crawl without requisites ends at its limit at once', async () => {
  const { crawl, engine } = open({ config: { requisites: false } });
  const met = crawl.budget.metFinally();
  expect(met).toEqual({ status: 'limited', reason: { code: 'maxPages', text: '3 pages' } });
  expect(await endOf(engine, crawl, met)).toEqual(met);
});

test('a crawl with requisites ends at its limit when it awaits none', async () => {
  const waiting = open({});
  expect(await endOf(waiting.engine, waiting.crawl, waiting.crawl.budget.metFinally())).toBeUndefined();
  const quiet = open({ isQuiet: true });
  expect(await endOf(quiet.engine, quiet.crawl, quiet.crawl.budget.metFinally())).toEqual(PAGES);
  // Without a limit met it continues, however quiet it is.
  expect(await endOf(quiet.engine, quiet.crawl, undefined)).toBeUndefined();
});

test('the requisites of a crawl are counted again at each look', async () => {
  const { crawl, engine, registry } = open({ pages: 1 });
  let fetched = 0;
  const totals = { pages: 1, bytes: 0, activeMs: 0 };
  registry.totals = async () => ({ ...totals, requisites: { fetched } }) as never;
  const ends: unknown[] = [];
  for (fetched of [2999, 3000, 0]) ends.push(await endOf(engine, crawl, undefined));
  expect(ends).toEqual([undefined, MANY, undefined]);
});

test('a thousand requisites for each page end a crawl, whatever else it awaits', async () => {
  for (const isShared of [false, true]) {
    const { crawl, engine } = open({ fetched: 3000, pages: 1, isShared });
    expect(await endOf(engine, crawl, undefined)).toEqual(MANY);
  }
  const fewer = open({ fetched: 2999, pages: 1 });
  expect(await endOf(fewer.engine, fewer.crawl, undefined)).toBeUndefined();
  const without = open({ fetched: 3000, pages: 1, config: { requisites: false } });
  expect(await endOf(without.engine, without.crawl, undefined)).toBeUndefined();
});

test('a crawl was cut short if it was called limited and a host has requisites that it would have awaited', async () => {
  const cut = async (situation: Situation, awaited?: number) => {
    const { crawl, registry } = open({ status: 'limited', ...situation });
    const totals = awaited === undefined ? NO_TOTALS : { ...NO_TOTALS, requisites: { awaited } };
    return isCutShort(registry, crawl, totals);
  };
  expect(await cut({}, 1)).toBe(true);
  expect(await cut({}, 0)).toBe(false);
  expect(await cut({})).toBe(false);
  expect(await cut({ status: 'running' }, 1)).toBe(false);
  expect(await cut({ pages: 2 }, 1)).toBe(false);
  expect(await cut({ fetched: 3000 }, 1)).toBe(false);
});

test('a running crawl that has reached a limit is ended, with the reason, and loaded again', async () => {
  const { engine, crawls, log } = open({ isQuiet: true });
  await endCrawlsAtLimits(engine, crawls);
  const condition = { from: ['running'], limits: { maxPages: 3 } };
  expect(log).toEqual([['c', 'limited', { code: 'maxPages', text: '3 pages' }, condition], 'c']);
});

test('crawls that do not run, and those within their limits, stay as they are', async () => {
  for (const situation of [{ status: 'paused' as const, isQuiet: true }, { pages: 2, isQuiet: true }, {}]) {
    const { engine, crawls, log } = open(situation);
    await endCrawlsAtLimits(engine, crawls);
    expect(log).toEqual([]);
  }
});

test('where several processes work for it, a crawl continues while the head of a host awaits requisites', async () => {
  const end = ({ crawl, engine }: ReturnType<typeof open>) => endOf(engine, crawl, crawl.budget.metFinally());
  const shared = { isQuiet: true, isShared: true };
  expect(await end(open({ ...shared, awaited: { a: 0, b: undefined, d: 1 } }))).toBeUndefined();
  expect(await end(open({ ...shared, awaited: { a: 0, b: undefined } }))).toEqual(PAGES);
  expect(await end(open(shared))).toEqual(PAGES);
  // Other hosts are due at the next look.
  const awaited: Record<string, number> = { a: 0 };
  const growing = open({ ...shared, awaited });
  expect(await end(growing)).toEqual(PAGES);
  awaited.b = 1;
  expect(await end(growing)).toBeUndefined();
  // One process knows all of its hosts.
  expect(await end(open({ isQuiet: true, awaited: { d: 1 } }))).toEqual(PAGES);
});

test('a registry that fails leaves the crawl as it is known', async () => {
  const { engine, registry, crawls, log } = open({ isQuiet: true });
  registry.setStatus = () => Promise.reject(new Error('the registry is out of reach'));
  await expect(endCrawlsAtLimits(engine, crawls)).rejects.toThrow('out of reach');
  expect(log).toEqual([]);
});
