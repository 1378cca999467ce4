/** Pages that a turn has rendered, and what is read of them. */

import { renderedHeaders } from '../../../core/archive/read-rendered.ts';
import { lazy } from '../../../core/base/lazy.ts';
import { unlessStopped } from '../../../core/base/unless-stopped.ts';
import { boundedText, type Cause } from '../../../core/causes/cause.ts';
import { isRefetch, type UrlRecord } from '../../../core/frontier/url-record.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../core/outcome/memory-body.ts';
import { fieldValues } from '../../../core/outcome/response-head.ts';
import { decodeBody } from '../../../core/parser/decode-body.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { documentText } from '../../../core/parser/document-text.ts';
import { bothRobotsDirectives } from '../../../core/parser/robots-directives.ts';
import { XHTML_TYPE } from '../../../core/parser/type-of-xml.ts';
import { gainOf, linksOf, NEEDED_GAIN, type ReadPage } from '../../../core/render/gain.ts';
import { RENDER_MS } from '../../../core/render/page-limits.ts';
import {
  createTemplateNeeds,
  type RenderMode,
  type TemplateNeeds,
} from '../../../core/render/template-needs.ts';
import { isUnfilled } from '../../../core/render/unfilled.ts';
import { isRoute } from '../../../core/url/hash-route.ts';
import { fetchedUrl, isOwnRequest } from '../../../core/url/request-url.ts';
import type { FetchPart, Rendering as Rendered, RenderJob } from '../../ports/renderer.ts';
import type { LaterDocument } from '../page/document-reading.ts';
import { withLinks } from '../page/page-documents.ts';
import { cookiesOfPage, takeScriptCookies, withReadableCookies, withScriptCookies } from './page-cookies.ts';
import { PageParts } from './page-parts.ts';
import { type RouteCopy, RoutePages, routesOf } from './route-pages.ts';
import type { SharedRendering } from './shared-rendering.ts';
import type {
  PageExchanges,
  PageRenderingOptions,
  PageRenderingServices,
  RenderedPage,
  TurnRendering,
  UnrenderedPage,
} from './turn-rendering.ts';

const RENDER_LIMITS: RenderJob['limits'] = {
  ms: RENDER_MS,
  requests: 60,
  bytes: 15_000_000,
  links: 2000,
  htmlBytes: 10_000_000,
};
/** A page waits so long for others to be rendered; then it is fetched again later. */
const PLACE_MS = 120_000;
/** The rest of a trial's time is for the route. */
const SHELL_MS = RENDER_LIMITS.ms / 2;
const LATER_MS = 30_000;
/** A known route that was not rendered keeps its record, and is tried again after this time. */
const KNOWN_ROUTE_MS = 6 * 3600_000;

export class PageRendering implements TurnRendering {
  readonly #services: PageRenderingServices;
  readonly #shared: SharedRendering;
  readonly #options: PageRenderingOptions;
  /** Undefined: all pages are rendered. */
  readonly #needs: TemplateNeeds | undefined;
  /** As above, of routes behind `#` in any case. */
  readonly #routeNeeds: TemplateNeeds;
  readonly #routes: RoutePages;

  constructor(services: PageRenderingServices, shared: SharedRendering, options: PageRenderingOptions) {
    this.#services = services;
    this.#shared = shared;
    this.#options = options;
    this.#routeNeeds = createTemplateNeeds(options.stored);
    if (options.crawl.config.render === 'needed') this.#needs = this.#routeNeeds;
    this.#routes = new RoutePages(options.crawl.id, this.#routeNeeds, shared.routes);
  }

  state(): string | undefined {
    return this.#routeNeeds.state();
  }

  wantsSigns({ kind }: UrlRecord): boolean {
    return kind === undefined;
  }

  admits(url: string): boolean {
    return this.#routes.admits(url, this.#now());
  }

