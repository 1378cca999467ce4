/** The exports that the API makes of crawls in folders: in a thread for each crawl, so that the server answers meanwhile. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ownFile } from '../../../shared/core/base/own-file.ts';
import { Semaphore } from '../../../shared/core/base/semaphore.ts';
import { FolderInUse } from '../../../shared/core/crawl/crawl-errors.ts';
import { CRAWL_ID, type CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { threadOptions } from '../../../shared/crawler/media-thread/thread-options.ts';
import { FolderExportNotes } from '../../../shared/engines/local/exports/export-notes.ts';
import { refuseLinks } from '../../../shared/engines/local/folder-guard.ts';
import { foldersOf } from '../../../shared/engines/local/folders.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';
import { endThread } from '../../../shared/engines/watchdog/end-thread.ts';
import {
  type CrawlExport,
  type CrawlExports,
  type ExportRequest,
  isOpenExport,
} from '../../../shared/services/control/crawl-export.ts';
import { reviveError } from '../thread-error.ts';
import type { ExportThreadStart, FromExportThread } from './export-messages.ts';

/** Crawls of which exports are made at once. */
const MAX_THREADS = 2;
/** Another process makes exports of the crawl, or the thread has failed: the next try is after that time. */
const REST_MS = 5000;

interface Work {
  readonly ending: AbortController;
  readonly done: Promise<void>;
}

export class FolderExports implements CrawlExports {
  readonly #folder: string;
  readonly #onError: (error: unknown) => void;
  readonly #threads = new Semaphore(MAX_THREADS);
  readonly #work = new Map<CrawlId, Work>();
  /** Crawls with an export that was begun while there was work on the crawl, which may just have ended. */
  readonly #begun = new Set<CrawlId>();
  #isClosed = false;

  /** `folder`: that of the crawls' folders. */
  constructor(folder: string, onError: (error: unknown) => void) {
    this.#folder = folder;
    this.#onError = onError;
  }

  async begin(crawl: CrawlId, request: ExportRequest): Promise<CrawlExport> {
    refuseLinks(join(this.#folder, crawl));
    const begun = await this.#notesOf(crawl).begin(request);
    this.#start(crawl);
    return begun;
  }

  list(crawl: CrawlId): Promise<CrawlExport[]> {
    return this.#notesOf(crawl).list();
  }

  load(crawl: CrawlId, id: string): Promise<CrawlExport | undefined> {
    return this.#notesOf(crawl).load(id);
  }

  /** Continues the exports that an earlier process has left. */
  async continueAll(): Promise<void> {
    const entries = await readdir(this.#folder, { withFileTypes: true });
    for (const { name } of entries.filter((entry) => entry.isDirectory() && CRAWL_ID.test(entry.name)))
      try {
        if (await this.#hasOpen(name)) this.#start(name);
      } catch (error) {
        // The folder of one crawl keeps the server from no other.
        this.#onError(error);
      }
  }

  /** Ends the work on the crawl's exports, which can be continued. */
  async stop(crawl: CrawlId): Promise<void> {
    this.#begun.delete(crawl);
    const work = this.#work.get(crawl);
    work?.ending.abort();
    await work?.done;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#work.keys()].map((crawl) => this.stop(crawl)));
  }

  #notesOf(crawl: CrawlId): FolderExportNotes {
    return new FolderExportNotes(crawl, foldersOf(join(this.#folder, crawl)).exports, systemClock);
  }

  async #hasOpen(crawl: CrawlId): Promise<boolean> {
    return (await this.list(crawl)).some(({ state }) => isOpenExport(state));
  }

  #start(crawl: CrawlId): void {
    if (this.#isClosed) return;
    if (this.#work.has(crawl)) return void this.#begun.add(crawl);
    const ending = new AbortController();
    const done = this.#makeAll(crawl, ending.signal)
      .catch(this.#onError)
      .finally(() => {
        this.#work.delete(crawl);
        if (this.#begun.delete(crawl)) this.#start(crawl);
      });
    this.#work.set(crawl, { ending, done });
  }

  async #makeAll(crawl: CrawlId, signal: AbortSignal): Promise<void> {
    const release = await this.#threads.acquire(1, { signal });
    try {
      // An export may have been begun while the thread ended.
      for (let outcome = 'ended'; !signal.aborted && (await this.#hasOpen(crawl)); ) {
        if (outcome === 'failed') await systemClock.sleep(REST_MS, signal);
        if (!signal.aborted) outcome = await this.#runThread(crawl, signal);
      }
    } finally {
      release?.();
    }
  }

  async #runThread(crawl: CrawlId, signal: AbortSignal): Promise<'failed' | 'ended'> {
    const start: ExportThreadStart = { crawl, folder: join(this.#folder, crawl) };
    const thread = new Worker(ownFile('./export-thread', import.meta.url), {
      workerData: start,
      name: 'strand-export',
      ...threadOptions(process.env),
    });
    const end = () => void endThread(thread);
    signal.addEventListener('abort', end);
    let outcome: 'failed' | 'ended' = 'ended';
    const fail = (error: unknown) => {
      outcome = 'failed';
      if (!(error instanceof FolderInUse)) this.#onError(error);
    };
    thread.on('message', ({ failed }: FromExportThread) => fail(reviveError(failed)));
    thread.on('error', fail);
    await new Promise((resolve) => thread.once('exit', resolve));
    signal.removeEventListener('abort', end);
    return outcome;
  }
}
