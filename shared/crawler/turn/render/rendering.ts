import { Semaphore } from '../../../core/base/semaphore.ts';
import type { Renderer } from '../../ports/renderer.ts';
import type { TurnServices } from '../services.ts';
import { OtherHosts } from './other-hosts.ts';
import type { Rendering } from './rendering-service.ts';
import { createScriptCache } from './script-cache.ts';

/** `pagesAtOnce`: pages that are rendered at once. */
export const createRendering = (
  { renderer, pagesAtOnce }: { readonly renderer: Pick<Renderer, 'render'>; readonly pagesAtOnce: number },
  services: Pick<TurnServices, 'engine' | 'lanes' | 'fetcherOf'>,
): Rendering => ({
  renderer,
  places: new Semaphore(pagesAtOnce),
  scripts: createScriptCache(),
  others: new OtherHosts(services),
});

/** How long a page may be rendered. */
export const RENDER_MS = 20_000;
/** A renderer ends soon after that: its requests end with it. */
const END_MS = 2000;

/** How long a page may take that the crawl renders; 0 if it renders none. */
export const renderLimitMs = (
  { rendering }: Pick<TurnServices, 'rendering'>,
  { render }: { readonly render: 'never' | 'needed' | 'always' },
): number => (rendering === undefined || render === 'never' ? 0 : RENDER_MS + END_MS);
