/** The known URLs as a table: what `export --format jsonl` writes. */
import type { UrlRow } from '../../report/url-detail.ts';
import type { Column, Row } from './table.ts';

export const URL_COLUMNS: readonly Column[] = [
  { name: 'url', type: 'string', isRequired: true, isDistinct: true },
  { name: 'host', type: 'string', isRequired: true },
  { name: 'depth', type: 'int32' },
  { name: 'via', type: 'string' },
  { name: 'status', type: 'string', isRequired: true },
  { name: 'httpStatus', type: 'int16' },
  { name: 'contentType', type: 'string' },
  { name: 'digest', type: 'string', isDistinct: true },
  { name: 'fetchedAt', type: 'timestamp' },
  { name: 'warcFile', type: 'string' },
  { name: 'warcOffset', type: 'int64' },
  { name: 'warcLength', type: 'int64' },
  { name: 'kind', type: 'string' },
  { name: 'bodyBytes', type: 'int64' },
  { name: 'tookMs', type: 'int32' },
  { name: 'cause', type: 'string' },
  { name: 'causeCode', type: 'string' },
  { name: 'duplicateOf', type: 'string' },
  { name: 'method', type: 'string' },
  { name: 'requestBody', type: 'string', isDistinct: true },
];

export function urlTableRow(url: UrlRow): Row {
  return {
    ...(url as UrlRow & Row),
    fetchedAt: url.fetchedAt === undefined ? undefined : new Date(url.fetchedAt),
    warcOffset: big(url.warcOffset),
    warcLength: big(url.warcLength),
    bodyBytes: big(url.bodyBytes),
    tookMs: url.tookMs === undefined ? undefined : Math.round(url.tookMs),
  };
}

const big = (value: number | undefined): bigint | undefined =>
  value === undefined ? undefined : BigInt(value);
