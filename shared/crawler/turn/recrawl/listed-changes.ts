import type { HostLedger } from '../../../core/frontier/ledger.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { isBuildTime } from '../../../core/recrawl/hints.ts';
import { hostKey } from '../../../core/url/host-key.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { RecrawlPlan } from './recrawl-plan.ts';

/** Hints of one list that are looked at, the newest: each may have its record written. */
const MAX_HINTS = 10_000;
/** A list is read some time after its times were set: those of a week before its last reading may be new. */
const LATE_MS = 7 * 86_400_000;

export interface ListedChangesOptions {
  readonly crawl: TurnCrawl;
  readonly ledger: HostLedger;
  readonly recrawl: RecrawlPlan;
}

/** Reads in sitemaps and feeds which known pages of the host have changed, and moves their next fetches forward. */
export class ListedChanges {
  readonly #services: Pick<TurnServices, 'engine' | 'work'>;
  readonly #options: ListedChangesOptions;

  constructor(services: Pick<TurnServices, 'engine' | 'work'>, options: ListedChangesOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Whether the document is a list of which the crawl uses the times. */
  reads({ type }: DocumentFacts): boolean {
    return (type === 'sitemap' || type === 'feed') && this.#options.recrawl.usesHints;
  }

  /** Takes in a list as it was just read. `readBefore`: when it was read last, if it was. */
  async take({ links }: DocumentFacts, readBefore: number | undefined): Promise<void> {
    const { recrawl, ledger } = this.#options;
    const times = this.#timesOf(links);
    if (times.size === 0) return;
    recrawl.hints.begin();
    if (isBuildTime([...times.values()])) return;
    const since = readBefore === undefined ? 0 : readBefore - LATE_MS;
    const newest = [...times].filter(([, at]) => at > since).toSorted(([, a], [, b]) => b - a);
    const asked = new Map(newest.slice(0, MAX_HINTS));
    const records = await ledger.findAgain(asked.keys(), () => this.#services.work.pause());
    const now = this.#services.engine.clock.now();
    for (const record of records) {
      const hinted = recrawl.hinted(record, asked.get(record.url) as number, now);
      if (hinted) ledger.amend(hinted);
    }
  }

  /** When the list says that known pages of the host were modified. */
  #timesOf(links: DocumentFacts['links']): Map<string, number> {
    const { crawl, ledger } = this.#options;
    const times = new Map<string, number>();
    for (const link of links) {
      if (link.modifiedAt === undefined || (link.kind !== 'url' && link.kind !== 'item')) continue;
      const url = crawl.nameOf(link.url);
      if (hostKey(url) !== crawl.host || !ledger.has(url)) continue;
      // A feed may name a page by several URLs, the newest first.
      times.set(url, Math.max(link.modifiedAt, times.get(url) ?? 0));
    }
    return times;
  }
}
