import { availableParallelism } from 'node:os';
import { type CrawlConfig, InvalidConfig } from '../../../core/crawl/config.ts';
import { rendersPages } from '../../../core/crawl/renders-pages.ts';
import type { HookError } from '../../../crawler/ports/hook-error-log.ts';
import type { AnyBrowser } from '../../../crawler/renderer/find-browser.ts';
import type { WorkerOptions } from '../../../crawler/worker/worker.ts';
import { behaviourSource } from '../../../services/project/behaviour-source.ts';
import type { Project } from '../../../services/project/project-file.ts';

export interface RendererSetup {
  readonly browser: AnyBrowser | undefined;
  readonly tempFolder: string;
  /** Threads of the process that have a renderer each. */
  readonly threads: number;
  readonly project: Pick<Project, 'behave'> | undefined;
  readonly warn: (message: string) => void;
  readonly onFailure: (error: HookError) => void;
}

/** More pages at once take memory, and no less time. */
const MAX_PAGES_AT_ONCE = 8;

/** The browser of a crawl that renders pages. Throws {@link InvalidConfig} if there is none. */
export async function browserFor(
  config: CrawlConfig,
  find: (config: CrawlConfig) => Promise<AnyBrowser | undefined>,
): Promise<AnyBrowser | undefined> {
  if (!rendersPages(config)) return undefined;
  const found = await find(config);
  if (found !== undefined) return found;
  const { NO_BROWSER } = await import('../../../crawler/renderer/find-browser.ts');
  throw new InvalidConfig(NO_BROWSER);
}

/**
 * The renderer of one thread. Its browser starts with the first page. Without a browser nothing is rendered, and no module
 * loaded.
 */
export async function openRenderer({
  browser,
  tempFolder,
  threads,
  project,
  warn,
  onFailure,
}: RendererSetup): Promise<{
  readonly forWorker: Pick<WorkerOptions, 'rendering'>;
  readonly close: () => Promise<void>;
}> {
  if (browser === undefined) return { forWorker: {}, close: async () => {} };
  const all = Math.min(MAX_PAGES_AT_ONCE, 2 * availableParallelism());
  const pagesAtOnce = Math.max(1, Math.floor(all / threads));
  const { createRenderer } = await import('../../../crawler/renderer/renderer.ts');
  const { createRendering } = await import('../../../crawler/turn/render/rendering.ts');
  const renderer = createRenderer({ program: browser, temporaryFolder: tempFolder, warn });
  const behave = behaviourSource(project?.behave);
  const rendering = createRendering({ renderer, pagesAtOnce, behave, onFault: onFailure });
  return { forWorker: { rendering }, close: renderer.close };
}
