/**
 * The CPU of a row of the Parquet tables `index` and `urls`: made of what is known of a capture or URL, encoded and compressed, in
 * memory. The captures and URLs are made: hosts of 200 pages each. An export also reads the heads of the WARC records.
 *
 *     npm run bench -- parquet
 */
import { CAPTURE_COLUMNS, captureRow } from '../../shared/services/outputs/parquet/capture-table.ts';
import type { Column, Row } from '../../shared/services/outputs/parquet/table.ts';
import { createTableBytes } from '../../shared/services/outputs/parquet/table-writer.ts';
import { URL_COLUMNS, urlTableRow } from '../../shared/services/outputs/parquet/url-table.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import { type Measured, median } from '../harness/record.ts';

const ROWS = 60_000;
const ROUNDS = 7;
const PAGES_OF_HOST = 200;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export async function measure(): Promise<Measured> {
  const captures = Array.from({ length: ROWS }, (_, i) => captureOf(i));
  const index = await tableOf(CAPTURE_COLUMNS, captures, ({ place, heads }) => captureRow(place, heads)!.row);
  const urls = await tableOf(URL_COLUMNS, captures, ({ url }) => urlTableRow(url));
  return {
    figures: {
      index: { value: index.us, unit: 'us of CPU a row of the index' },
      urls: { value: urls.us, unit: 'us a row of the known URLs' },
      indexBytes: { value: index.bytes, unit: 'bytes a row of the index' },
      urlBytes: { value: urls.bytes, unit: 'bytes a row of the known URLs' },
    },
  };
}

async function tableOf<T>(columns: readonly Column[], things: readonly T[], rowOf: (thing: T) => Row) {
  const times: number[] = [];
  let bytes = 0;
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    const ms = await cpuMsOf(async () => {
      const table = createTableBytes(columns);
      for (const thing of things) await table.add(rowOf(thing));
      bytes = (await table.finish()).length;
    });
    if (round > 0) times.push(ms);
  }
  return { us: (1000 * median(times)) / things.length, bytes: bytes / things.length };
}

/** Each has another digest, of which no part repeats. */
function digestOf(page: number): string {
  let state = page + 1;
  return Array.from({ length: 32 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return BASE32[state >>> 27];
  }).join('');
}

function captureOf(page: number) {
  const host = `www.host${Math.floor(page / PAGES_OF_HOST)}.com`;
  const path = `/docs/section-${Math.floor(page / 20) % 10}/page-${page % PAGES_OF_HOST}.html`;
  const digest = `sha1:${digestOf(page)}`;
  const date = new Date(1_790_000_000_000 + 137 * page).toISOString();
  const place = {
    surt: `com,host${Math.floor(page / PAGES_OF_HOST)})${path}`,
    url: `https://${host}${path}`,
    digest,
    file: `crawl-2026-${String(Math.floor(page / 20_000)).padStart(5, '0')}.warc.gz`,
    offset: (page % 20_000) * 17_000,
    length: 15_000 + ((page * 7919) % 9000),
  };
  const heads = {
    httpStatus: 200,
    headers: [
      ['Server', 'nginx'],
      ['Date', 'Thu, 26 Nov 2026 10:00:00 GMT'],
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Cache-Control', 'max-age=600'],
    ] as const,
    record: {
      fields: [
        ['WARC-Type', 'response'],
        ['WARC-Record-ID', `<urn:uuid:${page}>`],
        ['WARC-Date', date],
        ['WARC-Target-URI', place.url],
        ['WARC-Payload-Digest', digest],
        ['WARC-Identified-Payload-Type', 'text/html'],
        ['WARC-IP-Address', `192.0.2.${Math.floor(page / PAGES_OF_HOST) % 250}`],
      ] as const,
    },
  };
  const url = {
    url: place.url,
    host,
    depth: page % 5,
    via: `https://${host}/docs/section-${page % 10}/`,
    status: 'fetched',
    httpStatus: 200,
    contentType: 'text/html',
    digest,
    fetchedAt: date,
    warcFile: place.file,
    warcOffset: place.offset,
    warcLength: place.length,
    bodyBytes: 3 * place.length,
    tookMs: 20.4 + (page % 50),
  } as const;
  return { place, heads, url };
}
