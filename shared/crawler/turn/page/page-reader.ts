import { boundedText, type Cause, type NearDuplicateCause } from '../../../core/causes/cause.ts';
import { isAnswered, type UrlRecord } from '../../../core/frontier/url-record.ts';
import type { Verdict } from '../../../core/frontier/verdict.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { forbiddenUse } from '../../../core/usage/purpose.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CanonicalLinks } from '../copies/canonical-link.ts';
import type { NearDuplicates } from '../copies/near-duplicates.ts';
import type { TurnCounters } from '../counters.ts';
import type { FetchedPage } from '../fetched-page.ts';
import { droppedCause } from '../links/dropped-links.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { TurnHooks } from '../turn-hooks.ts';
import { undecodedCause } from './broken-content.ts';
import { HINT_CAUSES, hintOf, type PageHint } from './page-hints.ts';
import type { Redirects } from './redirects.ts';
import type { Soft404 } from './soft-404.ts';

/** The reading of a final response, by its status and its content. */
export interface PageReading {
  readonly facts?: DocumentFacts | undefined;
  readonly state: Verdict['state'];
  readonly cause?: Cause | undefined;
  /** The obstacle between the crawler and the page's content. */
  readonly hint?: PageHint | undefined;
  /** The page counts as a copy of this one. */
  readonly duplicateOf?: string | undefined;
  /** The factor of the page's importance that the project's hook has set. */
  readonly importance?: number | undefined;
}

export interface PageReaderOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly redirects: Redirects;
  readonly soft404: Soft404;
  readonly canonicalLinks: CanonicalLinks;
  readonly nearDuplicates: NearDuplicates;
  readonly hooks: TurnHooks;
}

/**
 * Finds out what a response says about itself: that it leads elsewhere, is another page's duplicate, or is
 * for nobody's index.
 */
export class PageReader {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #options: PageReaderOptions;

  constructor(clock: Pick<Clock, 'now'>, options: PageReaderOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /**
   * `page`: what the response's status says. Undefined if the worker is being stopped and a hook has not
   * ended: the page waits for the next session.
   */
  read(fetched: FetchedPage, page: PageReading): PageReading | undefined | Promise<PageReading | undefined> {
    const { record, request } = fetched;
    const { redirects, soft404, counters } = this.#options;
    const { facts, state } = page;
    if (state === 'redirect') return this.#readRedirect(fetched, page);
    if (facts === undefined || record.kind === 'sitemap')
      return { facts, state, cause: page.cause ?? undecodedCause(fetched.response, facts) ?? faultOf(facts) };
    const missing = state === 'fetched' && !request ? soft404.causeOf(record, facts) : undefined;
    if (missing !== undefined) {
      // As of any page that is not there: its links are not followed, and no hook is called.
      counters.count('hints', 'softNotFound');
      return { state: 'gone', cause: missing };
    }
    const target = redirects.softTarget(record, facts);
    return target === undefined
      ? this.#readDocument(fetched, page, facts)
      : this.#followSoft(record, target, facts);
  }

  async #readRedirect({ record, response, request }: FetchedPage, page: PageReading): Promise<PageReading> {
    const { facts, state } = page;
    const { redirects } = this.#options;
    const cause = await redirects.followLocation(record, { response, request }, this.#clock.now());
    return { facts, state, cause: this.#marked(record, cause) };
  }

  async #followSoft(record: UrlRecord, target: string, facts: DocumentFacts): Promise<PageReading> {
    const redirect = await this.#options.redirects.follow(record, target, this.#clock.now());
    // Its links would begin a row of redirects again, and so without an end.
    const isEnd = redirect.notFollowed === 'redirects';
    return {
      facts: isEnd ? { ...facts, links: [] } : facts,
      state: 'redirect',
      cause: { ...redirect, isSoft: true },
    };
  }

  /** A redirect to the host's target for missing pages counts as a missing page. */
  #marked(record: UrlRecord, cause: Cause): Cause {
    const { soft404, counters } = this.#options;
    if (cause.code !== 'redirect' || !soft404.isNotFound(record, cause.to)) return cause;
    counters.count('hints', 'softNotFound');
    return { ...cause, isNotFound: true };
  }

