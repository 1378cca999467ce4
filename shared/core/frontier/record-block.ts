/**
 * Many URL records of one host as one compressed block: the unit in which segments and runs are written and
 * read.
 *
 * Columns, each of which compresses well by itself: the URLs front-coded, without their host; then flags,
 * depths, levels, times as differences, and the results of those fetched, with tables for what recurs
 * (linking pages, file names, content types, causes). Then DEFLATE over all. The bytes before compression are
 * exact and versioned by the part that holds the block; the compressed form may differ between versions of
 * zlib.
 */
import { flatJoined } from '../base/flat-text.ts';
import { reusedDeflateRaw } from '../base/reused-deflate.ts';
import type { Cause } from '../causes/cause.ts';
import { decodeCause, encodeCause } from '../causes/stored-cause.ts';
import type { HostKey } from '../url/host-key.ts';
import { URL_KINDS, type UrlKind } from '../url/url-kind.ts';
import { ByteReader, ByteWriter, CorruptBytes, inflateOwn } from './bytes.ts';
import { readRecrawl, writeRecrawl } from './recrawl-column.ts';
import { readTexts, textAt, writeTexts } from './text-column.ts';
import { type FetchResult, URL_STATES, type UrlRecord } from './url-record.ts';

const HTTPS = 0x08;
const HAS_VIA = 0x10;
const IS_RETRIED = 0x20;
const HAS_RESULT = 0x40;
const HAS_KIND = 0x80;

const HAS_LOCATION = 1;
const HAS_DIGEST = 2;
const HAS_TYPE = 4;
const HAS_CAUSE = 8;
const HAS_SIZE = 16;
const HAS_DUPLICATE_OF = 32;
const HAS_RECRAWL = 64;
const DIGEST_BYTES = 20;

/** A block bigger than this after decompression is not one of ours. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;
/** Characters of all URLs of a block, front-coding undone. */
const MAX_TEXT_LENGTH = 4 * MAX_BLOCK_BYTES;

const deflateRaw = reusedDeflateRaw(6);

/** Encodes the records in the order given; sorted by URL they are smallest. */
export function encodeRecords(host: HostKey, records: readonly UrlRecord[]): Uint8Array {
  const out = new ByteWriter(64 + records.length * 24);
  const vias = [...new Set(records.flatMap(({ via }) => via ?? []))].sort();
  const viaIndex = new Map(vias.map((via, i) => [via, i]));
  const files = new Table();
  const types = new Table();
  const causes = new Table();
  const base = records.reduce((least, record) => Math.min(least, record.seenAt), Number.MAX_SAFE_INTEGER);
  const baseSeconds = records.length === 0 ? 0 : Math.floor(base / 1000);

  out.varint(records.length);
  out.varint(baseSeconds);
  writeTexts(
    out,
    records.map((record) => pathOf(record.url, host)),
  );
  for (const record of records) out.byte(flagsOf(record));
  for (const record of records) out.varint(record.depth);
  for (const record of records) out.byte(record.level);
  for (const record of records) out.varint(Math.floor(record.seenAt / 1000) - baseSeconds);
  let previous = 0;
  for (const record of records) {
    if (record.via === undefined) continue;
    const via = viaIndex.get(record.via) as number;
    out.signed(via - previous);
    previous = via;
  }
  for (const record of records) {
    if (!isRetried(record)) continue;
    out.varint(record.redirects);
    out.varint(record.attempts);
    out.varint(record.dueAt);
  }
  for (const { kind } of records) if (kind !== undefined) out.byte(URL_KINDS.indexOf(kind));
  let fetchedAt = baseSeconds * 1000;
  let offset = 0;
  for (const { result, recrawl } of records) {
    if (result === undefined) continue;
    const { httpStatus, contentType, digest, location, cause, duplicateOf, bodyBytes, tookMs } = result;
    const hasSize = bodyBytes !== undefined || tookMs !== undefined;
    out.byte(
      (location ? HAS_LOCATION : 0) |
        (digest ? HAS_DIGEST : 0) |
        (contentType !== undefined ? HAS_TYPE : 0) |
        (cause !== undefined ? HAS_CAUSE : 0) |
        (hasSize ? HAS_SIZE : 0) |
        (duplicateOf !== undefined ? HAS_DUPLICATE_OF : 0) |
        (recrawl ? HAS_RECRAWL : 0),
    );
    out.varint(httpStatus ?? 0);
    out.signed(result.fetchedAt - fetchedAt);
    fetchedAt = result.fetchedAt;
    if (contentType !== undefined) out.varint(types.indexOf(contentType));
    if (cause !== undefined) out.varint(causes.indexOf(encodeCause(cause)));
    // In the table of causes: only few results have one.
    if (duplicateOf !== undefined) out.varint(causes.indexOf(duplicateOf));
    if (location) {
      out.varint(files.indexOf(location.file));
      out.signed(location.offset - offset);
      out.varint(location.length);
      offset = location.offset;
    }
    if (hasSize) {
      out.varint((bodyBytes ?? -1) + 1);
      out.varint((tookMs ?? -1) + 1);
    }
    if (recrawl) writeRecrawl(out, recrawl, fetchedAt);
  }
  for (const { result } of records) if (result?.digest) out.raw(result.digest);
  out.varint(vias.length);
  writeTexts(out, vias);
  for (const table of [files, types, causes]) table.write(out);
  return deflateRaw([out.bytes()]);
}

