import { expect, test } from 'vitest';
import { URL_COLUMNS, urlTableRow } from '../../../shared/services/outputs/parquet/url-table.ts';
import { URL_ROW_COLUMNS } from '../../../shared/services/report/url-line.ts';

test('the table has the columns of the other exports of URLs', () => {
  expect(URL_COLUMNS.map(({ name }) => name)).toEqual(URL_ROW_COLUMNS);
});

test('a value that is not known is left out, times and sizes have their types', () => {
  const waiting = { url: 'https://example.org/', host: 'example.org', status: 'waiting' } as const;
  const { fetchedAt, warcOffset, tookMs } = urlTableRow(waiting);
  expect([fetchedAt, warcOffset, tookMs]).toEqual([undefined, undefined, undefined]);
  const fetched = {
    ...waiting,
    fetchedAt: '2026-01-02T03:04:05.006Z',
    warcOffset: 5_000_000_000,
    tookMs: 1.4,
  };
  expect(urlTableRow(fetched)).toMatchObject({
    fetchedAt: new Date('2026-01-02T03:04:05.006Z'),
    warcOffset: 5_000_000_000n,
    tookMs: 1,
  });
});
