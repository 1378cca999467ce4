/** The project's hooks for pages, as a turn calls them. Made by `shared/services/hooks/`; nothing here throws. */

import type { RefusalKind } from '../../core/causes/cause.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlConfig } from '../../core/crawl/crawl-options.ts';
import type { CookieOptions } from '../../core/crawl/network-options.ts';
import type { MediaContent } from '../../core/media/media-module.ts';
import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../core/parser/document.ts';
import type { HookRequest } from '../../core/url/request-url.ts';
import type { PageState } from './page/visit-state.ts';

/** Hooks that may follow one exchange: for extraction, for the page, and for an error. */
export const HOOK_CALLS = 3;

/** The crawl that a hook is called for, with the settings of the page's host. */
export interface HookedCrawl {
  readonly id: CrawlId;
  readonly config: CrawlConfig;
}

/** A page and its extracted content. The response's body is there until the call resolves. */
export interface HookedPage {
  /** Where a worker works for several crawls. */
  readonly crawl?: HookedCrawl;
  readonly url: string;
  readonly depth: number;
  readonly via?: string;
  readonly response: FetchedResponse;
  readonly facts: DocumentFacts;
  /** The content of a document that was read as a whole. */
  readonly content?: MediaContent | undefined;
  /** The project's own request, if it made one. */
  readonly request?: HookRequest | undefined;
  /** The state that hooks keep. Absent: the state that the hooks were made with. */
  readonly state?: PageState | undefined;
  /** The page with nearly the same text. */
  readonly duplicateOf?: string | undefined;
  /** Runs each synchronous part of a hook: for a watchdog. */
  readonly around?: <T>(part: () => T) => T;
}

/**
 * Resolves to the language of a page's main text, as by `primaryLanguage`; undefined if that is unknown, or if the page
 * is not a document. Never rejects.
 */
export type ReadLanguage = (page: HookedPage) => Promise<string | undefined>;

/** The result of a project's hook for a page. */
export interface PageAnswer {
  /** Lines of JSON, without their ends. */
  readonly items: readonly string[];
  /** Requests to be made, also if the function failed after it had made them. */
  readonly requests?: readonly PageRequest[];
  /** A factor of the page's importance for recrawl: 0.001 to 1000. Absent: unchanged. */
  readonly importance?: number;
  /** Why items are missing. */
  readonly error?: string;
}

/** A request that a project makes. */
export interface PageRequest {
  /** Canonical. */
  readonly url: string;
  readonly request: HookRequest;
  /** How much it matters: 0 to 7. */
  readonly level: number;
}

/** A host that refuses the crawler, as a project sees it. */
export interface SeenRefusal {
  readonly url: string;
  readonly refusal: RefusalKind;
  /** Whose protection challenges. */
  readonly vendor?: string;
  readonly httpStatus: number;
  /** For people. */
  readonly cause: string;
  /** Rests of the host so far that refusals have caused. */
  readonly rests: number;
}

/** The answer of a project to a refusal: the host rests, is given up, waits for a person, or is tried with these cookies. */
export type RefusalAnswer = 'rest' | 'giveUp' | 'ask' | { readonly cookies: readonly CookieOptions[] };

export interface PageHooks {
  /** Resolves to the page's links and title: `facts`, changed by the project's extraction middleware. */
  extract(page: HookedPage): Promise<{ readonly facts: DocumentFacts; readonly error?: string }>;
  /** Calls the function of the project that the page goes to. */
  onPage(page: HookedPage): Promise<PageAnswer>;
  /** Whether a response is a challenge by the project's own signs. Absent: the project has none. */
  isChallenge?(page: HookedPage): Promise<boolean>;
  /** Decides what becomes of a host that refuses. Absent: it rests. */
  onChallenge?(seen: SeenRefusal, crawl?: HookedCrawl): Promise<RefusalAnswer>;
  /** Reports a URL that failed finally to the project. */
  onError(url: string, message: string, crawl?: HookedCrawl): Promise<void>;
}
