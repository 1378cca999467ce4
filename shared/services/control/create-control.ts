import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { quoted } from '../../core/text/printable.ts';
import { urlAsWritten } from '../../core/url/canonical.ts';
import { parseSeed } from '../../core/url/parse-seed.ts';
import { boundMethods } from '../../crawler/ports/bound-methods.ts';
import { lookUpUrl } from '../report/look-up-url.ts';
import { nearCopiesOf } from '../report/near-copies.ts';
import type { CrawlSummary } from '../report/summary.ts';
import { type UrlDetail, urlDetail } from '../report/url-detail.ts';
import { pageOfCaptures } from './capture-page.ts';
import type { CapturePage, CapturePageRequest } from './captures.ts';
import { pauseCrawl, stopCrawl } from './change-status.ts';
import { configOf } from './config-of.ts';
import {
  type AddedSeeds,
  type Control,
  ControlError,
  type CrawlPage,
  type CrawlPageRequest,
  type DomainPage,
  type HostDetail,
  type HostPage,
  type SitePage,
  type SitePageRequest,
} from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import type { CrawlExport, ExportRequest } from './crawl-export.ts';
import { deleteCrawl } from './delete-crawl.ts';
import type { DeployerLimits } from './deployer-limits.ts';
import { pageOfDomains } from './domain-queries.ts';
import { beginExport, exportOf, exportsOf } from './export-queries.ts';
import { createFinder } from './find-crawl.ts';
import { type HostPageRequest, oneHost, pageOfHosts } from './host-queries.ts';
import { listCrawls } from './list-crawls.ts';
import type { ControlPolicy } from './plan-crawl.ts';
import { resumeCrawl } from './resume-crawl.ts';
import { Seeding } from './seeding.ts';
import { pageOfSites } from './site-list.ts';
import { summarizeCrawl } from './summarize-crawl.ts';

export type { ControlEngine, ControlPolicy };

/**
 * Returns an operator's control over the crawls of `engine`. All calls except `create` are safe to repeat.
 */
export const createControl = (engine: ControlEngine, policy: ControlPolicy): Control =>
  boundMethods<Control>(new EngineControl(engine, policy));

class EngineControl implements Control {
  readonly #engine: ControlEngine;
  readonly #limits: DeployerLimits;
  readonly #seeding: Seeding;
  readonly #recordOf: ReturnType<typeof createFinder>['recordOf'];

  constructor(engine: ControlEngine, policy: ControlPolicy) {
    this.#engine = engine;
    this.#limits = policy.limits ?? {};
    this.#seeding = new Seeding(engine, policy);
    this.#recordOf = createFinder(engine.registry).recordOf;
  }

  async create(...request: Parameters<Control['create']>): Promise<CrawlSummary> {
    return this.status(await this.#seeding.create(...request));
  }

  addSeeds(crawl: CrawlId, urls: readonly string[]): Promise<AddedSeeds> {
    return this.#seeding.addSeeds(crawl, urls);
  }

  seed(...request: Parameters<Control['seed']>): Promise<AddedSeeds> {
    return this.#seeding.seed(...request);
  }

  setSites(...request: Parameters<Control['setSites']>): ReturnType<Control['setSites']> {
    return this.#seeding.setSites(...request);
  }

  async sites(crawl: CrawlId, page: SitePageRequest): Promise<SitePage> {
    return pageOfSites(this.#engine, crawl, await this.#recordOf(crawl), page);
  }

  async status(crawl: CrawlId): Promise<CrawlSummary> {
    return summarizeCrawl(this.#engine, crawl, await this.#recordOf(crawl));
  }

  list(page?: CrawlPageRequest): Promise<CrawlPage> {
    return listCrawls(this.#engine, page);
  }

  async pause(crawl: CrawlId): Promise<CrawlSummary> {
    await pauseCrawl(this.#engine.registry, crawl);
    return this.status(crawl);
  }

  async stop(crawl: CrawlId): Promise<CrawlSummary> {
    await stopCrawl(this.#engine.registry, crawl);
    return this.status(crawl);
  }

  delete(...[crawl, options = {}]: Parameters<Control['delete']>): ReturnType<Control['delete']> {
    return deleteCrawl(this.#engine, crawl, options);
  }

  async resume(...[crawl, ...rest]: Parameters<Control['resume']>): Promise<CrawlSummary> {
    await resumeCrawl({ engine: this.#engine, limits: this.#limits }, crawl, ...rest);
    return this.status(crawl);
  }

  async hosts(crawl: CrawlId, page: HostPageRequest): Promise<HostPage> {
    await this.#recordOf(crawl);
    return pageOfHosts(this.#engine.ledgers, crawl, page);
  }

  async host(crawl: CrawlId, host: string): Promise<HostDetail> {
    await this.#recordOf(crawl);
    return oneHost(this.#engine.ledgers, crawl, host);
  }

  async domains(crawl: CrawlId, page: HostPageRequest): Promise<DomainPage> {
    const { ledgers, registry, clock } = this.#engine;
    const config = configOf(crawl, await this.#recordOf(crawl));
    return pageOfDomains({ ledgers, registry, crawl, config, now: clock.now() }, page);
  }

  async url(crawl: CrawlId, text: string): Promise<UrlDetail> {
    const url = urlAsWritten(parseSeed(text) ?? '');
    if (url === undefined)
      throw new ControlError('invalid', `Expected an http or https URL, got ${quoted(text)}`, 'url');
    const engine = this.#engine;
    const config = configOf(crawl, await this.#recordOf(crawl));
    const { record, head, ledger } = await lookUpUrl(engine.ledgers, crawl, url, config.urlRules);
    if (!record)
      throw new ControlError('notFound', `The crawl ${quoted(crawl)} does not know ${quoted(url)}`, 'url');
    const { result } = record;
    const copies = await nearCopiesOf(record, () => ledger.records(), config);
    if (!result?.location || !engine.locate) return urlDetail(record, head, copies);
    const location = await engine.locate(crawl, result.location);
    return urlDetail({ ...record, result: { ...result, location } }, head, copies);
  }

  async captures(crawl: CrawlId, request: CapturePageRequest): Promise<CapturePage> {
    await this.#recordOf(crawl);
    const { captures = async () => ({ captures: [], damaged: [] }) } = this.#engine;
    return pageOfCaptures(captures, crawl, request);
  }

  async beginExport(crawl: CrawlId, request: ExportRequest): Promise<CrawlExport> {
    await this.#recordOf(crawl);
    return beginExport(this.#engine, crawl, request);
  }

  async exports(crawl: CrawlId): Promise<readonly CrawlExport[]> {
    await this.#recordOf(crawl);
    return exportsOf(this.#engine).list(crawl);
  }

  async exportOf(crawl: CrawlId, id: string): Promise<CrawlExport> {
    await this.#recordOf(crawl);
    return exportOf(this.#engine, crawl, id);
  }
}
