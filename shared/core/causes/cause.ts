/**
 * Why a URL or a host is in the state it is in, as data. The program decides by codes and fields;
 * `cause-text.ts` makes sentences of them where people read. Causes are stored: never rename a code or a
 * field.
 */
import type { FailureCode } from '../outcome/failure-codes.ts';

/** The synchronous steps of a page. */
export const PAGE_STEPS = ['parse', 'robots', 'links', 'hook'] as const;
export type PageStep = (typeof PAGE_STEPS)[number];

/** The shape of the URLs that are closed together as a trap. */
export type TrapKind = 'template' | 'combinations' | 'folder';

/** How a body ended before it was whole. */
type BrokenOff = 'time' | 'disconnect';

/** Where a redirect leads, and what the crawl made of its target. */
export interface RedirectCause {
  readonly code: 'redirect';
  /** Canonical; whole, unless it is `notFollowed` for its length. */
  readonly to: string;
  /** By the page's markup. */
  readonly isSoft?: true;
  /** The host redirects there from a URL under which nothing stands, too. */
  readonly isNotFound?: true;
  /** It redirects back to itself and sets a cookie: clients that send the cookie get the page. */
  readonly wantsCookie?: true;
  /** A seed has moved to another site, which joins the crawl like a seed. */
  readonly joins?: true;
  readonly notFollowed?: 'redirects' | 'scopeFull' | 'otherSite' | 'otherHost' | 'urlLength';
  /** Redirects in a row, if they are too many. */
  readonly redirects?: number;
}

/** Why a page could not be rendered. */
export type NotRendered = 'timedOut' | 'crashed' | 'tooLarge' | 'noBrowser';

/** Links of a page that were left out. */
export interface DroppedLinksCause {
  readonly code: 'linksDropped';
  readonly links: number;
  readonly detail: string;
  /** A further cause that applies to the page. */
  readonly besides?: Cause;
}

/** A page whose own text is nearly the same as that of an earlier page of its host. */
export interface NearDuplicateCause {
  readonly code: 'nearDuplicate';
  /** The URL of that page. */
  readonly of: string;
  /** About the share of their texts that both have in common, in hundredths: 0.8 to 1. */
  readonly similarity: number;
  /** Its links are not followed, and it is kept from hooks, documents and exports. */
  readonly isSkipped?: true;
  /** A further cause that applies to the page. */
  readonly besides?: Cause;
}

/** The site wants to see a person, or a browser: by the protection of `vendor`, or by the project's own sign. */
export interface ChallengedCause extends RefusedWhere {
  readonly code: 'challenged';
  readonly vendor: string;
  readonly httpStatus: number;
}

interface RefusedWhere {
  /** The response to the request for robots.txt. */
  readonly at?: 'robots';
  /** The host waits until a person brings cookies. */
  readonly asks?: true;
}

/** The site refuses this crawler. */
export interface BlockedCause extends RefusedWhere {
  readonly code: 'blocked';
  readonly httpStatus: number;
  /** The code that the site gives: `CrawlerForbidden`. */
  readonly detail?: string;
}

/** The site asks for payment. */
export interface PricedCause extends RefusedWhere {
  readonly code: 'priced';
  readonly httpStatus: number;
  readonly price?: Price;
}

/** A price as stated. `amount`: of x402 in the smallest units of the currency. */
export type Price =
  | { readonly scheme: 'cloudflare'; readonly amount: string; readonly currency: string }
  | {
      readonly scheme: 'x402';
      readonly amount: string;
      readonly currency: string;
      readonly network?: string;
    }
  /** Its terms are at this URL, which is not requested. */
  | { readonly scheme: 'rsl'; readonly license: string };

/** A site has refused a request that a person with a browser might make. */
export type RefusalCause = ChallengedCause | BlockedCause | PricedCause;

/** The kinds of refusals. */
export const REFUSAL_KINDS = ['challenged', 'blocked', 'priced'] as const;
export type RefusalKind = (typeof REFUSAL_KINDS)[number];

export const isRefusal = (cause: Cause | undefined): cause is RefusalCause =>
  cause?.code === 'challenged' || cause?.code === 'blocked' || cause?.code === 'priced';

