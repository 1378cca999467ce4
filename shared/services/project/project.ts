/**
 * `strand.config.ts`: one file for a project's crawls, the same on one machine and in the cloud.
 *
 * ```ts
 * import { defineCrawl } from 'strand-crawler';
 * export default defineCrawl({ crawl: { contact: 'me@example.org', delayMs: 2000 } });
 * ```
 */

import type { CheerioAPI } from 'cheerio';
import type { PageMetadata } from '../../core/content/metadata.ts';
import type { CrawlOptions } from '../../core/crawl/crawl-options.ts';
import type { CookieOptions } from '../../core/crawl/network-options.ts';
import type { FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../core/outcome/fetch-request.ts';
import type { ResponseHead } from '../../core/outcome/response-head.ts';
import type { LinkKind } from '../../core/parser/link-set.ts';
import type { UsagePreferences, UsageStatement } from '../../core/usage/usage-statement.ts';
import type { SeenRefusal } from '../../crawler/turn/page-hooks.ts';
import type { CrawlSummary } from '../report/summary.ts';
import type { WebhookTarget } from '../webhook/webhook.ts';
import type { AccountOptions } from './account-options.ts';
import type { MediaModule } from './media-module.ts';

export type { FetchedResponse, FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
export type { FetchRequest } from '../../core/outcome/fetch-request.ts';
export type { CrawlSummary } from '../report/summary.ts';
export type { AccountOptions, LoginForm, LoginPage, LoginTools } from './account-options.ts';
export type { MediaDocument, MediaModule, MediaReading } from './media-module.ts';
export { failureOf, type GivenFailure, type GivenResponse, responseOf } from './response-of.ts';
export type { CrawlOptions, PageMetadata, UsagePreferences, UsageStatement };

/**
 * Stands around every exchange of pages and robots.txt: may change the request, answer it itself, or look at the
 * outcome. The first of several is the outermost. If a middleware throws, that fetch has failed, and nothing else is
 * affected.
 */
export type FetchMiddleware = (
  request: FetchRequest,
  next: (request: FetchRequest) => Promise<FetchOutcome>,
) => Promise<FetchOutcome>;

/** A link of a page. */
export interface PageLink {
  /** Absolute http(s) URL. */
  readonly url: string;
  readonly kind: LinkKind;
  /** It says `rel=nofollow`. */
  readonly nofollow?: boolean;
}

/** A response as hooks see it. Redirects are not followed: they are responses of their own. */
export interface PageResponse extends ResponseHead {
  /** When the request was begun; when the last byte came: ms since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly ipAddress: string;
  /** In lower case without parameters; where nothing is declared, as the first bytes suggest. */
  readonly contentType?: string;
  /** Why the body is not whole, as a value of WARC-Truncated. */
  readonly truncated?: 'length' | 'time' | 'disconnect';
}

/** Preferences of a site about the use of a page, from all its signals. Empty: the site states none. */
export interface PageUsage {
  /** All statements combined: what one forbids no other allows. */
  readonly preferences: UsagePreferences;
  readonly statements: readonly UsageStatement[];
}

/** A page that was fetched (status 200 to 299). What is costly is made when it is first touched. */
export interface Page {
  /** Canonical. */
  readonly url: string;
  /** Hops from a seed. */
  readonly depth: number;
  /** The page it was first found on; none for a seed. */
  readonly via?: string;
  readonly response: PageResponse;
  readonly title?: string;
  /** Statements of the site about the use of the page's content (docs/usage-preferences.md). */
  readonly usage?: PageUsage;
  readonly links: readonly PageLink[];
  /** The body, its content coding undone. */
  readonly body: Uint8Array;
  /** The body as text, by its charset. */
  readonly html: string;
  /** The visible text, white space folded; for a document that is not HTML, `html`. */
  readonly text: string;
  /**
   * The main content as plain text, without navigation and advertisements. For a document that is not HTML,
   * `html`.
   */
  readonly mainText: string;
  /**
   * The main content as Markdown (CommonMark, tables as in GFM), with absolute links. For a document that is
   * not HTML, `html`.
   */
  readonly markdown: string;
  /** The page's metadata in meta elements, Open Graph and JSON-LD. */
  readonly metadata: PageMetadata;
  /**
   * The language of the main content as it was detected, such as `de`; if there is too little text, the one that the page
   * declares. ISO 639-1, or 639-3 for a declared language without a shorter code. `metadata.language` is as declared.
   */
  readonly language: string | undefined;
  /** The document by cheerio. */
  readonly $: CheerioAPI;
  /** The page whose text is nearly the same, if the crawl marks such pages (`nearDuplicates`). */
  readonly duplicateOf?: string;
  /** Label and data of the request that fetched the page, if {@link PageContext.enqueue} made it. */
  readonly label?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the project's own data, of whatever shape it gave
  readonly data?: any;
}

/** A page, as `onPage` gets it. */
export interface PageContext extends Page {
  /**
   * Requests a URL, which may be relative to the page. Any URL but those that the crawl's `exclude` names may be
   * requested, whatever the scope. Each request is made once: requests are the same if URL, method, headers, body,
   * label and data are the same. robots.txt and the host's pace hold for them. Call it before `onPage` ends. Throws if
   * the argument is not a valid request.
   */
  readonly enqueue: (url: string | URL, options?: EnqueueOptions) => void;
  /**
   * In a crawl that recrawls: the page counts this number of times as important from now on, 0.001 to 1000, beside the setting
   * `importance` of its host. Four times the importance is about twice the fetches. To be called before `onPage` ends.
   */
  readonly setImportance: (factor: number) => void;
  /** Values that hooks keep from page to page. They are stored with the crawl. */
  readonly state: CrawlState;
}

/**
 * Values by key, shared by all threads of a crawl and kept when it is resumed. A value is anything that JSON
 * can hold, of up to 1 MiB; up to 10,000 keys. Each function is atomic: no update of another page is lost.
 *
 * A change counts at once, also if its hook fails afterwards. (On a stack: once, with the visit; values have up to 350 KB there.) If a visit is done again after a crash, its
 * pages are given to the hooks again: then `update('pages', (n = 0) => n + 1)` counts such a page twice.
 */
export interface CrawlState {
  get<T = unknown>(key: string): T | undefined;
  set(key: string, value: unknown): void;
  /**
   * Replaces a value by what `change` makes of it, and returns the new value. `change` is called again if
   * another thread has changed the value meanwhile, and must not be async.
   */
  update<T>(key: string, change: (value: T | undefined) => T): T;
  delete(key: string): void;
  /** Returns all values, by key. */
  entries(): readonly (readonly [key: string, value: unknown])[];
}

/** The context of `onFinish`, besides the summary. */
export interface FinishContext {
  readonly state: CrawlState;
}

export interface EnqueueOptions {
  /** For {@link Route.label}, and for `page.label`. At most 200 characters. */
  readonly label?: string;
  /** Comes back as `page.data`. JSON. */
  readonly data?: unknown;
  /**
   * 0 to 7. A request with a higher one comes earlier, among URLs that are about as deep.
   * @default 0
   */
  readonly priority?: number;
  /** @default 'GET', or 'POST' with a body */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Besides those of the crawler, and instead of its own of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `URLSearchParams` are sent as a form, bytes (`Uint8Array`) as they are, and any other object as JSON. */
  readonly body?: string | URLSearchParams | Uint8Array | object;
}

/** A function that is called with each page. */
export type OnPage = (page: PageContext) => Items | Promise<Items>;

/**
 * Where pages go. A page goes to the first route that matches it. A route without `url` and `label` matches
 * every page.
 */
export interface Route {
  /** A regular expression on the page's URL; as a string, its source. */
  readonly url?: string | RegExp;
  /** The label that the page was requested with. */
  readonly label?: string;
  readonly onPage: OnPage;
}

/** The data extracted from a page. */
export interface Extraction {
  readonly title?: string;
  /** Links that the crawl follows if they are in its scope. */
  readonly links: readonly PageLink[];
}

/**
 * Stands around the extraction of every page. The first of several is the outermost. If a middleware throws, the page's
 * own extraction is used, and the error is counted.
 */
export type ExtractionMiddleware = (page: Page, next: () => Promise<Extraction>) => Promise<Extraction>;

/** The result of `onPage`: nothing, an item, or several. An item is an object that JSON can hold. */
// biome-ignore lint/suspicious/noConfusingVoidType: what an async function without a return gives
export type Items = void | null | Item | readonly Item[];
export type Item = Readonly<Record<string, unknown>>;

/** A URL that failed finally, or a hook that failed for it. */
export interface CrawlError {
  readonly url: string;
  readonly source: 'fetch' | 'onPage' | 'extraction' | 'item';
  /** For people, one line. */
  readonly message: string;
}

/**
 * Anything that keeps to the Standard Schema interface (https://standardschema.dev): zod, valibot, arktype.
 */
export interface ItemSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }[];
    };

