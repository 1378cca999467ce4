import type { HostLedger } from '../../../core/frontier/ledger.ts';
import { isSeedRecord } from '../../../core/frontier/rank.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { redirectTarget } from '../../../core/url/field-reference.ts';
import type { TurnAccess } from '../access/turn-access.ts';
import type { TurnCounters } from '../counters.ts';
import type { HostDemand } from '../recrawl/host-demand.ts';
import { headersOf } from '../response-headers.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

export interface CookieRedirectsOptions {
  readonly crawl: Pick<TurnCrawl, 'config'>;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  readonly recrawl: { readonly demand: Pick<HostDemand, 'replace'> };
  readonly access: Pick<TurnAccess, 'mayRepeat'>;
}

/** Redirects that lead back until the host has seen its cookie: the URL is requested again with it. */
export class CookieRedirects {
  readonly #options: CookieRedirectsOptions;

  constructor(options: CookieRedirectsOptions) {
    this.#options = options;
  }

  /** The record, which is to wait for that request; undefined: the redirect is one like any. */
  toItself(record: UrlRecord, response: FetchedResponse): UrlRecord | undefined {
    const location = headersOf(response, 'location')[0];
    const target = location === undefined ? undefined : redirectTarget(location, record.url);
    if (target !== record.url || !this.#mayRepeat(record, record.url)) return undefined;
    return { ...record, redirects: record.redirects + 1 };
  }

  /** Lets the URL that has redirected to this one wait for that request, if `target` is that URL. Returns whether it does. */
  toVia(record: UrlRecord, target: string, now: number): boolean {
    if (target !== record.via) return false;
    const { ledger, recrawl, counters } = this.#options;
    const known = [...ledger.inMemory()].find(({ url, state }) => url === target && state === 'redirect');
    if (known === undefined || !this.#mayRepeat(record, target)) return false;
    const redirects = record.redirects + 1;
    const freed = ledger.replaceOutcome({ ...known, state: 'waiting', redirects, attempts: 0, dueAt: now });
    if (freed === undefined) return false;
    recrawl.demand.replace(freed.before, freed.after);
    // Its next outcome is counted.
    if (isSeedRecord(known)) counters.count('seeds', 'redirect', -1);
    return true;
  }

  #mayRepeat({ redirects }: UrlRecord, url: string): boolean {
    return redirects < this.#options.crawl.config.maxRedirects && this.#options.access.mayRepeat(url);
  }
}
