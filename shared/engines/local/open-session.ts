import type { Project } from '../../control/project-file.ts';
import type { CrawlConfig } from '../../crawl/config.ts';
import { createFetcher } from '../../fetcher/fetcher.ts';
import { withMiddleware } from '../../fetcher/with-middleware.ts';
import { createHooks } from '../../hooks/create-hooks.ts';
import type { CrawlId } from '../../ports.ts';
import { startOwnCrew } from './crew.ts';
import { openEarlier } from './earlier.ts';
import { foldersOf, type LocalEngine, openLocalEngine } from './engine.ts';
import { type LocalRunEnd, type LocalRunOptions, runLocalCrawl } from './run.ts';

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

export interface SessionOptions {
  /** Name and version of the program, for the WARC files. */
  readonly software: string;
  /** Hears of what was mended after a crash. */
  readonly warn?: (message: string) => void;
  /** Whose middleware and hooks stand around fetches and pages of this session. */
  readonly project?: Project;
  /** Threads that crawl, each some of the hosts. Default: 1, this one. */
  readonly workers?: number;
  /** The folder of an earlier crawl, whose payloads are not stored again. */
  readonly dedupeFrom?: string;
  /** Goes on though the crawl began with other rules for canonical URLs. */
  readonly newUrlRules?: boolean;
}

/** Throws `InvalidConfig` and `FolderInUse`. */
export async function openSession(
  folder: string,
  crawl: CrawlId,
  config: CrawlConfig,
  session: SessionOptions,
): Promise<LocalSession> {
  const { software, warn, project, dedupeFrom } = session;
  const earlier = dedupeFrom === undefined ? undefined : openEarlier(dedupeFrom);
  const engine = await openLocalEngine(folder, {
    crawl,
    config,
    software,
    warcPrefix: 'strand',
    earlier,
    warn,
  });
  const { clock } = engine;
  const plain = createFetcher({ ...config, tempFolder: foldersOf(folder).temporary, clock });
  const fetcher = withMiddleware(plain, project?.middleware ?? [], {
    clock,
    totalTimeoutMs: config.totalTimeoutMs,
  });
  const hooks = project && createHooks(project, { config, clock, warn });
  return {
    id: crawl,
    config,
    engine,
    run: (options) =>
      runLocalCrawl(
        engine,
        (crew) => startOwnCrew(engine, fetcher, { ...crew, maxHosts: config.hosts, hooks }),
        crawl,
        options,
      ),
    async close() {
      await fetcher.close();
      await engine.close();
    },
  };
}
