/**
 * Reads PDF and Office documents in a thread of their own, with limits of CPU time, memory and pages: no document
 * blocks the thread that crawls, one that hangs or takes too much memory ends its thread alone, and the text read of a
 * document does not depend on other load of the machine.
 */
import { messageOf } from '../../core/base/error-message.ts';
import { hostKey } from '../../core/url/host-key.ts';
import { domainOf } from '../../core/url/registrable-domain.ts';
import { type DocumentPlace, DocumentQueue } from './document-queue.ts';
import { DocumentThread, type ThreadAnswer } from './document-thread-handle.ts';
import type { DocumentTimes } from './document-times.ts';
import type { ReadAnswer, ReadJob } from './read-whole.ts';

export interface DocumentThreads {
  /**
   * `load` is called when a thread is free, so that no body waits in memory. Never rejects. Resolves within the times for waiting
   * and for reading.
   */
  read(job: Omit<ReadJob, 'body'>, load: () => Promise<Uint8Array>): Promise<ReadAnswer>;
  /** Ends the threads; documents that are being read are not. */
  close(): Promise<void>;
}

export interface DocumentThreadsOptions {
  readonly times: DocumentTimes;
  /** @default 1 */
  readonly threads?: number;
  /** Pages of a PDF that are read. @default 1000 */
  readonly pages?: number;
  /** Memory that a document may take, in MiB: of JavaScript, and twice as much outside of it. @default 256 */
  readonly memoryMb?: number;
}

/** CPU time that a document has, independent of other documents of its domain. */
const LEAST_CPU_MS = 1000;

/** Threads start when they are needed, and do not keep the process when they are not. */
export function createDocumentThreads(options: DocumentThreadsOptions): DocumentThreads {
  const { times, threads = 1, pages = 1000, memoryMb = 256 } = options;
  const queue = new DocumentQueue(threads);
  const idle: DocumentThread[] = [];
  const all = new Set<DocumentThread>();
  let isClosed = false;

  function take(): DocumentThread {
    for (let known = idle.pop(); known; known = idle.pop()) if (known.isUsable) return known;
    const thread = new DocumentThread({ pages, memoryMb }, () => {
      all.delete(thread);
      const at = idle.indexOf(thread);
      if (at >= 0) idle.splice(at, 1);
    });
    all.add(thread);
    return thread;
  }

  async function readIn(
    thread: DocumentThread,
    job: ReadJob,
    { share }: DocumentPlace,
  ): Promise<ThreadAnswer> {
    const answer = await thread.read(job, {
      cpuMs: Math.max(LEAST_CPU_MS, times.cpuMs * share),
      wallMs: times.wallMs,
    });
    if (thread.isUsable && !isClosed) idle.push(thread);
    else void thread.end();
    return answer;
  }

  async function readAt(
    place: DocumentPlace,
    job: Omit<ReadJob, 'body'>,
    load: () => Promise<Uint8Array>,
  ): Promise<ThreadAnswer> {
    if (isClosed) return CLOSED;
    try {
      const whole = { ...job, body: await load() };
      const answer = await readIn(take(), whole, place);
      // Perhaps by what an earlier document has left behind: a new thread knows.
      return answer.endedUsedThread && !isClosed ? await readIn(take(), whole, place) : answer;
    } catch (error) {
      return { fault: messageOf(error).slice(0, 300), usedMs: 0 };
    }
  }

  return {
    async read(job, load) {
      const place = await queue.acquire(domainOf(hostKey(job.url)), times.waitMs);
      if (place === undefined)
        return {
          fault: `other documents were being read for ${Math.round(times.waitMs / 1000)} s`,
          isLimit: true,
          wasBusy: 'waiting',
        };
      const { usedMs, endedUsedThread: _, ...answer } = await readAt(place, job, load);
      const metLimit = 'fault' in answer && answer.isLimit === true && !answer.wasBusy;
      place.release({ usedMs, metLimit });
      return answer;
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

const CLOSED = { fault: 'the reading of documents has ended', usedMs: 0 };
