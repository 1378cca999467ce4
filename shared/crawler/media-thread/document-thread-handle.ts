/** A thread that reads documents, as the thread that crawls sees it. */
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../core/base/error-message.ts';
import { ownFile } from '../../core/base/own-file.ts';
import type { DocumentThreadData, ThreadJob, ThreadMessage } from './document-thread.ts';
import type { DocumentTimes } from './document-times.ts';
import type { ReadAnswer, ReadJob } from './read-whole.ts';
import { threadOptions } from './thread-options.ts';
import { type ThreadUsage, usageOf } from './thread-usage.ts';

/** `usedMs`: what the document took, so far as it was measured. `endedUsedThread`: its thread, which had read others, ended. */
export type ThreadAnswer = ReadAnswer & { readonly usedMs: number; readonly endedUsedThread?: boolean };

export interface DocumentThreadOptions {
  /** Pages of a PDF that are read. */
  readonly pages: number;
  /** MiB of JavaScript memory that a document may take, and twice as much outside of it. */
  readonly memoryMb: number;
}

/** After this share of its time no further page of a document is begun: the pages read so far are kept. */
const SOFT_SHARE = 0.8;
/** A thread without a document ends, and frees 50 MB. */
const IDLE_MS = 10_000;
/** A thread is replaced after this number of documents. */
const MAX_DOCUMENTS = 500;
const CHECK_MS = 100;
const MIB = 1024 * 1024;

/** The document that a thread reads. */
interface Reading {
  readonly limits: Pick<DocumentTimes, 'cpuMs' | 'wallMs'>;
  readonly startedAt: number;
  /** The use of the thread when the reading began. Undefined: it has not yet. */
  begunAt?: ThreadUsage;
  usage?: ThreadUsage;
  readonly answer: (answer: ReadAnswer, endedThread?: boolean) => void;
}

/** Starts a thread. `onEnd`: called when it has ended. */
export class DocumentThread {
  readonly #worker: Worker;
  readonly #memoryMb: number;
  #documents = 0;
  #hasEnded = false;
  #isClean = true;
  #isMeasuring = false;
  #reading: Reading | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({ pages, memoryMb }: DocumentThreadOptions, onEnd: () => void) {
    this.#memoryMb = memoryMb;
    const workerData: DocumentThreadData = { pages };
    const worker = new Worker(threadFile(), {
      workerData,
      name: 'strand-documents',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      ...threadOptions({}),
      stdout: true,
      stderr: true,
    });
    this.#worker = worker;
    worker.on('message', (message: ThreadMessage) => {
      const reading = this.#reading;
      if (reading === undefined) return;
      if ('begunAt' in message) reading.begunAt = message.begunAt;
      else {
        reading.usage = message[1];
        reading.answer(message[0]);
      }
    });
    worker.on('error', (error) => this.#reading?.answer(faultOf(error, memoryMb), true));
    worker.on('exit', () => {
      this.#hasEnded = true;
      this.#reading?.answer({ fault: 'the thread that read it has ended' }, true);
      clearTimeout(this.#idleTimer);
      onEnd();
    });
    worker.unref();
  }

  /** The next document gets a fresh thread: it must not suffer from state that a damaged or large one has left. */
  get isUsable(): boolean {
    return !this.#hasEnded && this.#isClean && this.#documents < MAX_DOCUMENTS;
  }

  async read({ body, ...job }: ReadJob, limits: Reading['limits']): Promise<ThreadAnswer> {
    clearTimeout(this.#idleTimer);
    const wasUsed = this.#documents++ > 0;
    // A copy: the archive needs the bytes, too. A part of a larger buffer would be sent with all of that.
    const own = new Uint8Array(body);
    const { promise, resolve } = Promise.withResolvers<readonly [ReadAnswer, endedThread?: boolean]>();
    const answer: Reading['answer'] = (...given) => resolve(given);
    const reading: Reading = { limits, startedAt: performance.now(), answer };
    this.#reading = reading;
    this.#worker.ref();
    const watching = setInterval(() => void this.#check(reading), CHECK_MS);
    try {
      const soft = { cpuMs: limits.cpuMs * SOFT_SHARE, wallMs: limits.wallMs * SOFT_SHARE };
      this.#worker.postMessage({ ...job, body: own, ...soft } satisfies ThreadJob, [own.buffer]);
      const [given, endedThread] = await promise;
      this.#isClean = 'content' in given && given.content.cut === undefined;
      const { begunAt, usage = begunAt } = reading;
      // The start of a thread is the first document's.
      const usedMs = (usage?.busyMs ?? 0) - (wasUsed ? (begunAt?.busyMs ?? 0) : 0);
      return { ...given, usedMs, ...(endedThread && wasUsed && { endedUsedThread: true }) };
    } finally {
      this.#reading = undefined;
      clearInterval(watching);
      this.#worker.unref();
      this.#idleTimer = setTimeout(() => void this.end(), IDLE_MS).unref();
    }
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#worker.terminate();
  }

  /** Ends the thread if its document takes more than it may. */
  async #check(reading: Reading): Promise<void> {
    const { limits, startedAt } = reading;
    const { cpuMs, wallMs } = limits;
    if (performance.now() - startedAt >= wallMs)
      this.#giveUp(`the machine was busy, and reading it took more than ${inSeconds(wallMs)} s`, true);
    // The thread answers when it is interrupted, which a native function delays.
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    const usage = await usageOf(this.#worker);
    this.#isMeasuring = false;
    if (usage === undefined || this.#reading !== reading) return;
    reading.usage = usage;
    const { begunAt } = reading;
    if (begunAt === undefined) return;
    if (usage.busyMs - begunAt.busyMs >= cpuMs)
      this.#giveUp(`reading it took more than ${inSeconds(cpuMs)} s of CPU time`);
    else if (usage.externalBytes - begunAt.externalBytes > 2 * this.#memoryMb * MIB)
      this.#giveUp(`reading it took more than ${3 * this.#memoryMb} MiB of memory`);
  }

  #giveUp(fault: string, wasBusy = false): void {
    this.#reading?.answer({ fault, isLimit: true, ...(wasBusy && { wasBusy: 'reading' }) });
    void this.end();
  }
}

const inSeconds = (ms: number): number => Math.round(ms / 1000);

function faultOf(error: unknown, memoryMb: number): ReadAnswer {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
    return { fault: `reading it took more than ${memoryMb} MiB of memory`, isLimit: true };
  return { fault: `it is damaged: ${messageOf(error).slice(0, 300)}` };
}

/** Only in functions, which esbuild has bundled (`cdk/bundle-function.ts`): the thread is a file beside the function. */
declare const IS_BUNDLED: true | undefined;

const threadFile = (): URL =>
  typeof IS_BUNDLED === 'undefined'
    ? ownFile('./document-thread', import.meta.url)
    : new URL('./document-thread.mjs', import.meta.url);