/** A sign of a challenge. All that it names must hold. */
export interface ChallengeSign {
  /** The URL contains this. */
  readonly url?: string;
  readonly status?: number | readonly number[];
  /** A CSS selector of an element of the page. */
  readonly selector?: string;
  /** The page's HTML contains this. */
  readonly text?: string;
}

/**
 * The host rests (also for undefined), is given up, waits until a person brings cookies (`strand resume CRAWL --cookies FILE`), or
 * is tried once more soon, with these cookies.
 */
export type RefusalAnswer =
  | ('rest' | 'giveUp' | 'ask' | undefined)
  | { readonly cookies: readonly CookieOptions[] };

/** A page that is being rendered, as {@link StrandConfig.behave} gets it. */
export interface LivePage {
  readonly url: string;
  /** The page's `Document`. Objects of the page's own scripts are not there. */
  // biome-ignore lint/suspicious/noExplicitAny: most projects do not have the types of a browser
  readonly document: any;
  /** Clicks the first of these elements that is shown; returns whether there was one. */
  readonly click: (selector: string) => boolean;
  /** Scrolls by a screen; returns false at the end. */
  readonly scroll: () => boolean;
}

export interface StrandConfig {
  /** The defaults for the settings of every crawl. */
  readonly crawl?: CrawlOptions;
  /** Accounts at sites, by which pages behind a login are crawled. */
  readonly accounts?: readonly AccountOptions[];
  /** Around the fetch. */
  readonly middleware?: readonly FetchMiddleware[];
  /** Around the extraction of title and links. */
  readonly extraction?: readonly ExtractionMiddleware[];
  /** Code for documents of some media types: their text, links and metadata. Tried before the included modules. */
  readonly modules?: readonly MediaModule[];
  /** Called for each page once its outcome is known; items go to `items.jsonl` in the crawl's folder. */
  readonly onPage?: OnPage;
  /** Functions for some pages, by URL or label. `onPage` gets the others. */
  readonly router?: readonly Route[];
  /** The schema of each item. An item that does not match is counted, and not kept. */
  readonly itemSchema?: ItemSchema;
  readonly onError?: (error: CrawlError) => void | Promise<void>;
  /** Signs of a challenge of your sites, besides those that Strand knows. A response that has one of them is not a page. */
  readonly challenge?: ChallengeSign | readonly ChallengeSign[];
  /** Called when a host refuses the crawler. By default it rests. */
  readonly onChallenge?: (seen: SeenRefusal) => RefusalAnswer | Promise<RefusalAnswer>;
  /**
   * Runs in each page that is rendered, in the browser, before Strand scrolls: it uses nothing from outside of itself. At each
   * `yield` of a generator Strand waits until the page has settled, and keeps its links.
   *
   * ```ts
   * async *behave({ click }) {
   *   click('#accept-cookies');
   *   while (click('.next-results')) yield;
   * }
   * ```
   */
  readonly behave?: (page: LivePage) => unknown;
  /** Called when the crawl, or this session of it, has ended. */
  readonly onFinish?: (summary: CrawlSummary, context: FinishContext) => void | Promise<void>;
  /** Where events are sent when a crawl on one machine has ended: it finished, met a limit, gave hosts up. */
  readonly webhook?: WebhookTarget;
  /** The options of `cdk deploy`: those of `cdk/options.ts`. */
  readonly aws?: Readonly<Record<string, unknown>>;
}

/** Gives what it is given: for the types, and the editor's help. */
export const defineCrawl = (config: StrandConfig): StrandConfig => config;