/** Throws {@link CorruptBytes} for what {@link encodeRecords} did not make for this host. */
export function decodeRecords(host: HostKey, block: Uint8Array): UrlRecord[] {
  return readRecords(host, inflateOwn(block, MAX_BLOCK_BYTES, 'a block of URL records'));
}

/** The records of the URL in the block. Only the paths are read of a block without it, a third of the work. */
export function findRecords(host: HostKey, block: Uint8Array, url: string): UrlRecord[] {
  const bytes = inflateOwn(block, MAX_BLOCK_BYTES, 'a block of URL records');
  const input = new ByteReader(bytes);
  const count = input.varint();
  input.varint();
  if (!readTexts(input, count, MAX_TEXT_LENGTH).includes(pathOf(url, host))) return [];
  return readRecords(host, bytes).filter((record) => record.url === url);
}

function readRecords(host: HostKey, bytes: Uint8Array): UrlRecord[] {
  const input = new ByteReader(bytes);
  const count = input.varint();
  const baseSeconds = input.varint();
  const paths = readTexts(input, count, MAX_TEXT_LENGTH);
  const flags = repeat(count, () => input.byte());
  const depths = repeat(count, () => input.varint());
  const levels = repeat(count, () => input.byte());
  const seen = repeat(count, () => input.varint());
  let via = 0;
  const vias = flags.map((flag) => {
    if (flag & HAS_VIA) via += input.signed();
    return via;
  });
  const retried = flags.map((flag) =>
    flag & IS_RETRIED
      ? { redirects: input.varint(), attempts: input.varint(), dueAt: input.varint() }
      : NOT_RETRIED,
  );
  const kinds = flags.map((flag) => (flag & HAS_KIND ? readKind(input) : undefined));
  const results = readResults(input, flags, baseSeconds * 1000);
  const viaTable = readTexts(input, input.varint(), MAX_TEXT_LENGTH);
  const fileTable = readTable(input);
  const typeTable = readTable(input);
  const causeTable = readTable(input);
  const causes = new CauseReader(causeTable);
  const [plain, secure] = [`http://${host}`, `https://${host}`];

  return paths.map((path, i) => {
    const flag = flags[i] as number;
    const state = URL_STATES[flag & 0x07];
    if (state === undefined) throw new CorruptBytes(`record ${i} has the unknown state ${flag & 0x07}`);
    const raw = results[i];
    const result: FetchResult | undefined = raw && {
      fetchedAt: raw.fetchedAt,
      httpStatus: raw.httpStatus || undefined,
      contentType: textAt(typeTable, raw.type),
      digest: raw.digest,
      location:
        raw.file < 0
          ? undefined
          : { file: textAt(fileTable, raw.file) as string, offset: raw.offset, length: raw.length },
      bodyBytes: raw.bodyBytes < 0 ? undefined : raw.bodyBytes,
      tookMs: raw.tookMs < 0 ? undefined : raw.tookMs,
      cause: causes.at(raw.cause),
      duplicateOf: textAt(causeTable, raw.duplicateOf),
    };
    const { redirects, attempts, dueAt } = retried[i] as typeof NOT_RETRIED;
    return {
      url: flatJoined(flag & HTTPS ? secure : plain, path),
      state,
      kind: kinds[i],
      depth: depths[i] as number,
      level: levels[i] as number,
      via: flag & HAS_VIA ? textAt(viaTable, vias[i] as number) : undefined,
      seenAt: (baseSeconds + (seen[i] as number)) * 1000,
      redirects,
      attempts,
      dueAt,
      result,
      recrawl: raw?.recrawl,
    };
  });
}

