/** The events of a world as text: of one host and the processes that touched it, or of all. */

import { printable, shorten } from '../../shared/core/text/printable.ts';
import { T0 } from '../models/virtual-time.ts';
import type { TimelineEntry, Violation } from './spec.ts';

export interface TimelineView {
  /** Whose; of all without it. */
  readonly host?: string;
  /** Each has a line of its own where it came, if that is known. */
  readonly violations: readonly Violation[];
  /** The maximal number of lines: those around the first violation, the first ones and the last ones. */
  readonly maxLines?: number;
}

const MAX_LINES = 160;
/** Lines that are shown from the beginning, and as many from the end. */
const EDGE = 15;
const MAX_PROCESS = 24;
/** Characters of a violation in its line; the whole text follows the timeline. */
const MAX_MARK = 100;

/** Lines. Equal for equal entries. */
export function timelineLines(entries: readonly TimelineEntry[], view: TimelineView): string[] {
  const { host, violations, maxLines = MAX_LINES } = view;
  const chosen = host === undefined ? entries : entriesOf(entries, host);
  const marks = violations
    .filter((violation) => violation.at !== undefined && (host === undefined || violation.host === host))
    .map((violation) => ({ at: violation.at as number, ...markOf(violation), isMark: true }));
  const rows = [...chosen.map((entry) => ({ ...entry, isMark: false })), ...marks];
  rows.sort((a, b) => a.at - b.at);
  if (rows.length === 0) return [];

  const timeWidth = formatAt(rows.at(-1)?.at ?? T0).length;
  const processWidth = Math.min(MAX_PROCESS, Math.max(...rows.map(({ process }) => process?.length ?? 0)));
  const lineOf = ({ at, process = '', host: whose, what, isMark }: (typeof rows)[number]): string => {
    const about = host === undefined && whose !== undefined && !what.includes(whose) ? `${whose}: ` : '';
    const columns = [formatAt(at).padStart(timeWidth), printable(process).padEnd(processWidth)];
    return `${isMark ? '>>' : '  '} ${columns.join('  ')}  ${printable(about + what)}`.trimEnd();
  };
  const first = rows.findIndex(({ isMark }) => isMark);
  return cut(rows, first, maxLines).map((row) =>
    typeof row === 'number'
      ? `   ${' '.repeat(timeWidth)}  ... ${row.toLocaleString('en-US')} more (--all shows them) ...`
      : lineOf(row),
  );
}

/**
 * Those that name the host; and of the processes that touched it, what concerns no other host. And the
 * world's own.
 */
function entriesOf(entries: readonly TimelineEntry[], host: string): readonly TimelineEntry[] {
  const touched = new Set<string>();
  for (const entry of entries) if (entry.host === host && entry.process) touched.add(entry.process);
  return entries.filter((entry) =>
    entry.host === undefined
      ? entry.process === undefined || touched.has(entry.process)
      : entry.host === host,
  );
}

const markOf = ({ invariant, message, host }: Violation) => ({
  process: undefined,
  host,
  what: shorten(`${invariant}: ${message}`, MAX_MARK),
});

/** A number represents this number of omitted rows. */
function cut<T>(rows: readonly T[], middle: number, most: number): (T | number)[] {
  if (rows.length <= most) return [...rows];
  const edge = Math.min(EDGE, Math.floor(most / 4));
  const window = most - 2 * edge;
  // Without a violation's place, the middle is the end: it shows what the world came to.
  const centre = middle < 0 ? rows.length : middle;
  const from = Math.min(Math.max(edge, centre - Math.floor(window * 0.75)), rows.length - edge - window);
  const until = from + window;
  return [
    ...rows.slice(0, edge),
    ...(from > edge ? [from - edge] : []),
    ...rows.slice(from, until),
    ...(until < rows.length - edge ? [rows.length - edge - until] : []),
    ...rows.slice(rows.length - edge),
  ];
}

/** `+1,234.567 s` since the world began. */
export function formatAt(at: number): string {
  const ms = at - T0;
  const [sign, size] = ms < 0 ? ['-', -ms] : ['+', ms];
  const seconds = Math.floor(size / 1000).toLocaleString('en-US');
  return `${sign}${seconds}.${String(size % 1000).padStart(3, '0')} s`;
}

/** Hosts that the entries name, the one with the most first. */
export function hostsOf(entries: readonly TimelineEntry[]): string[] {
  const counts = new Map<string, number>();
  for (const { host } of entries) if (host !== undefined) counts.set(host, (counts.get(host) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([host]) => host);
}