  async #readDocument(
    { record, response, request, content }: FetchedPage,
    { state, cause }: PageReading,
    found: DocumentFacts,
  ): Promise<PageReading | undefined> {
    const { crawl, counters, canonicalLinks, nearDuplicates, hooks } = this.#options;
    const duplicateOf =
      request || found.canonical === undefined
        ? undefined
        : await canonicalLinks.originalOf(record, found.canonical, this.#clock.now());
    const use = forbiddenUse(crawl.config.purpose, found.usage);
    if (use !== undefined) {
      counters.count('hints', 'withheld');
      return { facts: found, state, cause: { code: 'usageForbidden', use }, duplicateOf };
    }
    const isOwn = state === 'fetched' && record.kind === undefined && duplicateOf === undefined;
    const other = isOwn ? hooks.otherLanguage(record, { response, facts: found, content }) : undefined;
    const language = other && (await other);
    if (language !== undefined) {
      counters.count('hints', 'otherLanguage');
      return { facts: found, state, cause: { code: 'otherLanguage', language } };
    }
    const copy =
      state === 'fetched' && duplicateOf === undefined && !request
        ? nearDuplicates.causeOf(record, found)
        : undefined;
    if (copy?.isSkipped) {
      counters.count('hints', 'nearDuplicate');
      return { facts: found, state, cause: copy };
    }
    const isHidden = crawl.config.obeyNoindex && found.robots.noindex;
    const hint = state === 'fetched' ? hintOf(record, found) : undefined;
    const fault = cause ?? undecodedCause(response, found);
    const remark = isHidden ? NOINDEX : (fault ?? (hint && HINT_CAUSES[hint]));
    const forItems = !duplicateOf && !isHidden && record.kind === undefined;
    const page = { response, facts: found, content, forItems, request, duplicateOf: copy?.of };
    const called = hooks.callForPage(record, page);
    const hooked = called instanceof Promise ? await called : called;
    if (hooked === undefined) return undefined;
    if (copy !== undefined) counters.count('hints', 'nearDuplicate');
    if (hint !== undefined) counters.count('hints', hint);
    const isKept = isHidden && !duplicateOf && record.kind === undefined;
    if (isKept && !isAnswered(record)) counters.count('hints', 'noindex');
    const isPage = state === 'fetched' && record.kind === undefined && !isAnswered(record);
    if (isPage && this.#isCut(response, found)) counters.count('hints', 'cutPage');
    const said = duplicateOf ? undefined : withCopy(copy, remark ?? hookCause(hooked.error));
    return { facts: hooked.facts, state, cause: said, hint, duplicateOf, importance: hooked.importance };
  }

  /** Whether an HTML page is larger than the part that is read. */
  #isCut({ truncated }: Pick<FetchedResponse, 'truncated'>, { type, decodedBytes }: DocumentFacts): boolean {
    const { maxDecodedBytes } = this.#options.crawl.config;
    return type === 'html' && (truncated === 'length' || decodedBytes >= maxDecodedBytes);
  }
}

/** Adds to a page's cause that links of it were left out, before its other causes. */
export function withDroppedLinks(page: PageReading): PageReading {
  const dropped = page.facts && droppedCause(page.facts);
  if (dropped === undefined || page.state !== 'fetched') return page;
  return { ...page, cause: page.cause === undefined ? dropped : { ...dropped, besides: page.cause } };
}

const withCopy = (copy: NearDuplicateCause | undefined, besides: Cause | undefined): Cause | undefined =>
  copy && besides ? { ...copy, besides } : (copy ?? besides);

const NOINDEX: Cause = { code: 'noindex' };

const faultOf = (facts: DocumentFacts | undefined): Cause | undefined =>
  facts?.fault === undefined ? undefined : { code: 'badDocument', detail: boundedText(facts.fault) };

const hookCause = (error: string | undefined): Cause | undefined =>
  error === undefined ? undefined : { code: 'hookFailed', detail: boundedText(error) };
