/** The known facts of a URL as a line of JSON, which exports have. */
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
] as const satisfies readonly (keyof UrlRow)[];

/** The columns of a row, in their order, as one line with its end. What is undefined is absent. */
export const jsonLine = <Column extends string>(
  row: Readonly<Partial<Record<Column, string | number>>>,
  columns: readonly Column[],
): string => `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])))}\n`;

export const urlLine = (row: UrlRow): string => jsonLine(row, URL_ROW_COLUMNS);
