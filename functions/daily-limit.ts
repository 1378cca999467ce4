/** The deployer's limit of cost in a day, as the waker applies it: all crawls are paused, and go on by themselves on the next day. */
import { spentForToday } from '../shared/core/causes/status-reason.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlRegistry } from '../shared/crawler/ports/crawl-registry.ts';
import type { CrawlDirectory } from '../shared/engines/aws/state/crawl-directory.ts';
import { nextDayAt } from '../shared/engines/aws/state/daily-spend.ts';
import { errorFields, type Log } from './log.ts';

export interface DailyLimitDeps {
  /** US dollars. Absent: no limit, and crawls that an earlier limit has paused continue. */
  readonly maxCost: number | undefined;
  /** Returns the US dollars of all crawls today. */
  readonly spentToday: () => Promise<number>;
  readonly registry: Pick<CrawlRegistry, 'load' | 'setStatus'>;
  /** Crawls that are paused until the next day, perhaps with others among them. */
  readonly paused: Pick<CrawlDirectory, 'enter' | 'strike' | 'list'>;
  readonly resume: (crawl: CrawlId) => Promise<void>;
  /** Calls the operator's attention to it. */
  readonly announce: (fields: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** The trouble is over. */
  readonly forget: () => Promise<unknown>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Crawls that could not go on are tried again after this. */
const TRY_AGAIN_MS = 600_000;

export class DailyLimit {
  readonly #deps: DailyLimitDeps;
  /** When it is to be looked next which crawls can go on: in the first run of a process, and on each new day. */
  #lookAt = Number.NEGATIVE_INFINITY;
  /** The end of the day on which the operator's attention was called. */
  #announcedUntil: number | undefined;

  constructor(deps: DailyLimitDeps) {
    this.#deps = deps;
  }

  /** Whether all crawls together have cost what they may today. */
  async isSpent(): Promise<boolean> {
    const { maxCost, spentToday } = this.#deps;
    return maxCost !== undefined && (await spentToday()) >= maxCost;
  }

  /** Pauses a crawl that runs. Safe to repeat. */
  async pause(crawl: CrawlId): Promise<void> {
    const { maxCost = 0, registry, paused, announce, clock, log } = this.#deps;
    const reason = spentForToday(maxCost);
    // The directory first: a name there of a crawl that runs does no harm.
    await paused.enter(crawl);
    if (!(await registry.setStatus(crawl, 'paused', reason, { from: ['running'] }))) return;
    log('warn', { message: 'The crawl is paused', crawl, reason: reason.text });
    const endOfDay = nextDayAt(clock.now());
    if (this.#announcedUntil === endOfDay) return;
    await announce({ maxCostPerDay: maxCost });
    this.#announcedUntil = endOfDay;
  }

  /**
   * Resumes the crawls that were paused on an earlier day, or before the limit was raised. Begins nothing after
   * `until`. Never rejects: errors are logged, and tried again later.
   */
  async goOn(until: number): Promise<void> {
    const { clock, log } = this.#deps;
    if (clock.now() < this.#lookAt) return;
    try {
      const isDone = await this.#resumeAll(until);
      this.#lookAt = isDone ? nextDayAt(clock.now()) : clock.now() + TRY_AGAIN_MS;
    } catch (error) {
      log('warn', { notResumed: 'crawls that were paused for a day', ...errorFields(error) });
    }
  }

  /** Resolves to whether none is left that can go on today. */
  async #resumeAll(until: number): Promise<boolean> {
    const { paused, forget, clock } = this.#deps;
    const crawls = await paused.list();
    if (crawls.length === 0 || (await this.isSpent())) return true;
    await forget();
    let isDone = true;
    for (const crawl of crawls) isDone = clock.now() < until && (await this.#resume(crawl)) && isDone;
    return isDone;
  }

  async #resume(crawl: CrawlId): Promise<boolean> {
    const { registry, paused, resume, log } = this.#deps;
    try {
      const record = await registry.load(crawl);
      // An operator may have paused, stopped or resumed it meanwhile.
      if (record?.status === 'paused' && record.why?.code === 'maxCostPerDay') {
        await resume(crawl);
        log('info', { message: 'The crawl goes on', crawl });
      }
      await paused.strike(crawl);
      return true;
    } catch (error) {
      log('warn', { notResumed: crawl, crawl, ...errorFields(error) });
      return false;
    }
  }
}
