import { Semaphore } from '../../../core/base/semaphore.ts';
import { MAX_RENDER_MS } from '../../../core/render/page-limits.ts';
import type { HookError } from '../../ports/hook-error-log.ts';
import type { Renderer } from '../../ports/renderer.ts';
import type { TurnServices } from '../services.ts';
import { createKnownHosts, OtherHosts } from './other-hosts.ts';
import { PageRendering } from './page-rendering.ts';
import { RouteTexts } from './route-texts.ts';
import { createScriptCache } from './script-cache.ts';
import type { RenderingService } from './turn-rendering.ts';

export interface RenderingOptions {
  readonly renderer: Pick<Renderer, 'render'>;
  /** Pages that are rendered at once. */
  readonly pagesAtOnce: number;
  /** The project's function that runs in each page: see `behaviourSource`. */
  readonly behave?: string | undefined;
  /** Called with a fault of it. */
  readonly onFault?: ((error: HookError) => void) | undefined;
}

/** Makes the service of a worker. What it keeps of scripts and other hosts is that of the process. */
export type OpenRendering = (
  services: Pick<TurnServices, 'engine' | 'lanes' | 'fetcherOf'>,
) => RenderingService;

export function createRendering({ renderer, pagesAtOnce, behave, onFault }: RenderingOptions): OpenRendering {
  const scripts = createScriptCache();
  const known = createKnownHosts();
  const routes = new RouteTexts();
  return (services) => {
    const places = new Semaphore(pagesAtOnce);
    const shared = {
      renderer,
      places,
      behaviours: { scroll: true, more: true, ...(behave !== undefined && { script: behave }) },
      onFault,
      routes,
      scripts,
      others: new OtherHosts(services, known),
    };
    return {
      limitMs: ({ render }) => (render === 'never' ? 0 : MAX_RENDER_MS),
      ofTurn: (turn, options) =>
        options.crawl.config.render === 'never' ? undefined : new PageRendering(turn, shared, options),
    };
  };
}
