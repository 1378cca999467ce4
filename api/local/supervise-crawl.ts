/** Runs a crawl of this machine to its end, whatever ends its thread. Loads no code of the crawler. */

import { blockText } from '../../shared/engines/watchdog/block-watch.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { Begun, CrawlMessage, LocalStart } from './messages.ts';
import { type CrawlThreadEnd, runCrawlThread } from './run-thread.ts';

/** A thread that ends so often in a row, while no request is committed, would always end. */
const MAX_DEATHS = 10;

export interface SupervisedCrawl {
  readonly start: LocalStart;
  /** The crawl's folder, if this process has opened it before. */
  readonly continues?: string | undefined;
  readonly onMessage: (message: CrawlMessage) => void;
  /** Aborted to stop the crawl: its turns commit what they have. */
  readonly signal: AbortSignal;
}

/**
 * Crawls in a thread of its own, and watches it: a page that blocks the thread goes to quarantine, and
 * another thread continues the crawl. So signals and limits take effect whatever a page does.
 */
export async function superviseCrawl({
  start,
  continues,
  onMessage,
  signal,
}: SupervisedCrawl): Promise<CrawlSummary> {
  let begun: Begun | undefined;
  let summary: CrawlSummary | undefined;
  const print = (line: string) => onMessage({ kind: 'warning', line });
  const listen = (message: CrawlMessage) => {
    if (message.kind === 'begun') begun = message;
    if (message.kind === 'summary') ({ summary } = message);
    onMessage(message);
  };
  for (let deaths = 0, requests = -1; ; ) {
    const thread = { start, continues: begun?.folder ?? continues };
    const end = await runCrawlThread({ start: thread, onMessage: listen, print, signal });
    if (end.kind === 'failed') throw end.error;
    if (end.kind === 'ended') break;
    if (begun === undefined) throw new Error(`The crawl could not begin: ${causeOf(end)}`);
    if (summary) {
      print(`onFinish: ${causeOf(end)}`);
      break;
    }
    onMessage({ kind: 'retried', cause: causeOf(end) });
    const committed = await takeStock(begun, end);
    if (signal.aborted) {
      const { summarize } = await import('./summarize.ts');
      const ended = await summarize(begun.folder);
      listen({ kind: 'summary', summary: ended, accounts: [], requests: committed });
      break;
    }
    deaths = committed > requests ? 1 : deaths + 1;
    requests = committed;
    if (deaths >= MAX_DEATHS)
      throw new Error(`The crawl was restarted ${deaths} times in a row without progress: ${causeOf(end)}`);
  }
  if (summary === undefined) throw new Error('The crawl ended without a summary');
  return summary;
}

type Unfinished = Exclude<CrawlThreadEnd, { kind: 'ended' | 'failed' }>;

/**
 * Puts what ended the thread into quarantine, or under suspicion. Returns how many requests the crawl has
 * committed.
 */
async function takeStock({ folder, crawl, inFlight }: Begun, end: Unfinished): Promise<number> {
  // Loaded only here: SQLite and all that stands on it.
  const { recover } = await import('../../shared/engines/local/session/recover.ts');
  return recover(folder, crawl, { ...end, inFlight });
}

const causeOf = (end: Unfinished): string =>
  end.kind === 'died' ? `its thread died: ${end.cause}` : blockText(end);
