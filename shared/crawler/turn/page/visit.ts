import { isRefusal, nearDuplicateIn } from '../../../core/causes/cause.ts';
import { gapAfter } from '../../../core/frontier/politeness.ts';
import {
  isAnswered,
  isRefetch,
  isRestoredDuplicate,
  type UrlRecord,
} from '../../../core/frontier/url-record.ts';
import { hasPage, judge, type Verdict } from '../../../core/frontier/verdict.ts';
import {
  type FetchedResponse,
  type FetchFailure,
  type FetchOutcome,
  sentRequest,
} from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import type { ResponseHead } from '../../../core/outcome/response-head.ts';
import type { DocumentFacts, DocumentParser } from '../../../core/parser/document.ts';
import { MAX_SITEMAP_BYTES } from '../../../core/parser/xml-links.ts';
import { isRoute } from '../../../core/url/hash-route.ts';
import { origin } from '../../../core/url/host-key.ts';
import { fetchedUrl, type HookRequest, ownRequest } from '../../../core/url/request-url.ts';
import type { UsageStatement } from '../../../core/usage/usage-statement.ts';
import type { TurnAccess } from '../access/turn-access.ts';
import type { UsedSession } from '../access/turn-accounts.ts';
import type { TemplateQuota } from '../links/template-quota.ts';
import type { HostPace } from '../pace/host-pace.ts';
import type { Quarantine } from '../quarantine.ts';
import type { ListedChanges } from '../recrawl/listed-changes.ts';
import { Refetch } from '../recrawl/refetch.ts';
import type { Refusals } from '../refusal/refusals.ts';
import type { KeptShell } from '../render/kept-shell.ts';
import type { PageExchanges, RenderedPage } from '../render/turn-rendering.ts';
import { retryAfterOf } from '../response-headers.ts';
import type { TurnServices } from '../services.ts';
import type { Settlement } from '../settlement.ts';
import type { SiteWatch } from '../site-watch.ts';
import type { ArchivedExchange, KeptForms, TurnOutput } from '../turn-output.ts';
import type { UsageKeeper } from '../usage-keeper.ts';
import { judgeContent, lossBy } from './broken-content.ts';
import type { CookieRedirects } from './cookie-redirects.ts';
import type { LaterDocument } from './document-reading.ts';
import type { PageAllowance } from './page-allowance.ts';
import type { PageDocuments } from './page-documents.ts';
import { formOf, type PageForm, type PageFormAnswer } from './page-forms.ts';
import { createPageParser, createPageResolver, type PageParserOptions } from './page-parser.ts';
import { type PageReader, type PageReading, withDroppedLinks } from './page-reader.ts';
import { type FinishedPage, resultOf } from './page-result.ts';

/** The collaborators of a visit. */
export interface VisitOptions extends PageParserOptions {
  readonly pace: HostPace;
  readonly allowance: PageAllowance;
  readonly quarantine: Quarantine;
  readonly access: TurnAccess;
  readonly cookieRedirects: CookieRedirects;
  readonly reader: PageReader;
  readonly documents: PageDocuments;
  readonly listed: ListedChanges;
  readonly output: TurnOutput;
  readonly settlement: Settlement;
  readonly usage: Pick<UsageKeeper, 'mayState' | 'ofRobots' | 'ofFiles'>;
  readonly templates: TemplateQuota;
  readonly site: SiteWatch;
  readonly refusals: Refusals;
  readonly shell: KeptShell;
}

