/** How far many worlds are, while they run: a line drawn over itself on a terminal, else one now and then. */
import {
  createDrawnLine,
  type LiveStream,
  type Part,
  type TerminalEnvironment,
} from '../../cli/drawn-line.ts';
import { formatCount, formatCounted, formatDuration, formatRate } from '../../cli/format.ts';
import type { Tally } from './tally.ts';

const REDRAW_MS = 200;
const LINE_MS = 10_000;
/** Broken seeds that are named. */
const SEEDS_NAMED = 5;

export interface Progress {
  /** A line that stays. */
  log(line: string): void;
  done(): void;
}

export const NO_PROGRESS: Progress = { log() {}, done() {} };

/** When it ends: after this number of worlds, or after this time if there is one. */
export interface ProgressEnd {
  readonly worlds: number;
  readonly ms?: number | undefined;
}

/** Begins to show it, until `done`. */
export function startProgress(
  tallyNow: () => Tally,
  end: ProgressEnd,
  stream: LiveStream,
  environment: TerminalEnvironment,
): Progress {
  const line = createDrawnLine(stream, environment);
  const startedAt = performance.now();
  const timer = setInterval(
    () => {
      const parts = progressParts(tallyNow(), end, performance.now() - startedAt);
      if (line.isLive) line.draw(parts);
      else line.log(parts.map(({ text }) => text).join(', '));
    },
    line.isLive ? REDRAW_MS : LINE_MS,
  );
  return {
    log: line.log,
    done() {
      clearInterval(timer);
      line.done();
    },
  };
}

/** In the order shown. */
export function progressParts(tally: Tally, end: ProgressEnd, ms: number): Part[] {
  const { worlds, broken, pages, strikes } = tally;
  const total = end.worlds;
  const isCounted = Number.isFinite(total);
  const struck = Object.values(strikes).reduce((sum, count) => sum + count, 0);
  const parts: Part[] = [
    {
      text: isCounted
        ? `${formatCount(worlds)} of ${formatCounted(total, 'world')}`
        : formatCounted(worlds, 'world'),
      rank: 0,
      tone: 'bold',
    },
    {
      text:
        broken.length === 0
          ? 'all held'
          : `${formatCount(broken.length)} broken (${broken.slice(0, SEEDS_NAMED).map(({ spec }) => spec.seed)})`,
      rank: 1,
      tone: broken.length === 0 ? 'green' : 'red',
    },
    { text: `${formatRate((worlds / ms) * 1000)}/s`, rank: 2 },
    { text: formatCounted(pages, 'page'), rank: 6 },
    { text: formatCounted(struck, 'strike'), rank: 5 },
    { text: formatDuration(wholeSeconds(ms)), rank: 3, tone: 'dim' },
  ];
  const leftMs = end.ms === undefined ? ((total - worlds) * ms) / worlds : Math.max(0, end.ms - ms);
  if (worlds > 0 && worlds < total)
    parts.push({ text: `~${formatDuration(wholeSeconds(leftMs))} left`, rank: 4, tone: 'dim' });
  return parts;
}

const wholeSeconds = (ms: number): number => Math.ceil(ms / 1000) * 1000;
