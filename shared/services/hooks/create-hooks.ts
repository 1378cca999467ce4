import { isInstance, messageOf } from '../../core/base/error-message.ts';
import type { CrawlConfig } from '../../core/crawl/config.ts';
import { boundMethods } from '../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { HookError } from '../../crawler/ports/hook-error-log.ts';
import type { HookedPage, PageAnswer, PageHooks } from '../../crawler/turn/page-hooks.ts';
import { inHook } from '../project/hook-context.ts';
import type { CrawlError, Page, PageContext, StrandConfig } from '../project/project.ts';
import { createChallengeHooks } from './challenge-hooks.ts';
import { collectRequests, type RequestCollector } from './collect-requests.ts';
import { createCrawlState, createMemoryStore, createVisitState, type StateStore } from './crawl-state.ts';
import { cutOffAfter } from './cut-off.ts';
import { createHookPage } from './hook-page.ts';
import { type ItemLines, toItemLines } from './item-lines.ts';
import { createMemorySemaphore } from './memory-semaphore.ts';
import type { PageContent } from './page-content.ts';
import { contentOf, forgetLarge, LARGE_BODY_BYTES } from './page-contents.ts';
import { createRouter } from './route-page.ts';
import { runExtraction, withExtraction } from './run-extraction.ts';
import { type HookLimits, HookTimeout, isThenable, oneLine, runHook, stackOf } from './run-hook.ts';

type HookSource = Exclude<CrawlError['source'], 'fetch'>;

export type ProjectHooks = Pick<
  StrandConfig,
  'extraction' | 'modules' | 'onPage' | 'router' | 'itemSchema' | 'onError' | 'challenge' | 'onChallenge'
>;

export interface HooksOptions {
  readonly config: Pick<
    CrawlConfig,
    'hookTimeoutMs' | 'blockTimeoutMs' | 'maxDecodedBytes' | 'maxLinksPerPage'
  >;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /**
   * Called with a message for people when `onError` itself fails: the first time, and when it is no longer
   * called.
   */
  readonly warn?: (message: string) => void;
  /**
   * The store of the values that hooks keep from page to page, where the engine shares none.
   * @default in memory
   */
  readonly store?: StateStore;
  /** Called with what a hook threw. */
  readonly onFailure?: (error: HookError) => void;
}

/** Large bodies that are in memory at the same time. */
const LARGE_BODIES_BYTES = 64 * 1024 * 1024;

/**
 * Returns the project's hooks as a turn calls them; undefined if the project has none. If a hook throws, or
 * takes longer than `hookTimeoutMs`, its page loses the hook's result, and nothing else is affected. Endless
 * loops are cut off, except those that begin after the hook's first `await`. Failures of the other hooks go
 * to `onError`.
 */
export function createHooks(project: ProjectHooks, options: HooksOptions): PageHooks | undefined {
  const route = createRouter(project.router ?? [], project.onPage);
  const { extraction, onError, challenge, onChallenge } = project;
  const others = [route, onError, challenge, onChallenge];
  if (!extraction?.length && others.every((one) => one === undefined)) return undefined;
  const hooks = new CalledHooks(project, route, options);
  return { ...boundMethods<Omit<CalledHooks, 'challengeHooks'>>(hooks), ...hooks.challengeHooks };
}

class CalledHooks implements Omit<PageHooks, 'isChallenge' | 'onChallenge'> {
  readonly challengeHooks: ReturnType<typeof createChallengeHooks>;
  readonly #extraction: NonNullable<ProjectHooks['extraction']>;
  readonly #itemSchema: ProjectHooks['itemSchema'];
  readonly #route: ReturnType<typeof createRouter>;
  readonly #options: HooksOptions;
  readonly #state: PageContext['state'];
  readonly #contents: PageContents;
  readonly #callOnError: (error: CrawlError) => Promise<void>;

