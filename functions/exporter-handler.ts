import type { Context } from 'aws-lambda';
import { messageOf } from '../shared/core/base/error-message.ts';
import { isBeingDeleted } from '../shared/core/causes/status-reason.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlRecord } from '../shared/crawler/ports/crawl-registry.ts';
import { type ExportJobs, ExportLost } from '../shared/engines/aws/exports/export-jobs.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { type ExportContext, ExportImpossible } from '../shared/services/exports/export-context.ts';
import type { HeldExport } from '../shared/services/exports/held-export.ts';
import { type ExportJob, runExport } from '../shared/services/exports/run-export.ts';
import { type CrawlErrors, gatherCrawlErrors } from './crawl-errors.ts';
import type { Log } from './log.ts';
import { invoked } from './stack.ts';

export interface ExporterDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: Pick<OpenedStack, 'meter' | 'flushMeter'> & {
    readonly engine: { readonly registry: Pick<OpenedStack['engine']['registry'], 'load'> };
  };
  readonly jobs: Pick<ExportJobs, 'open' | 'take' | 'advance' | 'end' | 'release'>;
  /** The parts of a stack that an export is made of. */
  readonly contextOf: (
    crawl: CrawlId,
    record: CrawlRecord,
    held: HeldExport,
  ) => Promise<Omit<ExportJob, 'now' | 'isLate' | 'isOver' | 'warn' | 'skip'>>;
  /** Has the function run again at once. */
  readonly continueNow: () => Promise<void>;
}

/** The time for which a slice may go on to a better end: that of a host. */
const GRACE_MS = 90_000;
/** The time for finishing the files of a slice. */
const END_MS = 60_000;
/** Longer than a process can live after its time is up: nobody else has the export until then. */
const DEAD_MS = 60_000;
/** Less is not enough for a slice. */
const MIN_SLICE_MS = 60_000;
/** How often an export is tried of which no slice comes to its end. */
const MAX_TRIES = 5;
/** Reasons for records left out that a slice writes to the log. */
const MAX_WARNINGS = 100;

/**
 * Makes exports, one after the other, a slice at a time. If time is up before all are done, the next run follows at once.
 */
export function createExporterHandler(deps: ExporterDeps) {
  const { clock, log, stack, jobs } = deps;

  return (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> =>
    invoked(stack, { clock, log, context }, async () => {
      const end = clock.now() + context.getRemainingTimeInMillis();
      const errors = gatherCrawlErrors(log);
      let isMore = false;
      for (const { crawl, id } of await jobs.open()) {
        if (clock.now() + MIN_SLICE_MS >= end - END_MS - GRACE_MS) {
          isMore = true;
          break;
        }
        const work = () => stack.meter.run(crawl, () => exportOne(deps, { crawl, id, end }, errors));
        isMore = ((await errors.attempt(crawl, work)) ?? false) || isMore;
      }
      if (isMore) await deps.continueNow();
      errors.throwAny();
    });
}

/** The time of a slice in a function that is ended at `end`, by the clock at each look. */
export const sliceTimes = (
  clock: Pick<Clock, 'now'>,
  end: number,
): Pick<ExportContext, 'now' | 'isLate' | 'isOver'> => ({
  now: () => clock.now(),
  isLate: () => clock.now() >= end - END_MS - GRACE_MS,
  isOver: () => clock.now() >= end - END_MS,
});

interface TakenExport {
  readonly crawl: CrawlId;
  readonly id: string;
  /** When this function is ended. */
  readonly end: number;
}

/** Returns whether the export has more to do. */
async function exportOne(
  { clock, log, stack, jobs, contextOf }: ExporterDeps,
  { crawl, id, end }: TakenExport,
  errors: CrawlErrors,
): Promise<boolean> {
  const record = await stack.engine.registry.load(crawl);
  if (!record || isBeingDeleted(record)) return false;
  const held = await jobs.take(crawl, id, end + DEAD_MS);
  if (!held) return false;
  if (held.tries > MAX_TRIES) {
    await jobs.end(
      held,
      'failed',
      `${MAX_TRIES} tries came to no end; the log of the function exporter says why`,
    );
    return false;
  }
  let warnings = 0;
  const warn = (message: string) => {
    if (warnings++ < MAX_WARNINGS) log('warn', { crawl, export: id, message });
  };
  const context = {
    ...(await contextOf(crawl, record, held)),
    ...sliceTimes(clock, end),
    warn,
    skip: (url: string, reason: string, what: string) => warn(`${url} has no ${what}: ${reason}`),
  };
  try {
    const isDone = await runExport(context, held, jobs);
    if (isDone) log('info', { crawl, export: id, message: 'The export is done' });
    else await jobs.release(held);
    return !isDone;
  } catch (error) {
    if (error instanceof ExportLost) return false;
    if (error instanceof ExportImpossible) {
      await jobs.end(held, 'failed', messageOf(error));
      return false;
    }
    // Before it is given back, which may fail too: the log has both.
    await errors.attempt(crawl, () => Promise.reject(error));
    await jobs.release(held);
    // The next run is that of the schedule.
    return false;
  }
}
