import type { Cause } from '../../../core/causes/cause.ts';
import type { CrawlConfig, HostConfig } from '../../../core/crawl/config.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Scope } from '../../../core/crawl/scope.ts';
import type { HostLedger } from '../../../core/frontier/ledger.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { FetchedResponse, FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import type { DocumentFacts, DocumentParser } from '../../../core/parser/document.ts';
import type { ResolveReference } from '../../../core/parser/link-set.ts';
import type { RobotsRules } from '../../../core/robots/robots-rules.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { HostCookies } from '../../access/host-cookies.ts';
import type { Budget } from '../../crawl-state/budget.ts';
import type { Crawl } from '../../crawl-state/crawls.ts';
import type { Engine } from '../../ports/engine.ts';
import type { TurnCounters } from '../counters.ts';
import type { LaterDocument } from '../page/document-reading.ts';
import type { PageWork } from '../page/page-work.ts';

/** Rendering, as the turns of a worker use it. Its modules are loaded only by a process that has a browser. */
export interface RenderingService {
  /** How long a page may take that the crawl renders; 0 if it renders none. */
  limitMs(config: Pick<CrawlConfig, 'render'>): number;
  /** Undefined: the crawl renders no page of the host. */
  ofTurn(services: PageRenderingServices, options: PageRenderingOptions): TurnRendering | undefined;
}

export interface PageRenderingServices {
  readonly engine: Engine;
  readonly work: PageWork;
  readonly stopping: AbortSignal;
}

/** The parts of a turn that the rendering of its pages uses. */
export interface PageRenderingOptions {
  readonly crawl: {
    readonly id: CrawlId;
    readonly host: HostKey;
    readonly config: HostConfig;
    readonly everywhere: Crawl;
    readonly budget: Pick<Budget, 'receive'>;
    readonly scope: Pick<Scope, 'check'>;
    nameOf(url: string): string;
  };
  readonly ledger: Pick<HostLedger, 'has'>;
  readonly access: { readonly cookies: HostCookies | undefined };
  readonly counters: Pick<TurnCounters, 'count'>;
  readonly pace: {
    part(request: FetchRequest, latestAt: number): Promise<FetchOutcome>;
    lockForRendering(ms: number, crawlDelayMs: number | undefined): Promise<void>;
    restAfterParts(parts: number, crawlDelayMs: number | undefined): void;
  };
  readonly robots: { known(origin: string): Promise<RobotsRules | undefined> };
  /** The field `renderNeeds` of the host's head. */
  readonly stored: string | undefined;
}

/** Renders pages of a turn where its crawl wants it. */
export interface TurnRendering {
  /** For the host's head. Undefined: it stays as it is. */
  state(): string | undefined;
  /** Whether the URL may be a page that is rendered: its parser looks for signs. */
  wantsSigns(record: UrlRecord): boolean;
  /** False for a route behind `#` that shows nothing which the page without it does not, as far as is known. */
  admits(url: string): boolean;
  /** Whether the page is rendered as far as is known: equal bytes are not an equal page then. */
  isRendered(record: UrlRecord): boolean;
  /**
   * Resolves to the page as it counts; to undefined if the worker is being stopped: then the page waits for the next
   * session. A page that cannot be rendered counts as its site sent it.
   */
  render(page: UnrenderedPage): Promise<RenderedPage | LaterDocument | undefined>;
}

/** A page that was fetched, and may have to be rendered. */
export interface UnrenderedPage {
  readonly record: UrlRecord;
  readonly response: FetchedResponse;
  readonly facts: DocumentFacts;
  readonly crawlDelayMs: number | undefined;
  /** Makes a parser for the rendered document, with the head that it is given. */
  readonly parserFor: (
    head: Pick<FetchedResponse, 'httpStatus' | 'statusText' | 'headers'>,
  ) => DocumentParser;
  readonly resolve: ResolveReference;
}

/** The page as it counts: rendered, or as its site sent it. */
export interface RenderedPage {
  readonly facts: DocumentFacts;
  /** The response with the rendered document as its body. Undefined: the page counts as its site sent it. */
  readonly view?: FetchedResponse;
  readonly cause?: Cause;
  /** Exchanges that the page has made, for the archive. */
  readonly parts?: PageExchanges;
  readonly screenshot?: Uint8Array;
}

export interface PageExchanges {
  readonly exchanges: readonly FetchedResponse[];
  /** To be called when the exchanges are archived, or are not to be. */
  release(): Promise<void>;
}
