/** The known facts of a URL, as a line of an export and as text for people. */

import type { UrlState } from '../shared/core/frontier/url-record.ts';
import { printable } from '../shared/core/text/printable.ts';
import type { UrlDetail, UrlRow } from '../shared/services/report/url-detail.ts';
import { type RowFormat, rowHeader, rowLine, URL_ROW_COLUMNS } from '../shared/services/report/url-line.ts';
import { type CrawlPlace, commandAt } from './command-at.ts';
import { formatBytes, formatCounted, formatDuration } from './format.ts';

/** Returns the text before the first row: the column names in CSV, nothing in JSON lines. */
export const exportHeader = (format: RowFormat): string => rowHeader(URL_ROW_COLUMNS, format);

/** The row as one line with its end. What is undefined is absent in JSON lines, empty in CSV. */
export const exportRow = (row: UrlRow, format: RowFormat): string => rowLine(row, URL_ROW_COLUMNS, format);

const STATUS_TEXTS: Readonly<Record<UrlState, string>> = {
  waiting: 'waits to be fetched',
  fetched: 'fetched',
  redirect: 'redirects',
  gone: 'gone',
  deniedByRobots: 'denied by robots.txt',
  skipped: 'skipped',
  failed: 'failed',
};

/** `failed, HTTP 500`: the outcome of the URL, and the reason. */
export function statusText({ status, httpStatus, cause, hostGivenUp, hostFailing }: UrlDetail): string {
  if (hostGivenUp !== undefined) return `waits, but its host was given up: ${hostGivenUp}`;
  if (hostFailing !== undefined) return `waits for its host, of which the last try failed: ${hostFailing}`;
  return [STATUS_TEXTS[status], httpStatus && `HTTP ${httpStatus}`, cause].filter(Boolean).join(', ');
}

/**
 * The answer to "what happened to this URL?": the URL, then a line for each thing known. `place` is where the
 * crawl is kept, to name the command that tries a host again.
 */
export function urlText(row: UrlDetail, place?: CrawlPlace): string {
  const { attempts, depth, bodyBytes, warcFile, warcOffset, warcLength } = row;
  const facts: [label: string, fact: string | undefined][] = [
    ['Status', statusText(row)],
    ['Host', row.host],
    ['Depth', depth === undefined ? undefined : depth === 0 ? '0 (a seed)' : String(depth)],
    ['Via', row.via],
    ['Kind', row.kind],
    ['Type', row.contentType],
    ['Body', bodyBytes === undefined ? undefined : formatBytes(bodyBytes)],
    ['Digest', row.digest],
    ['Copies', copiesText(row)],
    ['Tries', attempts === undefined ? undefined : formatCounted(attempts, 'time')],
    ['Rendering', row.rendering],
    ['Found', row.seenAt],
    ['Fetched', fetchedText(row)],
    ['Changed', row.changedAt && row.lastChange && `${row.changedAt} (${row.lastChange})`],
    ['Due', row.dueAt],
    ['Next', nextText(row, place)],
    ['WARC', warcFile && `${warcFile} at ${warcOffset ?? '?'}, ${formatBytes(warcLength ?? 0)}`],
  ];
  const lines = facts.flatMap(([label, fact]) => (fact ? [`  ${label.padEnd(9)}${printable(fact)}`] : []));
  return [printable(row.url), ...lines].join('\n');
}

/** `3 pages with nearly the same text: URL, URL and 1 more`. */
function copiesText({ copies, copyCount = 0 }: UrlDetail): string | undefined {
  if (!copies) return undefined;
  const shown = copies.slice(0, MAX_COPIES).map(({ url }) => url);
  const rest = copyCount - shown.length;
  const text = `${formatCounted(copyCount, 'page')} with nearly the same text: ${shown.join(', ')}`;
  return rest > 0 ? `${text} and ${rest} more` : text;
}

const MAX_COPIES = 5;

function nextText({ hostGivenUp, hostNextTryAt }: UrlDetail, place?: CrawlPlace): string | undefined {
  if (hostGivenUp !== undefined && place) return `try the host again by ${commandAt(place, 'resume')}`;
  return hostNextTryAt && `its host is tried again at ${hostNextTryAt}`;
}

function fetchedText({ fetchedAt, tookMs }: UrlDetail): string | undefined {
  return fetchedAt && tookMs !== undefined ? `${fetchedAt}, in ${formatDuration(tookMs)}` : fetchedAt;
}
