/** What is known of a URL, as a line of an export and as text for people. */
import { printable } from '../shared/control/printable.ts';
import type { UrlDetail, UrlRow } from '../shared/control/url-detail.ts';
import type { UrlState } from '../shared/frontier/url-record.ts';
import { formatBytes, formatCounted } from './format.ts';
import type { ExportFormat } from './option-spec.ts';

/** The columns of the CSV export, and the order of the keys in JSON. */
export const EXPORT_COLUMNS = [
  'url',
  'host',
  'depth',
  'via',
  'status',
  'httpStatus',
  'contentType',
  'digest',
  'fetchedAt',
  'warcFile',
  'warcOffset',
  'warcLength',
] as const satisfies readonly (keyof UrlRow)[];

/** What comes before the first row: the column names in CSV, nothing in JSON lines. */
export function exportHeader(format: ExportFormat): string {
  return format === 'csv' ? csvLine(EXPORT_COLUMNS) : '';
}

/** The row as one line with its end. What is undefined is absent in JSON lines, empty in CSV. */
export function exportRow(row: UrlRow, format: ExportFormat): string {
  const values = EXPORT_COLUMNS.map((column) => row[column]);
  if (format === 'csv') return csvLine(values);
  return `${JSON.stringify(Object.fromEntries(EXPORT_COLUMNS.map((column, i) => [column, values[i]])))}\n`;
}

/** RFC 4180, section 2: CRLF, quotes around fields with a comma, quote or line break, quotes within them doubled. */
function csvLine(values: readonly (string | number | undefined)[]): string {
  const fields = values.map((value) => {
    const text = String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${fields.join(',')}\r\n`;
}

const STATUS_TEXTS: Readonly<Record<UrlState, string>> = {
  waiting: 'waits to be fetched',
  fetched: 'fetched',
  redirect: 'redirects',
  gone: 'gone',
  deniedByRobots: 'denied by robots.txt',
  skipped: 'skipped',
  failed: 'failed',
};

/** The answer to "what happened to this URL?": the URL, then a line for each thing known. */
export function urlText(row: UrlDetail): string {
  const { status, httpStatus, cause, attempts, depth, warcFile, warcOffset, warcLength } = row;
  const outcome = [STATUS_TEXTS[status], httpStatus && `HTTP ${httpStatus}`, cause]
    .filter(Boolean)
    .join(', ');
  const facts: [label: string, fact: string | undefined][] = [
    ['Status', outcome],
    ['Host', row.host],
    ['Depth', depth === undefined ? undefined : depth === 0 ? '0 (a seed)' : String(depth)],
    ['Via', row.via],
    ['Type', row.contentType],
    ['Digest', row.digest],
    ['Tries', attempts === undefined ? undefined : formatCounted(attempts, 'time')],
    ['Found', row.seenAt],
    ['Fetched', row.fetchedAt],
    ['Due', row.dueAt],
    ['WARC', warcFile && `${warcFile} at ${warcOffset ?? '?'}, ${formatBytes(warcLength ?? 0)}`],
  ];
  const lines = facts.flatMap(([label, fact]) => (fact ? [`  ${label.padEnd(9)}${printable(fact)}`] : []));
  return [printable(row.url), ...lines].join('\n');
}
