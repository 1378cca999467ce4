import { describe, expect, test } from 'vitest';
import { CAPTURE_COLUMNS, captureRow } from '../../../shared/services/outputs/parquet/capture-table.ts';

/** The columns of Common Crawl's flat index, in their order (cc-index-table, cc-index-schema-flat.json). */
const COMMON_CRAWL =
  'url_surtkey url url_host_name url_host_tld url_host_2nd_last_part url_host_3rd_last_part url_host_4th_last_part ' +
  'url_host_5th_last_part url_host_registry_suffix url_host_registered_domain url_host_private_suffix ' +
  'url_host_private_domain url_host_name_reversed url_protocol url_port url_path url_query fetch_time fetch_status ' +
  'fetch_redirect content_digest content_mime_type content_mime_detected content_charset content_languages ' +
  'content_truncated warc_filename warc_record_offset warc_record_length warc_segment';

interface Given {
  readonly url?: string;
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly fields?: readonly (readonly [string, string])[];
}

function rowOf({
  url = 'https://www.blog.example.co.uk/a?b=c',
  status = 200,
  headers = [],
  fields = [],
}: Given) {
  const record = {
    version: 'WARC/1.1',
    fields: [['WARC-Type', 'response'], ['WARC-Date', '2026-01-02T03:04:05.678Z'], ...fields].toReversed(),
    blockLength: 0,
  };
  const place = {
    surt: 'uk,co,example,blog)/a?b=c',
    url,
    digest: 'sha1:ABC',
    file: 'a.warc.gz',
    offset: 7,
    length: 9,
  };
  return captureRow(place, { record, httpStatus: status, headers } as never);
}

test('the types are those of Common Crawl, and a place that does not fit into them makes no row', () => {
  const types = CAPTURE_COLUMNS.slice(0, 30).map(({ name, type, isRequired }) => [name, type, isRequired]);
  const others = types.filter(([, type]) => type !== 'string').map(([name, type]) => `${name} ${type}`);
  expect(others).toEqual([
    'url_port int32',
    'fetch_time timestamp',
    'fetch_status int16',
    'warc_record_offset int32',
    'warc_record_length int32',
  ]);
  expect(types.filter(([, , isRequired]) => isRequired).map(([name]) => name)).toEqual(
    (
      'url_surtkey url url_host_name url_protocol url_path fetch_time fetch_status warc_filename warc_record_offset ' +
      'warc_record_length warc_segment'
    ).split(' '),
  );
  const place = { surt: 'a)/', url: 'http://a/', file: 'a', offset: 2 ** 31 - 10, length: 20 };
  const heads = { record: { fields: [['WARC-Date', '2026-01-02T03:04:05Z']] }, httpStatus: 200, headers: [] };
  expect(() => captureRow(place, heads as never)).toThrow('32 bits');
  expect(captureRow({ ...place, length: 9 }, heads as never)?.row.warc_record_offset).toBe(2 ** 31 - 10);
});

test('the first columns are those of Common Crawl, and each row has values for the required ones', () => {
  const names = CAPTURE_COLUMNS.map(({ name }) => name);
  expect(names.slice(0, 30).join(' ')).toBe(COMMON_CRAWL);
  for (const url of [
    'https://example.org/',
    'http://127.0.0.1:8080/x',
    'http://[::1]/',
    'http://localhost/',
  ]) {
    const { row } = rowOf({ url })!;
    for (const { name, isRequired } of CAPTURE_COLUMNS)
      if (isRequired) expect([name, row[name]]).not.toContain(undefined);
    expect(Object.keys(row).filter((name) => !names.includes(name))).toEqual([]);
  }
});

test('host, path and time are taken apart', () => {
  expect(rowOf({})!.row).toMatchObject({
    url_host_name: 'www.blog.example.co.uk',
    url_host_tld: 'uk',
    url_host_2nd_last_part: 'co',
    url_host_3rd_last_part: 'example',
    url_host_4th_last_part: 'blog',
    url_host_5th_last_part: 'www',
    url_host_registry_suffix: 'co.uk',
    url_host_registered_domain: 'example.co.uk',
    url_host_name_reversed: 'uk.co.example.blog.www',
    url_protocol: 'https',
    url_port: undefined,
    url_path: '/a',
    url_query: 'b=c',
    fetch_time: new Date('2026-01-02T03:04:05.678Z'),
    content_digest: 'ABC',
    warc_record_offset: 7,
  });
  expect(rowOf({ url: 'https://me.github.io/' })!.row).toMatchObject({
    url_host_registry_suffix: 'io',
    url_host_registered_domain: 'github.io',
    url_host_private_suffix: 'github.io',
    url_host_private_domain: 'me.github.io',
  });
  expect(rowOf({ url: 'http://127.0.0.1:81/' })!.row).toMatchObject({
    url_host_name: '127.0.0.1',
    url_port: 81,
  });
});

describe('the subset is', () => {
  test.each<[string, Given]>([
    ['warc', {}],
    ['robotstxt', { url: 'https://example.org/robots.txt', status: 404 }],
    ['crawldiagnostics', { status: 404 }],
    ['crawldiagnostics', { status: 301 }],
    ['crawldiagnostics', { fields: [['WARC-Type', 'revisit']] }],
  ])('%s for %j', (subset, given) => {
    expect(rowOf(given)!.subset).toBe(subset);
  });
});

test('what the response says is in its columns', () => {
  const headers = [
    ['Content-Type', 'Text/HTML; charset=latin1'],
    ['Location', '../x y'],
  ] as const;
  expect(rowOf({ status: 302, headers })!.row).toMatchObject({
    content_mime_type: 'text/html',
    content_charset: 'WINDOWS-1252',
    fetch_redirect: 'https://www.blog.example.co.uk/x%20y',
  });
  expect(rowOf({ headers })!.row.fetch_redirect).toBeUndefined();
  const fields = [
    ['WARC-Truncated', 'length'],
    ['WARC-Identified-Payload-Type', 'text/html'],
    ['WARC-IP-Address', '192.0.2.1'],
  ] as const;
  expect(rowOf({ fields })!.row).toMatchObject({
    content_truncated: 'length',
    content_mime_detected: 'text/html',
    ip_address: '192.0.2.1',
  });
  expect(rowOf({ headers: [['content-type', 'x; charset=nonsense']] })!.row.content_charset).toBeUndefined();
});

test('a record without a time or a host is left out', () => {
  expect(rowOf({ url: 'urn:x' })).toBeUndefined();
  expect(rowOf({ fields: [['WARC-Date', 'never']] })).toBeUndefined();
});