const NOT_RETRIED = { redirects: 0, attempts: 0, dueAt: 0 };

const isRetried = (record: UrlRecord) => record.redirects > 0 || record.attempts > 0 || record.dueAt > 0;

function flagsOf(record: UrlRecord): number {
  return (
    URL_STATES.indexOf(record.state) |
    (record.url.startsWith('https:') ? HTTPS : 0) |
    (record.via !== undefined ? HAS_VIA : 0) |
    (isRetried(record) ? IS_RETRIED : 0) |
    (record.result ? HAS_RESULT : 0) |
    (record.kind !== undefined ? HAS_KIND : 0)
  );
}

function readKind(input: ByteReader): UrlKind {
  const code = input.byte();
  const kind = URL_KINDS[code];
  if (kind === undefined) throw new CorruptBytes(`a record has the unknown kind ${code}`);
  return kind;
}

/** Path and query of a URL of this host. */
function pathOf(url: string, host: HostKey): string {
  const start = url.indexOf('://') + 3;
  if (!url.startsWith(host, start) || url[start + host.length] !== '/')
    throw new Error(`${url} is not a canonical URL of the host ${host}`);
  return url.slice(start + host.length);
}

function readResults(input: ByteReader, flags: readonly number[], firstTime: number) {
  let fetchedAt = firstTime;
  let offset = 0;
  const results = flags.map((flag) => {
    if (!(flag & HAS_RESULT)) return undefined;
    const has = input.byte();
    const httpStatus = input.varint();
    fetchedAt += input.signed();
    const type = has & HAS_TYPE ? input.varint() : -1;
    const cause = has & HAS_CAUSE ? input.varint() : -1;
    const duplicateOf = has & HAS_DUPLICATE_OF ? input.varint() : -1;
    const file = has & HAS_LOCATION ? input.varint() : -1;
    if (file >= 0) offset += input.signed();
    const length = file >= 0 ? input.varint() : 0;
    const bodyBytes = has & HAS_SIZE ? input.varint() - 1 : -1;
    const tookMs = has & HAS_SIZE ? input.varint() - 1 : -1;
    const recrawl = has & HAS_RECRAWL ? readRecrawl(input, fetchedAt) : undefined;
    const digest = NO_DIGEST;
    return {
      has,
      httpStatus,
      fetchedAt,
      type,
      cause,
      duplicateOf,
      file,
      offset,
      length,
      bodyBytes,
      tookMs,
      recrawl,
      digest,
    };
  });
  for (const result of results)
    if (result && result.has & HAS_DIGEST) result.digest = Uint8Array.from(input.raw(DIGEST_BYTES));
  return results;
}

const NO_DIGEST: Uint8Array | undefined = undefined;

/** Texts that recur, numbered as they come. */
class Table {
  readonly #index = new Map<string, number>();

  indexOf(text: string): number {
    const known = this.#index.get(text);
    if (known !== undefined) return known;
    this.#index.set(text, this.#index.size);
    return this.#index.size - 1;
  }

  write(out: ByteWriter): void {
    out.varint(this.#index.size);
    for (const text of this.#index.keys()) out.text(text);
  }
}

/** The causes of a block. Each is read once, however many records have it. */
class CauseReader {
  readonly #table: readonly string[];
  readonly #read: (Cause | undefined)[] = [];

  constructor(table: readonly string[]) {
    this.#table = table;
  }

  at(i: number): Cause | undefined {
    const text = textAt(this.#table, i);
    if (text === undefined) return undefined;
    this.#read[i] ??= decodeCause(text);
    return this.#read[i];
  }
}

const readTable = (input: ByteReader): string[] => repeat(input.varint(), () => input.text());

function repeat<T>(count: number, make: () => T): T[] {
  const items: T[] = [];
  for (let i = 0; i < count; i++) items.push(make());
  return items;
}
