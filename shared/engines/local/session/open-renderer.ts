import { availableParallelism } from 'node:os';
import { type CrawlConfig, InvalidConfig } from '../../../core/crawl/config.ts';
import type { Renderer } from '../../../crawler/ports/renderer.ts';
import { type BrowserProgram, NO_BROWSER } from '../../../crawler/renderer/find-browser.ts';
import type { WorkerOptions } from '../../../crawler/worker/worker.ts';

export interface RendererSetup {
  readonly browser: BrowserProgram | undefined;
  readonly tempFolder: string;
  /** Threads of the process that have a renderer each. */
  readonly threads: number;
  readonly warn: (message: string) => void;
}

/** More pages at once take memory, and no less time. */
const MAX_PAGES_AT_ONCE = 8;

/** Whether pages of some host are rendered. */
const rendersPages = ({ render, overrides }: Pick<CrawlConfig, 'render' | 'overrides'>): boolean =>
  [render, ...overrides.map((override) => override.render ?? 'never')].some((mode) => mode !== 'never');

/** The browser of a crawl that renders pages. Throws {@link InvalidConfig} if this machine has none. */
export function browserFor(
  config: Pick<CrawlConfig, 'render' | 'overrides'>,
  find: () => BrowserProgram | undefined,
): BrowserProgram | undefined {
  if (!rendersPages(config)) return undefined;
  const found = find();
  if (found === undefined) throw new InvalidConfig(NO_BROWSER);
  return found;
}

/** The renderer of one thread. Its browser starts with the first page. Without a browser nothing is rendered. */
export function openRenderer({ browser, tempFolder, threads, warn }: RendererSetup): {
  readonly forWorker: Pick<WorkerOptions, 'renderer'>;
  readonly close: () => Promise<void>;
} {
  if (browser === undefined) return { forWorker: {}, close: async () => {} };
  const all = Math.min(MAX_PAGES_AT_ONCE, 2 * availableParallelism());
  const pagesAtOnce = Math.max(1, Math.floor(all / threads));
  let opening: Promise<Renderer> | undefined;

  async function open(): Promise<Renderer> {
    const { createRenderer } = await import('../../../crawler/renderer/renderer.ts');
    return createRenderer({ program: browser, temporaryFolder: tempFolder, pagesAtOnce, warn });
  }

  const renderer: Pick<Renderer, 'render'> = {
    async render(...page) {
      opening ??= open();
      return (await opening).render(...page);
    },
  };
  return {
    forWorker: { renderer: { renderer, pagesAtOnce } },
    close: async () => (await opening)?.close(),
  };
}
