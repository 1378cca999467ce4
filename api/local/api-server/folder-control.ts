/** The control of the API over crawls in folders of this machine: the crawls run in threads of this process. */
import { join } from 'node:path';
import { type CrawlOptions, parseConfig } from '../../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { crawlNameOf } from '../../../shared/core/crawl/crawl-name.ts';
import type { SiteChanges, SiteOptions } from '../../../shared/core/crawl/sites.ts';
import { quoted } from '../../../shared/core/text/printable.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { parseSeed } from '../../../shared/core/url/parse-seed.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';
import { refusedSeeds, sortSeeds } from '../../../shared/services/begin/sort-seeds.ts';
import { asRefusal } from '../../../shared/services/control/as-refusal.ts';
import { pageOfCaptures } from '../../../shared/services/control/capture-page.ts';
import type { CapturePage, CapturePageRequest } from '../../../shared/services/control/captures.ts';
import {
  type AddedSeeds,
  type ApiControl,
  type BegunCrawl,
  ControlError,
  type CrawlEntry,
  type CrawlPage,
  type CrawlPageRequest,
  type DomainPage,
  type HostDetail,
  type HostPage,
  type NewCrawl,
  type ResumeOptions,
  type SitePage,
  type SitePageRequest,
} from '../../../shared/services/control/control.ts';
import type { CrawlExport, ExportRequest } from '../../../shared/services/control/crawl-export.ts';
import type { CrawlDeletion, DeleteOptions } from '../../../shared/services/control/deletion.ts';
import { beginExport, exportOf } from '../../../shared/services/control/export-queries.ts';
import type { HostPageRequest } from '../../../shared/services/control/host-queries.ts';
import type { CrawlSummary } from '../../../shared/services/report/summary.ts';
import type { UrlDetail } from '../../../shared/services/report/url-detail.ts';
import { deleteCrawl } from '../../delete-crawl.ts';
import { listCrawls, openCrawl } from '../../open-crawl.ts';
import type { RunningCrawl } from '../../running-crawl.ts';
import { resumeCrawl, startCrawl } from '../../start-crawl.ts';
import type { StoredCrawl } from '../../stored-crawl.ts';
import { archiveOf } from '../crawl-archive.ts';
import { setSites } from '../set-sites.ts';
import { capturesIn } from './captures-in.ts';
import { FolderExports } from './folder-exports.ts';
import { checkOpen, entryOf, refused } from './folder-refusals.ts';

export interface FolderControlOptions {
  /** The folder of the crawls' folders. */
  readonly folder: string;
  /** Settings of each crawl, unless the request has others. */
  readonly settings: CrawlOptions;
  /** Called if a crawl with new seeds cannot be continued. */
  readonly onError: (error: unknown) => void;
  /** Called for each crawl that this process begins or continues. */
  readonly onRunning?: (crawl: CrawlId, running: RunningCrawl) => void;
}

/** Crawls that one process runs at once. */
const MAX_RUNNING = 16;

export class FolderControl implements ApiControl {
  readonly #options: FolderControlOptions;
  readonly #running = new Map<CrawlId, RunningCrawl>();
  readonly #ending = new AbortController();
  readonly #exports: FolderExports;

  constructor(options: FolderControlOptions) {
    this.#options = options;
    this.#exports = new FolderExports(options.folder, options.onError);
  }

  /** Continues the exports that an earlier process has left. */
  continueExports(): Promise<void> {
    return this.#exports.continueAll();
  }

  /** The crawl if this process runs it. */
  runningOf(crawl: CrawlId): RunningCrawl | undefined {
    return this.#running.get(crawl);
  }

