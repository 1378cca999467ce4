import type { CrawlId, CrawlRecord } from '../ports.ts';
import type { ControlEngine } from './control-engine.ts';
import type { CrawlSummary } from './summary.ts';
import { summaryOf } from './summary-of.ts';

/** WARC files named. */
const MAX_FILES = 1000;
/** Hosts set aside that are named ... */
const MAX_SET_ASIDE = 100;
/** ... and looked for: nothing counts them, so each host's head is read. A larger crawl names none. */
const MAX_SCANNED_HOSTS = 2000;
const PAGE = 500;
/** Pages may be short where an engine keeps many crawls together: what is read stays bounded. */
const MAX_PAGES = 8;

/** What the crawl has come to, by a few reads. */
export async function summarizeCrawl(
  engine: ControlEngine,
  crawl: CrawlId,
  record: CrawlRecord,
): Promise<CrawlSummary> {
  const totals = await engine.registry.totals(crawl);
  const [files, setAside] = await Promise.all([
    engine.warcFiles?.(crawl) ?? [],
    totals.hosts > 0 && totals.hosts <= MAX_SCANNED_HOSTS ? findSetAside(engine, crawl) : [],
  ]);
  const { total = 0, byItem = {} } = (totals.usage && engine.costOf?.(totals.usage)) ?? {};
  return summaryOf(
    crawl,
    record,
    { ...totals, cost: totals.cost ?? total },
    {
      costByItem: byItem,
      setAside,
      warcFiles: files.slice(0, MAX_FILES),
    },
  );
}

async function findSetAside({ ledgers }: ControlEngine, crawl: CrawlId): Promise<CrawlSummary['setAside']> {
  const found: { host: string; cause: string }[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_SET_ASIDE; page++) {
    const { hosts, cursor: next } = await ledgers.hostPage(crawl, cursor, PAGE);
    for (const { host, head } of hosts)
      if (head.setAside && found.length < MAX_SET_ASIDE) found.push({ host, cause: head.setAside.cause });
    if (next === undefined) break;
    cursor = next;
  }
  return found;
}
