/** The visits of sites, for people. */

import type { SiteVisit } from '../shared/core/frontier/site-visit.ts';
import { printable, shorten } from '../shared/core/text/printable.ts';
import { SITE_STATES, type SiteEntry, type SiteFilter } from '../shared/services/report/site-entries.ts';
import { formatCount, formatCounted } from './format.ts';

const WORDS: Readonly<Record<string, string>> = { fewer: 'with fewer pages', waiting: 'not visited yet' };
const MAX_CAUSE = 80;

/** `4,981 of 5,000 visited in 24 h`, and the numbers of the states that an operator looks at. */
export function siteCountTexts(counts: Readonly<Record<string, number>>): string[] {
  const { count = 0, visited = 0 } = counts;
  const states = SITE_STATES.filter((state) => state !== 'done' && (counts[state] ?? 0) > 0);
  return [
    `${formatCount(visited)} of ${formatCount(count)} visited in 24 h`,
    ...states.map((state) => `${formatCount(counts[state] ?? 0)} ${WORDS[state] ?? state}`),
  ];
}

export function sitesHead(counts: Readonly<Record<string, number>>, filter: SiteFilter = {}): string {
  if (counts.count === undefined)
    return 'No sites: the crawl has no list of them. Give it one: --sites FILE, with crawl or resume';
  const only = [filter.group, filter.state].filter((word) => word !== undefined);
  return `Sites: ${siteCountTexts(counts).join(', ')}${only.length > 0 ? `. Only ${only.join(', ')}:` : ''}`;
}

export function siteLine(entry: SiteEntry, width: number): string {
  const name = shorten(printable(entry.host), 60).padEnd(width);
  const when = entry.endedAt === undefined ? '' : `  ${entry.endedAt.slice(0, 16).replace('T', ' ')}`;
  const group = entry.group === undefined ? '' : `  ${printable(entry.group)}`;
  return `${name}  ${entry.state.padEnd(7)}  ${siteFigures(entry)}${when}${group}`;
}

/** How a visit went, in figures: `12 pages instead of 240, 228 blocked (HTTP 403)`. */
function siteFigures(
  entry: Pick<SiteEntry, 'pages' | 'pagesBefore' | 'gone' | 'blocked' | 'failed' | 'movedTo' | 'cause'>,
): string {
  const { pages, pagesBefore, gone = 0, blocked = 0, failed = 0, movedTo, cause } = entry;
  const before =
    pagesBefore === undefined || pagesBefore === pages ? '' : ` instead of ${formatCount(pagesBefore)}`;
  const others = Object.entries({ gone, blocked, failed }).flatMap(([word, n]) =>
    n > 0 ? [`${formatCount(n)} ${word}`] : [],
  );
  const why = cause === undefined ? '' : ` (${shorten(printable(cause), MAX_CAUSE)})`;
  const to = movedTo === undefined ? '' : `, moved to ${printable(movedTo)}`;
  return `${[`${formatCounted(pages, 'page')}${before}`, ...others].join(', ')}${why}${to}`;
}

/** Sites that are named as it happens. The log of the crawl has all of them. */
const MAX_LINES = 20;

/** Prints a line for each site that is not simply done. */
export function createVisitLines(log: (line: string) => void): (visit: SiteVisit) => void {
  let lines = 0;
  return (visit) => {
    if (visit.outcome === 'done' || lines > MAX_LINES) return;
    lines++;
    log(
      lines > MAX_LINES
        ? 'More sites like these are in the log, and listed by: hosts --sites'
        : `${shorten(printable(visit.host), 60)}: ${visit.outcome}: ${siteFigures(visit)}`,
    );
  };
}
