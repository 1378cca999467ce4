/**
 * The query of a CDX server: the parameters that pywb's has (pywb.readthedocs.io, "CDXJ Server API"), and `resumeKey` of
 * the Internet Archive's (github.com/internetarchive/wayback, wayback-cdx-server).
 */
import {
  type KeyRange,
  keyRanges,
  MATCH_TYPES,
  type MatchType,
  secondOf,
} from '../../../shared/core/archive/capture-query.ts';
import { quoted } from '../../../shared/core/text/printable.ts';
import type { IndexPlace, KeyedCapture } from '../../../shared/engines/local/archive/capture-index.ts';

export interface CdxQuery {
  readonly matchType: MatchType;
  readonly ranges: readonly KeyRange[];
  /** The first and the last second, `YYYYMMDDhhmmss`. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
  /** Captures are sorted by their distance to this second. */
  readonly closest?: string | undefined;
  readonly isReverse: boolean;
  readonly filters: readonly CdxFilter[];
  /** Only these fields, in this order; empty: all. */
  readonly fields: readonly CdxField[];
  readonly isJson: boolean;
  readonly limit: number;
  readonly after?: IndexPlace | undefined;
  readonly showResumeKey: boolean;
}

export const CDX_FIELDS = [
  'urlkey',
  'timestamp',
  'url',
  'mime',
  'status',
  'digest',
  'length',
  'offset',
  'filename',
  'requestBody',
  'method',
] as const;
export type CdxField = (typeof CDX_FIELDS)[number];

/** Returns whether a capture passes. */
type CdxFilter = (values: CdxValues) => boolean;
export type CdxValues = Readonly<Record<CdxField, string | undefined>>;

/** A query that the server does not answer: 400. */
export class BadQuery extends Error {
  override name = 'BadQuery';
}

/** Captures of an answer, by default and at most. */
const MAX_ROWS = 10_000;
const MAX_FILTERS = 20;
const MAX_FILTER = 1000;

const KNOWN = new Set(
  'url matchType from to limit sort reverse closest output filter fields fl resumeKey showResumeKey'.split(
    ' ',
  ),
);
/** Parameters of other servers that change nothing here. */
const WITHOUT_EFFECT = new Set(['gzip', 'allowFuzzy']);
/** Names of the Internet Archive's server. */
const OTHER_NAMES: Readonly<Record<string, CdxField>> = {
  original: 'url',
  mimetype: 'mime',
  statuscode: 'status',
};

/** Throws {@link BadQuery}. */
export function parseCdxQuery(asked: URLSearchParams): CdxQuery {
  for (const name of asked.keys())
    if (!KNOWN.has(name) && !WITHOUT_EFFECT.has(name))
      throw new BadQuery(`There is no parameter ${quoted(name)}; expected ${[...KNOWN].join(', ')}`);
  const { url, matchType } = matched(asked.get('url') ?? '', asked.get('matchType'));
  const ranges = keyRanges(url, matchType);
  if (url === '' || !ranges) throw new BadQuery(`Expected url to be a URL, got ${quoted(url)}`);
  // pywb lists a URL by `closest=&sort=closest`.
  const sort = oneOf(asked, 'sort', ['default', 'closest', 'reverse'] as const);
  const closest = secondIn(asked, 'closest', 'first');
  return {
    matchType,
    ranges,
    first: secondIn(asked, 'from', 'first'),
    last: secondIn(asked, 'to', 'last'),
    closest,
    isReverse: sort === 'reverse' || isOn(asked, 'reverse'),
    filters: filtersIn(asked),
    fields: fieldsIn(asked),
    isJson: oneOf(asked, 'output', ['text', 'cdxj', 'json'] as const) === 'json',
    limit: limitIn(asked),
    after: placeIn(asked),
    showResumeKey: isOn(asked, 'showResumeKey'),
  };
}

/** `*.example.com` is a domain, `http://example.com/a*` a prefix. */
function matched(url: string, given: string | null): { url: string; matchType: MatchType } {
  if (given !== null && given !== '') {
    const matchType = MATCH_TYPES.find((name) => name === given);
    if (!matchType) throw new BadQuery(`Expected matchType ${MATCH_TYPES.join(', ')}, got ${quoted(given)}`);
    return { url, matchType };
  }
  if (url.startsWith('*.')) return { url: url.slice(2), matchType: 'domain' };
  if (url.endsWith('*')) return { url: url.slice(0, -1), matchType: 'prefix' };
  return { url, matchType: 'exact' };
}