  isRendered({ url, kind }: UrlRecord): boolean {
    const isAlways = this.#needs === undefined || isRoute(url);
    return kind === undefined && (isAlways || this.#needs?.of(url)?.mode === 'rendered');
  }

  async render(page: UnrenderedPage): Promise<RenderedPage | LaterDocument | undefined> {
    const { record, response, facts } = page;
    const mayBe = record.kind === undefined && facts.type === 'html' && response.body.size > 0;
    const isNavigation = !isOwnRequest(record.url) && facts.refresh === undefined;
    if (!mayBe || !isNavigation) return { facts, ...(isRoute(record.url) && { cause: NOT_SHOWN }) };
    const body = await response.body.bytes();
    // Most pages that stay plain are not decoded for it.
    const content = lazy(() => this.#contentOf(response, body));
    const mode = this.#modeOf(page, content);
    if (mode === 'plain')
      return { facts: withoutScripts(facts), ...(isRoute(record.url) && { cause: NOT_SHOWN }) };
    const whole = content();
    return whole === undefined ? { facts } : this.#renderNow(page, whole, mode === 'trial');
  }

  #contentOf({ headers }: FetchedResponse, body: Uint8Array): Uint8Array | undefined {
    const maxBytes = Math.min(this.#options.crawl.config.maxDecodedBytes, RENDER_LIMITS.htmlBytes);
    try {
      return decodeBody(body, fieldValues(headers, 'content-encoding').join(', '), maxBytes);
    } catch {
      // Broken or too large: the parser has read what there is of it.
      return undefined;
    }
  }

  #modeOf(
    { record: { url }, facts, response }: UnrenderedPage,
    content: () => Uint8Array | undefined,
  ): RenderMode {
    if (isRoute(url)) return this.#routes.modeOf(url, this.#now());
    if (this.#needs === undefined) return 'rendered';
    const { textChars = 0, hasScripts = false } = facts.signs ?? {};
    const isUnfilledPage = () => {
      const whole = content();
      if (whole === undefined) return false;
      const type = fieldValues(response.headers, 'content-type').at(-1);
      const ownLinks = linksOf({ url, links: facts.links }).length;
      return isUnfilled(documentText(whole, type, false).text, { textChars, ownLinks });
    };
    return this.#needs.modeOf(url, { hasScripts, isUnfilled: isUnfilledPage }, this.#now());
  }

  async #renderNow(
    page: UnrenderedPage,
    content: Uint8Array,
    isTrial: boolean,
  ): Promise<RenderedPage | LaterDocument | undefined> {
    const begunAt = this.#now();
    const before = await this.#shellOf(page, content, isTrial);
    if (before !== undefined && 'retryMs' in before) return before;
    const { shell, parts: ofShell } = before ?? {};
    const ms = RENDER_LIMITS.ms - (this.#now() - begunAt);
    const drawn = await this.#draw(page, content, { ms, own: ofShell?.own }).catch(async (error) => {
      await ofShell?.release();
      throw error;
    });
    if (drawn === undefined || 'retryMs' in drawn) {
      await ofShell?.release();
      return drawn;
    }
    const { rendered } = drawn;
    const parts = ofShell ? joinedParts(ofShell, drawn.parts) : drawn.parts;
    const { screenshot, behaviourFault: message } = rendered;
    if (message !== undefined) this.#shared.onFault?.({ source: 'behave', url: page.record.url, message });
    try {
      const found = await this.#read(page, content, rendered, { isTrial, shell });
      const later = found.view === undefined ? this.#retry(page.record, found.cause) : undefined;
      if (later === undefined) return { ...found, parts, ...(screenshot && { screenshot }) };
      await parts.release();
      return later;
    } catch (error) {
      await parts.release();
      throw error;
    }
  }