const MARKDOWN_FIRST = {
  Accept: 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/xml;q=0.8, */*;q=0.7',
};

/**
 * The visit of one URL: it is fetched, parsed while it arrives, archived and settled, and its links are taken
 * in. The URL was taken from the ledger and admitted (`admission.ts`); unless it is a requisite, a page is
 * reserved and begun for it.
 */
export class UrlVisit {
  readonly #services: TurnServices;
  readonly #options: VisitOptions;
  /** By the URL that is fetched: the ledger's name of a request of the project differs. */
  #record: UrlRecord;
  readonly #ledgerUrl: string;
  /** As it was taken from the ledger. */
  readonly #taken: UrlRecord;
  /** The project's own request, if it made one. */
  readonly #request: HookRequest | undefined;
  /** The URL was fetched before. */
  readonly #refetch: Refetch | undefined;
  #parser: DocumentParser | undefined;
  /** Statements of robots.txt, and of files beside it, about the use of the content. */
  #usage: readonly UsageStatement[] = [];
  /** Whether a page of the budget is reserved for it. */
  #isReserved: boolean;
  #isPage = false;
  /** Its links are left out. */
  #isSkippedCopy = false;
  #wasNotAsked = false;
  #crawlDelayMs: number | undefined;
  #rendered: RenderedPage | undefined;
  #used: UsedSession | undefined;

  constructor(services: TurnServices, options: VisitOptions, record: UrlRecord) {
    this.#services = services;
    this.#options = options;
    this.#ledgerUrl = record.url;
    this.#request = ownRequest(record.url);
    this.#record = this.#request ? { ...record, url: fetchedUrl(record.url) } : record;
    this.#taken = this.#record;
    const isRendered = () => options.rendering?.isRendered(this.#record) === true;
    this.#refetch = isRefetch(record)
      ? new Refetch(options, record, services.engine.clock.now(), isRendered())
      : undefined;
    this.#isReserved = record.kind !== 'requisite' && !this.#refetch && !isRestoredDuplicate(record);
  }

  /** The cache has no response, and no request was sent: the site's robots.txt must be requested first. */
  get wasNotAsked(): boolean {
    return this.#wasNotAsked;
  }

  /** Returns the record as it was settled. `cache`: as of the request (`FetchRequest`). */
  async run(crawlDelayMs: number | undefined, cache?: FetchRequest['cache']): Promise<UrlRecord> {
    const { crawl, allowance, counters, quarantine, templates } = this.#options;
    this.#crawlDelayMs = crawlDelayMs;
    try {
      // As it was when the URL was fetched (draft-ietf-aipref-attach, section 5.3).
      const url = fetchedUrl(this.#record.url);
      const { usage } = this.#options;
      if (usage.mayState(url)) this.#usage = [...(await usage.ofRobots(url)), ...(await usage.ofFiles(url))];
      const { access } = this.#options;
      const used = access.accounts?.used();
      this.#used = used;
      const first = await this.#fetch(crawlDelayMs, cache);
      const outcome =
        first.status === 'failed' && this.#isSpared(first, crawlDelayMs)
          ? await this.#fetchAgain(first, crawlDelayMs, cache)
          : first;
      this.#wasNotAsked = outcome.cache?.kind === 'withoutRequest';
      const { refusals } = this.#options;
      const refusing = refusals.judge(this.#record, outcome);
      const judged = this.#judge(outcome, crawlDelayMs, refusing && (await refusing));
      if (access.isOn && (await this.#isRepeated(outcome, judged))) return this.#named();
      if (used && !isRefusal(judged.cause) && (await this.#isSignedOut(outcome, used, crawlDelayMs)))
        return this.#named();
      const parser = judged.isFinal ? this.#parser : undefined;
      const ended = parser && quarantine.watch(() => parser.end());
      const parsed = ended instanceof Promise ? await ended : ended;
      const content = judgeContent(judged, this.#record, outcome, parsed);
      const judging = refusals.judgePage(this.#record, outcome, content, parsed);
      const verdict = judging ? await judging : content;
      const isRefused = isRefusal(verdict.cause);
      const read = verdict.state === 'failed' || isRefused ? undefined : parsed;
      const stated = read && withUsage(read, this.#usage);
      // By the scope as it is now: a seed's redirect may have widened it since the turn began.
      if (!crawl.isCurrent()) await crawl.current();
      const found = stated && this.#asPageIfOwn(stated);
      const response = outcome.status === 'response' ? outcome : undefined;
      const facts = verdict.isAttempt
        ? await this.#finish(outcome.startedAt, response, verdict, found)
        : this.#giveBack();
      if (verdict.isFinal || isRefused) this.#countForSite(outcome, verdict);
      if (facts) this.#remember(facts);
      if (facts && response) await this.#takeLinks(response, facts);
      return this.#named();
    } finally {
      if (this.#rendered?.parts) await this.#rendered.parts.release();
      if (this.#isReserved) {
        allowance.end(this.#isPage);
        templates.end(this.#named(), this.#isPage);
      } else if (this.#isPage) {
        // It had failed or redirected before.
        counters.countPage();
        templates.count(this.#named());
      }
    }
  }

  /** A known page keeps its state if its fetch has failed, but this answer counts. */
  #countForSite(outcome: FetchOutcome, verdict: Verdict): void {
    const { state, result, kind } = this.#record;
    this.#options.site.count({
      isPage: kind === undefined,
      state: verdict.state === 'fetched' ? state : isRefusal(verdict.cause) ? 'failed' : verdict.state,
      httpStatus: outcome.status === 'response' ? outcome.httpStatus : undefined,
      cause: verdict.cause ?? result?.cause,
      at: outcome.startedAt,
    });
  }

  #remember(facts: DocumentFacts): void {
    const { soft404, nearDuplicates } = this.#options;
    soft404.remember(this.#named(), facts);
    nearDuplicates.remember(this.#named(), facts);
  }

  /**
   * Load balancers break single connections, and some the first one for each URL: before a host that is not in trouble is
   * blamed, the URL is requested once more, on another connection, after the host's delay.
   */
  #isSpared(outcome: FetchFailure, crawlDelayMs: number | undefined): boolean {
    if (outcome.reason !== 'reset' || outcome.isStaleConnection) return false;
    const { config } = this.#options.crawl;
    const { clock, lastRequestAt } = this.#options.pace;
    const gapMs = gapAfter({ ...outcome, crawlDelayMs }, config);
    const isTime = gapMs <= config.turnMaxWaitMs && outcome.endedAt + gapMs <= lastRequestAt;
    const isFirst = this.#record.attempts === 0 && clock.failures === 0;
    return isFirst && isTime && config.maxAttempts >= 2 && this.#request === undefined;
  }

  async #fetchAgain(
    first: FetchFailure,
    crawlDelayMs: number | undefined,
    cache: FetchRequest['cache'],
  ): Promise<FetchOutcome> {
    const { counters, pace } = this.#options;
    this.#record = { ...this.#record, attempts: 1 };
    counters.countUrlExchange(first, false);
    pace.record(first, undefined, crawlDelayMs);
    if (await pace.waitForMoment()) return this.#fetch(crawlDelayMs, cache);
    const now = this.#now();
    const message = 'the turn is over';
    return { ...first, reason: 'aborted', isNotSent: true, message, startedAt: now, endedAt: now };
  }

  #fetch(crawlDelayMs: number | undefined, cache: FetchRequest['cache']): Promise<FetchOutcome> {
    const { url } = this.#record;
    return isRoute(url)
      ? this.#fetchShell(url, crawlDelayMs, cache)
      : this.#exchange(url, crawlDelayMs, cache);
  }

  /** The page at which the route is shown: once a turn for all its routes. */
  async #fetchShell(
    route: string,
    crawlDelayMs: number | undefined,
    cache: FetchRequest['cache'],
  ): Promise<FetchOutcome> {
    const { shell } = this.#options;
    const url = fetchedUrl(route);
    const kept = shell.find(url);
    if (kept === undefined) {
      const outcome = await this.#exchange(url, crawlDelayMs, cache);
      await shell.keep(outcome);
      return { ...outcome, url: route };
    }
    const parse = this.#onHead(kept);
    parse?.(await kept.body.bytes());
    return { ...kept, url: route };
  }

  #exchange(
    url: string,
    crawlDelayMs: number | undefined,
    cache: FetchRequest['cache'],
  ): Promise<FetchOutcome> {
    const { crawl, pace } = this.#options;
    const { kind } = this.#record;
    const maxBodyBytes = kind === 'sitemap' ? MAX_SITEMAP_BYTES : crawl.config.maxBodyBytes;
    const onHead = (head: ResponseHead) => this.#onHead(head);
    const { method, body } = this.#request ?? {};
    const headers = this.#headers();
    const repeatsStale = this.#record.attempts > 0 ? false : undefined;
    return pace.exchange(
      { url, method, headers, body, onHead, maxBodyBytes, cache, repeatsStale },
      crawlDelayMs,
    );
  }

  /** Middleware may fetch more than once: the last head counts. */
  #onHead(head: ResponseHead): DocumentParser['write'] | undefined {
    this.#parser = undefined;
    if (!hasPage(head.httpStatus)) return undefined;
    this.#parser = createPageParser(this.#services, this.#options, this.#record, head);
    return this.#parser.write;
  }

  /** Header fields of the request besides those of each one. The project's own request has its own. */
  #headers(): FetchRequest['headers'] {
    const own = this.#refetch?.fields ?? this.#request?.headers;
    const { kind } = this.#record;
    if (kind !== undefined || !this.#options.crawl.config.preferMarkdown) return own;
    return this.#request ? own : { ...MARKDOWN_FIRST, ...own };
  }

  /** Judges the outcome. Counts the exchange and advances the host's clock. */
  #judge(outcome: FetchOutcome, crawlDelayMs: number | undefined, refused: Verdict | undefined): Verdict {
    const { crawl, counters, pace } = this.#options;
    const retryAfterMs = retryAfterOf(outcome, this.#now());
    const verdict =
      refused ??
      this.#refetch?.notModified(outcome) ??
      judge(outcome, this.#record, crawl.config, retryAfterMs);
    counters.countUrlExchange(outcome, verdict.hostFailure !== undefined);
    pace.record(outcome, verdict.hostFailure, crawlDelayMs);
    if (outcome.status === 'response' && sentRequest(outcome)) crawl.budget.receive(outcome.body.size);
    return verdict;
  }

  /** A requisite or sitemap that belongs to the crawl by itself becomes a page, if the limits allow one more. */
  #asPageIfOwn(found: DocumentFacts): DocumentFacts {
    const { links, allowance, templates } = this.#options;
    if (!links.isOwnDocument(this.#record, found)) return found;
    // A known sitemap in whose place a page stands is broken.
    if (this.#record.kind === 'sitemap' && this.#refetch) return found;
    const page = { ...this.#record, kind: undefined };
    if (!templates.tryReserve(page)) return found;
    this.#isReserved ||= allowance.tryBegin();
    if (this.#isReserved) this.#record = page;
    else templates.end(page, false);
    return this.#isReserved ? { ...found, fault: undefined } : found;
  }

  /** Whether the URL waits for a request with the cookie that this response has set. */
  async #isRepeated(outcome: FetchOutcome, { state }: Verdict): Promise<boolean> {
    if (outcome.status !== 'response' || state !== 'redirect' || this.#request) return false;
    const again = this.#options.cookieRedirects.toItself(this.#record, outcome);
    if (again === undefined) return false;
    await outcome.body.dispose();
    this.#record = again;
    this.#giveBack();
    return true;
  }

  /** Whether the account was signed out, so that the response is not the URL's. The URL waits. */
  async #isSignedOut(
    outcome: FetchOutcome,
    used: UsedSession,
    crawlDelayMs: number | undefined,
  ): Promise<boolean> {
    const { access, pace } = this.#options;
    if (outcome.status !== 'response') return false;
    const { accounts } = access;
    accounts?.countPage();
    const needs = { url: this.#record.url, origin: origin(outcome.url), crawlDelayMs };
    const isOut = await accounts?.isSignedOut(outcome, used, pace, needs);
    if (!isOut) return false;
    await outcome.body.dispose();
    this.#giveBack();
    return true;
  }

  /** Whether the account was signed out while the page was rendered. The URL waits. */
  async #isSignedOutInside(parts: PageExchanges): Promise<boolean> {
    const { access, pace } = this.#options;
    const { url } = this.#record;
    if (!access.accounts || !this.#used) return false;
    const needs = { url, origin: origin(url), crawlDelayMs: this.#crawlDelayMs };
    if (!(await access.accounts.isSignedOutInside(parts.exchanges, this.#used, pace, needs))) return false;
    await parts.release();
    return true;
  }

  /** The URL waits as before: what happened was not its fault. */
  #giveBack(): undefined {
    void this.#options.settlement.settle(this.#named());
  }

  /** The URL waits, or is known as before, until its document may be read. */
  #putOff(startedAt: number, { httpStatus }: FetchedResponse, later: LaterDocument): undefined {
    const { retryMs, isAttempt, cause } = later;
    const isNew = this.#refetch === undefined && !isRestoredDuplicate(this.#taken);
    this.#record = {
      ...this.#record,
      attempts: this.#record.attempts + (isAttempt ? 1 : 0),
      dueAt: this.#afterRest(retryMs),
      ...(isNew && { result: { fetchedAt: startedAt, httpStatus, cause } }),
    };
    return this.#giveBack();
  }

  /** Takes in the links of the page. Returns how many were new to the host. */
  async #takeLinks(response: FetchedResponse, facts: DocumentFacts): Promise<number> {
    const { links, listed } = this.#options;
    const isRequest = this.#request !== undefined || this.#refetch !== undefined;
    const news = await links.take(this.#record, response, facts, { isRequest, isCopy: this.#isSkippedCopy });
    if (listed.reads(facts)) await listed.take(facts, this.#taken.result?.fetchedAt);
    return news;
  }

  /** Archives and settles the URL. Returns the source of its links, if it has one. */
  async #finish(
    startedAt: number,
    response: FetchedResponse | undefined,
    verdict: Verdict,
    found: DocumentFacts | undefined,
  ): Promise<DocumentFacts | undefined> {
    const { output } = this.#options;
    const usage = found?.usage ?? this.#usage;
    const kept = this.#refetch && (await this.#refetch.keep(startedAt, response, verdict, usage));
    if (kept) {
      await response?.body.dispose();
      this.#record = kept;
      void this.#options.settlement.settle(kept);
      return undefined;
    }
    let page: PageReading = { facts: found, state: verdict.state, cause: verdict.cause };
    let archived: ArchivedExchange | undefined;
    if (response && verdict.isFinal) {
      const formed = this.#formOf(response, page);
      const form = formed instanceof Promise ? await formed : formed;
      const parts = form && 'rendered' in form ? form.rendered?.parts : undefined;
      const isLost = parts !== undefined && (await this.#isSignedOutInside(parts));
      const read = !isLost && form ? this.#read(form) : undefined;
      const reading = read instanceof Promise ? await read : read;
      if (reading === undefined || 'retryMs' in reading) {
        await response.body.dispose();
        return reading ? this.#putOff(startedAt, response, reading) : this.#giveBack();
      }
      page = withDroppedLinks(reading);
      this.#isSkippedCopy = nearDuplicateIn(page.cause)?.isSkipped === true;
      const forms = this.#rendered && (await this.#keptForms(this.#rendered));
      if (!isUnshown(this.#record.url, page))
        archived = await output.archive(this.#record, response, page.facts, forms);
      if (archived && this.#rendered?.parts)
        await output.archiveParts(archived, this.#rendered.parts.exchanges);
    } else if (response && isRefusal(verdict.cause)) await output.archive(this.#record, response, undefined);
    await response?.body.dispose();
    // When a known page is fetched next depends on what it brings.
    const newLinks =
      this.#refetch && response && page.facts ? await this.#takeLinks(response, page.facts) : undefined;
    await this.#settle({ startedAt, response, verdict, page, archived }, newLinks);
    return this.#refetch ? undefined : page.facts;
  }

  #formOf(response: FetchedResponse, page: PageReading): PageFormAnswer | Promise<PageFormAnswer> {
    const fetched = { record: this.#record, response, request: this.#request };
    return formOf(this.#options, fetched, page, (facts) => ({
      record: this.#named(),
      response,
      facts,
      crawlDelayMs: this.#crawlDelayMs,
      parserFor: (head) => createPageParser(this.#services, this.#options, this.#record, head),
      resolve: createPageResolver(),
    }));
  }

  /** Undefined if the worker is being stopped, and the page is not read to its end. */
  #read(
    form: PageForm | LaterDocument,
  ): PageReading | LaterDocument | undefined | Promise<PageReading | undefined> {
    if ('retryMs' in form) return form;
    this.#rendered = form.rendered;
    return this.#options.reader.read(form.fetched, form.page);
  }

  async #keptForms({ view, screenshot }: RenderedPage): Promise<KeptForms> {
    const html = this.#options.crawl.config.keepRendered ? await view?.body.bytes() : undefined;
    return { html, screenshot };
  }

  async #settle(finished: FinishedPage, newLinks: number | undefined): Promise<void> {
    const { response, verdict, page, archived } = finished;
    const { counters, settlement, recrawl } = this.#options;
    const { url, kind } = this.#record;
    const received = verdict.isFinal && !isUnshown(url, page) ? response : undefined;
    this.#record = {
      ...this.#record,
      state: page.state,
      // A refusal of the host does not use up tries.
      attempts: isRefusal(page.cause) ? 1 : this.#record.attempts + 1,
      dueAt: this.#dueAt(verdict),
      result: resultOf(finished, this.#record),
    };
    const sighting = received &&
      archived && {
        ...recrawl.sightingOf(received, page.facts, archived.payload),
        isRendered: this.#rendered?.view ? true : undefined,
        newLinks,
        importance: page.importance,
      };
    if (sighting) this.#refetch?.countChange(this.#record, sighting);
    this.#record = recrawl.schedule(this.#taken, this.#record, sighting);
    const wasAnswered = isAnswered(this.#taken) || isRestoredDuplicate(this.#taken);
    const isAnswer =
      received !== undefined && page.state !== 'redirect' && !wasAnswered && !isRefusal(page.cause);
    const loss = isAnswer ? lossBy(page.cause) : undefined;
    if (loss !== undefined) counters.count('hints', loss);
    if (isAnswer && kind === 'requisite') counters.count('requisites', 'fetched');
    this.#isPage = isAnswer && kind === undefined;
    // A login page is not what the operator requested.
    await settlement.settle(this.#named(), page.hint === 'login' ? 'login' : undefined);
  }

  /**
   * When a URL may be tried again; 0 if it is not to be. It has a due time in any case: a ledger's runs keep
   * the tries of no other URL that a link raises.
   */
  #dueAt({ state, retryMs }: Verdict): number {
    return state === 'waiting' ? this.#afterRest(retryMs) : 0;
  }

  #afterRest(ms: number): number {
    return Math.max(this.#now(), this.#options.pace.nextFetchAt) + ms;
  }

  /** The record as the ledger knows it. */
  #named(): UrlRecord {
    return this.#request ? { ...this.#record, url: this.#ledgerUrl } : this.#record;
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}

/** Whether the page is a route that was not rendered: its shell is another page. */
const isUnshown = (url: string, { state }: Pick<PageReading, 'state'>): boolean =>
  (state === 'skipped' || state === 'failed') && isRoute(url);

function withUsage(facts: DocumentFacts, stated: readonly UsageStatement[]): DocumentFacts {
  return stated.length > 0 ? { ...facts, usage: [...stated, ...(facts.usage ?? [])] } : facts;
}