function oneOf<T extends string>(asked: URLSearchParams, name: string, values: readonly T[]): T | undefined {
  const given = asked.get(name);
  if (given === null || given === '') return undefined;
  const value = values.find((one) => one === given);
  if (value === undefined)
    throw new BadQuery(`Expected ${name} ${values.join(' or ')}, got ${quoted(given)}`);
  return value;
}

const isOn = (asked: URLSearchParams, name: string): boolean =>
  ['true', '1', 'yes', 'y', 'on'].includes((asked.get(name) ?? '').toLowerCase());

function secondIn(asked: URLSearchParams, name: string, end: 'first' | 'last'): string | undefined {
  const given = asked.get(name);
  if (given === null || given === '') return undefined;
  const second = secondOf(given, end);
  if (second === undefined)
    throw new BadQuery(
      `Expected ${name} to be a time YYYYMMDDhhmmss or the beginning of one, got ${quoted(given)}`,
    );
  return second;
}

function limitIn(asked: URLSearchParams): number {
  const given = asked.get('limit') ?? '';
  if (given === '') return MAX_ROWS;
  if (!/^\d+$/.test(given) || Number(given) === 0)
    throw new BadQuery(`Expected limit to be a whole number from 1, got ${quoted(given)}`);
  return Math.min(Number(given), MAX_ROWS);
}

function fieldsIn(asked: URLSearchParams): readonly CdxField[] {
  const given = asked.get('fields') || asked.get('fl');
  if (!given) return [];
  return [...new Set(given.split(',', CDX_FIELDS.length * 2).map(fieldOf))];
}

function fieldOf(name: string): CdxField {
  const field = CDX_FIELDS.find((one) => one === (OTHER_NAMES[name] ?? name));
  if (!field) throw new BadQuery(`Expected a field of ${CDX_FIELDS.join(', ')}, got ${quoted(name)}`);
  return field;
}

function filtersIn(asked: URLSearchParams): readonly CdxFilter[] {
  const given = asked.getAll('filter');
  if (given.length > MAX_FILTERS) throw new BadQuery(`Expected at most ${MAX_FILTERS} filters`);
  return given.map(filterOf);
}

/** `[!][=|~]FIELD:TEXT`: contains, is, or begins with what an expression matches; `!`: does not. */
function filterOf(text: string): CdxFilter {
  const parts = /^(!?)([=~]?)([a-z]+):(.*)$/s.exec(text);
  if (!parts || text.length > MAX_FILTER)
    throw new BadQuery(
      `Expected filter [!][=|~]FIELD:TEXT of at most ${MAX_FILTER} characters, such as =status:200, got ${quoted(text)}`,
    );
  const [, not, how, name = '', expected = ''] = parts;
  const field = fieldOf(name);
  const test = testOf(how, expected);
  return (values) => test(values[field] ?? '') !== (not === '!');
}

function testOf(how: string | undefined, expected: string): (value: string) => boolean {
  if (how === '=') return (value) => value === expected;
  if (how !== '~') return (value) => value.includes(expected);
  try {
    // linear: not by itself; the process that applies it is ended after a time (`cdx-server.ts`).
    const expression = new RegExp(`^(?:${expected})`);
    return (value) => expression.test(value);
  } catch (error) {
    throw new BadQuery(`filter: ${(error as Error).message}`);
  }
}

/** `SURT TIMESTAMP NUMBER`. */
function placeIn(asked: URLSearchParams): IndexPlace | undefined {
  const given = asked.get('resumeKey');
  if (given === null || given === '') return undefined;
  const [, surt, timestamp, id] = /^([!-~]+) (\d{4,17}) (\d{1,15})$/.exec(given) ?? [];
  if (surt === undefined || timestamp === undefined)
    throw new BadQuery('Expected resumeKey to be one that this server gave');
  return { surt, timestamp, id: Number(id) };
}

export const resumeKeyOf = ({ surt, timestamp, id }: KeyedCapture): string => `${surt} ${timestamp} ${id}`;
