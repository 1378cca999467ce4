import type { Context } from 'aws-lambda';
import type { CrawlId } from '../shared/crawl/crawl-id.ts';
import type { Compacted, CompactOptions } from '../shared/engines/aws/archive/compactor.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { CrawlStatus } from '../shared/ports/crawl-registry.ts';
import { beginningAt, gatherCrawlErrors } from './crawl-errors.ts';
import type { Log } from './log.ts';
import { invoked } from './stack.ts';

export interface CompactorDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: Pick<OpenedStack, 'meter' | 'flushMeter'> & {
    readonly engine: { readonly registry: Pick<OpenedStack['engine']['registry'], 'list' | 'load'> };
  };
  readonly compact: (
    options: Pick<CompactOptions, 'crawl' | 'finished' | 'deadline' | 'warn'>,
  ) => Promise<Compacted>;
}

/** The time for which work in progress may continue after that before it is given up. */
const END_MS = 30_000;
const HOUR_MS = 3_600_000;
/** These write no more, unless they are resumed. */
const ENDED: readonly CrawlStatus[] = ['finished', 'stopped'];

/** Joins the WARC files of one crawl after the other, while there is time; another one first each hour. */
export function createCompactorHandler({ clock, log, stack, compact }: CompactorDeps) {
  const { registry } = stack.engine;

  async function run(crawl: CrawlId, deadline: number): Promise<void> {
    const record = await registry.load(crawl);
    if (!record) return;
    const done = await compact({
      crawl,
      deadline,
      finished: ENDED.includes(record.status),
      warn: (message) => log('warn', { crawl, message }),
    });
    if (done.joined > 0) log('info', { crawl, message: 'WARC files were joined', ...done });
  }

  return (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> =>
    invoked(stack, { clock, log }, async () => {
      const deadline = clock.now() + context.getRemainingTimeInMillis() - END_MS;
      const errors = gatherCrawlErrors(log);
      for (const crawl of beginningAt(await registry.list(), Math.floor(clock.now() / HOUR_MS))) {
        if (clock.now() >= deadline) break;
        await errors.attempt(crawl, () => stack.meter.run(crawl, () => run(crawl, deadline)));
      }
      errors.throwAny();
    });
}
