/**
 * The parts of a question to an index of captures that all its askers have: a URL, how it matches, and times. By the
 * rules of CDX servers (pywb, OpenWayback, the Internet Archive's).
 */
import { canonicalize } from '../url/canonical.ts';
import { surt } from './surt.ts';

/**
 * `exact`: the URL. `prefix`: all URLs that begin with it. `host`: all of its host and port. `domain`: all of its host
 * and the hosts below, at any port. As an index sorts (`surt.ts`): letter case, `www.` and the scheme do not count.
 */
export const MATCH_TYPES = ['exact', 'prefix', 'host', 'domain'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

/** Keys of an index from `from` on that come before `below`. */
export interface KeyRange {
  readonly from: string;
  readonly below: string;
}

/** A URL longer than this is in no index. */
const MAX_URL = 16_384;

/**
 * Returns the keys that match, in their order; undefined if the text is not a URL. A URL without a scheme is an http
 * URL.
 */
export function keyRanges(given: string, matchType: MatchType): readonly KeyRange[] | undefined {
  if (given.length > MAX_URL) return undefined;
  const text = given.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (canonicalize(url) === undefined) return undefined;
  const key = surt(url);
  // A key has printable ASCII alone, the first of which is `!`.
  if (matchType === 'exact') return [{ from: key, below: `${key}!` }];
  if (matchType === 'prefix') {
    // A key has no slash and no empty query at its end.
    const end = /[/?]$/.exec(url)?.[0] ?? '';
    return [withPrefix(key.endsWith(end) ? key : key + end)];
  }
  const host = key.slice(0, key.indexOf(')'));
  if (matchType === 'host') return [withPrefix(`${host})`)];
  const name = host.replace(/:\d+$/, '');
  return [withPrefix(`${name})`), withPrefix(`${name},`), withPrefix(`${name}:`)];
}

const withPrefix = (from: string): KeyRange => ({
  from,
  below: from.slice(0, -1) + String.fromCharCode(from.charCodeAt(from.length - 1) + 1),
});

const TIME = /^(\d{4})(?:-?(\d\d)(?:-?(\d\d)(?:[T ]?(\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.\d{1,9})?)?)?Z?)?)?)?$/;

/**
 * Returns the first or last second of a time as `YYYYMMDDhhmmss`: it may be given as that, as ISO 8601 in UTC, and end
 * after any of its parts. Undefined if the text is not a time.
 */
export function secondOf(text: string, end: 'first' | 'last'): string | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const given = parts.slice(1).filter((part) => part !== undefined);
  const padding = (
    end === 'first' ? ['', '01', '01', '00', '00', '00'] : ['', '12', '31', '23', '59', '59']
  ).slice(given.length);
  const [, month = '', day = '', hour = '', minute = '', second = ''] = [...given, ...padding];
  const isTime =
    within(month, 1, 12) &&
    within(day, 1, 31) &&
    within(hour, 0, 23) &&
    within(minute, 0, 59) &&
    within(second, 0, 60);
  return isTime ? given.join('') + padding.join('') : undefined;
}

const within = (text: string, least: number, most: number): boolean =>
  Number(text) >= least && Number(text) <= most;

/** Returns the time of `YYYYMMDDhhmmss`, or of the beginning of that, in ms since 1970. */
export function epochOf(timestamp: string): number {
  const [year, month, day, hour, minute, second] = [0, 4, 6, 8, 10, 12].map((at, i) =>
    Number(timestamp.slice(at, at + (i === 0 ? 4 : 2)) || 1),
  );
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
}
