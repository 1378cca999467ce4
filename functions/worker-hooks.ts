/** The project's hooks in a worker function, which works for several crawls. */
import type { CrawlConfig } from '../shared/core/crawl/config.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { HookError } from '../shared/crawler/ports/hook-error-log.ts';
import type { HookedCrawl, PageHooks } from '../shared/crawler/turn/page-hooks.ts';
import { createHooks, type ProjectHooks } from '../shared/services/hooks/create-hooks.ts';
import { guardProcess } from '../shared/services/hooks/guard-process.ts';
import { hookErrorLine } from '../shared/services/hooks/run-hook.ts';
import { errorFields, type Log } from './log.ts';

/** Different errors of hooks that a process logs: a hook that fails at each page would fill the log. */
const MAX_LOGGED = 50;

export interface WorkerHooksOptions {
  readonly project: ProjectHooks;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly log: Log;
}

/** Undefined: the project has no hook for pages or refusals. A crawl's hooks have the time-outs of its own settings. */
export function createWorkerHooks({ project, clock, log }: WorkerHooksOptions): PageHooks | undefined {
  const onFailure = createFailureLog(log);
  const warn = (message: string) => log('warn', { message });
  const byConfig = new WeakMap<CrawlConfig, PageHooks>();

  function hooksOf({ config }: HookedCrawl): PageHooks {
    const known = byConfig.get(config) ?? createHooks(project, { config, clock, warn, onFailure });
    if (known === undefined) throw new Error('The project has no hooks');
    byConfig.set(config, known);
    return known;
  }

  const { challenge, onChallenge } = project;
  if (!hasPageHooks(project) && challenge === undefined && onChallenge === undefined) return undefined;
  const isChallenge: NonNullable<PageHooks['isChallenge']> = async (page) =>
    (await hooksOf(crawlOf(page)).isChallenge?.(page)) ?? false;
  const answer: NonNullable<PageHooks['onChallenge']> = async (seen, crawl) =>
    (await hooksOf(crawlOf({ crawl })).onChallenge?.(seen, crawl)) ?? 'rest';
  return {
    ...(challenge !== undefined && [challenge].flat().length > 0 && { isChallenge }),
    ...(onChallenge !== undefined && { onChallenge: answer }),
    extract: (page) => hooksOf(crawlOf(page)).extract(page),
    onPage: (page) => hooksOf(crawlOf(page)).onPage(page),
    onError: (url, message, crawl) => hooksOf(crawlOf({ crawl })).onError(url, message),
  };
}

const hasPageHooks = ({ extraction = [], router = [], onPage, onError }: ProjectHooks): boolean =>
  extraction.length > 0 || router.length > 0 || onPage !== undefined || onError !== undefined;

function crawlOf({ crawl }: { readonly crawl?: HookedCrawl | undefined }): HookedCrawl {
  if (crawl === undefined) throw new Error('A hook was called without its crawl');
  return crawl;
}

/**
 * Keeps the process although hooks leave rejected promises behind, throw in timers, or call `process.exit`.
 * An error outside of hooks ends the process, as it would without this.
 */
export function guardWorker(log: Log): void {
  // Lambda's runtime ends the process, and with it the turns of all hosts, for an error that nobody catches.
  for (const event of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(event);
  const exit = guardProcess({
    onFailure: createFailureLog(log),
    onBug(error) {
      log('error', errorFields(error));
      exit(1);
    },
  });
}

/** Logs the first different errors of hooks. */
export function createFailureLog(log: Log): (error: HookError) => void {
  const logged = new Set<string>();
  return (error) => {
    const { source, message, url, stack } = error;
    const key = `${source} ${message}`;
    if (logged.has(key) || logged.size >= MAX_LOGGED) return;
    logged.add(key);
    log('error', { message: hookErrorLine(error), source, url, ...(stack !== undefined && { stack }) });
  };
}
