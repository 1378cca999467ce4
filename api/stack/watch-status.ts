import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { type Control, ControlError } from '../../shared/services/control/control.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';

/** The result of one request for a crawl's status. `error`: the request failed this time. */
export type Look =
  | { readonly summary: CrawlSummary; readonly error?: undefined }
  | { readonly summary?: undefined; readonly error: unknown };

export interface WatchStatusOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Ends the iteration when it aborts. The crawl continues. */
  readonly signal: AbortSignal;
  readonly pollMs: number;
  /** Whether the crawl is over with this status: then the iteration ends. */
  readonly isOver: (summary: CrawlSummary) => boolean;
}

/** Short failures of the network or of AWS do not end a watch; this many in a row do. */
const MAX_FAILURES = 5;

/** Polls the crawl's status every `pollMs`, until the crawl is over. Throws the error of a failed request. */
export async function* watchStatus(
  control: Pick<Control, 'status'>,
  crawl: CrawlId,
  { clock, signal, pollMs, isOver }: WatchStatusOptions,
): AsyncGenerator<Look, void, undefined> {
  for (let failures = 0; !signal.aborted; ) {
    const look = await lookAt(control, crawl);
    failures = look.summary ? 0 : failures + 1;
    if (look.error instanceof ControlError || failures >= MAX_FAILURES) throw look.error;
    yield look;
    if (look.summary && isOver(look.summary)) return;
    await clock.sleep(pollMs, signal);
  }
}

async function lookAt(control: Pick<Control, 'status'>, crawl: CrawlId): Promise<Look> {
  try {
    return { summary: await control.status(crawl) };
  } catch (error) {
    return { error };
  }
}
