import type { Cause } from '../../../core/causes/cause.ts';
import type { HostLedger } from '../../../core/frontier/ledger.ts';
import type { Link } from '../../../core/frontier/message.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { TurnCounters } from '../counters.ts';
import type { HostDemand } from '../recrawl/host-demand.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

export interface RestoredDuplicatesOptions {
  readonly crawl: TurnCrawl;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  readonly recrawl: { readonly demand: Pick<HostDemand, 'replace'> };
}

/**
 * Pages that counted as copies of a URL which proved not to be a page: it redirects, perhaps to the copy itself, or
 * does not exist. They are fetched once more, as pages of their own: otherwise no hook and no document would have their
 * content.
 */
export class RestoredDuplicates {
  readonly #options: RestoredDuplicatesOptions;
  /** The copies among the pages that the ledger has in memory, by the URL that they name. Made when it is needed. */
  #copies: Map<string, string[]> | undefined;

  constructor(options: RestoredDuplicatesOptions) {
    this.#options = options;
  }

  /** False: {@link RestoredDuplicates.take} would do nothing. Most pages are not copies, and were not. */
  concerns({ state, result }: UrlRecord, before: UrlRecord | undefined): boolean {
    return (
      state !== 'fetched' || result?.duplicateOf !== undefined || before?.result?.duplicateOf !== undefined
    );
  }

  /**
   * Takes in a URL that the turn has settled; `before`: as it was. If it is a copy, and another lane has found
   * meanwhile that its original is not a page, frees it. If it is not a page itself, frees its copies: those that the
   * ledger has in memory, the one that brought it into the crawl, and its redirect target. Further copies, in runs,
   * stay copies.
   */
  async take(record: UrlRecord, now: number, before?: UrlRecord): Promise<void> {
    const { url, state, via, depth, level, result } = record;
    if (state === 'waiting') return;
    const original = state === 'fetched' ? result?.duplicateOf : undefined;
    // A page that is fetched again is one page.
    this.#count((original === undefined ? 0 : 1) - (before?.result?.duplicateOf === undefined ? 0 : 1));
    if (original !== undefined) await this.#takeCopy(record, original, now);
    if (state === 'fetched') return;
    // If the host has no copies, none need to be looked for.
    if (!this.#hasCopies) return;
    const copies = [...(this.#inMemory().get(url) ?? []), via, this.#targetOf(result?.cause)];
    for (const copy of new Set(copies))
      if (copy !== undefined) await this.#free(copy, { url, depth, level }, now);
  }

  #count(copies: number): void {
    if (copies !== 0) this.#options.counters.count('hints', 'canonicalCopy', copies);
  }

  async #takeCopy({ url, depth, level }: UrlRecord, original: string, now: number): Promise<void> {
    const { ledger } = this.#options;
    if (this.#copies) add(this.#copies, original, url);
    const { state = 'waiting' } = (await ledger.outcome(original)) ?? {};
    if (state !== 'waiting' && state !== 'fetched')
      await this.#free(url, { url: original, depth, level }, now);
  }

  #inMemory(): Map<string, string[]> {
    if (this.#copies) return this.#copies;
    this.#copies = new Map();
    for (const { url, state, result } of this.#options.ledger.inMemory())
      if (state === 'fetched' && result?.duplicateOf !== undefined)
        add(this.#copies, result.duplicateOf, url);
    return this.#copies;
  }

  get #hasCopies(): boolean {
    return this.#options.counters.totals.hints?.canonicalCopy !== undefined;
  }

  /**
   * Frees a host's pages to which their original on another host redirects. That is noted with them, so that they
   * are not copies again when they are fetched later (`canonical-link.ts`).
   */
  async freeTargets(links: readonly Link[], now: number): Promise<void> {
    for (const { url, redirects = 0, via, depth } of links)
      if (redirects > 0 && via !== undefined)
        await this.#free(url, { url: via, depth, level: 0 }, now, { via, redirects });
  }

  async #free(
    url: string,
    original: Pick<UrlRecord, 'url' | 'depth' | 'level'>,
    now: number,
    redirect?: Pick<Link, 'via' | 'redirects'>,
  ): Promise<void> {
    const { ledger, recrawl } = this.#options;
    if (!this.#hasCopies || url === original.url) return;
    const outcome = await ledger.outcome(url);
    if (outcome?.state !== 'fetched' || !outcome.isDuplicateOf(original.url)) return;
    const { depth, level } = original;
    const result = { fetchedAt: now, duplicateOf: original.url };
    const freed = ledger.fetchOnceMore({ url, depth, level, result, ...redirect }, now);
    if (freed) recrawl.demand.replace(freed.before, freed.after);
  }

  #targetOf(cause: Cause | undefined): string | undefined {
    return cause?.code === 'redirect' ? this.#options.crawl.nameOf(cause.to) : undefined;
  }
}

function add(copies: Map<string, string[]>, original: string, copy: string): void {
  const some = copies.get(original);
  if (some) some.push(copy);
  else copies.set(original, [copy]);
}