  /** Opens a crawl for reading. Throws `ControlError` if it does not exist. */
  opened<T>(crawl: CrawlId, work: (stored: StoredCrawl) => Promise<T>): Promise<T> {
    return refused(crawl, async () => {
      await using stored = await openCrawl(this.#placeOf(crawl));
      // Awaited here: the crawl is closed when this function ends.
      return await work(stored);
    });
  }

  /** Interrupts the crawls of this process, which store what they have fetched, and its exports. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled([this.#exports.close(), ...[...this.#running.values()].map(({ done }) => done)]);
  }

  async create({ crawl: given, seeds = [], sites, config = {}, dedupeFrom }: NewCrawl): Promise<BegunCrawl> {
    this.#checkRoom();
    checkOpen(config);
    const options: CrawlOptions = { ...this.#options.settings, ...config };
    const { refused: left } = await refused('', async () => sortSeeds(seeds, parseConfig(options)));
    const leftOut = new Set(left.map(({ index }) => index));
    const taken = seeds.filter((_, i) => !leftOut.has(i));
    if (taken.length === 0 && sites === undefined) throw asRefusal(refusedSeeds(left));
    const crawl = given ?? nameOf([...taken, ...(sites ?? []).map(({ url }) => url)]);
    const start = {
      ...options,
      ...(taken.length > 0 && { seeds: taken }),
      ...(sites && { sites }),
      ...(dedupeFrom !== undefined && { dedupeFrom: this.#placeOf(dedupeFrom) }),
      out: this.#placeOf(crawl),
      signal: this.#ending.signal,
    };
    this.#keep(crawl, await refused(crawl, () => startCrawl(start)));
    return { ...(await this.status(crawl)), refused: left.map(({ url, reason }) => ({ url, reason })) };
  }

  async addSeeds(crawl: CrawlId, urls: readonly string[]): Promise<AddedSeeds> {
    const { added, refused: left } = await this.opened(crawl, (stored) => stored.addSeeds(urls));
    await this.#takeUpSoon(crawl);
    return { crawl, added, refused: left };
  }

  async setSites(crawl: CrawlId, sites: readonly SiteOptions[]): Promise<SiteChanges> {
    const policy = { defaults: this.#options.settings };
    const changes = await refused(crawl, () => setSites(this.#placeOf(crawl), sites, policy, systemClock));
    await this.#takeUpSoon(crawl);
    return changes;
  }

  sites(crawl: CrawlId, page: SitePageRequest): Promise<SitePage> {
    return this.opened(crawl, (stored) => stored.sites(page));
  }

  status(crawl: CrawlId): Promise<CrawlSummary> {
    return this.#named(crawl, (stored) => stored.summary());
  }

  async list({ prefix = '', state }: CrawlPageRequest = {}): Promise<CrawlPage> {
    const { folder } = this.#options;
    const entries = (await listCrawls(folder)).filter((entry) => entry.folder !== folder).map(entryOf);
    const isAsked = (entry: CrawlEntry) =>
      entry.crawl.startsWith(prefix) && (state === undefined || entry.state === state);
    return { crawls: entries.filter(isAsked) };
  }

  pause(crawl: CrawlId): Promise<CrawlSummary> {
    return this.#ended(crawl, (stored) => stored.pause());
  }

  stop(crawl: CrawlId): Promise<CrawlSummary> {
    return this.#ended(crawl, (stored) => stored.stop());
  }

  async resume(
    crawl: CrawlId,
    limits: CrawlOptions = {},
    { newUrlRules }: ResumeOptions = {},
  ): Promise<CrawlSummary> {
    const begun = this.#running.get(crawl);
    if (begun && (await this.status(crawl)).state === 'running')
      throw new ControlError('conflict', `The crawl ${quoted(crawl)} runs`, 'crawl');
    await begun?.done.catch(() => {});
    await this.#continue(crawl, limits, newUrlRules);
    return this.status(crawl);
  }

  async delete(crawl: CrawlId, { archive = false }: DeleteOptions = {}): Promise<CrawlDeletion> {
    const requestedAt = new Date().toISOString();
    await Promise.all([this.#running.get(crawl)?.stop(), this.#exports.stop(crawl)]);
    await refused(crawl, () => deleteCrawl(this.#placeOf(crawl), { archive }));
    const deletedAt = new Date().toISOString();
    return { crawl, state: 'deleted', archive, requestedAt, deletedAt };
  }

  hosts(crawl: CrawlId, page: HostPageRequest): Promise<HostPage> {
    return this.opened(crawl, (stored) => stored.hosts(page));
  }

  host(crawl: CrawlId, host: string): Promise<HostDetail> {
    return this.opened(crawl, (stored) => stored.host(host));
  }

  domains(crawl: CrawlId, page: HostPageRequest): Promise<DomainPage> {
    return this.opened(crawl, (stored) => stored.domains(page));
  }

  url(crawl: CrawlId, url: string): Promise<UrlDetail> {
    return this.opened(crawl, async (stored) => {
      const detail = await stored.url(url);
      if (detail) return detail;
      throw new ControlError('notFound', `The crawl ${quoted(crawl)} does not know ${quoted(url)}`, 'url');
    });
  }

  captures(crawl: CrawlId, request: CapturePageRequest): Promise<CapturePage> {
    return this.opened(crawl, async ({ folder }) => {
      const archive = archiveOf(folder);
      try {
        return await pageOfCaptures((_, asked) => capturesIn(archive, asked), crawl, request);
      } finally {
        await archive.close();
      }
    });
  }

  async beginExport(crawl: CrawlId, request: ExportRequest): Promise<CrawlExport> {
    await this.status(crawl);
    return beginExport({ exports: this.#exports }, crawl, request);
  }

  exports(crawl: CrawlId): Promise<readonly CrawlExport[]> {
    return this.opened(crawl, () => this.#exports.list(crawl));
  }

  exportOf(crawl: CrawlId, id: string): Promise<CrawlExport> {
    return this.opened(crawl, () => exportOf({ exports: this.#exports }, crawl, id));
  }

  #placeOf(crawl: CrawlId): string {
    return join(this.#options.folder, crawl);
  }

  /** A crawl is called after its folder. */
  #named(crawl: CrawlId, summaryOf: (stored: StoredCrawl) => Promise<CrawlSummary>): Promise<CrawlSummary> {
    return this.opened(crawl, async (stored) => ({ ...(await summaryOf(stored)), crawl }));
  }

