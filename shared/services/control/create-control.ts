import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { boundMethods } from '../../crawler/ports/bound-methods.ts';
import type { CrawlSummary } from '../report/summary.ts';
import { pageOfCaptures } from './capture-page.ts';
import type { CapturePage, CapturePageRequest } from './captures.ts';
import { pauseCrawl, stopCrawl } from './change-status.ts';
import type { AddedSeeds, BegunCrawl, Control, CrawlPage, CrawlPageRequest } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import type { CrawlExport, ExportRequest } from './crawl-export.ts';
import { type CrawlQueries, createQueries } from './crawl-queries.ts';
import { deleteCrawl } from './delete-crawl.ts';
import { beginExport, exportOf, exportsOf } from './export-queries.ts';
import { createFinder } from './find-crawl.ts';
import { listCrawls } from './list-crawls.ts';
import type { ControlPolicy } from './plan-request.ts';
import { resumeCrawl } from './resume-crawl.ts';
import { Seeding } from './seeding.ts';
import { summarizeCrawl } from './summarize-crawl.ts';

export type { ControlEngine, ControlPolicy };

/**
 * Returns an operator's control over the crawls of `engine`. All calls except `create` are safe to repeat.
 */
export const createControl = (engine: ControlEngine, policy: ControlPolicy): Control => ({
  ...createQueries(engine),
  ...boundMethods<OtherControl>(new EngineControl(engine, policy)),
});

type OtherControl = Omit<Control, keyof CrawlQueries>;

class EngineControl implements OtherControl {
  readonly #engine: ControlEngine;
  readonly #policy: ControlPolicy;
  readonly #seeding: Seeding;
  readonly #recordOf: ReturnType<typeof createFinder>['recordOf'];

  constructor(engine: ControlEngine, policy: ControlPolicy) {
    this.#engine = engine;
    this.#policy = policy;
    this.#seeding = new Seeding(engine, policy);
    this.#recordOf = createFinder(engine.registry).recordOf;
  }

  async create(...request: Parameters<Control['create']>): Promise<BegunCrawl> {
    const { crawl, refused } = await this.#seeding.create(...request);
    return { ...(await this.status(crawl)), refused };
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
    const { limits = {}, refuses } = this.#policy;
    await resumeCrawl({ engine: this.#engine, limits, refuses }, crawl, ...rest);
    return this.status(crawl);
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
