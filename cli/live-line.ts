/** The one line that shows a running crawl on a terminal. */
import type { CrawlProgress } from '../api/crawl-events.ts';
import {
  createDrawnLine,
  type LiveStream,
  type Part,
  renderParts,
  type TerminalEnvironment,
} from './drawn-line.ts';
import { formatBytes, formatCount, formatCounted, formatDuration, formatRate } from './format.ts';

/** How far a crawl is, and how fast. */
export interface Progress
  extends Omit<CrawlProgress, 'requests' | 'limits' | 'cached'>,
    Partial<Pick<CrawlProgress, 'limits' | 'cached'>> {
  /** Over the last seconds, see {@link createRateMeter}; unknown at the start. */
  readonly pagesPerSecond?: number;
  readonly bytesPerSecond?: number;
}

export type Rates = Pick<Progress, 'pagesPerSecond' | 'bytesPerSecond'>;

/** An estimate beyond a thousand days is none. */
const MAX_LEFT_MS = 1000 * 86_400_000;

/** At most `columns` characters: from 40 columns on, pages and rate are always among the parts. */
export const renderLive = (progress: Progress, columns: number, colour: boolean): string =>
  renderParts(partsOf(progress), columns, colour);

/** In the order shown. */
function partsOf(progress: Progress): Part[] {
  const { pages, urls, waiting, hostsActive, hostsWaiting, bytes, errors, startedAt, now } = progress;
  const { cached = 0, hostsClosed = 0, hostsRefused = 0, pagesPerSecond } = progress;
  const left = timeLeftMs(progress);
  const parts: Part[] = [{ text: formatCounted(pages, 'page'), rank: 0, tone: 'bold' }];
  if (pagesPerSecond !== undefined) parts.push({ text: `${formatRate(pagesPerSecond)}/s`, rank: 1 });
  // Before the first host is known, seeds are on their way.
  parts.push({ text: urls === 0 ? 'starting' : `${formatCounted(waiting, 'URL')} waiting`, rank: 4 });
  if (urls > 0) parts.push({ text: `${formatCounted(hostsActive, 'host')} active`, rank: 6 });
  if (hostsWaiting > 0) parts.push({ text: `${formatCounted(hostsWaiting, 'host')} waiting`, rank: 8 });
  if (hostsClosed > 0) parts.push({ text: `${formatCount(hostsClosed)} until later`, rank: 8 });
  if (hostsRefused > 0)
    parts.push({ text: `${formatCounted(hostsRefused, 'host')} refused`, rank: 3, tone: 'yellow' });
  if (cached > 0) parts.push({ text: `${formatCount(cached)} from the cache`, rank: 5 });
  parts.push({ text: formatBytes(bytes), rank: 7 });
  if (errors > 0) parts.push({ text: formatCounted(errors, 'error'), rank: 3, tone: 'yellow' });
  parts.push({ text: formatDuration(wholeSeconds(now - startedAt)), rank: 2, tone: 'dim' });
  if (left !== undefined)
    parts.push({ text: `~${formatDuration(wholeSeconds(left))} left`, rank: 5, tone: 'dim' });
  return parts;
}

function wholeSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000) * 1000);
}

/** Until the first of the limits is reached at the present rates; undefined without a limit or a rate. */
function timeLeftMs({
  limits,
  now,
  pages,
  bytes,
  pagesPerSecond,
  bytesPerSecond,
}: Progress): number | undefined {
  const estimates: number[] = [];
  if (limits?.endsAt !== undefined) estimates.push(limits.endsAt - now);
  if (limits?.maxPages !== undefined && pagesPerSecond) {
    estimates.push(((limits.maxPages - pages) / pagesPerSecond) * 1000);
  }
  if (limits?.maxBytes !== undefined && bytesPerSecond) {
    estimates.push(((limits.maxBytes - bytes) / bytesPerSecond) * 1000);
  }
  const least = Math.min(...estimates);
  return least < MAX_LEFT_MS ? Math.max(0, least) : undefined;
}

/**
 * Rates over the last `windowMs`, from what was seen at each call; none before the second. Keeps 22 samples
 * at most. A clock that is set back starts again.
 */
export function createRateMeter(
  windowMs = 10_000,
): (seen: Pick<Progress, 'now' | 'pages' | 'bytes'>) => Rates {
  let samples: Pick<Progress, 'now' | 'pages' | 'bytes'>[] = [];
  return ({ now, pages, bytes }) => {
    if (now < (samples.at(-1)?.now ?? now)) samples = [];
    // The oldest one kept stands at the window's far edge or just beyond it.
    while (samples.length > 1 && samples[1]!.now <= now - windowMs) samples.shift();
    const oldest = samples[0];
    if (now - (samples.at(-1)?.now ?? -Infinity) >= windowMs / 20) samples.push({ now, pages, bytes });
    if (!oldest || now <= oldest.now) return {};
    const seconds = (now - oldest.now) / 1000;
    return {
      pagesPerSecond: Math.max(0, pages - oldest.pages) / seconds,
      bytesPerSecond: Math.max(0, bytes - oldest.bytes) / seconds,
    };
  };
}

export interface LiveLine {
  /**
   * Draws the line again, ten times a second at most by `progress.now`. Where there is no terminal, prints it
   * as a line of its own once a minute.
   */
  update(progress: Progress): void;
  /** Prints a line that stays, above the live one. A pipe gets it too. */
  log(line: string): void;
  /** Takes the live line away; later updates draw nothing. Safe to repeat. */
  done(): void;
}

const REDRAW_MS = 100;
const PRINT_MS = 60_000;

/** A live line at the end of `stream`, to which nothing else writes until `done`. */
export function createLiveLine(stream: LiveStream, environment: TerminalEnvironment): LiveLine {
  const line = createDrawnLine(stream, environment);
  const measure = createRateMeter();
  let drawnAt = -Infinity;
  let printedAt: number | undefined;
  return {
    update(progress) {
      if (Math.abs(progress.now - drawnAt) < REDRAW_MS) return;
      const parts = partsOf({ ...measure(progress), ...progress });
      drawnAt = progress.now;
      if (line.isLive) return line.draw(parts);
      printedAt ??= progress.now;
      if (progress.now - printedAt < PRINT_MS) return;
      printedAt = progress.now;
      line.log(renderParts(parts, Infinity, false));
    },
    log: line.log,
    done: line.done,
  };
}
