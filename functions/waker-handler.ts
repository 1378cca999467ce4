import type { Context } from 'aws-lambda';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlRecord, CrawlTotals } from '../shared/crawler/ports/crawl-registry.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { type AgendaEntry, type NextLook, netAt } from '../shared/engines/aws/state/agenda.ts';
import { beginningAt, type CrawlErrors, gatherCrawlErrors } from './crawl-errors.ts';
import { CrawlLooks, type Looked, type LooksEngine } from './crawl-looks.ts';
import type { DailyLimit } from './daily-limit.ts';
import type { Log } from './log.ts';
import { later, soon } from './look-plan.ts';
import { invoked } from './stack.ts';
import { startingWorkers, startMissing } from './start-workers.ts';

export interface WakerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: WakerStack;
  /** Looks for troubles of the whole stack. */
  readonly watch?: { note(crawl: CrawlId, totals: CrawlTotals): void; look(): Promise<void> } | undefined;
  /**
   * Announces the end of a crawl or of its parts. Returns when to look again; undefined: nothing is left to announce.
   */
  readonly announcer?: { look(crawl: CrawlId, until: number): Promise<number | undefined> } | undefined;
  /** Sends the changes of pages. Resolves to whether none of the crawl is left. */
  readonly changeFeed?: { look(crawl: CrawlId, until: number): Promise<boolean> } | undefined;
  /** The deployer's limit of cost in a day. */
  readonly dailyLimit?: Pick<DailyLimit, 'isSpent' | 'pause' | 'goOn'> | undefined;
}

export interface WakerStack extends Pick<OpenedStack, 'meter' | 'flushMeter'> {
  readonly engine: LooksEngine & {
    readonly workers: OpenedStack['engine']['workers'];
    readonly agenda: OpenedStack['engine']['agenda'];
    readonly registry: Pick<OpenedStack['engine']['registry'], 'listRunning' | 'listUnannounced'>;
  };
}

/** Crawls are looked at for so long, and hosts woken; the rest of a run is for changes of pages, announcements and troubles. */
const LOOK_MS = 40_000;
/** Before the invocation's end, nothing is begun any more. */
const END_MS = 5000;
/** Crawls that are looked at at once. */
const LOOKS_AT_ONCE = 8;
/** Crawls whose records are loaded together. */
const LOADED_AT_ONCE = 100;
/**
 * A run begins no further look when the looks have taken this number of calls: 15 s of a function's CPU of 512 MB. The crawls
 * that are left have waited longest in the next run.
 */
const MAX_CALLS = 9000;
/** In one of this number of runs, crawls that the agenda has lost are looked for. */
const LOST_EVERY = 60;
/** While there is neither a crawl to be looked at nor a message, workers that are missing are looked for in one of this number of runs. */
const WORKERS_EVERY_AT_REST = 5;
/** The share of the time that is left for the changes of pages. The rest is for announcements, and troubles. */
const CHANGES_SHARE = 0.5;

/**
 * Starts a worker for each turn queue with messages and without workers, and looks at the crawls that the agenda names,
 * the one that has waited longest first: ends those that have reached a limit, wakes the hosts that are due, marks
 * quiet crawls as finished, and announces ends. So a run's work does not grow with crawls that rest.
 */
