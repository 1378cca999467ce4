/** A run of a crawl on this machine, from its opening to its summary, in any thread. */

import { messageOf } from '../../shared/core/base/error-message.ts';
import { version } from '../../shared/core/base/version.ts';
import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { boundMethods } from '../../shared/crawler/ports/bound-methods.ts';
import type { HookError } from '../../shared/crawler/ports/hook-error-log.ts';
import type { PageWork } from '../../shared/crawler/turn/page/page-work.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { openStateFile } from '../../shared/engines/local/items/state-store.ts';
import type { LocalSession } from '../../shared/engines/local/session/session.ts';
import { createInFlightTable } from '../../shared/engines/local/threads/in-flight-table.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { createCrawlState } from '../../shared/services/hooks/crawl-state.ts';
import { callOnFinish } from '../../shared/services/hooks/on-finish.ts';
import { hookErrorLine } from '../../shared/services/hooks/run-hook.ts';
import type { Project } from '../../shared/services/project/project-file.ts';
import { crawlAccounts } from '../../shared/services/report/crawl-accounts.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { createAccountWarnings } from './account-warnings.ts';
import { beginSession } from './begin-session.ts';
import type { CrawlMessage, LocalStart } from './messages.ts';
import { progressOf } from './progress.ts';
import { summarize } from './summarize.ts';

export interface CrawlRunOptions {
  readonly start: LocalStart;
  /** The crawl's folder, if this process has opened it before. */
  readonly continues?: string | undefined;
  /** For a watchdog. Absent: the thread is not watched. */
  readonly watched?: { readonly work: PageWork; readonly inFlight: Uint8Array };
  readonly project: () => Promise<Project>;
  readonly post: (message: CrawlMessage) => void;
  /** Aborted to stop the crawl: its turns commit what they have. */
  readonly signal: AbortSignal;
}

export interface CrawlRun {
  /** Resolves when the crawl is closed and `onFinish` was called. */
  toEnd(): Promise<void>;
  noteHookError(error: HookError, isNewPage: boolean): void;
}

const ACCOUNT_LOOK_MS = 1000;

export const createCrawlRun = (options: CrawlRunOptions): CrawlRun =>
  boundMethods<CrawlRun>(new SessionRun(options));

class SessionRun implements CrawlRun {
  readonly #options: CrawlRunOptions;
  #session: LocalSession | undefined;
  #requests = 0;

  constructor(options: CrawlRunOptions) {
    this.#options = options;
  }

  async toEnd(): Promise<void> {
    const project = await this.#options.project();
    const [folder, opened] = await this.#open(project);
    this.#session = opened;
    try {
      await this.#crawl(folder, opened, project);
    } catch (error) {
      // The first failure is the one that is reported.
      await opened.close().catch(() => {});
      throw error;
    } finally {
      this.#session = undefined;
    }
    const { engine, id } = opened;
    const accounts = await crawlAccounts(engine.jars, id, systemClock.now());
    await opened.close();
    const summary = await summarize(folder);
    this.#options.post({ kind: 'summary', summary, accounts, requests: this.#requests });
    await this.#sendWebhooks(folder, project, opened, summary);
    await this.#callOnFinish(folder, project, summary, opened.config.hookTimeoutMs);
  }

  noteHookError(error: HookError, isNewPage: boolean): void {
    const session = this.#session;
    if (isNewPage) session?.engine.hookErrors?.countLate(session.id);
    if (session?.engine.hookErrors?.note(session.id, error) === false) return;
    this.#warn(hookErrorLine(error));
  }

