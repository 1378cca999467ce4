import type { UrlState } from '../frontier/url-record.ts';
import { STATUS_CODES } from './status-codes.ts';

/** What is known of the last try of a URL. */
export interface LastTry {
  readonly state: UrlState;
  readonly httpStatus?: number | undefined;
  readonly cause?: string | undefined;
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'it asks for a login',
  403: 'it refuses this crawler, or asks for a login',
};

/**
 * Why a URL was not fetched, for people: `HTTP 404 (Not Found)`, `denied by robots.txt, line 2: Disallow: /`.
 */
export function outcomeInWords({ state, httpStatus, cause }: LastTry): string {
  if (state === 'redirect') return `redirects ${cause ?? 'to nowhere'}`;
  if (state === 'deniedByRobots') return `denied by ${cause ?? 'robots.txt'}`;
  const isSaid = cause === undefined || cause === `HTTP ${httpStatus}`;
  if (httpStatus !== undefined && isSaid) return statusInWords(httpStatus);
  return cause ?? state;
}

function statusInWords(httpStatus: number): string {
  const words = [STATUS_CODES[httpStatus], HINTS[httpStatus]].filter(Boolean).join(': ');
  return `HTTP ${httpStatus}${words === '' ? '' : ` (${words})`}`;
}
