import type { CrawlConfig } from '../crawl/config.ts';
import { messageOf } from '../error-message.ts';
import type { FetchedResponse } from '../fetcher/outcome/fetch-outcome.ts';
import type { Clock } from '../ports/clock.ts';
import type { HookError } from '../ports/hook-error-log.ts';
import { inHook } from '../project/hook-context.ts';
import type { CrawlError, Page, PageContext, StrandConfig } from '../project/project.ts';
import type { HookedPage, PageAnswer, PageHooks } from '../turn/page-hooks.ts';
import { collectRequests, type RequestCollector } from './collect-requests.ts';
import { createCrawlState, createMemoryStore, type StateStore } from './crawl-state.ts';
import { createHookPage } from './hook-page.ts';
import { type ItemLines, toItemLines } from './item-lines.ts';
import type { PageContent } from './page-content.ts';
import { createRoom } from './room.ts';
import { createRouter } from './route-page.ts';
import { runExtraction, withExtraction } from './run-extraction.ts';
import { type HookLimits, HookTimeout, isThenable, oneLine, runHook, stackOf } from './run-hook.ts';

type HookSource = Exclude<CrawlError['source'], 'fetch'>;

export type ProjectHooks = Pick<StrandConfig, 'extraction' | 'onPage' | 'router' | 'itemSchema' | 'onError'>;

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
   * What the hooks keep from page to page.
   * @default in memory
   */
  readonly store?: StateStore;
  /** Called with what a hook threw. */
  readonly onFailure?: (error: HookError) => void;
}

/**
 * A larger body is in a file, and in memory only while hooks run: this many bytes of them at the same time.
 */
const LARGE_BODY_BYTES = 1024 * 1024;
const LARGE_BODIES_BYTES = 64 * 1024 * 1024;

/**
 * What a turn calls, of the project's hooks; undefined if it has none. A hook that throws, or takes longer
 * than `hookTimeoutMs`, costs its page what the hook would have given, and harms nothing else. Endless loops
 * are cut off, but for those that begin after the hook's first `await`. Failures of the other hooks go to
 * `onError`.
 */
export function createHooks(
  project: ProjectHooks,
  { config, clock, warn = () => {}, store = createMemoryStore(), onFailure }: HooksOptions,
): PageHooks | undefined {
  const { extraction = [], itemSchema, onError } = project;
  const route = createRouter(project.router ?? [], project.onPage);
  if (extraction.length === 0 && route === undefined && onError === undefined) return undefined;
  const state = createCrawlState(store);
  const limitMs = config.hookTimeoutMs;
  // Before the watchdog would take the page for one that hangs.
  const syncLimitMs = config.blockTimeoutMs * 0.75;
  const tell = createTeller(onError, { clock, limitMs, syncLimitMs, warn });
  const room = createRoom(LARGE_BODIES_BYTES, { clock, limitMs: limitMs / 2 });
  /** What several hooks make of one response they make once. */
  const contents = new WeakMap<FetchedResponse, PageContent>();

  async function contentOf({ url, response, facts }: HookedPage): Promise<PageContent> {
    const known = contents.get(response);
    if (known !== undefined) return known;
    // Takes 100 ms the first time, which a crawl without hooks does not pay.
    const { createPageContent, loadCheerio } = await import('./page-content.ts');
    loadCheerio();
    const body = await response.body.bytes();
    const content = createPageContent(body, response, { url, ...facts }, config.maxDecodedBytes);
    contents.set(response, content);
    return content;
  }

  /** Calls `use` with the page's content, and with how much of the time is left for another hook. */
  async function withContent<T>(
    page: HookedPage,
    use: (content: PageContent, left: () => HookLimits) => Promise<T>,
  ): Promise<T> {
    const { size } = page.response.body;
    const { around } = page;
    const startedAt = clock.now();
    const left = () => ({
      clock,
      limitMs: Math.max(1, limitMs - (clock.now() - startedAt)),
      syncLimitMs,
      around,
    });
    const leave = size > LARGE_BODY_BYTES ? await room.enter(size) : undefined;
    try {
      return await use(await contentOf(page), left);
    } finally {
      if (leave !== undefined) contents.delete(page.response);
      leave?.();
    }
  }

  async function failed(url: string, source: HookSource, text: string, error?: unknown): Promise<string> {
    const message = oneLine(text);
    onFailure?.({ source, url, message, stack: stackOf(error) });
    await tell({ url, source, message });
    return message;
  }

  return {
    async extract(page) {
      if (extraction.length === 0) return { facts: page.facts };
      try {
        const { facts, error } = await withContent(page, async (content, left) => {
          const seen = createHookPage(page, content);
          const call = { source: 'extraction', url: page.url } as const;
          const given = await runHook(() => inHook(call, () => runExtraction(seen, extraction)), left());
          return withExtraction(page.facts, given, config.maxLinksPerPage);
        });
        return error === undefined
          ? { facts }
          : { facts, error: await failed(page.url, 'extraction', error) };
      } catch (error) {
        return { facts: page.facts, error: await failed(page.url, 'extraction', messageOf(error), error) };
      }
    },

    async onPage(page) {
      if (route === undefined) return { items: [] };
      let source: HookSource = 'onPage';
      const requests = collectRequests(page.url, config.maxLinksPerPage);
      try {
        const { lines, faults } = await withContent(page, async (content, left) => {
          const seen = inContext(createHookPage(page, content), { enqueue: requests.enqueue, state });
          const toLines = (given: unknown) => {
            source = 'item';
            return toItemLines(given, itemSchema);
          };
          // One call where the hook is synchronous, since each costs: `cutOffAfter`.
          const call = { source, url: page.url };
          const called = (): ItemLines | PromiseLike<ItemLines | { readonly items: unknown }> => {
            const given = route(seen)?.(seen);
            return isThenable(given) ? given.then((items) => ({ items })) : toLines(given);
          };
          const outcome = await runHook(() => inHook(call, called), left());
          if ('lines' in outcome) return outcome;
          return runHook(() => inHook(call, () => toLines(outcome.items)), left());
        });
        if (faults.length === 0) return answerOf(lines, requests);
        const more = faults.length > 1 ? ` (and ${faults.length - 1} more items)` : '';
        const error = await failed(page.url, source, `${faults[0]}${more}`);
        return answerOf(lines, requests, error);
      } catch (error) {
        const message = await failed(page.url, source, messageOf(error), error);
        return answerOf([], requests, message);
      }
    },

    onError: (url, message) => tell({ url, source: 'fetch', message: oneLine(message) }),
  };
}

function answerOf(items: readonly string[], collected: RequestCollector, error?: string): PageAnswer {
  const requests = collected.end();
  return { items, ...(requests.length > 0 && { requests }), ...(error !== undefined && { error }) };
}

/** The page's views stay getters: what is costly is made when it is touched. */
const inContext = (page: Page, { enqueue, state }: Pick<PageContext, 'enqueue' | 'state'>): PageContext =>
  Object.defineProperties(page, {
    enqueue: { value: enqueue, enumerable: true },
    state: { value: state, enumerable: true },
  }) as PageContext;

/**
 * Calls `onError` and catches what it throws. If it hangs it is not called again, since each page would wait
 * for it.
 */
function createTeller(
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
      isGivenUp ||= failure instanceof HookTimeout;
      if (isGivenUp || !hasWarned)
        warn(`onError${isGivenUp ? ' is not called again' : ''}: ${oneLine(messageOf(failure))}`);
      hasWarned = true;
    }
  };
}
