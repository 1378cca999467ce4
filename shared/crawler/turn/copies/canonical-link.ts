import type { HostLedger } from '../../../core/frontier/ledger.ts';
import { linkOf } from '../../../core/frontier/message.ts';
import { reasonAgainst } from '../../../core/frontier/reason-against.ts';
import { isRestoredDuplicate, type UrlRecord } from '../../../core/frontier/url-record.ts';
import { canonicalize } from '../../../core/url/canonical.ts';
import { isMistakenCanonical } from '../../../core/url/mistaken-canonical.ts';
import type { LinkIntake } from '../links/link-intake.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/** The canonical URLs that pages name. */
export class CanonicalLinks {
  readonly #crawl: TurnCrawl;
  readonly #ledger: HostLedger;
  readonly #intake: LinkIntake;
  /** The URLs that the turn's copies name, by copy: another lane's copy may not be settled yet. */
  readonly #copies = new Map<string, string>();

  constructor(crawl: TurnCrawl, ledger: HostLedger, intake: LinkIntake) {
    this.#crawl = crawl;
    this.#ledger = ledger;
    this.#intake = intake;
  }

  /**
   * Returns the URL that this page is a duplicate of: the one that it names as `canonical`, if that is another page of
   * the crawl. It is taken in. Undefined if that URL is known not to be a page, redirects here, is left out, is named
   * by mistake, or names this page in turn: of such a pair one is the page. Undefined, too, if the original has proved
   * not to be a page.
   */
  async originalOf(
    record: UrlRecord,
    canonical: string | undefined,
    now: number,
  ): Promise<string | undefined> {
    const crawl = this.#crawl;
    if (!crawl.config.obeyCanonical || canonical === undefined || record.kind !== undefined) return undefined;
    if (isRestoredDuplicate(record)) return undefined;
    const known = canonicalize(canonical);
    const url = known && crawl.nameOf(known);
    if (url === undefined || url === record.url || isMistakenCanonical(record.url, url)) return undefined;
    if (isLedHereBy(url, record)) return undefined;
    const link = linkOf({ url, depth: record.depth, via: record.url });
    if (reasonAgainst(crawl.scope, link) !== undefined) return undefined;
    const outcome = await this.#ledger.outcome(url);
    const isPage =
      outcome === undefined ||
      outcome.state === 'waiting' ||
      (outcome.state === 'fetched' && !outcome.isDuplicateOf(record.url));
    if (!isPage || this.#copies.get(url) === record.url) return undefined;
    this.#intake.take(link, now);
    if (!this.#intake.knows(url)) return undefined;
    this.#copies.set(record.url, url);
    return url;
  }
}

/** Whether the URL, which another host's ledger knows, redirects to the page. */
const isLedHereBy = (url: string, { via, redirects }: UrlRecord): boolean => redirects > 0 && via === url;
