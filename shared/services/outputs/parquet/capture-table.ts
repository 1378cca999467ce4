/**
 * The index of captures as a table: the columns of Common Crawl's URL index, by the same names and in the same
 * order (cc-index-table, `cc-index-schema-flat.json`), then Strand's own.
 */
import { parse } from 'tldts';
import type { ResponseHeads } from '../../../core/archive/read-heads.ts';
import { charsetParameter, essenceOf } from '../../../core/parser/media-type.ts';
import { fieldReference } from '../../../core/url/field-reference.ts';
import type { Column, Row } from './table.ts';

const required = (name: string, type: Column['type'] = 'string'): Column => ({
  name,
  type,
  isRequired: true,
});
const optional = (name: string, type: Column['type'] = 'string'): Column => ({ name, type });
const distinct = (column: Column): Column => ({ ...column, isDistinct: true });
const scattered = (column: Column): Column => ({ ...column, isScattered: true });

export const CAPTURE_COLUMNS: readonly Column[] = [
  required('url_surtkey'),
  distinct(required('url')),
  required('url_host_name'),
  optional('url_host_tld'),
  optional('url_host_2nd_last_part'),
  optional('url_host_3rd_last_part'),
  optional('url_host_4th_last_part'),
  optional('url_host_5th_last_part'),
  optional('url_host_registry_suffix'),
  optional('url_host_registered_domain'),
  optional('url_host_private_suffix'),
  optional('url_host_private_domain'),
  optional('url_host_name_reversed'),
  scattered(required('url_protocol')),
  optional('url_port', 'int32'),
  distinct(required('url_path')),
  distinct(optional('url_query')),
  required('fetch_time', 'timestamp'),
  required('fetch_status', 'int16'),
  scattered(optional('fetch_redirect')),
  distinct(optional('content_digest')),
  scattered(optional('content_mime_type')),
  scattered(optional('content_mime_detected')),
  scattered(optional('content_charset')),
  scattered(optional('content_languages')),
  scattered(optional('content_truncated')),
  required('warc_filename'),
  required('warc_record_offset', 'int32'),
  required('warc_record_length', 'int32'),
  scattered(required('warc_segment')),
  scattered(required('warc_type')),
  scattered(optional('warc_refers_to_uri')),
  optional('warc_refers_to_date', 'timestamp'),
  scattered(optional('ip_address')),
];

/**
 * Common Crawl's partitions: `warc` for pages that were fetched, `robotstxt`, and `crawldiagnostics` for captures
 * without content: redirects, errors, revisits.
 */
export const SUBSETS = ['warc', 'crawldiagnostics', 'robotstxt'] as const;
export type Subset = (typeof SUBSETS)[number];

