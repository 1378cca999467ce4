/** A crawl on this machine, run by one session after the other: each pause ends one. */

import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import { createRegistry } from '../../shared/engines/local/registry.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import type { CrawlProgress } from '../crawl-events.ts';
import type { RunningCrawl } from '../running-crawl.ts';
import { addSeeds } from './add-seeds.ts';
import { createListeners } from './listeners.ts';
import type { Begun, CrawlMessage } from './messages.ts';
import { summarize } from './summarize.ts';

export interface Session {
  /** The crawl's folder, if an earlier session has opened it. */
  readonly continues?: string | undefined;
  readonly hear: (message: CrawlMessage) => void;
  readonly signal: AbortSignal;
}

/** What the caller wants of the crawl. `interrupt`: as `stop`, and its status stays as it is. */
type Wish = 'run' | 'pause' | 'stop' | 'interrupt';

/** Begins the first session, and resolves when it has opened the crawl. Rejects if it cannot. */
export async function runningCrawl(
  signal: AbortSignal | undefined,
  runSession: (session: Session) => Promise<void>,
): Promise<RunningCrawl> {
  signal?.throwIfAborted();
  const listeners = createListeners();
  const begun = Promise.withResolvers<Begun>();
  let wish: Wish = 'run';
  let session = new AbortController();
  /** Resolves when a session has ended: in a pause, or for good. */
  let ended = unheardOf<CrawlSummary>();
  /** Resolves when a paused crawl is to go on or to end. */
  let woken = Promise.withResolvers<void>();
  let isPaused = false;
  let progress: CrawlProgress | undefined;

  function hear(message: CrawlMessage): void {
    if (message.kind === 'begun') begun.resolve(message);
    if (message.kind === 'progress') ({ progress } = message);
    listeners.hear(message);
  }

  function want(next: Wish): void {
    wish = next;
    session.abort();
    if (next !== 'pause') woken.resolve();
  }

  async function run(): Promise<CrawlSummary> {
    for (let continues: string | undefined; ; ) {
      await runSession({ continues, hear, signal: session.signal });
      const { folder, crawl } = await begun.promise;
      const summary = await summarize(folder);
      // It may have ended by itself meanwhile.
      if (summary.state !== 'interrupted' || wish === 'interrupt') return summary;
      if (wish !== 'pause') return setStatus(folder, crawl, 'stopped');
      isPaused = true;
      ended.resolve(await setStatus(folder, crawl, 'paused'));
      await woken.promise;
      isPaused = false;
      // `want` has changed it meanwhile.
      if ((wish as Wish) === 'interrupt') return summarize(folder);
      if ((wish as Wish) === 'stop') return setStatus(folder, crawl, 'stopped');
      await setStatus(folder, crawl, 'running');
      continues = folder;
    }
  }

  const interrupt = () => want('interrupt');
  signal?.addEventListener('abort', interrupt, { once: true });
  const outcome = run().finally(() => signal?.removeEventListener('abort', interrupt));
  const done = outcome.then((summary) => summary);
  outcome.then(
    (summary) => {
      listeners.finish(summary);
      ended.resolve(summary);
    },
    (error: unknown) => {
      begun.reject(error);
      listeners.fail(error);
      ended.reject(error);
    },
  );
  const { folder, crawl } = await begun.promise.catch((error: unknown) => {
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
      return listeners.add(options);
    },
    progress: () => progress ?? noProgress(),
    async pause() {
      if (wish === 'run') {
        woken = Promise.withResolvers();
        want('pause');
      }
      return ended.promise;
    },
    async resume() {
      if (wish !== 'pause') return;
      await ended.promise;
      if (!isPaused) return;
      wish = 'run';
      session = new AbortController();
      ended = unheardOf();
      woken.resolve();
    },
    async stop() {
      if (wish === 'run' || wish === 'pause') want('stop');
      return done;
    },
    addSeeds: (seeds) => addSeeds(folder, seeds, systemClock),
  };
}

/** A promise whose rejection nobody has to handle. */
function unheardOf<T>(): PromiseWithResolvers<T> {
  const made = Promise.withResolvers<T>();
  made.promise.catch(() => {});
  return made;
}

async function setStatus(
  folder: string,
  crawl: string,
  status: 'running' | 'paused' | 'stopped',
): Promise<CrawlSummary> {
  const database = openDatabase(foldersOf(folder).database, 'write');
  try {
    await createRegistry(database, () => true).setStatus(crawl, status);
  } finally {
    database.close();
  }
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
    requests: 0,
    startedAt: now,
    now,
    limits: {},
  };
}
