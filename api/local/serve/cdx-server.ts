/** Answers the queries of a CDX server, by which pywb and other replay tools look captures up. */
import { epochOf } from '../../../shared/core/archive/capture-query.ts';
import type {
  CaptureIndex,
  KeyedCapture,
  RangeQuery,
} from '../../../shared/engines/local/archive/capture-index.ts';
import { CutOff, cutOffAfter } from '../../../shared/services/hooks/cut-off.ts';
import {
  BadQuery,
  CDX_FIELDS,
  type CdxField,
  type CdxQuery,
  type CdxValues,
  parseCdxQuery,
  resumeKeyOf,
} from './cdx-query.ts';

export interface CdxAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** Value of `resumeKey` for what follows, if something may. */
  readonly resumeKey?: string | undefined;
}

/** Captures that one query looks at: further captures are in the next answer. */
const MAX_LOOKED_AT = 50_000;
const BATCH = 5000;
/** Filters may take so long: they hold up all other requests. */
const FILTER_MS = 1000;

/** Never throws for a bad query. `filterMs`: how long the filters may take. */
export function answerCdx(
  index: CaptureIndex,
  asked: URLSearchParams,
  { filterMs = FILTER_MS } = {},
): CdxAnswer {
  try {
    const query = parseCdxQuery(asked);
    const { rows, resumeKey } = cutOffAfter(filterMs, () =>
      query.closest === undefined ? inOrder(index, query) : byDistance(index, query, query.closest),
    );
    const lines = rows.map((row) => lineOf(row, query));
    if (query.showResumeKey && resumeKey !== undefined) lines.push('', resumeKey.replaceAll(' ', '+'));
    const type = query.isJson ? 'text/x-ndjson' : 'text/x-cdxj';
    return { status: 200, type, text: lines.map((line) => `${line}\n`).join(''), resumeKey };
  } catch (error) {
    if (error instanceof CutOff) return failed(`Expected filters that take at most ${filterMs} ms`);
    if (error instanceof BadQuery) return failed(error.message);
    throw error;
  }
}

const failed = (message: string): CdxAnswer => ({
  status: 400,
  type: 'application/json',
  text: `${JSON.stringify({ message })}\n`,
});

interface Rows {
  readonly rows: readonly KeyedCapture[];
  readonly resumeKey?: string | undefined;
}

function inOrder(index: CaptureIndex, query: CdxQuery): Rows {
  const { limit, filters, isReverse } = query;
  const rows: KeyedCapture[] = [];
  const batch = filters.length > 0 ? BATCH : Math.min(BATCH, limit + 1);
  let lookedAt = 0;
  let last: KeyedCapture | undefined;
  for (const range of isReverse ? query.ranges.toReversed() : query.ranges)
    for (const row of allOf(index, {
      ...timesOf(query),
      ...range,
      isReverse,
      after: query.after,
      limit: batch,
    })) {
      if (rows.length === limit || lookedAt === MAX_LOOKED_AT)
        return { rows, resumeKey: last && resumeKeyOf(last) };
      lookedAt++;
      last = row;
      if (passes(row, filters)) rows.push(row);
    }
  return { rows };
}

/** Reads `limit` captures at a time: each read is over before its rows are used. */
function* allOf(index: CaptureIndex, query: RangeQuery): Generator<KeyedCapture> {
  let { after } = query;
  for (;;) {
    const batch = index.inRange({ ...query, after });
    yield* batch;
    after = batch.at(-1);
    if (batch.length < query.limit) return;
  }
}

/** The captures nearest in time first. */
function byDistance(index: CaptureIndex, query: CdxQuery, closest: string): Rows {
  const { filters, limit } = query;
  const at = epochOf(closest);
  const found = query.matchType === 'exact' ? around(index, query, closest) : among(index, query);
  const rows = found
    .filter((row) => passes(row, filters))
    .map((row) => ({ row, distance: Math.abs(epochOf(row.timestamp) - at) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ row }) => row);
  return { rows };
}

/** The captures of one key on both sides of `closest`. */
function around(index: CaptureIndex, query: CdxQuery, closest: string): readonly KeyedCapture[] {
  const { ranges, first = '', last = '9', filters } = query;
  const limit = filters.length > 0 ? MAX_LOOKED_AT / 2 : query.limit;
  // A longer text comes after its beginning, and before the next second.
  const later = `${closest}0`;
  return ranges.flatMap((range) => [
    ...index.inRange({ ...range, first, last: last < closest ? last : closest, isReverse: true, limit }),
    ...index.inRange({ ...range, first: first > later ? first : later, last, limit }),
  ]);
}

function among(index: CaptureIndex, query: CdxQuery): readonly KeyedCapture[] {
  const limit = MAX_LOOKED_AT + 1;
  const found = query.ranges.flatMap((range) => index.inRange({ ...timesOf(query), ...range, limit }));
  if (found.length < limit) return found;
  throw new BadQuery(
    `closest of matchType ${query.matchType} looks at up to ${MAX_LOOKED_AT} captures, and there are more: give a longer url, or from and to`,
  );
}

const timesOf = ({ first, last }: CdxQuery): Pick<RangeQuery, 'first' | 'last'> => ({ first, last });

const passes = (row: KeyedCapture, filters: CdxQuery['filters']): boolean =>
  filters.length === 0 || filters.every((filter) => filter(valuesOf(row)));

const valuesOf = ({
  surt,
  timestamp,
  url,
  mime,
  status,
  digest,
  file,
  offset,
  length,
  method,
  requestBody,
  target,
}: KeyedCapture): CdxValues => ({
  urlkey: surt,
  timestamp,
  url: target ?? url,
  mime,
  status: status === undefined ? undefined : String(status),
  digest,
  length: String(length),
  offset: String(offset),
  filename: file,
  requestBody,
  method,
});

/** A line as in a CDXJ index; with `fields`, their values. `json`: an object, whose `urlkey` is the SURT. */
function lineOf(row: KeyedCapture, { fields, isJson }: CdxQuery): string {
  const values = valuesOf(row);
  if (isJson) return objectOf(fields.length > 0 ? fields : CDX_FIELDS, values);
  if (fields.length > 0) return fields.map((field) => (values[field] ?? '-').replace(/\s/g, '')).join(' ');
  return `${values.urlkey} ${values.timestamp} ${objectOf(CDX_FIELDS.slice(2), values)}`;
}

const objectOf = (fields: readonly CdxField[], values: CdxValues): string =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, values[field]])));
