/** The control of the API over crawls in folders of this machine: the crawls run in threads of this process. */
import { basename, join } from 'node:path';
import { type CrawlOptions, parseConfig } from '../../../shared/core/crawl/config.ts';
import { CrawlExists, FolderInUse, NoCrawl } from '../../../shared/core/crawl/crawl-errors.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { crawlNameOf } from '../../../shared/core/crawl/crawl-name.ts';
import { openingSettings, openingText } from '../../../shared/core/crawl/opening-settings.ts';
import { quoted } from '../../../shared/core/text/printable.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { parseSeed } from '../../../shared/core/url/parse-seed.ts';
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
import type { CrawlExport } from '../../../shared/services/control/crawl-export.ts';
import type { CrawlDeletion, DeleteOptions } from '../../../shared/services/control/deletion.ts';
import type { HostPageRequest } from '../../../shared/services/control/host-queries.ts';
import type { CrawlSummary } from '../../../shared/services/report/summary.ts';
import type { UrlDetail } from '../../../shared/services/report/url-detail.ts';
import { deleteCrawl } from '../../delete-crawl.ts';
import type { FolderEntry } from '../../folder-types.ts';
import { listCrawls, openCrawl } from '../../open-crawl.ts';
import type { RunningCrawl } from '../../running-crawl.ts';
import { resumeCrawl, startCrawl } from '../../start-crawl.ts';
import type { StoredCrawl } from '../../stored-crawl.ts';
import { archiveOf } from '../crawl-archive.ts';
import { capturesIn } from './captures-in.ts';

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

  constructor(options: FolderControlOptions) {
    this.#options = options;
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

  /** Interrupts the crawls of this process, which store what they have fetched. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
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
    const begun = this.#running.get(crawl);
    // A crawl that is just ending may not take them up.
    if (begun) begun.done.then(() => this.#takeUp(crawl)).catch(this.#options.onError);
    else await this.#takeUp(crawl);
    return { crawl, added, refused: left };
  }

  async setSites(): Promise<never> {
    throw notHere('the list of sites is', 'strand resume DIR --sites FILE');
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
    await this.#running.get(crawl)?.stop();
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

  async beginExport(): Promise<never> {
    throw notHere('exports are', 'strand export DIR');
  }

  exports(crawl: CrawlId): Promise<readonly CrawlExport[]> {
    return this.opened(crawl, async () => []);
  }

  async exportOf(_: CrawlId, id: string): Promise<never> {
    throw new ControlError('notFound', `There is no export ${quoted(id)}`, 'export');
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

/** A caller of the API begins crawls, but opens nothing of the operator's machine: that is for the operator's own settings. */
function checkOpen(config: CrawlOptions): void {
  const [opening] = openingSettings(config);
  if (opening)
    throw new ControlError(
      'invalid',
      `${openingText(opening)}: only the operator of this server sets it`,
      `config.${opening[0]}`,
    );
}

const notHere = (things: string, command: string): ControlError =>
  new ControlError('invalid', `On one machine ${things} not for the API: ${command}`);

/** Names are those of folders. A crawl without a process continues when it is resumed. */
function entryOf({ folder, state, reason, pages }: FolderEntry): CrawlEntry {
  const crawl = basename(folder);
  const isEnded = state === 'interrupted' || state === 'sleeping';
  if (state === 'unreadable') return { crawl, state: 'stopped', reason: reason ?? state, pages };
  return { crawl, state: isEnded ? 'paused' : state, ...(reason !== undefined && { reason }), pages };
}

async function refused<T>(crawl: CrawlId, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoCrawl)
      throw new ControlError('notFound', `There is no crawl ${quoted(crawl)}`, 'crawl', { cause: error });
    if (error instanceof CrawlExists)
      throw new ControlError('conflict', `There is a crawl ${quoted(crawl)} already`, 'crawl', {
        cause: error,
      });
    if (error instanceof FolderInUse)
      throw new ControlError('conflict', `A process works on the crawl ${quoted(crawl)}`, 'crawl', {
        cause: error,
      });
    throw asRefusal(error);
  }
}
