/**
 * Reads PDF and Office documents in a thread of their own, with limits of time, memory and pages: no document blocks the
 * thread that crawls, and one that hangs or takes too much memory ends its thread alone.
 */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../error-message.ts';
import { ownFile } from '../own-file.ts';
import { Semaphore } from '../semaphore.ts';
import type { DocumentThreadData } from './document-thread.ts';
import type { ReadAnswer, ReadJob } from './read-whole.ts';

export interface DocumentThreads {
  /** `load` is called when a thread is free, so that no body waits in memory. Never rejects. Resolves within `limitMs`. */
  read(job: Omit<ReadJob, 'body'>, load: () => Promise<Uint8Array>): Promise<ReadAnswer>;
  /** Ends the threads; documents that are being read are not. */
  close(): Promise<void>;
}

export interface DocumentThreadsOptions {
  /** For a document: to wait for a thread, and to be read. */
  readonly limitMs: number;
  /** @default 1 */
  readonly threads?: number;
  /** Pages of a PDF that are read. @default 1000 */
  readonly pages?: number;
  /** Memory that a document may take, in MiB: of JavaScript, and twice as much outside of it. @default 256 */
  readonly memoryMb?: number;
}

/** The share of its time for which a document may wait for others. */
const WAIT_SHARE = 0.4;
/** After this share of the rest no further page is begun: what was read until then is kept. */
const SOFT_SHARE = 0.8;
/** A thread without a document ends, and frees 50 MB. */
const IDLE_MS = 10_000;
/** A thread is replaced after this number of documents. */
const MAX_DOCUMENTS = 500;
const CHECK_MS = 100;
const MIB = 1024 * 1024;

/** Threads start when they are needed, and do not keep the process when they are not. */
export function createDocumentThreads(options: DocumentThreadsOptions): DocumentThreads {
  const { limitMs, threads = 1 } = options;
  const waitMs = limitMs * WAIT_SHARE;
  const places = new Semaphore(threads);
  const idle: DocumentThread[] = [];
  const all = new Set<DocumentThread>();
  let isClosed = false;

  function take(): DocumentThread {
    const known = idle.pop();
    if (known !== undefined) return known;
    const thread = new DocumentThread(options, () => {
      all.delete(thread);
      const at = idle.indexOf(thread);
      if (at >= 0) idle.splice(at, 1);
    });
    all.add(thread);
    return thread;
  }

  return {
    async read(job, load) {
      const release =
        places.tryAcquire() ?? (await places.acquire(1, { deadline: { clock: timers, ms: waitMs } }));
      if (release === undefined)
        return { fault: `other documents were being read for ${Math.round(waitMs / 1000)} s`, isLimit: true };
      if (isClosed) return { fault: 'the reading of documents has ended' };
      let thread: DocumentThread | undefined;
      try {
        const body = await load();
        thread = take();
        return await thread.read({ ...job, body });
      } catch (error) {
        return { fault: messageOf(error).slice(0, 300) };
      } finally {
        if (thread?.isUsable && !isClosed) idle.push(thread);
        else void thread?.end();
        release();
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

const timers = {
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** One thread and the document that it reads. */
class DocumentThread {
  readonly #worker: Worker;
  readonly #limitMs: number;
  readonly #memoryMb: number;
  #documents = 0;
  #hasEnded = false;
  #answer: ((answer: ReadAnswer) => void) | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({ limitMs, pages = 1000, memoryMb = 256 }: DocumentThreadsOptions, onEnd: () => void) {
    this.#limitMs = limitMs * (1 - WAIT_SHARE);
    this.#memoryMb = memoryMb;
    const workerData: DocumentThreadData = { pages, softLimitMs: this.#limitMs * SOFT_SHARE };
    const worker = new Worker(threadFile(), {
      workerData,
      name: 'strand-documents',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      env: environment(),
      stdout: true,
      stderr: true,
    });
    this.#worker = worker;
    worker.on('message', (answer: ReadAnswer) => this.#give(answer));
    worker.on('error', (error) => this.#give(faultOf(error, memoryMb)));
    worker.on('exit', () => {
      this.#hasEnded = true;
      this.#give({ fault: 'the thread that read it has ended' });
      clearTimeout(this.#idleTimer);
      onEnd();
    });
    worker.unref();
  }

  get isUsable(): boolean {
    return !this.#hasEnded && this.#documents < MAX_DOCUMENTS;
  }

  async read({ body, ...job }: ReadJob): Promise<ReadAnswer> {
    clearTimeout(this.#idleTimer);
    this.#documents++;
    // A copy: the archive needs the bytes, too. A part of a larger buffer would be sent with all of that.
    const own = new Uint8Array(body);
    const { promise, resolve } = Promise.withResolvers<ReadAnswer>();
    this.#answer = resolve;
    this.#worker.ref();
    const stopWatch = this.#watch();
    try {
      this.#worker.postMessage({ ...job, body: own }, [own.buffer]);
      return await promise;
    } finally {
      stopWatch();
      this.#worker.unref();
      this.#idleTimer = setTimeout(() => void this.end(), IDLE_MS).unref();
    }
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#worker.terminate();
  }

  #give(answer: ReadAnswer): void {
    this.#answer?.(answer);
    this.#answer = undefined;
  }

  /**
   * V8 limits what the objects of the thread take, and not what their array buffers take outside of its heap, into which pdf.js
   * inflates. Of that, only the process as a whole can be measured.
   */
  #watch(): () => void {
    const startedAt = performance.now();
    const before = process.memoryUsage.rss();
    const maxGrowth = 3 * this.#memoryMb * MIB;
    const watching = setInterval(() => {
      if (performance.now() - startedAt >= this.#limitMs)
        this.#giveUp(`reading it took more than ${Math.round(this.#limitMs / 1000)} s`);
      else if (process.memoryUsage.rss() - before > maxGrowth)
        this.#giveUp(`reading it took more than ${3 * this.#memoryMb} MiB of memory`);
    }, CHECK_MS);
    return () => clearInterval(watching);
  }

  #giveUp(fault: string): void {
    this.#give({ fault, isLimit: true });
    void this.end();
  }
}

function faultOf(error: unknown, memoryMb: number): ReadAnswer {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
    return { fault: `reading it took more than ${memoryMb} MiB of memory`, isLimit: true };
  return { fault: `it is damaged: ${messageOf(error).slice(0, 300)}` };
}

/** No secrets; and the cache of compiled code, which a thread would not have by itself. */
function environment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}

/** Only in functions, which esbuild has bundled (`cdk/bundle-function.ts`): the thread is a file beside the function. */
declare const IS_BUNDLED: true | undefined;

const threadFile = (): URL =>
  typeof IS_BUNDLED === 'undefined'
    ? ownFile('./document-thread', import.meta.url)
    : new URL('./document-thread.mjs', import.meta.url);
