import { watchStatus } from '../../api/stack/watch-status.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import type { Control } from '../../shared/services/control/control.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { commandAt } from '../command-at.ts';
import { createDrawnLine, type LiveStream, renderParts, type TerminalEnvironment } from '../drawn-line.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { createRateMeter } from '../live-line.ts';
import type { Place } from '../place.ts';
import { createTroubleLines, type Trouble } from '../seed-lines.ts';
import { watchParts } from '../watch-line.ts';

export interface WatchOptions {
  /** Where the line goes. */
  readonly stream: LiveStream;
  readonly environment: TerminalEnvironment;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Aborted: the operator has seen enough. The crawl continues. */
  readonly signal: AbortSignal;
}

/** Shows the progress until the crawl ends or Ctrl-C is pressed, and prints its summary. */
export async function watchInPlace(crawl: CrawlId, place: Place): Promise<number> {
  const { err, environment, clock, signal } = place;
  const { summary } = await place.ask(crawl);
  const status = place.stack ? summary : await untilFolderIsFree(summary, crawl);
  const last = await watchCrawl({ status }, crawl, { stream: err, environment, clock, signal });
  if (last) {
    await place.printSummary(last, crawl, await place.accountsOf(last, crawl));
    return exitCodeOf(last);
  }
  err.write(
    `The crawl continues; watch it again with: ${commandAt(place.addressOf(crawl), 'status', '--watch')}\n`,
  );
  return exitCodes.interrupted;
}

async function untilFolderIsFree(summary: () => Promise<CrawlSummary>, folder: string) {
  const { isFolderInUse } = await import('../../shared/engines/local/lock.ts');
  return untilFree(summary, () => isFolderInUse(folder));
}

/** A crawl that was paused or stopped runs as long as its process stores what it has fetched: until then its figures grow. */
export const untilFree =
  (summary: () => Promise<CrawlSummary>, isInUse: () => boolean) => async (): Promise<CrawlSummary> => {
    const isHeld = isInUse();
    const found = await summary();
    return isHeld ? { ...found, state: 'running' } : found;
  };

/**
 * On a terminal the line is redrawn this often. A look costs reads of the crawl's totals, files and hosts.
 */
const LOOK_MS = 4000;
/** Where there is none, a line is printed so often, and whenever the state changes. */
const PRINT_MS = 30_000;
const LOOK_TO_PRINT_MS = 10_000;
const RATE_WINDOW_MS = 60_000;

/**
 * Shows how far the crawl is until it no longer runs: its last summary, or undefined where the signal came
 * first. Throws what keeps it from looking.
 */
export async function watchCrawl(
  control: Pick<Control, 'status'>,
  crawl: CrawlId,
  { stream, environment, clock, signal }: WatchOptions,
): Promise<CrawlSummary | undefined> {
  const line = createDrawnLine(stream, environment);
  const rates = createRateMeter(RATE_WINDOW_MS);
  const printHost = createTroubleLines(line.log, clock.now);
  let printedAt = -Infinity;
  let printedState: CrawlSummary['state'] | undefined;
  const pollMs = line.isLive ? LOOK_MS : LOOK_TO_PRINT_MS;
  const isOver = ({ state }: CrawlSummary) => state !== 'running';
  try {
    for await (const { summary, error } of watchStatus(control, crawl, { clock, signal, pollMs, isOver })) {
      if (!summary) {
        line.log(`${messageOf(error)}; looking again`);
        continue;
      }
      const now = clock.now();
      for (const trouble of hostTroubles(summary)) printHost(trouble);
      const parts = watchParts(summary, rates({ ...summary, now }));
      line.draw(parts);
      if (!line.isLive && (now - printedAt >= PRINT_MS || summary.state !== printedState)) {
        line.log(renderParts(parts, Infinity, false));
        printedAt = now;
        printedState = summary.state;
      }
      if (isOver(summary)) return summary;
    }
    return undefined;
  } finally {
    line.done();
  }
}

/** The hosts that fail, printed as a crawl on this machine prints its seeds. */
const hostTroubles = ({ failing, setAside }: CrawlSummary): Trouble[] => [
  ...failing.map(({ host, cause, causeCode = '', nextTryAt }) => ({
    name: host,
    words: cause,
    kind: causeCode,
    nextTryAt: Date.parse(nextTryAt),
  })),
  ...setAside.map(({ host, cause, causeCode = '' }) => ({
    name: host,
    words: cause,
    kind: causeCode,
    isGivenUp: true,
  })),
];
