/** Pages that change at times of their own, and the validators that their hosts send, true and false. */
import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import { type Chance, DRAW } from './chance.ts';

export interface PageVersion {
  readonly number: number;
  /** When it began, ms since 1970; 0 for a page that never changes. */
  readonly changedAt: number;
  /** The fields of the response that name the version. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const MINUTE = 60_000;
const SET_BACK_MS = 24 * 60 * MINUTE;
/** Shares of hosts by the validators that they send; the others send none. */
const WEAK_ETAGS = 0.12;
const ETAGS = 0.35;
const DATES = 0.55;
/** Their ETag never changes. */
const LIARS = 0.65;
/** They send both; or dates of a clock that goes back at every other change. */
const BOTH = 0.77;
const BACKWARDS = 0.85;
/** The share of pages that never change. */
const CONSTANT = 0.4;

/**
 * Returns the version of a page. `at`: the time, ms since 1970; of the versions of one page, each has the same
 * length.
 */
export function versionAt(chance: Chance, host: number, page: number, at: number): PageVersion {
  const [draw, phase] = [chance.at(DRAW.change, host, page), chance.at(DRAW.change, host, page, 1)];
  const lengthMs = draw < CONSTANT ? Number.POSITIVE_INFINITY : (4 + draw * 60) * MINUTE;
  const number = lengthMs === Number.POSITIVE_INFINITY ? 0 : Math.floor(at / lengthMs + phase);
  const changedAt = number === 0 ? 0 : (number - phase) * lengthMs;
  const kind = chance.at(DRAW.change, host);
  return { number, changedAt, fields: fieldsOf(kind, `"${host}-${page}-${number}"`, { number, changedAt }) };
}

function fieldsOf(
  kind: number,
  tag: string,
  { number, changedAt }: Pick<PageVersion, 'number' | 'changedAt'>,
): PageVersion['fields'] {
  const dated = (at: number) =>
    ['Last-Modified', new Date(Math.ceil(at / 1000) * 1000).toUTCString()] as const;
  if (kind < ETAGS) return [['ETag', kind < WEAK_ETAGS ? `W/${tag}` : tag]];
  if (kind < DATES) return [dated(changedAt)];
  if (kind < LIARS) return [['ETag', 'W/"build"']];
  if (kind < BOTH) return [['ETag', tag], dated(changedAt)];
  if (kind < BACKWARDS) return [dated(number % 2 === 0 ? changedAt : Math.max(0, changedAt - SET_BACK_MS))];
  return [];
}

/** Whether the request is a conditional one whose condition says that the client has the version. */
export function isKnown({ headers = {} }: Pick<FetchRequest, 'headers'>, { fields }: PageVersion): boolean {
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const [tag, since] = [sent.get('if-none-match'), sent.get('if-modified-since')];
  const known = new Map(fields);
  // RFC 9110, section 13.1.3: a tag counts alone.
  if (tag !== undefined) return known.get('ETag') === tag;
  const modified = known.get('Last-Modified');
  return since !== undefined && modified !== undefined && Date.parse(modified) <= Date.parse(since);
}

/** Words, as digits alone are no change of a page. */
export const versionText = ({ number }: PageVersion): string =>
  Array.from(String(number), (digit) => DIGITS[Number(digit)]).join(' ');
const DIGITS = ['nought', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
