/** The synchronous work of a worker for a page, reported to the watchdog of the thread. */
import type { PageStep } from '../../../core/causes/cause.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';

/** A page that a thread works on, and what it does for it. */
export interface PageTask {
  readonly crawl: CrawlId;
  readonly url: string;
  readonly step: PageStep;
}

/**
 * Knows what the thread does right now. A watchdog in another thread reads it when this one is blocked, so
 * the page that blocks is known exactly.
 */
export interface PageWork {
  /** Runs the synchronous `work` of a task. Costs about 1 us. */
  run<T>(crawl: CrawlId, url: string, step: PageStep, work: () => T): T;
  /**
   * A hook of the project has begun, and continues until the returned function is called. Its later parts are
   * not in `run`.
   */
  beginHook(): () => void;
  /**
   * Lets timers and I/O of the thread run, between two parts of a long task: the thread shows that it is
   * alive.
   */
  pause(): Promise<void>;
  /** CPU time of the thread. Default: it is not measured. */
  cpuMs?(): number;
}

/** For a thread without a watchdog. */
export const UNWATCHED: PageWork = {
  run: (_crawl, _url, _step, work) => work(),
  beginHook: () => () => {},
  pause: async () => {},
};
