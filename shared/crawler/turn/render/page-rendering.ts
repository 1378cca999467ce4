/** Pages that a turn has rendered, and what is read of them. */

import { renderedHeaders } from '../../../core/archive/read-rendered.ts';
import { lazy } from '../../../core/base/lazy.ts';
import { unlessStopped } from '../../../core/base/unless-stopped.ts';
import { boundedText, type Cause } from '../../../core/causes/cause.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../core/outcome/memory-body.ts';
import { fieldValues } from '../../../core/outcome/response-head.ts';
import { decodeBody } from '../../../core/parser/decode-body.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { documentText } from '../../../core/parser/document-text.ts';
import { bothRobotsDirectives } from '../../../core/parser/robots-directives.ts';
import { XHTML_TYPE } from '../../../core/parser/type-of-xml.ts';
import { gainOf, linksOf, type ReadPage } from '../../../core/render/gain.ts';
import { RENDER_MS } from '../../../core/render/page-limits.ts';
import {
  createTemplateNeeds,
  NEEDED_GAIN,
  type RenderMode,
  type TemplateNeeds,
} from '../../../core/render/template-needs.ts';
import { isUnfilled } from '../../../core/render/unfilled.ts';
import { isOwnRequest } from '../../../core/url/request-url.ts';
import type { FetchPart, Rendering as Rendered, RenderJob } from '../../ports/renderer.ts';
import type { LaterDocument } from '../page/document-reading.ts';
import { withLinks } from '../page/page-documents.ts';
import { cookiesOfPage, takeScriptCookies, withReadableCookies, withScriptCookies } from './page-cookies.ts';
import { PageParts } from './page-parts.ts';
import type { SharedRendering } from './shared-rendering.ts';
import type {
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
const LATER_MS = 30_000;

export class PageRendering implements TurnRendering {
  readonly #services: PageRenderingServices;
  readonly #shared: SharedRendering;
  readonly #options: PageRenderingOptions;
  /** Undefined: all pages are rendered. */
  readonly #needs: TemplateNeeds | undefined;

  constructor(services: PageRenderingServices, shared: SharedRendering, options: PageRenderingOptions) {
    this.#services = services;
    this.#shared = shared;
    this.#options = options;
    if (options.crawl.config.render === 'needed') this.#needs = createTemplateNeeds(options.stored);
  }

  state(): string | undefined {
    return this.#needs?.state();
  }

  wantsSigns({ kind }: UrlRecord): boolean {
    return kind === undefined;
  }

  isRendered({ url, kind }: UrlRecord): boolean {
    return kind === undefined && (this.#needs === undefined || this.#needs.of(url)?.mode === 'rendered');
  }

  async render(page: UnrenderedPage): Promise<RenderedPage | LaterDocument | undefined> {
    const { record, response, facts } = page;
    const mayBe = record.kind === undefined && facts.type === 'html' && response.body.size > 0;
    const isNavigation = !isOwnRequest(record.url) && facts.refresh === undefined;
    if (!mayBe || !isNavigation) return { facts };
    const body = await response.body.bytes();
    // Most pages that stay plain are not decoded for it.
    const content = lazy(() => this.#contentOf(response, body));
    const mode = this.#modeOf(page, content);
    if (mode === 'plain') return { facts: withoutScripts(facts) };
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
    const { engine, stopping } = this.#services;
    const { places, renderer } = this.#shared;
    const { access, crawl, counters, pace, robots } = this.#options;
    const { record, response, crawlDelayMs } = page;
    const deadline = { ms: PLACE_MS, clock: engine.clock };
    const leave = await places.acquire(1, { signal: stopping, deadline });
    if (stopping.aborted) return void leave?.();
    if (leave === undefined) return BUSY;
    const startedAt = this.#now();
    const latestAt = startedAt + RENDER_LIMITS.ms;
    const maxBytes = RENDER_LIMITS.bytes;
    const parts = new PageParts(this.#services, this.#shared, { crawl, pace, robots, latestAt, maxBytes });
    let rendered: Rendered | undefined;
    try {
      await pace.lockForRendering(RENDER_LIMITS.ms, crawlDelayMs);
      const jar = access.cookies;
      const readable = <R extends FetchedResponse>(answer: R): R => ({
        ...answer,
        headers: withReadableCookies(answer.headers, jar, answer.url),
      });
      const job = this.#jobOf(record.url, readable(response), content, cookiesOfPage(jar, record.url));
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
      if (parts.own > 0) pace.restAfterParts(parts.own, crawlDelayMs);
      counters.count('render', 'requests', parts.sent.requests);
      counters.count('render', 'ms', this.#now() - startedAt);
    }
    if (rendered === undefined || stopping.aborted) return void (await parts.release());
    const { screenshot, behaviourFault: message } = rendered;
    if (message !== undefined) this.#shared.onFault?.({ source: 'behave', url: record.url, message });
    try {
      const found = await this.#read(page, content, rendered, isTrial);
      return { ...found, parts, ...(screenshot && { screenshot }) };
    } catch (error) {
      await parts.release();
      throw error;
    }
  }

  #jobOf(
    url: string,
    { httpStatus, headers }: FetchedResponse,
    body: Uint8Array,
    cookies: RenderJob['cookies'],
  ): RenderJob {
    const { userAgent, screenshots, keepRendered } = this.#options.crawl.config;
    return {
      crawl: this.#options.crawl.id,
      url,
      document: { httpStatus, headers, body },
      userAgent,
      cookies,
      limits: RENDER_LIMITS,
      behaviours: this.#shared.behaviours,
      screenshot: screenshots,
      writesStyles: keepRendered,
    };
  }

  async #read(
    page: UnrenderedPage,
    content: Uint8Array,
    rendered: Rendered,
    isTrial: boolean,
  ): Promise<RenderedPage> {
    const { counters } = this.#options;
    const { facts: plain, record } = page;
    const { html, state, detail } = rendered;
    if (isTrial) counters.count('render', 'trials');
    if (html === undefined) {
      if (isTrial) this.#needs?.learn(record.url, undefined, this.#now());
      counters.count('render', 'failed');
      const reason = state === 'rendered' ? 'crashed' : state;
      const cause: Cause = { code: 'notRendered', reason, ...(detail && { detail: boundedText(detail) }) };
      return { facts: withoutScripts(plain), cause };
    }
    const view = viewOf(page.response, html);
    const facts = await this.#parse(page, view, html, rendered);
    if (isTrial && !(await this.#isGain(page, content, { html, facts }))) {
      // That there are more pages, which no crawl can request, is said all the same.
      const { hashRoutes } = facts;
      return { facts: { ...withoutScripts(plain), ...(hashRoutes && { hashRoutes }) } };
    }
    counters.count('render', 'pages');
    return { facts, view };
  }

  /** Compares both forms of the page, and keeps the gain. */
  async #isGain(
    { record, response, facts: plain }: UnrenderedPage,
    content: Uint8Array,
    { html, facts }: { readonly html: string; readonly facts: DocumentFacts },
  ): Promise<boolean> {
    // Crawls without trials do not load it.
    const { extractContent } = await import('../../../core/content/extract.ts');
    const readPage = (html: string, { links, refresh }: DocumentFacts): ReadPage => {
      const { text: main, visibleText: visible = main } = extractContent(html, record.url);
      return { url: record.url, links, main, visible, isRedirect: refresh !== undefined };
    };
    const type = fieldValues(response.headers, 'content-type').at(-1);
    const { text } = documentText(content, type, plain.mimeType === XHTML_TYPE);
    const { crawl, ledger } = this.#options;
    const isNew = (link: string) => {
      const url = crawl.nameOf(link);
      return !ledger.has(url) && crawl.scope.check(url, record.depth + 1) === undefined;
    };
    const gain = this.#services.work.run(crawl.id, record.url, 'parse', () =>
      gainOf(readPage(text, plain), readPage(html, facts), isNew),
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

const BUSY: LaterDocument = {
  retryMs: LATER_MS,
  isAttempt: false,
  cause: { code: 'notRendered', reason: 'timedOut', detail: 'it waited for others' },
};

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
