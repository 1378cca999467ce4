/** `strand crawl` and `strand resume`. */

import { blockText } from '../../shared/engines/watchdog/block-watch.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import { StorageFailed } from '../../shared/storage-failed.ts';
import { printable } from '../../shared/text/printable.ts';
import type { Begun, CrawlCommand, FromCrawlThread, ThreadError } from '../crawl-thread/messages.ts';
import { type CrawlThreadEnd, runCrawlThread } from '../crawl-thread/run-thread.ts';
import { terminalOf } from '../drawn-line.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { createLiveLine } from '../live-line.ts';
import { summaryJson, summaryText } from '../summary.ts';

/** A thread that is ended so often in a row, and no request is committed meanwhile, would always be. */
const MAX_DEATHS = 10;

/**
 * Crawls in a thread of its own, and watches it: a page that blocks it goes to quarantine, and another thread goes on
 * with the crawl. So signals and limits take effect whatever a page does.
 */
export async function crawl(command: CrawlCommand): Promise<number> {
  const { json, quiet } = command;
  const live = createLiveLine(quiet ? { write: () => true } : process.stderr, process.env);
  const warn = (line: string) => (quiet ? process.stderr.write(`${printable(line)}\n`) : live.log(line));
  let begun: Begun | undefined;
  let summary: CrawlSummary | undefined;
  const stopping = listenForSignals(() => begun !== undefined);

  function hear(message: FromCrawlThread): void {
    switch (message.kind) {
      case 'begun':
        begun = message;
        break;
      case 'progress':
        live.update(message.progress);
        break;
      case 'log':
        live.log(message.line);
        break;
      case 'warning':
        warn(message.line);
        break;
      case 'summary':
        live.done();
        ({ summary } = message);
        show(summary, begun?.folder ?? '');
    }
  }

  function show(shown: CrawlSummary, dir: string): void {
    const { colour } = terminalOf(process.stdout, process.env);
    const text = json ? summaryJson(shown) : summaryText(shown, colour, { dir, config: command.config });
    process.stdout.write(`${text}\n`);
  }

  try {
    for (let deaths = 0, requests = -1; ; ) {
      const start = { command, folder: begun?.folder };
      const end = await runCrawlThread({ start, hear, print: warn, signal: stopping.signal });
      if (end.kind === 'failed') throw asError(end.error);
      if (end.kind === 'ended') break;
      if (begun === undefined) throw new Error(`The crawl could not begin: ${causeOf(end)}`);
      if (summary) {
        warn(`strand: onFinish: ${causeOf(end)}`);
        break;
      }
      live.log(causeOf(end));
      const left = await takeStock(begun, end);
      if (stopping.signal.aborted) {
        live.done();
        summary = await summaryAfter(begun.folder);
        show(summary, begun.folder);
        break;
      }
      deaths = left > requests ? 1 : deaths + 1;
      requests = left;
      if (deaths >= MAX_DEATHS)
        throw new Error(
          `The crawl was begun again ${deaths} times in a row, and nothing came of it: ${causeOf(end)}`,
        );
    }
  } finally {
    live.done();
    stopping.end();
  }
  return summary ? exitCodeOf(summary) : exitCodes.unexpected;
}

type Unfinished = Exclude<CrawlThreadEnd, { kind: 'ended' | 'failed' }>;

/** Puts what has ended the thread into quarantine, or under suspicion. Returns the requests that the crawl has committed. */
async function takeStock({ folder, crawl, board }: Begun, end: Unfinished): Promise<number> {
  // Loaded only here: SQLite and all that stands on it.
  const { recover } = await import('../../shared/engines/local/recover.ts');
  return recover(folder, crawl, { ...end, board });
}

const causeOf = (end: Unfinished): string =>
  end.kind === 'died' ? `its thread died: ${end.cause}` : blockText(end);

async function summaryAfter(folder: string): Promise<CrawlSummary> {
  return (await import('./summarize.ts')).summarize(folder);
}

/** Its name tells refusals from bugs. */
const asError = ({ name, message, stack }: ThreadError): Error =>
  name === 'StorageFailed' ? new StorageFailed(message) : Object.assign(new Error(message), { name, stack });

/**
 * SIGINT, SIGTERM and SIGHUP end the turns, which commit what they have; a second one ends the process at once, as does
 * the first one while there is nothing to commit.
 */
function listenForSignals(isBegun: () => boolean) {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted || !isBegun()) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: controller.signal,
    end() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