  /** A route that was not rendered has no form at all: it is tried again, like a page without an answer. */
  #retry(record: UrlRecord, cause: Cause | undefined): LaterDocument | undefined {
    if (!isRoute(record.url) || cause === undefined) return undefined;
    if (isRefetch(record)) return { retryMs: KNOWN_ROUTE_MS, isAttempt: false, cause };
    const isLast = record.attempts + 1 >= this.#options.crawl.config.maxAttempts;
    return isLast ? undefined : { retryMs: LATER_MS, isAttempt: true, cause };
  }

  /** Undefined if the worker is being stopped. The exchanges of what was drawn are to be released. */
  async #draw(
    page: UnrenderedPage,
    content: Uint8Array,
    { ms, own = 0 }: { readonly ms: number; readonly own?: number | undefined },
  ): Promise<Drawn | LaterDocument | undefined> {
    const { engine, stopping } = this.#services;
    const { places, renderer } = this.#shared;
    const { access, crawl, counters, pace, robots } = this.#options;
    const { record, response, crawlDelayMs } = page;
    const deadline = { ms: PLACE_MS, clock: engine.clock };
    const leave = await places.acquire(1, { signal: stopping, deadline });
    if (stopping.aborted) return void leave?.();
    if (leave === undefined) return BUSY;
    const startedAt = this.#now();
    const latestAt = startedAt + ms;
    const maxBytes = RENDER_LIMITS.bytes;
    const parts = new PageParts(this.#services, this.#shared, { crawl, pace, robots, latestAt, maxBytes });
    let rendered: Rendered | undefined;
    try {
      await pace.lockForRendering(ms, crawlDelayMs);
      const jar = access.cookies;
      const readable = <R extends FetchedResponse>(answer: R): R => ({
        ...answer,
        headers: withReadableCookies(answer.headers, jar, answer.url),
      });
      const cookies = cookiesOfPage(jar, record.url);
      const job = {
        ...this.#jobOf(record.url, readable(response), content, cookies),
        limits: { ...RENDER_LIMITS, ms },
      };
      const hasCookies = job.cookies.length > 0;
      const fetchPart: FetchPart = async (request) => {
        const answer = await parts.fetch(withScriptCookies(request, job), hasCookies);
        return answer.status === 'response' ? readable(answer) : answer;
      };
      const drawing = renderer.render(job, fetchPart, stopping);
      rendered = await unlessStopped(drawing, stopping, engine.clock);
      if (rendered) takeScriptCookies(jar, record.url, rendered.cookies);
    } finally {
      leave();
      await parts.end();
      if (parts.own + own > 0) pace.restAfterParts(parts.own + own, crawlDelayMs);
      counters.count('render', 'requests', parts.sent.requests);
      counters.count('render', 'ms', this.#now() - startedAt);
    }
    if (rendered === undefined || stopping.aborted) return void (await parts.release());
    return { rendered, parts };
  }

  /**
   * The page of a route without it, as it is rendered: it was rendered in this turn, or is now, for a trial. `parts`: the
   * requests for that, to be released. Undefined for other pages.
   */
  async #shellOf(
    page: UnrenderedPage,
    content: Uint8Array,
    isTrial: boolean,
  ): Promise<{ readonly shell?: ReadPage; readonly parts?: PageParts } | LaterDocument | undefined> {
    const { record } = page;
    if (!isRoute(record.url)) return undefined;
    const known = this.#routes.shellOf(record.url);
    if (known !== undefined) return { shell: known };
    if (!isTrial) return undefined;
    const plain = { ...page, record: { ...record, url: fetchedUrl(record.url) } };
    const drawn = await this.#draw(plain, content, { ms: SHELL_MS });
    if (drawn === undefined || 'retryMs' in drawn) return drawn;
    const { rendered, parts } = drawn;
    try {
      const { html } = rendered;
      if (html === undefined) return { parts };
      const read = await this.#parse(plain, viewOf(page.response, html), html, rendered);
      const facts = this.#withRoutes(plain, content, read);
      const shell = (await this.#reader())(plain.record.url, html, facts);
      this.#routes.keepShell(shell);
      return { shell, parts };
    } catch (error) {
      await parts.release();
      throw error;
    }
  }

  /** Routes of the page that are worth rendering become links. */
  #withRoutes({ record: { url } }: UnrenderedPage, content: Uint8Array, facts: DocumentFacts): DocumentFacts {
    const { hashRoutes, ...rest } = facts;
    if (hashRoutes === undefined) return facts;
    const { crawl } = this.#options;
    const isDocsify = Buffer.from(content.buffer, content.byteOffset, content.length).includes('docsify');
    const routes = routesOf(hashRoutes, { url, isDocsify }, (shell) => crawl.nameOf(shell));
    const admitted = new Set(routes.filter((route) => this.admits(route)));
    const others = routes.filter((route) => !admitted.has(route));
    return { ...linkingTo(rest, [...admitted]), ...(others.length > 0 && { hashRoutes: others }) };
  }

  /** Crawls without trials, and without routes, do not load it. */
  async #reader(): Promise<(url: string, html: string, facts: DocumentFacts) => ReadPage> {
    const { extractContent } = await import('../../../core/content/extract.ts');
    return (url, html, { links, refresh }) => {
      const { text: main, visibleText: visible = main } = extractContent(html, url);
      return { url, links, main, visible, isRedirect: refresh !== undefined };
    };
  }

  #jobOf(
    url: string,
    { httpStatus, headers }: FetchedResponse,
    body: Uint8Array,
    cookies: RenderJob['cookies'],
  ): Omit<RenderJob, 'limits'> {
    const { userAgent, screenshots, keepRendered } = this.#options.crawl.config;
    return {
      crawl: this.#options.crawl.id,
      url,
      document: { httpStatus, headers, body },
      userAgent,
      cookies,
      behaviours: this.#shared.behaviours,
      screenshot: screenshots,
      writesStyles: keepRendered,
    };
  }

  async #read(
    page: UnrenderedPage,
    content: Uint8Array,
    rendered: Rendered,
    { isTrial, shell }: { readonly isTrial: boolean; readonly shell: ReadPage | undefined },
  ): Promise<RenderedPage> {
    const { counters } = this.#options;
    const { facts: plain, record } = page;
    const { html, state, detail } = rendered;
    const { url } = record;
    if (isTrial) counters.count('render', 'trials');
    if (html === undefined) {
      if (isTrial) this.#routeNeeds.learn(url, undefined, this.#now());
      counters.count('render', 'failed');
      const reason = state === 'rendered' ? 'crashed' : state;
      const cause: Cause = { code: 'notRendered', reason, ...(detail && { detail: boundedText(detail) }) };
      return { facts: withoutScripts(plain), cause };
    }
    const view = viewOf(page.response, html);
    const facts = await this.#parse(page, view, html, rendered);
    if (isRoute(url)) {
      const found = this.#withRoutes(page, content, facts);
      const copy = await this.#copyOf(url, html, found, { isTrial, shell });
      counters.count('render', 'pages');
      return { facts: { ...found, ...(copy && { copy }) }, view };
    }
    if (isTrial && !(await this.#isGain(page, content, { html, facts }))) {
      // That there are more pages, which this crawl does not request, is said all the same.
      const { hashRoutes } = facts;
      return { facts: { ...withoutScripts(plain), ...(hashRoutes && { hashRoutes }) } };
    }
    counters.count('render', 'pages');
    if (facts.hashRoutes === undefined) return { facts, view };
    const found = this.#withRoutes(page, content, facts);
    this.#routes.keepShell((await this.#reader())(url, html, found));
    return { facts: found, view };
  }

  async #copyOf(
    url: string,
    html: string,
    facts: DocumentFacts,
    { isTrial, shell }: { readonly isTrial: boolean; readonly shell: ReadPage | undefined },
  ): Promise<RouteCopy | undefined> {
    const readPage = await this.#reader();
    const { crawl, ledger } = this.#options;
    const isNew = (link: string) => !ledger.has(crawl.nameOf(link));
    const now = this.#now();
    return this.#services.work.run(crawl.id, url, 'parse', () =>
      this.#routes.copyOf(readPage(url, html, facts), shell, { isTrial, isNew, now }),
    );
  }

  /** Compares both forms of the page, and keeps the gain. */
  async #isGain(
    { record, response, facts: plain }: UnrenderedPage,
    content: Uint8Array,
    { html, facts }: { readonly html: string; readonly facts: DocumentFacts },
  ): Promise<boolean> {
    const readPage = await this.#reader();
    const type = fieldValues(response.headers, 'content-type').at(-1);
    const { text } = documentText(content, type, plain.mimeType === XHTML_TYPE);
    const { crawl, ledger } = this.#options;
    const isNew = (link: string) => {
      const url = crawl.nameOf(link);
      return !ledger.has(url) && crawl.scope.check(url, record.depth + 1) === undefined;
    };
    const gain = this.#services.work.run(crawl.id, record.url, 'parse', () =>
      gainOf(
        readPage(record.url, text, withRouteLinks(plain)),
        readPage(record.url, html, withRouteLinks(facts)),
        isNew,
      ),
    );
    this.#needs?.learn(record.url, gain, this.#now());
    return gain > NEEDED_GAIN;
  }

  async #parse(
    { record, facts: plain, parserFor, resolve }: UnrenderedPage,
    view: FetchedResponse,
    html: string,
    { links, navigatedTo }: Rendered,
  ): Promise<DocumentFacts> {
    const parser = parserFor(view);
    parser.write(Buffer.from(html));
    const read = await parser.end();
    const { url } = record;
    const { maxLinksPerPage: maxLinks } = this.#options.crawl.config;
    const found = withLinks(read, { links, metadata: { types: [] } }, { url, maxLinks, resolve });
    const refresh = navigatedTo === undefined ? undefined : resolve(navigatedTo, url);
    const usage = [
      ...new Map(
        [...(plain.usage ?? []), ...(read.usage ?? [])].map((one) => [JSON.stringify(one), one]),
      ).values(),
    ];
    return withoutScripts({
      ...found,
      // A statement of the page counts, whether its scripts have added or removed it.
      robots: bothRobotsDirectives(plain.robots, read.robots),
      ...(usage.length > 0 && { usage }),
      ...(refresh !== undefined && { refresh, refreshMs: 0 }),
    });
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}

