import type { Semaphore } from '../../../core/base/semaphore.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import type { Crawl } from '../../crawl-state/crawls.ts';
import type { HookError } from '../../ports/hook-error-log.ts';
import type { PartRefusal, RenderBehaviours, Renderer } from '../../ports/renderer.ts';
import type { RouteTexts } from './route-texts.ts';
import type { ScriptCache } from './script-cache.ts';

/** Parts of rendering that the turns of a worker share. */
export interface SharedRendering {
  readonly renderer: Pick<Renderer, 'render'>;
  /** Pages that are rendered at once. */
  readonly places: Semaphore;
  readonly behaviours: RenderBehaviours;
  /** Called with a fault of the project's function. */
  readonly onFault?: ((error: HookError) => void) | undefined;
  readonly scripts: ScriptCache;
  readonly routes: RouteTexts;
  readonly others: { request(part: PartOfOther): Promise<FetchOutcome | PartRefusal> };
}

/** A request of a page to another host than its own. */
export interface PartOfOther {
  readonly crawl: Crawl;
  readonly request: FetchRequest & { readonly signal: AbortSignal };
  /** A request that could begin only after this time is not made. */
  readonly latestAt: number;
  /** Whether the page may make a further request now. */
  readonly mayBegin: () => boolean;
  /** Called with each outcome, robots.txt included. */
  readonly onOutcome: (outcome: FetchOutcome) => void;
}

/** A request that is not made. */
export const refusal = (reason: string): PartRefusal => ({ status: 'refused', reason });
