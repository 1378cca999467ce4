import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { OpenRendering } from '../shared/crawler/turn/render/rendering.ts';
import type { Meter } from '../shared/engines/aws/cost/meter.ts';
import type { StackSettings } from '../shared/engines/aws/settings.ts';
import type { StrandConfig } from '../shared/services/project/project.ts';
import type { Log } from './log.ts';
import { createFailureLog } from './worker-hooks.ts';

/** Each page holds its parts in memory while it is rendered elsewhere. */
export const PAGES_AT_ONCE = { full: 8, small: 2 };

export interface WorkerRenderingOptions {
  readonly settings: Pick<StackSettings, 'rendererFunction'>;
  readonly project: Pick<StrandConfig, 'behave'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly isSmall: boolean;
  readonly meter: () => Pick<Meter, 'add'>;
}

/** How a worker renders pages; undefined on a stack without a browser, which loads no module for it. */
export async function createWorkerRendering({
  settings: { rendererFunction: functionName },
  project,
  clock,
  log,
  isSmall,
  meter,
}: WorkerRenderingOptions): Promise<OpenRendering | undefined> {
  if (functionName === undefined) return undefined;
  const [{ createInvokedRenderer, rendererFunction }, { createRendering }, { behaviourSource }] =
    await Promise.all([
      import('../shared/engines/aws/invoke-renderer.ts'),
      import('../shared/crawler/turn/render/rendering.ts'),
      import('../shared/services/project/behaviour-source.ts'),
    ]);
  return createRendering({
    renderer: createInvokedRenderer({ invoke: rendererFunction(functionName), clock, meter }),
    pagesAtOnce: isSmall ? PAGES_AT_ONCE.small : PAGES_AT_ONCE.full,
    behave: behaviourSource(project.behave),
    onFault: createFailureLog(log),
  });
}
