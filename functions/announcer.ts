/** Announces the ends of crawls, and of their first passes, to the programs of the operator. The waker does it, so that it outlasts any process. */
import { hash } from 'node:crypto';
import { messageOf } from '../shared/core/base/error-message.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlRecord } from '../shared/crawler/ports/crawl-registry.ts';
import type { AwsCrawlRegistry } from '../shared/engines/aws/state/registry.ts';
import type { UnannouncedCrawl } from '../shared/engines/aws/state/unannounced.ts';
import {
  crawlEvents,
  type EndedCrawl,
  endedType,
  firstPassEvent,
} from '../shared/services/webhook/crawl-events.ts';
import type { WebhookEvent } from '../shared/services/webhook/webhook.ts';
import type { Log } from './log.ts';

/** Where events are sent. */
export interface EventSink {
  /**
   * Sends events of one crawl, and ends at `until`. Resolves to undefined when all were received, else to the reason,
   * for people. Throws {@link TimeIsUp} if the receiver took some, and the time was over before the others: a call with
   * the same events continues with those.
   */
  send(events: readonly WebhookEvent[], until: number): Promise<string | undefined>;
}

/** Thrown by a receiver that needs another look for the rest. */
export class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp';
}

export interface AnnouncerDeps {
  readonly registry: Pick<
    AwsCrawlRegistry,
    'load' | 'loadUnannounced' | 'noteAnnounced' | 'delayAnnouncement' | 'noteFinish' | 'noteFirstPass'
  >;
  readonly summarize: (crawl: CrawlId, record: CrawlRecord) => Promise<EndedCrawl>;
  readonly sink: EventSink;
  /** Calls the project's `onFinish`. Default: it has none. */
  readonly finish?: (crawl: CrawlId, record: CrawlRecord) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Waits after a try: 1, 2, 4 ... minutes, and an hour at most. */
const FIRST_WAIT_MS = 60_000;
const MAX_WAIT_MS = 3_600_000;
/** With these waits, a day and more. */
const MAX_TRIES = 30;
/** Calls of `onFinish` that may be begun for one end: the process may die in each, or the project's file fail to load. */
const MAX_FINISH_TRIES = 3;
/** The period of the waker is not exact. */
const EARLY_MS = 20_000;

/**
 * Sends the events of each crawl that has ended, or whose first pass is complete, since it was announced last: at least
 * once, and at each try with the same ids. After the end it calls the project's `onFinish`: at least once, and again only if
 * the process has died in the call.
 */
export class Announcer {
  readonly #deps: AnnouncerDeps;

  constructor(deps: AnnouncerDeps) {
    this.#deps = deps;
  }

  /**
   * Looks once at a crawl that has ended, or whose first pass is complete. Begins nothing after `until`. Returns when
   * to look again, in ms since the epoch; undefined: nothing is left to announce. Errors are logged, and a later look
   * tries again.
   */
  async look(crawl: CrawlId, until: number): Promise<number | undefined> {
    const { registry, clock, log } = this.#deps;
    try {
      if (clock.now() >= until) return clock.now();
      const unannounced = await registry.loadUnannounced(crawl);
      if (unannounced === undefined) return undefined;
      if (unannounced.retryAt > clock.now() + EARLY_MS) return unannounced.retryAt;
      // After its entry: if the crawl runs and ends meanwhile, the entry is another one, and that end is announced, too.
      const record = await registry.load(crawl);
      if (record) return await this.#announce(unannounced, record, until);
      await registry.noteAnnounced(unannounced);
      return undefined;
    } catch (error) {
      log('warn', {
        message: 'The end of a crawl cannot be announced now',
        crawl,
        cause: messageOf(error),
      });
      return clock.now();
    }
  }

