/** Crawls of a stack as crawling has left them, written by the registry and the ledgers themselves. */
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { URL_RULES_VERSION } from '../../shared/core/url/canonical.ts';
import type { OpenedStack } from '../../shared/engines/aws/stack.ts';

type Stack = Pick<OpenedStack, 'engine'>;

const DAY_MS = 86_400_000;
/** Crawls that are written at once. */
const AT_ONCE = 200;
const PAGES = 10;
/** For leases of any stack. */
const FITTING: CrawlOptions = { totalTimeoutMs: 5000, headersTimeoutMs: 5000, hookTimeoutMs: 1000 };

export interface CrawlAtRest {
  readonly crawl: string;
  /** Default: a crawl that fetches its pages again each day. */
  readonly config?: CrawlOptions;
  /** When its host is due; none: it has nothing left to do. */
  readonly dueAt?: number;
}

/** The host of such a crawl. */
export const crowdHostOf = (crawl: string): string => `www.${crawl}.test`;

/** Crawls that run, and whose host waits. */
export async function fillRunning({ engine }: Stack, crawls: readonly CrawlAtRest[]): Promise<void> {
  const at = engine.clock.now();
  await forEach(crawls, async ({ crawl, config, dueAt }) => {
    const options = config ?? { recrawlEveryMs: DAY_MS };
    await engine.registry.create(crawl, {
      ...recordOf(crawl, options),
      status: 'running',
      ...(options.recrawlEveryMs !== undefined && { firstPass: { at, isAnnounced: true } }),
    });
    await engine.ledgers.commit(crawl, crowdHostOf(crawl), headAt(dueAt));
  });
}

/** Crawls that have finished, and whose end was announced. */
export async function fillStored({ engine }: Stack, crawls: readonly string[]): Promise<void> {
  await forEach(crawls, async (crawl) => {
    await engine.registry.create(crawl, { ...recordOf(crawl, {}), status: 'running' });
    await engine.ledgers.commit(crawl, crowdHostOf(crawl), headAt(undefined));
    await engine.registry.setStatus(crawl, 'finished');
    const unannounced = await engine.registry.loadUnannounced(crawl);
    if (unannounced) await engine.registry.noteAnnounced(unannounced);
  });
}

const recordOf = (crawl: string, config: CrawlOptions) => ({
  config: { ...FITTING, contact: 'https://sim.test/about', ...config },
  scopeSeeds: [`https://${crowdHostOf(crawl)}/`],
  urlRulesVersion: URL_RULES_VERSION,
});

/** A host all of whose pages were fetched. Its ledger has no parts: a turn finds nothing to do. */
function headAt(dueAt: number | undefined): Head {
  const { ledger, totals } = NEW_HEAD;
  return {
    ...NEW_HEAD,
    version: 1,
    ledger: { ...ledger, counts: { ...ledger.counts, fetched: PAGES } },
    totals: {
      ...totals,
      pages: PAGES,
      requests: PAGES + 1,
      bytes: PAGES * 30_000,
      httpStatus: { 200: PAGES },
    },
    ...(dueAt !== undefined && { dueAt }),
  };
}

async function forEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE)
    await Promise.all(all.slice(from, from + AT_ONCE).map(work));
}
