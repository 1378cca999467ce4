import type { CrawlConfig } from '../../../core/crawl/config.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Site } from '../../../core/crawl/sites.ts';
import type { HookError } from '../../../crawler/ports/hook-error-log.ts';
import type { AnyBrowser } from '../../../crawler/renderer/find-browser.ts';
import type { PageWork } from '../../../crawler/turn/page/page-work.ts';
import { createHooks } from '../../../services/hooks/create-hooks.ts';
import { createDocumentReading } from '../../../services/hooks/document-reading.ts';
import { createLanguageReader } from '../../../services/hooks/read-language.ts';
import { hookErrorLine } from '../../../services/hooks/run-hook.ts';
import { keepsCookies } from '../../../services/project/keeps-cookies.ts';
import type { Project } from '../../../services/project/project-file.ts';
import { checkCache, indexCache } from '../cache/open-cache.ts';
import type { CacheFolder } from '../cache/response-cache.ts';
import { closeAll } from '../close-all.ts';
import { openEarlier } from '../earlier.ts';
import { foldersOf, type LocalEngine, openLocalEngine } from '../engine.ts';
import { openStateFile } from '../items/state-store.ts';
import type { InFlightTable } from '../threads/in-flight-table.ts';
import { notingFetcher, notingHooks, notingQueue } from '../threads/noting.ts';
import { startThreads, type ThreadPool } from '../threads/start-threads.ts';
import { localAccounts } from './local-accounts.ts';
import { openFetcher } from './open-fetcher.ts';
import { browserFor, openRenderer } from './open-renderer.ts';
import { type FilePlan, maxOpenFiles, planFiles } from './plan-files.ts';
import { type LocalRunEnd, type LocalRunOptions, runLocalCrawl } from './run.ts';
import { type SessionExtras, sessionConfig } from './session-config.ts';
import { startOwnWorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

/** A crawl's folder, held by this process. */
export interface LocalSession {
  readonly id: CrawlId;
  readonly config: CrawlConfig;
  readonly engine: LocalEngine;
  /** Crawls until nothing is left, a limit is met, or the signal aborts. */
  run(options: LocalRunOptions): Promise<LocalRunEnd>;
  /** Makes all durable and frees the folder. */
  close(): Promise<void>;
}

export interface SessionOptions extends SessionExtras {
  /** Name and version of the program, for the WARC files. */
  readonly software: string;
  /** Called with a description of each repair after a crash. */
  readonly warn?: (message: string) => void;
  /**
   * Whose middleware and hooks stand around fetches and pages. Each of several workers reads the file for
   * itself.
   */
  readonly project?: Project;
  /** Threads that crawl, each some of the hosts. Default: 1, this one. */
  readonly workers?: number;
  /** The folder of an earlier crawl, whose payloads are not stored again. */
  readonly dedupeFrom?: string;
  /**
   * The folder of an earlier crawl, whose responses are used instead of asking the sites. `false`: none, though the
   * crawl that continues had one.
   */
  readonly cache?: string | false;
  /**
   * Shows this thread's work to a watchdog. With several workers the crawling threads are watched.
   */
  readonly watched?: { readonly work: PageWork; readonly inFlight: InFlightTable };
  /**
   * The file of the key by which this user's folders are known again (`folder-trust.ts`). Absent: they are not marked
   * or checked.
   */
  readonly keyFile?: string;
  /** Where secrets of accounts are that are named by `env:`. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The folder's settings are obeyed though they open something and this user has not made them. */
  readonly trustSettings?: boolean;
  /** The list of sites of the crawl, or the one that takes its place. */
  readonly sites?: readonly Site[] | undefined;
  /** Goes on though the crawl began with other rules for canonical URLs. */
  readonly newUrlRules?: boolean;
  /** Finds the browser of a crawl that renders pages. Default: there is none. */
  readonly findBrowser?: (config: CrawlConfig) => Promise<AnyBrowser | undefined>;
}

/** Throws `InvalidConfig` and `FolderInUse`. */
export async function openSession(
  folder: string,
  crawl: CrawlId,
  given: CrawlConfig,
  session: SessionOptions,
): Promise<LocalSession> {
  const { software, warn, dedupeFrom, workers = 1 } = session;
  const config = sessionConfig(given, session);
  const browser = await browserFor(config, session.findBrowser ?? (async () => undefined));
  const hasCache = typeof session.cache === 'string';
  const limit = maxOpenFiles();
  const plan = planFiles(limit, config, workers, hasCache);
  if (plan.hosts < config.hosts)
    warn?.(
      `Only ${limit} files may be open (ulimit -n): ${plan.hosts} hosts are crawled at once instead of ${config.hosts}`,
    );
  if (typeof session.cache === 'string') checkCache(session.cache, folder);
  const earlier = dedupeFrom === undefined ? undefined : openEarlier(dedupeFrom);
  let threads: ThreadPool | undefined;
  const engine = await openLocalEngine(folder, {
    crawl,
    config,
    software,
    warcPrefix: 'strand',
    keyFile: session.keyFile,
    earlier,
    takesSites: session.project?.webhook !== undefined,
    keepsCookies: keepsCookies(session.project),
    turns: workers > 1 ? { serves: () => false, onOthers: (hosts) => threads?.notice(hosts) } : undefined,
    warn,
  });
  const opened = { id: crawl, config, engine };
  const cache = await cacheOf(folder, session, engine);
  if (workers === 1)
    return { ...opened, ...(await inThisThread(opened, folder, { ...session, ...plan, cache, browser })) };
  const projectFile = session.project?.path;
  const maxHosts = Math.max(1, Math.floor(plan.hosts / workers));
  const maxSockets = Math.max(1, Math.floor(plan.sockets / workers));
  const start = {
    folder,
    crawl,
    config,
    software,
    blocks: workers,
    maxHosts,
    maxSockets,
    projectFile,
    keyFile: session.keyFile,
    dedupeFrom,
    cache,
    browser,
    takesSites: session.project?.webhook !== undefined,
    keepsCookies: keepsCookies(session.project),
  };
  const startWorkerPool = (options: WorkerPoolOptions) => {
    threads = startThreads(engine, { ...options, start, warn });
    return threads;
  };
  return {
    ...opened,
    run: (options) => runLocalCrawl(engine, startWorkerPool, crawl, options),
    close: engine.close,
  };
}

/** Closes the engine if the cache cannot be opened. */
async function cacheOf(
  folder: string,
  { cache, warn }: SessionOptions,
  engine: LocalEngine,
): Promise<CacheFolder | undefined> {
  if (typeof cache !== 'string') return undefined;
  try {
    return await indexCache(cache, folder, warn);
  } catch (error) {
    await engine.close().catch(() => {});
    throw error;
  }
}

type ThreadSetup = Pick<SessionOptions, 'project' | 'warn' | 'watched' | 'environment'> &
  FilePlan & { readonly cache: CacheFolder | undefined; readonly browser: AnyBrowser | undefined };

async function inThisThread(
  { id, config, engine }: Pick<LocalSession, 'id' | 'config' | 'engine'>,
  folder: string,
  { project, warn, watched, environment, cache, browser, hosts: maxHosts, sockets: maxSockets }: ThreadSetup,
): Promise<Pick<LocalSession, 'run' | 'close'>> {
  const { clock } = engine;
  const onFailure = (error: HookError) => {
    if (engine.hookErrors?.note(id, error)) warn?.(hookErrorLine(error));
  };
  const tempFolder = foldersOf(folder).temporary;
  const fetcher = openFetcher({ tempFolder, config, clock, maxSockets, project, cache, warn, onFailure });
  const store = openStateFile(foldersOf(folder).state);
  const documents = createDocumentReading({
    project: { modules: project?.modules ?? [], clock, onFailure },
  });
  const hooks = project && createHooks(project, { config, clock, warn, store, onFailure });
  const renderer = await openRenderer({
    ...{ browser, tempFolder, threads: 1, project, onFailure },
    warn: warn ?? (() => {}),
  });
  const startWorkerPool = (options: WorkerPoolOptions) => {
    const own = {
      ...options,
      maxHosts,
      hooks,
      accounts: localAccounts(project, environment),
      languageOf: createLanguageReader(),
      documents,
      ...renderer.forWorker,
    };
    if (!watched) return startOwnWorkerPool(engine, fetcher, own);
    const { inFlight, work } = watched;
    return startOwnWorkerPool(
      { ...engine, queue: notingQueue(engine.queue, inFlight) },
      notingFetcher(fetcher, inFlight),
      { ...own, hooks: hooks && notingHooks(hooks, inFlight), work },
    );
  };
  return {
    run: (options) => runLocalCrawl(engine, startWorkerPool, id, options),
    close: () => closeAll([renderer.close, fetcher.close, documents.close, store.close, engine.close]),
  };
}
