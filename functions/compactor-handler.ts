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
  /** Has another run begun at once, the one of that number in a row. Default: the next one comes in an hour. */
  readonly continueAs?: (round: number) => Promise<void>;
  /** Announces that runs have been continued for hours. */
  readonly announceBehind?: (rounds: number) => Promise<unknown>;
}

/** The cause of a run: a schedule, or the run before it, which had no time to join all. */
export interface CompactorEvent {
  readonly detail?: { readonly round?: unknown };
}

/** The time for which work in progress may continue after that before it is given up. */
const END_MS = 30_000;
const HOUR_MS = 3_600_000;
/** Runs in a row, six hours of them, after which it is announced that files come faster than they are joined. */
const MANY_ROUNDS = 24;
/** The share of a run in which deletions continue. The rest is for joining. */
const DELETION_SHARE = 0.5;
/** These write no more, unless they are resumed. */
const ENDED: readonly CrawlStatus[] = ['finished', 'stopped'];

/**
 * Continues the deletion of crawls, then joins the WARC files of one crawl after the other, while there is time;
 * another one first each hour. If time is up before all is joined, the next run follows at once.
 */
export function createCompactorHandler(deps: CompactorDeps) {
  const { clock, log, stack, deletions, compact } = deps;
  const { registry } = stack.engine;

  async function run(
    crawl: CrawlId,
    deadline: number,
  ): Promise<Pick<Compacted, 'joined' | 'itemTables' | 'isCut'> | undefined> {
    const record = await registry.load(crawl);
    if (!record || isBeingDeleted(record)) return undefined;
    const done = await compact({
      crawl,
      deadline,
      finished: ENDED.includes(record.status),
      warn: (message) => log('warn', { crawl, message }),
    });
    const { isCut, ...joined } = done;
    if (done.joined + done.itemTables > 0)
      log('info', { crawl, message: 'WARC files were joined, and items put into tables', ...joined });
    return done;
  }

  /** Joins while there is time. Returns the number of files that were made, and whether there may be more to join. */
  async function joinAll(deadline: number, errors: CrawlErrors): Promise<{ joined: number; isCut: boolean }> {
    let joined = 0;
    let isCut = false;
    for (const crawl of beginningAt(await registry.list(), Math.floor(clock.now() / HOUR_MS))) {
      if (clock.now() >= deadline) return { joined, isCut: true };
      const done = await errors.attempt(crawl, () => stack.meter.run(crawl, () => run(crawl, deadline)));
      joined += (done?.joined ?? 0) + (done?.itemTables ?? 0);
      isCut ||= done?.isCut ?? false;
    }
    return { joined, isCut };
  }

  async function continueAfter(round: number): Promise<void> {
    if (round >= MANY_ROUNDS) await deps.announceBehind?.(round);
    await deps.continueAs?.(round + 1);
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

  return (
    event: CompactorEvent | undefined,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<void> =>
    invoked(stack, { clock, log }, async () => {
      const leftMs = context.getRemainingTimeInMillis() - END_MS;
      const deadline = clock.now() + leftMs;
      const errors = gatherCrawlErrors(log);
      await continueDeletions(clock.now() + DELETION_SHARE * leftMs, errors);
      const { joined, isCut } = await joinAll(deadline, errors);
      // One that has joined nothing would be repeated for ever.
      if (isCut && joined > 0) await continueAfter(roundIn(event ?? {}));
      errors.throwAny();
    });
}

const roundIn = ({ detail: { round } = {} }: CompactorEvent): number =>
  Number.isSafeInteger(round) ? (round as number) : 1;
