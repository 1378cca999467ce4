import type { Cause } from '../causes/cause.ts';
import type { HostLedger } from '../frontier/ledger.ts';
import type { Link } from '../frontier/message.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { TurnCounters } from './counters.ts';
import type { RecrawlPlan } from './recrawl-plan.ts';
import type { TurnCrawl } from './turn-crawl.ts';

export interface FreedCopiesOptions {
  readonly crawl: TurnCrawl;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  readonly recrawl: Pick<RecrawlPlan, 'replace'>;
}

/**
 * Pages that counted as copies of a URL which proved to be no page: it redirects, perhaps to the copy itself, or is not
 * there. They are fetched once more, as pages of their own: otherwise no hook and no document would have their content.
 */
export class FreedCopies {
  readonly #options: FreedCopiesOptions;
  /** The copies that this turn has found, by the URL that they name. */
  readonly #found = new Map<string, string[]>();

  constructor(options: FreedCopiesOptions) {
    this.#options = options;
  }

  /**
   * Takes in a URL that the turn has settled; `before`: as it was. If it is no page, frees its copies: those of this turn, the
   * one that brought it into the crawl, and the one that it redirects to. Further copies, of earlier turns, stay copies.
   */
  async take(
    { url, state, via, depth, level, result }: UrlRecord,
    now: number,
    before?: UrlRecord,
  ): Promise<void> {
    if (state === 'waiting') return;
    const original = state === 'fetched' ? result?.duplicateOf : undefined;
    // A page that is fetched again is one page.
    this.#count((original === undefined ? 0 : 1) - (before?.result?.duplicateOf === undefined ? 0 : 1));
    if (original !== undefined) this.#remember(url, original);
    if (state === 'fetched') return;
    const copies = new Set([...(this.#found.get(url) ?? []), via, this.#targetOf(result?.cause)]);
    for (const copy of copies) if (copy !== undefined) await this.#free(copy, { url, depth, level }, now);
  }

  #count(copies: number): void {
    if (copies !== 0) this.#options.counters.count('hints', 'canonicalCopy', copies);
  }

  #remember(copy: string, original: string): void {
    const copies = this.#found.get(original);
    if (copies) copies.push(copy);
    else this.#found.set(original, [copy]);
  }

  /** Frees those of a host's pages to which their original on another host redirects. */
  async freeTargets(links: readonly Link[], now: number): Promise<void> {
    for (const { url, redirects = 0, via, depth } of links)
      if (redirects > 0 && via !== undefined) await this.#free(url, { url: via, depth, level: 0 }, now);
  }

  async #free(url: string, original: Pick<UrlRecord, 'url' | 'depth' | 'level'>, now: number): Promise<void> {
    const { ledger, counters, recrawl } = this.#options;
    // If the host has no copies, no outcome needs to be read.
    if (counters.totals.hints?.canonicalCopy === undefined || url === original.url) return;
    const outcome = await ledger.outcome(url);
    if (outcome?.state !== 'fetched' || !outcome.isDuplicateOf(original.url)) return;
    const { depth, level } = original;
    const result = { fetchedAt: now, duplicateOf: original.url };
    const freed = ledger.fetchOnceMore({ url, depth, level, result }, now);
    if (freed) recrawl.replace(freed.before, freed.after);
  }

  #targetOf(cause: Cause | undefined): string | undefined {
    return cause?.code === 'redirect' ? this.#options.crawl.nameOf(cause.to) : undefined;
  }
}
