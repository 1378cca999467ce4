/**
 * Pages on several threads. A thread that a page blocks, or kills, is replaced, and the page is reported to
 * have failed.
 */

import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../shared/core/base/error-message.ts';
import { ownFile } from '../../../shared/core/base/own-file.ts';
import { printable } from '../../../shared/core/text/printable.ts';
import { pageUrl } from '../../../shared/core/url/request-url.ts';
import { threadOptions } from '../../../shared/crawler/media-thread/thread-options.ts';
import { endThread } from '../../../shared/engines/watchdog/end-thread.ts';
import { watchThread } from '../../../shared/engines/watchdog/watch-thread.ts';
import { readSlot, slotMemory } from '../../../shared/engines/watchdog/work-slot.ts';
import { printLines } from '../print-lines.ts';
import { reviveError } from '../thread-error.ts';
import type { ArchivedPage } from './archived-pages.ts';
import type { FromProcessThread, ProcessThreadStart } from './messages.ts';
import type { PageOutcome } from './process-page.ts';

/** Pages sent to a thread together. */
const BATCH = 16;

/** Yields the result of each page, in the order in which threads are done with them. */
export async function* processInThreads(
  pages: AsyncIterable<ArchivedPage>,
  start: Omit<ProcessThreadStart, 'slot'>,
  workers: number,
): AsyncGenerator<PageOutcome, void, undefined> {
  const source = pages[Symbol.asyncIterator]();
  let taking: Promise<readonly ArchivedPage[]> = Promise.resolve([]);
  const takeBatch = () => {
    taking = taking.then(() => batchOf(source));
    return taking;
  };
  const ready: PageOutcome[] = [];
  let changed = Promise.withResolvers<void>();
  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const stopping = new AbortController();
  let running = workers;
  let failure: { readonly error: unknown } | undefined;

  async function work(): Promise<void> {
    let thread: ProcessThread | undefined;
    try {
      for (let batch = await takeBatch(); batch.length > 0; batch = await takeBatch()) {
        for (let rest = batch; rest.length > 0 && !stopping.signal.aborted; ) {
          thread ??= startThread(start);
          let done = 0;
          const cause = await thread.process(rest, stopping.signal, (outcome) => {
            done++;
            ready.push(outcome);
            wake();
          });
          rest = rest.slice(done);
          const [page] = rest;
          if (cause === undefined || page === undefined) continue;
          // The page at which it stood is to blame.
          await thread.end();
          thread = undefined;
          ready.push(failedPage(page, cause));
          rest = rest.slice(1);
          wake();
        }
        // Takes at most what fits into the reader's buffer.
        while (ready.length > workers * BATCH * 4 && !stopping.signal.aborted) await changed.promise;
      }
    } finally {
      await thread?.end();
    }
  }

  for (let i = 0; i < workers; i++)
    void work()
      .catch((error: unknown) => {
        failure ??= { error };
        stopping.abort();
      })
      .finally(() => {
        running--;
        wake();
      });

  try {
    for (;;) {
      const outcome = ready.shift();
      if (outcome !== undefined) {
        yield outcome;
        wake();
      } else if (failure) throw failure.error;
      else if (running === 0) return;
      else await changed.promise;
    }
  } finally {
    stopping.abort();
    wake();
    while (running > 0) await changed.promise;
    await source.return?.(undefined);
  }
}

function failedPage(page: ArchivedPage, cause: string): PageOutcome {
  const url = pageUrl(page.url);
  return { url, items: [], requests: 0, error: { source: 'onPage', url, message: cause } };
}

async function batchOf(source: AsyncIterator<ArchivedPage>): Promise<readonly ArchivedPage[]> {
  const batch: ArchivedPage[] = [];
  while (batch.length < BATCH) {
    const { done, value } = await source.next();
    if (done) break;
    batch.push(value);
  }
  return batch;
}

interface ProcessThread {
  /**
   * Resolves when all pages are processed; or to the reason why the thread cannot continue: end it then.
   */
  process(
    pages: readonly ArchivedPage[],
    signal: AbortSignal,
    onOutcome: (outcome: PageOutcome) => void,
  ): Promise<string | undefined>;
  end(): Promise<void>;
}

function startThread(start: Omit<ProcessThreadStart, 'slot'>): ProcessThread {
  const slot = slotMemory();
  const thread = new Worker(ownFile('./process-thread', import.meta.url), {
    workerData: { ...start, slot },
    name: 'strand-process',
    ...threadOptions(process.env),
    stdout: true,
    stderr: true,
  });
  const printing = [thread.stdout, thread.stderr].map((stream) =>
    printLines(stream, (line) => void process.stderr.write(`${printable(line)}\n`)),
  );
  const watch = watchThread(thread, readSlot(slot));
  let death: string | undefined;
  thread.on('error', (error) => {
    death ??= `its thread died: ${messageOf(error)}`;
  });
  return {
    process(pages, signal, onOutcome) {
      const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
      let left = pages.length;
      const onMessage = (message: FromProcessThread) => {
        if (message.kind === 'failed') return reject(reviveError(message));
        // Until then the thread loads what it needs, which may take as long as it likes.
        watch.limit({ limitMs: start.config.blockTimeoutMs });
        onOutcome(message.outcome);
        if (--left === 0) resolve(undefined);
      };
      const onExit = (code: number) => {
        const block = watch.block();
        const blocked = block && `blocked its thread for ${Math.round(block.blockedMs / 1000)} s`;
        resolve(blocked ?? death ?? `its thread ended with code ${code}`);
      };
      const onAbort = () => resolve('the work was ended');
      thread.on('message', onMessage).on('exit', onExit);
      signal.addEventListener('abort', onAbort);
      thread.postMessage({ pages });
      return promise.finally(() => {
        thread.off('message', onMessage).off('exit', onExit);
        signal.removeEventListener('abort', onAbort);
      });
    },
    async end() {
      watch.end();
      await endThread(thread);
      await Promise.all(printing);
    },
  };
}