const joinedParts = (before: PageExchanges, after: PageExchanges): PageExchanges => ({
  exchanges: [...before.exchanges, ...after.exchanges],
  async release() {
    await before.release();
    await after.release();
  },
});

interface Drawn {
  readonly rendered: Rendered;
  readonly parts: PageParts;
}

const NOT_SHOWN: Cause = { code: 'hashRoute' };

const BUSY: LaterDocument = {
  retryMs: LATER_MS,
  isAttempt: false,
  cause: { code: 'notRendered', reason: 'timedOut', detail: 'it waited for others' },
};

const linkingTo = (facts: DocumentFacts, urls: readonly string[]): DocumentFacts => ({
  ...facts,
  links: [...facts.links, ...urls.map((url) => ({ url, kind: 'a' }) as const)],
});

/** A menu of routes behind `#` may be all that scripts add. */
const withRouteLinks = (facts: DocumentFacts): DocumentFacts => linkingTo(facts, facts.hashRoutes ?? []);

/** The page is not reported as one that needs JavaScript: the crawl has looked. */
const withoutScripts = (facts: DocumentFacts): DocumentFacts =>
  facts.signs ? { ...facts, signs: { ...facts.signs, hasScripts: false } } : facts;

/** The response as if the site had sent the rendered document. */
function viewOf(response: FetchedResponse, html: string): FetchedResponse {
  const { truncated: _, bodyFailure: __, ...whole } = response;
  return {
    ...whole,
    headers: renderedHeaders(response.headers),
    body: memoryBody(Buffer.from(html)),
  };
}
