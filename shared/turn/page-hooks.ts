/** What a project wants to hear of pages, as a turn calls it. Made by `shared/hooks/`; nothing here throws. */

import type { FetchedResponse } from '../fetcher/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../parser/document.ts';

/** A page and what was found in it. The response's body is there until the call resolves. */
export interface HookedPage {
  readonly url: string;
  readonly depth: number;
  readonly via?: string;
  readonly response: FetchedResponse;
  readonly facts: DocumentFacts;
  /** Runs each synchronous part of a hook: for a watchdog. */
  readonly around?: <T>(part: () => T) => T;
}

export interface PageHooks {
  /** What the page's links and title are to be: `facts`, changed by the project's extraction middleware. */
  extract(page: HookedPage): Promise<{ readonly facts: DocumentFacts; readonly error?: string }>;
  /** The items of the page as lines of JSON, without their ends. `error`: why there are none, or fewer. */
  onPage(page: HookedPage): Promise<{ readonly items: readonly string[]; readonly error?: string }>;
  /** Tells the project of a URL that failed for good. */
  onError(url: string, message: string): Promise<void>;
}
