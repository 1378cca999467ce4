import { Semaphore } from '../../../core/base/semaphore.ts';
import { isOverloaded } from '../../../core/frontier/verdict.ts';
import { type FetchedResponse, type FetchOutcome, sentRequest } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import { isMeasurementHost } from '../../../core/render/measurement-hosts.ts';
import { PAGE_LIMITS } from '../../../core/render/page-limits.ts';
import { isForAll, maySharePart } from '../../../core/render/shared-script.ts';
import { isAllowed, pathAndQuery } from '../../../core/robots/rules.ts';
import { urlAsWritten } from '../../../core/url/canonical.ts';
import { hostKey, hostName, origin } from '../../../core/url/host-key.ts';
import type { PartRefusal, PartRequest } from '../../ports/renderer.ts';
import { HeldBodies } from '../page/held-bodies.ts';
import { refusal, type SharedRendering } from './shared-rendering.ts';
import type { PageExchanges, PageRenderingOptions, PageRenderingServices } from './turn-rendering.ts';

export interface PagePartsOptions extends Pick<PageRenderingOptions, 'crawl' | 'pace' | 'robots'> {
  /** No request is begun after this time. */
  readonly latestAt: number;
  /** Limit of the bodies together, as received. */
  readonly maxBytes: number;
}

/** Requests of one page to its own host that are in flight at once. */
const MAX_OWN_AT_ONCE = 2;
/** Requests of one page to each other host. */
const MAX_OF_OTHER = 20;

/** The requests that one page makes while it is rendered, and their exchanges for the archive. */
export class PageParts implements PageExchanges {
  /** Exchanges with sites, in the order of their ends. The bodies are there until {@link PageParts.release}. */
  readonly exchanges: FetchedResponse[] = [];
  readonly #services: Pick<PageRenderingServices, 'engine' | 'stopping'>;
  readonly #shared: Pick<SharedRendering, 'scripts' | 'others'>;
  readonly #options: PagePartsOptions;
  readonly #ownPlaces = new Semaphore(MAX_OWN_AT_ONCE);
  readonly #ofOther = new Map<string, number>();
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  readonly #bodies = new HeldBodies();
  readonly #inFlight = new Set<Promise<unknown>>();
  #own = 0;
  #sent = 0;
  #bytes = 0;
  #ownRefuses = false;

  constructor(
    services: Pick<PageRenderingServices, 'engine' | 'stopping'>,
    shared: Pick<SharedRendering, 'scripts' | 'others'>,
    options: PagePartsOptions,
  ) {
    this.#services = services;
    this.#shared = shared;
    this.#options = options;
    this.#signal = AbortSignal.any([services.stopping, this.#ending.signal]);
  }

  /** Requests that the page's own host got. */
  get own(): number {
    return this.#own;
  }

  /** Requests that any site got, and the bytes of their bodies. */
  get sent(): { readonly requests: number; readonly bytes: number } {
    return { requests: this.#sent, bytes: this.#bytes };
  }

  /**
   * Makes one request of the page; `hasCookies`: the page has some. Rejects only as the fetcher does, where our own storage
   * fails.
   */
  async fetch(asked: PartRequest, hasCookies: boolean): Promise<FetchOutcome | PartRefusal> {
    const url = urlAsWritten(asked.url);
    if (url === undefined) return refusal('it is not a URL of the web');
    const limit = this.#metLimit();
    if (limit !== undefined) return refusal(limit);
    const host = hostKey(url);
    const isOwn = host === this.#options.crawl.host;
    if (!isOwn && isMeasurementHost(hostName(host))) return refusal('a host of measurement or advertising');
    const making = this.#fetchCached(asked, url, { isOwn, hasCookies });
    this.#inFlight.add(making);
    try {
      return await making;
    } finally {
      this.#inFlight.delete(making);
    }
  }

  /** Ends the requests in flight. Resolves when no further exchange comes. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled([...this.#inFlight]);
  }

  release(): Promise<void> {
    return this.#bodies.release();
  }

  async #fetchCached(
    asked: PartRequest,
    url: string,
    { isOwn, hasCookies }: { readonly isOwn: boolean; readonly hasCookies: boolean },
  ): Promise<FetchOutcome | PartRefusal> {
    const { method, headers, body } = asked;
    const isShared = maySharePart(asked);
    const { scripts } = this.#shared;
    const key = `${this.#options.crawl.id} ${url}`;
    const known = isShared ? scripts.find(key, this.#now()) : undefined;
    if (known !== undefined) return { ...known, cache: { kind: 'hit', recordId: '' } };
    const totalTimeoutMs = headers.accept === 'text/event-stream' ? PAGE_LIMITS.streamMs : PAGE_LIMITS.partMs;
    const request = { url, method, headers, ...(body && { body }), totalTimeoutMs, signal: this.#signal };
    const outcome = isOwn ? await this.#ofOwn(request) : await this.#ofOtherHost(request, hostKey(url));
    if (!isShared || outcome.status !== 'response') return outcome;
    if (outcome.httpStatus === 200 && !outcome.truncated && isForAll(outcome, hasCookies))
      scripts.keep(key, outcome, await outcome.body.bytes());
    return outcome;
  }

  async #ofOwn(request: FetchRequest): Promise<FetchOutcome | PartRefusal> {
    const { robots, pace, latestAt } = this.#options;
    const rules = await robots.known(origin(request.url));
    if (rules === undefined) return refusal('the robots.txt of its origin is not known');
    if (!isAllowed(rules, pathAndQuery(request.url)).allowed) return refusal('robots.txt');
    const release = await this.#ownPlaces.acquire(1, { signal: this.#signal });
    try {
      // The page makes all its requests at once: others have come and gone meanwhile.
      const limit = this.#metLimit();
      if (release === undefined || limit !== undefined) return refusal(limit ?? 'no time left');
      if (this.#ownRefuses) return refusal('its host refuses further requests');
      const outcome = await pace.part(request, latestAt);
      if (wasMade(outcome)) this.#own++;
      if (outcome.status === 'response' && isOverloaded(outcome.httpStatus)) this.#ownRefuses = true;
      this.#note(outcome);
      return outcome;
    } finally {
      release?.();
    }
  }

  async #ofOtherHost(
    request: FetchRequest & { readonly signal: AbortSignal },
    other: string,
  ): Promise<FetchOutcome | PartRefusal> {
    const { crawl, latestAt } = this.#options;
    const count = (this.#ofOther.get(other) ?? 0) + 1;
    if (count > MAX_OF_OTHER) return refusal('too many requests to its host');
    this.#ofOther.set(other, count);
    return this.#shared.others.request({
      crawl: crawl.everywhere,
      request,
      latestAt,
      mayBegin: () => this.#metLimit() === undefined,
      onOutcome: (outcome) => this.#note(outcome),
    });
  }

  #note(outcome: FetchOutcome): void {
    if (!wasMade(outcome)) return;
    this.#sent++;
    if (outcome.status !== 'response') return;
    this.#bodies.hold(outcome);
    this.#bytes += outcome.body.size;
    this.#options.crawl.budget.receive(outcome.body.size);
    this.exchanges.push(outcome);
  }

  /** Why no further request is begun; undefined if one may be. */
  #metLimit(): string | undefined {
    if (this.#signal.aborted || this.#now() > this.#options.latestAt) return 'no time left';
    return this.#bytes >= this.#options.maxBytes ? 'too many bytes' : undefined;
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}

const wasMade = (outcome: FetchOutcome): boolean =>
  sentRequest(outcome) && !(outcome.status === 'failed' && outcome.isNotSent);
