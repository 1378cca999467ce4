/** The known facts of a URL as a line of an export, and other rows. */
import { csvLine } from '../../core/text/csv.ts';
import type { UrlRow } from './url-detail.ts';

/** The columns of an export as CSV, and the order of the keys in JSON. */
export const URL_ROW_COLUMNS = [
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
  'kind',
  'bodyBytes',
  'tookMs',
  'cause',
  'causeCode',
  'duplicateOf',
  'method',
  'requestBody',
] as const satisfies readonly (keyof UrlRow)[];

/** The columns of a row, in their order, as one line with its end. What is undefined is absent. */
export const jsonLine = <Column extends string>(
  row: Readonly<Partial<Record<Column, string | number>>>,
  columns: readonly Column[],
): string => `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])))}\n`;

/** JSON lines, and CSV with a header. */
export const ROW_FORMATS = ['jsonl', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** The text before the first row: the column names in CSV, nothing in JSON lines. */
export const rowHeader = (columns: readonly string[], format: RowFormat): string =>
  format === 'csv' ? csvLine(columns) : '';

/** The columns of a row, in their order, as one line with its end. What is undefined is absent in JSON lines, empty in CSV. */
export const rowLine = <Column extends string>(
  row: Readonly<Partial<Record<Column, string | number>>>,
  columns: readonly Column[],
  format: RowFormat,
): string => (format === 'csv' ? csvLine(columns.map((column) => row[column])) : jsonLine(row, columns));
