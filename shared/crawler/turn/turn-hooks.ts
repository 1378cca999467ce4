import { unlessStopped } from '../../core/base/unless-stopped.ts';
import { linkOf } from '../../core/frontier/message.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import type { MediaContent } from '../../core/media/media-module.ts';
import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../core/parser/document.ts';
import { type HookRequest, requestUrl } from '../../core/url/request-url.ts';
import type { TurnCounters } from './counters.ts';
import type { LinkIntake } from './links/link-intake.ts';
import { otherLanguage } from './page/other-language.ts';
import { type PageState, VisitState } from './page/visit-state.ts';
import type { HookedPage, PageAnswer, PageHooks, PageRequest } from './page-hooks.ts';
import type { TurnServices } from './services.ts';
import type { TurnCrawl } from './turn-crawl.ts';
import type { TurnOutput } from './turn-output.ts';

export interface HookedFacts {
  /** As the project's extraction changed them. */
  readonly facts: DocumentFacts;
  /** The error of the first hook that failed. */
  readonly error?: string | undefined;
  /** The factor of the page's importance that `onPage` has set. */
  readonly importance?: number | undefined;
}

export interface TurnHooksOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly output: TurnOutput;
  readonly intake: LinkIntake;
}

/** A page for the hooks. */
export interface PageForHooks {
  readonly response: FetchedResponse;
  readonly facts: DocumentFacts;
  /** The content of a document that was read as a whole. */
  readonly content?: MediaContent | undefined;
  /** Whether `onPage` is called. */
  readonly forItems: boolean;
  /** The project's own request, if it made one. */
  readonly request?: HookRequest | undefined;
  /** The page with nearly the same text. */
  readonly duplicateOf?: string | undefined;
}

/** Calls the project's hooks during a turn, and counts how that went. Without hooks it does nothing. */
export class TurnHooks {
  readonly #services: Pick<
    TurnServices,
    'hooks' | 'languageOf' | 'work' | 'stopping' | 'engine' | 'onEvent' | 'stats'
  >;
  readonly #options: TurnHooksOptions;

  constructor(
    services: Pick<
      TurnServices,
      'hooks' | 'languageOf' | 'work' | 'stopping' | 'engine' | 'onEvent' | 'stats'
    >,
    options: TurnHooksOptions,
  ) {
    this.#services = services;
    this.#options = options;
  }

  /**
   * Calls the extraction hooks, and `onPage` if `forItems`: its items go to the turn's output. Undefined if
   * the worker is being stopped and a hook has not ended: nothing is counted then, and the page is to be
   * fetched again.
   */
  callForPage(
    record: UrlRecord,
    page: PageForHooks,
  ): HookedFacts | undefined | Promise<HookedFacts | undefined> {
    const { hooks } = this.#services;
    return hooks ? this.#callHooks(hooks, record, page) : { facts: page.facts };
  }

  async #callHooks(
    hooks: PageHooks,
    record: UrlRecord,
    { forItems, ...given }: PageForHooks,
  ): Promise<HookedFacts | undefined> {
    const { work } = this.#services;
    const { url, depth, via } = record;
    const { id, config } = this.#options.crawl;
    const around = <T>(part: () => T) => work.run(id, url, 'hook', part);
    const crawl = { id, config };
    const page: HookedPage = { ...given, crawl, url, depth, via, around };

    const extracted = await this.#unlessStopped(() => hooks.extract(page));
    if (extracted === undefined) return undefined;
    const { facts, error } = extracted;
    const called = forItems ? await this.#callOnPage(hooks, { ...page, facts }) : NOT_CALLED;
    if (called === undefined) return undefined;
    this.#count(forItems, error, called);
    this.#addItems(url, called.items);
    for (const own of called.requests ?? []) this.#takeRequest(record, own);
    return { facts, error: called.error ?? error, importance: called.importance };
  }

  async #callOnPage(hooks: PageHooks, page: HookedPage): Promise<PageAnswer | undefined> {
    const state = await this.#openState(page);
    const called = await this.#unlessStopped(() => hooks.onPage({ ...page, ...(state && { state }) }));
    state?.end();
    // The page is to be fetched again, and its changes are to be made again.
    if (called === undefined && state !== undefined) this.#options.output.state?.forget(state);
    return called;
  }

  /** The state for the page. Undefined if the engine shares none. */
  async #openState({ response }: HookedPage): Promise<PageState | undefined> {
    const { engine, stats } = this.#services;
    const { crawl, output } = this.#options;
    if (engine.state === undefined) return undefined;
    const values = await engine.state.read(crawl.id);
    output.state ??= new VisitState(values, stats);
    return output.state.openPage(response.body.size);
  }

  /** Resolves to the page's language if the crawl does not want it: {@link otherLanguage}. Undefined: it wants all. */
  otherLanguage(
    record: UrlRecord,
    page: Pick<PageForHooks, 'response' | 'facts' | 'content'>,
  ): Promise<string | undefined> | undefined {
    const { work, languageOf } = this.#services;
    const { id, config } = this.#options.crawl;
    if (config.languages === undefined) return undefined;
    const { url, depth } = record;
    const around = <T>(part: () => T) => work.run(id, url, 'parse', part);
    return otherLanguage(config, { ...page, crawl: { id, config }, url, depth, around }, languageOf);
  }

  /**
   * Reports a URL that failed finally to the project. Resolves when its hook has ended, or may run no longer.
   */
  async reportFailure(url: string, message: string): Promise<void> {
    const { hooks, stopping, engine } = this.#services;
    const { id, config } = this.#options.crawl;
    if (hooks) await unlessStopped(hooks.onError(url, message, { id, config }), stopping, engine.clock);
  }

  #unlessStopped<T>(hook: () => Promise<T>): Promise<T | undefined> {
    const { work, stopping, engine } = this.#services;
    return unlessStopped(hook().finally(work.beginHook()), stopping, engine.clock);
  }

  #count(forItems: boolean, extractionError: string | undefined, { items, error }: PageAnswer): void {
    const { counters } = this.#options;
    if (extractionError !== undefined) counters.countError('extraction');
    if (error !== undefined) counters.countError('onPage');
    const isFailed = extractionError !== undefined || error !== undefined;
    if (forItems || isFailed) counters.count('hooks', 'pages');
    if (isFailed) counters.count('hooks', 'failed');
    if (items.length > 0) counters.count('hooks', 'items', items.length);
  }

  #takeRequest({ url: via, depth }: UrlRecord, { url, request, level }: PageRequest): void {
    const { crawl, intake } = this.#options;
    const link = linkOf({ url: requestUrl(crawl.nameOf(url), request), depth: depth + 1, via, level });
    intake.take(link, this.#services.engine.clock.now());
  }

  #addItems(url: string, lines: readonly string[]): void {
    const { onEvent } = this.#services;
    this.#options.output.addItems(lines);
    if (onEvent) for (const line of lines) onEvent({ type: 'item', url, line });
  }
}

const NOT_CALLED: PageAnswer = { items: [] };