  constructor(project: ProjectHooks, route: ReturnType<typeof createRouter>, options: HooksOptions) {
    const { config, clock, warn = () => {}, store = createMemoryStore() } = options;
    this.#extraction = project.extraction ?? [];
    this.#itemSchema = project.itemSchema;
    this.#route = route;
    this.#options = options;
    this.#state = createCrawlState(store);
    this.#contents = new PageContents(config, clock);
    const limits = { clock, limitMs: config.hookTimeoutMs, syncLimitMs: syncLimitOf(config) };
    this.#callOnError = createErrorCall(project.onError, { ...limits, warn });
    this.challengeHooks = createChallengeHooks(project, {
      limits,
      withContent: (page, use) => this.#contents.use(page, use),
      onFailure: (url, error) =>
        options.onFailure?.({
          source: 'onChallenge',
          url,
          message: oneLine(messageOf(error)),
          stack: stackOf(error),
        }),
    });
  }

  async extract(page: HookedPage): ReturnType<PageHooks['extract']> {
    if (this.#extraction.length === 0) return { facts: page.facts };
    try {
      const { facts, error } = await this.#contents.use(page, async (content, left) => {
        const seen = createHookPage(page, content);
        const call = { source: 'extraction', url: page.url } as const;
        const given = await runHook(() => inHook(call, () => runExtraction(seen, this.#extraction)), left());
        return withExtraction(page.facts, given, this.#options.config.maxLinksPerPage);
      });
      return error === undefined
        ? { facts }
        : { facts, error: await this.#failed(page.url, 'extraction', error) };
    } catch (error) {
      return {
        facts: page.facts,
        error: await this.#failed(page.url, 'extraction', messageOf(error), error),
      };
    }
  }

  async onPage(page: HookedPage): ReturnType<PageHooks['onPage']> {
    const route = this.#route;
    if (route === undefined) return { items: [] };
    const requests = collectRequests(page.url, this.#options.config.maxLinksPerPage, page.facts.charset);
    const call: PageCall = { source: 'onPage', url: page.url };
    try {
      const { lines, faults } = await this.#itemsOf(page, route, requests, call);
      if (faults.length === 0) return answerOf(lines, requests);
      const more = faults.length > 1 ? ` (and ${faults.length - 1} more items)` : '';
      const error = await this.#failed(page.url, call.source, `${faults[0]}${more}`);
      return answerOf(lines, requests, error);
    } catch (error) {
      const message = await this.#failed(page.url, call.source, messageOf(error), error);
      return answerOf([], requests, message);
    }
  }

  onError(url: string, message: string): Promise<void> {
    return this.#callOnError({ url, source: 'fetch', message: oneLine(message) });
  }

  /** Calls the page's hook, and checks what it gives. `call.source` is what runs: the hook, or the schema. */
  #itemsOf(
    page: HookedPage,
    route: NonNullable<ReturnType<typeof createRouter>>,
    { enqueue, setImportance }: RequestCollector,
    call: PageCall,
  ): Promise<ItemLines> {
    return this.#contents.use(page, async (content, left) => {
      const seen = inContext(createHookPage(page, content), {
        enqueue,
        setImportance,
        state: this.#stateFor(page),
      });
      const where = { ...call };
      const toLines = (given: unknown) => {
        call.source = 'item';
        return toItemLines(given, this.#itemSchema);
      };
      // A single call of `cutOffAfter` if the hook is synchronous, since each call costs.
      const called = (): ItemLines | PromiseLike<ItemLines | { readonly items: unknown }> => {
        const given = route(seen)?.(seen);
        return isThenable(given) ? given.then((items) => ({ items })) : toLines(given);
      };
      const outcome = await runHook(() => inHook(where, called), left());
      if ('lines' in outcome) return outcome;
      return runHook(() => inHook(where, () => toLines(outcome.items)), left());
    });
  }

  #stateFor({ url, state, around = (part) => part() }: HookedPage): PageContext['state'] {
    if (state === undefined) return this.#state;
    const limitMs = syncLimitOf(this.#options.config);
    return createVisitState(state, (key, change) => {
      try {
        return around(() => cutOffAfter(limitMs, change));
      } catch (error) {
        const message = oneLine(`state ${key}: ${messageOf(error)}`);
        this.#options.onFailure?.({ source: 'onPage', url, message, stack: stackOf(error) });
        return undefined;
      }
    });
  }

  async #failed(url: string, source: HookSource, text: string, error?: unknown): Promise<string> {
    const message = oneLine(text);
    this.#options.onFailure?.({ source, url, message, stack: stackOf(error) });
    await this.#callOnError({ url, source, message });
    return message;
  }
}

interface PageCall {
  source: HookSource;
  readonly url: string;
}

/** Before the watchdog would take the page for one that hangs. */
const syncLimitOf = ({ blockTimeoutMs }: HooksOptions['config']): number => blockTimeoutMs * 0.75;

/** The content of a response for hooks. */
class PageContents {
  readonly #config: HooksOptions['config'];
  readonly #clock: HooksOptions['clock'];
  readonly #room: ReturnType<typeof createMemorySemaphore>;
  #hasCheerio = false;

  constructor(config: HooksOptions['config'], clock: HooksOptions['clock']) {
    this.#config = config;
    this.#clock = clock;
    this.#room = createMemorySemaphore(LARGE_BODIES_BYTES, { clock, limitMs: config.hookTimeoutMs / 2 });
  }

  /** Calls `use` with the page's content, and with how much of the time is left for another hook. */
  async use<T>(
    page: HookedPage,
    use: (content: PageContent, left: () => HookLimits) => Promise<T>,
  ): Promise<T> {
    const { size } = page.response.body;
    const { around } = page;
    const clock = this.#clock;
    const startedAt = clock.now();
    const left = () => ({
      clock,
      limitMs: Math.max(1, this.#config.hookTimeoutMs - (clock.now() - startedAt)),
      syncLimitMs: syncLimitOf(this.#config),
      around,
    });
    const leave = size > LARGE_BODY_BYTES ? await this.#room.enter(size) : undefined;
    try {
      return await use(await this.#of(page), left);
    } finally {
      forgetLarge(page);
      leave?.();
    }
  }

  async #of(page: HookedPage): Promise<PageContent> {
    if (!this.#hasCheerio) {
      // Takes 100 ms the first time, which a crawl without hooks does not pay.
      const { loadCheerio } = await import('./page-content.ts');
      await loadCheerio();
      this.#hasCheerio = true;
    }
    return contentOf(page, this.#config.maxDecodedBytes);
  }
}

function answerOf(items: readonly string[], collected: RequestCollector, error?: string): PageAnswer {
  const { requests, importance } = collected.end();
  return {
    items,
    ...(requests.length > 0 && { requests }),
    ...(importance !== undefined && { importance }),
    ...(error !== undefined && { error }),
  };
}

/** The page's views stay getters: costly ones are made on first use. */
const inContext = (
  page: Page,
  { enqueue, setImportance, state }: Pick<PageContext, 'enqueue' | 'setImportance' | 'state'>,
): PageContext =>
  Object.defineProperties(page, {
    enqueue: { value: enqueue, enumerable: true },
    setImportance: { value: setImportance, enumerable: true },
    state: { value: state, enumerable: true },
  }) as PageContext;

/**
 * Calls `onError` and catches what it throws. If it hangs it is not called again, since each page would wait
 * for it.
 */
function createErrorCall(
  onError: StrandConfig['onError'],
  { warn, ...limits }: Pick<Required<HooksOptions>, 'clock' | 'warn'> & HookLimits,
): (error: CrawlError) => Promise<void> {
  let isGivenUp = onError === undefined;
  let hasWarned = false;
  return async (error) => {
    if (isGivenUp) return;
    try {
      await runHook(() => inHook({ source: 'onError', url: error.url }, () => onError?.(error)), limits);
    } catch (failure) {
      isGivenUp ||= isInstance(failure, HookTimeout);
      if (isGivenUp || !hasWarned)
        warn(`onError${isGivenUp ? ' is not called again' : ''}: ${oneLine(messageOf(failure))}`);
      hasWarned = true;
    }
  };
}
