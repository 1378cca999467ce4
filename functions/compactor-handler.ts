import type { Context } from 'aws-lambda';
import { isBeingDeleted } from '../shared/causes/status-reason.ts';
import type { CrawlId } from '../shared/crawl/crawl-id.ts';
import type { Compacted, CompactOptions } from '../shared/engines/aws/archive/compactor.ts';
import type { CrawlDeletions } from '../shared/engines/aws/deletion/crawl-deletions.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { CrawlStatus } from '../shared/ports/crawl-registry.ts';
import { beginningAt, type CrawlErrors, gatherCrawlErrors } from './crawl-errors.ts';
import type { Log } from './log.ts';
import { invoked } from './stack.ts';

export interface CompactorDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: Pick<OpenedStack, 'meter' | 'flushMeter'> & {
    readonly engine: { readonly registry: Pick<OpenedStack['engine']['registry'], 'list' | 'load'> };
  };
  readonly deletions: Pick<CrawlDeletions, 'pending' | 'proceed'>;
  readonly compact: (
    options: Pick<CompactOptions, 'crawl' | 'finished' | 'deadline' | 'warn'>,
  ) => Promise<Compacted>;
}

/** The time for which work in progress may continue after that before it is given up. */
const END_MS = 30_000;
const HOUR_MS = 3_600_000;
/** The share of a run in which deletions continue. The rest is for joining. */
const DELETION_SHARE = 0.5;
/** These write no more, unless they are resumed. */
const ENDED: readonly CrawlStatus[] = ['finished', 'stopped'];

/**
 * Continues the deletion of crawls, then joins the WARC files of one crawl after the other, while there is time;
 * another one first each hour.
 */
export function createCompactorHandler({ clock, log, stack, deletions, compact }: CompactorDeps) {
  const { registry } = stack.engine;

  async function run(crawl: CrawlId, deadline: number): Promise<void> {
    const record = await registry.load(crawl);
    if (!record || isBeingDeleted(record)) return;
    const done = await compact({
      crawl,
      deadline,
      finished: ENDED.includes(record.status),
      warn: (message) => log('warn', { crawl, message }),
    });
    if (done.joined > 0) log('info', { crawl, message: 'WARC files were joined', ...done });
  }

  /** Large crawls take several runs. */
  async function continueDeletions(deadline: number, errors: CrawlErrors): Promise<void> {
    const crawls = await deletions.pending();
    for (const crawl of beginningAt(crawls, Math.floor(clock.now() / HOUR_MS))) {
      if (clock.now() >= deadline) return;
      await errors.attempt(crawl, async () => {
        const deletion = await stack.meter.run(crawl, () => deletions.proceed(crawl, { deadline }));
        if (deletion?.deletedAt !== undefined) log('info', { crawl, message: 'The crawl was deleted' });
      });
    }
  }

  return (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> =>
    invoked(stack, { clock, log }, async () => {
      const leftMs = context.getRemainingTimeInMillis() - END_MS;
      const deadline = clock.now() + leftMs;
      const errors = gatherCrawlErrors(log);
      await continueDeletions(clock.now() + DELETION_SHARE * leftMs, errors);
      for (const crawl of beginningAt(await registry.list(), Math.floor(clock.now() / HOUR_MS))) {
        if (clock.now() >= deadline) break;
        await errors.attempt(crawl, () => stack.meter.run(crawl, () => run(crawl, deadline)));
      }
      errors.throwAny();
    });
}
