import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportHeader, exportRow, urlText } from '../../cli/export-rows.ts';
import { URL_STATES } from '../../shared/core/frontier/url-record.ts';
import { URL_KINDS } from '../../shared/core/url/url-kind.ts';
import type { UrlRow } from '../../shared/services/report/url-detail.ts';
import { URL_ROW_COLUMNS } from '../../shared/services/report/url-line.ts';

const ROW: UrlRow = {
  url: 'https://example.org/?a=1,2',
  host: 'example.org',
  depth: 1,
  via: 'https://example.org/',
  status: 'fetched',
  httpStatus: 200,
  contentType: 'text/html; charset="utf-8"',
  digest: 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
  fetchedAt: '2026-01-02T03:04:05.000Z',
  warcFile: 'a.warc.gz',
  warcOffset: 0,
  warcLength: 1234,
  bodyBytes: 5000,
  tookMs: 120,
};

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('"', ',', '\r', '\n', '\r\n'), fc.string({ maxLength: 2 })),
});
const row = fc.record<UrlRow>(
  {
    url: text,
    host: text,
    depth: fc.nat(),
    via: text,
    status: fc.constantFrom(...URL_STATES),
    httpStatus: fc.nat(999),
    contentType: text,
    digest: text,
    fetchedAt: text,
    warcFile: text,
    warcOffset: fc.maxSafeNat(),
    warcLength: fc.nat(),
    kind: fc.constantFrom(...URL_KINDS),
    bodyBytes: fc.nat(),
    tookMs: fc.nat(),
    cause: text,
  },
  { requiredKeys: ['url', 'host', 'status'] },
);

/** Reads RFC 4180, and nothing looser. */
function readCsv(csv: string): string[][] {
  const rows: string[][] = [];
  let fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (field.lastIndex < csv.length) {
    const match = field.exec(csv);
    if (!match) throw new Error('no RFC 4180');
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') {
      rows.push(fields);
      fields = [];
    }
  }
  return rows;
}

test('a CSV row has quotes only where RFC 4180 wants them', () => {
  expect(exportHeader('csv')).toBe(
    'url,host,depth,via,status,httpStatus,contentType,digest,fetchedAt,warcFile,warcOffset,warcLength,' +
      'kind,bodyBytes,tookMs,cause,causeCode,duplicateOf,method,requestBody\r\n',
  );
  expect(exportRow(ROW, 'csv')).toBe(
    '"https://example.org/?a=1,2",example.org,1,https://example.org/,fetched,200,"text/html; charset=""utf-8""",' +
      'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ,2026-01-02T03:04:05.000Z,a.warc.gz,0,1234,,5000,120,,,,,\r\n',
  );
});

test('what is not known is empty in CSV and absent in JSON lines', () => {
  const known: UrlRow = { url: 'https://a.example/', host: 'a.example', depth: 0, status: 'waiting' };
  expect(exportRow(known, 'csv')).toBe('https://a.example/,a.example,0,,waiting,,,,,,,,,,,,,,,\r\n');
  expect(exportHeader('jsonl') + exportRow(known, 'jsonl')).toBe(
    '{"url":"https://a.example/","host":"a.example","depth":0,"status":"waiting"}\n',
  );
});

/** Without the apostrophe that is before a text which looks like a formula. */
const asText = (cell: string) => cell.replace(/^'(?=\ufeff?[=+\-@\s\uff0b\uff0d\uff1d\uff20])/, '');

test('any rows come back from CSV as they were', () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const csv = exportHeader('csv') + rows.map((each) => exportRow(each, 'csv')).join('');
      const expected = rows.map((each) =>
        URL_ROW_COLUMNS.map((column) => asText(String(each[column] ?? ''))),
      );
      expect(readCsv(csv).map((line) => line.map(asText))).toEqual([[...URL_ROW_COLUMNS], ...expected]);
    }),
  );
});

test('any row comes back from its one line of JSON as it was', () => {
  fc.assert(
    fc.property(row, (each) => {
      const line = exportRow(each, 'jsonl');
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(JSON.parse(line)).toEqual(each);
    }),
  );
});

test('a key that is no column is not exported', () => {
  expect(exportRow({ ...ROW, ...{ seenAt: 'x' } }, 'jsonl')).not.toContain('seenAt');
});

test('people read what happened to a URL', () => {
  expect(urlText({ ...ROW, cause: 'odd\x1b[2J', attempts: 2, seenAt: '2026-01-02T03:00:00.000Z' })).toBe(
    [
      'https://example.org/?a=1,2',
      '  Status   fetched, HTTP 200, odd\ufffd[2J',
      '  Host     example.org',
      '  Depth    1',
      '  Via      https://example.org/',
      '  Type     text/html; charset="utf-8"',
      '  Body     5 kB',
      '  Digest   sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
      '  Tries    2 times',
      '  Found    2026-01-02T03:00:00.000Z',
      '  Fetched  2026-01-02T03:04:05.000Z, in 120ms',
      '  WARC     a.warc.gz at 0, 1.23 kB',
    ].join('\n'),
  );
});
