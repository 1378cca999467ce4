/** Runs a thread that crawls, and watches it. Loads nothing of what crawls. */

import { Worker } from 'node:worker_threads';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { ownFile } from '../../shared/core/base/own-file.ts';
import { threadOptions } from '../../shared/crawler/media-thread/thread-options.ts';
import type { PageTask } from '../../shared/crawler/turn/page/page-work.ts';
import type { Block } from '../../shared/engines/watchdog/block-watch.ts';
import { watchThread } from '../../shared/engines/watchdog/watch-thread.ts';
import { readSlot, slotMemory } from '../../shared/engines/watchdog/work-slot.ts';
import type { CrawlMessage, CrawlThreadStart, FromCrawlThread } from './messages.ts';
import { printLines } from './print-lines.ts';
import { reviveError } from './thread-error.ts';

/** How a thread ended. */
export type CrawlThreadEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: Error }
  /** It was ended, because it was blocked. */
  | ({ readonly kind: 'blocked' } & Block)
  /** Its heap was full; `task`: what it was doing. */
  | { readonly kind: 'died'; readonly cause: string; readonly task?: PageTask };

export interface CrawlThreadOptions {
  readonly start: Omit<CrawlThreadStart, 'slot'>;
  /** Called with all messages but the last one. */
  readonly onMessage: (message: CrawlMessage) => void;
  /** Takes a line that the project's code has printed. */
  readonly print: (line: string) => void;
  /** Aborted to stop the crawl: its turns commit what they have. */
  readonly signal: AbortSignal;
}

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** Resolves when the thread has ended and all its messages and output were handled. */
export async function runCrawlThread({
  start,
  onMessage,
  print,
  signal,
}: CrawlThreadOptions): Promise<CrawlThreadEnd> {
  const slot = slotMemory();
  const workerData: CrawlThreadStart = { ...start, slot };
  const thread = new Worker(ownFile('./thread', import.meta.url), {
    workerData,
    name: 'strand-crawl',
    ...threadOptions(process.env),
    stdout: true,
    stderr: true,
  });
  const reader = readSlot(slot);
  const watch = watchThread(thread, reader);
  let lastWord: CrawlThreadEnd | undefined;

  /** To open and to close a crawl may take as long as it likes. */
  function limitBy(message: CrawlMessage): void {
    if (message.kind === 'begun') watch.limit({ limitMs: message.config.blockTimeoutMs });
    else if (message.kind === 'closing')
      watch.limit({ limitMs: message.blockTimeoutMs, unknownLimitMs: Infinity });
  }

  thread.on('message', (message: FromCrawlThread) => {
    if (message.kind === 'ended') lastWord = { kind: 'ended' };
    else if (message.kind === 'failed') lastWord ??= { kind: 'failed', error: reviveError(message) };
    else {
      limitBy(message);
      onMessage(message);
    }
  });
  thread.on('error', (error: NodeJS.ErrnoException) => {
    lastWord ??=
      error.code === OUT_OF_MEMORY
        ? { kind: 'died', cause: messageOf(error), task: reader.task() }
        : { kind: 'failed', error };
  });
  const stop = () => thread.postMessage({ kind: 'stop' });
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();

  const printing = [thread.stdout, thread.stderr].map((stream) => printLines(stream, print));
  const code = await new Promise<number>((resolve) => thread.on('exit', resolve));
  watch.end();
  signal.removeEventListener('abort', stop);
  await Promise.all(printing);
  // A result that it sent before it was ended counts: it may have been a moment from its end.
  if (lastWord) return lastWord;
  const block = watch.block();
  if (block) return { kind: 'blocked', ...block };
  return { kind: 'failed', error: new Error(`The crawl's thread ended with code ${code}`) };
}
