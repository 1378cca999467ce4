/**
 * The steps after the end of a crawl: the export of its documents begins, as lines and as a table, and the project's `onFinish` is called. The waker
 * does it: the workers of the crawl have ended.
 */

import { messageOf } from '../shared/core/base/error-message.ts';
import { lazy } from '../shared/core/base/lazy.ts';
import { parseConfig } from '../shared/core/crawl/config.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlRecord } from '../shared/crawler/ports/crawl-registry.ts';
import { VisitState } from '../shared/crawler/turn/page/visit-state.ts';
import type { HookState } from '../shared/engines/aws/state/hook-state.ts';
import type { ExportRequest } from '../shared/services/control/crawl-export.ts';
import { createVisitState } from '../shared/services/hooks/crawl-state.ts';
import { callOnFinish } from '../shared/services/hooks/on-finish.ts';
import { oneLine } from '../shared/services/hooks/run-hook.ts';
import type { StrandConfig } from '../shared/services/project/project.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import type { Log } from './log.ts';

export interface CrawlEndDeps {
  /** Loads the project's file. It is code of the project, so this may throw. */
  readonly load: () => Promise<Pick<StrandConfig, 'onFinish'>>;
  readonly state: Pick<HookState, 'readNow' | 'change'>;
  readonly summarize: (crawl: CrawlId, record: CrawlRecord) => Promise<CrawlSummary>;
  /** Begins the export with this name; once, whatever the number of calls. */
  readonly beginExport: (crawl: CrawlId, request: ExportRequest, id: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Returns the function that calls the hook. The hook's errors are logged, as those of other hooks; errors that prevent
 * the call, or the storing of changed state, are thrown.
 */
export function createCrawlEnd({ load, state, summarize, beginExport, clock, log }: CrawlEndDeps) {
  return async (crawl: CrawlId, record: CrawlRecord): Promise<void> => {
    const ended = lazy(() => summarize(crawl, record));
    if (record.config.documents) {
      // A crawl that was resumed has run for longer: its next end has another name.
      const { seconds } = await ended();
      const request: ExportRequest = { format: 'documents', tables: ['documents'] };
      await beginExport(crawl, request, `documents-end-${Math.floor(seconds)}s`);
    }
    const { onFinish } = await load();
    if (onFinish === undefined) return;
    const summary = await ended();
    const visit = new VisitState(await state.readNow(crawl), { heldBytes: 0 });
    const page = visit.openPage(0);
    const kept = createVisitState(page, (key, change) => {
      try {
        return change();
      } catch (error) {
        log('error', { message: oneLine(`onFinish: state ${key}: ${messageOf(error)}`), crawl });
        return undefined;
      }
    });
    const { hookTimeoutMs: limitMs } = parseConfig(record.config);
    const fault = await callOnFinish({ onFinish }, summary, kept, { clock, limitMs });
    page.end();
    if (visit.changes.length > 0) await state.change(crawl, visit.changes);
    if (fault !== undefined) log('error', { message: fault, crawl });
  };
}
