/**
 * Runs hooks over a crawl's archive: in the calling thread if they are functions, else in threads of their
 * own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { PayloadSource } from '../../../shared/core/archive/payload-reader.ts';
import { InvalidConfig, parseConfig } from '../../../shared/core/crawl/config.ts';
import { mayHaveRendered } from '../../../shared/core/crawl/renders-pages.ts';
import { pageUrl } from '../../../shared/core/url/request-url.ts';
import type { HookError } from '../../../shared/crawler/ports/hook-error-log.ts';
import type { ProjectHooks } from '../../../shared/services/hooks/create-hooks.ts';
import { hookFaults, readProject } from '../../../shared/services/project/project-file.ts';
import type { CrawlPlace } from '../../crawl-place.ts';
import type { ProcessedPage, ProcessOptions } from '../../process-options.ts';
import { archiveOf } from '../crawl-archive.ts';
import { openFolder } from '../open-folder.ts';
import { archivedPages } from './archived-pages.ts';
import { createPageProcessor, type PageOutcome } from './process-page.ts';
import { processInThreads } from './process-threads.ts';

const OWN_KEYS: ReadonlySet<string> = new Set(['project', 'workers', 'signal']);

export async function* processLocal<T>(
  folder: string,
  options: ProcessOptions,
): AsyncGenerator<ProcessedPage<T>, void, undefined> {
  const { project, workers = 1, signal, ...hooks } = options;
  checkOptions(options);
  const { reader, crawl, record } = await openFolder(folder);
  const hasRendered = mayHaveRendered(record.config, await reader.registry.totals(crawl));
  const archive = { ...archiveOf(folder), hasRendered: async () => hasRendered };
  let temporary: string | undefined;
  try {
    if (project === undefined)
      return yield* processInPlace<T>({ crawl, record, rows: reader, archive }, hooks, signal);
    // Once here, so that its errors are reported before threads start.
    const { path } = await readProject(project);
    temporary = await mkdtemp(join(tmpdir(), 'strand-process-'));
    const stateFile = join(temporary, 'state.sqlite');
    const config = parseConfig(record.config);
    const start = { folder, config, hasRendered, projectFile: path ?? resolve(project), stateFile };
    yield* processedPages<T>(processInThreads(archivedPages(reader, crawl), start, workers), signal);
  } finally {
    reader.close();
    await archive.close();
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

export interface ProcessedCrawl extends Pick<CrawlPlace, 'crawl' | 'record' | 'rows'> {
  readonly archive: PayloadSource;
}

/** Calls the hooks for the pages of a crawl, in a folder or on a stack, in the calling thread. */
export async function* processInPlace<T>(
  { crawl, record, rows, archive }: ProcessedCrawl,
  hooks: ProjectHooks,
  signal: AbortSignal | undefined,
): AsyncGenerator<ProcessedPage<T>, void, undefined> {
  const process = createPageProcessor({ archive, config: parseConfig(record.config), hooks });
  async function* outcomes() {
    for await (const page of archivedPages(rows, crawl)) yield await process(page);
  }
  yield* processedPages<T>(outcomes(), signal);
}

/** Yields the result of each page that hooks were called for. */
async function* processedPages<T>(
  outcomes: AsyncIterable<PageOutcome>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ProcessedPage<T>, void, undefined> {
  for await (const outcome of outcomes) {
    signal?.throwIfAborted();
    if (!outcome.isHidden) yield processed<T>(outcome);
  }
}

const processed = <T>({ url, items, requests, error }: PageOutcome): ProcessedPage<T> => ({
  url: pageUrl(url),
  items: items.map((line) => JSON.parse(line) as T),
  requests,
  ...(error && { error: error as HookError }),
});

/** Throws {@link InvalidConfig} with all that is wrong. */
export function checkOptions(options: ProcessOptions): void {
  const { project, workers = 1, signal, ...hooks } = options;
  const given = Object.entries(hooks).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const faults = hookFaults(hooks);
  const unknown = given.filter(
    (key) => !['extraction', 'modules', 'onPage', 'router', 'itemSchema', 'onError'].includes(key),
  );
  for (const key of unknown) if (!OWN_KEYS.has(key)) faults.push(`processCrawl takes no ${key}`);
  if (!Number.isInteger(workers) || workers < 1 || workers > 64)
    faults.push(`Expected workers to be a whole number from 1 to 64, got ${String(workers)}`);
  if (project === undefined && given.length === 0)
    faults.push('Expected project, or hooks that are functions');
  if (given.length > 0 && (project !== undefined || workers > 1))
    faults.push(
      `Expected no ${project === undefined ? 'workers' : 'project'} together with ${given.join(', ')}: ` +
        'functions cannot go to other threads. Put them into a file, and give its name as project',
    );
  if (faults.length > 0) throw new InvalidConfig(`processCrawl: ${faults.join('; ')}`);
}