/** A capture in an index. */
export interface CapturePlace {
  readonly surt: string;
  readonly url: string;
  /** Payload digest: `sha1:` and Base32. */
  readonly digest?: string;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

const SHA1 = 'sha1:';

/** Strand's files have no segments as Common Crawl's have. */
const SEGMENT = '0';

/** Offsets in Common Crawl's index have 32 bits. */
const MAX_INT32 = 2 ** 31 - 1;

/** The values in the heads of a record that its row is made of. */
export interface RowHeads extends Pick<ResponseHeads, 'httpStatus' | 'headers'> {
  readonly record: Pick<ResponseHeads['record'], 'fields'>;
}

/** The fields of a record that its row has, by their names in lower case, and what they are called here. */
const FIELDS = {
  'warc-date': 'date',
  'warc-type': 'type',
  'warc-truncated': 'truncated',
  'warc-identified-payload-type': 'identified',
  'warc-refers-to-target-uri': 'refersToUri',
  'warc-refers-to-date': 'refersToDate',
  'warc-ip-address': 'address',
} as const;
type FieldName = keyof typeof FIELDS;
type FieldValues = { [Name in FieldName as (typeof FIELDS)[Name]]: string | undefined };

/** Few names are as long as one of these, so that few are made lower case. */
const FIELD_LENGTHS: ReadonlySet<number> = new Set(Object.keys(FIELDS).map(({ length }) => length));

function fieldOf(given: string): (typeof FIELDS)[FieldName] | undefined {
  if (!FIELD_LENGTHS.has(given.length)) return undefined;
  const name = given.toLowerCase();
  return Object.hasOwn(FIELDS, name) ? FIELDS[name as FieldName] : undefined;
}

/** Longer values are left out: as many of them as a compressed file holds would take gigabytes. */
const MAX_VALUE_CHARS = { 'content-type': 1024, location: 8192 };
type HeaderName = keyof typeof MAX_VALUE_CHARS;
const HEADERS = Object.keys(MAX_VALUE_CHARS) as HeaderName[];

/** Returns what {@link captureRow} needs of the heads: mostly some hundred characters, 20,000 at most. */
export function rowHeads({ record, httpStatus, headers }: RowHeads): RowHeads {
  return {
    record: { fields: record.fields.filter(([name]) => fieldOf(name) !== undefined) },
    httpStatus,
    headers: HEADERS.flatMap((name) => {
      const value = headerOf(headers, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  };
}

/** The last one of that name, if it is not too long. */
function headerOf(headers: RowHeads['headers'], wanted: HeaderName): string | undefined {
  const isWanted = (name: string) => name.length === wanted.length && name.toLowerCase() === wanted;
  const value = headers.findLast(([name]) => isWanted(name))?.[1];
  return value !== undefined && value.length <= MAX_VALUE_CHARS[wanted] ? value : undefined;
}

/** The first value of each field that a row has. */
function valuesOf(fields: RowHeads['record']['fields']): FieldValues {
  const values: FieldValues = {
    ...{ date: undefined, type: undefined, truncated: undefined, identified: undefined },
    ...{ refersToUri: undefined, refersToDate: undefined, address: undefined },
  };
  for (const [given, value] of fields) {
    const name = fieldOf(given);
    if (name !== undefined) values[name] ??= value;
  }
  return values;
}

/** Returns undefined if the URL has no host. Throws `RangeError` if the record ends beyond 2 GiB of its file. */
export function captureRow(
  place: CapturePlace,
  { record, httpStatus, headers }: RowHeads,
): { readonly subset: Subset; readonly row: Row } | undefined {
  if (place.offset + place.length > MAX_INT32)
    throw new RangeError(
      'Expected the record in the first 2 GiB of its file: the index has 32 bits for offsets',
    );
  const url = URL.parse(place.url);
  const fields = valuesOf(record.fields);
  const date = dateOf(fields.date);
  if (!url || url.hostname === '' || date === undefined) return undefined;
  const contentType = headerOf(headers, 'content-type');
  const isRevisit = fields.type === 'revisit';
  const host = hostColumnsOf(url.hostname);
  const type = mediaTypeOf(contentType);
  // Each by itself: a spread within an object takes as long as all the rest of the row.
  const row: Row = {
    url_surtkey: place.surt,
    url: place.url,
    url_host_name: url.hostname,
    url_host_tld: host.url_host_tld,
    url_host_2nd_last_part: host.url_host_2nd_last_part,
    url_host_3rd_last_part: host.url_host_3rd_last_part,
    url_host_4th_last_part: host.url_host_4th_last_part,
    url_host_5th_last_part: host.url_host_5th_last_part,
    url_host_registry_suffix: host.url_host_registry_suffix,
    url_host_registered_domain: host.url_host_registered_domain,
    url_host_private_suffix: host.url_host_private_suffix,
    url_host_private_domain: host.url_host_private_domain,
    url_host_name_reversed: host.url_host_name_reversed,
    url_protocol: url.protocol.slice(0, -1),
    url_port: url.port === '' ? undefined : Number(url.port),
    url_path: url.pathname,
    url_query: url.search === '' ? undefined : url.search.slice(1),
    fetch_time: date,
    fetch_status: httpStatus,
    fetch_redirect: redirectOf(httpStatus, headerOf(headers, 'location'), url),
    content_digest: place.digest?.startsWith(SHA1) ? place.digest.slice(SHA1.length) : place.digest,
    content_mime_type: type.essence,
    content_mime_detected: fields.identified,
    content_charset: type.charset,
    // A revisit is cut by its nature, not for a limit.
    content_truncated: isRevisit ? undefined : fields.truncated,
    warc_filename: place.file,
    warc_record_offset: place.offset,
    warc_record_length: place.length,
    warc_segment: SEGMENT,
    warc_type: isRevisit ? 'revisit' : 'response',
    warc_refers_to_uri: fields.refersToUri,
    warc_refers_to_date: dateOf(fields.refersToDate),
    ip_address: fields.address,
  };
  if (url.pathname === '/robots.txt') return { subset: 'robotstxt', row };
  return { subset: httpStatus === 200 && !isRevisit ? 'warc' : 'crawldiagnostics', row };
}

/** As above, remembering the last result: an index is sorted by hosts, and most pages of a site have one media type. */
function withLast<Key, Result>(make: (key: Key) => Result): (key: Key) => Result {
  let last: { readonly key: Key; readonly result: Result } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, result: make(key) };
    return last.result;
  };
}

const hostColumnsOf = withLast(hostColumns);
const mediaTypeOf = withLast((contentType: string | undefined) => ({
  essence: essenceOf(contentType),
  charset: charsetName(charsetParameter(contentType)),
}));

/** For an IP address, only the host name is set, as in Common Crawl's index. */
function hostColumns(hostname: string): Row {
  const icann = parse(hostname, { allowPrivateDomains: false, extractHostname: false });
  if (icann.isIp || hostname.startsWith('[')) return { url_host_name: hostname };
  const owners = parse(hostname, { allowPrivateDomains: true, extractHostname: false });
  const parts = hostname.split('.').reverse();
  return {
    url_host_name: hostname,
    url_host_tld: parts[0],
    url_host_2nd_last_part: parts[1],
    url_host_3rd_last_part: parts[2],
    url_host_4th_last_part: parts[3],
    url_host_5th_last_part: parts[4],
    url_host_registry_suffix: icann.publicSuffix ?? undefined,
    url_host_registered_domain: icann.domain ?? undefined,
    url_host_private_suffix: owners.publicSuffix ?? undefined,
    url_host_private_domain: owners.domain ?? undefined,
    url_host_name_reversed: parts.join('.'),
  };
}

function redirectOf(status: number, location: string | undefined, base: URL): string | undefined {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  return URL.parse(fieldReference(location), base.href)?.href;
}

/** The name of the Encoding standard, as browsers show it: `UTF-8`. */
function charsetName(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding.toUpperCase();
  } catch {
    return undefined;
  }
}

function dateOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
