import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import type { ResponseHead } from '../../core/outcome/response-head.ts';
import type { PartKind } from '../../core/render/part-kind.ts';

/** A request that a page makes while it is rendered. */
export interface PartRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly kind: PartKind;
  /** Absolute URL of the document that asks. */
  readonly documentUrl: string;
}

/** Why a request of a page is not made. */
export interface PartRefusal {
  readonly status: 'refused';
  readonly reason: string;
}

/**
 * Makes the requests of one page, under its crawl's address guard, robots.txt, pace and limits. Never rejects. A body that
 * does not end is given as far as it came: see `partMs` and `streamMs` of `PAGE_LIMITS`. The renderer disposes of no body:
 * the caller keeps them for the archive.
 */
export type FetchPart = (request: PartRequest) => Promise<FetchOutcome | PartRefusal>;

interface RenderLimits {
  /** Limit of the whole page, from the call on. */
  readonly ms: number;
  readonly requests: number;
  readonly bytes: number;
  readonly links: number;
  readonly htmlBytes: number;
}

export interface RenderJob {
  /** The crawl that pays for it. */
  readonly crawl: CrawlId;
  readonly url: string;
  /** The page as the crawl has fetched it: it is not requested again. `body` is decoded of its content coding. */
  readonly document: Pick<ResponseHead, 'httpStatus' | 'headers'> & { readonly body: Uint8Array };
  readonly userAgent: string;
  readonly cookies: readonly RenderCookie[];
  readonly limits: RenderLimits;
  readonly behaviours: RenderBehaviours;
  readonly screenshot?: boolean;
  /** The document gets the styles that scripts have set without markup: it is shown without them. */
  readonly writesStyles?: boolean;
}

export interface RenderCookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
  /** It is sent to hosts of this domain. Absent: only to that of the URL. */
  readonly domain?: string;
  readonly path?: string;
  /** Scripts do not see it. */
  readonly httpOnly?: boolean;
}

export interface RenderBehaviours {
  /** JavaScript that gives the project's function: it runs in the page first. */
  readonly script?: string;
  /** Scrolls to the end of the page. */
  readonly scroll: boolean;
  /** Then clicks buttons that say that they show more. */
  readonly more: boolean;
}

/**
 * `rendered`: the document was read; `detail` says why it may not be whole, such as a script that was ended. Otherwise
 * there is no document, though there may be links.
 */
export type RenderState = 'rendered' | 'timedOut' | 'crashed' | 'tooLarge' | 'noBrowser';

export interface Rendering {
  readonly state: RenderState;
  /** The document as rendered, shadow roots as declarative templates, whatever charset it names. Undefined if there is none. */
  readonly html?: string;
  /** URLs that are in no markup: popups, navigations that were refused, history entries, links of earlier scroll steps. */
  readonly links: readonly string[];
  /** Where the page's own script led at once instead of showing something. */
  readonly navigatedTo?: string;
  /** Cookies that scripts have set. */
  readonly cookies: readonly RenderCookie[];
  readonly screenshot?: Uint8Array;
  readonly detail?: string;
  /** The error of the project's function. */
  readonly behaviourFault?: string;
  readonly used: {
    readonly requests: number;
    readonly bytes: number;
    readonly ms: number;
    readonly cpuMs: number;
  };
}

/** Draws pages by a browser that has no network of its own, as many at once as it is called for. */
export interface Renderer {
  /** Never rejects. Resolves soon after `job.limits.ms` at the latest. */
  render(job: RenderJob, fetchPart: FetchPart, signal?: AbortSignal): Promise<Rendering>;
  close(): Promise<void>;
}
