/** The options and the result of `processCrawl`. */
import type { HookError } from '../shared/crawler/ports/hook-error-log.ts';
import type { Item } from '../shared/services/project/project.ts';
import type { CrawlHooks } from './start-options.ts';

export interface ProcessOptions
  extends Pick<CrawlHooks, 'extraction' | 'modules' | 'onPage' | 'router' | 'itemSchema' | 'onError'> {
  /** A project's file, whose hooks are called. Not together with hooks that are functions. */
  readonly project?: string;
  /**
   * Threads that work. Not together with hooks that are functions: they stay in the calling thread.
   * @default 1
   */
  readonly workers?: number;
  /** Ends the work when it aborts; the iteration throws the reason. */
  readonly signal?: AbortSignal;
}

/** A page of the archive that was given to the hooks. */
export interface ProcessedPage<T = Item> {
  readonly url: string;
  readonly items: readonly T[];
  /** Requests that the hooks made. They are not sent. */
  readonly requests: number;
  /** Why the page has no items, or fewer: a hook failed, or the record cannot be read. */
  readonly error?: HookError;
}