  #open(project: Project): ReturnType<typeof beginSession> {
    const { start, continues, watched } = this.#options;
    return beginSession(start, continues, project, {
      software: `Strand/${version}`,
      project,
      workers: start.workers,
      ...(start.proxies && { proxies: start.proxies }),
      warn: (line) => this.#warn(line),
      ...(watched && { watched: { work: watched.work, inFlight: createInFlightTable(watched.inFlight) } }),
    });
  }

  async #crawl(folder: string, session: LocalSession, project: Project): Promise<void> {
    const { start, watched, post, signal } = this.#options;
    const { engine, id, config, run } = session;
    const progress = await progressOf(engine, id, config);
    const lookAtAccounts = this.#createAccountLook(session, project);
    const inFlight = watched?.inFlight ?? new Uint8Array();
    const projectFile = project.file;
    post({
      kind: 'begun',
      folder,
      crawl: id,
      config,
      inFlight,
      ...(projectFile !== undefined && { projectFile }),
    });
    await this.#warnWithoutHooks(session, project);
    const feed = await this.#startFeed(folder, session, project);
    let announced = Promise.resolve();
    await run({
      signal,
      once: start.once,
      onProgress: (stats) => {
        this.#requests = stats.requests;
        lookAtAccounts();
        // A registry that cannot be read stops the crawl by itself.
        void progress(stats).then(
          (seen) => post({ kind: 'progress', progress: seen }),
          () => {},
        );
      },
      onSeed: (event) => post({ kind: 'seed', event }),
      onSite: (visit) => post({ kind: 'site', visit }),
      onEvent: start.reportsEvents ? (event) => post({ kind: 'event', event }) : undefined,
      onClockStep: (ms) => post({ kind: 'clockStep', ms }),
      onLate: (line) => post({ kind: 'warning', line }),
      onFirstPass: () => {
        announced = this.#announceFirstPass(folder, session, project).catch((error) =>
          this.#warn(`webhook: ${messageOf(error)}`),
        );
      },
      onError: (error, where) => post({ kind: 'retried', where, cause: messageOf(error) }),
    });
    await Promise.all([feed?.end(), announced]);
    post({ kind: 'closing', blockTimeoutMs: config.blockTimeoutMs });
  }

  /** Returns what looks now and then whether an account cannot sign in, and says so: its host may wait for hours. */
  #createAccountLook({ engine, id }: LocalSession, { accounts = [] }: Project): () => void {
    if (accounts.length === 0) return () => {};
    const report = createAccountWarnings((line) => this.#warn(line));
    let lookedAt = 0;
    return () => {
      const now = systemClock.now();
      // The machine's clock may be set back.
      if (Math.abs(now - lookedAt) < ACCOUNT_LOOK_MS) return;
      lookedAt = now;
      // A store that cannot be read stops the crawl by itself.
      void crawlAccounts(engine.jars, id, now).then(report, () => {});
    };
  }

  /** `resume` finds the project's file in the folder that it is called in alone, and would go on without items. */
  async #warnWithoutHooks({ engine, id }: LocalSession, { onPage, router }: Project): Promise<void> {
    const { start, continues } = this.#options;
    const isFirst = start.kind === 'resume' && continues === undefined;
    if (!isFirst || onPage !== undefined || (router?.length ?? 0) > 0) return;
    const { pages = 0 } = (await engine.registry.totals(id)).hooks ?? {};
    if (pages > 0)
      this.#warn(
        'Hooks were called for pages of this crawl before, and now there are none: for further items, name the file of the project (--config FILE)',
      );
  }

  async #callOnFinish(
    folder: string,
    project: Project,
    summary: CrawlSummary,
    limitMs: number,
  ): Promise<void> {
    const ended = this.#options.watched?.work.beginHook();
    const store = openStateFile(foldersOf(folder).state);
    const fault = await callOnFinish(project, summary, createCrawlState(store), {
      clock: systemClock,
      limitMs,
    });
    store.close();
    ended?.();
    if (fault !== undefined) this.#warn(fault);
  }

  /** Begins to send changes, visits of sites and refusals, if there is something to send or somebody to send it to. */
  async #startFeed(
    folder: string,
    { id: crawl, config, engine }: LocalSession,
    { webhook: target }: Project,
  ): Promise<{ readonly end: () => Promise<void> } | undefined> {
    if (!config.changeFeed && target === undefined) return undefined;
    if (config.changeFeed && !isRecrawling(config))
      this.#warn('--change-feed reports nothing: the crawl fetches no page again');
    if (target === undefined) {
      this.#warn('--change-feed: the project has no webhook, and changes are kept until a session has one');
      return undefined;
    }
    const { startFeed } = await import('./change-feed.ts');
    const { signal } = this.#options;
    const tempFolder = foldersOf(folder).temporary;
    const session = { target, crawl, config, tempFolder, clock: systemClock, signal };
    return startFeed(session, { outbox: engine.outbox, warn: (line) => this.#warn(line) });
  }

  /** Again in the next session if it is not received. */
  async #announceFirstPass(
    folder: string,
    { id: crawl, config, engine }: LocalSession,
    { webhook: target }: Project,
  ): Promise<void> {
    if (target === undefined) return;
    const { sendFirstPass } = await import('./crawl-webhooks.ts');
    const tempFolder = foldersOf(folder).temporary;
    const { signal } = this.#options;
    const session = { target, crawl, config, tempFolder, clock: systemClock, signal };
    const fault = await sendFirstPass(session, engine.registry);
    if (fault !== undefined) this.#warn(fault);
  }

  async #sendWebhooks(
    folder: string,
    { webhook: target }: Project,
    { id: crawl, config }: LocalSession,
    summary: CrawlSummary,
  ): Promise<void> {
    const { signal } = this.#options;
    if (target === undefined || signal.aborted) return;
    const { sendWebhooks } = await import('./crawl-webhooks.ts');
    const tempFolder = foldersOf(folder).temporary;
    const session = { target, crawl, config, tempFolder, clock: systemClock, signal };
    const fault = await sendWebhooks(session, summary);
    if (fault !== undefined) this.#warn(fault);
  }

  #warn(line: string): void {
    this.#options.post({ kind: 'warning', line });
  }
}