/** `detail`: more, for people; bounded by {@link boundedText}. */
export type Cause =
  // ---- the exchange
  | { readonly code: 'httpStatus'; readonly httpStatus: number }
  | { readonly code: 'bodyBrokeOff'; readonly truncated: BrokenOff; readonly detail?: string }
  | { readonly code: 'fetchFailed'; readonly failure?: FailureCode; readonly detail: string }
  // ---- the site refuses the crawler
  | ChallengedCause
  | BlockedCause
  | PricedCause
  // ---- what a response says about itself
  | RedirectCause
  | { readonly code: 'redirectWithoutLocation' }
  | { readonly code: 'redirectToNoUrl'; readonly location: string }
  | { readonly code: 'noindex' }
  /** `by`: said so before the fetch; otherwise the response or the page did. */
  | { readonly code: 'usageForbidden'; readonly use: string; readonly by?: 'robots.txt' | 'license' }
  /** ISO 639. */
  | { readonly code: 'otherLanguage'; readonly language: string }
  /** It answers as the host does for `probe`, a URL under which nothing stands. */
  | { readonly code: 'softNotFound'; readonly probe: string }
  | NearDuplicateCause
  | { readonly code: 'needsJavaScript' }
  /** The page is as its site sent it, without what its scripts add. */
  | { readonly code: 'notRendered'; readonly reason: NotRendered; readonly detail?: string }
  /** A route behind `#`: the crawl does not render, or such routes of its page show nothing of their own. */
  | { readonly code: 'hashRoute' }
  | { readonly code: 'loginPage' }
  /** It would end the session of the account by which its host is crawled. */
  | { readonly code: 'signOutLink' }
  /** At a host that is crawled by an account: it probably changes something there. */
  | { readonly code: 'changeLink' }
  | { readonly code: 'badDocument'; readonly detail: string }
  /** By its content coding. `isAll`: nothing of the content could be read. */
  | { readonly code: 'bodyUndecoded'; readonly detail: string; readonly isAll?: true }
  /** A PDF or Office document, or one for a module of the project. */
  | { readonly code: 'documentUnread'; readonly detail: string }
  | { readonly code: 'documentCut'; readonly detail: string }
  | DroppedLinksCause
  // ---- robots.txt
  | { readonly code: 'robotsDenied'; readonly line?: number; readonly pattern?: string }
  | { readonly code: 'robotsFailed'; readonly failure?: FailureCode; readonly detail: string }
  | { readonly code: 'robotsStatus'; readonly httpStatus: number }
  | { readonly code: 'robotsBrokeOff'; readonly truncated: BrokenOff; readonly detail?: string }
  | { readonly code: 'robotsUndecoded'; readonly detail: string }
  | { readonly code: 'robotsRedirectsTooSlow' }
  | { readonly code: 'robotsMoved'; readonly to: string }
  | { readonly code: 'crawlNotRunning' }
  // ---- quotas
  /** The template of its URL has had all its pages. */
  | { readonly code: 'pagesPerTemplate'; readonly template: string }
  // ---- traps, and pages that crash or block workers
  /** `isUnused`: the pages of the group forbid their use. */
  | { readonly code: 'trap'; readonly kind: TrapKind; readonly group: string; readonly isUnused?: true }
  | { readonly code: 'workerDied'; readonly times: number; readonly at: 'page' | 'robots' }
  | { readonly code: 'threadBlocked'; readonly ms: number; readonly step: PageStep }
  | { readonly code: 'robotsBlockedThread'; readonly ms: number; readonly step: PageStep }
  | {
      readonly code: 'pagesBlockedThread';
      readonly pages: number;
      readonly ms: number;
      readonly step: PageStep;
    }
  // ---- the host, and the project
  | { readonly code: 'hostFailed' }
  /** All accounts for the host wait for the operator. */
  | { readonly code: 'accountsLocked'; readonly accounts: string; readonly detail: string }
  /** A part of what is known of the host is gone or damaged. */
  | { readonly code: 'ledgerUnreadable'; readonly detail: string }
  /** The site is no longer in the crawl's list. */
  | { readonly code: 'siteRemoved' }
  | { readonly code: 'awaitsFirstVisit' }
  | { readonly code: 'hookFailed'; readonly detail: string }
  | { readonly code: 'ownRequest'; readonly label?: string }
  /** A stored cause whose code this version does not know. */
  | { readonly code: 'other'; readonly text: string };

export type CauseCode = Cause['code'];

/** The code that programs get beside the sentence: for a failed fetch the exact failure. */
export type ShownCauseCode = CauseCode | FailureCode;

/** The code of a cause, as exports and reports give it. */
export const shownCodeOf = (cause: Cause): ShownCauseCode =>
  cause.code === 'fetchFailed' ? (cause.failure ?? cause.code) : cause.code;

/** Texts that the web has a part in are kept for each URL. */
const MAX_TEXT_CHARS = 2000;

/** The text, cut where it is too long to be kept. Nothing decides by it. */
export function boundedText(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  // Copied: a slice would keep all of it in memory.
  return `${Buffer.from(text.slice(0, MAX_TEXT_CHARS)).toString()}...`;
}

/** Whether a fetched page is archived, and kept from hooks, documents and exports. */
export const isWithheld = (cause: Cause | undefined): boolean =>
  cause?.code === 'usageForbidden' ||
  cause?.code === 'otherLanguage' ||
  (cause?.code === 'nearDuplicate' && cause.isSkipped === true) ||
  (cause?.code === 'linksDropped' && isWithheld(cause.besides));

/** Whether a page says `noindex`, and the crawl obeys it. */
export const isNoindex = (cause: Cause | undefined): boolean =>
  cause?.code === 'noindex' ||
  ((cause?.code === 'nearDuplicate' || cause?.code === 'linksDropped') && isNoindex(cause.besides));

/** The part of a cause that says of which page this one is nearly a duplicate. */
export const nearDuplicateIn = (cause: Cause | undefined): NearDuplicateCause | undefined =>
  cause?.code === 'nearDuplicate'
    ? cause
    : cause?.code === 'linksDropped'
      ? nearDuplicateIn(cause.besides)
      : undefined;

/** Returns the reason for which WARC-Truncated has no value: the framing of the body could not be read. */
export function detailOfBreak(
  failure: { readonly code?: FailureCode; readonly message: string } | undefined,
): { detail?: string } {
  return failure?.code === 'malformedResponse' ? { detail: boundedText(failure.message) } : {};
}
