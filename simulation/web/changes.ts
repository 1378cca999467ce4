/** Pages that change at times of their own, and the validators that their hosts send, true and false. */
import type { FetchRequest } from '../../shared/fetcher/outcome/fetch-request.ts';
import { type Chance, DRAW } from './chance.ts';

export interface PageVersion {
  readonly number: number;
  /** When it began, ms since 1970; 0 for a page that never changes. */
  readonly changedAt: number;
  /** The fields of the response that name the version. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const MINUTE = 60_000;
/** Shares of hosts by the validators that they send; the others send none. */
const WEAK_ETAGS = 0.12;
const ETAGS = 0.35;
const DATES = 0.55;
/** Their ETag never changes. */
const LIARS = 0.65;
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
  if (kind < ETAGS) {
    const tag = `"${host}-${page}-${number}"`;
    return { number, changedAt, fields: [['ETag', kind < WEAK_ETAGS ? `W/${tag}` : tag]] };
  }
  if (kind < DATES)
    return {
      number,
      changedAt,
      fields: [['Last-Modified', new Date(Math.ceil(changedAt / 1000) * 1000).toUTCString()]],
    };
  return { number, changedAt, fields: kind < LIARS ? [['ETag', 'W/"build"']] : [] };
}

/** Whether the request is a conditional one whose condition says that the client has the version. */
export function isKnown({ headers = {} }: Pick<FetchRequest, 'headers'>, { fields }: PageVersion): boolean {
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return fields.some(([name, value]) =>
    name === 'ETag' ? sent.get('if-none-match') === value : sent.get('if-modified-since') === value,
  );
}

/** Words, as digits alone are no change of a page. */
export const versionText = ({ number }: PageVersion): string =>
  Array.from(String(number), (digit) => DIGITS[Number(digit)]).join(' ');
const DIGITS = ['nought', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
