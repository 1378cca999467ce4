import type { Context } from 'aws-lambda';
import { isBeingDeleted } from '../shared/core/causes/status-reason.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlStatus } from '../shared/crawler/ports/crawl-registry.ts';
import type { Compacted, CompactOptions } from '../shared/engines/aws/archive/compactor.ts';
import type { CrawlDeletions } from '../shared/engines/aws/deletion/crawl-deletions.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { isSettledEntry, type UnjoinedCrawl } from '../shared/engines/aws/state/unjoined.ts';
import { beginningAt, type CrawlErrors, gatherCrawlErrors } from './crawl-errors.ts';
import type { Log } from './log.ts';
import { invoked } from './stack.ts';

export interface CompactorDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: Pick<OpenedStack, 'meter' | 'flushMeter'> & {
    readonly engine: {
      readonly registry: Pick<OpenedStack['engine']['registry'], 'load'>;
      readonly unjoined: Pick<
        OpenedStack['engine']['unjoined'],
        'list' | 'strike' | 'lastBegun' | 'noteBegun'
      >;
    };
  };
  readonly deletions: Pick<CrawlDeletions, 'pending' | 'proceed'>;
  readonly compact: (
    options: Pick<CompactOptions, 'crawl' | 'finished' | 'deadline' | 'onBegin' | 'warn'>,
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
/** Crawls in these states write no more, unless they are resumed. */
const ENDED: readonly CrawlStatus[] = ['finished', 'stopped'];

/**
 * Continues the deletion of crawls, then joins the WARC files of one crawl after the other, while there is time. It begins
 * after the crawl that was begun last. If time is up before all is joined, the next run follows at once.
 */
export function createCompactorHandler(deps: CompactorDeps) {
  const { clock, log, stack, deletions } = deps;

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
    invoked(stack, { clock, log, context }, async () => {
      const leftMs = context.getRemainingTimeInMillis() - END_MS;
      const deadline = clock.now() + leftMs;
      const errors = gatherCrawlErrors(log);
      await continueDeletions(clock.now() + DELETION_SHARE * leftMs, errors);
      const { isCut, isFurther } = await joinAll(deps, deadline, errors);
      // An invocation that has done nothing would be repeated for ever.
      if (isCut && isFurther) await continueAfter(roundIn(event ?? {}));
      errors.throwAny();
    });
}

/** Joins while there is time. Returns whether there may be more to join, and whether this run has left less of it. */
async function joinAll(
  deps: CompactorDeps,
  deadline: number,
  errors: CrawlErrors,
): Promise<{ isCut: boolean; isFurther: boolean }> {
  const { clock, stack } = deps;
  const { unjoined } = stack.engine;
  let isFurther = false;
  let isCut = false;
  let last: CrawlId | undefined;
  for (const entry of startingAfter(await unjoined.list(), await unjoined.lastBegun())) {
    if (clock.now() >= deadline) {
      if (last !== undefined) await unjoined.noteBegun(last);
      return { isCut: true, isFurther };
    }
    const { crawl } = entry;
    last = crawl;
    await errors.attempt(crawl, () =>
      stack.meter.run(crawl, async () => {
        // Before it is looked at: later writes enter it again.
        const isSettled = isSettledEntry(entry, clock.now());
        const done = await joinOne(deps, crawl, deadline);
        isCut ||= done.isCut;
        isFurther ||= done.joined + done.itemTables > 0;
        if (done.isDone && isSettled && (await unjoined.strike(entry))) isFurther = true;
      }),
    );
  }
  return { isCut, isFurther };
}

async function joinOne(
  { log, stack, compact }: CompactorDeps,
  crawl: CrawlId,
  deadline: number,
): Promise<Pick<Compacted, 'joined' | 'itemTables' | 'isCut' | 'isDone'>> {
  const { registry, unjoined } = stack.engine;
  const record = await registry.load(crawl);
  if (!record || isBeingDeleted(record)) return { joined: 0, itemTables: 0, isCut: false, isDone: true };
  const done = await compact({
    crawl,
    deadline,
    finished: ENDED.includes(record.status),
    onBegin: () => unjoined.noteBegun(crawl),
    warn: (message) => log('warn', { crawl, message }),
  });
  const { isCut: _, isDone: __, ...joined } = done;
  if (done.joined + done.itemTables > 0)
    log('info', { crawl, message: 'WARC files were joined, and items put into tables', ...joined });
  return done;
}

/** Rotates the crawls so that they begin with the one after `last`. */
function startingAfter(all: readonly UnjoinedCrawl[], last: CrawlId | undefined): UnjoinedCrawl[] {
  const first = last === undefined ? 0 : all.findIndex(({ crawl }) => crawl > last);
  return beginningAt(all, Math.max(0, first));
}

const roundIn = ({ detail: { round } = {} }: CompactorEvent): number =>
  Number.isSafeInteger(round) ? (round as number) : 1;