  /** This process has ended its work on the crawl, too. */
  async #ended(crawl: CrawlId, end: (stored: StoredCrawl) => Promise<CrawlSummary>): Promise<CrawlSummary> {
    const summary = await this.#named(crawl, end);
    await this.#running.get(crawl)?.done.catch(() => {});
    return summary;
  }

  #checkRoom(): void {
    if (this.#running.size >= MAX_RUNNING)
      throw new ControlError('conflict', `${MAX_RUNNING} crawls run already; wait for one to end`);
  }

  /** A crawl that is just ending may not take up what it was sent. */
  async #takeUpSoon(crawl: CrawlId): Promise<void> {
    const begun = this.#running.get(crawl);
    if (begun) begun.done.then(() => this.#takeUp(crawl)).catch(this.#options.onError);
    else await this.#takeUp(crawl);
  }

  /** Continues a crawl that has work, and that no process works on. */
  async #takeUp(crawl: CrawlId): Promise<void> {
    if (this.#ending.signal.aborted || this.#running.has(crawl)) return;
    const { state } = await this.status(crawl);
    if (state === 'interrupted') await this.#continue(crawl, {});
  }

  /** Continues a crawl that no process works on. */
  async #continue(crawl: CrawlId, limits: CrawlOptions, newUrlRules = false): Promise<void> {
    this.#checkRoom();
    checkOpen(limits);
    const options = { ...limits, signal: this.#ending.signal, ...(newUrlRules && { newUrlRules }) };
    this.#keep(crawl, await refused(crawl, () => resumeCrawl(this.#placeOf(crawl), options)));
  }

  #keep(crawl: CrawlId, begun: RunningCrawl): void {
    this.#running.set(crawl, begun);
    this.#options.onRunning?.(crawl, begun);
    const end = () => {
      if (this.#running.get(crawl) === begun) this.#running.delete(crawl);
    };
    begun.done.then(end, end);
  }
}

const nameOf = (urls: readonly string[]): CrawlId =>
  crawlNameOf(urls.slice(0, 1).map((url) => canonicalize(parseSeed(url) ?? '') ?? ''));
