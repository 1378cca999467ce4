/** A crawl on this machine, run by one session after the other: each pause ends one. */

import { systemClock } from '../../shared/engines/system-clock.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { CrawlProgress } from '../crawl-events.ts';
import type { RunningCrawl } from '../running-crawl.ts';
import { addSeeds } from './add-seeds.ts';
import { createListeners } from './listeners.ts';
import type { Begun, CrawlMessage } from './messages.ts';
import { withRegistry } from './open-folder.ts';
import { summarize } from './summarize.ts';

export interface Session {
  /** The crawl's folder, if an earlier session has opened it. */
  readonly continues?: string | undefined;
  readonly onMessage: (message: CrawlMessage) => void;
  readonly signal: AbortSignal;
}

/** The state that the caller wants for the crawl. `interrupt`: like `stop`, but its status stays as it is. */
type Wish = 'run' | 'pause' | 'stop' | 'interrupt';

/**
 * Begins the first session, and resolves when it has opened the crawl. Rejects if it cannot. Calls `onEnd`
 * when the crawl has finally ended, with the error if it failed.
 */
export async function runningCrawl(
  signal: AbortSignal | undefined,
  runSession: (session: Session) => Promise<void>,
  onEnd: (error?: unknown) => void = () => {},
): Promise<RunningCrawl> {
  signal?.throwIfAborted();
  const sessions = new CrawlSessions(runSession);
  const interrupt = () => sessions.interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  const done = sessions
    .run()
    .then(
      (summary) => {
        onEnd();
        return summary;
      },
      (error: unknown) => {
        onEnd(error);
        throw error;
      },
    )
    .finally(() => signal?.removeEventListener('abort', interrupt));
  const { folder, crawl } = await sessions.begun.catch((error: unknown) => {
    done.catch(() => {});
    throw error;
  });
  return {
    name: crawl,
    folder,
    done,
    events(options) {
      // The listener gets the error.
      done.catch(() => {});
      return sessions.events(options);
    },
    progress: () => sessions.progress ?? noProgress(),
    pause: () => sessions.pause(),
    resume: () => sessions.resume(),
    async stop() {
      sessions.stop();
      return done;
    },
    addSeeds: (seeds) => addSeeds(folder, seeds, systemClock),
  };
}

/** Runs one session after the other, as the caller wants it. */
class CrawlSessions {
  /** The last progress that a session has reported. */
  progress: CrawlProgress | undefined;
  readonly #runSession: (session: Session) => Promise<void>;
  readonly #listeners = createListeners();
  readonly #begun = Promise.withResolvers<Begun>();
  #wish: Wish = 'run';
  #session = new AbortController();
  /** Resolves when a session has ended, by a pause or finally. */
  #ended = silentResolvers<CrawlSummary>();
  /** Resolves when a paused crawl is to continue or to end. */
  #woken = Promise.withResolvers<void>();
  #isPaused = false;

  constructor(runSession: (session: Session) => Promise<void>) {
    this.#runSession = runSession;
  }

  /** Resolves when the first session has opened the crawl. */
  get begun(): Promise<Begun> {
    return this.#begun.promise;
  }

  /** Resolves with the summary when the crawl has ended, and rejects when it has failed: as its listeners get it. */
  async run(): Promise<CrawlSummary> {
    try {
      const summary = await this.#runAll();
      this.#listeners.finish(summary);
      this.#ended.resolve(summary);
      return summary;
    } catch (error) {
      this.#begun.reject(error);
      this.#listeners.fail(error);
      this.#ended.reject(error);
      throw error;
    }
  }

  events(options: Parameters<RunningCrawl['events']>[0]): ReturnType<RunningCrawl['events']> {
    return this.#listeners.add(options);
  }

  async pause(): Promise<CrawlSummary> {
    if (this.#wish === 'run') {
      this.#woken = Promise.withResolvers();
      this.#want('pause');
    }
    return this.#ended.promise;
  }

  async resume(): Promise<void> {
    if (this.#wish !== 'pause') return;
    await this.#ended.promise;
    if (!this.#isPaused) return;
    this.#wish = 'run';
    this.#session = new AbortController();
    this.#ended = silentResolvers();
    this.#woken.resolve();
  }

  stop(): void {
    if (this.#wish === 'run' || this.#wish === 'pause') this.#want('stop');
  }

  interrupt(): void {
    this.#want('interrupt');
  }

  #want(next: Wish): void {
    this.#wish = next;
    this.#session.abort();
    if (next !== 'pause') this.#woken.resolve();
  }

  async #runAll(): Promise<CrawlSummary> {
    for (let continues: string | undefined; ; ) {
      const onMessage = (message: CrawlMessage) => this.#onMessage(message);
      await this.#runSession({ continues, onMessage, signal: this.#session.signal });
      const { folder, crawl } = await this.begun;
      const summary = await summarize(folder);
      // It may have ended by itself meanwhile.
      if (summary.state !== 'interrupted' || this.#wish === 'interrupt') return summary;
      if (summary.reasonCode === 'nothingDue' && this.#wish === 'run') return summary;
      // It had finished, and got seeds before its session had ended.
      if (this.#wish === 'run') {
        continues = folder;
        continue;
      }
      if (this.#wish !== 'pause') return setStatus(folder, crawl, 'stopped');
      await this.#untilWoken(folder, crawl);
      // Changed while it was paused.
      const wish = this.#wish as Wish;
      if (wish === 'interrupt') return summarize(folder);
      if (wish === 'stop') return setStatus(folder, crawl, 'stopped');
      await setStatus(folder, crawl, 'running');
      continues = folder;
    }
  }

  async #untilWoken(folder: string, crawl: string): Promise<void> {
    this.#isPaused = true;
    this.#ended.resolve(await setStatus(folder, crawl, 'paused'));
    await this.#woken.promise;
    this.#isPaused = false;
  }

  #onMessage(message: CrawlMessage): void {
    if (message.kind === 'begun') this.#begun.resolve(message);
    if (message.kind === 'progress') ({ progress: this.progress } = message);
    this.#listeners.onMessage(message);
  }
}

/** A promise whose rejection nobody has to handle. */
function silentResolvers<T>(): PromiseWithResolvers<T> {
  const made = Promise.withResolvers<T>();
  made.promise.catch(() => {});
  return made;
}

async function setStatus(
  folder: string,
  crawl: string,
  status: 'running' | 'paused' | 'stopped',
): Promise<CrawlSummary> {
  await withRegistry(folder, (registry) => registry.setStatus(crawl, status));
  return summarize(folder);
}

/** Before the crawl has reported any. */
function noProgress(): CrawlProgress {
  const now = systemClock.now();
  return {
    pages: 0,
    urls: 0,
    waiting: 0,
    hosts: 0,
    hostsActive: 0,
    hostsWaiting: 0,
    bytes: 0,
    errors: 0,
    cached: 0,
    requests: 0,
    startedAt: now,
    now,
    limits: {},
  };
}