  /** Returns when to try again; undefined if that is not necessary. */
  async #announce(
    unannounced: UnannouncedCrawl,
    record: CrawlRecord,
    until: number,
  ): Promise<number | undefined> {
    const { registry, summarize, sink, finish, clock } = this.#deps;
    const { crawl } = unannounced;
    const isPassNew = record.firstPass !== undefined && !record.firstPass.isAnnounced;
    const passAgainAt = await this.#announceFirstPass(unannounced, record, until);
    if (endedType({ state: record.status, reasonCode: record.why?.code }) === undefined) {
      // A paused crawl ends later. Its operator knows of a crawl that was stopped.
      if (record.status !== 'stopped') return passAgainAt;
      await this.#finish(unannounced, record, until);
      if (passAgainAt === undefined) await registry.noteAnnounced(unannounced);
      return passAgainAt;
    }
    const ended = await summarize(crawl, record);
    const { state, seconds } = ended;
    const idOf = (subject: string) =>
      hash('sha256', JSON.stringify([crawl, state, seconds, subject])).slice(0, 32);
    // A receiver that takes all of its time leaves some for `onFinish`.
    const now = clock.now();
    const hasFinish = finish !== undefined && !unannounced.isFinishDone;
    const sendUntil = hasFinish ? now + (until - now) / 2 : until;
    const fault = await sink.send(crawlEvents(crawl, ended, { now: () => clock.now(), idOf }), sendUntil);
    // The tries that count are those of the first pass until it is reported or given up.
    const own = isPassNew ? { ...unannounced, tries: 0 } : unannounced;
    // Noted before the call of `onFinish`, in which the process may die.
    const againAt = passAgainAt ?? (fault === undefined ? undefined : await this.#delay(own, fault));
    await this.#finish(unannounced, record, until);
    if (againAt === undefined) await registry.noteAnnounced(unannounced);
    return againAt;
  }

  async #finish(
    { crawl, entry, finishTries, isFinishDone }: UnannouncedCrawl,
    record: CrawlRecord,
    until: number,
  ): Promise<void> {
    const { registry, finish, clock, log } = this.#deps;
    if (finish === undefined || isFinishDone) return;
    // A call that the end of the function cuts off counts as one.
    if (clock.now() >= until) throw new TimeIsUp('no time was left for onFinish');
    const tries = finishTries + 1;
    if (tries <= MAX_FINISH_TRIES) {
      await registry.noteFinish({ crawl, entry, finishTries: tries, isFinishDone: false });
      await finish(crawl, record);
    } else
      log('error', {
        message: 'onFinish has not come back, and is not called again',
        crawl,
        tries: finishTries,
      });
    await registry.noteFinish({ crawl, entry, finishTries: tries, isFinishDone: true });
  }

  /** Resolves to when to try again; undefined if that event was received, or there is none. */
  async #announceFirstPass(
    unannounced: UnannouncedCrawl,
    { firstPass, ...record }: CrawlRecord,
    until: number,
  ): Promise<number | undefined> {
    if (!firstPass || firstPass.isAnnounced) return undefined;
    const { registry, summarize, sink, clock } = this.#deps;
    const { crawl, entry, tries } = unannounced;
    const event = firstPassEvent(crawl, firstPass, await summarize(crawl, record), clock.now());
    const fault = await sink.send([event], until);
    const againAt = fault === undefined ? undefined : await this.#delay(unannounced, fault);
    if (againAt !== undefined) return againAt;
    await registry.noteFirstPass(crawl, { ...firstPass, isAnnounced: true });
    // The end of the crawl has tries of its own.
    if (tries > 0) await registry.delayAnnouncement({ crawl, entry, tries: 0, retryAt: 0 });
    return fault === undefined ? undefined : clock.now();
  }

  /** Notes a try that failed. Returns when to try again; undefined if it was the last one. */
  async #delay(
    { crawl, entry, tries: before }: UnannouncedCrawl,
    cause: string,
  ): Promise<number | undefined> {
    const { registry, clock, log } = this.#deps;
    const tries = before + 1;
    if (tries >= MAX_TRIES) {
      log('error', {
        message: 'The events of a crawl were not received, and are not sent again',
        crawl,
        cause,
      });
      return undefined;
    }
    log('warn', { message: 'The events of a crawl were not received', crawl, tries, cause });
    const retryAt = clock.now() + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** before);
    await registry.delayAnnouncement({ crawl, entry, tries, retryAt });
    return retryAt;
  }
}