export function createWakerHandler(deps: WakerDeps) {
  const { stack, clock, log } = deps;
  const { workers } = stack.engine;
  const { queue, startWorkers } = startingWorkers(stack.engine.queue, workers, log);
  const waker = new Waker({ ...deps, stack: { ...stack, engine: { ...stack.engine, queue } } });
  return (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> =>
    invoked(stack, { clock, log, context, isAtRest: () => waker.isAtRest }, async () => {
      const endsAt = clock.now() + context.getRemainingTimeInMillis() - END_MS;
      try {
        await waker.run(endsAt, () => startMissing(workers, log));
      } finally {
        await startWorkers();
      }
    });
}

/** A crawl that is looked at in a run. */
interface Visit {
  readonly id: CrawlId;
  /** Its entries, which are struck when the next look is entered. */
  readonly entries: readonly AgendaEntry[];
  looked?: Looked;
  /** Something was left to do. */
  isBusy: boolean;
  announceAt?: number | undefined;
}

class Waker {
  readonly #deps: WakerDeps;
  readonly #looks: CrawlLooks;
  #runs = 0;
  /** Messages were waiting, or with workers, which may die. */
  #hadMessages = false;
  /** The last run found nothing to look at: such runs are kept cheap, as there are 1,440 a day. */
  isAtRest = false;

  constructor(deps: WakerDeps) {
    this.#deps = deps;
    this.#looks = new CrawlLooks({ engine: deps.stack.engine, clock: deps.clock, log: deps.log });
  }

  /** Runs an invocation, which begins nothing after `endsAt`. */
  async run(endsAt: number, startMissing: () => Promise<boolean>): Promise<void> {
    const { clock, log, dailyLimit, watch } = this.#deps;
    await dailyLimit?.goOn(endsAt);
    const now = clock.now();
    const lookUntil = Math.min(endsAt, now + LOOK_MS);
    const isLook = this.#runs % WORKERS_EVERY_AT_REST === 0;
    this.isAtRest = false;
    let visits: Visit[] = [];
    try {
      visits = await this.#visits(now);
      this.isAtRest = visits.length === 0;
    } finally {
      this.#runs++;
      // Before all else: a run may take most of a minute.
      if (!this.isAtRest || isLook || this.#hadMessages) this.#hadMessages = await startMissing();
    }
    const errors = gatherCrawlErrors(log);
    await this.#pauseIfSpent(visits, endsAt, errors);
    await this.#lookAt(visits, lookUntil, errors);
    const looked = visits.filter(({ looked }) => looked);
    const [waiting, others] = [looked.filter(isWaiting), looked.filter((visit) => !isWaiting(visit))];
    const failed = visits.filter(({ id, looked }) => !looked && errors.has(id));
    await this.#enterNext([...others, ...failed], errors, now);
    await this.#sendChanges(waiting, clock.now() + CHANGES_SHARE * Math.max(0, endsAt - clock.now()), errors);
    for (const visit of waiting) await this.#announce(visit, endsAt, errors);
    await this.#enterNext(waiting, errors, now);
    if (clock.now() < endsAt) await watch?.look();
    errors.throwAny();
  }

  /** The crawls to look at, the one that has waited longest first. */
  async #visits(now: number): Promise<Visit[]> {
    const { agenda } = this.#deps.stack.engine;
    const byCrawl = new Map<CrawlId, AgendaEntry[]>();
    for (const entry of await agenda.due())
      byCrawl.set(entry.crawl, [...(byCrawl.get(entry.crawl) ?? []), entry]);
    // At the first run of a process, and once an hour or so.
    if (this.#runs % LOST_EVERY === 0)
      for (const id of await this.#lost(now)) if (!byCrawl.has(id)) byCrawl.set(id, []);
    return [...byCrawl].map(([id, entries]) => ({ id, entries, isBusy: false }));
  }

  /**
   * Crawls that run and that the agenda does not know: an operator may have deleted items. Crawls
   * that do not run, and may have something to announce, are entered for later.
   */
  async #lost(now: number): Promise<CrawlId[]> {
    const { agenda, registry } = this.#deps.stack.engine;
    const [running, unannounced, known] = await Promise.all([
      registry.listRunning(),
      registry.listUnannounced(),
      agenda.crawls(),
    ]);
    const lost = running.filter((id) => !known.has(id));
    const isRunning = new Set(running);
    const others = unannounced.map(({ crawl }) => crawl).filter((id) => !known.has(id) && !isRunning.has(id));
    await agenda.replace(
      others.map((crawl) => later(crawl, netAt(crawl, now), now)),
      [],
    );
    return lost;
  }

  /** Looks at several crawls at once. A batch of each in turn: a crawl of many hosts does not hold up the others. */
  async #lookAt(visits: readonly Visit[], until: number, errors: CrawlErrors): Promise<void> {
    const { clock, stack, watch } = this.#deps;
    const { registry } = stack.engine;
    const callsBefore = this.#looks.calls;
    for (let from = 0; from < visits.length; from += LOADED_AT_ONCE) {
      if (clock.now() >= until || this.#looks.calls - callsBefore >= MAX_CALLS) break;
      const some = visits.slice(from, from + LOADED_AT_ONCE);
      const loaded = await registry.loadMany(some.map(({ id }) => id));
      await this.#forEach(some, until, errors, async (visit) => {
        const { id, entries } = visit;
        visit.looked = await this.#looks.look(id, {
          isDue: entries.length === 0 || entries.some(({ isDue }) => isDue),
          isUnsure: entries.some(({ isUnsure }) => isUnsure),
          stored: loaded.get(id),
        });
        if (visit.looked.totals) watch?.note(id, visit.looked.totals);
      });
    }
    let more = visits.filter(({ looked }) => looked?.isMore);
    while (more.length > 0 && clock.now() < until) {
      const next: Visit[] = [];
      for (const visit of more) {
        if (clock.now() >= until) break;
        const isMore = await errors.attempt(visit.id, () =>
          stack.meter.run(visit.id, () => this.#looks.wake(visit.id)),
        );
        if (isMore) next.push(visit);
      }
      more = next;
    }
  }

  async #forEach(
    visits: readonly Visit[],
    until: number,
    errors: CrawlErrors,
    step: (visit: Visit) => Promise<void>,
  ): Promise<void> {
    const { clock, stack } = this.#deps;
    const left = visits.values();
    const work = async () => {
      // All share one iterator.
      for (const visit of left) {
        if (clock.now() >= until) return;
        await errors.attempt(visit.id, () => stack.meter.run(visit.id, () => step(visit)));
      }
    };
    await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, work));
  }

  /** Pauses all crawls if they have cost together what they may in a day. */
  async #pauseIfSpent(visits: readonly Visit[], endsAt: number, errors: CrawlErrors): Promise<void> {
    const { clock, dailyLimit, stack } = this.#deps;
    const [first] = visits;
    if (!dailyLimit || !first) return;
    // A failure is reported as that of a crawl: another one each time.
    if (!(await errors.attempt(first.id, () => dailyLimit.isSpent()))) return;
    for (const id of await stack.engine.registry.listRunning()) {
      if (clock.now() >= endsAt) return;
      await errors.attempt(id, () => stack.meter.run(id, () => dailyLimit.pause(id)));
    }
  }

  async #sendChanges(visits: readonly Visit[], until: number, errors: CrawlErrors): Promise<void> {
    const { changeFeed, clock, stack } = this.#deps;
    if (!changeFeed) return;
    const feeding = visits.filter(({ looked }) => hasFeed(looked));
    for (const visit of feeding) visit.isBusy = true;
    // Rotates the crawls: the events of one crawl may take the whole run.
    for (const visit of beginningAt(feeding, this.#runs)) {
      if (clock.now() >= until) return;
      const isDone = await errors.attempt(visit.id, () =>
        stack.meter.run(visit.id, () => changeFeed.look(visit.id, until)),
      );
      visit.isBusy = isDone !== true;
    }
  }

  async #announce(visit: Visit, until: number, errors: CrawlErrors): Promise<void> {
    const { announcer } = this.#deps;
    const record = visit.looked?.record;
    if (!announcer || !hasNews(record)) return;
    visit.announceAt = await errors.attempt(visit.id, () => announcer.look(visit.id, until));
  }

  /** Enters the next looks. A crawl without one does not run, and has nothing left to announce. */
  async #enterNext(visits: readonly Visit[], errors: CrawlErrors, now: number): Promise<void> {
    if (visits.length === 0) return;
    const next = visits.flatMap((visit) =>
      errors.has(visit.id) ? soon(visit.id, now) : (this.#nextOf(visit, now) ?? []),
    );
    await this.#deps.stack.engine.agenda.replace(
      next,
      visits.flatMap(({ entries }) => entries),
    );
  }

  #nextOf({ id, looked, isBusy, announceAt }: Visit, now: number): NextLook | undefined {
    if (looked?.record?.status === 'running') return this.#looks.plan(id, { isBusy, announceAt }, now);
    if (isBusy) return soon(id, now);
    return announceAt === undefined ? undefined : later(id, announceAt, now);
  }
}

/** Whether the crawl has ended, or its first pass, so there may be something to announce. */
const hasNews = (record: CrawlRecord | undefined): boolean =>
  record?.status !== 'running' || (record.firstPass !== undefined && !record.firstPass.isAnnounced);

/** Whether changes of its pages, visits of its sites, or hosts that refuse, may have to be sent to the operator's programs. */
const hasFeed = ({ record, totals }: Looked = {}): boolean =>
  record !== undefined &&
  (record.config.changeFeed === true || record.sites !== undefined || (totals?.refused?.hosts ?? 0) > 0);

/** Whether changes are to be sent, or something is to be announced, before the next look is entered. */
const isWaiting = ({ looked }: Visit): boolean => hasNews(looked?.record) || hasFeed(looked);
