import {
  PayloadReader,
  type PayloadSource,
  type ReadPayload,
  readOf,
} from '../../core/archive/payload-reader.ts';
import type { RecordLocation } from '../../core/archive/record-location.ts';
import { messageOf, propertyOf } from '../../core/base/error-message.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { decodeBody } from '../../core/parser/decode-body.ts';

/** Larger records are not read, unless their reader says so. */
export const MAX_BYTES = 64 * 1024 * 1024;

/** A response of the archive, its body whole and decoded. */
export interface ArchivedPayload {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/**
 * Returns a function that reads the response at a location; for a revisit, the body to which it refers. The function
 * throws if the record is damaged or larger than 64 MiB, or if its body is in another crawl's archive.
 */
export function createPayloads(archive: PayloadSource) {
  const payloads = new PayloadReader(archive);
  return async (location: RecordLocation): Promise<ArchivedPayload> =>
    decoded(await payloads.read(location, MAX_BYTES));
}

/**
 * Calls `use` with the response of each URL, which must be archived, one after the other. Calls `skip` with those that
 * cannot be read or used. Throws what the disk or the network throws: other responses would fail, too.
 */
export async function eachPayload(
  payloads: PayloadReader,
  records: Iterable<UrlRecord> | AsyncIterable<UrlRecord>,
  use: (record: UrlRecord, payload: ArchivedPayload) => Promise<void> | void,
  skip: (url: string, reason: string) => void,
): Promise<void> {
  for await (const _ of usedPayloads(payloads, records, use, skip));
}

/** As {@link eachPayload}, and yields what `use` returns for each URL; undefined for one that was skipped. */
export async function* usedPayloads<Value>(
  payloads: PayloadReader,
  records: Iterable<UrlRecord> | AsyncIterable<UrlRecord>,
  use: (record: UrlRecord, payload: ArchivedPayload) => Promise<Value> | Value,
  skip: (url: string, reason: string) => void,
): AsyncGenerator<Value | undefined> {
  const all = payloads.readAll(eachOf(records), ({ result }) => result!.location!, MAX_BYTES);
  for await (const tried of all) {
    let value: Value | undefined;
    try {
      value = await use(tried.value, decoded(readOf(tried)));
    } catch (error) {
      if (propertyOf(error, 'syscall') !== undefined) throw error;
      skip(tried.value.url, messageOf(error));
    }
    yield value;
  }
}

async function* eachOf<T>(values: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* values;
}

/** A revisit has header fields of its own: the same bytes may have another type at another URL. */
function decoded({ response: { httpStatus, headers }, payload }: ReadPayload): ArchivedPayload {
  const body = decodeBody(payload.body, codingOf(payload.headers), MAX_BYTES);
  return { status: httpStatus, headers, body };
}

/** The value of Content-Encoding. */
export const codingOf = (headers: ArchivedPayload['headers']): string =>
  headers.flatMap(([name, value]) => (name.toLowerCase() === 'content-encoding' ? value : [])).join(', ');
